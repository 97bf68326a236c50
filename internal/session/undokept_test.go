package session

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/config"
)

// accept accepts all that is undecided in a file.
func (w *earth) accept(name string) {
	w.t.Helper()
	if d, err := w.c.Accept(w.t.Context(), Decide{URI: w.uri(name)}); err != nil || len(d.Refused) > 0 {
		w.t.Fatalf("%+v %v", d, err)
	}
}

// undoAll undoes a session, of which refused is left with a reason that has that part, if it is not empty.
func (w *earth) undoAll(session, turn, refused string) {
	w.t.Helper()
	d, err := w.c.Undo(w.t.Context(), session, turn)
	if err != nil {
		w.t.Fatal(err)
	}
	if refused == "" && len(d.Refused) > 0 || refused != "" && (len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Reason, refused)) {
		w.t.Errorf("refused %+v, want %q", d.Refused, refused)
	}
}

// isText is what a file has, in its document or on disk.
func (w *earth) isText(name string) string {
	if w.hasOpen(name) {
		return w.e.text(w.uri(name))
	}
	return readFile(w.t, w.path(name))
}

// What was accepted is undone also if acp-ls was started anew since, whatever of it was accepted, and
// whether by the session or by a turn of it.
func TestUndoOfWhatAnEarlierRunAccepted(t *testing.T) {
	t.Parallel()
	both := strings.NewReplacer("2\n", "TWO\n", "9\n", "NINE\n")
	for name, x := range map[string]func(w *earth){
		"all of it":  func(w *earth) { w.accept("a") },
		"half of it": func(w *earth) { w.acceptFirst("a") },
		"after a restart, all": func(w *earth) {
			w.again(true)
			w.accept("a")
		},
		"half before a restart, half after": func(w *earth) {
			w.acceptFirst("a")
			w.again(true)
			w.accept("a")
		},
		"and typed": func(w *earth) {
			w.accept("a")
			w.typeMine("a")
		},
	} {
		for _, open := range []bool{false, true} {
			for _, killed := range []bool{false, true} {
				for _, byTurn := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, open %v, killed %v, the turn %v", name, open, killed, byTurn), func(t *testing.T) {
						t.Parallel()
						w := newEarth(t)
						w.start()
						writeFile(t, w.path("a"), ten)
						if open {
							w.e.open(w.uri("a"), ten)
						}
						w.agent("a", both.Replace(ten))
						s, turn := w.c.allSessions()[0].id, ""
						if byTurn {
							turn = hunksOf(t, w.c, w.uri("a"))[0].Origins[0].Turn
						}
						x(w)
						want := strings.Replace(ten, "5\n", "5\nmine\n", strings.Count(w.isText("a"), "mine"))
						for range 2 {
							w.again(killed)
						}
						w.undoAll(s, turn, "")
						if got := w.isText("a"); got != want {
							t.Errorf("%q, want %q", got, want)
						}
						w.wantHunks("a", "")
						w.again(killed)
						if _, err := w.c.Undo(t.Context(), s, turn); err == nil {
							t.Error("undone once more")
						}
						if got := w.isText("a"); got != want {
							t.Errorf("once more %q, want %q", got, want)
						}
					})
				}
			}
		}
	}
}

// acceptFirst accepts the first hunk of a file.
func (w *earth) acceptFirst(name string) {
	w.t.Helper()
	h := hunksOf(w.t, w.c, w.uri(name))
	if d, err := w.c.Accept(w.t.Context(), Decide{Hunks: []string{h[0].ID}}); err != nil || len(d.Refused) > 0 {
		w.t.Fatalf("%+v %v", d, err)
	}
}

// hasOpen reports whether the editor has a document of a file.
func (w *earth) hasOpen(name string) (open bool) {
	w.e.note(func() { open = w.e.docs[w.uri(name)] != nil })
	return open
}

// So is what an agent has done to files as a whole, of every kind.
func TestUndoOfWholesAnEarlierRunAccepted(t *testing.T) {
	t.Parallel()
	for name, k := range wholeKinds {
		for _, turn := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, turn %v", name, turn), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				k.before(t, w.path)
				writeFile(t, w.path("other"), "\x00old")
				w.start()
				was := wholeTree(t, w.root)
				turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, w.path("other"), "\x00new") })
				if turn {
					was = wholeTree(t, w.root)
				}
				turnOf(t, w.c, w.l, func(Host, string) { k.does(t, w.path) })
				s, only := w.c.allSessions()[0], ""
				if d, err := w.c.Accept(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) < 2 {
					t.Fatalf("%+v %v", d, err)
				}
				if turn {
					only = s.lastSent
				}
				for range 2 {
					w.crash()
				}
				w.undoAll(s.id, only, "")
				if got := wholeTree(t, w.root); !sameTree(got, was) {
					t.Errorf("%v, want %v", got, was)
				}
				if left := w.allHunks(); len(left) > 0 {
					t.Errorf("undecided: %v", left)
				}
			})
		}
	}
}

