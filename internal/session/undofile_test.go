package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"acp-ls/buffers"
)

// A file that an agent has taken away and made anew, and that was opened since, is on disk what it
// was when its session is undone, whatever is unsaved and whether the editor can save; one that was
// not there before, or that the user has taken away in between, is not there then.
func TestUndoBringsBackWhatWasMadeAnew(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"removes", "changes and removes", "changes, and the user removes", "makes and removes", "does nothing"} {
		for _, typed := range []bool{false, true} {
			for _, saves := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, typed %v, saves %v", first, typed, saves), func(t *testing.T) {
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					there := first != "makes and removes" && first != "does nothing"
					if there {
						writeFile(t, path, ten)
					}
					if saves {
						e.caps["save"] = true
						e.onSave = func(uri string) error {
							if err := os.WriteFile(path, []byte(e.text(uri)), 0o644); err != nil {
								return err
							}
							e.send(buffers.Save{URI: uri})
							return nil
						}
					}
					accept := func() {
						if _, err := c.Accept(t.Context(), Decide{}); err != nil {
							t.Error(err)
						}
					}
					turnOf(t, c, l, func(h Host, sid string) {
						if first == "does nothing" {
							return
						}
						if first != "removes" {
							if err := h.WriteTextFile(t.Context(), sid, path, "1\nTWO\n"+ten[4:]); err != nil {
								t.Error(err)
							}
						}
						if first != "changes, and the user removes" {
							remove(t, path)
							lookNow(c)
						}
					})
					accept()
					if first == "changes, and the user removes" {
						remove(t, path)
						turnOf(t, c, l, func(Host, string) {})
					}
					turnOf(t, c, l, func(Host, string) { writeFile(t, path, "x\ny\n") })
					e.open(uri, "x\ny\n")
					want := ten
					if !there || first == "changes, and the user removes" {
						want = ""
					}
					if typed {
						e.typeAt(uri, 0, 0, "mine ") // into what is the agent's
					}
					if d, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil || len(d.Refused) > 0 {
						t.Fatalf("%+v, %v", d, err)
					}
					if got := e.text(uri); got != want {
						t.Errorf("text %q, want %q", got, want)
					}
					if b, _ := os.ReadFile(path); string(b) != want {
						t.Errorf("disk %q, want %q", b, want)
					}
					turnOf(t, c, l, func(Host, string) {})
					if got := e.text(uri); got != want {
						t.Errorf("text %q when the disk was looked at, want %q", got, want)
					}
				})
			}
		}
	}
}
