package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/review"
)

// The user undoes an agent's edit in the very moment in which a hunk of it is rejected: the
// editor refuses the rejection's edit, and what is undone is no hunk of anybody's.
func TestUndoBeforeARejectionIsMade(t *testing.T) {
	t.Parallel()
	rows := "row1\nrow2\nrow3\nrow4\nrow5\nrow6\nrow7\nrow8\nrow9\n"
	agents := strings.NewReplacer("row2", "R2", "row5\n", "", "row8\n", "row8\nN8\n").Replace(rows)
	undo := []buffers.ContentChange{change(7, 8, ""), change(4, 4, "row5\n"), change(1, 2, "row2\n")}
	for rejected := range 3 {
		for name, told := range map[string][][]buffers.ContentChange{
			"at once":     {undo},
			"in parts":    {undo[:1], undo[1:2], undo[2:]},
			"as one part": {{change(1, 8, "row2\nrow3\nrow4\nrow5\nrow6\nrow7\nrow8\n")}},
		} {
			t.Run(fmt.Sprintf("hunk %d, %s", rejected, name), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				writeFile(t, path, rows)
				e.open(uri, rows)
				turnOf(t, c, l, func(h Host, sid string) {
					if err := h.WriteTextFile(t.Context(), sid, path, agents); err != nil {
						t.Error(err)
					}
				})
				e.onApply = func(d DocumentEdit) (bool, error) {
					e.onApply = nil
					for _, changes := range told {
						e.changes(uri, changes)
					}
					return true, ErrRefused
				}
				if _, err := c.Reject(t.Context(), Decide{Hunks: []string{hunksOf(t, c, uri)[rejected].ID}}); err != nil {
					t.Fatal(err)
				}
				if got := e.text(uri); got != rows {
					t.Errorf("text %q, want %q", got, rows)
				}
				if got, err := c.Baseline(uri); err != nil || got != rows {
					t.Errorf("baseline %q, %v, want %q", got, err, rows)
				}
				if got := hunksOf(t, c, uri, review.StatePending); len(got) > 0 {
					t.Errorf("hunks %+v", got)
				}
			})
		}
	}
}

// change replaces whole rows, 0-based.
func change(from, to uint32, s string) buffers.ContentChange {
	return buffers.ContentChange{Range: &position.Range{Start: position.Position{Line: from}, End: position.Position{Line: to}}, Text: s}
}
