package session

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
)

// A text that an editor loads just after a save is the formatter's only if no tool
// call can have written it meanwhile, and if it has all words that were saved, and no others: agents write
// without a tool call too.
func TestReloadAfterSave(t *testing.T) {
	type world struct {
		h       Host
		sid     string
		save    func() // by the user
		tool    func(id, kind, status string)
		advance func(time.Duration)
		reload  func() // of a text that somebody has put on the disk
	}
	for name, x := range map[string]struct {
		do        func(w world)
		formatter bool
	}{
		"no tool call": {func(w world) {
			w.save()
			w.reload()
		}, true},
		"one that reads": {func(w world) {
			w.tool("t", "read", "in_progress")
			w.save()
			w.reload()
		}, true},
		"one that has ended": {func(w world) {
			w.tool("t", "execute", "in_progress")
			w.tool("t", "execute", "completed")
			w.advance(time.Millisecond)
			w.save()
			w.reload()
		}, true},
		"one that runs": {func(w world) {
			w.tool("t", "execute", "in_progress")
			w.save()
			w.reload()
		}, false},
		"one of which nothing is told but that it is there": {func(w world) {
			w.tool("t", "", "pending")
			w.save()
			w.reload()
		}, false},
		"one that ends between": {func(w world) {
			w.tool("t", "execute", "in_progress")
			w.save()
			w.advance(time.Millisecond)
			w.tool("t", "execute", "completed")
			w.reload()
		}, false},
		"too late": {func(w world) {
			w.save()
			w.advance(time.Second)
			w.reload()
		}, false},
	} {
		for _, words := range []bool{false, true} {
			formatter := x.formatter && !words
			t.Run(fmt.Sprintf("%s, other words %v", name, words), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				var clock atomic.Int64
				clock.Store(time.Now().UnixNano())
				c.now = func() time.Time { return time.Unix(0, clock.Load()) }
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				e.open(uri, ten)
				other := strings.Replace(ten, "5\n", "  5;\n", 1)
				if words {
					other = strings.Replace(ten, "5\n", "FIVE\n", 1)
				}
				turnOf(t, c, l, func(h Host, sid string) {
					x.do(world{
						h: h, sid: sid,
						save:    func() { e.send(buffers.Save{URI: uri}) },
						advance: func(d time.Duration) { clock.Add(int64(d)) },
						tool: func(id, kind, status string) {
							h.Update(sid, ToolPatch{ID: id, Title: str("Do"), Kind: str(kind), Status: str(status)})
						},
						reload: func() {
							writeFile(t, path, other)
							e.send(buffers.Close{URI: uri})
							e.open(uri, other)
						},
					})
				})
				hunks := map[bool]int{true: 0, false: 1}[formatter]
				e.await("the hunks", func() bool { return len(e.reviews[uri].Hunks) == hunks })
				base, _ := c.Baseline(uri)
				want := ten
				if formatter {
					want = other
				}
				if base != want {
					t.Errorf("baseline %q", base)
				}
			})
		}
	}
}

// A formatter that writes the file when acp-ls has it saved is no other agent's
// command, and a command that runs beside the write is no formatter. Either is undecided.
func TestReloadWhileSaving(t *testing.T) {
	for _, beside := range []bool{false, true} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		e.caps["save"] = true
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		e.onSave = func(uri string) error {
			writeFile(t, path, e.text(uri))
			e.send(buffers.Save{URI: uri})
			formatted := strings.Replace(e.text(uri), "9\n", "NINE\n", 1)
			writeFile(t, path, formatted)
			e.send(buffers.Close{URI: uri})
			e.open(uri, formatted)
			return nil
		}
		turnOf(t, c, l, func(h Host, sid string) {
			if beside {
				h.Update(sid, ToolPatch{ID: "x", Title: str("Run"), Kind: str("execute"), Status: str("in_progress")})
			}
			h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("in_progress"), Locations: &[]Location{{Path: path}}})
			if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "2\n", "TWO\n", 1)); err != nil {
				t.Error(err)
			}
		})
		e.await("the hunks", func() bool { // whose a load was is found out later
			h := e.reviews[uri].Hunks
			return len(h) == 2 && h[0].Text == "TWO\n" && h[1].Text == "NINE\n" &&
				strings.HasSuffix(h[1].Origins[0].Title, "(formatted on save)") != beside
		})
		if base, _ := c.Baseline(uri); base != ten {
			t.Errorf("beside %v: baseline %q", beside, base)
		}
	}
}

// formatsOnSave makes the editor one that formats as it saves: it takes away white space at the
// ends of rows. between is called before it does. It returns what was asked of it.
func (e *fakeEditor) formatsOnSave(path string, between func()) (asked *[]bool) {
	asked = &[]bool{}
	e.caps["save"], e.caps["format"] = true, true
	e.onSaving = func(uri string, format bool) error {
		e.note(func() { *asked = append(*asked, format) })
		between()
		now := e.text(uri)
		var rows []string
		for _, r := range strings.Split(now, "\n") {
			rows = append(rows, strings.TrimRight(r, " "))
		}
		if formatted := strings.Join(rows, "\n"); format && formatted != now {
			e.format(uri, formatted)
		}
		writeFile(e.t, path, e.text(uri))
		e.send(buffers.Save{URI: uri})
		return nil
	}
	return asked
}

