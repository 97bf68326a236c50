package lspbridge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// osPipes returns the two ends of a connection over pipes of the operating
// system, as an editor has it.
func osPipes(b *testing.B) (server, client duplex) {
	b.Helper()
	fromClient, toServer, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	fromServer, toClient, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	return duplex{fromClient, toClient, []io.Closer{fromClient, toClient}},
		duplex{fromServer, toServer, []io.Closer{fromServer, toServer}}
}

// watched is a core that tells when it has applied a document notification.
type watched struct {
	core
	applied chan bool
}

type watchedDocuments struct {
	documents
	applied chan bool
}

func (w watched) Attach(e session.Editor, roots []string) documents {
	return watchedDocuments{w.core.Attach(e, roots), w.applied}
}

func (w watchedDocuments) Apply(m buffers.Modification) {
	w.documents.Apply(m)
	w.applied <- true
}

type noAgents struct{}

func (noAgents) Catalog() []session.AgentEntry { return nil }

func (noAgents) Start(context.Context, string, string, session.Host) (session.Agent, error) {
	return nil, session.Errorf(session.KindUnknownAgent, "there are no agents here")
}

func framed(body string) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// BenchmarkKeystroke measures from the write of a framed didChange to an OS pipe
// until the document is visible to everybody, beside the time in which the same
// bytes go through such a pipe; in turns, in one run. The metrics are the
// quotients. A typed key finds its reader asleep, both here and in the anchor; in
// a burst it finds it awake, and what is left is work alone.
func BenchmarkKeystroke(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("typed/%dkB", size>>10), func(b *testing.B) { benchmarkKeystroke(b, size, 200*time.Microsecond) })
		b.Run(fmt.Sprintf("burst/%dkB", size>>10), func(b *testing.B) { benchmarkKeystroke(b, size, 0) })
	}
}

func benchmarkKeystroke(b *testing.B, size int, pause time.Duration) {
	real := session.New(session.Options{Launcher: noAgents{}, Settings: config.Default})
	defer func() { _ = real.Close(context.Background()) }()
	applied := make(chan bool, 1)
	server, client := osPipes(b)
	done := make(chan error, 1)
	go func() {
		done <- serve(context.Background(), server, watched{realCore{real}, applied}, Options{Settings: config.Default})
	}()
	go func() { _, _ = io.Copy(io.Discard, client) }()
	send := func(p []byte) {
		if _, err := client.Write(p); err != nil {
			b.Fatal(err)
		}
	}
	send(framed(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"general":{"positionEncodings":["utf-8"]}}}}`))
	line := "\\tif err := run(ctx, \\\"a\\\", 1234); err != nil { return err } // é 😀\\n"
	text := strings.Repeat(line, size/(len(line)-4)+1)
	lines := strings.Count(text, `\n`)
	uri := buffers.PathURI(b.TempDir()) + "/big.go"
	send(framed(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"` + uri + `","languageId":"go","version":1,"text":"` + text + `"}}}`))
	<-applied

	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	sizes, arrived := make(chan int, 1), make(chan bool, 1)
	go func() {
		buf := make([]byte, 1<<16)
		for n := range sizes {
			_, _ = io.ReadFull(in, buf[:n]) // the pipe is ours
			arrived <- true
		}
	}()
	var raw, whole []time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		at := (i * 7919) % lines
		change := framed(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"%s","version":%d},"contentChanges":[{"range":{"start":{"line":%d,"character":4},"end":{"line":%d,"character":4}},"text":"x"}]}}`, uri, i+2, at, at))
		sizes <- len(change)
		time.Sleep(pause)
		start := time.Now()
		if _, err := out.Write(change); err != nil {
			b.Fatal(err)
		}
		<-arrived
		raw = append(raw, time.Since(start))

		time.Sleep(pause)
		start = time.Now()
		send(change)
		<-applied
		whole = append(whole, time.Since(start))
	}
	b.StopTimer()
	quotients(b, whole, raw)
	close(sizes)
	_ = client.Close()
	<-done
}

func quotients(b *testing.B, ours, anchor []time.Duration) {
	slices.Sort(ours)
	slices.Sort(anchor)
	at := func(d []time.Duration, q float64) float64 { return float64(d[int(q*float64(len(d)-1))]) }
	b.ReportMetric(at(anchor, .5), "raw-p50-ns")
	b.ReportMetric(at(ours, .5), "p50-ns")
	b.ReportMetric(at(ours, .5)/at(anchor, .5), "p50/raw")
	b.ReportMetric(at(ours, .99)/at(anchor, .99), "p99/raw")
}

// BenchmarkChunks measures 10,000 chunks of an answer from Editor.Chunk to the
// other end of an OS pipe, beside a loop that copies the same chunks, each
// written by itself, from one pipe to another as cat does.
func BenchmarkChunks(b *testing.B) {
	const n = 10_000
	text := strings.Repeat("word ", 8) // 40 bytes
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_0123456789","update":{"sessionUpdate":"agent_message_chunk","messageId":"msg_0123456789","content":{"type":"text","text":"` + text + `"}}}}` + "\n")
	server, client := osPipes(b)
	done := make(chan error, 1)
	c := newFakeCore()
	go func() { done <- serve(context.Background(), server, c, Options{Settings: config.Default}) }()
	init := framed(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"experimental":{"acp":{"session":true}}}}}`)
	init = append(init, framed(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)...)
	if _, err := client.Write(init); err != nil {
		b.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, bufio.NewReaderSize(client, 128<<10)) }()
	e := (<-c.attached).(*editor)

	var ours, cats []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		cat(b, line, n)
		cats = append(cats, time.Since(start))

		start = time.Now()
		forward(b, line, n, func() { e.Chunk("s", "e1", text) })
		e.out.flush(context.Background(), "s")
		ours = append(ours, time.Since(start))
	}
	slices.Sort(ours)
	slices.Sort(cats)
	b.ReportMetric(float64(cats[len(cats)/2])/float64(ours[len(ours)/2]), "throughput/cat")
	b.ReportMetric(float64(ours[len(ours)/2])/n, "ns/chunk")
	_ = client.Close()
	<-done
}

// forward writes lines to a pipe, one by one, and calls f for each on the other
// side.
func forward(b *testing.B, line []byte, n int, f func()) {
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	go produce(out, line, n)
	lines := bufio.NewReaderSize(in, 128<<10)
	for range n {
		if _, err := lines.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
		f()
	}
	_ = in.Close()
}

func produce(out *os.File, line []byte, n int) {
	for range n {
		_, _ = out.Write(line) // the reader notices what is missing
	}
	_ = out.Close()
}

func cat(b *testing.B, line []byte, n int) {
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	sink, copied, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	go produce(out, line, n)
	drained := make(chan bool)
	go func() { _, _ = io.Copy(io.Discard, sink); close(drained) }()
	buf := make([]byte, 128<<10)
	for {
		k, err := in.Read(buf)
		if k > 0 {
			_, _ = copied.Write(buf[:k]) // the pipe is ours
		}
		if err != nil {
			break
		}
	}
	_ = copied.Close()
	<-drained
	_ = in.Close()
	_ = sink.Close()
}
