package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What a program writes in the very moment in which acp-ls replaces the file is an agent's, or may be one's, while
// one is at work there, and the user's else.
func TestOverwrittenInTheMoment(t *testing.T) {
	t.Parallel()
	for _, opened := range []bool{false, true} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("open %v, in a turn %v", opened, running), func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				if opened {
					e.open(uri, ten)
					awaitLook(t, c.file(buffers.Path(path)))
				}
				overwritten := func() {
					c.file(buffers.Path(path)).mergeOverwritten(ten, strings.Replace(ten, "8\n", "EIGHT\n", 1))
				}
				turnOf(t, c, l, func(h Host, sid string) {
					if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "2\n", "TWO\n", 1)); err != nil {
						t.Error(err)
					}
					if running {
						overwritten()
					}
				})
				base, want := ten, "TWO\nEIGHT\n"
				if !running {
					overwritten()
					base, want = strings.Replace(ten, "8\n", "EIGHT\n", 1), "TWO\n"
				}
				got := ""
				for _, h := range hunksOf(t, c, uri) {
					got += h.Text
				}
				if got != want {
					t.Errorf("hunks %q", got)
				}
				if is, err := c.Baseline(uri); err != nil || is != base {
					t.Errorf("baseline %q, %v", is, err)
				}
			})
		}
	}
}
