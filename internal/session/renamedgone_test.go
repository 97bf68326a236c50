package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"acp-ls/buffers"
)

// A file that one turn renames and a later one deletes is deleted, while nobody has decided on either: taking that
// back brings it back, with the name that it had.
func TestRenamedAndDeletedByALaterTurn(t *testing.T) {
	t.Parallel()
	const changed = "agent\n" + ten
	for name, undo := range map[string]func(c *Core, t *testing.T, s, first, second string) (Decision, error){
		"rejected": func(c *Core, t *testing.T, _, _, _ string) (Decision, error) { return c.Reject(t.Context(), Decide{}) },
		"the turn is undone": func(c *Core, t *testing.T, s, _, second string) (Decision, error) {
			return c.Undo(t.Context(), s, second)
		},
		"undone": func(c *Core, t *testing.T, s, _, _ string) (Decision, error) { return c.Undo(t.Context(), s, "") },
		"the rename is undone first": func(c *Core, t *testing.T, s, first, second string) (Decision, error) {
			if d, err := c.Undo(t.Context(), s, first); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v %v", d, err)
			}
			return c.Undo(t.Context(), s, second)
		},
	} {
		for _, open := range []bool{false, true} {
			for _, edited := range []bool{false, true} { // with the rename
				t.Run(fmt.Sprintf("%s, open %v, edited %v", name, open, edited), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					at := func(n string) string { return filepath.Join(root, n) }
					writeFile(t, at("f"), ten)
					if open {
						e.open(buffers.PathURI(at("f")), ten)
					}
					turnOf(t, c, l, func(Host, string) {
						if os.Rename(at("f"), at("g")); edited {
							writeFile(t, at("g"), changed)
						}
					})
					s := c.allSessions()[0]
					first := s.lastSent
					turnOf(t, c, l, func(Host, string) { os.Remove(at("g")) })
					if r := c.Reviews("", ""); len(r) != 1 || r[0].Path != at("f") || r[0].File == nil || r[0].File.Op != "delete" {
						t.Errorf("to be reviewed is %+v", r)
					}
					if d, err := undo(c, t, s.id, first, s.lastSent); err != nil && KindOf(err) != KindInvalid || len(d.Refused) > 0 {
						t.Errorf("%+v %v", d, err)
					}
					want := ten
					if name == "the turn is undone" && edited && !open {
						want = changed // which is undecided
					}
					if got := wholeTree(t, root); !sameTree(got, map[string]string{"f": "false " + want}) {
						t.Errorf("there is %q", got)
					}
					if open && e.text(buffers.PathURI(at("f"))) != ten {
						t.Errorf("the document has %q", e.text(buffers.PathURI(at("f"))))
					}
				})
			}
		}
	}
}
