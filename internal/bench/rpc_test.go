package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/acpclient/wire"
)

// BenchmarkCall is a call and its answer, of about 200 bytes, over pipes of the
// operating system: between two of our connections to agents, and from an editor
// to our server and back. The anchor is the same bytes there and back.
func BenchmarkCall(b *testing.B) {
	b.Run("agent", func(b *testing.B) {
		in, peerOut := pipe(b)
		peerIn, out := pipe(b)
		peer := wire.NewConn(peerIn, peerOut, wire.StreamOptions{})
		peer.Start(echo{})
		conn := wire.NewConn(in, out, wire.StreamOptions{})
		conn.Start(wire.Unimplemented{})
		params := jsontext.Value(`{"sessionId":"` + sessionID + `","text":"` + strings.Repeat("word ", 20) + `"}`)
		call := func() {
			res, err := wire.Call[jsontext.Value](context.Background(), conn, "_bench/echo", params)
			if err != nil || string(*res) != `{"ok":true}` {
				b.Fatalf("call: %s, %v", *res, err)
			}
		}
		calls(b, "call of 200 B, NDJSON to an agent", call,
			len(`{"jsonrpc":"2.0","id":12345,"method":"_bench/echo","params":}`)+len(params)+1,
			len(`{"jsonrpc":"2.0","id":12345,"result":{"ok":true}}`)+1)
		_ = conn.Close()
		_ = peer.Close()
	})
	b.Run("editor", func(b *testing.B) {
		e := newEditor(b, `{}`)
		uri := "file://" + e.root + "/" + strings.Repeat("name", 10) + ".go"
		params := `{"textDocument":{"uri":"` + uri + `"},"position":{"line":1,"character":1}}`
		var asked, answered int
		call := func() {
			before := e.sent
			answer := e.request("textDocument/hover", params)
			body := e.read()
			if string(body) != string(answer)+`"result":null}` {
				b.Fatalf("hover: %s", body)
			}
			asked, answered = int(e.sent-before), len(framed(string(body)))
		}
		call()
		calls(b, "call of 200 B, LSP from an editor", call, asked, answered)
	})
}

// calls compares call with asked bytes there and answered bytes back.
func calls(b *testing.B, name string, call func(), asked, answered int) {
	there, peerOut := pipe(b)
	peerIn, back := pipe(b)
	go func() {
		buf := make([]byte, asked)
		for {
			if _, err := io.ReadFull(there, buf); err != nil {
				_ = there.Close()
				_ = back.Close()
				return
			}
			_, _ = back.Write(buf[:answered]) // who reads notices what is missing
		}
	}()
	defer func() { _ = peerOut.Close() }()
	buf := make([]byte, asked)
	c := results.compare(comparison{name: name, anchor: "raw pipes, same bytes", aim: goal{p50: 1.3, p99: 2}})
	for range 100 {
		call()
	}
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if _, err := peerOut.Write(buf); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(peerIn, buf[:answered]); err != nil {
			b.Fatal(err)
		}
		base := time.Since(start)

		start = time.Now()
		call()
		c.round(time.Since(start), base)
	}
	c.report(b)
}

type echo struct{ wire.Unimplemented }

func (echo) ExtRequest(context.Context, string, jsontext.Value) (any, error) {
	return jsontext.Value(`{"ok":true}`), nil
}

// BenchmarkWrite is the time from the write of an fs/write_text_file of 5 MB to
// the agent's pipe until its text is decoded. The anchor reads the same bytes.
func BenchmarkWrite(b *testing.B) {
	content := strings.Repeat("\tif err := run(ctx, \"a\", 1234); err != nil { return err } // é 😀\n", 5<<20/66)
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"sessionId":"%s","path":"/big.go","content":%s}}`+"\n",
		sessionID, quote(content))
	agentOut, agentIn := widePipe(b)
	answers, answersOut := pipe(b)
	go func() { _, _ = io.Copy(io.Discard, answers) }()
	w := writes{arrived: make(chan string, 1)}
	conn := wire.NewConn(agentOut, answersOut, wire.StreamOptions{})
	conn.Start(w)
	in, out := widePipe(b)
	buf := make([]byte, len(line))
	c := results.compare(comparison{name: "fs/write_text_file of 5 MB, pipe to text", anchor: "raw pipe, same bytes", aim: goal{p50: 6}})
	bytes := results.compare(comparison{name: "bytes allocated for it", anchor: "bytes of the text", unit: memory, aim: goal{p50: 2.2}})

	send := func(to *os.File) {
		if _, err := to.Write(line); err != nil {
			b.Error(err)
		}
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		start := time.Now()
		go send(out)
		if _, err := io.ReadFull(in, buf); err != nil {
			b.Fatal(err)
		}
		base := time.Since(start)

		before := allocated()
		start = time.Now()
		go send(agentIn)
		got := <-w.arrived
		c.round(time.Since(start), base)
		bytes.count(allocated()-before, float64(len(content)))
		if got != content {
			b.Fatalf("%d bytes of %d arrived", len(got), len(content))
		}
	}
	c.report(b)
	_ = agentIn.Close()
	_ = conn.Close()
	_ = answers.Close()
	_ = out.Close()
	_ = in.Close()
}

type writes struct {
	wire.Unimplemented
	arrived chan string
}

func (w writes) WriteTextFile(_ context.Context, r *wire.WriteTextFileRequest) (wire.WriteTextFileResponse, error) {
	w.arrived <- r.Content
	return wire.WriteTextFileResponse{}, nil
}
