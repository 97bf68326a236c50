package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// shownFiles names the files with something to decide on, in order.
func shownFiles(c *Core) (names []string) {
	for _, r := range c.Reviews("", "") {
		names = append(names, filepath.Base(r.Path))
	}
	slices.Sort(names)
	return names
}

// notices are those of the only session that have some words.
func notices(c *Core, words string) (n int) {
	s := c.allSessions()[0]
	entries, _ := c.Entries(s.id, 0)
	for _, e := range entries {
		if e.Kind == EntryNotice && strings.Contains(e.Text, words) {
			n++
		}
	}
	return n
}

// Without a folder, and in one that is no project, what programs write is nobody's: only
// open documents are compared, and what the agent names.
func TestWithoutAProject(t *testing.T) {
	ways := map[string]func(t *testing.T, e *fakeEditor, root string) (words string){
		"no folder, the active document": func(t *testing.T, e *fakeEditor, root string) string {
			e.at.SetRoots(nil)
			e.caps["editor"] = true
			e.onState = func() EditorState { return EditorState{Active: buffers.PathURI(filepath.Join(root, "open.txt"))} }
			return "No folder is open"
		},
		"no folder, no document": func(t *testing.T, e *fakeEditor, root string) string {
			e.at.SetRoots(nil)
			setHome(t, root)
			return "No folder is open"
		},
		"the home folder": func(t *testing.T, e *fakeEditor, root string) string {
			setHome(t, root)
			return "is no project"
		},
		"above the home folder, with git": func(t *testing.T, e *fakeEditor, root string) string {
			gitInit(t, root)
			setHome(t, filepath.Join(root, "deep", "home"))
			return "is no project"
		},
	}
	for name, prepare := range ways {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			at := func(name string) string { return filepath.Join(root, name) }
			for _, f := range []string{"open.txt", "named.txt", "read.txt", "other.txt", "gone.txt"} {
				writeFile(t, at(f), ten)
			}
			words := prepare(t, e, root)
			uri := buffers.PathURI(at("open.txt"))
			e.open(uri, ten)
			awaitTick(t)
			turnOf(t, c, l, func(h Host, sid string) {
				writeFile(t, at("note.txt"), "the user's own\n")
				writeFile(t, at("other.txt"), "another program's\n")
				if err := os.Remove(at("gone.txt")); err != nil {
					t.Error(err)
				}
				if _, err := h.ReadTextFile(t.Context(), sid, at("read.txt"), nil, nil); err != nil {
					t.Error(err)
				}
				writeFile(t, at("open.txt"), strings.Replace(ten, "2\n", "TWO\n", 1))
				h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("in_progress"), Locations: &[]Location{{Path: at("named.txt")}}})
				c.allSessions()[0].takeNamed(t.Context())
				writeFile(t, at("named.txt"), strings.Replace(ten, "3\n", "THREE\n", 1))
				writeFile(t, at("read.txt"), strings.Replace(ten, "3\n", "THREE\n", 1))
				h.Update(sid, ToolPatch{ID: "t", Status: str("completed"), Locations: &[]Location{{Path: at("named.txt")}, {Path: at("read.txt")}}})
			})
			if s := c.allSessions()[0]; s.cwd != root {
				t.Errorf("the session's folder is %s", s.cwd)
			}
			if got := shownFiles(c); !slices.Equal(got, []string{"named.txt", "open.txt", "read.txt"}) {
				t.Errorf("shown: %v", got)
			}
			if d, err := c.Reject(t.Context(), Decide{Session: c.allSessions()[0].id}); err != nil || len(d.Refused) > 0 {
				t.Fatalf("%+v %v", d, err)
			}
			for f, want := range map[string]string{"note.txt": "the user's own\n", "other.txt": "another program's\n", "named.txt": ten, "read.txt": ten} {
				if got := readFile(t, at(f)); got != want {
					t.Errorf("%s: %q", f, got)
				}
			}
			if _, err := os.Stat(at("gone.txt")); err == nil {
				t.Error("what the user deleted is back")
			}
			turnOf(t, c, l, func(Host, string) {})
			if n := notices(c, words); n != 1 {
				t.Errorf("said %d times", n)
			}
		})
	}
}

func setHome(t *testing.T, home string) {
	t.Helper()
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
}

// A session that has a folder by its editor, or by whoever asks for it, is compared.
func TestFolderThatWasChosen(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	e.at.SetRoots(nil)
	if _, err := c.NewSession(t.Context(), NewSession{Cwd: root}); err != nil {
		t.Fatal(err)
	}
	if s := c.allSessions()[0]; s.loose != "" {
		t.Error(s.loose)
	}
}

// What acp-ls itself writes is part of no review, and no agent writes it.
func TestOwnFilesAreNotReviewed(t *testing.T) {
	for _, git := range []bool{false, true} {
		l := &fakeLauncher{}
		c, _, root := setup(t, l)
		own := filepath.Join(root, "state", "acp-ls")
		c.own = []string{own}
		if err := os.MkdirAll(own, 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(own, "journal"), "one\n")
		writeFile(t, filepath.Join(root, "a.txt"), "a\n")
		if git {
			gitInit(t, root)
		}
		turnOf(t, c, l, func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("in_progress"), Locations: &[]Location{{Path: filepath.Join(own, "journal")}}})
			c.allSessions()[0].takeNamed(t.Context())
			writeFile(t, filepath.Join(own, "journal"), "one\ntwo\n")
			writeFile(t, filepath.Join(own, "new"), "new\n")
			writeFile(t, filepath.Join(root, "a.txt"), "b\n")
			if err := h.WriteTextFile(t.Context(), sid, filepath.Join(own, "journal"), "x\n"); err == nil || !strings.Contains(err.Error(), "acp-ls's own") {
				t.Errorf("written: %v", err)
			}
			h.Update(sid, ToolPatch{ID: "t", Status: str("completed")})
		})
		if got := shownFiles(c); !slices.Equal(got, []string{"a.txt"}) {
			t.Errorf("git %v: shown: %v", git, got)
		}
		if got := readFile(t, filepath.Join(own, "journal")); got != "one\ntwo\n" {
			t.Errorf("git %v: %q", git, got)
		}
	}
}
