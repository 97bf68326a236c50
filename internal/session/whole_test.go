package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What agents did to files as a whole outlives the process too, and can be taken back
// after that.
func TestWholeChangesSurvive(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	for _, name := range []string{"old", "run", "open", "pic"} {
		writeFile(t, w.path(name), name+"\nsecond\nthird\n")
	}
	writeFile(t, w.path("pic"), "\x00\x01")
	w.e.open(w.uri("open"), "open\nsecond\nthird\n")
	turnOf(t, w.c, w.l, func(Host, string) {
		for _, err := range []error{
			os.Rename(w.path("old"), w.path("new")), os.Rename(w.path("pic"), w.path("picture")),
			os.Chmod(w.path("run"), 0o755), os.Remove(w.path("open")),
		} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	want := func() {
		t.Helper()
		w.wantHunks("new", "rename")
		w.wantHunks("picture", "rename")
		w.wantHunks("run", "modify")
	}
	want()
	w.wantHunks("open", "delete")
	w.crash()
	want()
	w.wantHunks("open", "delete open|second|third|>") // nothing has it open now
	d, err := w.c.Reject(t.Context(), Decide{})
	if err != nil || len(d.Refused) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	for name, content := range map[string]string{"old": "old\nsecond\nthird\n", "open": "open\nsecond\nthird\n", "pic": "\x00\x01"} {
		if got := readFile(t, w.path(name)); got != content {
			t.Errorf("%s has %q", name, got)
		}
	}
	for _, name := range []string{"new", "picture"} {
		if _, err := os.Lstat(w.path(name)); !isMissing(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if info, err := os.Stat(w.path("run")); err != nil || info.Mode()&0o111 != 0 {
		t.Errorf("run: %v, %v", info, err)
	}
}

// A rename that was looked at in the middle outlives the process as one that was not.
func TestRenameSeenInTheMiddleSurvives(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"text": ten, "no text": "\x00\x01"} {
		for _, middle := range []string{"none", "both"} {
			t.Run(name+", "+middle, func(t *testing.T) {
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("old"), content)
				turnOf(t, w.c, w.l, func(Host, string) {
					s := w.c.allSessions()[0]
					if middle == "both" {
						writeFile(t, w.path("new"), content)
					}
					if middle == "none" {
						remove(t, w.path("old"))
					}
					w.c.turnPoint(s, s.now())
					if middle == "none" {
						writeFile(t, w.path("new"), content)
					} else {
						remove(t, w.path("old"))
					}
				})
				for range 2 {
					w.wantHunks("new", "rename")
					w.wantHunks("old", "")
					w.crash()
				}
				if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) != 0 {
					t.Errorf("%+v, %v", d, err)
				}
				if got := readFile(t, w.path("old")); got != content || isThere(buffers.Path(w.path("new"))) {
					t.Errorf("old has %q; new is there: %v", got, isThere(buffers.Path(w.path("new"))))
				}
			})
		}
	}
}

// A file comes back under its document byte for byte, however the document has it.
func TestGoneFileComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, saved := range []bool{false, true} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		const content = "\uFEFFone\r\ntwo\r\n"
		writeFile(t, path, content)
		e.open(uri, "one\ntwo\n")
		turnOf(t, c, l, func(Host, string) {
			if saved { // which tells what the document has, not the file
				e.send(buffers.Save{URI: uri})
			}
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		})
		rs := c.Reviews(uri, "")
		if len(rs) != 1 || rs[0].File == nil || rs[0].File.Op != "delete" || len(rs[0].Hunks) != 0 {
			t.Fatalf("%+v", rs)
		}
		if d, err := c.Reject(t.Context(), Decide{Hunks: []string{rs[0].File.ID}}); err != nil || len(d.Decided) != 1 {
			t.Errorf("%+v, %v", d, err)
		}
		if got := readFile(t, path); got != content {
			t.Errorf("saved %v: %q", saved, got)
		}
		if got := e.text(uri); got != "one\ntwo\n" {
			t.Errorf("saved %v: text %q", saved, got)
		}
	}
}

// What cannot be covered is said once in a session; documents are looked at all the
// same.
func TestCapsAreSaidOnce(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	t.Setenv("HOME", root)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	writeFile(t, filepath.Join(root, "b"), ten)
	e.open(uri, ten)
	for _, s := range []string{"TWO\n", "ZWEI\n"} {
		turnOf(t, c, l, func(Host, string) {
			for _, name := range []string{"a", "b"} {
				writeFile(t, filepath.Join(root, name), strings.Replace(ten, "2\n", s, 1))
			}
		})
	}
	said := 0
	entries, err := c.Entries(c.allSessions()[0].id, 0)
	for _, en := range entries {
		if en.Kind == EntryNotice && strings.Contains(en.Text, "is no project") {
			said++
		}
	}
	if err != nil || said != 1 {
		t.Errorf("said %d times, %v", said, err)
	}
	if h := hunksOf(t, c, uri); len(h) != 1 || h[0].Text != "ZWEI\n" {
		t.Errorf("hunks %+v", h)
	}
	if rs := c.Reviews("", ""); len(rs) != 1 {
		t.Errorf("reviews %+v", rs)
	}
}

