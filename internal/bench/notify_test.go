package bench

import (
	"context"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/acpclient/wire"
)

// notes is how many notifications one round sends in a row.
const notes = 1000

// BenchmarkNotify is a notification of about 200 bytes over a pipe of the operating system,
// one of a thousand in a row: what an agent writes, until a handler has it; what we write,
// until it is out of the pipe; and from an editor to our server. The anchor is the same
// bytes in as many writes.
func BenchmarkNotify(b *testing.B) {
	const params = `{"sessionId":"` + sessionID + `","text":"word word word word word word word word word word word word word word word word "}`
	const note = `{"jsonrpc":"2.0","method":"_bench/note","params":` + params + "}\n"
	b.Run("from agent", func(b *testing.B) {
		in, agentOut := pipe(b)
		answers, out := pipe(b)
		counted := &counter{all: make(chan struct{}, 1)}
		conn := wire.NewConn(in, out, wire.StreamOptions{})
		conn.Start(counted)
		notified(b, "notification of 200 B from an agent", []byte(note), func() {
			for range notes {
				if _, err := agentOut.WriteString(note); err != nil {
					b.Fatal(err)
				}
			}
			<-counted.all
		})
		_ = agentOut.Close()
		_ = conn.Close()
		_ = answers.Close()
	})
	b.Run("to agent", func(b *testing.B) {
		in, agentOut := pipe(b)
		agent := newHop(b)
		conn := wire.NewConn(in, agent.out, wire.StreamOptions{})
		conn.Start(wire.Unimplemented{})
		notified(b, "notification of 200 B to an agent", []byte(note), func() {
			agent.size.Store(notes * int64(len(note)))
			for range notes {
				if err := conn.Notify(context.Background(), "_bench/note", jsontext.Value(params)); err != nil {
					b.Fatal(err)
				}
			}
			<-agent.arrived
		})
		_ = conn.Close()
		_ = agentOut.Close()
	})
	b.Run("editor", func(b *testing.B) {
		e := newEditor(b, `{}`)
		go func() { _, _ = io.Copy(io.Discard, e.in) }()
		frame := notification("$/setTrace", `{"value":"off","note":"`+strings.Repeat("word ", 20)+`"}`)
		notified(b, "notification of 200 B from an editor", frame, func() {
			for range notes {
				e.send(frame)
			}
			e.await()
		})
	})
}

func notified(b *testing.B, name string, bytes []byte, ours func()) {
	raw := newHop(b)
	line := results.compare(comparison{name: name, anchor: "raw pipe, same bytes", aim: goal{p50: 1.5}})
	made := results.compare(comparison{name: "allocations of a " + name, unit: number, aim: goal{most: 2}})
	ours()
	for b.Loop() {
		start := time.Now()
		raw.burst(bytes, notes)
		base := time.Since(start)

		before := mallocs()
		start = time.Now()
		ours()
		line.round(time.Since(start)/notes, base/notes)
		made.count(math.Round((mallocs() - before) / notes))
	}
	line.report(b)
}

// counter tells when it has had as many notifications as one round sends.
type counter struct {
	wire.Unimplemented
	had atomic.Int64
	all chan struct{}
}

func (c *counter) ExtNotification(context.Context, string, jsontext.Value) {
	if c.had.Add(1)%notes == 0 {
		c.all <- struct{}{}
	}
}
