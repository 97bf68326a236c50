package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What a program of the user's wrote to a file before an agent did, and an open document had not
// taken in, is not taken back with the agent's turn, however the editor takes in both.
func TestUndoKeepsWhatAnotherProgramWroteBefore(t *testing.T) {
	t.Parallel()
	for _, can := range []string{"edit", "reload", "adopt", "base"} {
		t.Run(can, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.caps[can] = true
			e.onReload = func(u string) (bool, error) {
				e.typeAt(uri, 0, len(e.text(uri)), readFile(t, path))
				return true, nil
			}
			e.onAdopt = func(u string, _ int32, s string) (bool, error) {
				e.typeAt(uri, 0, len(e.text(uri)), s)
				return true, nil
			}
			e.onBase = func(string, int32, string) (bool, error) { return true, nil }
			e.open(uri, ten)
			awaitLook(t, c.file(buffers.Path(path)))
			e.typeAt(uri, 0, 0, "unsaved\n")
			mine := strings.Replace(ten, "3\n", "3\nprogram\n", 1)
			writeFile(t, path, mine)
			turnOf(t, c, l, func(Host, string) {
				e.typeAt(uri, 0, len("unsaved\n"), "") // undone: the document is behind now
				writeFile(t, path, strings.Replace(mine, "8\n", "8\nagent\n", 1))
			})
			if got, want := e.text(uri), strings.Replace(mine, "8\n", "8\nagent\n", 1); got != want {
				t.Fatalf("text %q, want %q", got, want)
			}
			if base, err := c.Baseline(uri); err != nil || base != mine {
				t.Errorf("baseline %q, %v", base, err)
			}
			if _, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil {
				t.Fatal(err)
			}
			if got := e.text(uri); got != mine {
				t.Errorf("after undo %q, want %q", got, mine)
			}
		})
	}
}
