package lspbridge

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"acp-ls/internal/session"
)

// reader is an editor that reads what an outbox writes, when it is let.
type reader struct {
	mu   sync.Mutex
	gate chan struct{} // not nil: reading waits
	got  []written
}

type written struct {
	node
	at time.Time
}

func (r *reader) write(n *node) {
	r.mu.Lock()
	gate := r.gate
	r.mu.Unlock()
	if gate != nil {
		<-gate
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, written{*n, time.Now()})
}

func (r *reader) stall() (resume func()) {
	gate := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = gate
	return func() {
		r.mu.Lock()
		r.gate = nil
		r.mu.Unlock()
		close(gate)
	}
}

// words says what was written, one word for each.
func (r *reader) words() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, w := range r.got {
		out = append(out, word(&w.node))
	}
	return strings.Join(out, " ")
}

func word(n *node) string {
	switch n.kind {
	case infoNode:
		return "state:" + string(n.info.State) + n.info.Title
	case entryNode:
		return "entry:" + n.entry.ID + "=" + n.entry.Text
	case chunkNode:
		return "chunk:" + n.id + "+" + string(n.text)
	case terminalNode:
		s := "terminal:" + n.id + "+" + string(n.text)
		if n.exit != nil {
			s += "!"
		}
		return s
	case reviewNode:
		return "review:" + n.review.URI + "@" + n.review.Rev
	}
	return n.id
}

// withOutbox runs f with an outbox in a bubble of its own time.
func withOutbox(t *testing.T, f func(t *testing.T, o *outbox, r *reader)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &reader{}
		o := newOutbox(r.write)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() { o.run(ctx); close(done) }()
		f(t, o, r)
		cancel()
		<-done
	})
}

func entryOf(id, text string) session.Entry { return session.Entry{ID: id, Text: text} }

func infoOf(state, title string) session.Info {
	return session.Info{Session: "s", State: session.State(state), Title: title}
}

func TestOutboxWritesAtOnceWhenIdle(t *testing.T) {
	withOutbox(t, func(t *testing.T, o *outbox, r *reader) {
		start := time.Now()
		o.info(infoOf("running", ""))
		synctest.Wait()
		o.entry("s", entryOf("e", ""))
		synctest.Wait()
		o.chunk("s", "f", "a")
		o.review(session.Review{URI: "u", Rev: "1"})
		o.message("hello", nil)
		synctest.Wait()
		if got := len(r.got); got != 5 || time.Since(start) != 0 {
			t.Errorf("%d written after %v: %s", got, time.Since(start), r.words())
		}
	})
}

