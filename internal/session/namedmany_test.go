package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// That more files were named in a turn than are looked at is said, once.
func TestManyNamedFiles(t *testing.T) {
	was := maxNames
	defer func() { maxNames = was }()
	maxNames = 3
	for n, want := range map[int]int{3: 0, 6: 1} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		turnOf(t, c, l, func(h Host, sid string) {
			for i := range n {
				h.Update(sid, ToolPatch{ID: fmt.Sprint(i), Kind: ptr("edit"), Status: ptr("in_progress"), Locations: &[]Location{{Path: filepath.Join(root, fmt.Sprint(i))}}})
				c.allSessions()[0].takeNamed(t.Context())
			}
		})
		said := 0
		for _, en := range e.entries["s1"] {
			if strings.Contains(en.Text, "more than 3 files were named in one turn") {
				said++
			}
		}
		if said != want {
			t.Errorf("of %d files it is said %d times", n, said)
		}
	}
}
