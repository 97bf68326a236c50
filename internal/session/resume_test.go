package session

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// The text in which hunks lived may be found later: an editor brings it back from
// its own journal.
func TestHunksComeBackWithRecoveredText(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.e.open(w.uri("f"), abc)
	w.e.replace(w.uri("f"), "a\n", "user\na\n")
	w.agent("f", aBc)
	w.c.file(buffers.Path(w.path("f"))).keep(true)
	live := w.crash()[w.uri("f")]
	w.wantTold("Open f: changes of an earlier run")
	w.e.open(w.uri("f"), abc)
	w.wantTold("Changes not to be found: f")
	w.wantHunks("f", "")
	w.e.replace(w.uri("f"), abc, live) // :recover
	w.wantHunks("f", "b|>B|")
}

// An editor that opens its documents when acp-ls is started anew shows what is found in them:
// nobody is told then that it is looked for.
func TestNothingIsSaidOfDocumentsThatAreOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newEarth(t)
		w.opening = 3 * time.Second
		w.start()
		for _, name := range []string{"f", "g"} {
			writeFile(t, w.path(name), abc)
			w.e.open(w.uri(name), abc)
			w.e.replace(w.uri(name), "a\n", "user\na\n")
			w.agent(name, aBc)
			w.c.file(buffers.Path(w.path(name))).keep(true)
		}
		live := w.crash()
		w.e.open(w.uri("f"), live[w.uri("f")])
		w.wantHunks("f", "b|>B|")
		w.wantTold("Open g: changes of an earlier run")
		for _, m := range w.e.said() {
			if strings.Contains(m, "Open f") || strings.Contains(m, w.path("f")) {
				t.Error(m)
			}
		}
	})
}

// What was taken up with the disk's text, until the file is opened, is not that of the
// document's: the user has decided on it there, and not saved.
func TestDiskIsBehindDecisions(t *testing.T) {
	t.Parallel()
	for _, accept := range []bool{false, true} {
		w := newEarth(t)
		w.start()
		writeFile(t, w.path("f"), abc)
		w.e.open(w.uri("f"), abc)
		w.agent("f", aBc)
		writeFile(t, w.path("f"), aBc)
		w.e.send(buffers.Save{URI: w.uri("f")})
		w.awaitKept(w.c.file(buffers.Path(w.path("f"))))
		w.e.replace(w.uri("f"), "c\n", "c\ntyped\n")
		decide, want, disk := (*Core).Reject, "a\nb\nc\ntyped\n", "b|>B|"
		if accept {
			decide, want, disk = (*Core).Accept, "a\nB\nc\ntyped\n", ""
		}
		if _, err := decide(w.c, t.Context(), Decide{URI: w.uri("f")}); err != nil {
			t.Fatal(err)
		}
		text := w.crash()[w.uri("f")]
		w.wantHunks("f", disk)
		w.e.open(w.uri("f"), text)
		w.wantHunks("f", "")
		if base, err := w.c.Baseline(w.uri("f")); err != nil || base != want || text != want {
			t.Errorf("accept %v: text %q, baseline %q, %v, want %q", accept, text, base, err, want)
		}
	}
}

// A record is written before its edit. If the process ends between the two, the
// edit never happened.
func TestCrashBetweenRecordAndEdit(t *testing.T) {
	for _, open := range []bool{false, true} {
		for _, earlier := range []bool{false, true} {
			t.Run(fmt.Sprintf("open %v, with earlier hunks %v", open, earlier), func(t *testing.T) {
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("f"), "0\n1\n2\n3\n4\n5\n"+abc)
				text, hunks := readFile(t, w.path("f")), ""
				if open {
					w.e.open(w.uri("f"), text)
				}
				if earlier {
					text = strings.Replace(text, "1\n", "ONE\n", 1)
					w.agent("f", text)
					hunks = "1|>ONE|"
				}
				var state, root string
				w.written = func() {
					if state == "" {
						state, root = w.snapshot()
					}
				}
				w.agent("f", strings.Replace(text, abc, aBc, 1))
				w.written = nil
				if state == "" {
					t.Fatal("no record was written before the edit")
				}
				w.close()
				w.revert(state, root)
				if !open && readFile(t, w.path("f")) != text {
					t.Fatal("the edit was made before its record")
				}
				w.start()
				if open {
					w.e.open(w.uri("f"), text)
				}
				w.wantHunks("f", hunks)
				if hunks == "" {
					w.wantHunks("f", "", review.StateRejected)
				}
			})
		}
	}
}

// The same where the user had typed before the editor got to the edit, which it refused.
func TestCrashBetweenRecordAndRefusal(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		w := newEarth(t)
		w.start()
		writeFile(t, w.path("f"), "1\n2\n3\n4\n5\n6\n"+abc)
		w.e.open(w.uri("f"), readFile(t, w.path("f")))
		hunks := ""
		if earlier {
			w.agent("f", "1\nTWO\n3\n4\n5\n6\n"+abc)
			hunks = "2|>TWO|"
		}
		base, err := w.c.Baseline(w.uri("f"))
		if err != nil {
			t.Fatal(err)
		}
		// The user's row is where the agent takes one out.
		want := strings.Replace(base, "6\n", "6\nuser\n", 1)
		var state, root, text string
		w.written = func() {
			if state == "" {
				w.e.replace(w.uri("f"), "6\n", "6\nuser\n")
				state, root = w.snapshot()
				text = w.e.text(w.uri("f"))
			}
		}
		after := strings.Replace(w.e.text(w.uri("f")), "6\n"+abc, "a\nB\nc\n", 1)
		turnOf(t, w.c, w.l, func(h Host, sid string) {
			// Whether it can be made in the end is another matter.
			if err := h.WriteTextFile(t.Context(), sid, w.path("f"), after); err != nil && KindOf(err) != KindConflict {
				t.Error(err)
			}
		})
		w.written = nil
		w.close()
		w.revert(state, root)
		w.start()
		w.e.open(w.uri("f"), text)
		w.wantHunks("f", hunks)
		if got, err := w.c.Baseline(w.uri("f")); err != nil || got != want {
			t.Errorf("baseline %q, %v, want %q", got, err, want)
		}
	}
}

