package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
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
	made := results.compare(comparison{name: "allocations of a chunk, the editor's too", unit: number, aim: goal{most: 2}})
	c.run(prompt)
	_, _ = answer(b, e, prompt, n)
	for b.Loop() {
		start := time.Now()
		c.run(prompt)
		base := time.Since(start)
		took, objects := answer(b, e, prompt, n)
		line.round(took, base)
		made.count(math.Round(objects / n))
	}
	line.report(b)
}

// answer returns the time until a prompt is answered and how many objects were allocated
// meanwhile, and fails unless the editor has all the text of the answer by then.
func answer(b *testing.B, e *editor, prompt string, chunks int) (took time.Duration, objects float64) {
	b.Helper()
	before := mallocs()
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
	took = time.Since(start)
	objects = mallocs() - before

	text := 0
	for _, body := range bodies {
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			b.Fatal(err)
		}
		if m.Error != nil {
			b.Fatalf("prompt: %s", m.Error)
		}
		text = textOf(b, m, text)
	}
	if want := chunks * len(chunkText); text != want {
		b.Fatalf("the editor has %d bytes of the answer, not %d, in %d messages", text, want, len(bodies))
	}
	return took, objects
}

// textOf is how much of an answer the editor has after a message, in bytes, if it had so
// much before.
func textOf(b *testing.B, m message, before int) int {
	b.Helper()
	if m.Method != "acp/chunk" && m.Method != "acp/entry" {
		return before
	}
	var p struct {
		Text  string
		Entry struct{ Kind, Text string }
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		b.Fatal(err)
	}
	switch {
	case m.Method == "acp/chunk":
		return before + len(p.Text)
	case p.Entry.Kind == "agent":
		return len(p.Entry.Text) // the entry as it is now
	}
	return before
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

func (c *cat) ask(prompt string) {
	if _, err := fmt.Fprintf(c.agent.Stdin, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"%s","prompt":[{"type":"text","text":%s}]}}`+"\n",
		sessionID, quote(prompt)); err != nil {
		c.b.Fatal(err)
	}
}

func (c *cat) run(prompt string) {
	c.ask(prompt)
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
