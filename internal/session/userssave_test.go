package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// lookNow compares the disk as at the points of the turn that runs.
func lookNow(c *Core) {
	s := c.allSessions()[0]
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	c.turnPoint(s, running)
}

// What the user saves while a turn runs is theirs, whatever of it has been told of when
// somebody looks at the disk: editors write first and then say so.
func TestUsersSavesDuringATurn(t *testing.T) {
	type scene struct {
		e         *fakeEditor
		path, uri string
		look      func() // between the write and the word of it
		foundOut  func() // what has been told of was not the file being read anew
	}
	written := func(s *scene, content string) {
		s.foundOut()
		writeFile(s.e.t, s.path, content)
		s.look()
	}
	saved := func(s *scene) { s.e.send(buffers.Save{URI: s.uri}) }
	// late types what the editor does not tell of before it has written it.
	late := func(s *scene, old, new string) {
		tell := s.e.typeUntold(s.uri, old, new)
		say := sync.OnceFunc(func() { tell(); saved(s) })
		s.e.onApply = func(DocumentEdit) (bool, error) { say(); return true, ErrRefused }
		reload := s.e.onReload
		s.e.onReload = func(string) (bool, error) { say(); return true, nil }
		s.e.onAdopt = func(string, int32, string) (bool, error) { say(); return false, nil }
		written(s, s.e.text(s.uri))
		say()
		s.e.onApply, s.e.onReload, s.e.onAdopt = nil, reload, nil
	}
	ways := map[string]func(s *scene){
		"saved": func(s *scene) {
			s.e.replace(s.uri, "2\n", "2 USER\n")
			written(s, s.e.text(s.uri))
			saved(s)
		},
		"saved with a final line end": func(s *scene) {
			end := len(s.e.text(s.uri))
			s.e.typeAt(s.uri, end-1, end, "")
			s.e.replace(s.uri, "2\n", "2 USER\n")
			written(s, s.e.text(s.uri)+"\n")
			saved(s)
		},
		"saved without the final line end": func(s *scene) {
			s.e.replace(s.uri, "2\n", "2 USER\n")
			written(s, strings.TrimSuffix(s.e.text(s.uri), "\n"))
			saved(s)
		},
		"saved with a mark": func(s *scene) {
			s.e.replace(s.uri, "2\n", "2 USER\n")
			written(s, "\ufeff"+s.e.text(s.uri))
			saved(s)
		},
		"gone on": func(s *scene) {
			s.e.replace(s.uri, "2\n", "2 US\n")
			first := s.e.text(s.uri)
			s.e.replace(s.uri, "US\n", "USE\n")
			written(s, first)
			s.e.replace(s.uri, "USE\n", "USER\n")
			s.look()
			saved(s)
		},
		"gone on, and saved again": func(s *scene) {
			s.e.replace(s.uri, "2\n", "2 US\n")
			first := s.e.text(s.uri)
			s.e.replace(s.uri, "US\n", "USE\n")
			written(s, first)
			first = s.e.text(s.uri)
			s.e.replace(s.uri, "USE\n", "USER\n")
			written(s, first)
			saved(s)
			written(s, s.e.text(s.uri))
			saved(s)
		},
		"mended": func(s *scene) {
			s.e.replace(s.uri, "2\n", "2  USER\n")
			mended := strings.Replace(s.e.text(s.uri), "2  ", "2 ", 1)
			written(s, mended)
			s.e.note(func() { s.e.docs[s.uri].text = text.New(mended) })
			s.e.send(buffers.Save{URI: s.uri, Text: &mended})
		},
		"told late": func(s *scene) { late(s, "2\n", "2 USER\n") },
		"told late, after unsaved text": func(s *scene) {
			s.e.replace(s.uri, "4\n", "4 USER\n")
			late(s, "2\n", "2 USER\n")
		},
		"told late, in unsaved text": func(s *scene) {
			s.e.replace(s.uri, "2\n", "2 US\n")
			late(s, "US\n", "USER\n")
		},
	}
	for name, way := range ways {
		for n := range 4 {
			undecided, atOnce := n&1 > 0, n&2 > 0
			for _, caps := range []map[string]bool{nil, {"reload": true}, {"reload": true, "adopt": true}} {
				t.Run(fmt.Sprintf("%s, undecided %v, at once %v, %v", name, undecided, atOnce, caps), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					s := &scene{e: e, path: filepath.Join(root, "a.txt"), look: func() {}, foundOut: func() {}}
					s.uri = buffers.PathURI(s.path)
					e.caps = caps
					e.onReload = func(uri string) (bool, error) {
						e.reopen(uri, s.path)
						return true, nil
					}
					writeFile(t, s.path, ten)
					e.open(s.uri, ten)
					if undecided {
						diskTurn(t, c, l, s.path, func(d string) string { return strings.Replace(d, "9\n", "NINE\n", 1) })
						if !caps["reload"] {
							writeFile(t, s.path, e.text(s.uri))
							saved(s)
						}
					}
					before := hunksOf(t, c, s.uri)
					s.look = func() { lookNow(c) }
					if !atOnce {
						s.foundOut = func() { _ = c.file(buffers.Path(s.path)).findOut(c.ctx) }
					}
					turnOf(t, c, l, func(Host, string) { way(s) })
					want := e.text(s.uri)
					turnOf(t, c, l, func(Host, string) { lookNow(c) })
					if got := e.text(s.uri); got != want || !strings.Contains(got, "2 USER") {
						t.Errorf("text %q, want %q", got, want)
					}
					if strings.HasSuffix(name, "final line end") && strings.HasSuffix(want, "\n") != strings.HasPrefix(name, "saved without") {
						t.Errorf("text %q", want)
					}
					hunks := hunksOf(t, c, s.uri, review.StatePending, review.StateConflict)
					if len(hunks) != len(before) || undecided && hunks[0].Text != "NINE\n" {
						t.Errorf("hunks %+v, want %+v", hunks, before)
					}
					if base, err := c.Baseline(s.uri); err != nil || base != strings.Replace(want, "NINE", "9", 1) {
						t.Errorf("baseline %q, %v", base, err)
					}
					for _, m := range e.messages {
						t.Errorf("told %q", m)
					}
					if _, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil {
						t.Error(err)
					}
					if got := e.text(s.uri); got != strings.Replace(want, "NINE", "9", 1) {
						t.Errorf("all of the session undone, the text is %q", got)
					}
				})
			}
		}
	}
}

