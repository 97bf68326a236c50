package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// recodedScene is a document whose editor saves it in the encoding in which it has read its file last,
// as all do, and refuses to where the file is not what it knows of it.
type recodedScene struct {
	t         *testing.T
	c         *Core
	l         *fakeLauncher
	e         *fakeEditor
	path, uri string

	mu      sync.Mutex
	reading readsAnew
	set     *coding // in which the file is read where it has no byte order mark, by a setting
	as      coding  // in which the file was read
	known   string  // bytes that the editor has read or written last
	saved   string  // the text of that
	based   string  // bytes that it saves over, as acp-ls has said
	refuse  int     // saves
}

// readsAnew is how an editor finds out in which encoding a file is that it reads anew.
type readsAnew string

const (
	byMark  readsAnew = "by the mark"    // and else as the settings say (VS Code)
	byBytes readsAnew = "by the bytes"   // (Neovim, when it edits a file, or VS Code with files.autoGuessEncoding)
	asItWas readsAnew = "as it was read" // (Neovim, when it reads a file by itself)
)

var (
	utf8Coding = coding{"UTF-8", func(s string) string { return s }, func(s string) string {
		return strings.ToValidUTF8(s, "\ufffd")
	}}
	markedCoding = coding{"UTF-8 with a mark", func(s string) string { return byteOrderMark + s }, func(s string) string {
		return strings.TrimPrefix(s, byteOrderMark)
	}}
	bigEndian = coding{"utf-16be", func(s string) string {
		return otherEnd(codings[1].encode(s))
	}, func(s string) string {
		return codings[1].decode(otherEnd(s))
	}}
	// What is no text: a picture, and what only begins like UTF-16.
	noText = []coding{
		{"a picture", func(s string) string { return "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff" + s + "\x00\xfe" }, nil},
		{"a few bytes", func(string) string { return "\xff\xfe\xfdA\n" }, nil},
	}
)

// otherEnd is bytes with those of each pair the other way round.
func otherEnd(s string) string {
	b := []byte(s)
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

// codingOf is the encoding in which the editor reads bytes.
func (s *recodedScene) codingOf(b string) coding {
	switch {
	case s.reading == asItWas:
		return s.as
	case strings.HasPrefix(b, "\xff\xfe"):
		return codings[1]
	case strings.HasPrefix(b, "\xfe\xff"):
		return bigEndian
	case strings.HasPrefix(b, byteOrderMark) && s.set != nil && s.set.name == oneKind.name:
		return markedOneKind
	case strings.HasPrefix(b, byteOrderMark):
		return markedCoding
	case s.reading == byBytes && strings.ToValidUTF8(b, "") != b:
		return codings[0]
	case s.set != nil:
		return *s.set
	}
	return utf8Coding
}

func newRecodedScene(t *testing.T, before coding, how readsAnew) *recodedScene {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	s := &recodedScene{t: t, c: c, l: l, e: e, path: filepath.Join(root, "a.txt"), reading: how, as: before}
	s.uri = buffers.PathURI(s.path)
	if before.name == codings[0].name && how == byMark {
		s.set = &before
	}
	e.caps = map[string]bool{"reload": true, "save": true, "base": true}
	e.onReload = func(string) (bool, error) { return s.reads(), nil }
	e.onSaving = func(string, bool) error { return s.save() }
	e.onBase = func(_ string, _ int32, disk string) (bool, error) {
		if readFile(t, s.path) == disk {
			s.based = disk
		}
		return true, nil
	}
	writeFile(t, s.path, before.encode(latin))
	if oneIn(4, t.Name()) { // to ask git takes most of the time, and there need not be one
		gitInit(t, root)
	}
	return s
}

func (s *recodedScene) open() {
	now := readFile(s.t, s.path)
	if s.reading != asItWas {
		s.as = s.codingOf(now)
	}
	s.known = now
	s.saved = s.as.decode(s.known)
	s.e.open(s.uri, s.saved)
	awaitLook(s.t, s.c.file(buffers.Path(s.path)))
}

func (s *recodedScene) dirty() bool { return s.e.text(s.uri) != s.saved }

// reads has the editor read the file anew, if nothing is unsaved.
func (s *recodedScene) reads() bool { return s.begins()() }

// begins has the editor begin to read the file anew; it returns what ends that.
func (s *recodedScene) begins() func() bool {
	now := readFile(s.t, s.path)
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.dirty() {
			return false
		}
		if now == s.known {
			return true
		}
		s.known, s.as = now, s.codingOf(now)
		s.saved = s.as.decode(now)
		if was := s.e.text(s.uri); was != s.saved {
			s.e.typeAt(s.uri, 0, len(was), s.saved)
		}
		return true
	}
}

