package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
)

// An editor may tell of an edit in as many changes as it has parts, in one notification
// and with what the user typed in the same breath: the parts are the agent's, each where
// it belongs, and the keys the user's.
func TestAnEditInParts(t *testing.T) {
	key := func(line uint32, s string) buffers.ContentChange {
		at := position.Position{Line: line, Character: 0}
		return buffers.ContentChange{Range: &position.Range{Start: at, End: at}, Text: s}
	}
	want := strings.NewReplacer("3\n", "3 AGENT\n", "5\n", "5 AGENT\n", "8\n", "").Replace(ten)
	for name, tt := range map[string]struct {
		first, last []buffers.ContentChange
		keyed       func(string) string
	}{
		"alone":             {keyed: func(s string) string { return s }},
		"a key before":      {first: []buffers.ContentChange{key(0, "K")}, keyed: func(s string) string { return "K" + s }},
		"a key after":       {last: []buffers.ContentChange{key(0, "K")}, keyed: func(s string) string { return "K" + s }},
		"a row after":       {last: []buffers.ContentChange{key(0, "K\n")}, keyed: func(s string) string { return "K\n" + s }},
		"keys on both ends": {first: []buffers.ContentChange{key(9, "K")}, last: []buffers.ContentChange{key(0, "K")}, keyed: func(s string) string { return "K" + strings.Replace(s, "10\n", "K10\n", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			e.onApply = func(d DocumentEdit) (bool, error) {
				e.onApply = nil
				changes := slices.Clone(tt.first)
				for _, part := range slices.Backward(d.Edits) {
					changes = append(changes, buffers.ContentChange{Range: &part.Range, Text: part.NewText})
				}
				e.changes(uri, append(changes, tt.last...))
				return true, nil
			}
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, want); err != nil {
					t.Error(err)
				}
			})
			if got := e.text(uri); got != tt.keyed(want) {
				t.Errorf("text %q, want %q", got, tt.keyed(want))
			}
			if got, err := c.Baseline(uri); err != nil || got != tt.keyed(ten) {
				t.Errorf("baseline %q, %v, want %q", got, err, tt.keyed(ten))
			}
			if got := hunksOf(t, c, uri); len(got) != 3 {
				t.Errorf("%d hunks %+v, want 3", len(got), got)
			}
		})
	}
}
