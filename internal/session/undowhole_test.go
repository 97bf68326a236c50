package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// wholeTree is what there is in a folder: of files whether they may be run and their content, of links
// where they point.
func wholeTree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range entries {
		info, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, d.Name())
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			out[d.Name()] = "-> " + to
		case d.IsDir():
			out[d.Name()] = "folder"
		default:
			out[d.Name()] = fmt.Sprintf("%v %s", info.Mode()&0o100 != 0, readFile(t, path))
		}
	}
	return out
}

func sameTree(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for n, s := range a {
		if b[n] != s {
			return false
		}
	}
	return true
}

// wholeKinds are what an agent can do to files as a whole: by names, what there is before and what
// it does then.
var wholeKinds = map[string]struct {
	before, does func(t *testing.T, at func(string) string)
}{
	"binary written over": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00old") },
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00new") }},
	"binary made": {
		func(*testing.T, func(string) string) {},
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00new") }},
	"binary deleted": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00old") },
		func(_ *testing.T, at func(string) string) { os.Remove(at("f")) }},
	"binary renamed": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00old") },
		func(_ *testing.T, at func(string) string) { os.Rename(at("f"), at("g")) }},
	"binary of text": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00new") }},
	"text of binary": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00old") },
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) }},
	"may be run": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(_ *testing.T, at func(string) string) { os.Chmod(at("f"), 0o755) }},
	"may be run, and rows": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(t *testing.T, at func(string) string) {
			writeFile(t, at("f"), strings.Replace(ten, "5\n", "FIVE\n", 1))
			os.Chmod(at("f"), 0o755)
		}},
	"may not be run": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten); os.Chmod(at("f"), 0o755) },
		func(_ *testing.T, at func(string) string) { os.Chmod(at("f"), 0o644) }},
	"link for text": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(_ *testing.T, at func(string) string) { os.Remove(at("f")); os.Symlink("elsewhere", at("f")) }},
	"link elsewhere": {
		func(_ *testing.T, at func(string) string) { os.Symlink("there", at("f")) },
		func(_ *testing.T, at func(string) string) { os.Remove(at("f")); os.Symlink("elsewhere", at("f")) }},
	"script deleted": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten); os.Chmod(at("f"), 0o755) },
		func(_ *testing.T, at func(string) string) { os.Remove(at("f")) }},
	"text renamed": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(_ *testing.T, at func(string) string) { os.Rename(at("f"), at("g")) }},
	"text made": {
		func(*testing.T, func(string) string) {},
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) }},
	"text deleted": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(_ *testing.T, at func(string) string) { os.Remove(at("f")) }},
	"text turned": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(t *testing.T, at func(string) string) {
			writeFile(t, at("f"), strings.ReplaceAll(ten, "\n", "\r\n"))
		}},
	"empty made": {
		func(*testing.T, func(string) string) {},
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "") }},
	"script renamed": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten); os.Chmod(at("f"), 0o755) },
		func(_ *testing.T, at func(string) string) { os.Rename(at("f"), at("g")) }},
	"text renamed, and rows": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(t *testing.T, at func(string) string) {
			os.Rename(at("f"), at("g"))
			writeFile(t, at("g"), strings.Replace(ten, "5\n", "FIVE\n", 1))
		}},
	"text renamed, and may be run": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten) },
		func(_ *testing.T, at func(string) string) { os.Rename(at("f"), at("g")); os.Chmod(at("g"), 0o755) }},
	"binary may be run": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "\x00old") },
		func(_ *testing.T, at func(string) string) { os.Chmod(at("f"), 0o755) }},
	"empty deleted": {
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), "") },
		func(_ *testing.T, at func(string) string) { os.Remove(at("f")) }},
	"link made": {
		func(*testing.T, func(string) string) {},
		func(_ *testing.T, at func(string) string) { os.Symlink("elsewhere", at("f")) }},
	"link deleted": {
		func(_ *testing.T, at func(string) string) { os.Symlink("there", at("f")) },
		func(_ *testing.T, at func(string) string) { os.Remove(at("f")) }},
	"script made": {
		func(*testing.T, func(string) string) {},
		func(t *testing.T, at func(string) string) { writeFile(t, at("f"), ten); os.Chmod(at("f"), 0o755) }},
}

