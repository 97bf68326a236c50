package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// An editor that takes its time to write what the user has typed leaves the beginning of it on disk for a while, also to
// those who look twice: that is no change of anybody's, whether a turn begins or runs. An agent that cuts off the end of a
// file has changed it.
func TestEditorIsStillWriting(t *testing.T) {
	t.Parallel()
	mine := strings.Replace(ten, "2\n", "2 USER\n", 1)
	for _, inTurn := range []bool{false, true} {
		for _, agents := range []bool{false, true} {
			t.Run(fmt.Sprintf("in a turn %v, an agent's %v", inTurn, agents), func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				c.unwatched = true
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				half, whole := strings.Index(mine, "6\n"), mine
				looks := 0
				c.read = func(p buffers.Path) (buffers.Disk, error) {
					disk, err := buffers.ReadDisk(p)
					if string(p) == path && disk.Content == mine[:half] {
						if looks++; looks == 5 { // somebody has looked twice by then
							writeFile(t, path, whole)
						}
					}
					return disk, err
				}
				e.at.store = buffers.NewStore(buffers.Options{Encoding: e.enc, ReadDisk: c.read})
				writeFile(t, path, ten)
				e.open(uri, ten)
				awaitLook(t, c.file(buffers.Path(path)))
				write := func() {
					if agents {
						writeFile(t, path, ten[:strings.Index(ten, "6\n")])
					} else {
						writeFile(t, path, mine[:half])
					}
				}
				e.typeAt(uri, 0, len(ten), mine)
				if !inTurn {
					write()
				}
				turnOf(t, c, l, func(Host, string) {
					if inTurn {
						write()
					}
					lookNow(c)
				})
				want := mine
				if agents {
					want = mine[:half]
				}
				if got := e.text(uri); got != want {
					t.Errorf("text %q, want %q", got, want)
				}
				base := want
				if agents && inTurn {
					base = mine
				}
				if got, err := c.Baseline(uri); err != nil || got != base {
					t.Errorf("baseline %q, %v, want %q", got, err, base)
				}
			})
		}
	}
}
