package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/review"
)

// A coding is how an editor reads and writes a file.
type coding struct {
	name           string
	encode, decode func(string) string
}

var codings = []coding{
	{"latin1", func(s string) string {
		var b []byte
		for _, r := range s {
			b = append(b, byte(r))
		}
		return string(b)
	}, func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		return b.String()
	}},
	{"utf-16", func(s string) string {
		b := []byte("\xff\xfe")
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}, func(s string) string {
		var us []uint16
		for i := 2; i+1 < len(s); i += 2 {
			us = append(us, uint16(s[i])|uint16(s[i+1])<<8)
		}
		return string(utf16.Decode(us))
	}},
	wide("utf-16le without a mark", 0), wide("utf-16be without a mark", 1),
}

// wide is UTF-16 without a byte order mark, of which the byte at is the first one of a
// character. To be valid UTF-8 it is of ASCII alone: as an encoding it is one that nobody knows.
func wide(name string, at int) coding {
	return coding{name, func(s string) string {
		b := []byte{}
		for _, c := range []byte(strings.ReplaceAll(s, "\u00e9", "~")) {
			two := [2]byte{}
			two[at] = c
			b = append(b, two[:]...)
		}
		return string(b)
	}, func(s string) string {
		var b strings.Builder
		for i := at; i < len(s); i += 2 {
			b.WriteByte(s[i])
		}
		return strings.ReplaceAll(b.String(), "~", "\u00e9")
	}}
}

// latin is a text that is not ASCII.
const latin = "caf\u00e9\n" + ten

// encodedScene is a file that is not UTF-8 in an editor that knows its coding.
type encodedScene struct {
	t         *testing.T
	c         *Core
	l         *fakeLauncher
	e         *fakeEditor
	path, uri string
	coding
	saved atomic.Value // the text that is not unsaved; the core's and the agent's goroutines set it
}

// The ways in which editors tell that they have read a file anew, and what it has now.
var rereads = map[string]func(s *encodedScene, now string){
	"opens it again": func(s *encodedScene, now string) {
		s.e.send(buffers.Close{URI: s.uri})
		s.e.open(s.uri, now)
	},
	"changes it": func(s *encodedScene, now string) {
		if was := s.e.text(s.uri); was != now {
			s.e.typeAt(s.uri, 0, len(was), now)
		}
	},
	"changes rows of it": func(s *encodedScene, now string) {
		d, _ := s.e.at.Document(s.uri)
		edit := documentEdit(d, position.UTF8, "", textOf(now))
		if len(edit.Edits) > 0 {
			_ = s.e.edit(edit, false)
		}
	},
}

func newEncodedScene(t *testing.T, x coding, how string) *encodedScene {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	gitIn(t, root, "init", "-q")
	s := &encodedScene{t: t, c: c, l: l, e: e, path: filepath.Join(root, "a.txt"), coding: x}
	s.uri = buffers.PathURI(s.path)
	e.caps = map[string]bool{"reload": true, "save": true}
	e.onReload = func(string) (bool, error) {
		if s.e.text(s.uri) != s.saved.Load() {
			return false, nil
		}
		s.reread(how)
		return true, nil
	}
	e.onSave = func(string) error { s.save(); return nil }
	s.write(latin)
	return s
}

func (s *encodedScene) write(text string) { writeFile(s.t, s.path, s.encode(text)) }
func (s *encodedScene) onDisk() string    { return s.decode(readFile(s.t, s.path)) }

func (s *encodedScene) open() {
	text := s.onDisk()
	s.saved.Store(text)
	s.e.open(s.uri, text)
	s.looked()
}

// looked waits until the file has been looked at.
func (s *encodedScene) looked() {
	s.t.Helper()
	awaitLook(s.t, s.c.file(buffers.Path(s.path)))
}

// awaitLook waits until a file has been looked at.
func awaitLook(t testing.TB, f *file) {
	t.Helper()
	for start := time.Now(); time.Since(start) < 20*time.Second; runtime.Gosched() {
		f.mu.Lock()
		looked := f.before != nil
		f.mu.Unlock()
		if looked {
			return
		}
	}
	t.Fatal("waited in vain for a look at the file")
}

