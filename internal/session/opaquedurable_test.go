package session

import (
	"os"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/internal/review"
)

// Rows that were undecided before a file became one that is no text survive a crash with it: when
// what it was is brought back, by whomever, or the agent makes it text again, they are undecided
// as before.
func TestRowsBeneathWhatIsNoTextSurvive(t *testing.T) {
	t.Parallel()
	const (
		two    = "1\nTWO\n3\n4\n5\n6\n7\n8\n9\nTEN\n"
		binary = two + "\x00"
	)
	for name, was := range map[string]struct{ old, hunks string }{
		"changed": {ten, "2|>TWO| 10|>TEN|"},
		"made":    {"", "create >1|TWO|3|4|5|6|7|8|9|TEN|"},
	} {
		for when, crash := range map[string]func(w *earth){
			"no crash":  func(*earth) {},
			"a crash":   func(w *earth) { w.crash() },
			"crashes":   func(w *earth) { w.crash(); w.crash() },
			"at an end": func(w *earth) { w.close(); w.start() },
		} {
			for then, back := range map[string]func(w *earth){
				"rejected as a whole": func(w *earth) {
					w.decided(w.c.Reject(w.t.Context(), Decide{Hunks: []string{"file:" + w.path("f")}}))
				},
				"put back by the agent": func(w *earth) {
					steps(w.t, w.c, w.l, func() { writeFile(w.t, w.path("f"), two) })
				},
				"put back while a comparison ends": func(w *earth) {
					steps(w.t, w.c, w.l, func() {
						writeFile(w.t, w.path("f"), two)
						w.c.file(buffers.Path(w.path("f"))).takeBack(checkpoint.CopyOf(buffers.Path(w.path("f"))).State)
					})
				},
				"put back while acp-ls is away": func(w *earth) {
					w.c.file(buffers.Path(w.path("f"))).keep(true)
					w.close()
					writeFile(w.t, w.path("f"), two)
					w.start()
				},
				"rejected, and killed before that is written down": func(w *earth) {
					var state string
					w.written = func() { state, _ = w.snapshot() } // what is about to be so
					w.decided(w.c.Reject(w.t.Context(), Decide{Hunks: []string{"file:" + w.path("f")}}))
					_, root := w.snapshot()
					w.written = nil
					w.close()
					w.revert(state, root)
					w.start()
				},
				"rejected, brought back, rejected": func(w *earth) {
					whole := Decide{Hunks: []string{"file:" + w.path("f")}}
					w.decided(w.c.Reject(w.t.Context(), whole))
					crash(w)
					w.decided(w.c.Restore(w.t.Context(), whole))
					crash(w)
					w.decided(w.c.Reject(w.t.Context(), whole))
				},
			} {
				t.Run(name+", "+when+", "+then, func(t *testing.T) {
					if name == "made" && then == "rejected, brought back, rejected" {
						return // the file has one name for its making and for what became of it
					}
					w := newEarth(t)
					w.start()
					if was.old != "" {
						writeFile(t, w.path("f"), was.old)
					}
					steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), two) })
					w.wantHunks("f", was.hunks)
					steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), binary) })
					had := w.hunks("f")
					crash(w)
					w.wantHunks("f", had)
					back(w)
					w.wantHunks("f", was.hunks)
					if got := readFile(t, w.path("f")); got != two {
						t.Errorf("the disk has %q", got)
					}
					crash(w)
					w.wantHunks("f", was.hunks)
					w.decided(w.c.Reject(t.Context(), Decide{}))
					if got, _ := os.ReadFile(w.path("f")); string(got) != was.old {
						t.Errorf("rejected %q", got)
					}
				})
			}
		}
	}
}