// typeUntold types as the user does, and returns what tells of it: editors collect what is typed
// for a while.
func (e *fakeEditor) typeUntold(uri, old, new string) (tell func()) {
	e.t.Helper()
	e.wire.Lock()
	defer e.wire.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[uri]
	was := d.text
	i := strings.Index(was.String(), old)
	if i < 0 {
		e.t.Fatalf("%q is not in %q", old, was)
	}
	d.text = was.Replace(i, i+len(old), new)
	d.version++
	change := buffers.Change{URI: uri, Version: d.version, Changes: []buffers.ContentChange{{
		Range: &position.Range{
			Start: position.OffsetPosition(was, i, e.enc),
			End:   position.OffsetPosition(was, i+len(old), e.enc),
		}, Text: new,
	}}}
	return func() { e.send(change) }
}

// What was read of the disk may be what was there before the user saved, who does so before anything
// comes of it.
func TestUserSavesWhileTheDiskIsRead(t *testing.T) {
	starts := map[string]bool{"a turn begins": true, "in a turn": false}
	changes := map[string]func(e *fakeEditor, uri string) (written string){
		"a row": func(e *fakeEditor, uri string) string {
			e.replace(uri, "2 US\n", "2 USER\n")
			return e.text(uri)
		},
		"a row, and the final line end goes": func(e *fakeEditor, uri string) string {
			e.replace(uri, "2 US\n", "2 USER\n")
			return strings.TrimSuffix(e.text(uri), "\n")
		},
		"a row, and goes on": func(e *fakeEditor, uri string) string {
			e.replace(uri, "2 US\n", "2 USE\n")
			return e.text(uri)
		},
	}
	for how, begins := range starts {
		for what, change := range changes {
			for read := range 4 { // of the times that the disk is read
				for _, reloads := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s, read %d, reload %v", how, what, read, reloads), func(t *testing.T) {
						t.Parallel()
						l := &fakeLauncher{}
						c, e, root := setup(t, l)
						path := filepath.Join(root, "a.txt")
						uri := buffers.PathURI(path)
						e.caps = map[string]bool{"reload": reloads}
						e.onReload = func(uri string) (bool, error) {
							e.reopen(uri, path)
							return true, nil
						}
						var mu sync.Mutex
						left := -1
						saves := func() {
							writeFile(t, path, change(e, uri))
							e.send(buffers.Save{URI: uri})
							if what == "a row, and goes on" {
								e.replace(uri, "2 USE\n", "2 USER\n")
							}
						}
						reading := func(p buffers.Path) (buffers.Disk, error) {
							disk, err := buffers.ReadDisk(p)
							mu.Lock()
							left--
							now := left == -1
							mu.Unlock()
							if now {
								saves()
							}
							return disk, err
						}
						c.read = reading
						e.at.store = buffers.NewStore(buffers.Options{Encoding: e.enc, ReadDisk: reading})
						arm := func() {
							mu.Lock()
							defer mu.Unlock()
							left = read
						}
						writeFile(t, path, ten)
						e.open(uri, ten)
						turnOf(t, c, l, func(Host, string) {})
						e.replace(uri, "2\n", "2 US\n")
						if begins {
							arm()
						}
						turnOf(t, c, l, func(Host, string) {
							if !begins {
								arm()
							}
							lookNow(c)
							lookNow(c)
						})
						mu.Lock()
						saved := left < 0
						left = -2
						mu.Unlock()
						if !saved {
							saves()
						}
						turnOf(t, c, l, func(Host, string) { lookNow(c) })
						want := strings.Replace(ten, "2\n", "2 USER\n", 1)
						if got := e.text(uri); got != want {
							t.Errorf("text %q", got)
						}
						if h := hunksOf(t, c, uri, review.StatePending, review.StateConflict, review.StateRejected); len(h) > 0 {
							t.Errorf("hunks %+v", h)
						}
						if base, err := c.Baseline(uri); err != nil || base != want {
							t.Errorf("baseline %q, %v", base, err)
						}
					})
				}
			}
		}
	}
}

