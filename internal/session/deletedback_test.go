package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// A file with something undecided that the user deletes in the editor, and whose deletion they undo there, is as it
// was: what was undecided is listed without its being opened.
func TestDeletionUndone(t *testing.T) {
	t.Parallel()
	agents := strings.Replace(ten, "5\n", "FIVE\n", 1)
	for _, made := range []bool{false, true} { // by the agent
		for _, open := range []bool{false, true} { // until it is deleted
			for _, told := range []bool{false, true} { // before the document is closed
				if told && !open {
					continue
				}
				t.Run(fmt.Sprintf("made %v, open %v, told first %v", made, open, told), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					c.unwatched = true
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					if !made {
						writeFile(t, path, ten)
					}
					turnOf(t, c, l, func(Host, string) { writeFile(t, path, agents) })
					if open {
						e.open(uri, agents)
						awaitLook(t, c.file(buffers.Path(path)))
					}
					undecided := func() int {
						n := 0
						for _, r := range c.Reviews("", "") {
							n += len(r.Hunks)
							if r.File != nil {
								n++
							}
						}
						return n
					}
					before := undecided()
					if before == 0 {
						t.Fatal("nothing is undecided")
					}
					tell := func(one oneFile) {
						release, err := c.betweenPoints(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						defer release()
						if err := c.usersFile(t.Context(), one); err != nil {
							t.Error(err)
						}
					}
					act := func() {
						if err := os.Remove(path); err != nil {
							t.Fatal(err)
						}
						closes := func() {
							e.close(uri)
							if err := c.followClosed(t.Context()); err != nil {
								t.Fatal(err)
							}
						}
						if open && !told {
							closes()
						}
						tell(oneFile{from: buffers.Path(path)})
						if open && told {
							closes()
						}
						if n := undecided(); n != 0 {
							t.Errorf("%d are undecided in a file that is gone", n)
						}
						writeFile(t, path, agents)
						tell(oneFile{to: buffers.Path(path)})
					}
					act()
					turnOf(t, c, l, func(Host, string) {})
					if n := undecided(); n != before {
						t.Errorf("%d are undecided, %d were", n, before)
					}
					e.open(uri, agents)
					awaitLook(t, c.file(buffers.Path(path)))
					if n := undecided(); n != before {
						t.Errorf("%d are undecided when it is opened, %d were", n, before)
					}
					if _, err := c.Reject(t.Context(), Decide{}); err != nil {
						t.Error(err)
					}
					if got := e.text(uri); !made && got != ten {
						t.Errorf("all rejected, the text is %q", got)
					}
				})
			}
		}
	}
}