// What an agent has done to a file as a whole is undone after it was accepted, of every kind, by the
// turn and by the session, with something else done in a turn before.
func TestUndoAcceptedWholes(t *testing.T) {
	for name, k := range wholeKinds {
		for _, turn := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, turn %v", name, turn), func(t *testing.T) {
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				at := func(n string) string { return filepath.Join(root, n) }
				k.before(t, at)
				writeFile(t, at("other"), "\x00old")
				was := wholeTree(t, root)
				turnOf(t, c, l, func(Host, string) { writeFile(t, at("other"), "\x00new") })
				if turn {
					was = wholeTree(t, root)
				}
				turnOf(t, c, l, func(Host, string) { k.does(t, at) })
				if d, err := c.Accept(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) < 2 {
					t.Fatalf("%+v %v", d, err)
				}
				s, only := c.allSessions()[0], ""
				if turn {
					only = s.id + ".2"
				}
				d, err := c.Undo(t.Context(), s.id, only)
				if err != nil || len(d.Refused) > 0 || len(d.Files) == 0 {
					t.Errorf("%+v %v", d, err)
				}
				if got := wholeTree(t, root); !sameTree(got, was) {
					t.Errorf("there is %q, and was %q", got, was)
				}
				if left := c.Reviews("", ""); turn == false && pendingIn(left) > 0 {
					t.Errorf("undecided: %+v", left)
				}
				// There is nothing left that could be undone.
				if d, err := c.Undo(t.Context(), s.id, only); err != nil || len(d.Refused)+len(d.Files) > 0 {
					t.Errorf("once more: %+v %v", d, err)
				}
			})
		}
	}
}

func pendingIn(reviews []Review) (n int) {
	for _, r := range reviews {
		if r.File != nil && r.File.State == "" {
			n++
		}
		for _, h := range r.Hunks {
			if h.State == "pending" {
				n++
			}
		}
	}
	return n
}

// What was accepted in several steps goes back through all of them, and what cannot be undone is
// refused with what the user can do, while the rest is.
func TestUndoAcceptedWholesAsFarAsItGoes(t *testing.T) {
	for name, tc := range map[string]struct {
		then func(t *testing.T, c *Core, l *fakeLauncher, at func(string) string)
		f    string // that there is in the end
		want string // why
	}{
		"in steps": {f: "\x00one", then: func(*testing.T, *Core, *fakeLauncher, func(string) string) {}},
		"changed since": {f: "\x00user", want: "has been changed since", then: func(t *testing.T, _ *Core, _ *fakeLauncher, at func(string) string) {
			writeFile(t, at("f"), "\x00user")
		}},
		"no copy": {f: "\x00three", want: "no copy of what it was: bring it back with git", then: func(_ *testing.T, c *Core, _ *fakeLauncher, at func(string) string) {
			f := c.file(buffers.Path(at("f")))
			for i := range f.wholes {
				without := f.wholes[i].entire.copy.WithoutContent()
				f.wholes[i].entire.copy = &without
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, _, root := setup(t, l)
			at := func(n string) string { return filepath.Join(root, n) }
			writeFile(t, at("f"), "\x00one")
			writeFile(t, at("g"), ten)
			for _, s := range []string{"\x00two", "\x00three"} {
				turnOf(t, c, l, func(Host, string) {
					writeFile(t, at("f"), s)
					writeFile(t, at("g"), strings.Replace(ten, "5\n", s[1:]+"\n", 1))
				})
				if d, err := c.Accept(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Fatalf("%+v %v", d, err)
				}
			}
			tc.then(t, c, l, at)
			d, err := c.Undo(t.Context(), c.allSessions()[0].id, "")
			if err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, at("f")); got != tc.f {
				t.Errorf("f is %q", got)
			}
			if got := readFile(t, at("g")); got != ten {
				t.Errorf("g is %q", got)
			}
			if tc.want == "" && len(d.Refused) > 0 || tc.want != "" && (len(d.Refused) != 1 || d.Refused[0].ID != "file:"+at("f") || !strings.Contains(d.Refused[0].Reason, tc.want)) {
				t.Errorf("refused %+v", d.Refused)
			}
		})
	}
}