func (s *recodedScene) save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := readFile(s.t, s.path); now != s.known && now != s.based {
		s.refuse++
		return ErrNotSaved
	}
	s.saved = s.e.text(s.uri)
	s.known = s.as.encode(s.saved)
	writeFile(s.t, s.path, s.known)
	s.e.send(buffers.Save{URI: s.uri})
	return nil
}

func (s *recodedScene) is(what, disk string) {
	s.t.Helper()
	if got := readFile(s.t, s.path); got != disk {
		s.t.Errorf("%s: the disk has %q, want %q", what, got, disk)
	}
	if s.refuse > 0 {
		s.t.Errorf("%s: the editor has refused to save over the file", what)
	}
}

// follows tells that the document has what its editor makes of the file, and nothing that is unsaved.
func (s *recodedScene) follows(what string) {
	s.t.Helper()
	now := readFile(s.t, s.path)
	if got, want := s.e.text(s.uri), s.codingOf(now).decode(now); got != want || s.known != now || s.saved != got {
		s.t.Errorf("%s: the document has %q, want %q; it knows %q, saved %q", what, got, want, s.known, s.saved)
	}
	if d, _ := s.e.at.Document(s.uri); d.State() != buffers.Clean {
		s.t.Errorf("%s: the document is %s", what, d.State())
	}
}

func (s *recodedScene) undecided() (n int) {
	for _, r := range s.c.Reviews(s.uri, "", review.StatePending, review.StateConflict) {
		if n += len(r.Hunks); r.File != nil {
			n++
		}
	}
	return n
}

func (s *recodedScene) decides(what string, f func() (Decision, error)) {
	s.t.Helper()
	if d, err := f(); err != nil || len(d.Refused) > 0 {
		s.t.Errorf("%s: %+v, %v", what, d, err)
	}
}

// A file that an agent has given another encoding, or made none of text, is one that its editor would
// save in that from then on: what is rejected, or undone, is every byte of before all the same, and the
// document has that and nothing unsaved. What is brought back is what the agent had written.
func TestAgentChangesTheCoding(t *testing.T) {
	t.Parallel()
	n := 0
	for _, before := range []coding{utf8Coding, markedCoding, codings[0], codings[1]} {
		for _, after := range append([]coding{utf8Coding, markedCoding, codings[0], codings[1], bigEndian}, noText...) {
			for _, reads := range []readsAnew{byMark, byBytes, asItWas} {
				marks := strings.HasPrefix(before.name, utf8Coding.name) && strings.HasPrefix(after.name, utf8Coding.name)
				if before.name == after.name || marks && reads == asItWas { // a byte order mark is found in any case
					continue
				}
				for _, row := range []bool{false, true} {
					n++
					unasked := n/2%2 == 0 // each half of the time
					from := n % 3
					runOneIn(t, 4, fmt.Sprintf("%s to %s, row %v, read %s, unasked %v", before.name, after.name, row, reads, unasked), func(t *testing.T) {
						t.Parallel()
						testRecoded(t, before, after, row, reads, unasked, from)
					})
				}
			}
		}
	}
}

