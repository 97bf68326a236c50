package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// A rename that nobody has decided on is undone once: whatever else the turn has done, whatever the user has open,
// types and saves, the file has its old name again and what the user wrote, and nothing is left under another one.
func TestUndoOfAnUndecidedRename(t *testing.T) {
	t.Parallel()
	type act = func(t *testing.T, at func(string) string)
	edit := func(name, row string) act {
		return func(t *testing.T, at func(string) string) {
			writeFile(t, at(name), strings.Replace(readFile(t, at(name)), row, "AGENT "+row, 1))
		}
	}
	move := func(from, to string) act {
		return func(t *testing.T, at func(string) string) {
			if err := os.Rename(at(from), at(to)); err != nil {
				t.Error(err)
			}
		}
	}
	for does, acts := range map[string][]act{
		"rename":               {move("f", "g")},
		"edit, rename":         {edit("f", "2\n"), move("f", "g")},
		"rename, edit":         {move("f", "g"), edit("g", "5\n")},
		"edit, rename, edit":   {edit("f", "2\n"), move("f", "g"), edit("g", "5\n")},
		"two renames":          {move("f", "h"), move("h", "g")},
		"two renames and edit": {move("f", "h"), edit("h", "2\n"), move("h", "g")},
	} {
		for _, users := range []string{"not open", "open", "typed", "saved", "old name open"} {
			for _, looks := range []string{"at the end", "in between", "turns"} {
				for _, accepts := range []bool{false, true} { // the rows
					for _, undo := range []string{"turn", "session"} {
						rows := strings.Contains(does, "edit")
						if undo == "turn" && looks == "turns" && len(acts) > 1 || accepts && !rows || looks != "at the end" && len(acts) == 1 {
							continue
						}
						t.Run(fmt.Sprintf("%s, %s, looked at %s, accepted %v, undo %s", does, users, looks, accepts, undo), func(t *testing.T) {
							t.Parallel()
							l := &fakeLauncher{}
							c, e, root := setup(t, l)
							at := func(n string) string { return filepath.Join(root, n) }
							save := func(uri string) error {
								p, _ := buffers.URIPath(uri)
								writeFile(t, p, e.text(uri))
								e.send(buffers.Save{URI: uri})
								return nil
							}
							e.caps["save"], e.caps["reload"] = true, true
							e.onSave = save
							e.onReload = func(uri string) (bool, error) {
								p, _ := buffers.URIPath(uri)
								if !isThere(buffers.Path(p)) {
									return false, nil
								}
								e.reopen(uri, p)
								return true, nil
							}
							writeFile(t, at("f"), ten)
							old, uri, want := buffers.PathURI(at("f")), buffers.PathURI(at("g")), ten
							if users == "old name open" {
								e.open(old, ten)
								awaitLook(t, c.file(buffers.Path(at("f"))))
							}
							if looks == "turns" {
								for _, does := range acts {
									turnOf(t, c, l, func(Host, string) { does(t, at) })
								}
							} else {
								turnOf(t, c, l, func(Host, string) {
									for i, does := range acts {
										if i > 0 && looks == "in between" {
											s := c.allSessions()[0]
											c.turnPoint(s, s.now())
										}
										does(t, at)
									}
								})
							}
							if accepts {
								var ids []string
								for _, r := range c.Reviews("", "") {
									for _, h := range r.Hunks {
										ids = append(ids, h.ID)
									}
								}
								if d, err := c.Accept(t.Context(), Decide{Hunks: ids}); err != nil || len(d.Refused) > 0 || len(ids) == 0 {
									t.Fatalf("%+v %v", d, err)
								}
							}
							if slices.Contains([]string{"open", "typed", "saved"}, users) {
								e.open(uri, readFile(t, at("g")))
								awaitLook(t, c.file(buffers.Path(at("g"))))
							}
							if users == "typed" || users == "saved" {
								e.replace(uri, "9\n", "9 USER\n")
								want = strings.Replace(ten, "9\n", "9 USER\n", 1)
							}
							if users == "saved" {
								_ = save(uri)
							}
							s, turn := c.allSessions()[0], ""
							if undo == "turn" {
								turn = s.lastSent
							}
							d, err := c.Undo(t.Context(), s.id, turn)
							if err != nil || len(d.Refused) > 0 {
								t.Errorf("%+v %v", d, err)
							}
							check := func(when string) {
								t.Helper()
								if got := wholeTree(t, root); len(got) != 1 || got["f"] != "false "+want {
									t.Errorf("%s there is %q, want f with %q", when, got, want)
								}
								for uri, got := range e.texts() {
									if got != want && !(accepts && strings.HasSuffix(uri, "/g")) { // of a file that is gone: it has what was accepted
										t.Errorf("%s the text of %s is %q", when, uri, got)
									}
								}
								for _, r := range c.Reviews("", "") {
									if r.File != nil && r.File.State == "" || slices.ContainsFunc(r.Hunks, func(h review.Hunk) bool { return h.State != review.StateRejected }) {
										t.Errorf("%s %s has %+v, hunks %+v", when, r.Path, r.File, r.Hunks)
									}
								}
							}
							check("then")
							turnOf(t, c, l, nil) // which looks at the disk
							check("later")
							if d, err := c.Undo(t.Context(), s.id, turn); err != nil || len(d.Refused)+len(d.Decided) > 0 {
								t.Errorf("once more: %+v %v", d, err)
							}
							check("after another undo")
						})
					}
				}
			}
		}
	}
}

// A file that is renamed once more while the disk is compared with what it was when the turn began is not taken for one
// that is gone: what is listed then need not have its new name.
func TestRenamedAgainWhileChangesAreListed(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	at := func(n string) string { return filepath.Join(root, n) }
	move := func(from, to string) {
		if err := os.Rename(at(from), at(to)); err != nil {
			t.Error(err)
		}
	}
	writeFile(t, at("f"), ten)
	turnOf(t, c, l, func(Host, string) { move("f", "h") })
	turnOf(t, c, l, func(Host, string) {
		s := c.allSessions()[0]
		c.turnPoint(s, s.now())
		s.mu.Lock()
		point := s.point
		s.mu.Unlock()
		lost := s.lostRenames()
		changes, err := point.Changes(t.Context())
		if err != nil || len(changes) > 0 {
			t.Errorf("%+v %v", changes, err)
		}
		move("h", "g")
		s.comparePutBack(t.Context(), point, changes, lost)
	})
	rs := c.Reviews("", "")
	if len(rs) != 1 || rs[0].File == nil || rs[0].File.Op != "rename" || filepath.Base(string(rs[0].Path)) != "g" {
		t.Errorf("%+v", rs)
	}
	if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
		t.Errorf("%+v %v", d, err)
	}
	if got := wholeTree(t, root); len(got) != 1 || got["f"] != "false "+ten {
		t.Errorf("there is %q", got)
	}
}