// At most 30 notifications a second about one entry, everything in them, and no
// chunk waits longer than the pace.
func TestOutboxPace(t *testing.T) {
	withOutbox(t, func(t *testing.T, o *outbox, r *reader) {
		start := time.Now()
		var want [2]strings.Builder
		for i := range 3000 {
			text := fmt.Sprintf("%d,", i)
			id := i % 2
			want[id].WriteString(text)
			o.chunk("s", fmt.Sprint(id), text)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(pace)
		synctest.Wait()
		var got [2]strings.Builder
		var last [2]time.Time
		var count [2]int
		for _, w := range r.got {
			id := int(w.id[0] - '0')
			got[id].Write(w.text)
			if d := w.at.Sub(last[id]); d < pace {
				t.Fatalf("entry %d was written again after %v", id, d)
			} else if count[id] > 0 && d > pace+2*time.Millisecond {
				t.Fatalf("entry %d was written only after %v", id, d)
			}
			last[id] = w.at
			count[id]++
		}
		for id := range 2 {
			if got[id].String() != want[id].String() {
				t.Errorf("entry %d has another text", id)
			}
			if limit := int(time.Since(start)/pace) + 1; count[id] > limit || count[id] < limit*9/10 {
				t.Errorf("entry %d was written %d times in %v", id, count[id], time.Since(start))
			}
		}
	})
}

// A change of state is told at once, what trickles at the pace.
func TestOutboxPaceOfState(t *testing.T) {
	withOutbox(t, func(t *testing.T, o *outbox, r *reader) {
		for i := range 100 {
			o.info(infoOf("running", fmt.Sprint(i)))
			time.Sleep(time.Millisecond)
		}
		o.info(infoOf("idle", ""))
		synctest.Wait()
		if got := r.words(); got != "state:running0 state:running33 state:running66 state:idle" {
			t.Error(got)
		}
	})
}

// While the editor does not read, what it is told is joined and replaced, and
// what waits stays small.
func TestOutboxStalled(t *testing.T) {
	for _, tt := range []struct {
		name string
		tell func(o *outbox)
		want string
	}{
		{"chunks are joined", func(o *outbox) {
			o.chunk("s", "a", "1")
			o.chunk("s", "b", "2")
			o.chunk("s", "a", "3")
		}, "chunk:a+13 chunk:b+2"},
		{"the state is replaced and overtakes nothing", func(o *outbox) {
			o.info(infoOf("running", ""))
			o.chunk("s", "a", "1")
			o.info(infoOf("waiting", ""))
			o.chunk("s", "a", "2")
			o.info(infoOf("idle", ""))
			o.chunk("s", "a", "3")
		}, "chunk:a+12 state:idle chunk:a+3"},
		{"an entry's first value keeps its place", func(o *outbox) {
			o.entry("s", entryOf("x", "1"))
			o.entry("s", entryOf("y", "1"))
			o.entry("s", entryOf("x", "2"))
			o.entry("s", entryOf("y", "2"))
			o.entry("s", entryOf("x", "3"))
		}, "entry:x=1 entry:y=1 entry:y=2 entry:x=3"},
		{"an entry is replaced where it is last", func(o *outbox) {
			o.entry("s", entryOf("x", "1"))
			o.entry("s", entryOf("x", "2"))
		}, "entry:x=2"},
		{"chunks do not move over an entry", func(o *outbox) {
			o.entry("s", entryOf("x", ""))
			o.chunk("s", "x", "1")
			o.entry("s", entryOf("t", ""))
			o.chunk("s", "x", "2")
			o.entry("s", entryOf("t", "done"))
			o.chunk("s", "x", "3")
			o.entry("s", entryOf("t", "really"))
		}, "entry:x= chunk:x+1 entry:t= chunk:x+23 entry:t=really"},
		{"a terminal is joined, with its end", func(o *outbox) {
			o.terminal(session.TerminalOutput{Session: "s", Terminal: "t", Output: "1"})
			o.chunk("s", "t", "x")
			o.terminal(session.TerminalOutput{Session: "s", Terminal: "t", Output: "2", Exit: &session.TerminalExit{}})
		}, "terminal:t+12! chunk:t+x"},
		{"a review is replaced", func(o *outbox) {
			o.review(session.Review{URI: "a", Rev: "1"})
			o.review(session.Review{URI: "b", Rev: "1"})
			o.review(session.Review{URI: "a", Rev: "2"})
		}, "review:a@2 review:b@1"},
		{"messages are kept", func(o *outbox) {
			o.message("one", nil)
			o.message("two", nil)
			o.message("one", nil)
		}, "one two one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			withOutbox(t, func(t *testing.T, o *outbox, r *reader) {
				resume := r.stall()
				o.message("stuck", nil)
				synctest.Wait()
				tt.tell(o)
				resume()
				time.Sleep(time.Second)
				if got := strings.TrimPrefix(r.words(), "stuck "); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
			})
		})
	}
}

