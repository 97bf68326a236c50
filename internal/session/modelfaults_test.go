package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/internal/review"
)

// What the disk has of an agent's is the agent's also when it was a conflict at first,
// and comes into the text because the user has taken back what it was one with. Then
// there is no conflict any more.
func TestConflictThatBecomesTheText(t *testing.T) {
	t.Parallel()
	for _, reloads := range []bool{false, true} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.caps["reload"] = reloads
		e.onReload = func(u string) (bool, error) {
			e.send(buffers.Close{URI: u})
			e.open(u, readFile(t, path))
			return true, nil
		}
		e.open(uri, ten)
		want := strings.Replace(ten, "10\n", "TEN\n", 1)
		turnOf(t, c, l, func(Host, string) {
			e.replace(uri, "10\n", "10\nUSER\n")
			writeFile(t, path, want)
			c.foldersChanged([]string{root})
			e.await("the conflict", func() bool {
				h := e.reviews[uri].Hunks
				return len(h) == 1 && h[0].State == review.StateConflict
			})
			e.replace(uri, "USER\n", "")
		})
		if got := e.text(uri); got != want {
			t.Errorf("reloads %v: text %q", reloads, got)
		}
		if base, err := c.Baseline(uri); err != nil || base != ten {
			t.Errorf("reloads %v: baseline %q, %v", reloads, base, err)
		}
		if h := hunksOf(t, c, uri); len(h) != 1 || h[0].State != review.StatePending || h[0].Origins[0].Agent != "fake" {
			t.Errorf("reloads %v: hunks %+v", reloads, h)
		}
	}
}

// A file the checkpoint knows nothing of has not been made by the agent that writes it
// first: it is in a folder of programs, or nobody looks at the whole folder.
func TestWriteOfAFileOutsideTheCheckpoint(t *testing.T) {
	for name, at := range map[string]string{"home": "a", "skipped": "node_modules/a"} {
		l := &fakeLauncher{}
		c, _, root := setup(t, l)
		if name == "home" {
			t.Setenv("HOME", root)
		}
		path := filepath.Join(root, filepath.FromSlash(at))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, ten)
		turnOf(t, c, l, func(h Host, sid string) {
			if err := h.WriteTextFile(t.Context(), sid, path, ten+"11\n"); err != nil {
				t.Error(err)
			}
		})
		uri := buffers.PathURI(path)
		if base, err := c.Baseline(uri); err != nil || base != ten {
			t.Errorf("%s: baseline %q, %v", name, base, err)
		}
		if r := c.Reviews(uri, ""); len(r) != 1 || r[0].File != nil {
			t.Errorf("%s: %+v", name, r)
		}
		if _, err := c.Reject(t.Context(), Decide{}); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, path); got != ten {
			t.Errorf("%s: reject leaves %q", name, got)
		}
	}
}

// Taking back a turn whose changes were all rejected has nothing left to do, whatever
// the turn went through.
func TestUndoAfterReject(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "3\n", "a\nb\n", 1)); err != nil {
			t.Error(err)
		}
		if err := h.WriteTextFile(t.Context(), sid, path, ""); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, path); got != ten {
		t.Errorf("disk %q", got)
	}
	if h := hunksOf(t, c, uri); len(h) > 0 {
		t.Errorf("hunks %+v", h)
	}
}

// What an agent wrote to the disk is its own also if the user opens or closes the file
// before anybody has looked at it.
func TestOpenedAndClosedBehindTheBack(t *testing.T) {
	t.Parallel()
	at := strings.Replace(ten, "5\n", "FIVE\n", 1)
	for name, do := range map[string]func(e *fakeEditor, uri, path string){
		"open": func(e *fakeEditor, uri, path string) {
			writeFile(e.t, path, at)
			e.open(uri, at)
		},
		"open, and type": func(e *fakeEditor, uri, path string) {
			writeFile(e.t, path, at)
			e.open(uri, at)
			e.typeAt(uri, 0, 0, "USER\n")
		},
		"close": func(e *fakeEditor, uri, path string) {
			e.open(uri, ten)
			writeFile(e.t, path, at)
			e.close(uri)
		},
		"close, and open": func(e *fakeEditor, uri, path string) {
			e.open(uri, ten)
			writeFile(e.t, path, at)
			e.close(uri)
			e.open(uri, at)
		},
		"throw away what was typed": func(e *fakeEditor, uri, path string) {
			e.open(uri, ten)
			e.typeAt(uri, 0, 0, "USER\n")
			writeFile(e.t, path, at)
			e.close(uri)
		},
		"close, tracked": func(e *fakeEditor, uri, path string) {
			e.open(uri, ten)
			writeFile(e.t, path, strings.Replace(ten, "5\n", "5b\n", 1))
			c := e.at.core
			c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
			e.close(uri)
			writeFile(e.t, path, at)
			e.open(uri, at)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			turnOf(t, c, l, func(Host, string) { do(e, uri, path) })
			e.await("the hunk", func() bool {
				h := e.reviews[uri].Hunks
				return len(h) == 1 && h[0].BaseText == "5\n" && h[0].Text == "FIVE\n" && h[0].Origins[0].Agent == "fake"
			})
			want := ten
			if name == "open, and type" {
				want = "USER\n" + ten
			}
			if base, err := c.Baseline(uri); err != nil || base != want {
				t.Errorf("baseline %q, %v", base, err)
			}
		})
	}
}

