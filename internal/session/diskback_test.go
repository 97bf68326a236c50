package session

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// readingScene is a file in a document whose editor can do all that caps says, reloading from disk.
func readingScene(t *testing.T, caps map[string]bool) (c *Core, e *fakeEditor, l *fakeLauncher, path, uri string) {
	t.Helper()
	l = &fakeLauncher{}
	c, e, root := setup(t, l)
	path = filepath.Join(root, "a.txt")
	uri = buffers.PathURI(path)
	e.caps = caps
	e.onReload = func(uri string) (bool, error) {
		e.reopen(uri, path)
		return true, nil
	}
	writeFile(t, path, ten)
	e.open(uri, ten)
	awaitLook(t, c.file(buffers.Path(path)))
	return c, e, l, path, uri
}

// An agent that takes back what it did brings back rows that the disk had before, and these are in
// what the user typed then and has not saved: that is no word of it being on disk. All that the user
// has typed stays, and what the agent took back goes.
func TestAgentTakesBackUnderUnsavedText(t *testing.T) {
	with := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(ten) }
	change := []string{"3\n", "THREE\n", "5\n", "5\n5.5\n", "9\n", "NINE\n"}
	type stage struct {
		e         *fakeEditor
		path, uri string
		look      func()
	}
	types := func(s *stage) { s.e.replace(s.uri, "7\n", "7 USER\n") }
	writes := func(s *stage, pairs ...string) {
		writeFile(s.e.t, s.path, with(pairs...))
		s.look()
	}
	for name, tt := range map[string]struct {
		do   func(s *stage)
		want string
	}{
		"a row typed": {func(s *stage) {
			types(s)
			writes(s, change...)
			writes(s)
		}, with("7\n", "7 USER\n")},
		"a row typed between": {func(s *stage) {
			writes(s, change...)
			types(s)
			writes(s)
		}, with("7\n", "7 USER\n")},
		"a row taken out": {func(s *stage) {
			s.e.replace(s.uri, "7\n", "")
			writes(s, change...)
			writes(s)
		}, with("7\n", "")},
		"typed and taken back, then typed": {func(s *stage) {
			types(s)
			s.e.replace(s.uri, "7 USER\n", "7\n")
			writes(s, change...)
			s.e.replace(s.uri, "7\n", "7 USER\n")
			writes(s)
		}, with("7\n", "7 USER\n")},
		"typed and taken back": {func(s *stage) {
			types(s)
			s.e.replace(s.uri, "7 USER\n", "7\n")
			writes(s, change...)
			writes(s)
		}, ten},
		"a part of it": {func(s *stage) {
			types(s)
			writes(s, change...)
			writes(s, "9\n", "NINE\n")
		}, with("7\n", "7 USER\n", "9\n", "NINE\n")},
		"and it does something else": {func(s *stage) {
			types(s)
			writes(s, change...)
			writes(s, "2\n", "TWO\n")
		}, with("7\n", "7 USER\n", "2\n", "TWO\n")},
		"step by step": {func(s *stage) {
			types(s)
			writes(s, "3\n", "THREE\n")
			writes(s, "3\n", "THREE\n", "9\n", "NINE\n")
			writes(s, "3\n", "THREE\n")
			writes(s)
		}, with("7\n", "7 USER\n")},
		"the user has undone it, with another row": {func(s *stage) {
			writes(s, change...)
			s.e.typeAt(s.uri, 0, len(s.e.text(s.uri)), with("7\n", "7 USER\n"))
			writes(s, "1\n", "ONE\n")
		}, with("7\n", "7 USER\n", "1\n", "ONE\n")},
		"the user has undone it, and done it again": {func(s *stage) {
			types(s)
			writes(s, change...)
			done := s.e.text(s.uri)
			s.e.typeAt(s.uri, 0, len(done), with("7\n", "7 USER\n"))
			s.e.typeAt(s.uri, 0, len(s.e.text(s.uri)), done)
			writes(s)
		}, with("7\n", "7 USER\n")},
		"the editor had written one of two rows": {func(s *stage) {
			types(s)
			writes(s, "7\n", "7 USER\n")
			s.e.replace(s.uri, "1\n", "1 USER\n")
			writes(s, append([]string{"7\n", "7 USER\n"}, change...)...)
			writes(s, "7\n", "7 USER\n")
		}, with("1\n", "1 USER\n", "7\n", "7 USER\n")},
		"the editor had written one of two rows, and nobody had looked": {func(s *stage) {
			types(s)
			s.e.replace(s.uri, "1\n", "1 USER\n")
			writes(s, append([]string{"7\n", "7 USER\n"}, change...)...)
			writes(s, "7\n", "7 USER\n")
		}, with("1\n", "1 USER\n", "7\n", "7 USER\n")},
	} {
		for _, caps := range []map[string]bool{nil, {"reload": true}, {"reload": true, "adopt": true}} {
			t.Run(fmt.Sprintf("%s, %v", name, caps), func(t *testing.T) {
				t.Parallel()
				c, e, l, path, uri := readingScene(t, caps)
				turnOf(t, c, l, func(Host, string) {
					tt.do(&stage{e, path, uri, func() { lookNow(c) }})
				})
				if got := e.text(uri); got != tt.want {
					t.Errorf("text %q, want %q", got, tt.want)
				}
				for _, h := range hunksOf(t, c, uri) {
					if strings.Contains(h.BaseText+h.Text, "USER") || h.State == review.StateConflict {
						t.Errorf("hunk %+v", h)
					}
				}
			})
		}
	}
}

