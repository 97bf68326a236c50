package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is no text, and that two turns have changed, is undone by each of them, the last first,
// whenever that was accepted, and not at all; what cannot be is said.
func TestUndoOfTurnsOfABinary(t *testing.T) {
	t.Parallel()
	const gone = "gone"
	for _, c := range []struct {
		name   string
		states [3]string
	}{
		{"written over", [3]string{"\x00a", "\x00b", "\x00c"}},
		{"made", [3]string{gone, "\x00b", "\x00c"}},
		{"deleted", [3]string{"\x00a", "\x00b", gone}},
		{"deleted and made", [3]string{"\x00a", gone, "\x00c"}},
		{"of text", [3]string{ten, "\x00b", "\x00c"}},
		{"to text", [3]string{"\x00a", "\x00b", ten}},
	} {
		for _, accepted := range []string{"each", "both", "not"} {
			for _, changed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, accepted %s, changed %v", c.name, accepted, changed), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					core, _, root := setup(t, l)
					path := filepath.Join(root, "f")
					is := func() string {
						if b, err := os.ReadFile(path); err == nil {
							return string(b)
						}
						return gone
					}
					make := func(s string) {
						if s == gone {
							os.Remove(path)
							return
						}
						writeFile(t, path, s)
					}
					make(c.states[0])
					for i, next := range c.states[1:] {
						turnOf(t, core, l, func(Host, string) { make(next) })
						if accepted == "each" || accepted == "both" && i == 1 {
							if _, err := core.Accept(t.Context(), Decide{}); err != nil {
								t.Fatal(err)
							}
						}
					}
					id := core.allSessions()[0].id
					undo := func(turn int) string {
						d, err := core.Undo(t.Context(), id, fmt.Sprintf("%s.%d", id, turn))
						if err != nil {
							t.Fatal(err)
						}
						said := ""
						for _, r := range d.Refused {
							said += r.Reason + "\n"
						}
						if said == "" && len(d.Files) != 1 {
							t.Errorf("turn %d: told of %+v", turn, d.Files)
						}
						return said
					}
					if changed {
						make("\x00users")
						if said := undo(2); !strings.Contains(said, "it has been changed since") || is() != "\x00users" {
							t.Errorf("changed since there is %q, refused %q", is(), said)
						}
						return
					}
					for turn := 2; turn > 0; turn-- {
						if said := undo(turn); said != "" || is() != c.states[turn-1] {
							t.Errorf("without turn %d there is %q, refused %q", turn, is(), said)
						}
					}
					if n := pendingIn(core.Reviews("", "")); n > 0 {
						t.Errorf("%d are undecided", n)
					}
				})
			}
		}
	}
}