// Two look at the disk at once, and the one that has read what was there first comes second: what
// is there by now is the agent's all the same, and not what a save has brought.
func TestDiskMovesBetweenLooks(t *testing.T) {
	for _, reloads := range []bool{false, true} {
		t.Run(fmt.Sprintf("reload %v", reloads), func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			e.caps = map[string]bool{"reload": reloads, "save": true}
			e.onReload = func(uri string) (bool, error) {
				e.reopen(uri, path)
				return true, nil
			}
			e.onSave = func(uri string) error {
				writeFile(t, path, e.text(uri))
				e.send(buffers.Save{URI: uri})
				return nil
			}
			armed := make(chan struct{}, 1)
			reading := func(p buffers.Path) (buffers.Disk, error) {
				disk, err := buffers.ReadDisk(p)
				select {
				case <-armed:
					writeFile(t, path, ten)
					_, _ = e.at.store.Look(p)
				default:
				}
				return disk, err
			}
			e.at.store = buffers.NewStore(buffers.Options{Encoding: e.enc, ReadDisk: reading})
			writeFile(t, path, ten)
			e.open(uri, ten)
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "2\n", "2 AGENT\n", 1)); err != nil {
					t.Error(err)
				}
				armed <- struct{}{}
				lookNow(c)
			})
			if got := e.text(uri); got != ten {
				t.Errorf("text %q", got)
			}
			if h := hunksOf(t, c, uri, review.StateRejected); len(h) > 0 {
				t.Errorf("rejected %+v", h)
			}
			if base, err := c.Baseline(uri); err != nil || base != ten {
				t.Errorf("baseline %q, %v", base, err)
			}
		})
	}
}