// A user and an agent at work in rows of their own, the one in the document and the other on disk,
// each coming back to what was there before: the document has what each has made last.
func TestBackAndForthOnBothSides(t *testing.T) {
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 1))
		caps := []map[string]bool{nil, {"reload": true}, {"reload": true, "adopt": true}}[r.IntN(3)]
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c, e, l, path, uri := readingScene(t, caps)
			rows := strings.Split(strings.TrimSuffix(ten, "\n"), "\n")
			disk, live := append([]string(nil), rows...), append([]string(nil), rows...)
			pick := func(n int) string { return rows[n] + []string{"", " once", " twice"}[r.IntN(3)] }
			text := func(rows []string) string { return strings.Join(rows, "\n") + "\n" }
			var trace []string
			turnOf(t, c, l, func(Host, string) {
				for range 20 {
					switch r.IntN(6) {
					case 0, 1, 2:
						n := []int{2, 6}[r.IntN(2)]
						next := pick(n)
						if next == live[n] {
							continue
						}
						e.replace(uri, live[n]+"\n", next+"\n")
						live[n] = next
						trace = append(trace, "types "+next)
					case 3:
						if text(disk) == text(live) {
							continue
						}
						copy(disk, live)
						writeFile(t, path, text(disk))
						e.send(buffers.Save{URI: uri})
						trace = append(trace, "saves")
					default:
						for _, n := range []int{0, 4, 9} {
							disk[n] = pick(n)
							live[n] = disk[n]
						}
						writeFile(t, path, text(disk))
						lookNow(c)
						trace = append(trace, fmt.Sprintf("writes %q", disk))
					}
					if got := e.text(uri); got != text(live) {
						t.Errorf("text %q, want %q\n%s", got, text(live), strings.Join(trace, "\n"))
						return
					}
				}
			})
			for _, h := range hunksOf(t, c, uri, review.StateConflict) {
				t.Errorf("conflict %+v\n%s", h, strings.Join(trace, "\n"))
			}
		})
	}
}

// What an editor reads anew, or is asked to take, may be gone from the disk before it has told of it: the document is
// behind then, and nothing in it is the user's.
func TestDiskMovesBeforeAReadingIsTold(t *testing.T) {
	first := strings.Replace(ten, "5\n", "FIVE\n", 1)
	for name, then := range map[string]string{
		"back to what it was": ten,
		"on":                  strings.Replace(ten, "5\n", "SIX\n", 1),
		"on, elsewhere too":   strings.Replace(first, "9\n", "NINE\n", 1),
		"elsewhere":           strings.Replace(ten, "9\n", "NINE\n", 1),
	} {
		for _, others := range []string{"looks too", ""} {
			for _, caps := range []map[string]bool{nil, {"adopt": true}, {"reload": true}, {"reload": true, "adopt": true}} {
				t.Run(fmt.Sprintf("%s, %s, %v", name, others, caps), func(t *testing.T) {
					t.Parallel()
					c, e, l, path, uri := readingScene(t, caps)
					f := c.file(buffers.Path(path))
					moves := sync.OnceFunc(func() {
						writeFile(t, path, then)
						if others != "" && then == ten { // it has nothing to do, as yet
							_ = f.catchUp(c.ctx)
						} else if others != "" {
							c.spawn(func() { _ = f.catchUp(c.ctx) })
						}
					})
					e.onApply = func(d DocumentEdit) (bool, error) {
						moves()
						return true, e.edit(d, true)
					}
					e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
						moves()
						e.typeAt(uri, 0, len(e.text(uri)), s)
						return true, nil
					}
					e.onReload = func(uri string) (bool, error) {
						read := readFile(t, path)
						moves()
						e.wire.Lock()
						defer e.wire.Unlock()
						e.note(func() { e.docs[uri] = &fakeDoc{text: text.New(read)} })
						e.sendLocked(buffers.Close{URI: uri})
						e.sendLocked(buffers.Open{URI: uri, LanguageID: "text", Text: read})
						return true, nil
					}
					turnOf(t, c, l, func(Host, string) {
						writeFile(t, path, first)
						if err := f.catchUp(c.ctx); err != nil {
							t.Error(err)
						}
						if got := e.text(uri); got != then {
							t.Errorf("text %q, want %q", got, then)
						}
					})
					if base, err := c.Baseline(uri); err != nil || base != ten {
						t.Errorf("baseline %q, %v", base, err)
					}
					for _, h := range hunksOf(t, c, uri) {
						if h.State != review.StatePending || h.Origins[0].Author != review.AuthorAgent {
							t.Errorf("hunk %+v", h)
						}
					}
					if d := e.at.store.Get(uri); d.State() != buffers.Clean {
						t.Errorf("the document is %v", d.State())
					}
				})
			}
		}
	}
}
