package wire

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
)

// hear returns what a handler is told of lines, and how often something was
// reported, when one connection reads them all.
func hear(t *testing.T, lines ...string) (got []string, reports int) {
	t.Helper()
	h := &heard{}
	c := NewConn(io.NopCloser(strings.NewReader(strings.Join(lines, "\n"))), nopWriteCloser{}, StreamOptions{Report: func(Report) { reports++ }})
	c.Start(h)
	<-c.Done()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return h.got, reports
}

// A line that is read because it is like one before it is read as it would be on a
// connection of its own.
func FuzzAlike(f *testing.F) {
	const (
		head = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"`
		tail = `"}}}}`
	)
	other := strings.NewReplacer(`"s"`, `"s2"`, `"m"`, `"m2"`).Replace(head)
	thought := strings.Replace(head, "agent_message", "agent_thought", 1)
	reversed := `{"params":{"update":{"content":{"text":"`
	reversedTail := `","type":"text"},"sessionUpdate":"agent_message_chunk"},"sessionId":"s"},"method":"session/update","jsonrpc":"2.0"}`
	for _, second := range []string{
		head + "b" + tail, head + tail, head + `\"` + tail, head + `\\` + tail, head + `\\\"` + tail, head + `\` + tail, head + `\ud83d\ude00\ud83d` + tail,
		head + `\x` + tail, head + "\xff\xc3" + tail, head + "\t" + tail, head + tail + tail, head + `","x":"` + tail, head + "\uFEFF" + tail,
		head + `"},"content":{"type":"text","text":"` + tail, head + `"}}},"method":"x","params":{"sessionId":{"a":{"b":"` + tail, head + "a" + tail + " " + head + "b" + tail,
		"\uFEFF  " + head + "b" + tail + "  \r", "noise " + head + "b" + tail, head + "b" + tail + " noise", head[:len(head)-1] + tail, head + "b" + tail[1:], head + "b" + tail[:4],
		other + "b" + tail, thought + "b" + tail, reversed + "b" + reversedTail, head + "b" + reversedTail, reversed + "b" + tail, head, tail, "",
		strings.Replace(head, `"params"`, `"id":1,"params"`, 1) + "b" + tail, strings.Replace(head, "session/update", "session\\/update", 1) + "b" + tail,
		strings.Replace(head, `"type":"text"`, `"type":"text","new":1`, 1) + "b" + tail, strings.Replace(head, `"s"`, `"\u0073"`, 1) + "b" + tail,
	} {
		f.Add(head+"a"+tail, second)
		f.Add(reversed+"a"+reversedTail, second)
		f.Add(second, head+"a"+tail)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		if strings.Contains(first+second, "\n") {
			t.Skip("these are not two lines")
		}
		var want []string
		wantReports := 0
		lines := []string{first, second, second, first, second}
		for _, line := range lines {
			got, reports := hear(t, line)
			want = append(want, got...)
			wantReports += reports
		}
		if got, reports := hear(t, lines...); !slices.Equal(got, want) || reports != wantReports {
			t.Errorf("%q are\n%q with %d reports, each by itself\n%q with %d", lines, got, reports, want, wantReports)
		}
	})
}

// A handler that panics costs its chunk and not those that are like it.
func TestPanicInALineAlike(t *testing.T) {
	h := &onceIn2{}
	panics := 0
	line := chunkLine(1) + "\n"
	c := NewConn(io.NopCloser(strings.NewReader(strings.Repeat(line, 6))), nopWriteCloser{}, StreamOptions{Report: func(r Report) {
		if r.Problem == Panicked && r.Method == MethodUpdate {
			panics++
		}
	}})
	c.Start(h)
	<-c.Done()
	if h.n != 6 || panics != 3 {
		t.Errorf("%d chunks were handed on, %d of them with a panic, want 6 and 3", h.n, panics)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

type onceIn2 struct {
	Unimplemented
	n int
}

func (o *onceIn2) SessionUpdate(context.Context, string, Update) {
	if o.n++; o.n%2 == 0 {
		panic("every other one")
	}
}