func (s *encodedScene) reread(how string) {
	text := s.onDisk()
	s.saved.Store(text)
	rereads[how](s, text)
}

func (s *encodedScene) save() {
	text := s.e.text(s.uri)
	s.saved.Store(text)
	s.write(text)
	s.e.send(buffers.Save{URI: s.uri})
}

// agent has the agent change rows of the file.
func (s *encodedScene) agent(rows ...string) {
	s.t.Helper()
	turnOf(s.t, s.c, s.l, func(Host, string) { s.write(strings.NewReplacer(rows...).Replace(s.onDisk())) })
}

// pending compares the hunks with pairs of what they replace and what they put there.
func (s *encodedScene) pending(want ...string) {
	s.t.Helper()
	var got []string
	for _, h := range hunksOf(s.t, s.c, s.uri) {
		got = append(got, h.BaseText, h.Text)
		if h.State != review.StatePending || h.Origins[0].Author != review.AuthorAgent {
			s.t.Errorf("hunk %+v", h)
		}
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("hunks %q, want %q", got, want)
	}
}

// is compares the text and the file with what they are to be.
func (s *encodedScene) is(text, disk string) {
	s.t.Helper()
	if got := s.e.text(s.uri); got != text {
		s.t.Errorf("text %q, want %q", got, text)
	}
	if got := readFile(s.t, s.path); got != s.encode(disk) {
		s.t.Errorf("the disk has %q, want %q", got, s.encode(disk))
	}
}

func (s *encodedScene) rejectAll() {
	s.t.Helper()
	if d, err := s.c.Reject(s.t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
		s.t.Errorf("reject: %+v, %v", d, err)
	}
}

// warned returns how often the editor has warned of what a document could not take in.
func (s *encodedScene) warned() int {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	n := 0
	for _, m := range s.e.messages {
		if strings.Contains(m, "UTF-8") {
			n++
		}
	}
	return n
}

func eachCoding(t *testing.T, f func(t *testing.T, s *encodedScene, how string)) {
	eachOf(t, codings, f)
}

func eachOf(t *testing.T, codings []coding, f func(t *testing.T, s *encodedScene, how string)) {
	for _, x := range codings {
		for how := range rereads {
			t.Run(x.name+", "+how, func(t *testing.T) {
				f(t, newEncodedScene(t, x, how), how)
			})
		}
	}
}

// What an agent writes to the disk of an open file that is not UTF-8 is shown by hunk, turn
// after turn, and what is rejected is the file again, byte for byte, however its editor reads
// it anew and whether or not it was asked to.
func TestEncodedFileIsReviewed(t *testing.T) {
	t.Parallel()
	for _, unasked := range []bool{false, true} {
		eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
			if unasked {
				t.Log("the editor reads it by itself")
			}
			s.open()
			turns := 0
			rows := func(pairs ...string) {
				t.Helper()
				turns++
				id := fmt.Sprint("t", turns)
				turnOf(t, s.c, s.l, func(h Host, sid string) {
					h.Update(sid, ToolPatch{ID: id, Kind: str("execute"), Status: str("in_progress")})
					s.write(strings.NewReplacer(pairs...).Replace(s.onDisk()))
					if unasked {
						s.reread(how)
					}
					h.Update(sid, ToolPatch{ID: id, Status: str("completed")})
				})
			}
			rows("2\n", "TWO \u00e9\n", "8\n", "8\nNEW\n")
			s.pending("2\n", "TWO \u00e9\n", "", "NEW\n")
			first := strings.NewReplacer("2\n", "TWO \u00e9\n", "8\n", "8\nNEW\n").Replace(latin)
			s.is(first, first)
			if base, err := s.c.Baseline(s.uri); err != nil || base != latin {
				t.Errorf("baseline %q, %v", base, err)
			}
			s.e.replace(s.uri, "5\n", "5 USER\n")
			s.save()
			rows("10\n", "TEN\n")
			s.pending("2\n", "TWO \u00e9\n", "", "NEW\n", "10\n", "TEN\n")
			s.rejectAll()
			users := strings.Replace(latin, "5\n", "5 USER\n", 1)
			s.is(users, users)
			s.pending()
			rows("10\n", "TEN\n")
			s.pending("10\n", "TEN\n")
			if s.warned() > 0 {
				t.Errorf("messages %q", s.e.messages)
			}
		})
	}
}

