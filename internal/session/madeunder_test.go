package session

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
)

// What has become of a file that an agent made under a document without one is known after
// acp-ls was killed in that turn: what the user has rejected or has not, that the agent has taken
// it away again, and that the user has.
func TestKilledAfterAFileWasMadeUnderADocument(t *testing.T) {
	t.Setenv("PATH", "") // no git: what the folder held is copied
	const made = "one\ntwo\n"
	for _, how := range []string{"edited", "adopted", "reloaded", "merged", "by the user too"} {
		for name, then := range map[string]func(w *earth){
			"undecided": func(*earth) {},
			"rejected": func(w *earth) {
				if _, err := w.c.Reject(w.t.Context(), Decide{URI: w.uri("f")}); err != nil {
					w.t.Error(err)
				}
			},
			"taken away again": func(w *earth) {
				if err := os.Remove(w.path("f")); err != nil {
					w.t.Error(err)
				}
				w.c.turnPoint(w.c.allSessions()[0], w.c.allSessions()[0].now())
			},
			"deleted by the user": func(w *earth) {
				if err := os.Remove(w.path("f")); err != nil {
					w.t.Error(err)
				}
				w.e.at.FilesOperated([]FileOperation{{From: w.path("f")}})
			},
		} {
			t.Run(how+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newEarth(t)
					rests := func() { time.Sleep(quietBefore + 3*time.Second); synctest.Wait() }
					w.start()
					w.e.caps["adopt"], w.e.caps["reload"] = how == "adopted", how == "reloaded"
					w.e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
						w.e.typeAt(uri, 0, len(w.e.text(uri)), s)
						return true, nil
					}
					w.e.onReload = func(uri string) (bool, error) {
						w.e.send(buffers.Close{URI: uri})
						w.e.open(uri, readFile(t, w.path("f")))
						return true, nil
					}
					var text, hunks, base, state, root string
					turnOf(t, w.c, w.l, func(Host, string) {
						w.e.open(w.uri("f"), "")
						rests()
						switch how {
						case "merged":
							w.e.typeAt(w.uri("f"), 0, 0, "user\n")
						case "by the user too":
							w.e.typeAt(w.uri("f"), 0, 0, made)
						}
						rests()
						writeFile(t, w.path("f"), made)
						if now := time.Now(); os.Chtimes(w.path("f"), now, now) != nil {
							t.Error("the time of the file cannot be set")
						}
						w.c.foldersChanged([]string{w.root})
						rests()
						then(w)
						rests()
						text, hunks, base = w.e.text(w.uri("f")), w.hunks("f"), w.baseline("f")
						state, root = w.snapshot()
					})
					w.close()
					w.revert(state, root)
					w.start()
					w.e.open(w.uri("f"), text)
					rests()
					if got := w.e.text(w.uri("f")); got != text {
						t.Errorf("text %q, was %q", got, text)
					}
					if got := w.hunks("f"); got != hunks {
						t.Errorf("hunks %q, were %q", got, hunks)
					}
					if got := w.baseline("f"); got != base {
						t.Errorf("baseline %q, was %q", got, base)
					}
					w.close()
				})
			})
		}
	}
}

// baseline is that of a file, or its text.
func (w *earth) baseline(name string) string {
	w.t.Helper()
	b, err := w.c.Baseline(w.uri(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}
