package session

import (
	"strings"
	"sync/atomic"
	"testing"

	"acp-ls/buffers"
)

// look looks at the disk as when a tool call has ended.
func (s *encodedScene) look() {
	session := s.c.allSessions()[0]
	s.c.turnPoint(session, session.now())
}

// What an editor has written is the user's, whoever looks at the disk before it says so: it has
// all that was typed, or the user has gone on, or the last that was typed has not been told of yet.
func TestEncodedFileIsLookedAtBeforeItIsSaid(t *testing.T) {
	t.Parallel()
	const typed, more = "5 USER\n", "6 USER\n"
	saves := map[string]func(s *encodedScene, write func(string)){
		"told before": func(s *encodedScene, write func(string)) {
			s.e.replace(s.uri, "5\n", typed)
			s.e.replace(s.uri, "6\n", more)
			write(s.e.text(s.uri))
		},
		"gone on": func(s *encodedScene, write func(string)) {
			s.e.replace(s.uri, "5\n", typed)
			was := s.e.text(s.uri)
			s.e.replace(s.uri, "6\n", more)
			write(was)
			write(s.e.text(s.uri))
		},
		"told late": func(s *encodedScene, write func(string)) {
			s.tellsLate("5\n", typed)
			write(strings.Replace(latin, "5\n", typed, 1))
			s.e.replace(s.uri, "6\n", more)
			write(s.e.text(s.uri))
		},
		"partly told late": func(s *encodedScene, write func(string)) {
			s.e.replace(s.uri, "5\n", typed)
			s.tellsLate("6\n", more)
			write(strings.NewReplacer("5\n", typed, "6\n", more).Replace(latin))
		},
	}
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			eachOf(t, codings[:2], func(t *testing.T, s *encodedScene, how string) {
				s.open()
				turnOf(t, s.c, s.l, func(Host, string) {
					save(s, func(text string) {
						s.saved.Store(text)
						s.write(text)
						s.look()
						s.e.send(buffers.Save{URI: s.uri})
						s.look()
					})
				})
				s.pending()
				s.agent("9\n", "NINE\n")
				s.pending("9\n", "NINE\n")
				s.rejectAll()
				users := strings.NewReplacer("5\n", typed, "6\n", more).Replace(latin)
				s.is(users, users)
				if s.warned() > 0 {
					t.Errorf("messages %q", s.e.messages)
				}
			})
		})
	}
}

// tellsLate has the editor say that the user has typed now for was, and saved, when it is asked
// for something next: it has written that already.
func (s *encodedScene) tellsLate(was, now string) {
	reload := s.e.onReload
	s.e.onReload = func(uri string) (bool, error) {
		s.e.onReload = reload
		s.e.replace(s.uri, was, now)
		s.e.send(buffers.Save{URI: s.uri})
		return true, nil // it has what it has written
	}
}

// An editor that is asked to read a file anew which is being written once more, and emptied for that,
// reads nothing. What was known of the file counts still when that is done.
func TestEncodedFileIsEmptiedUnderAReload(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
			first := strings.Replace(latin, "2\n", "TWO\n", 1)
			second := strings.Replace(first, "9\n", "NINE\n", 1)
			reload := s.e.onReload
			s.e.onReload = func(uri string) (bool, error) {
				if s.onDisk() != second {
					return reload(uri)
				}
				s.e.onReload = reload
				s.saved.Store("")
				writeFile(t, s.path, "")
				rereads[how](s, "")
				s.write(second)
				return true, nil
			}
			if !late {
				s.open()
			}
			awaitTick(t)
			turnOf(t, s.c, s.l, func(Host, string) {
				s.write(first)
				if late {
					s.open()
				}
				s.write(second)
				s.look()
			})
			if r := s.c.Reviews(s.uri, ""); late {
				if len(r) != 1 || r[0].File == nil || r[0].File.Op != "modify" || len(r[0].Hunks) > 0 {
					t.Errorf("reviews %+v", r)
				}
			} else {
				s.pending("2\n", "TWO\n", "9\n", "NINE\n")
			}
			s.rejectAll()
			s.e.await("the document to follow", func() bool { return s.e.docs[s.uri].text.String() == latin })
			if got := readFile(t, s.path); got != s.encode(latin) {
				t.Errorf("the disk has %q", got)
			}
			if s.warned() > 0 {
				t.Errorf("messages %q", s.e.messages)
			}
		})
	}
}

// The look that comes after an opening may take so long that a turn has begun meanwhile, for which the
// file was looked at too, and its agent has written it: that is a change of the agent's, by hunk.
func TestEncodedFileIsLookedAtLate(t *testing.T) {
	t.Parallel()
	eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
		s.open()
		turnOf(t, s.c, s.l, func(Host, string) {
			s.write(strings.Replace(latin, "2\n", "TWO\n", 1))
			f := s.c.file(buffers.Path(s.path))
			disk, err := buffers.ReadDisk(f.path)
			f.looked(t.Context(), disk, err, arrival{text: textOf(latin), first: true, number: f.arrivals, then: users})
		})
		s.pending("2\n", "TWO\n")
		s.rejectAll()
		s.is(latin, latin)
	})
}

// An editor may read the file anew, and tell that, between two looks at the disk of ours, of which the
// first is still under way: what it has read is the agent's all the same.
func TestEncodedFileIsReadBehindALook(t *testing.T) {
	t.Parallel()
	eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
		var agent atomic.Pointer[func()]
		s.c.read = func(p buffers.Path) (buffers.Disk, error) {
			disk, err := buffers.ReadDisk(p)
			if writes := agent.Swap(nil); writes != nil {
				(*writes)()
			}
			return disk, err
		}
		s.open()
		turnOf(t, s.c, s.l, func(Host, string) {
			s.look()
			writes := func() {
				s.write(strings.Replace(latin, "2\n", "TWO\n", 1))
				s.reread(how)
			}
			agent.Store(&writes)
			if err := s.c.file(buffers.Path(s.path)).reread(t.Context(), func() bool { return false }); err != nil {
				t.Error(err)
			}
		})
		s.pending("2\n", "TWO\n")
		s.rejectAll()
		s.is(latin, latin)
	})
}