// journalHas reports whether a word stands anywhere in the journals, as it is or as JSON has bytes.
func (w *earth) journalHas(word string) (has bool) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.state, "journal", "*", "*"))
	if err != nil || len(files) == 0 {
		w.t.Fatalf("journals %v, %v", files, err)
	}
	for _, name := range files {
		b := readFile(w.t, name)
		has = has || strings.Contains(b, word)
		for skip := range 3 { // wherever the word stands among what is written in groups of three bytes
			if word := word[skip:]; len(word) >= 6 {
				has = has || strings.Contains(b, base64.RawStdEncoding.EncodeToString([]byte(word[:len(word)/3*3])))
			}
		}
	}
	return has
}

// Of a file of which no copy is to be kept the journal has nothing of what it held, and undo says that
// it is left.
func TestUndoOfSecretsAnEarlierRunAccepted(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]bool{".env": true, "secrets/ignored": true, "plain": false} {
		for _, binary := range []string{"", "\x00"} {
			t.Run(fmt.Sprintf("%s %q", name, binary), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				gitIn(t, w.root, "init", "-q")
				writeFile(t, w.path(".gitignore"), "ignored\n")
				if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
					t.Fatal(err)
				}
				writeFile(t, w.path(name), binary+"TOKEN=hunterone\nUSER=me\n")
				w.start()
				turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, w.path(name), binary+"TOKEN=swordfish\nUSER=me\n") })
				s := w.c.allSessions()[0].id
				d, err := w.c.Accept(t.Context(), Decide{})
				if err != nil || len(d.Refused) > 0 {
					t.Fatalf("%+v %v", d, err)
				}
				if len(d.Decided) == 0 {
					t.Skip("nobody looks at the file")
				}
				for range 2 {
					w.crash()
					if got := w.journalHas("hunterone") || w.journalHas("swordfish"); got == secret {
						t.Errorf("the journal has it: %v", got)
					}
				}
				want := ""
				if secret {
					want = "no copy of"
				}
				w.undoAll(s, "", want)
				if got := readFile(t, w.path(name)); strings.Contains(got, "swordfish") != secret {
					t.Errorf("%q", got)
				}
			})
		}
	}
}

// reopeningAgent can open sessions of earlier runs.
type reopeningAgent struct{ Agent }

func (a reopeningAgent) Info() AgentInfo {
	i := a.Agent.Info()
	i.LoadSession = true
	return i
}

func (a reopeningAgent) LoadSession(_ context.Context, id string, _ SessionParams) (SessionState, error) {
	return SessionState{SessionID: id}, nil
}

type reopeningLauncher struct{ *fakeLauncher }

func (l reopeningLauncher) Start(ctx context.Context, name, cwd string, h Host) (Agent, error) {
	a, err := l.fakeLauncher.Start(ctx, name, cwd, h)
	return reopeningAgent{a}, err
}

// A session that its agent has opened again has another name: undoing that undoes what was accepted in
// earlier runs too. A new one that happens to have the same name at its agent does not.
func TestUndoOfASessionOpenedAgain(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("a"), ten)
	five := strings.Replace(ten, "5\n", "FIVE\n", 1)
	w.agent("a", five)
	w.accept("a")
	remote := w.c.allSessions()[0].remoteID()
	w.crash()
	w.agent("a", strings.Replace(five, "9\n", "NINE\n", 1))
	w.accept("a")
	fresh := w.c.allSessions()[0]
	if fresh.remoteID() != remote {
		t.Fatal("the sessions have other names")
	}
	w.undoAll(fresh.id, "", "")
	if got := readFile(t, w.path("a")); got != five {
		t.Fatalf("%q", got)
	}
	w.crash()
	w.c.launcher = reopeningLauncher{w.l}
	i, err := w.c.LoadSession(t.Context(), "fake", remote, w.root)
	if err != nil {
		t.Fatal(err)
	}
	w.undoAll(i.Session, "", "")
	if got := readFile(t, w.path("a")); got != ten {
		t.Errorf("%q", got)
	}
}

// What is closed and decided, or is too old, the journal has no more.
func TestStepsAreForgotten(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]func(w *earth, s string){
		"closed": func(w *earth, s string) {
			if err := w.c.CloseSession(w.t.Context(), s); err != nil {
				w.t.Fatal(err)
			}
		},
		"old":    func(w *earth, _ string) { w.later += keepRejected + time.Hour },
		"undone": func(w *earth, s string) { w.undoAll(s, "", "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("a"), ten)
			w.agent("a", strings.Replace(ten, "5\n", "FIVE\n", 1))
			w.accept("a")
			s := w.c.allSessions()[0].id
			w.crash()
			if !w.journalHas("FIVE\n6\n7\n") {
				t.Fatal("the journal has not what was accepted")
			}
			if name == "closed" {
				w.agent("a", strings.Replace(ten, "5\n", "FIVE again\n", 1))
				w.accept("a")
				s = w.c.allSessions()[0].id
			}
			x(w, s)
			w.crash()
			if _, err := w.c.Undo(t.Context(), s, ""); err == nil {
				t.Error("it can be undone")
			}
		})
	}
}

