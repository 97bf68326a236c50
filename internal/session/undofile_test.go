package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/config"
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

// Of a file that a turn has made, nothing is left when that is undone after it was accepted, whether or
// not it is open, unless the user has written in it.
func TestUndoOfWhatWasMadeAndAccepted(t *testing.T) {
	t.Parallel()
	for _, opened := range []string{"never", "before it is accepted", "then"} {
		for _, past := range []bool{false, true} { // it is written past the editor
			for _, typed := range []bool{false, true} {
				for _, saves := range []bool{false, true} {
					if typed && opened == "never" {
						continue
					}
					t.Run(fmt.Sprintf("opened %s, past %v, typed %v, saves %v", opened, past, typed, saves), func(t *testing.T) {
						l := &fakeLauncher{}
						c, e, root := setup(t, l)
						path := filepath.Join(root, "a")
						uri := buffers.PathURI(path)
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
						turnOf(t, c, l, func(h Host, sid string) {
							if past {
								writeFile(t, path, ten)
								lookNow(c)
							} else if err := h.WriteTextFile(t.Context(), sid, path, ten); err != nil {
								t.Error(err)
							}
						})
						if opened == "before it is accepted" {
							e.open(uri, ten)
						}
						if _, err := c.Accept(t.Context(), Decide{}); err != nil {
							t.Fatal(err)
						}
						if opened == "then" {
							e.open(uri, ten)
						}
						if typed {
							e.replace(uri, "10\n", "10\nmine\n")
						}
						d, err := c.Undo(t.Context(), c.allSessions()[0].id, "")
						if err != nil || len(d.Refused) > 0 {
							t.Fatalf("%+v %v", d, err)
						}
						if left := isThere(buffers.Path(path)); left != typed {
							t.Errorf("the file is there: %v", left)
						}
						if opened == "never" {
							return
						}
						if got := e.text(uri); typed && !strings.HasSuffix(got, "mine\n") || !typed && got != "" { // what touches is the user's to settle
							t.Errorf("text %q", got)
						}
					})
				}
			}
		}
	}
}

// A file that an agent has made goes when that is rejected, or undone, accepted or not, also where the
// user saves by hand: nobody but the agent wants it there. What is the user's in its document stays, with
// the file.
func TestWhatWasMadeGoesAlsoWhereTheUserSaves(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ accepted, undone bool }{
		"rejected":            {false, false},
		"undone":              {false, true},
		"accepted and undone": {true, true},
	} {
		for _, opened := range []string{"first", "then"} {
			for _, typed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, opened %s, typed %v", name, opened, typed), func(t *testing.T) {
					l := &fakeLauncher{}
					c, e, root := setup(t, l, func(st *config.Settings) { st.Files.Save = config.SaveNever })
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					e.caps["save"] = true
					e.onSave = func(string) error {
						t.Error("saved")
						return nil
					}
					turnOf(t, c, l, func(h Host, sid string) {
						if err := h.WriteTextFile(t.Context(), sid, path, ten); err != nil {
							t.Error(err)
						}
					})
					if opened == "first" {
						e.open(uri, ten)
					}
					if x.accepted {
						if _, err := c.Accept(t.Context(), Decide{}); err != nil {
							t.Fatal(err)
						}
					}
					if opened == "then" {
						e.open(uri, ten)
					}
					if typed {
						e.replace(uri, "10\n", "10\nmine\n")
					}
					var d Decision
					var err error
					if x.undone {
						d, err = c.Undo(t.Context(), c.allSessions()[0].id, "")
					} else {
						d, err = c.Reject(t.Context(), Decide{})
					}
					if err != nil || len(d.Refused) > 0 {
						t.Fatalf("%+v %v", d, err)
					}
					if left := isThere(buffers.Path(path)); left != typed {
						t.Errorf("the file is there: %v", left)
					}
					if got := e.text(uri); typed && !strings.HasSuffix(got, "mine\n") || !typed && got != "" {
						t.Errorf("text %q", got)
					}
					if typed {
						return
					}
					turnOf(t, c, l, nil)
					if rs := c.Reviews("", ""); len(rs) > 0 || isThere(buffers.Path(path)) {
						t.Errorf("after another turn %+v", rs)
					}
				})
			}
		}
	}
}
