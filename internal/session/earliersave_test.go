package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// An editor that writes what its document had before, and takes the document for saved all the same (VS Code, whose
// user undoes and redoes while it writes), leaves an older text on disk. That is no change of anybody's: whoever looks
// at the disk next, for a decision or as an agent has written on, does not read it over what the user sees.
func TestEarlierTextOnDisk(t *testing.T) {
	t.Parallel()
	agents := strings.Replace(ten, "9\n", "NINE\n", 1)
	mine := strings.Replace(agents, "2\n", "2 USER\n", 1)
	ways := map[string]struct{ saved, written, is string }{
		"undone, and redone":      {mine, agents, mine},
		"typed, and undone":       {agents, mine, agents},
		"typed, undone and typed": {agents, mine, strings.Replace(mine, "USER", "USER AGAIN", 1)},
	}
	for name, x := range ways {
		for _, seen := range []bool{false, true} { // the disk is looked at before the editor tells
			for _, then := range []string{"rejected", "an agent writes on", "all rejected in a turn"} {
				t.Run(fmt.Sprintf("%s, seen %v, %s", name, seen, then), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					c.unwatched = true
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					writeFile(t, path, ten)
					e.open(uri, ten)
					awaitLook(t, c.file(buffers.Path(path)))
					turnOf(t, c, l, func(Host, string) {
						writeFile(t, path, agents)
						e.readAnew(uri, path)
						lookNow(c)
					})
					if x.saved != agents {
						e.replace(uri, "2\n", "2 USER\n")
						writeFile(t, path, x.saved)
						e.send(buffers.Save{URI: uri})
					}
					race := func() {
						told := false
						tell := func(string) (bool, error) {
							if !told {
								told = true
								e.send(buffers.Save{URI: uri, Earlier: true})
							}
							return false, nil
						}
						e.note(func() { e.caps["reload"], e.onReload = true, tell })
						e.typeAt(uri, 0, len(e.text(uri)), x.written)
						writeFile(t, path, x.written)
						e.typeAt(uri, 0, len(e.text(uri)), x.is)
						if seen && then != "rejected" {
							lookNow(c)
						}
						_, _ = tell(uri)
					}
					want := x.is
					reject := func() {
						if _, err := c.Reject(t.Context(), Decide{}); err != nil {
							t.Error(err)
						}
						want = strings.Replace(want, "NINE", "9", 1)
					}
					if then == "rejected" {
						race()
						reject()
					} else {
						turnOf(t, c, l, func(Host, string) {
							race()
							if then == "all rejected in a turn" {
								reject()
								return
							}
							writeFile(t, path, strings.Replace(x.written, "5\n", "FIVE\n", 1))
							lookNow(c)
							want = strings.Replace(want, "5\n", "FIVE\n", 1)
						})
					}
					turnOf(t, c, l, func(Host, string) { lookNow(c) })
					if got := e.text(uri); got != want {
						t.Errorf("text %q, want %q", got, want)
					}
					base := strings.NewReplacer("NINE", "9", "FIVE", "5").Replace(want)
					if got, err := c.Baseline(uri); err != nil || got != base {
						t.Errorf("baseline %q, %v, want %q", got, err, base)
					}
					if h := hunksOf(t, c, uri, review.StateConflict); len(h) > 0 {
						t.Errorf("conflicts %+v", h)
					}
					for _, m := range e.said() {
						t.Errorf("told %q", m)
					}
				})
			}
		}
	}
}
