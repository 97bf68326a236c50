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
	for name, wrote := range map[string]func(t *testing.T, h Host, sid, path string){
		"through us": func(t *testing.T, h Host, sid, path string) {
			if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "5\n", "5\nAGENT\n", 1)); err != nil {
				t.Error(err)
			}
		},
		"on disk": func(t *testing.T, _ Host, _, path string) {
			writeFile(t, path, strings.Replace(ten, "5\n", "5\nAGENT\n", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
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
				}
				return disk, err
			}
			turnOf(t, c, l, func(h Host, sid string) {
				if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
					t.Error(err)
				}
				wrote(t, h, sid, path)
				armed.Store(true)
				for range 2 {
					c.turnPoint(c.allSessions()[0], c.allSessions()[0].running)
				}
				if !hit.Load() {
					t.Error("it was not read")
				}
				if name == "through us" { // it takes back what it did
					if err := h.WriteTextFile(t.Context(), sid, path, ten); err != nil {
						t.Error(err)
					}
				}
			})
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Error(err)
			}
			if got, want := readFile(t, path), strings.Replace(ten, "2\n", "2\nUSER\n", 1); got != want {
				t.Errorf("text %q, want %q", got, want)
			}
		})
	}
}
