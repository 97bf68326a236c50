package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

// What is saved in the encoding that an agent has given a file, undecided, the bytes of before have nothing of. Who
// rejects the change is told what can be done, and that can be done.
func TestTypedAndSavedInTheCodingOfTheAgent(t *testing.T) {
	t.Parallel()
	for _, before := range []coding{utf8Coding, codings[0], codings[1]} {
		for _, after := range []coding{utf8Coding, codings[1], bigEndian} {
			if before.name == after.name || before.name == codings[0].name && after.name == utf8Coding.name {
				continue // that is not told from the bytes
			}
			for _, then := range []string{"accept", "save as before"} {
				t.Run(before.name+" to "+after.name+", "+then, func(t *testing.T) {
					t.Parallel()
					s := newRecodedScene(t, before, byBytes)
					s.open()
					turnOf(t, s.c, s.l, func(Host, string) { writeFile(t, s.path, after.encode(latin)) })
					s.follows("written")
					s.e.replace(s.uri, "5\n", "5 USER\n")
					if err := s.save(); err != nil {
						t.Error(err)
					}
					users := strings.Replace(latin, "5\n", "5 USER\n", 1)
					s.is("saved", after.encode(users))
					d, err := s.c.Reject(t.Context(), Decide{})
					if err != nil || len(d.Refused) != 1 {
						t.Fatalf("%+v, %v", d, err)
					}
					for _, want := range []string{"accept the change", "save it in your editor in ", "git or a backup"} {
						if !strings.Contains(d.Refused[0].Reason, want) {
							t.Errorf("refused, as %q, which does not say %q", d.Refused[0].Reason, want)
						}
					}
					s.is("refused", after.encode(users))
					if then == "accept" {
						s.decides("accept", func() (Decision, error) { return s.c.Accept(t.Context(), Decide{}) })
					} else {
						s.as = before // as the user says
						if err := s.save(); err != nil {
							t.Error(err)
						}
						s.is("saved as before", before.encode(users))
					}
					if s.undecided() > 0 {
						t.Errorf("left %+v", s.c.Reviews(s.uri, ""))
					}
				})
			}
		}
	}
}

// An agent may give a file its encoding of before back with other words, in the same turn or in the next
// one: of the change of the file as a whole nothing is left then, and the words are hunks.
func TestCodingIsGivenBackWithOtherWords(t *testing.T) {
	t.Parallel()
	for _, after := range []coding{codings[0], codings[1], noText[0]} {
		for _, row := range []bool{false, true} {
			for _, turns := range []int{1, 2} {
				if row && after.decode == nil {
					continue // nothing is read of that, or by hunk
				}
				t.Run(after.name+map[bool]string{true: ", a word"}[row]+map[int]string{1: "", 2: ", two turns"}[turns], func(t *testing.T) {
					t.Parallel()
					s := newRecodedScene(t, oneKind, byBytes)
					s.set = &oneKind
					s.open()
					first, then := latin, strings.Replace(latin, "2\n", "TWO\n", 1)
					if row {
						first, then = then, strings.Replace(then, "7\n", "SEVEN\n", 1)
					}
					points := []func(){func() { writeFile(t, s.path, after.encode(first)) }, func() { writeFile(t, s.path, then) }}
					if turns == 1 {
						turnOf(t, s.c, s.l, func(Host, string) {
							points[0]()
							s.c.turnPoint(s.c.allSessions()[0], s.c.allSessions()[0].now())
							if n := s.undecided(); n != 1 {
								t.Errorf("%d undecided: %+v", n, s.c.Reviews(s.uri, ""))
							}
							points[1]()
						})
					} else {
						for i, do := range points {
							turnOf(t, s.c, s.l, func(Host, string) {
								if do(); i > 0 { // before the document is brought up to date
									s.c.allSessions()[0].compareDisk(t.Context())
								}
							})
						}
					}
					rs := s.c.Reviews(s.uri, "")
					if len(rs) != 1 || rs[0].File != nil || len(rs[0].Hunks) == 0 {
						t.Fatalf("shown %+v", rs)
					}
					s.follows("written")
					s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) })
					s.is("rejected", latin)
					s.follows("rejected")
				})
			}
		}
	}
}

// What the user saves in another encoding while an agent works is theirs, whenever anybody looks.
func TestUserSavesInAnotherCoding(t *testing.T) {
	t.Parallel()
	for _, after := range []coding{codings[0], codings[1], bigEndian} {
		for _, typed := range []bool{false, true} {
			for _, looks := range []string{"after it", "before it is told", "both"} {
				t.Run(after.name+map[bool]string{true: ", typed"}[typed]+", looked at "+looks, func(t *testing.T) {
					t.Parallel()
					s := newRecodedScene(t, utf8Coding, byBytes)
					s.open()
					turnOf(t, s.c, s.l, func(Host, string) {
						if typed {
							s.e.replace(s.uri, "5\n", "5 USER\n")
						}
						look := func() { s.c.turnPoint(s.c.allSessions()[0], s.c.allSessions()[0].now()) }
						s.mu.Lock()
						s.as, s.saved = after, s.e.text(s.uri)
						s.known = after.encode(s.saved)
						writeFile(t, s.path, s.known)
						s.mu.Unlock()
						if looks != "after it" {
							look()
						}
						s.e.send(buffers.Save{URI: s.uri})
						if looks != "before it is told" {
							look()
						}
					})
					if s.undecided() > 0 {
						t.Errorf("listed %+v", s.c.Reviews(s.uri, ""))
					}
				})
			}
		}
	}
}

// An editor that has much to do reads a file anew late, and says nothing where it has the same text: it is asked once
// more before the user is told, by the name of who has written the file. One that never reads it is told of.
func TestUnreadIsToldWhereItIsSo(t *testing.T) {
	t.Parallel()
	for _, after := range append([]coding{codings[0], codings[1]}, noText[0]) {
		for _, how := range []string{"late", "never", "never, and ignored by git"} {
			t.Run(after.name+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newRecodedScene(t, utf8Coding, byBytes)
				s.c.waits.Unread = time.Millisecond
				if strings.Contains(how, "ignored") {
					gitInit(t, strings.TrimSuffix(s.path, "/a.txt"))
					writeFile(t, strings.TrimSuffix(s.path, "a.txt")+".gitignore", "a.txt\n")
					gitIn(t, strings.TrimSuffix(s.path, "/a.txt"), "rm", "-q", "--cached", "a.txt")
				}
				s.open()
				var asked, read bool
				s.e.onReload = func(string) (bool, error) {
					s.e.note(func() { asked, read = true, asked && how == "late" })
					return read && s.reads(), nil
				}
				turnOf(t, s.c, s.l, func(Host, string) { writeFile(t, s.path, after.encode(latin)) })
				f := s.c.file(buffers.Path(s.path))
				s.e.await("that it is asked again", func() bool {
					f.mu.Lock()
					defer f.mu.Unlock()
					return !f.askedLater
				})
				said := s.e.said()
				if told := slices.ContainsFunc(said, func(m string) bool {
					return strings.Contains(m, "Reload") && strings.Contains(m, "fake has written") && strings.Contains(m, "has not read")
				}); told != (how != "late") || how == "late" && len(said) > 0 {
					t.Errorf("said %q", said)
				}
			})
		}
	}
}
