package session

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What the user has saved by the old name of a rename, and the agent writes over when it gives the file that name back,
// or leaves alone when it takes the new one away, is the user's: nothing stays listed of the rename, and rejecting gives it
// back, also after a restart, or where the agent deletes the file then.
func TestOldNameThatIsTheUsersIsTaken(t *testing.T) {
	t.Parallel()
	const old, other = "m", "z"
	mine := strings.Replace(ten, "9\n", "9 mine\n", 1)
	for _, open := range []bool{true, false} {
		for _, edits := range []string{"", "first", "away"} {
			for _, then := range []string{"back", "back and gone", "back, restart", "gone"} {
				t.Run(fmt.Sprintf("open %v, edits %s, %s", open, edits, then), func(t *testing.T) {
					t.Parallel()
					w := newEarth(t)
					w.prepare = func(e *fakeEditor) {
						e.caps["reload"] = true
						e.onReload = func(uri string) (bool, error) {
							if !isThere(buffers.Path(w.path(old))) {
								return false, nil
							}
							e.reopen(uri, w.path(old))
							return true, nil
						}
					}
					w.start()
					edit := func(name, row string) {
						writeFile(t, w.path(name), strings.Replace(readFile(t, w.path(name)), row, "AGENT "+row, 1))
					}
					move := func(from, to string) {
						if err := os.Rename(w.path(from), w.path(to)); err != nil {
							t.Error(err)
						}
					}
					writeFile(t, w.path(old), ten)
					if open {
						w.e.open(w.uri(old), ten)
						awaitLook(t, w.c.file(buffers.Path(w.path(old))))
					}
					turnOf(t, w.c, w.l, func(Host, string) {
						if edits == "first" {
							edit(old, "2\n")
						}
						move(old, other)
					})
					if open {
						w.e.replace(w.uri(old), "9\n", "9 mine\n")
						writeFile(t, w.path(old), mine)
						w.e.send(buffers.Save{URI: w.uri(old)})
					} else {
						writeFile(t, w.path(old), mine)
					}
					turnOf(t, w.c, w.l, func(Host, string) {
						if edits == "away" {
							edit(other, "5\n")
						}
						if then == "gone" {
							remove(t, w.path(other))
						} else {
							move(other, old)
						}
					})
					if got := w.hunks(other); got != "" {
						t.Errorf("hunks of %s: %s", other, got)
					}
					if got := w.hunks(old); (got == "") != (then == "gone") || strings.Contains(got, "rename") || strings.Contains(got, "AGENT") != (edits != "" && then != "gone") {
						t.Errorf("hunks of %s: %s", old, got)
					}
					switch then {
					case "back and gone":
						turnOf(t, w.c, w.l, func(Host, string) { remove(t, w.path(old)) })
					case "back, restart":
						w.awaitWritten(old)
						w.awaitWritten(other)
						w.again(true)
					}
					if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
						t.Errorf("%+v, %v", d, err)
					}
					var got string
					if open {
						got = w.e.text(w.uri(old)) // which is left for the user to save
					} else {
						got = readFile(t, w.path(old))
					}
					if got != mine {
						t.Errorf("%s has %q, want %q", old, got, mine)
					}
					if isThere(buffers.Path(w.path(other))) {
						t.Errorf("there is %s", other)
					}
					for _, r := range w.c.Reviews("", "") {
						t.Errorf("left %s: %+v %+v", r.Path, r.File, r.Hunks)
					}
				})
			}
		}
	}
}
