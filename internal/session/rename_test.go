package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What is undecided in a file goes with it where the user renames it behind the editor's
// back, once it is opened under its new name.
func TestRenamedInAShell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before func(e *fakeEditor, uri, text string)
		after  func(e *fakeEditor, uri string)
	}{
		{"never open", func(*fakeEditor, string, string) {}, func(*fakeEditor, string) {}},
		{"open all the time", func(e *fakeEditor, uri, text string) { e.open(uri, text) }, func(*fakeEditor, string) {}},
		{"closed before", func(e *fakeEditor, uri, text string) { e.open(uri, text); e.close(uri) }, func(*fakeEditor, string) {}},
		{"closed after", func(e *fakeEditor, uri, text string) { e.open(uri, text) }, func(e *fakeEditor, uri string) { e.close(uri) }},
	} {
		for _, noticed := range []bool{false, true} {
			t.Run(c.name+map[bool]string{true: ", noticed"}[noticed], func(t *testing.T) {
				l := &fakeLauncher{}
				core, e, root := setup(t, l)
				old, path := filepath.Join(root, "a.txt"), filepath.Join(root, "b.txt")
				uri, newURI := buffers.PathURI(old), buffers.PathURI(path)
				writeFile(t, old, ten)
				agents := strings.Replace(ten, "5\n", "5 AGENT\n", 1)
				diskTurn(t, core, l, old, func(string) string { return agents })
				c.before(e, uri, agents)
				if err := os.Rename(old, path); err != nil {
					t.Fatal(err)
				}
				if noticed {
					turnOf(t, core, l, func(Host, string) {})
				}
				c.after(e, uri)
				e.open(newURI, agents)
				e.await("the hunk under the new name", func() bool { return len(e.reviews[newURI].Hunks) == 1 })
				if _, err := core.Reject(t.Context(), Decide{URI: newURI, Rev: e.reviews[newURI].Rev}); err != nil {
					t.Fatal(err)
				}
				if got := e.text(newURI); got != ten {
					t.Errorf("text %q", got)
				}
			})
		}
	}
}

// A file that nobody has open is followed at once, where its new name can be found: what is undecided in it
// is reviewed there, without anybody opening it.
func TestRenamedInAShellUnopened(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"b.txt", "sub/b.txt"} {
		for _, again := range []bool{false, true} { // and back
			for _, twin := range []bool{false, true} { // which of two it is nobody knows
				l := &fakeLauncher{}
				core, e, root := setup(t, l)
				core.unwatched = true
				old, path := filepath.Join(root, "a.txt"), filepath.Join(root, to)
				writeFile(t, old, ten)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				agents := strings.Replace(ten, "5\n", "5 AGENT\n", 1)
				diskTurn(t, core, l, old, func(string) string { return agents })
				if twin {
					writeFile(t, path+".copy", agents)
				}
				move := func(from, to string) {
					if err := os.Rename(from, to); err != nil {
						t.Fatal(err)
					}
					core.foldersChanged([]string{root, filepath.Dir(path)})
				}
				move(old, path)
				has := func(path string, hunks int) func() bool {
					return func() bool { return len(e.reviews[buffers.PathURI(path)].Hunks) == hunks }
				}
				e.await("no hunk under the old name", has(old, 0))
				if twin {
					core.foldersChanged([]string{root})
					if n := len(hunksOf(t, core, buffers.PathURI(path), review.StatePending)); n > 0 {
						t.Errorf("%s: %d hunks, and it may be the other one", to, n)
					}
					continue
				}
				e.await("the hunk under the new name", has(path, 1))
				at := path
				if again {
					move(path, old)
					e.await("the hunk under the old name", has(old, 1))
					at = old
				}
				if _, err := core.Reject(t.Context(), Decide{}); err != nil {
					t.Fatal(err)
				}
				if got := readFile(t, at); got != ten {
					t.Errorf("%s, again %v: the file is %q", to, again, got)
				}
			}
		}
	}
}

// A text that is found elsewhere while the file is where it was, or that says nothing, is no rename.
func TestNotRenamed(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	core, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	writeFile(t, path, ten)
	agents := strings.Replace(ten, "5\n", "5 AGENT\n", 1)
	diskTurn(t, core, l, path, func(string) string { return agents })
	other := buffers.PathURI(filepath.Join(root, "b.txt"))
	e.open(other, agents)
	gone := filepath.Join(root, "gone.txt")
	writeFile(t, gone, ten)
	turnOf(t, core, l, func(Host, string) { _ = os.Remove(gone) })
	empty := buffers.PathURI(filepath.Join(root, "c.txt"))
	e.open(empty, "")
	turnOf(t, core, l, func(Host, string) {})
	for _, uri := range []string{other, empty} {
		if got := hunksOf(t, core, uri, review.StatePending); len(got) != 0 {
			t.Errorf("%s has hunks %+v", uri, got)
		}
	}
}