// What was accepted cannot be undone when the session was closed and all of it decided, which is said also
// where the rest is.
func TestUndoOfAClosedSession(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	at := func(n string) string { return filepath.Join(root, n) }
	for _, n := range []string{"a", "b"} {
		writeFile(t, at(n), ten)
	}
	turnOf(t, c, l, func(Host, string) {
		for _, n := range []string{"a", "b"} {
			writeFile(t, at(n), strings.Replace(ten, "5\n", "FIVE\n", 1))
		}
	})
	s := c.allSessions()[0]
	if _, err := c.Accept(t.Context(), Decide{URI: buffers.PathURI(at("a"))}); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseSession(t.Context(), s.id); err != nil {
		t.Fatal(err)
	}
	// Something is undecided: the session can be undone.
	h := hunksOf(t, c, buffers.PathURI(at("b")))
	if _, err := c.Reject(t.Context(), Decide{Hunks: []string{h[0].ID}}); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.allFiles() {
		if len(f.history) > 0 {
			t.Errorf("%d steps of %s are kept for nobody", len(f.history), f.path)
		}
	}
	if _, err := c.Undo(t.Context(), s.id, ""); KindOf(err) != KindUnknownSession {
		t.Errorf("undone of what is over: %v", err)
	}
	if _, err := c.Restore(t.Context(), Decide{Hunks: []string{h[0].ID}}); err != nil {
		t.Fatal(err)
	}
	d, err := c.Undo(t.Context(), s.id, "")
	if err != nil || len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Reason, "closed") {
		t.Errorf("%+v %v", d, err)
	}
}

// A turn of many edits is undone, whatever was done between them; where that cannot be said any
// more it is refused.
func TestUndoOfManySteps(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(e *fakeEditor, uri string, i int){
		"": nil,
		"typed between": func(e *fakeEditor, uri string, i int) {
			if i%12 == 0 { // an agent's edit waits for a pause
				e.replace(uri, fmt.Sprintf("row %d\n", 2*i+1), fmt.Sprintf("row %d\ntyped %d\n", 2*i+1, i))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			const edits = 2*maxSteps + 20
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			var b, want strings.Builder
			for i := range 2 * edits {
				fmt.Fprintf(&b, "row %d\n", i)
				fmt.Fprintf(&want, "row %d\n", i)
				if between != nil && i%2 == 1 && i/2%12 == 0 {
					fmt.Fprintf(&want, "typed %d\n", i/2)
				}
			}
			writeFile(t, path, b.String())
			e.open(uri, b.String())
			turnOf(t, c, l, func(h Host, sid string) {
				for i := range edits {
					got, _ := h.ReadTextFile(t.Context(), sid, path, nil, nil)
					if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(got, fmt.Sprintf("row %d\n", 2*i), fmt.Sprintf("ROW %d\n", 2*i), 1)); err != nil {
						t.Error(err)
					}
					if between != nil {
						between(e, uri, i)
					}
				}
			})
			if _, err := c.Accept(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
			if n := len(c.file(buffers.Path(path)).history); n > maxSteps {
				t.Errorf("%d steps are kept", n)
			}
			if d, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v %v", d.Refused, err)
			}
			if got := e.text(uri); got != want.String() {
				t.Errorf("%d ROWs left, %d rows typed", strings.Count(got, "ROW"), strings.Count(got, "typed"))
			}
		})
	}
	t.Run("of turns by turns", func(t *testing.T) {
		l := &fakeLauncher{}
		c, _, root := setup(t, l)
		path := filepath.Join(root, "a")
		writeFile(t, path, ten)
		f := c.file(buffers.Path(path))
		turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Replace(ten, "5\n", "FIVE\n", 1)) })
		if _, err := c.Accept(t.Context(), Decide{}); err != nil {
			t.Fatal(err)
		}
		s := c.allSessions()[0]
		f.mu.Lock()
		for i := range maxSteps { // of as many turns
			f.recordStep(agentStep{session: "other", turn: fmt.Sprint(i), before: f.history[0].before, after: f.history[0].after})
		}
		f.mu.Unlock()
		d, err := c.Undo(t.Context(), s.id, "")
		if err != nil || len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Reason, "changed so often") {
			t.Errorf("%+v %v", d, err)
		}
	})
}

// What can be undone of a large file is small.
func TestStepsShareTheirTexts(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "large")
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, "%d a row of a file that nobody has open\n", i)
	}
	text := func(i int) string { return fmt.Sprintf("first %d\n%slast %d\n", i, b.String(), i) }
	writeFile(t, path, text(0))
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	turnOf(t, c, l, func(Host, string) {
		s := c.allSessions()[0]
		for i := range 40 {
			writeFile(t, path, text(i+1))
			c.turnPoint(s, s.now())
		}
	})
	if _, err := c.Accept(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	f := c.file(buffers.Path(path))
	with := heap()
	f.mu.Lock()
	n, steps := len(f.history), f.history
	f.history = nil
	f.mu.Unlock()
	kept := steps[0].before.String() == text(0) && steps[n-1].after.String() == text(40)
	steps = nil
	if size := with - heap(); n < 40 || !kept || size > 8<<20 {
		t.Errorf("%d steps have %d kB, whole %v", n, size>>10, kept)
	}
}