// What is unsaved when the file changes stays as it is, and the user is told once what to do.
// When they load the file anew, the change is the agent's still.
func TestEncodedFileUnderUnsavedText(t *testing.T) {
	t.Parallel()
	eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
		s.open()
		s.e.replace(s.uri, "5\n", "5 USER\n")
		users, agents := s.e.text(s.uri), strings.NewReplacer("2\n", "TWO\n", "8\n", "EIGHT\n").Replace(latin)
		s.agent("2\n", "TWO\n")
		s.is(users, strings.Replace(latin, "2\n", "TWO\n", 1))
		s.agent("8\n", "EIGHT\n")
		s.is(users, agents)
		s.pending()
		if s.warned() != 1 {
			t.Errorf("messages %q", s.e.messages)
		}
		s.e.send(buffers.Save{URI: s.uri}) // as Neovim says of a write that was refused
		if how != "opens it again" {
			return // nobody says then that nothing is unsaved
		}
		s.reread(how)
		s.pending("2\n", "TWO\n", "8\n", "EIGHT\n")
		s.rejectAll()
		s.is(latin, latin)
	})
}

// Where an editor cannot be asked to read a file anew, the user is told once.
func TestEncodedFileInPlainEditor(t *testing.T) {
	t.Parallel()
	eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
		s.e.caps = nil
		s.open()
		s.agent("2\n", "TWO\n")
		s.agent("8\n", "EIGHT\n")
		s.is(latin, strings.NewReplacer("2\n", "TWO\n", "8\n", "EIGHT\n").Replace(latin))
		if s.warned() != 1 {
			t.Errorf("messages %q", s.e.messages)
		}
	})
}

// What has changed in such a file before a turn, and what the user types, is not the agent's.
func TestEncodedFileOfOthers(t *testing.T) {
	t.Parallel()
	eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
		s.open()
		others := strings.Replace(latin, "3\n", "3 OTHER\n", 1)
		s.write(others)
		s.agent("9\n", "NINE\n")
		s.pending("9\n", "NINE\n")
		s.rejectAll()
		s.is(others, others)
		turnOf(t, s.c, s.l, func(Host, string) {
			s.e.replace(s.uri, "7\n", "7 USER\n")
			s.c.turnPoint(s.c.allSessions()[0], s.c.allSessions()[0].now())
			s.save()
		})
		s.pending()
		if users := strings.Replace(others, "7\n", "7 USER\n", 1); s.warned() > 0 {
			t.Errorf("messages %q", s.e.messages)
		} else {
			s.is(users, users)
		}
	})
}

// A write through acp-ls is refused as ever, and so is a decision on a file that no editor has
// open any more; when it is opened again it can be decided on.
func TestEncodedFileIsNeverWritten(t *testing.T) {
	t.Parallel()
	eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
		s.open()
		turnOf(t, s.c, s.l, func(h Host, sid string) {
			if err := h.WriteTextFile(t.Context(), sid, s.path, strings.Replace(latin, "2\n", "TWO\n", 1)); err == nil {
				t.Error("it was written")
			}
		})
		s.is(latin, latin)
		s.agent("2\n", "TWO\n")
		s.e.close(s.uri)
		d, err := s.c.Reject(t.Context(), Decide{})
		if err != nil || len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Reason, "open it") {
			t.Errorf("decision %+v, %v", d, err)
		}
		s.agent("x", "x") // looks at the file
		if r := s.c.Reviews(s.uri, ""); len(r) != 1 || r[0].File != nil {
			t.Errorf("reviews %+v", r)
		}
		s.open()
		s.pending("2\n", "TWO\n")
		s.rejectAll()
		s.is(latin, latin)
	})
}

