package session

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"acp-ls/buffers"
)

// What was read of a file before its document was saved and closed is over, however late it is
// known: what the user saved is theirs.
func TestReadBeforeASave(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	var armed, hit atomic.Bool
	c.read = func(p buffers.Path) (buffers.Disk, error) {
		disk, err := buffers.ReadDisk(p)
		if filepath.Base(string(p)) == "a" && armed.CompareAndSwap(true, false) {
			hit.Store(true)
			e.open(uri, readFile(t, path))
			e.replace(uri, "2\n", "2\nUSER\n")
			writeFile(t, path, e.text(uri))
			e.send(buffers.Save{URI: uri})
			e.close(uri)
			e.await("closed", func() bool {
				f := c.file(p)
				f.mu.Lock()
				defer f.mu.Unlock()
				return len(f.open) == 0
			})
		}
		return disk, err
	}
	turnOf(t, c, l, func(h Host, sid string) {
		if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
			t.Error(err)
		}
		write := func(s string) {
			if err := h.WriteTextFile(t.Context(), sid, path, s); err != nil {
				t.Error(err)
			}
		}
		write(strings.Replace(ten, "5\n", "5\nAGENT\n", 1))
		armed.Store(true)
		c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
		if !hit.Load() {
			t.Error("it was not read")
		}
		if h := hunksOf(t, c, uri); len(h) != 1 || h[0].BaseText != "" {
			t.Errorf("hunks %+v", h)
		}
		if base, err := c.Baseline(uri); err != nil || base != strings.Replace(ten, "2\n", "2\nUSER\n", 1) {
			t.Errorf("baseline %q, %v", base, err)
		}
		write(ten) // it takes back what it did
	})
	if _, err := c.Reject(t.Context(), Decide{}); err != nil {
		t.Error(err)
	}
	if got, want := readFile(t, path), strings.Replace(ten, "2\n", "2\nUSER\n", 1); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}
