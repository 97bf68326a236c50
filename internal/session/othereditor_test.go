package session

import (
	"fmt"
	"runtime"
	"testing"

	"acp-ls/internal/review/journal"
)

// Two editors have one folder open, and the acp-ls of one ends, however that is. Its hunks are its next
// one's, whose documents have the text, as long as the editor lives: the other's acp-ls leaves them alone,
// and so does one that is started in a third editor, which says where they are. When the editor has ended
// too, they are whoever's is there.
func TestLeftForTheEditorThatLives(t *testing.T) {
	t.Parallel()
	switch runtime.GOOS {
	case "linux", "darwin", "windows":
	default:
		t.Skip("it is not known here whether an editor lives")
	}
	for _, lives := range []bool{true, false} {
		for _, unsaved := range []bool{true, false} {
			for _, third := range []bool{false, true} {
				t.Run(fmt.Sprintf("lives %v, unsaved %v, third %v", lives, unsaved, third), func(t *testing.T) {
					t.Parallel()
					w, v := newEarth(t), newEarth(t)
					v.root, v.state = w.root, w.state
					if w.editor = journal.Parent(); !lives {
						w.editor += "0" // as of one that has ended
					}
					writeFile(t, w.path("f"), abc)
					writeFile(t, w.path("shut"), abc)
					w.start()
					if !third {
						v.start()
					}
					w.e.open(w.uri("f"), abc)
					if unsaved {
						w.e.replace(w.uri("f"), "a\n", "user\na\n")
					}
					w.agent("f", aBc)
					w.agent("shut", aBc)
					text := w.e.text(w.uri("f"))
					w.e.at.Detach()
					w.close()
					if third {
						v.start()
					}
					v.c.durable.neighbours(t.Context())
					want := map[bool]string{true: "", false: "b|>B|"}[lives]
					v.wantHunks("shut", want)
					if !lives {
						v.e.open(v.uri("f"), text)
						v.wantHunks("f", want)
						return
					}
					if third {
						v.wantTold("Left undecided in another editor: f, shut")
					}
					w.start()
					w.e.open(w.uri("f"), text)
					w.wantHunks("f", "b|>B|")
					w.wantHunks("shut", "b|>B|")
					v.c.durable.neighbours(t.Context()) // now it is one that lives
					v.wantHunks("f", "")
					if _, err := w.c.Reject(t.Context(), Decide{}); err != nil {
						t.Error(err)
					}
					if got := readFile(t, w.path("shut")); got != abc {
						t.Errorf("all rejected, there is %q", got)
					}
				})
			}
		}
	}
}