// A file that is opened when an agent has written it already has changed as a whole: nobody
// knows what it was as text. So has one that the agent takes away.
func TestEncodedFileAsAWhole(t *testing.T) {
	t.Parallel()
	whole := func(t *testing.T, s *encodedScene, op string) {
		t.Helper()
		r := s.c.Reviews(s.uri, "")
		if len(r) != 1 || r[0].File == nil || r[0].File.Op != op || len(r[0].Hunks) > 0 {
			t.Fatalf("reviews %+v", r)
		}
		s.rejectAll()
		if got := readFile(t, s.path); got != s.encode(latin) {
			t.Errorf("the disk has %q", got)
		}
	}
	eachCoding(t, func(t *testing.T, s *encodedScene, how string) {
		awaitTick(t)
		turnOf(t, s.c, s.l, func(Host, string) {
			s.write(strings.Replace(latin, "2\n", "TWO\n", 1))
			s.open()
			s.write(strings.Replace(latin, "2\n", "ZWEI\n", 1))
		})
		whole(t, s, "modify")
		s.e.await("the document to follow", func() bool { return s.e.docs[s.uri].text.String() == latin })
		turnOf(t, s.c, s.l, func(Host, string) {
			if err := os.Remove(s.path); err != nil {
				t.Error(err)
			}
		})
		whole(t, s, "delete")
		s.agent("2\n", "TWO\n")
		s.pending("2\n", "TWO\n")
	})
}

// What the user gives the name of a file in a turn, in another encoding, is the user's, whenever
// the disk is looked at; what an agent has written there is not, because the user saves it.
func TestEncodedFileIsWrittenByTheUser(t *testing.T) {
	t.Parallel()
	for _, x := range codings {
		for _, own := range []bool{true, false} {
			for look := range 4 {
				t.Run(fmt.Sprintf("%s, the user's %v, looked at %d", x.name, own, look), func(t *testing.T) {
					s := newEncodedScene(t, x, "changes it")
					if err := os.Remove(s.path); err != nil {
						t.Fatal(err)
					}
					awaitTick(t)
					turnOf(t, s.c, s.l, func(Host, string) {
						session := s.c.allSessions()[0]
						for step := range 4 {
							switch step {
							case 1:
								s.write(latin)
							case 2:
								s.open()
							case 3:
								if !own {
									awaitTick(t)
									s.write(latin) // as it is
								}
								s.e.send(buffers.Save{URI: s.uri})
							}
							if step == look {
								session.compareDisk(t.Context())
							}
						}
					})
					r := s.c.Reviews(s.uri, "")
					if shown := len(r) == 1 && r[0].File != nil && r[0].File.Op == "create"; shown == own {
						t.Errorf("reviews %+v", r)
					}
				})
			}
		}
	}
}