// A turn may rename a folder of many files.
func TestFolderIsRenamed(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{true, false} {
		l := &fakeLauncher{}
		c, _, root := setup(t, l)
		const files = 300
		if err := os.Mkdir(filepath.Join(root, "old"), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range files {
			writeFile(t, filepath.Join(root, "old", fmt.Sprint("f", i)), fmt.Sprint("file\n", i/2, "\n")) // two are alike
		}
		if git {
			gitInit(t, root)
		}
		turnOf(t, c, l, func(Host, string) {
			if err := os.Rename(filepath.Join(root, "old"), filepath.Join(root, "new")); err != nil {
				t.Error(err)
			}
		})
		rs := c.Reviews("", "")
		for _, r := range rs {
			if r.File == nil || r.File.Op != "rename" || filepath.Base(r.File.From) != filepath.Base(r.Path) || len(r.Hunks) != 0 {
				t.Errorf("git %v: %+v, %+v", git, r, r.File)
			}
		}
		if len(rs) != files {
			t.Errorf("git %v: %d files", git, len(rs))
		}
		if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) != files || len(d.Refused) != 0 {
			t.Errorf("git %v: %d decided, refused %v, %v", git, len(d.Decided), d.Refused, err)
		}
		for i := range files {
			if got := readFile(t, filepath.Join(root, "old", fmt.Sprint("f", i))); got != fmt.Sprint("file\n", i/2, "\n") {
				t.Fatalf("git %v: file %d has %q", git, i, got)
			}
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// A file that an agent has deleted is there again, whoever has put it back and whoever sees
// it first: the editor that opens it, or the one that saves a new document under its name.
func TestDeletedFileThatIsBack(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(e *fakeEditor, uri, path string){
		"written, and opened": func(e *fakeEditor, uri, path string) {
			writeFile(e.t, path, "new\n")
			e.open(uri, "new\n")
		},
		"opened, and saved": func(e *fakeEditor, uri, path string) {
			e.open(uri, "")
			e.typeAt(uri, 0, 0, "new\n")
			writeFile(e.t, path, "new\n")
			e.send(buffers.Save{URI: uri})
		},
		"opened, and written": func(e *fakeEditor, uri, path string) {
			e.open(uri, "")
			writeFile(e.t, path, "new\n")
			e.send(buffers.Close{URI: uri})
			e.open(uri, "new\n")
		},
	} {
		for _, inTurn := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in the turn: %v", name, inTurn), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				turnOf(t, c, l, func(Host, string) {
					remove(t, path)
					s := c.allSessions()[0]
					c.turnPoint(s, s.now())
					if r := c.Reviews(uri, ""); len(r) != 1 || r[0].File == nil || r[0].File.Op != "delete" {
						t.Errorf("%+v", r)
					}
					if inTurn {
						back(e, uri, path)
					}
				})
				if !inTurn {
					back(e, uri, path)
				}
				e.await("the file", func() bool { r := e.reviews[uri]; return r.File == nil && len(r.Hunks) > 0 })
				if base, err := c.Baseline(uri); err != nil || strings.Replace(base, "new\n", "", 1) != ten {
					t.Errorf("baseline %q, %v", base, err)
				}
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
				if got := e.text(uri); got != "new\n" || readFile(t, path) != got {
					t.Errorf("text %q", got)
				}
			})
		}
	}
}

// The rejection of a file that an agent made takes away what the user has seen of it, and not
// what the agent has written since: that comes to be decided on itself.
func TestRejectLeavesWhatWasWrittenSince(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(c *Core) error{
		"reject": func(c *Core) error { _, err := c.Reject(t.Context(), Decide{}); return err },
		"undo":   func(c *Core) error { _, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); return err },
	} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		c.unwatched = true
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		turnOf(t, c, l, func(Host, string) {
			writeFile(t, path, "1\n")
			c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
			e.open(uri, "1\n")
			writeFile(t, path, "2\n3\n")
			if err := decide(c); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got, err := os.ReadFile(path); string(got) != "2\n3\n" {
				t.Errorf("%s: disk %q, %v", name, got, err)
			}
		})
		if h := hunksOf(t, c, uri); !slices.ContainsFunc(h, func(h review.Hunk) bool { return h.Text == "2\n3\n" }) {
			t.Errorf("%s: hunks %+v", name, h)
		}
	}
}
