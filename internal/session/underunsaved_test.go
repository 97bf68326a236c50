package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What an agent has written on disk under unsaved text, and the user has undone or rejected there without
// saving, is on disk all the same: when the document is closed, or read anew, it is undecided again,
// and what was typed is gone by the user's will. What is undecided stays so, and what is accepted too.
func TestUnsavedTextIsThrownAwayOverAnAgentsChange(t *testing.T) {
	t.Parallel()
	agents := strings.Replace(ten, "6\n", "6 agent\n", 1)
	merged := "mine\n" + agents
	for _, c := range []struct {
		name    string
		act     func(t *testing.T, c *Core, e *fakeEditor, uri string)
		pending bool
	}{
		{"undone altogether", func(_ *testing.T, _ *Core, e *fakeEditor, uri string) {
			e.typeAt(uri, 0, len(merged), "mine\n"+ten)
			e.typeAt(uri, 0, len("mine\n"), "")
		}, true},
		{"undone", func(_ *testing.T, _ *Core, e *fakeEditor, uri string) {
			e.typeAt(uri, 0, len(merged), "mine\n"+ten)
		}, true},
		{"rejected", func(t *testing.T, c *Core, _ *fakeEditor, _ string) {
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"undecided", func(*testing.T, *Core, *fakeEditor, string) {}, true},
		{"accepted", func(t *testing.T, c *Core, _ *fakeEditor, _ string) {
			if _, err := c.Accept(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		for _, how := range []string{"closed", "read anew"} {
			t.Run(c.name+", "+how, func(t *testing.T) {
				l := &fakeLauncher{}
				core, e, root := setup(t, l)
				e.caps["base"] = true
				e.onBase = func(string, int32, string) (bool, error) { return true, nil }
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				e.open(uri, ten)
				awaitLook(t, core.file(buffers.Path(path)))
				e.typeAt(uri, 0, 0, "mine\n")
				turnOf(t, core, l, func(Host, string) { writeFile(t, path, agents) })
				if got := e.text(uri); got != merged {
					t.Fatalf("text %q", got)
				}
				c.act(t, core, e, uri)
				base := ten
				if how == "closed" {
					e.close(uri)
				} else {
					e.typeAt(uri, 0, len(e.text(uri)), agents)
				}
				if !c.pending {
					base = agents
				}
				f := core.file(buffers.Path(path))
				if err := f.followDisk(t.Context()); err != nil {
					t.Fatal(err)
				}
				awaitLook(t, f)
				f.mu.Lock()
				text, baseline := "", ""
				if f.doc != nil {
					text, baseline = f.doc.Text().String(), f.doc.Baseline().String()
				} else {
					text, baseline = readFile(t, path), readFile(t, path)
				}
				f.mu.Unlock()
				if text != agents || baseline != base {
					t.Errorf("text %q, want %q\nbaseline %q, want %q", text, agents, baseline, base)
				}
			})
		}
	}
}

// What another program has done under unsaved text, before what an agent has put there or after that,
// is the user's: when what was undone of the agent's is undecided again, that is not.
func TestUnsavedTextIsThrownAwayOverAnAgentsChangeAndAPrograms(t *testing.T) {
	t.Parallel()
	agents := func(s string) string { return strings.Replace(s, "6\n", "6 agent\n", 1) }
	others := strings.NewReplacer("3\n", "", "9\n", "9\nother\n").Replace(ten)
	for name, disk := range map[string][2]string{ // what the program leaves, and what the agent does
		"before it": {others, agents(others)},
		"after it":  {agents(ten), agents(others)},
	} {
		for _, how := range []string{"closed", "read anew", "opened anew"} {
			for _, undone := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, undone %v", name, how, undone), func(t *testing.T) {
					l := &fakeLauncher{}
					core, e, root := setup(t, l)
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					writeFile(t, path, ten)
					e.open(uri, ten)
					f := core.file(buffers.Path(path))
					awaitLook(t, f)
					e.typeAt(uri, 0, 0, "mine\n")
					write := func(i int) { writeFile(t, path, disk[i]) }
					if name == "before it" {
						write(0)
						turnOf(t, core, l, func(Host, string) { write(1) })
					} else {
						turnOf(t, core, l, func(Host, string) { write(0) })
						write(1)
						turnOf(t, core, l, func(Host, string) {})
					}
					if got := e.text(uri); got != "mine\n"+agents(others) {
						t.Fatalf("text %q", got)
					}
					if undone {
						e.typeAt(uri, 0, len(e.text(uri)), "mine\n"+others)
					}
					switch how {
					case "closed":
						e.close(uri)
					case "read anew":
						e.readAnew(uri, path)
					case "opened anew":
						e.reopen(uri, path)
					}
					if err := f.followDisk(t.Context()); err != nil {
						t.Fatal(err)
					}
					awaitLook(t, f)
					if base, err := core.Baseline(uri); err != nil || base != others {
						t.Errorf("baseline %q, want %q, %v", base, others, err)
					}
					if h := hunksOf(t, core, uri, review.StatePending); len(h) != 1 || h[0].Text != "6 agent\n" || h[0].Origins[0].Agent != "fake" {
						t.Errorf("hunks %+v", h)
					}
				})
			}
		}
	}
}

// What an agent has put on disk under unsaved text, and was rejected or undone there and not saved, is
// listed again when the document is closed, also if it is but the end of the last line, and if the
// editor says nothing more after that. One that is opened again at once was not closed.
func TestClosedAndNothingFollows(t *testing.T) {
	t.Parallel()
	for name, x := range map[string][2]string{
		"a row": {"a\nb\nc\n", "a\nb\nagent\n"}, "a final line end": {"a\nb\nc", "a\nb\nc\n"}, "no final line end": {"a\nb\nc\n", "a\nb\nc"},
	} {
		for _, how := range []string{"rejected", "undone"} {
			for _, opened := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, opened again %v", name, how, opened), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						l := &fakeLauncher{}
						core, e, root := setup(t, l)
						core.unwatched = true // nothing may wait for the system in virtual time
						path := filepath.Join(root, "a")
						uri := buffers.PathURI(path)
						writeFile(t, path, x[0])
						e.open(uri, x[0])
						awaitLook(t, core.file(buffers.Path(path)))
						e.typeAt(uri, 0, 0, "mine\n")
						turnOf(t, core, l, func(Host, string) { writeFile(t, path, x[1]) })
						if h := hunksOf(t, core, uri, review.StatePending); len(h) != 1 {
							t.Fatalf("hunks %+v", h)
						}
						if how == "undone" {
							e.typeAt(uri, 0, len(e.text(uri)), "mine\n"+x[0])
						} else if _, err := core.Reject(t.Context(), Decide{URI: uri}); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
						e.at.Apply(buffers.Close{URI: uri})
						if opened {
							e.at.Apply(buffers.Open{URI: uri, LanguageID: "text", Version: 1, Text: "mine\n" + x[0]})
						}
						time.Sleep(2 * core.waits.Reopening) // of virtual time
						synctest.Wait()
						want := 1
						if opened {
							want = 0
						}
						if h := hunksOf(t, core, uri, review.StatePending); len(h) != want || want > 0 && h[0].Origins[0].Agent != "fake" {
							t.Errorf("hunks %+v, want %d", h, want)
						}
						if _, open := e.at.Document(uri); open != opened {
							t.Errorf("open %v, want %v", open, opened)
						}
					})
				})
			}
		}
	}
}