// An editor may read what an agent writes in the encoding in which it has read the file before (VS
// Code, in that of a setting), whatever the agent has taken it for. What it then shows is the agent's
// change, by hunk, and what is rejected is the file again, byte for byte.
func TestEditorKeepsItsCoding(t *testing.T) {
	t.Parallel()
	plain := coding{"utf-8", func(s string) string { return s }, func(s string) string {
		return string([]rune(s)) // with one character for each byte that is none
	}}
	for _, c := range []struct {
		name         string
		keeps, comes coding
	}{{"latin1", codings[0], plain}} {
		// What the editor makes of a text that the agent has written.
		shown := func(text string) string { return c.keeps.decode(c.comes.encode(text)) }
		const row = "caf\u00e9\n"
		for how := range rereads {
			for _, first := range []string{"", "read", "compared"} { // before the document is brought up to date
				run := func(name string, f func(t *testing.T, s *encodedScene, writes func(text string))) {
					runOneIn(t, 3, fmt.Sprintf("%s, %s, first %s, %s", c.name, how, first, name), func(t *testing.T) {
						s := newEncodedScene(t, c.keeps, how)
						s.open()
						turns := 0
						f(t, s, func(text string) {
							t.Helper()
							turns++
							id := fmt.Sprint("t", turns)
							turnOf(t, s.c, s.l, func(h Host, sid string) {
								h.Update(sid, ToolPatch{ID: id, Kind: str("execute"), Status: str("in_progress")})
								writeFile(t, s.path, c.comes.encode(text))
								switch first {
								case "read":
									s.reread(how)
								case "compared":
									s.c.allSessions()[0].compareDisk(t.Context())
								}
								h.Update(sid, ToolPatch{ID: id, Status: str("completed")})
							})
						})
						if s.warned() > 0 {
							t.Errorf("messages %q", s.e.messages)
						}
					})
				}
				two := strings.Replace(latin, "2\n", "TWO\n", 1)
				written := func(t *testing.T, s *encodedScene) {
					t.Helper()
					if got := readFile(t, s.path); got != c.comes.encode(two) {
						t.Errorf("the disk has %q", got)
					}
					if got := s.e.text(s.uri); got != shown(two) {
						t.Errorf("text %q", got)
					}
				}
				run("rejected", func(t *testing.T, s *encodedScene, writes func(string)) {
					for range 2 {
						writes(two)
						written(t, s)
						s.pending(row, shown(row), "2\n", "TWO\n")
						s.rejectAll()
						s.is(latin, latin)
						s.pending()
					}
				})
				run("written twice", func(t *testing.T, s *encodedScene, writes func(string)) {
					writes(strings.Replace(latin, "8\n", "EIGHT\n", 1))
					writes(two)
					written(t, s)
					s.pending(row, shown(row), "2\n", "TWO\n")
					s.rejectAll()
					s.is(latin, latin)
				})
				run("nothing else", func(t *testing.T, s *encodedScene, writes func(string)) {
					writes(latin)
					s.pending(row, shown(row))
					s.rejectAll()
					s.is(latin, latin)
				})
				run("undone", func(t *testing.T, s *encodedScene, writes func(string)) {
					writes(two)
					if _, err := s.c.Accept(t.Context(), Decide{}); err != nil {
						t.Error(err)
					}
					written(t, s)
					if d, err := s.c.Undo(t.Context(), s.c.allSessions()[0].id, ""); err != nil || len(d.Refused) > 0 {
						t.Errorf("undo: %+v, %v", d, err)
					}
					s.is(latin, latin)
				})
				run("gone on from", func(t *testing.T, s *encodedScene, writes func(string)) {
					writes(two)
					if _, err := s.c.Accept(t.Context(), Decide{}); err != nil {
						t.Error(err)
					}
					s.e.replace(s.uri, "5\n", "5 USER\n")
					s.save()
					users := strings.Replace(two, "5\n", "5 USER\n", 1)
					s.is(shown(users), shown(users))
					s.pending()
					writes(strings.Replace(users, "9\n", "NINE\n", 1))
					s.pending("9\n", "NINE\n")
					s.rejectAll()
					s.is(shown(users), shown(users))
				})
				run("in parts", func(t *testing.T, s *encodedScene, writes func(string)) {
					writes(two)
					for _, h := range hunksOf(t, s.c, s.uri) {
						if h.BaseText == row {
							if _, err := s.c.Reject(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil {
								t.Error(err)
							}
						}
					}
					s.is(two, two)
					s.pending("2\n", "TWO\n")
				})
				run("closed and opened", func(t *testing.T, s *encodedScene, writes func(string)) {
					writes(two)
					s.e.close(s.uri)
					d, err := s.c.Reject(t.Context(), Decide{})
					if err != nil || len(d.Refused) == 0 || !strings.Contains(d.Refused[0].Reason, "open it") {
						t.Errorf("decision %+v, %v", d, err)
					}
					s.open()
					s.pending(row, shown(row), "2\n", "TWO\n")
					s.rejectAll()
					s.is(latin, latin)
				})
			}
		}
	}
}

// A file that is UTF-8, and that an editor reads in another encoding, is for that editor to read and
// write too: what an agent changes there is one hunk, and nobody is said to have typed the rest.
func TestEditorMisreadsUTF8(t *testing.T) {
	t.Parallel()
	for how := range rereads {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, opened late %v", how, late), func(t *testing.T) {
				s := newEncodedScene(t, codings[0], how)
				writeFile(t, s.path, latin)
				if !late {
					s.open()
				}
				turnOf(t, s.c, s.l, func(h Host, sid string) {
					if late {
						s.open()
					}
					writeFile(t, s.path, strings.Replace(latin, "2\n", "TWO\n", 1))
				})
				s.pending("2\n", "TWO\n")
				s.rejectAll()
				if got := readFile(t, s.path); got != latin {
					t.Errorf("the disk has %q", got)
				}
				if s.warned() > 0 {
					t.Errorf("messages %q", s.e.messages)
				}
			})
		}
	}
}