// A file that is found empty has not been written by the user's editor because the document was
// empty a moment ago: programs empty files before they write them, and agents do so for good.
func TestFileFoundEmpty(t *testing.T) {
	for _, caps := range []map[string]bool{nil, {"reload": true}, {"reload": true, "adopt": true}} {
		for name, then := range map[string]string{"for good": "", "for a moment": strings.Replace(ten, "9\n", "NINE\n", 1)} {
			t.Run(fmt.Sprintf("%s, %v", name, caps), func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				e.caps = caps
				e.onReload = func(uri string) (bool, error) {
					e.reopen(uri, path)
					return true, nil
				}
				writeFile(t, path, ten)
				e.open(uri, ten)
				turnOf(t, c, l, func(Host, string) {
					e.typeAt(uri, 0, len(ten), "")
					e.typeAt(uri, 0, 0, ten)
					e.replace(uri, "2\n", "2 USER\n")
					writeFile(t, path, "")
					lookNow(c)
					if then != "" {
						writeFile(t, path, then)
						lookNow(c)
					}
				})
				mine := strings.Replace(ten, "2\n", "2 USER\n", 1)
				if base, err := c.Baseline(uri); err != nil || base != mine {
					t.Errorf("baseline %q, %v", base, err)
				}
				hunks := hunksOf(t, c, uri, review.StatePending, review.StateConflict)
				if len(hunks) != 1 || hunks[0].Origins[0].Agent != "fake" {
					t.Errorf("hunks %+v", hunks)
				}
				if then != "" && e.text(uri) != strings.Replace(mine, "9\n", "NINE\n", 1) {
					t.Errorf("text %q", e.text(uri))
				}
			})
		}
	}
}

// What the user had typed before the disk was last the same as the document is not written by
// their editor any more: an agent that comes back to it has taken back its own.
func TestDiskComesBackToWhatWasTyped(t *testing.T) {
	t.Parallel()
	for _, caps := range []map[string]bool{{"save": true}, {"save": true, "reload": true}, {"save": true, "reload": true, "adopt": true}} {
		for name, agent := range map[string]func(h Host, sid, path, s string) error{
			"through us": func(h Host, sid, path, s string) error { return h.WriteTextFile(t.Context(), sid, path, s) },
			"on disk":    func(_ Host, _, path, s string) error { writeFile(t, path, s); return nil },
		} {
			t.Run(fmt.Sprintf("%s, %v", name, caps), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				e.caps = caps
				e.onSave = func(uri string) error {
					writeFile(t, path, e.text(uri))
					e.send(buffers.Save{URI: uri})
					return nil
				}
				e.onReload = func(uri string) (bool, error) {
					e.reopen(uri, path)
					return true, nil
				}
				writeFile(t, path, ten)
				e.open(uri, ten)
				mine := strings.Replace(ten, "2\n", "2 USER\n", 1)
				turnOf(t, c, l, func(h Host, sid string) {
					e.replace(uri, "2\n", "2 USER\n")
					if name == "through us" {
						if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
							t.Error(err)
						}
					}
					if err := agent(h, sid, path, strings.Replace(mine, "9\n", "NINE\n", 1)); err != nil {
						t.Error(err)
					}
					lookNow(c)
					writeFile(t, path, e.text(uri))
					e.send(buffers.Save{URI: uri})
					e.replace(uri, "5\n", "5 USER\n")
					writeFile(t, path, mine)
					lookNow(c)
				})
				want := strings.Replace(mine, "5\n", "5 USER\n", 1)
				if got := e.text(uri); got != want {
					t.Errorf("text %q", got)
				}
				if base, err := c.Baseline(uri); err != nil || base != want {
					t.Errorf("baseline %q, %v", base, err)
				}
			})
		}
	}
}

// That a file was written is told by its time where that differs, whatever the clock; that it was
// not, by a clock alone that counts more than seconds.
func TestWrittenSince(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	at := func(when time.Time, content string) os.FileInfo {
		writeFile(t, name, content)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	whole, fine := time.Unix(1000, 0), time.Unix(1000, 5000)
	for _, x := range []struct {
		a, b          os.FileInfo
		written, same bool
	}{
		{at(whole, "1"), at(whole, "1"), false, false},
		{at(whole, "1"), at(whole, "12"), true, false},
		{at(whole, "1"), at(whole.Add(time.Second), "1"), true, false},
		{at(fine, "1"), at(fine, "1"), false, true},
		{at(fine, "1"), at(fine.Add(time.Microsecond), "1"), true, false},
		{nil, at(fine, "1"), false, false},
		{at(fine, "1"), nil, false, false},
	} {
		if got := writtenSince(x.a, x.b); got != x.written {
			t.Errorf("%v, %v: written %v", x.a, x.b, got)
		}
		if got := sameWrite(x.a, x.b); got != x.same {
			t.Errorf("%v, %v: the same %v", x.a, x.b, got)
		}
	}
}