// So do those that an agent has made no text of in a turn whose end acp-ls did not see.
func TestRowsBeneathWhatNobodyLookedAtSurvive(t *testing.T) {
	t.Parallel()
	const two = "1\nTWO\n3\n4\n5\n6\n7\n8\n9\nTEN\n"
	for _, again := range []bool{false, true} { // it was none before, and is changed once more
		w := newEarth(t)
		w.start()
		writeFile(t, w.path("f"), ten)
		steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), two) })
		if again {
			steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), "\x00\x01") })
		}
		var state, root string
		turnOf(t, w.c, w.l, func(Host, string) {
			writeFile(t, w.path("f"), "\x00\x02")
			state, root = w.snapshot()
		})
		w.close()
		w.revert(state, root)
		w.start()
		had := w.c.Reviews(w.uri("f"), "")
		if len(had) != 1 || had[0].File == nil || had[0].File.Opaque != "binary" || len(had[0].Hunks) != 2 {
			t.Errorf("there is %+v", had)
		}
		w.decided(w.c.Reject(t.Context(), Decide{Hunks: []string{"file:" + w.path("f")}}))
		w.wantHunks("f", "2|>TWO| 10|>TEN|")
		if got := readFile(t, w.path("f")); got != two {
			t.Errorf("the disk has %q", got)
		}
	}
}

// So do those under a document, which has what its editor makes of the bytes.
func TestRowsBeneathUnderADocumentSurvive(t *testing.T) {
	t.Parallel()
	const two, binary = "1\nTWO\n3\n4\n5\n6\n7\n8\n9\nTEN\n", "\x00\x01\n"
	for name, open := range map[string]struct{ before, after bool }{
		"never open": {}, "before": {true, false}, "after": {false, true}, "always": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("f"), ten)
			steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), two) })
			steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), binary) })
			f := w.c.file(buffers.Path(w.path("f")))
			if open.before {
				w.e.open(w.uri("f"), binary)
				awaitLook(t, f)
			}
			f.keep(true)
			w.crash()
			f = w.c.file(buffers.Path(w.path("f")))
			if open.after {
				w.e.caps = map[string]bool{"reload": true}
				w.e.onReload = func(string) (bool, error) { w.e.reopen(w.uri("f"), w.path("f")); return true, nil }
				w.e.open(w.uri("f"), binary)
				awaitLook(t, f)
			}
			rs := w.c.Reviews(w.uri("f"), "")
			if len(rs) != 1 || rs[0].File == nil || rs[0].File.Opaque != "binary" {
				t.Errorf("%+v", rs)
			}
			w.decided(w.c.Reject(t.Context(), Decide{Hunks: []string{"file:" + w.path("f")}}))
			if got := readFile(t, w.path("f")); got != two {
				t.Errorf("the disk has %q", got)
			}
			if open.after { // the document follows, and what was in it counts
				w.e.await("the document and its hunks", func() bool {
					r := w.e.reviews[w.uri("f")]
					return w.e.docs[w.uri("f")].text.String() == two && r.File == nil && len(r.Hunks) == 2 && r.Hunks[0].BaseText == "2\n"
				})
			}
			w.wantHunks("f", "2|>TWO| 10|>TEN|")
		})
	}
}

// Of files that may hold secrets nothing is kept.
func TestRowsBeneathOfSecretsAreNotKept(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path(".env"), "KEY=hunter2\n")
	steps(t, w.c, w.l, func() { writeFile(t, w.path(".env"), "KEY=hunter3\n") })
	steps(t, w.c, w.l, func() { writeFile(t, w.path(".env"), "\x00") })
	f := w.c.file(buffers.Path(w.path(".env")))
	f.keep(true)
	f.mu.Lock()
	r := f.draft(f.version())
	f.mu.Unlock()
	got := r()
	if x, _ := besideIn(got); got.Opaque == "" || x.Rows != nil || strings.Contains(string(got.Beside), "hunter") {
		t.Errorf("kept %+v", got)
	}
	w.crash()
	for _, r := range w.c.Reviews("", "", review.StatePending) {
		if len(r.Hunks) > 0 {
			t.Errorf("%+v", r)
		}
	}
}

func (w *earth) decided(d Decision, err error) {
	w.t.Helper()
	if err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
		w.t.Errorf("%+v, %v", d, err)
	}
}
