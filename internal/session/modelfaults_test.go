package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What the disk has of an agent's is the agent's also when it was a conflict at first,
// and comes into the text because the user has taken back what it was one with. Then
// there is no conflict any more.
func TestConflictThatBecomesTheText(t *testing.T) {
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
