package session

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What an agent has put on disk under unsaved text, beside what is in conflict there or not, and was
// rejected, or undone, or both, and not saved, is undecided when the text of the disk comes back,
// whichever way; nothing of it is to be brought back beside itself then, and rejecting it gives the file
// that there was before.
func TestRejectedAndOnDiskAgain(t *testing.T) {
	const base = "1\n2\n3\n4\n5\n6\n7\n8\n"
	row2 := func(s string) string { return strings.Replace(s, "2\n", "2 agent\n", 1) }
	for name, disk := range map[string]string{
		"appended":                       base + "9 agent\n",
		"put in":                         strings.Replace(base, "6\n", "6\n6 agent\n", 1),
		"replaced":                       strings.Replace(base, "7\n", "7 agent\n", 1),
		"taken out":                      strings.Replace(base, "7\n", "", 1),
		"in two places":                  strings.Replace(base, "6\n", "6\n6 agent\n", 1) + "9 agent\n",
		"in conflict":                    row2(base),
		"in conflict, and appended":      row2(base) + "9 agent\n",
		"in conflict, and taken out":     strings.Replace(row2(base), "7\n", "", 1),
		"in conflict, and in two places": strings.Replace(row2(base), "6\n", "6\n6 agent\n", 1) + "9 agent\n",
	} {
		for _, act := range []string{"rejected", "undone", "undone and rejected", "rejected and undone", "rejected in a file that is saved"} {
			for _, how := range []string{"read anew", "opened anew", "closed", "closed and opened", "killed", "killed, and opened", "killed, opened unsaved, and read anew", "killed, opened unsaved, and closed", "written by another agent"} {
				t.Run(fmt.Sprintf("%s, %s, %s", name, act, how), func(t *testing.T) {
					t.Parallel()
					w := newEarth(t)
					w.start()
					uri, path := w.uri("f"), w.path("f")
					f := func() *file { return w.c.file(buffers.Path(path)) }
					writeFile(t, path, base)
					w.e.open(uri, base)
					awaitLook(t, f())
					typed := strings.Replace(base, "3\n", "3 mine\n", 1)
					w.e.replace(uri, "3\n", "3 mine\n")
					w.writesDisk("f", disk)
					reject := func() {
						if _, err := w.c.Reject(t.Context(), Decide{}); err != nil {
							t.Fatal(err)
						}
					}
					undo := func() { w.e.typeAt(uri, 0, len(w.e.text(uri)), typed) }
					switch act {
					case "rejected":
						reject()
					case "undone":
						if w.e.text(uri) != typed {
							undo()
						}
					case "undone and rejected":
						if w.e.text(uri) != typed {
							undo()
						}
						reject()
					case "rejected and undone":
						merged := w.e.text(uri)
						reject()
						if merged != typed {
							w.e.typeAt(uri, 0, len(w.e.text(uri)), merged)
							undo()
						}
					case "rejected in a file that is saved":
						reject()
						if how != "written by another agent" {
							return // nothing comes back
						}
						writeFile(t, path, w.e.text(uri))
						w.e.send(buffers.Save{URI: uri})
					}
					if strings.HasPrefix(how, "killed") {
						f().keep(true)
					}
					open := true
					switch how {
					case "read anew":
						w.e.readAnew(uri, path)
					case "opened anew":
						w.e.reopen(uri, path)
					case "closed":
						w.e.close(uri)
						open = false
					case "closed and opened":
						w.e.close(uri)
						if err := f().followDisk(t.Context()); err != nil {
							t.Fatal(err)
						}
						w.e.open(uri, disk)
					case "killed":
						w.crash()
						open = false
					case "killed, and opened":
						w.crash()
						w.e.open(uri, disk)
					case "killed, opened unsaved, and read anew", "killed, opened unsaved, and closed":
						had := w.e.text(uri)
						w.crash()
						w.e.open(uri, had)
						awaitLook(t, f())
						if open = strings.HasSuffix(how, "read anew"); open {
							w.e.readAnew(uri, path)
						} else {
							w.e.close(uri)
						}
					case "written by another agent":
						if act != "rejected in a file that is saved" {
							return // the disk has it
						}
						w.writesDisk("f", strings.Replace(disk, "3\n", "3 mine\n", 1))
						if strings.HasPrefix(name, "in conflict") {
							return // that is no conflict any more
						}
					}
					if err := f().followDisk(t.Context()); err != nil {
						t.Fatal(err)
					}
					if open {
						awaitLook(t, f())
					}
					before := base
					if act == "rejected in a file that is saved" {
						before = typed
					}
					if got := w.baseline("f"); got != before {
						t.Errorf("baseline %q, want %q", got, before)
					}
					undecided := w.hunks("f")
					if undecided == "" {
						t.Error("nothing is undecided")
					}
					text := func() string {
						if open {
							return w.e.text(uri)
						}
						b, err := os.ReadFile(path)
						if err != nil {
							t.Fatal(err)
						}
						return string(b)
					}
					was := text()
					if d, err := w.c.Restore(t.Context(), Decide{}); err != nil || text() != was || w.hunks("f") != undecided {
						t.Errorf("%+v, %v: text %q, was %q; undecided %q, was %q", d, err, text(), was, w.hunks("f"), undecided)
					}
					w.wantHunks("f", "", review.StateConflict)
					reject()
					if got := text(); got != before {
						t.Errorf("after rejecting %q, want %q", got, before)
					}
				})
			}
		}
	}
}

// Who takes theirs, undoes and redoes that has decided: what the disk has is then not taken for read anew,
// and rejecting gives nothing back in which they had a part.
func TestRedoOfTheirs(t *testing.T) {
	for name, theirs := range map[string]string{"replaced": "2 agent\n", "taken out": "", "put in": "2\n2 agent\n"} {
		for _, saves := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, saved %v", name, saves), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				w.start()
				uri, path := w.uri("f"), w.path("f")
				f := w.c.file(buffers.Path(path))
				writeFile(t, path, ten)
				w.e.open(uri, ten)
				awaitLook(t, f)
				typed := strings.Replace(ten, "2\n", "2 mine\n", 1)
				if name == "put in" {
					typed = strings.Replace(ten, "2\n", "2\nmine\n", 1)
				}
				w.e.typeAt(uri, 0, len(ten), typed)
				disk := strings.Replace(ten, "2\n", theirs, 1)
				w.writesDisk("f", disk)
				conflict := hunksOf(t, w.c, uri, review.StateConflict)
				if len(conflict) != 1 {
					t.Fatalf("conflicts %+v", conflict)
				}
				if _, err := w.c.Resolve(t.Context(), conflict[0].ID, "theirs"); err != nil {
					t.Fatal(err)
				}
				taken := w.e.text(uri)
				w.e.typeAt(uri, 0, len(taken), typed)
				awaitLook(t, f)
				w.wantHunks("f", w.hunks("f", review.StateConflict), review.StatePending, review.StateConflict)
				w.e.typeAt(uri, 0, len(typed), taken)
				awaitLook(t, f)
				if saves {
					writeFile(t, path, taken)
					w.e.send(buffers.Save{URI: uri})
				}
				w.wantHunks("f", "", review.StatePending, review.StateConflict)
				if _, err := w.c.Reject(t.Context(), Decide{}); err != nil {
					t.Fatal(err)
				}
				if got := w.e.text(uri); got != taken {
					t.Errorf("after rejecting %q, want %q", got, taken)
				}
			})
		}
	}
}
