package session

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// namesUnder is what there is under a folder: names, of folders with a slash.
func namesUnder(t *testing.T, root string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		name, err := filepath.Rel(root, p)
		if d.IsDir() {
			name += "/"
		}
		out = append(out, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// older waits until what is made from now on is younger than a folder, whichever clock is asked.
func (w *earth) older(name string) {
	w.t.Helper()
	probe := filepath.Join(w.state, "probe")
	for {
		writeFile(w.t, probe, "")
		made, err := os.Stat(w.path(name))
		now, err2 := os.Stat(probe)
		if err != nil || err2 != nil {
			w.t.Fatal(err, err2)
		}
		if now.ModTime().Sub(made.ModTime()) > 100*time.Millisecond {
			return
		}
	}
}

// The folders that were made for files of an agent's go with the last of them when they are rejected,
// whichever turns have made them, and whatever has become of the session and of acp-ls since; those
// that were there before stay, and those that somebody has put something into.
func TestFoldersMadeForFiles(t *testing.T) {
	t.Parallel()
	const name, other = "old/n/deep/a.txt", "old/n/deep/b.txt"
	rejectAll := func(w *earth) {
		w.t.Helper()
		w.decided(w.c.Reject(w.t.Context(), Decide{}))
	}
	reject := func(w *earth, name string) {
		w.t.Helper()
		w.decided(w.c.Reject(w.t.Context(), Decide{URI: w.uri(name)}))
	}
	byItself := func(w *earth, name, content string) {
		turnOf(w.t, w.c, w.l, func(Host, string) {
			if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
				w.t.Error(err)
			}
			writeFile(w.t, w.path(name), content)
		})
	}
	for _, x := range []struct {
		what string
		do   func(w *earth)
		left string
	}{
		{"in one turn", func(w *earth) { w.agent(name, "a\n"); rejectAll(w) }, "old/"},
		{"by itself", func(w *earth) { byItself(w, name, "a\n"); rejectAll(w) }, "old/"},
		{"no text", func(w *earth) { byItself(w, name, "\x00a\n"); rejectAll(w) }, "old/"},
		{"an empty file", func(w *earth) { w.agent(name, ""); rejectAll(w) }, "old/"},
		{"in a document", func(w *earth) {
			w.agent(name, "a\n")
			w.e.open(w.uri(name), "a\n")
			rejectAll(w)
		}, "old/"},
		{"of two turns, the first first", func(w *earth) {
			w.agent(name, "a\n")
			w.agent(other, "b\n")
			reject(w, name)
			reject(w, other)
		}, "old/"},
		{"of two turns, the last first", func(w *earth) {
			w.agent(name, "a\n")
			w.agent(other, "b\n")
			reject(w, other)
			reject(w, name)
		}, "old/"},
		{"of two turns, one in the other", func(w *earth) {
			w.agent("old/n/a.txt", "a\n")
			w.agent(other, "b\n")
			reject(w, "old/n/a.txt")
			reject(w, other)
		}, "old/"},
		{"after a crash", func(w *earth) { w.agent(name, "a\n"); w.again(true); rejectAll(w) }, ""}, // which makes all folders anew here
		{"after a restart", func(w *earth) { w.agent(name, "a\n"); w.again(false); rejectAll(w) }, "old/"},
		{"after two restarts", func(w *earth) {
			w.agent(name, "a\n")
			w.again(false)
			w.again(false)
			rejectAll(w)
		}, "old/"},
		{"no text, after a restart", func(w *earth) { byItself(w, name, "\x00a\n"); w.again(false); rejectAll(w) }, "old/"},
		{"of an ended session", func(w *earth) {
			w.agent(name, "a\n")
			if err := w.c.CloseSession(w.t.Context(), w.c.allSessions()[0].id); err != nil {
				w.t.Fatal(err)
			}
			rejectAll(w)
		}, "old/"},
		{"a file that was moved there", func(w *earth) {
			writeFile(w.t, w.path("old/a.txt"), "one\ntwo\nthree\n")
			turnOf(w.t, w.c, w.l, func(Host, string) {
				if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
					w.t.Error(err)
				}
				if err := os.Rename(w.path("old/a.txt"), w.path(name)); err != nil {
					w.t.Error(err)
				}
			})
			rejectAll(w)
		}, "old/ old/a.txt"},
		{"the session is undone", func(w *earth) {
			w.agent(name, "a\n")
			w.accept(name)
			w.undoAll(w.c.allSessions()[0].id, "", "")
		}, "old/"},
		{"brought back", func(w *earth) {
			w.agent(name, "a\n")
			d, err := w.c.Reject(w.t.Context(), Decide{})
			w.decided(d, err)
			w.decided(w.c.Restore(w.t.Context(), Decide{Hunks: d.Decided}))
		}, "old/ old/n/ old/n/deep/ " + name},
		{"brought back and rejected again", func(w *earth) {
			w.agent(name, "a\n")
			d, err := w.c.Reject(w.t.Context(), Decide{})
			w.decided(d, err)
			w.decided(w.c.Restore(w.t.Context(), Decide{Hunks: d.Decided}))
			rejectAll(w)
		}, "old/"},
		{"one is kept", func(w *earth) {
			w.agent(name, "a\n")
			w.agent(other, "b\n")
			reject(w, name)
		}, "old/ old/n/ old/n/deep/ " + other},
		{"the user's file is in it", func(w *earth) {
			w.agent(name, "a\n")
			writeFile(w.t, w.path("old/n/mine"), "m\n")
			w.again(false)
			rejectAll(w)
		}, "old/ old/n/ old/n/mine"},
		{"the user has made one between the turns", func(w *earth) {
			w.agent("c.txt", "c\n")
			if err := os.Mkdir(w.path("old/n"), 0o755); err != nil {
				w.t.Fatal(err)
			}
			w.older("old/n")
			w.agent(name, "a\n")
			rejectAll(w)
		}, "old/ old/n/"},
	} {
		t.Run(x.what, func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			if err := os.Mkdir(w.path("old"), 0o755); err != nil {
				t.Fatal(err)
			}
			w.older("old")
			w.start()
			x.do(w)
			if got := namesUnder(t, w.root); got != x.left {
				t.Errorf("left %s, want %s", got, x.left)
			}
		})
	}
}