// What the user types while a document is saved for an agent is theirs, between rows of the
// agent's too; what a formatter does is gone when everything is rejected, and the save after
// that formats nothing.
func TestTypedWhileFormatted(t *testing.T) {
	const before = "1  \n2\n3\n4\n5  \n"
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, before)
	e.open(uri, before)
	asked := e.formatsOnSave(path, func() {
		if strings.Contains(e.text(uri), "TWO") && !strings.Contains(e.text(uri), "mine") {
			e.replace(uri, "and ", "mine\nand ")
			e.replace(uri, "4", "my 4")
		}
	})
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(before, "2\n", "TWO\nand  \n", 1)); err != nil {
			t.Error(err)
		}
	})
	const after = "1\nTWO\nmine\nand\n3\nmy 4\n5\n"
	if got := e.text(uri); got != after {
		t.Errorf("text %q", got)
	}
	const theirs = "1  \n2\nmine\n3\nmy 4\n5  \n"
	if base, _ := c.Baseline(uri); base != theirs {
		t.Errorf("baseline %q", base)
	}
	if _, err := c.Reject(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	if got, disk := e.text(uri), readFile(t, path); got != theirs || disk != theirs {
		t.Errorf("rejected to %q, on disk %q", got, disk)
	}
	if !slices.Equal(*asked, []bool{true, false}) {
		t.Errorf("saved with formatting: %v", *asked)
	}
}

// A key of the user's between the edit and the save: the document is not clean any more, and is
// left for them to save. The editor may know of the key before acp-ls does. Another agent's
// change is no such key.
func TestTypedBeforeSaved(t *testing.T) {
	t.Parallel()
	const before = "1\n2\n3\n4\n"
	for name, x := range map[string]struct {
		known, asked bool // of the key when the save is asked for; whether it is
		setting      config.Save
		text         string
	}{
		"the editor alone knows":   {text: "1\nTWO\n3\n4 \n", asked: true},
		"known":                    {known: true, text: "1\nTWO\n3\n4 \n"},
		"saved all the same":       {known: true, asked: true, setting: config.SaveAlways, text: "1\nTWO\n3\n4\n"},
		"typed while that is told": {asked: true, setting: config.SaveAlways, text: "1\nTWO\n3\n4\n"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l, func(s *config.Settings) { s.Files.Save = cmp.Or(x.setting, s.Files.Save) })
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, before)
			e.open(uri, before)
			asked := e.formatsOnSave(path, func() {})
			if x.known {
				e.onApply = func(d DocumentEdit) (bool, error) {
					err := e.edit(d, true)
					e.replace(uri, "4", "4 ")
					return true, err
				}
			} else {
				e.beforeSave = func(uri string) { e.replace(uri, "4", "4 ") }
			}
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(before, "2", "TWO", 1)); err != nil {
					t.Error(err)
				}
			})
			e.beforeSave, e.onApply = nil, nil
			if got := e.text(uri); got != x.text || (len(e.saves) > 0) != x.asked {
				t.Errorf("text %q, asked to save %q", got, e.saves)
			}
			clean := x.setting == ""
			if clean != (len(*asked) == 0) || clean != (readFile(t, path) == before) {
				t.Errorf("saved %v, the disk has %q", *asked, readFile(t, path))
			}
			// The word that was begun goes on.
			e.replace(uri, strings.TrimPrefix(x.text, "1\nTWO\n3\n"), strings.TrimPrefix(x.text, "1\nTWO\n3\n")[:1]+" mine\n")
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
			if got := e.text(uri); got != "1\n2\n3\n4 mine\n" {
				t.Errorf("rejected to %q", got)
			}
		})
	}
}

// Two changes of a document that are saved at once: what is formatted is undecided until both are.
func TestSavedAtOnce(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	e.caps["format"] = true
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	f := c.file(buffers.Path(path))
	agent := func(name string) review.Origin { return review.Origin{Session: name, Author: review.AuthorAgent} }
	one, two := f.beginSave(agent("one"), true, outcome{}), f.beginSave(agent("two"), true, outcome{})
	one()
	e.format(uri, strings.Replace(ten, "9\n", "NINE\n", 1))
	two()
	if base, _ := c.Baseline(uri); base != ten {
		t.Errorf("baseline %q", base)
	}
	e.format(uri, strings.Replace(ten, "9\n", "NEUF\n", 1)) // a save of the user's that acp-ls has asked for
	if f.saving || len(f.savingFor) != 0 {
		t.Error("it is still being saved")
	}
	e.await("the hunk", func() bool {
		h := e.reviews[uri].Hunks
		return len(h) == 1 && h[0].Origins[0].Session == "two" && h[0].Origins[0].Title == "formatted on save"
	})
}