// A rejection is about to be made, and everything is killed. Meanwhile another program has
// changed the disk: that has the agent's rows all the same, and they are the agent's.
func TestCrashBetweenRecordAndRejection(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), "1\n2\n3\n4\n5\n6\n"+abc)
	w.e.open(w.uri("f"), readFile(t, w.path("f")))
	w.agent("f", "1\nTWO\n3\n4\n5\n6\n"+aBc)
	w.e.replace(w.uri("f"), "4\n", "4\nuser\n")
	var state, root string
	w.written = func() {
		if state == "" {
			writeFile(t, w.path("f"), "1\nTWO\n3\n4\n5\nother\n6\n"+aBc)
			state, root = w.snapshot()
		}
	}
	if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
		t.Fatal(err)
	}
	w.written = nil
	w.close()
	w.revert(state, root)
	w.start()
	w.e.open(w.uri("f"), readFile(t, w.path("f")))
	w.wantHunks("f", "2|>TWO| b|>B|")
	if got, err := w.c.Baseline(w.uri("f")); err != nil || got != "1\n2\n3\n4\n5\nother\n6\n"+abc {
		t.Errorf("baseline %q, %v", got, err)
	}
}

// An edit of which something is to be seen was made, whatever the user has done to it since.
func TestNeverMade(t *testing.T) {
	const before, after = "a\nb\nc\nd\n", "a\nB\nc\n"
	for _, x := range []struct {
		found string
		want  bool
	}{
		{before, true}, {after, false},
		{"a\nb\nuser\nc\nd\n", true}, // only the user's
		{"user\nb\nc\nd\n", true},    // who may take out rows too
		{"a\nb\nB\nc\nd\n", false},   // a row of the edit
		{"a\nb\nc\nD\n", false},      // a row it takes out is gone
		{"", false},
	} {
		if got := neverMade(textOf(before), textOf(after), textOf(x.found)); got != x.want {
			t.Errorf("%q: %v", x.found, got)
		}
	}
}

// What the user typed and did not save is gone when the editor is killed too. What was saved
// is known as it was, so that nothing of it is taken for the user's that is not: see the
// agent's row that was there twice.
func TestEditorThatWasKilledGoesBackToWhatWasSaved(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.e.open(w.uri("f"), abc)
	w.agent("f", "a\nB\nC\nc\n")
	w.e.replace(w.uri("f"), "C\n", "C\nuser\n")
	saved := w.e.text(w.uri("f"))
	writeFile(t, w.path("f"), saved)
	w.e.send(buffers.Save{URI: w.uri("f")})
	f := w.c.file(buffers.Path(w.path("f")))
	w.awaitKept(f)
	base, err := w.c.Baseline(w.uri("f"))
	if err != nil {
		t.Fatal(err)
	}
	hunks := w.hunks("f")
	for i, typed := range []string{"B\n", "user\n", "C\n"} { // the user deletes what was saved
		w.e.replace(w.uri("f"), typed, fmt.Sprintf("other%d\n", i))
		f.keep(i == 1)
	}
	w.crash()
	w.wantTold("1 change of an earlier run waits in 1 file")
	for _, open := range []bool{false, true} {
		if open {
			w.e.open(w.uri("f"), saved)
		}
		w.wantHunks("f", hunks)
		if got, err := w.c.Baseline(w.uri("f")); err != nil || got != base {
			t.Errorf("open %v: baseline %q, %v, want %q", open, got, err, base)
		}
	}
	w.crash() // an heir passes it on
	w.e.open(w.uri("f"), saved)
	w.wantHunks("f", hunks)
}

// A disk that is full when changes are taken over costs nothing: they stay where they are.
func TestTakeOverWithAFullDisk(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.agent("f", aBc)
	w.failing = true
	w.crash()
	w.wantHunks("f", "b|>B|")
	w.wantTold("would not survive a crash")
	w.failing = false
	w.crash()
	w.wantHunks("f", "b|>B|")
}

func TestOtherProcessIsNamed(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	j := journal.Open(w.state, w.root, journal.Options{})
	doc := review.New(textOf(abc), time.Now)
	doc.AgentEdit(textOf(aBc), review.Origin{Change: "c", Author: review.AuthorAgent})
	b, err := doc.MarshalState()
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Write(true, journal.Record{Path: w.path("other"), State: b, Text: buffers.NormHash(aBc), Pending: 1}); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.wantTold("Undecided in another acp-ls: other")
	w.wantHunks("other", "")
	w.close()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, w.path("other"), aBc)
	w.start()
	w.wantHunks("other", "b|>B|")
}