func TestFlush(t *testing.T) {
	withOutbox(t, func(t *testing.T, o *outbox, r *reader) {
		o.flush(t.Context(), "s") // nothing there
		o.chunk("s", "a", "1")
		synctest.Wait()
		start := time.Now()
		o.chunk("s", "a", "2") // the pace would hold it back
		o.info(infoOf("running", ""))
		o.flush(t.Context(), "s")
		if got := r.words(); got != "chunk:a+1 chunk:a+2 state:running" || time.Since(start) != 0 {
			t.Errorf("after %v: %s", time.Since(start), got)
		}

		resume := r.stall()
		o.chunk("s", "a", "3")
		flushed := make(chan bool)
		time.Sleep(pace)
		synctest.Wait() // the writer is stuck with it
		o.chunk("s", "a", "4")
		o.info(infoOf("waiting", ""))
		go func() { o.flush(t.Context(), "s"); close(flushed) }()
		synctest.Wait()
		// What comes later replaces nothing that is to be written before.
		o.info(infoOf("idle", ""))
		o.entry("s", entryOf("a", "1234"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o.flush(ctx, "s") // gives up at once
		select {
		case <-flushed:
			t.Fatal("flushed although nothing was read")
		default:
		}
		resume()
		<-flushed
		if got := r.words(); !strings.Contains(got, "chunk:a+3 chunk:a+4 state:waiting") {
			t.Error(got)
		}
		time.Sleep(time.Second)
		if got := r.words(); !strings.HasSuffix(got, "state:waiting state:idle entry:a=1234") {
			t.Error(got)
		}
	})
}

func TestOutboxEndLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{}
		o := newOutbox(r.write)
		ctx, cancel := context.WithCancel(t.Context())
		resume := r.stall()
		go o.run(ctx)
		o.chunk("s", "a", "1")
		done := make(chan bool)
		go func() { o.flush(context.Background(), "s"); close(done) }()
		synctest.Wait()
		cancel()
		resume()
		<-done
		o.flush(context.Background(), "s")
		o.chunk("s", "a", "2")
		o.info(session.Info{})
		synctest.Wait()
	})
}

// transcript is what an editor makes of what it reads.
type transcript struct {
	state string
	order []string
	text  map[string]string
}

func (tr *transcript) read(n *node) error {
	switch n.kind {
	case infoNode:
		tr.state = string(n.info.State)
	case entryNode:
		if _, ok := tr.text[n.entry.ID]; !ok {
			tr.order = append(tr.order, n.entry.ID)
		}
		tr.text[n.entry.ID] = n.entry.Text
	case chunkNode:
		if _, ok := tr.text[n.id]; !ok {
			return fmt.Errorf("chunk of entry %s, which is not there", n.id)
		}
		tr.text[n.id] += string(n.text)
	}
	return nil
}

// Whatever is told and whenever the editor reads: its transcript is in the end
// the one that was told, at every moment the beginning of what was told, and
// what waits is bounded by the entries, not by the number of things told.
func TestOutboxKeepsTheTranscript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(0, 0)
		seen := transcript{text: map[string]string{}}
		told := transcript{text: map[string]string{}}
		o := newOutbox(nil)
		o.now = func() time.Time { return now }
		read := func() bool {
			n, _ := o.take()
			if n == nil {
				return false
			}
			if err := seen.read(n); err != nil {
				t.Fatal(err)
			}
			for i, id := range seen.order {
				if told.order[i] != id {
					t.Fatalf("entries are read in the order %v, told in %v", seen.order, told.order)
				}
			}
			for id, text := range seen.text {
				if !strings.HasPrefix(told.text[id], text) {
					t.Fatalf("entry %s reads %q, told %q", id, text, told.text[id])
				}
			}
			return true
		}
		ids := []string{"a", "b", "c", "d"}
		for i := range rapid.IntRange(0, 200).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "entry")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				n := &node{kind: infoNode, info: infoOf(fmt.Sprint(i), "")}
				_ = told.read(n) // a state is never wrong
				o.info(n.info)
			case 1, 2:
				n := &node{kind: entryNode, entry: entryOf(id, told.text[id])} // the whole of it so far
				_ = told.read(n)                                               // nor is an entry
				o.entry("s", n.entry)
			case 3, 4, 5, 6:
				if _, ok := told.text[id]; ok {
					text := fmt.Sprintf("%d,", i)
					told.text[id] += text
					o.chunk("s", id, text)
				}
			case 7, 8:
				read()
			case 9:
				now = now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, pace, time.Minute}).Draw(t, "later"))
			}
			waiting := 0
			if l := o.byName["s"]; l != nil {
				for n := l.head; n != nil; n = n.next {
					waiting++
				}
			}
			if limit := len(ids)*2 + 1 + (len(ids)*2+2)*len(ids); waiting > limit {
				t.Fatalf("%d nodes wait", waiting)
			}
		}
		for range 1000 {
			now = now.Add(pace)
			if !read() {
				break
			}
		}
		if fmt.Sprint(seen) != fmt.Sprint(told) {
			t.Fatalf("read %v, told %v", seen, told)
		}
	})
}
