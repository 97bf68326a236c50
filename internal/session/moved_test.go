package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// Where acp-ls gives a file another name that is open, by rejecting or undoing an agent's rename or by bringing
// that back, its editor is told: saved there it would be a file again. What is unsaved in it the file has then.
func TestEditorIsToldOfAFileThatIsMoved(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"rejected", "undone"} {
		for _, opens := range []string{"nothing", "the new name", "the new name, typed in", "both names"} {
			t.Run(how+", open: "+opens, func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				at := func(n string) string { return filepath.Join(root, n) }
				f, g := buffers.PathURI(at("f")), buffers.PathURI(at("g"))
				writeFile(t, at("f"), ten)
				if opens == "both names" {
					e.open(f, ten)
					awaitLook(t, c.file(buffers.Path(at("f"))))
				}
				turnOf(t, c, l, func(Host, string) {
					if err := os.Rename(at("f"), at("g")); err != nil {
						t.Error(err)
					}
				})
				var want [][2]string
				text := ten
				if opens != "nothing" {
					e.open(g, ten)
					awaitLook(t, c.file(buffers.Path(at("g"))))
					want = [][2]string{{g, f}}
				}
				if opens == "the new name, typed in" {
					e.replace(g, "9\n", "9 USER\n")
					text = strings.Replace(ten, "9\n", "9 USER\n", 1)
				}
				told := func(when string) {
					t.Helper()
					e.mu.Lock()
					defer e.mu.Unlock()
					if !slices.Equal(e.moves, want) {
						t.Errorf("%s: told %q, want %q", when, e.moves, want)
					}
				}
				decide := func() (Decision, error) { return c.Reject(t.Context(), Decide{}) }
				if how != "rejected" {
					s := c.allSessions()[0]
					decide = func() (Decision, error) { return c.Undo(t.Context(), s.id, "") }
				}
				if d, err := decide(); err != nil || len(d.Refused) > 0 {
					t.Fatalf("%+v %v", d, err)
				}
				told("taken back")
				if isThere(buffers.Path(at("g"))) || readFile(t, at("f")) != text {
					t.Errorf("f has %q, want %q", readFile(t, at("f")), text)
				}
				if opens != "nothing" { // as is asked of the editor
					if opens != "both names" {
						e.open(f, text)
						awaitLook(t, c.file(buffers.Path(at("f"))))
					}
					e.close(g)
					want = append(want, [2]string{f, g})
				}
				if d, err := c.Restore(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Fatalf("%+v %v", d, err)
				}
				told("brought back")
				if isThere(buffers.Path(at("f"))) || readFile(t, at("g")) != text {
					t.Errorf("g has %q, want %q", readFile(t, at("g")), text)
				}
			})
		}
	}
}