// An agent's row that the user has rejected, and not saved, is on disk yet, and another program writes
// there, or the agent on, beside it or in it, in conflict with what is typed or not. Who goes back to
// what the disk has, by reading it anew or because all is killed, has what is the agent's undecided and
// the program's in the baseline, whether the row had come under unsaved text or through it.
func TestRejectedAndNotSavedAndWrittenOn(t *testing.T) {
	t.Parallel()
	const base = "a\nb\nc\nd\ne\nf\n"
	agents := strings.Replace(base, "c\n", "c\nagent\n", 1)
	for _, road := range []string{"through the document", "under unsaved text"} {
		for name, x := range map[string]struct{ typed, disk, base string }{
			"elsewhere":              {"f\nmine\n", strings.Replace(agents, "a\n", "a\nother\n", 1), strings.Replace(base, "a\n", "a\nother\n", 1)},
			"in conflict elsewhere":  {"f\nmine\n", agents + "other\n", base + "other\n"},
			"beside it":              {"f\nmine\n", strings.Replace(agents, "agent\n", "agent\nother\n", 1), strings.Replace(base, "c\n", "c\nother\n", 1)},
			"in front of it":         {"f\nmine\n", strings.Replace(agents, "c\n", "other\n", 1), strings.Replace(base, "c\n", "other\n", 1)},
			"beside it, in conflict": {"f\nmine\n", strings.Replace(agents, "agent\n", "agent\nother\n", 1) + "more\n", strings.Replace(base, "c\n", "c\nother\n", 1) + "more\n"},
		} {
			for _, how := range []string{"read anew, of a program", "killed with the editor, of a program", "read anew, of the agent", "killed with the editor, of the agent"} {
				t.Run(strings.Join([]string{road, name, how}, ", "), func(t *testing.T) {
					t.Parallel()
					programs := strings.HasSuffix(how, "of a program")
					w := newEarth(t)
					w.start()
					uri := w.uri("f")
					writeFile(t, w.path("f"), base)
					w.e.open(uri, base)
					awaitLook(t, w.c.file(buffers.Path(w.path("f"))))
					if road == "through the document" {
						w.agent("f", agents)
						writeFile(t, w.path("f"), agents)
						w.e.send(buffers.Save{URI: uri})
						f := w.c.file(buffers.Path(w.path("f")))
						f.mu.Lock()
						f.savedAt = time.Time{} // long ago: what is read now is no formatter's
						f.mu.Unlock()
						w.e.replace(uri, "f\n", x.typed)
					} else {
						w.e.replace(uri, "f\n", x.typed)
						w.writesDisk("f", agents)
					}
					w.wantHunks("f", ">agent|", review.StatePending)
					w.e.replace(uri, "agent\n", "")
					if programs {
						writeFile(t, w.path("f"), x.disk)
					}
					w.writesDisk("f", x.disk)
					f := w.c.file(buffers.Path(w.path("f")))
					f.mu.Lock()
					due := f.isNews()
					f.mu.Unlock()
					if due {
						f.keep(true) // as when it was left alone for a while
					}
					if strings.HasPrefix(how, "read anew") {
						w.e.reopen(uri, w.path("f"))
					} else {
						w.crash()
						w.e.open(uri, x.disk)
						awaitLook(t, w.c.file(buffers.Path(w.path("f"))))
					}
					want := base
					if programs {
						want = x.base
						w.wantHunks("f", ">agent|", review.StatePending)
					}
					w.wantHunks("f", "", review.StateConflict)
					if got := w.baseline("f"); got != want {
						t.Errorf("baseline %q, want %q", got, want)
					}
				})
			}
		}
	}
}
