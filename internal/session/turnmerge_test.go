package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What another program has changed under unsaved text before a turn comes into the text with
// what the agent changes on disk: else saving would overwrite it, and the editor, which has
// adopted the agent's state of the disk, would not ask. It is no change of the agent's.
func TestOthersChangeBeforeATurnComesIn(t *testing.T) {
	t.Parallel()
	for name, adopts := range map[string]bool{"adopted": true, "edited": false} {
		for _, through := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				e.caps["adopt"] = adopts
				e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
					e.send(buffers.Close{URI: uri})
					e.open(uri, readFile(t, filepath.Join(root, "a")))
					e.typeAt(uri, 0, len(e.text(uri)), s)
					return true, nil
				}
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				e.open(uri, ten)
				turnOf(t, c, l, func(Host, string) {}) // behind which it is known what the disk had
				e.replace(uri, "9\n", "9 USER\n")
				other := strings.Replace(ten, "1\n", "1 OTHER\n", 1)
				writeFile(t, path, other)
				turnOf(t, c, l, func(h Host, sid string) {
					if through {
						read, err := h.ReadTextFile(t.Context(), sid, path, nil, nil)
						if err != nil {
							t.Error(err)
						}
						if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(read, "5\n", "5 AGENT\n", 1)); err != nil {
							t.Error(err)
						}
						return
					}
					writeFile(t, path, strings.Replace(other, "5\n", "5 AGENT\n", 1))
				})
				want := strings.NewReplacer("1\n", "1 OTHER\n", "5\n", "5 AGENT\n", "9\n", "9 USER\n").Replace(ten)
				if got := e.text(uri); got != want {
					t.Errorf("text %q", got)
				}
				if base, err := c.Baseline(uri); err != nil || base != strings.Replace(want, " AGENT", "", 1) {
					t.Errorf("baseline %q, %v", base, err)
				}
			})
		}
	}
}