// A file that the user gives another name keeps what can be undone of it.
func TestUndoOfAFileRenamedSince(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("a"), ten)
	w.agent("a", strings.Replace(ten, "5\n", "FIVE\n", 1))
	s := w.c.allSessions()[0].id
	w.accept("a")
	w.crash()
	if err := os.Rename(w.path("a"), w.path("b")); err != nil {
		t.Fatal(err)
	}
	if err := w.c.usersFile(t.Context(), oneFile{buffers.Path(w.path("a")), buffers.Path(w.path("b"))}); err != nil {
		t.Fatal(err)
	}
	w.close()
	w.start()
	w.undoAll(s, "", "")
	if got := readFile(t, w.path("b")); got != ten {
		t.Errorf("%q", got)
	}
	if isThere(buffers.Path(w.path("a"))) {
		t.Error("the old name is there again")
	}
}

// That something is left is said of sessions that are older than what is kept of them, and of no others.
func TestUndoOfASessionOfWhichNothingIsKept(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		w := newEarth(t)
		w.start()
		writeFile(t, w.path("a"), ten)
		w.agent("a", strings.Replace(ten, "5\n", "FIVE\n", 1))
		s := w.c.allSessions()[0].id
		w.crash()
		want := ""
		if old {
			w.c.earlier.by = nil
			want = "before acp-ls was started anew"
		}
		w.undoAll(s, "", want)
		if got := readFile(t, w.path("a")); got != ten {
			t.Errorf("%q", got)
		}
	}
}

// Several journals may tell of one file: of processes that lived at the same time, or of one that was killed
// while it took up what another has left. Each session is undone once, and the last first or not.
func TestUndoOfWhatSeveralRunsAccepted(t *testing.T) {
	t.Parallel()
	for _, knew := range []bool{false, true} {
		for _, lastFirst := range []bool{false, true} {
			t.Run(fmt.Sprintf("the later knew of it %v, last first %v", knew, lastFirst), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("a"), ten)
				five := strings.Replace(ten, "5\n", "FIVE\n", 1)
				w.agent("a", five)
				w.accept("a")
				one := w.c.allSessions()[0].id
				first, _ := w.snapshot()
				if w.close(); !knew {
					w.state = t.TempDir()
				}
				w.start()
				both := strings.Replace(five, "9\n", "NINE\n", 1)
				w.agent("a", both)
				w.accept("a")
				two := w.c.allSessions()[0].id
				last, root := w.snapshot()
				w.close()
				w.revert(last, root)
				if err := os.CopyFS(filepath.Join(w.state, "journal"), os.DirFS(filepath.Join(first, "journal"))); err != nil {
					t.Fatal(err)
				}
				w.start()
				w.again(true)
				if lastFirst {
					w.undoAll(two, "", "")
					if got := readFile(t, w.path("a")); got != five {
						t.Errorf("the last undone: %q", got)
					}
					w.undoAll(one, "", "")
				} else {
					w.undoAll(one, "", "")
					if got := readFile(t, w.path("a")); got != strings.Replace(ten, "9\n", "NINE\n", 1) {
						t.Errorf("the first undone: %q", got)
					}
					w.again(true)
					w.undoAll(two, "", "")
				}
				if got := readFile(t, w.path("a")); got != ten {
					t.Errorf("%q", got)
				}
			})
		}
	}
}

// What the user has applied when it was asked for, before it has landed, is undone too.
func TestUndoOfWhatAnEarlierRunApplied(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		w := newEarth(t)
		w.start()
		w.c.settings().Review.Mode = config.ReviewBefore
		writeFile(t, w.path("a"), ten)
		w.e.open(w.uri("a"), ten)
		turnOf(t, w.c, w.l, func(h Host, sid string) {
			done := make(chan error, 1)
			go func() {
				done <- h.WriteTextFile(t.Context(), sid, w.path("a"), strings.Replace(ten, "5\n", "FIVE\n", 1))
			}()
			if d, err := w.c.Accept(t.Context(), Decide{Hunks: w.e.awaitProposals(w.uri("a"), 1)}); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v %v", d, err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
		w.wantHunks("a", "")
		s := w.c.allSessions()[0].id
		for range 2 {
			w.again(killed)
		}
		w.undoAll(s, "", "")
		if got := w.isText("a"); got != ten {
			t.Errorf("killed %v: %q", killed, got)
		}
	}
}

// The deletion of a file that is open is undone too, whether it was accepted before or after the restart.
func TestUndoOfADeletionAnEarlierRunAccepted(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{false, true} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("accepted before %v, killed %v", before, killed), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("a"), ten)
				w.e.open(w.uri("a"), ten)
				turnOf(t, w.c, w.l, func(Host, string) {
					if err := os.Remove(w.path("a")); err != nil {
						t.Error(err)
					}
				})
				w.wantHunks("a", "delete")
				s := w.c.allSessions()[0].id
				if before {
					w.accept("a")
				}
				w.again(killed)
				if !before {
					w.wantHunks("a", "delete")
					w.accept("a")
				}
				w.again(killed)
				w.undoAll(s, "", "")
				if got := readFile(t, w.path("a")); got != ten {
					t.Errorf("%q", got)
				}
			})
		}
	}
}
