package session

import (
	"fmt"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What an earlier run had tracked in a text that is not on disk is looked for when the file is
// opened. What programs of the user's make of the disk's text until then is their doing also
// after the next restart, and what is looked for is still found.
func TestDiskMovesWhileAnUnsavedTextIsLookedFor(t *testing.T) {
	t.Parallel()
	const before = "1\n2\n3\n4\n5\n6\n"
	const agents = "1\n2\nTHREE\n4\n5\n6\n"
	const unsaved = "1\n2\nTHREE user\n4\n"
	for _, x := range []struct {
		name, saved string
		moves       []string
		want, base  string
	}{
		{"the agent's row is replaced", agents, []string{"1\n2\nother\n4\n5\nsix\n"}, "", "1\n2\nother\n4\n5\nsix\n"},
		{"the agent's row is left", agents, []string{"1\nother\nTHREE\n4\n5\n6\n"}, "3|>THREE|", "1\nother\n3\n4\n5\n6\n"},
		{"twice", agents, []string{"one\n2\nTHREE\n4\n5\n6\n", "one\n2\nmore\n4\n5\n6\n"}, "", "one\n2\nmore\n4\n5\n6\n"},
		{"and back", agents, []string{"1\n2\nother\n4\n5\n6\n", agents}, "3|>THREE|", before},
		{"a row right below", agents, []string{"1\n2\nTHREE\nprog\n4\n5\n6\n"}, "3|>THREE|", "1\n2\n3\nprog\n4\n5\n6\n"},
		{"a row right above", agents, []string{"1\n2\nprog\nTHREE\n4\n5\n6\n"}, "3|>THREE|", "1\n2\nprog\n3\n4\n5\n6\n"},
		{"the row below is another", agents, []string{"1\n2\nTHREE\nprog\n5\n6\n"}, "3|>THREE|", "1\n2\n3\nprog\n5\n6\n"},
		{"the row below is gone", agents, []string{"1\n2\nTHREE\n5\n6\n"}, "3|>THREE|", "1\n2\n3\n5\n6\n"},
		{"a row right below, then another", agents, []string{"1\n2\nTHREE\nprog\n4\n5\n6\n", "1\n2\nTHREE\nprog\nprog 2\n4\n5\n6\n"}, "3|>THREE|", "1\n2\n3\nprog\nprog 2\n4\n5\n6\n"},
		{"a row right below, and the agent's gone", agents, []string{"1\n2\nTHREE\nprog\n4\n5\n6\n", "1\n2\nprog\n4\n5\n6\n"}, "", "1\n2\nprog\n4\n5\n6\n"},
		{"nothing was saved", before, []string{"1\n2\nother\n4\nfive\n6\n"}, "", "1\n2\nother\n4\nfive\n6\n"},
	} {
		// killed is in the state in which the disk has moved, and returns what was undecided in the unsaved text.
		killed := func(t *testing.T) (w *earth, undecided string) {
			w = newEarth(t)
			w.start()
			writeFile(t, w.path("f"), before)
			w.e.open(w.uri("f"), before)
			w.agent("f", agents)
			if x.saved == agents {
				writeFile(t, w.path("f"), agents)
				w.e.send(buffers.Save{URI: w.uri("f")})
				w.awaitKept(w.c.file(buffers.Path(w.path("f"))))
			}
			w.e.replace(w.uri("f"), "THREE", "THREE user")
			w.e.replace(w.uri("f"), "5\n6\n", "")
			if got := w.e.text(w.uri("f")); got != unsaved {
				t.Fatalf("text %q", got)
			}
			w.c.file(buffers.Path(w.path("f"))).keep(true)
			undecided = w.hunks("f")
			w.crash()
			for _, s := range x.moves {
				writeFile(t, w.path("f"), s)
				turnOf(t, w.c, w.l, func(Host, string) {})
			}
			return w, undecided
		}
		for _, restarts := range []int{0, 1, 2} {
			t.Run(fmt.Sprintf("%s, restarts %d", x.name, restarts), func(t *testing.T) {
				w, _ := killed(t)
				check := func(when string) {
					t.Helper()
					if got := w.hunks("f"); got != x.want {
						t.Errorf("%s: hunks %q, want %q", when, got, x.want)
					}
					if got, err := w.c.Baseline(w.uri("f")); err == nil && got != x.base || err != nil && x.want != "" {
						t.Errorf("%s: baseline %q, %v, want %q", when, got, err, x.base)
					}
				}
				check("the disk has moved")
				lost := w.hunks("f", review.StateRejected)
				for range restarts {
					w.c.file(buffers.Path(w.path("f"))).keep(false)
					w.crash()
					check("after a restart")
					if got := w.hunks("f", review.StateRejected); got != lost {
						t.Errorf("after a restart: rejected %q, want %q", got, lost)
					}
				}
				w.e.open(w.uri("f"), readFile(t, w.path("f")))
				check("opened")
				w.c.file(buffers.Path(w.path("f"))).keep(false)
				w.crash()
				check("opened, and after a restart")
			})
			t.Run(fmt.Sprintf("%s, restarts %d, the text is found", x.name, restarts), func(t *testing.T) {
				w, undecided := killed(t)
				for range restarts {
					w.c.file(buffers.Path(w.path("f"))).keep(false)
					w.crash()
				}
				w.e.open(w.uri("f"), unsaved)
				w.wantHunks("f", undecided)
			})
		}
	}
}

// What has become of the disk's text is written down by itself, once it is left alone.
func TestDiskMovesWhileAnUnsavedTextIsLookedForIsKept(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.e.open(w.uri("f"), abc)
	w.agent("f", aBc)
	w.c.file(buffers.Path(w.path("f"))).keep(true)
	w.crash()
	f := w.c.file(buffers.Path(w.path("f")))
	writeFile(t, w.path("f"), "a\nother\nc\n")
	turnOf(t, w.c, w.l, func(Host, string) {})
	w.wantHunks("f", "")
	limit := time.After(20 * time.Second)
	for kept := false; !kept; {
		f.kept.pen <- struct{}{} // it is noted behind the record, which is what wakes us
		f.mu.Lock()
		kept = f.asleep != nil && f.asleep.text.Equal(textOf("a\nother\nc\n"))
		f.mu.Unlock()
		<-f.kept.pen
		if kept {
			break
		}
		select {
		case <-w.wrote:
		case <-limit:
			t.Fatal("it was not written down")
		}
	}
	w.crash()
	w.wantHunks("f", "")
	if base, err := w.c.Baseline(w.uri("f")); err == nil && base != "a\nother\nc\n" {
		t.Errorf("baseline %q", base)
	}
}