// testRecoded plays every third way, from some one on, to end it.
func testRecoded(t *testing.T, before, after coding, row bool, reads readsAnew, unasked bool, from int) {
	text := latin
	if row {
		text = strings.Replace(latin, "2\n", "TWO\n", 1)
	}
	was, is := before.encode(latin), after.encode(text)
	for i, how := range []string{"reject", "undo", "accept", "closed", "closed after it", "with a hunk of before"} {
		if i%3 != from {
			continue
		}
		t.Run(how, func(t *testing.T) {
			s := newRecodedScene(t, before, reads)
			if how != "closed" {
				s.open()
			}
			was, is := was, is
			if how == "with a hunk of before" {
				eight := strings.NewReplacer("8\n", "EIGHT\n")
				was, is = before.encode(eight.Replace(latin)), after.encode(eight.Replace(text))
				turnOf(t, s.c, s.l, func(Host, string) { writeFile(t, s.path, was) })
				if n := s.undecided(); n != 1 {
					t.Fatalf("%d undecided", n)
				}
			}
			writes := func() {
				turnOf(t, s.c, s.l, func(h Host, sid string) {
					h.Update(sid, ToolPatch{ID: "c", Kind: str("execute"), Status: str("in_progress")})
					writeFile(t, s.path, is)
					if unasked && how != "closed" {
						s.reads()
					}
					h.Update(sid, ToolPatch{ID: "c", Status: str("completed")})
				})
			}
			writes()
			s.is("written", is)
			if s.undecided() == 0 {
				t.Fatalf("nothing is to be decided on; messages %q", s.e.said())
			}
			if how != "closed" {
				s.follows("written")
			}
			if said := strings.Join(s.e.said(), "\n"); strings.Contains(said, "Reload") || strings.Contains(said, "Open ") {
				t.Errorf("said %q", said)
			}
			reject := func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) }
			switch how {
			case "reject":
				s.decides("reject", reject)
				s.is("rejected", was)
				s.follows("rejected")
				s.decides("restore", func() (Decision, error) { return s.c.Restore(t.Context(), Decide{}) })
				if s.is("brought back", is); s.undecided() == 0 {
					t.Error("nothing has come back")
				}
				s.follows("brought back")
				s.decides("reject", reject)
			case "undo", "accept":
				if how == "accept" {
					s.decides("accept", func() (Decision, error) { return s.c.Accept(t.Context(), Decide{}) })
					if s.is("accepted", is); s.undecided() > 0 {
						t.Error("something is left")
					}
				}
				s.decides("undo", func() (Decision, error) { return s.c.Undo(t.Context(), s.c.allSessions()[0].id, "") })
			case "with a hunk of before":
				s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{Turn: s.lastTurn()}) })
				s.is("rejected", was)
				s.follows("rejected")
				if n := s.undecided(); n != 1 {
					t.Errorf("%d undecided", n)
				}
				s.decides("reject", reject)
				was = before.encode(latin)
			default:
				if how == "closed after it" {
					misread := before.name == codings[0].name && after.name == utf8Coding.name && s.as.name != after.name
					s.e.close(s.uri)
					if misread { // what its editor has shown of it only that can write
						d, err := reject()
						if err != nil || len(d.Refused) == 0 || !strings.Contains(d.Refused[0].Reason, "open it") {
							t.Errorf("%+v, %v", d, err)
						}
						return
					}
				}
				s.decides("reject", reject)
			}
			s.is("in the end", was)
			if s.undecided() > 0 {
				t.Errorf("left %+v", s.c.Reviews(s.uri, ""))
			}
			if !strings.HasPrefix(how, "closed") {
				s.follows("in the end")
				s.e.replace(s.uri, "5\n", "5 USER\n") // goes on as before
				if err := s.save(); err != nil {
					t.Error(err)
				}
				last := "5\n"
				s.is("saved", before.encode(strings.Replace(before.decode(was), last, "5 USER\n", 1)))
			}
		})
	}
}

// lastTurn is the turn that came last.
func (s *recodedScene) lastTurn() string {
	session := s.c.allSessions()[0]
	session.mu.Lock()
	defer session.mu.Unlock()
	turn := ""
	for _, it := range session.log.items {
		if it.Turn != "" {
			turn = it.Turn
		}
	}
	return turn
}

