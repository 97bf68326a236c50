package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Each benchmark runs what it measures and its anchor (the same bytes through
// the same pipes, with nothing done to them) in turns, and reports their ratio.

// against runs ours and anchor in turns and reports the time of each and ours
// as a multiple of the anchor.
func against(b *testing.B, ours, anchor func()) {
	b.Helper()
	var o, a time.Duration
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		ours()
		middle := time.Now()
		anchor()
		o, a = o+middle.Sub(begin), a+time.Since(middle)
	}
	n := float64(b.N)
	b.ReportMetric(float64(o.Nanoseconds())/n, "ours-ns")
	b.ReportMetric(float64(a.Nanoseconds())/n, "anchor-ns")
	b.ReportMetric(float64(o)/float64(a), "x-anchor")
}

// answerer answers every extension request with what it was sent.
type answerer struct{ Unimplemented }

func (answerer) ExtRequest(_ context.Context, _ string, params jsontext.Value) (any, error) {
	return params, nil
}

// A call of 200 bytes and its answer, over OS pipes, both ends ours.
func BenchmarkCallRoundTrip(b *testing.B) {
	toServer, fromClient := pipe(b)
	toClient, fromServer := pipe(b)
	client := NewConn(toClient, fromClient, StreamOptions{})
	server := NewConn(toServer, fromServer, StreamOptions{})
	client.Start(Unimplemented{})
	server.Start(answerer{})
	defer client.Close()
	defer server.Close()
	params := jsontext.Value(`{"text":"` + strings.Repeat("x", 140) + `"}`)

	there, out := pipe(b)
	in, back := pipe(b)
	go io.Copy(back, echoReader{there})
	line := make([]byte, 200)
	defer func() {
		out.Close()
		in.Close()
		there.Close()
		back.Close()
	}()
	against(b, func() {
		if _, err := Call[Empty](context.Background(), client, "_x", params); err != nil {
			b.Fatal(err)
		}
	}, func() {
		out.Write(line)
		io.ReadFull(in, line)
	})
}

// echoReader hides that a file can be copied by the kernel.
type echoReader struct{ io.Reader }

// forwarder writes the text of each chunk on, joined while the output is busy.
type forwarder struct {
	Unimplemented
	mu   sync.Mutex
	more sync.Cond
	buf  []byte
	left int
}

func (f *forwarder) SessionUpdate(_ context.Context, session string, u Update) {
	c := u.(*MessageChunk)
	f.mu.Lock()
	f.buf = append(f.buf, `{"jsonrpc":"2.0","method":"acp/chunk","params":{"session":"`...)
	f.buf = append(f.buf, session...)
	f.buf = append(f.buf, `","text":`...)
	f.buf, _ = jsontext.AppendQuote(f.buf, c.Content.Text)
	f.buf = append(f.buf, "}}\n"...)
	f.left--
	f.mu.Unlock()
	f.more.Signal()
}

func (f *forwarder) copyTo(w io.Writer) {
	var own []byte
	for {
		f.mu.Lock()
		for len(f.buf) == 0 {
			f.more.Wait()
		}
		own, f.buf = f.buf, own[:0]
		last := f.left == 0
		f.mu.Unlock()
		w.Write(own)
		if last {
			return
		}
	}
}

// 10,000 chunks, each written by itself as an agent does, decoded and forwarded,
// against a loop that reads and writes the same bytes.
func BenchmarkForwardChunks(b *testing.B) {
	const n = 10_000
	line := []byte(chunkLine(1) + "\n")
	produce := func(w *os.File) {
		for range n {
			w.Write(line)
		}
	}
	sink := func() (*os.File, func()) {
		r, w := pipe(b)
		var wg sync.WaitGroup
		wg.Go(func() { io.Copy(io.Discard, echoReader{r}) })
		return w, func() {
			w.Close()
			wg.Wait()
			r.Close()
		}
	}
	against(b, func() {
		in, agentOut := pipe(b)
		_, out := pipe(b)
		f := &forwarder{left: n}
		f.more.L = &f.mu
		c := NewConn(in, out, StreamOptions{})
		c.Start(f)
		w, end := sink()
		go produce(agentOut)
		f.copyTo(w)
		end()
		agentOut.Close()
		c.Close()
	}, func() {
		in, agentOut := pipe(b)
		w, end := sink()
		go produce(agentOut)
		buf := make([]byte, 128<<10)
		for left := n * len(line); left > 0; {
			m, _ := in.Read(buf)
			w.Write(buf[:m])
			left -= m
		}
		end()
		agentOut.Close()
		in.Close()
	})
}

// writes hands the text of fs/write_text_file over.
type writes struct {
	Unimplemented
	got chan int
}

func (h writes) WriteTextFile(_ context.Context, r *WriteTextFileRequest) (WriteTextFileResponse, error) {
	h.got <- len(r.Content)
	return WriteTextFileResponse{}, nil
}

// A file of 5 MB of source text, from the pipe to the decoded text, against
// reading the same bytes into a buffer of their size.
func BenchmarkWrite5MB(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 5<<20; i++ {
		fmt.Fprintf(&text, "\tif x := f(%d, \"name\"); x != nil {\n\t\treturn x // é\n\t}\n", i)
	}
	quoted, err := Encode(text.String())
	if err != nil {
		b.Fatal(err)
	}
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"sessionId":"s1","path":"/p","content":` + string(quoted) + "}}\n")

	in, agentOut := widePipe(b)
	answers, out := pipe(b)
	h := writes{got: make(chan int)}
	c := NewConn(in, out, StreamOptions{})
	c.Start(h)
	defer c.Close()
	defer agentOut.Close()
	go func() {
		r := bufio.NewReader(answers)
		for {
			if _, err := r.ReadSlice('\n'); err != nil {
				return
			}
		}
	}()
	r, w := widePipe(b)
	defer r.Close()
	defer w.Close()
	buf := make([]byte, len(line))
	b.SetBytes(int64(len(line)))
	against(b, func() {
		go agentOut.Write(line)
		if n := <-h.got; n != text.Len() {
			b.Fatal(n)
		}
	}, func() {
		go w.Write(line)
		io.ReadFull(r, buf)
	})
}

// Decoding alone, without pipes.
func BenchmarkDecodeChunk(b *testing.B) {
	raw := []byte(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"chunk 1, forty bytes of text or so."}}`)
	b.ReportAllocs()
	for b.Loop() {
		DecodeUpdate(raw)
	}
}

func BenchmarkDecodeToolCall(b *testing.B) {
	raw := []byte(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit /p","kind":"edit","status":"pending","content":[{"type":"diff","path":"/p","oldText":"a","newText":"b"}],"locations":[{"path":"/p","line":3}]}`)
	b.ReportAllocs()
	for b.Loop() {
		DecodeUpdate(raw)
	}
}
