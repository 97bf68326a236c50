package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkPaced is what is added to the way of a chunk that an agent sends each 10 ms,
// from its write until the editor has read it, by everything there is of us. The anchor is
// the way itself: such a chunk read from the pipe of such an agent, which runs at the same
// time, 5 ms behind.
func BenchmarkPaced(b *testing.B) {
	const n = 100
	e := newEditor(b, `{"session":true}`)
	e.command("acp.session.new", `{}`)
	c := newCat(b)
	line := results.compare(comparison{name: "added to a chunk, 100 a second", anchor: "its way through a raw pipe", aim: goal{p99: 3}})
	for b.Loop() {
		raw := make(chan []time.Duration, 1)
		go func() { raw <- c.paced(fmt.Sprintf("pace %d 5ms", n), n) }()
		whole := paced(b, e, fmt.Sprintf("pace %d 0s", n), n)
		for i, base := range <-raw {
			line.round(max(whole[i]-base, 0), base)
		}
	}
	line.report(b)
}

// since takes the times out of chunks that tell when they were sent.
func since(b *testing.B, took []time.Duration, text string) []time.Duration {
	b.Helper()
	now := time.Now()
	for _, sent := range strings.Fields(text) {
		ns, err := strconv.ParseInt(sent, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, now.Sub(time.Unix(0, ns)))
	}
	return took
}

func paced(b *testing.B, e *editor, prompt string, n int) (took []time.Duration) {
	b.Helper()
	last := e.request("workspace/executeCommand", `{"command":"acp.prompt","arguments":[{"wait":true,"text":`+quote(prompt)+`}]}`)
	for {
		body := e.read()
		if bytes.HasPrefix(body, last) {
			break
		}
		var m struct {
			Method string
			Params struct {
				Text  string
				Entry struct{ Kind, Text string }
			}
		}
		if err := json.Unmarshal(body, &m); err != nil {
			b.Fatal(err)
		}
		switch {
		case m.Method == "acp/chunk":
			took = since(b, took, m.Params.Text)
		case m.Method == "acp/entry" && m.Params.Entry.Kind == "agent" && len(took) == 0:
			took = since(b, took, m.Params.Entry.Text)
		}
	}
	if len(took) != n {
		b.Fatalf("the editor has %d chunks of %d", len(took), n)
	}
	return took
}

// paced returns how long each chunk took to the reader.
func (c *cat) paced(prompt string, n int) (took []time.Duration) {
	c.ask(prompt)
	for {
		k, err := c.agent.Stdout.Read(c.buf)
		if err != nil {
			c.b.Error(err)
			return nil
		}
		now := time.Now()
		for _, line := range bytes.SplitAfter(c.buf[:k], []byte("\n")) {
			if _, rest, ok := bytes.Cut(line, []byte(`"text":"`)); ok {
				ns, err := strconv.ParseInt(string(rest[:19]), 10, 64)
				if err != nil {
					c.b.Error(err)
				}
				took = append(took, now.Sub(time.Unix(0, ns)))
			}
			if bytes.Equal(line, []byte(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`+"\n")) {
				if len(took) != n {
					c.b.Errorf("%d chunks of %d", len(took), n)
				}
				return took
			}
		}
	}
}