// So is one that an agent has made, or written over, before it is opened: nobody has typed what the
// editor shows then.
func TestEditorMisreadsNewFile(t *testing.T) {
	t.Parallel()
	t.Run("written over", func(t *testing.T) {
		s := newEncodedScene(t, codings[0], "changes it")
		writeFile(t, s.path, latin)
		turnOf(t, s.c, s.l, func(Host, string) {
			writeFile(t, s.path, strings.Replace(latin, "2\n", "TWO\n", 1))
			s.open()
		})
		if r := s.c.Reviews(s.uri, ""); len(r) != 1 || r[0].File == nil || r[0].File.Op != "modify" || len(r[0].Hunks) > 0 {
			t.Errorf("reviews %+v", r)
		}
		s.rejectAll()
		if got := readFile(t, s.path); got != latin {
			t.Errorf("the disk has %q", got)
		}
	})
	for how := range rereads {
		for when := range 3 {
			t.Run(fmt.Sprintf("%s, opened at %d", how, when), func(t *testing.T) {
				s := newEncodedScene(t, codings[0], how)
				if err := os.Remove(s.path); err != nil {
					t.Fatal(err)
				}
				turnOf(t, s.c, s.l, func(h Host, sid string) {
					writeFile(t, s.path, latin)
					if when == 1 {
						s.c.allSessions()[0].compareDisk(t.Context())
					}
					if when < 2 {
						s.open()
					}
				})
				if when == 2 {
					s.open()
				}
				for _, h := range hunksOf(t, s.c, s.uri) {
					if h.State != review.StatePending || h.Origins[0].Author != review.AuthorAgent {
						t.Errorf("hunk %+v", h)
					}
				}
				s.rejectAll()
				if _, err := os.Stat(s.path); err == nil {
					t.Errorf("the disk has %q", readFile(t, s.path))
				}
			})
		}
	}
}

// An editor that does not know the encoding shows characters for bytes it cannot read, and
// would write these: nothing is done in such a document, or saved, and the user is told.
func TestGarbledFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	for how := range rereads {
		t.Run(how, func(t *testing.T) {
			s := newEncodedScene(t, codings[0], how)
			s.decode = func(disk string) string { return strings.ToValidUTF8(disk, "\ufffd") }
			garbled := s.onDisk()
			s.open()
			after := codings[0].encode(strings.Replace(latin, "2\n", "TWO\n", 1))
			turnOf(t, s.c, s.l, func(Host, string) {
				writeFile(t, s.path, after)
			})
			s.rejectAll()
			if got := s.e.text(s.uri); got != garbled {
				t.Errorf("text %q", got)
			}
			if got := readFile(t, s.path); got != after {
				t.Errorf("the disk has %q", got)
			}
			if s.warned() != 1 {
				t.Errorf("messages %q", s.e.messages)
			}
			// Text that becomes so by what an agent writes can be decided on, as a whole, and is not saved.
			writeFile(t, s.path, latin)
			s.reread(how)
			turnOf(t, s.c, s.l, func(Host, string) {
				writeFile(t, s.path, codings[0].encode(strings.NewReplacer("2\n", "TWO\n", "9\n", "9 \u00e9\n").Replace(latin)))
			})
			if got := s.e.text(s.uri); !strings.Contains(got, "TWO") || !strings.Contains(got, "9 \ufffd\n") {
				t.Errorf("text %q", got)
			}
			s.e.mu.Lock()
			s.e.saves = nil
			s.e.mu.Unlock()
			s.rejectAll()
			if got := readFile(t, s.path); got != latin || s.e.text(s.uri) != latin {
				t.Errorf("text %q, the disk has %q", s.e.text(s.uri), got)
			}
			if len(s.e.saves) > 0 {
				t.Errorf("saved: %q", readFile(t, s.path))
			}
		})
	}
}