// What an agent writes on disk between two writes through us is its own too, also in a
// file of which nothing is undecided any more.
func TestDiskBetweenTwoWrites(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	first := strings.Replace(ten, "2\n", "TWO\n", 1)
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, first); err != nil {
			t.Error(err)
		}
		if _, err := c.Accept(t.Context(), Decide{URI: uri}); err != nil {
			t.Error(err)
		}
		disk := strings.Replace(first, "5\n", "FIVE\n", 1)
		writeFile(t, path, disk)
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(disk, "9\n", "NINE\n", 1)); err != nil {
			t.Error(err)
		}
	})
	if base, err := c.Baseline(uri); err != nil || base != first {
		t.Errorf("baseline %q, %v", base, err)
	}
	if h := hunksOf(t, c, uri); len(h) != 2 {
		t.Errorf("hunks %+v", h)
	}
}

// Two files have something in common only if they have a row in common.
func TestLikenessOfShortFiles(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"", "x\n", false}, {"x\n", "", false}, {"\n", "\n\n", false}, {"x\n", "y\n", false}, {"x", "x\n", true}, {"x\r\n", "x\n", true},
		{"a\nb\nc\n", "a\nB\nc\n", true}, {ten, "", false}, {"a\nb\n", "c\nd\n", false},
	} {
		got := likeness(checkpoint.State{Exists: true, Content: tt.a}, checkpoint.State{Exists: true, Content: tt.b})
		if (got >= nearlySame) != tt.same {
			t.Errorf("likeness of %q and %q is %v", tt.a, tt.b, got)
		}
	}
}

// A file that the agent makes where the user has a document that was never saved is
// merged into it: both have begun with nothing, whether it was there before the turn or not.
func TestFileMadeUnderAnUnsavedDocument(t *testing.T) {
	t.Parallel()
	for _, inTurn := range []bool{false, true} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		open := func() {
			e.open(uri, "")
			e.typeAt(uri, 0, 0, "USER\n")
		}
		if !inTurn {
			open()
		}
		turnOf(t, c, l, func(Host, string) {
			if inTurn {
				open()
				awaitLook(t, c.file(buffers.Path(path)))
			}
			writeFile(t, path, "AGENT\n")
		})
		if got := e.text(uri); got != "USER\n" {
			t.Errorf("in the turn %v: text %q", inTurn, got)
		}
		if h := hunksOf(t, c, uri); len(h) != 1 || h[0].State != review.StateConflict || h[0].Text != "AGENT\n" {
			t.Errorf("in the turn %v: hunks %+v", inTurn, h)
		}
	}
}

// A file that the agent made, and that is gone because the user rejected it, has not been
// taken away by the agent, and a next rejection does not bring it back.
func TestRejectedFileStaysAway(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, "AGENT\n"); err != nil {
			t.Error(err)
		}
		e.open(uri, "AGENT\n")
		if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
			t.Error(err)
		}
	})
	if r := c.Reviews("", ""); len(r) > 0 {
		t.Errorf("%+v", r)
	}
	if _, err := c.Reject(t.Context(), Decide{}); err != nil {
		t.Error(err)
	}
	if isThere(buffers.Path(path)) {
		t.Errorf("the file is there: %q", readFile(t, path))
	}
}

// An agent that has the very text that is there takes back rows of its own in a write that
// changes others too, and writes anew what it wrote, though older texts differ in fewer
// rows from what it sends.
func TestWriteFromTheTextThatIsThere(t *testing.T) {
	t.Parallel()
	debug := strings.Replace(ten, "3\n", "3\ndebug\n", 1)
	for name, open := range map[string]bool{"open": true, "not open": false} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		if open {
			e.open(uri, ten)
		}
		for _, content := range []string{debug, strings.Replace(ten, "8\n", "EIGHT\n", 1), "all\nanew\n", "and\nagain\nanew\n"} {
			turnOf(t, c, l, func(h Host, sid string) {
				if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
					t.Error(err)
				}
				if err := h.WriteTextFile(t.Context(), sid, path, content); err != nil {
					t.Errorf("%s: write %q: %v", name, content, err)
				}
			})
			got := readFile(t, path)
			if open {
				got = e.text(uri)
			}
			if got != content {
				t.Errorf("%s: text %q, want %q", name, got, content)
			}
			if base, err := c.Baseline(uri); err != nil || base != ten {
				t.Errorf("%s: baseline %q, %v", name, base, err)
			}
		}
	}
}

