package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"acp-ls/acpclient/proc"
)

// BenchmarkChunks is the time from a prompt until the editor has its answer,
// which comes in 10,000 chunks: out of the agent's pipe, through acpclient, the
// core and the bridge, into the editor's pipe. The anchor is what cat does: a
// loop of reads and writes of 128 kB that passes on the same bytes of the same
// agent.
func BenchmarkChunks(b *testing.B) {
	const n = 10_000
	prompt := fmt.Sprintf("chunks %d", n)
	e := newEditor(b, `{"session":true}`)
	e.command("acp.session.new", `{}`)
	c := newCat(b)
	line := results.compare(comparison{name: "10,000 chunks, agent to editor", anchor: "cat of the same bytes",
		now: goal{p50: 2}, aim: goal{p50: 1.11}})
	c.run(prompt)
	answer(b, e, prompt, n)
	for b.Loop() {
		start := time.Now()
		c.run(prompt)
		base := time.Since(start)
		line.round(answer(b, e, prompt, n), base)
	}
	line.report(b)
}

// answer returns the time until a prompt is answered, and fails unless the editor
// has all the text of the answer by then.
func answer(b *testing.B, e *editor, prompt string, chunks int) time.Duration {
	b.Helper()
	start := time.Now()
	last := e.request("workspace/executeCommand", `{"command":"acp.prompt","arguments":[{"wait":true,"text":`+quote(prompt)+`}]}`)
	var bodies [][]byte
	for {
		body := e.read()
		bodies = append(bodies, body)
		if bytes.HasPrefix(body, last) {
			break
		}
	}
	took := time.Since(start)

	var text strings.Builder
	for _, body := range bodies {
		var m struct {
			Method string
			Params struct {
				Text  string
				Entry struct{ ID, Kind, Text string }
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal(body, &m); err != nil {
			b.Fatal(err)
		}
		switch {
		case m.Error != nil:
			b.Fatalf("prompt: %s", m.Error)
		case m.Method == "acp/chunk":
			text.WriteString(m.Params.Text)
		case m.Method == "acp/entry" && m.Params.Entry.Kind == "agent":
			text.Reset() // the entry as it is now
			text.WriteString(m.Params.Entry.Text)
		}
	}
	if got, want := text.Len(), chunks*len(chunkText); got != want {
		b.Fatalf("the editor has %d bytes of the answer, not %d, in %d messages", got, want, len(bodies))
	}
	return took
}

// cat is an agent whose output is passed on as it is.
type cat struct {
	b     *testing.B
	agent *proc.Process
	out   *os.File
	buf   []byte
	whole chan struct{} // an answer has reached the other end
}

func newCat(b *testing.B) *cat {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	p, err := proc.Start(proc.Command{Path: self, Stdin: true, AddEnv: map[string]string{agentVariable: "yes"}})
	if err != nil {
		b.Fatal(err)
	}
	in, out := pipe(b)
	c := &cat{b: b, agent: p, out: out, buf: make([]byte, 128<<10), whole: make(chan struct{}, 1)}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		buf := make([]byte, 128<<10)
		for {
			k, err := in.Read(buf)
			if err != nil {
				return
			}
			if bytes.HasSuffix(buf[:k], answered) {
				c.whole <- struct{}{}
			}
		}
	}()
	b.Cleanup(func() {
		p.Stop(b.Context())
		_ = p.Stdout.Close()
		_ = out.Close()
		<-drained
		_ = in.Close()
	})
	return c
}

var answered = []byte(`"end_turn"}}` + "\n")

func (c *cat) run(prompt string) {
	if _, err := fmt.Fprintf(c.agent.Stdin, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"%s","prompt":[{"type":"text","text":%s}]}}`+"\n",
		sessionID, quote(prompt)); err != nil {
		c.b.Fatal(err)
	}
	for {
		k, err := c.agent.Stdout.Read(c.buf)
		if err != nil {
			c.b.Fatal(err)
		}
		if _, err := c.out.Write(c.buf[:k]); err != nil {
			c.b.Fatal(err)
		}
		if bytes.HasSuffix(c.buf[:k], answered) {
			break
		}
	}
	<-c.whole
}