// Under unsaved text nobody but the editor may write the document: what the agent has made of the file is
// a change of that as a whole all the same, and to reject it gives back the bytes that the user's text is
// saved over, without a conflict. What the user saves over it ends it.
func TestAgentChangesTheCodingUnderUnsavedText(t *testing.T) {
	t.Parallel()
	n := 0
	for _, before := range []coding{utf8Coding, markedCoding, codings[0], codings[1]} {
		for _, after := range append([]coding{utf8Coding, codings[1], bigEndian}, noText...) {
			for _, row := range []bool{false, true} {
				if before.name == after.name || before.name == markedCoding.name && after.name == utf8Coding.name ||
					before.name == codings[0].name && after.name == utf8Coding.name {
					continue // that is not told from the bytes
				}
				n++
				for i, how := range []string{"reject", "accept", "save over it"} {
					if i != n%3 {
						continue // a third of all
					}
					t.Run(fmt.Sprintf("%s to %s, row %v, %s", before.name, after.name, row, how), func(t *testing.T) {
						t.Parallel()
						text := latin
						if row {
							text = strings.Replace(latin, "2\n", "TWO\n", 1)
						}
						s := newRecodedScene(t, before, byBytes)
						s.open()
						s.e.replace(s.uri, "5\n", "5 USER\n")
						users := strings.Replace(latin, "5\n", "5 USER\n", 1)
						is := after.encode(text)
						turnOf(t, s.c, s.l, func(Host, string) { writeFile(t, s.path, is) })
						s.is("written", is)
						if got := s.e.text(s.uri); got != users {
							t.Errorf("the document has %q", got)
						}
						if n := s.undecided(); n != 1 {
							t.Fatalf("%d undecided: %+v; messages %q", n, s.c.Reviews(s.uri, ""), s.e.said())
						}
						if said := strings.Join(s.e.said(), "\n"); !strings.Contains(said, "fake has written") || strings.Contains(said, "another program") {
							t.Errorf("said %q", said)
						}
						switch how {
						case "reject":
							s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) })
							s.is("rejected", before.encode(latin))
							if err := s.save(); err != nil {
								t.Error(err)
							}
							s.is("saved", before.encode(users))
						case "accept":
							s.decides("accept", func() (Decision, error) { return s.c.Accept(t.Context(), Decide{}) })
							s.is("accepted", is)
						case "save over it":
							s.known = is // as the user says
							if err := s.save(); err != nil {
								t.Error(err)
							}
							s.is("saved", before.encode(users))
							turnOf(t, s.c, s.l, func(Host, string) {})
						}
						if got := s.e.text(s.uri); got != users {
							t.Errorf("the document has %q", got)
						}
						if s.undecided() > 0 {
							t.Errorf("left %+v", s.c.Reviews(s.uri, ""))
						}
					})
				}
			}
		}
	}
}

// Where there is no copy of what the file was, as git ignores it, the change is by hunk, and the user is told
// that what is rejected is saved in the encoding of now.
func TestAgentChangesTheCodingOfAnIgnoredFile(t *testing.T) {
	t.Parallel()
	for _, after := range []coding{codings[0], codings[1]} {
		t.Run(after.name, func(t *testing.T) {
			s := newRecodedScene(t, utf8Coding, byBytes)
			gitInit(t, filepath.Dir(s.path))
			writeFile(t, filepath.Join(filepath.Dir(s.path), ".gitignore"), "a.txt\n")
			gitIn(t, filepath.Dir(s.path), "rm", "-q", "--cached", "a.txt")
			gitIn(t, filepath.Dir(s.path), "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x")
			s.open()
			turnOf(t, s.c, s.l, func(Host, string) {
				writeFile(t, s.path, after.encode(strings.Replace(latin, "2\n", "TWO\n", 1)))
			})
			if n := s.undecided(); n != 1 {
				t.Errorf("%d undecided", n)
			}
			s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) })
			s.is("rejected", after.encode(latin))
			s.follows("rejected")
			if said := strings.Join(s.e.said(), "\n"); !strings.Contains(said, "encoding of before (UTF-8)") {
				t.Errorf("said %q", said)
			}
		})
	}
}

// What is undecided outlives the process, and is rejected byte for byte then.
func TestAgentChangesTheCodingAndSurvives(t *testing.T) {
	t.Parallel()
	for _, after := range append([]coding{codings[0], codings[1]}, noText...) {
		for _, open := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, open %v", after.name, open), func(t *testing.T) {
				w := newEarth(t)
				w.start()
				defer w.close()
				path, is := w.path("a"), after.encode(latin)
				writeFile(t, path, latin)
				w.e.open(w.uri("a"), latin)
				awaitLook(t, w.c.file(buffers.Path(path)))
				turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, path, is) })
				for range 2 {
					w.wantHunks("a", "modify")
					w.crash()
					if open {
						w.e.open(w.uri("a"), utf8Coding.decode(is))
						awaitLook(t, w.c.file(buffers.Path(path)))
					}
				}
				if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) != 0 || len(d.Decided) == 0 {
					t.Errorf("%+v, %v", d, err)
				}
				if got := readFile(t, path); got != latin {
					t.Errorf("rejected %q", got)
				}
			})
		}
	}
}