// An agent whose write was refused reads again, and can then write whatever it likes.
func TestWriteAfterARefusal(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, "")
	e.open(uri, "")
	turnOf(t, c, l, func(h Host, sid string) {
		read := func() string {
			s, err := h.ReadTextFile(t.Context(), sid, path, nil, nil)
			if err != nil {
				t.Error(err)
			}
			return s
		}
		read()
		if err := h.WriteTextFile(t.Context(), sid, path, "a\nb\n"); err != nil {
			t.Error(err)
		}
		e.replace(uri, "b\n", "b\nUSER\n")
		if err := h.WriteTextFile(t.Context(), sid, path, "c\nd\n"); KindOf(err) != KindConflict {
			t.Errorf("write: %v", err)
		}
		if err := h.WriteTextFile(t.Context(), sid, path, "c\nUSER\nd\n"+strings.TrimPrefix(read(), "a\nb\nUSER\n")); err != nil {
			t.Errorf("write after reading again: %v", err)
		}
	})
	if got := e.text(uri); got != "c\nUSER\nd\n" {
		t.Errorf("text %q", got)
	}
}

// An agent that has deleted a file, or was told that it is gone, can make it anew.
func TestWriteOfAFileThatIsGone(t *testing.T) {
	for _, told := range []bool{false, true} {
		l := &fakeLauncher{}
		c, _, root := setup(t, l)
		path := filepath.Join(root, "a")
		writeFile(t, path, ten)
		turnOf(t, c, l, func(h Host, sid string) {
			if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
				t.Error(err)
			}
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
			if told {
				if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); KindOf(err) != KindNotFound {
					t.Errorf("read: %v", err)
				}
			} else {
				c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
			}
			if err := h.WriteTextFile(t.Context(), sid, path, "new\n"); err != nil {
				t.Errorf("told %v: %v", told, err)
			}
		})
		if got := readFile(t, path); got != "new\n" {
			t.Errorf("told %v: %q", told, got)
		}
	}
}

// A reload that the editor was asked for brings the text as the disk has it, also where the
// document has other line ends, or none at its end; by whatever messages, it is the agent's
// change, and is taken back with its turn.
func TestReloadInAnotherStyle(t *testing.T) {
	t.Parallel()
	for name, load := range map[string]func(e *fakeEditor, uri, s string){
		"close and open": func(e *fakeEditor, uri, s string) { e.send(buffers.Close{URI: uri}); e.open(uri, s) },
		"a change":       func(e *fakeEditor, uri, s string) { e.typeAt(uri, 0, len(e.text(uri)), s) },
	} {
		for was, now := range map[string]string{"1\n2": "1\nTWO\n", "1\n2\n": "1\nTWO", "1\r\n2\r\n": "1\nTWO\n"} {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			e.caps["reload"] = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, was)
			e.open(uri, was)
			e.onReload = func(u string) (bool, error) {
				load(e, u, readFile(t, path))
				return true, nil
			}
			turnOf(t, c, l, func(Host, string) { writeFile(t, path, now) })
			if got := e.text(uri); got != now {
				t.Errorf("%s: text %q, want %q", name, got, now)
			}
			if h := hunksOf(t, c, uri); len(h) != 1 || h[0].Origins[0].Agent != "fake" {
				t.Errorf("%s, %q: hunks %+v", name, was, h)
			}
			if _, err := c.Accept(t.Context(), Decide{}); err != nil {
				t.Error(err)
			}
			if _, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil {
				t.Error(err)
			}
			if got := e.text(uri); strings.Contains(got, "TWO") || !strings.Contains(got, "2") {
				t.Errorf("%s, %q: after undo %q", name, was, got)
			}
		}
	}
}

// A file that an agent takes away, and that is found gone when it is written next, is a file that
// was deleted, and one that was written anew is no new one; a document that is opened and closed
// there changes nothing of that.
func TestFileFoundGoneByAWrite(t *testing.T) {
	for _, refused := range []bool{false, true} {
		for _, opened := range []bool{false, true} {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			want := "delete"
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, ten+"11\n"); err != nil {
					t.Error(err)
				}
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
				content := ten + "11\n12\n"
				if !refused {
					c.allSessions()[0].ledger.gone(buffers.Path(path))
					want = ""
				}
				if err := h.WriteTextFile(t.Context(), sid, path, content); (err != nil) != refused {
					t.Errorf("refused %v: write: %v", refused, err)
				}
				op := func() string {
					if r := c.Reviews(uri, ""); len(r) == 1 && r[0].File != nil {
						return r[0].File.Op
					}
					return ""
				}
				if got := op(); got != want {
					t.Errorf("refused %v: the file is shown as %q, want %q", refused, got, want)
				}
				if opened {
					text := ""
					if !refused {
						text = content
					}
					e.open(uri, text)
					awaitLook(t, c.file(buffers.Path(path)))
					e.close(uri)
					c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
					if got := op(); got != want {
						t.Errorf("refused %v: after it was open the file is shown as %q, want %q", refused, got, want)
					}
				}
			})
			if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
				t.Error(err)
			}
			if got := readFile(t, path); got != ten {
				t.Errorf("refused %v, opened %v: reject leaves %q", refused, opened, got)
			}
		}
	}
}
