package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

const (
	dosRows   = "one\r\ntwo\r\nthree\r\nfour\r\n"
	unixRows  = "one\ntwo\nthree\nfour\n"
	macRows   = "one\rtwo\rthree\rfour\r"
	mixedRows = "one\r\ntwo\nthree\rfour\r\n"
)

// endsChanges are what an agent can make of line ends.
var endsChanges = []struct{ name, had, has string }{
	{"one of dos", dosRows, "one\r\ntwo\nthree\r\nfour\r\n"},
	{"the last of dos", dosRows, "one\r\ntwo\r\nthree\r\nfour\n"},
	{"dos to unix", dosRows, unixRows},
	{"dos to mac", dosRows, macRows},
	{"one of unix", unixRows, "one\ntwo\r\nthree\nfour\n"},
	{"one of unix to mac", unixRows, "one\ntwo\rthree\nfour\n"},
	{"unix to dos", unixRows, dosRows},
	{"mac to unix", macRows, unixRows},
	{"one of mac", macRows, "one\rtwo\r\nthree\rfour\r"},
	{"one of mixed", mixedRows, "one\r\ntwo\nthree\nfour\r\n"},
	{"mixed trade places", mixedRows, "one\ntwo\r\nthree\r\nfour\r"},
	{"mixed to dos", mixedRows, dosRows},
	{"mixed to unix", mixedRows, unixRows},
	{"the final one of dos", dosRows, strings.TrimSuffix(dosRows, "\r\n")},
	{"a final one for dos", strings.TrimSuffix(dosRows, "\r\n"), dosRows},
	{"a final one for mixed", strings.TrimSuffix(mixedRows, "\r\n"), mixedRows},
	{"all and the final one", dosRows, strings.TrimSuffix(unixRows, "\n")},
	{"one and a word of it", dosRows, "one\r\nTWO\nthree\r\nfour\r\n"},
	{"one and a word of another", dosRows, "one\r\ntwo\nthree\r\nFOUR\r\n"},
	{"all and a word", dosRows, "one\ntwo\nTHREE\nfour\n"},
	{"all and the last word", unixRows, "one\r\ntwo\r\nthree\r\nFOUR\r\n"},
	{"all and a new row", mixedRows, "one\ntwo\nnew\nthree\nfour\n"},
	{"all and a row less", mixedRows, "one\ntwo\nfour\n"},
	{"all rows but one less", dosRows, "one"},
}

// endsScene is a file of which agents change the line ends, in an editor that takes in any.
type endsScene struct {
	t         *testing.T
	c         *Core
	e         *fakeEditor
	l         *fakeLauncher
	path, uri string
	how       string // "not open", "open", "unsaved"
}

// newEndsScene has a file with had in it; unsaved there is a row "mine" before it.
func newEndsScene(t *testing.T, how, had string) *endsScene {
	t.Helper()
	s := &endsScene{t: t, l: &fakeLauncher{}, how: how}
	c, e, root := setup(t, s.l)
	s.c, s.e, s.path = c, e, filepath.Join(root, "a.txt")
	s.uri = buffers.PathURI(s.path)
	e.caps = map[string]bool{"reload": true, "adopt": true}
	e.onReload = func(uri string) (bool, error) {
		e.reopen(uri, s.path)
		return true, nil
	}
	e.onAdopt = func(uri string, _ int32, now string) (bool, error) {
		e.typeAt(uri, 0, len(e.text(uri)), now)
		return true, nil
	}
	e.onSave = func(uri string) error {
		s.save()
		return nil
	}
	writeFile(t, s.path, had)
	if how != "not open" {
		e.open(s.uri, had)
	}
	if how == "unsaved" {
		e.typeAt(s.uri, 0, 0, "mine\n")
	}
	return s
}

func (s *endsScene) save() {
	writeFile(s.t, s.path, s.e.text(s.uri))
	s.e.send(buffers.Save{URI: s.uri})
}

// text is what the document has or, without one, the file.
func (s *endsScene) text() string {
	if s.how == "not open" {
		return readFile(s.t, s.path)
	}
	return s.e.text(s.uri)
}

// put makes now the text by the user's hand.
func (s *endsScene) put(now string) {
	if s.how == "not open" {
		writeFile(s.t, s.path, now)
		return
	}
	start, end, by := replacement(s.e.text(s.uri), now)
	s.e.typeAt(s.uri, start, end, by)
}

// turn is a turn in which the agent makes of the file, on disk, what f says, under what is unsaved too.
func (s *endsScene) turn(f func(string) string) {
	s.t.Helper()
	diskTurn(s.t, s.c, s.l, s.path, f)
}

func (s *endsScene) accept() {
	s.t.Helper()
	if _, err := s.c.Accept(s.t.Context(), Decide{}); err != nil {
		s.t.Fatal(err)
	}
}

// undo takes back a turn, or all for 0, and returns what it says to be left.
func (s *endsScene) undo(turn int) (refused string) {
	s.t.Helper()
	id, of := s.c.allSessions()[0].id, ""
	if turn > 0 {
		of = fmt.Sprintf("%s.%d", id, turn)
	}
	d, err := s.c.Undo(s.t.Context(), id, of)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range d.Refused {
		refused += r.Reason + "\n"
	}
	return refused
}

// is fails if there is another text than want, or another one on disk where nothing is to be unsaved,
// or anything to settle.
func (s *endsScene) is(want, refused string, saved bool) {
	s.t.Helper()
	if got := s.text(); got != want {
		s.t.Errorf("the text is %q, want %q", got, want)
	}
	if got := readFile(s.t, s.path); saved && got != want {
		s.t.Errorf("the disk has %q, want %q", got, want)
	}
	if refused != "" {
		s.t.Errorf("refused: %s", refused)
	}
	if h := hunksOf(s.t, s.c, s.uri, review.StatePending, review.StateConflict); len(h) > 0 {
		s.t.Errorf("undecided: %+v", h)
	}
}

// A turn gives back the line ends that it has changed as it does all else: whatever was decided of it
// and whether it is of a document or not, saved or not, and rows that the user has typed keep theirs.
func TestUndoGivesLineEndsBack(t *testing.T) {
	t.Parallel()
	for _, c := range endsChanges {
		for _, how := range []string{"not open", "open", "unsaved"} {
			for _, decided := range []string{"accepted", "in part", "undecided", "accepted, typed in", "accepted and saved"} {
				t.Run(c.name+", "+how+", "+decided, func(t *testing.T) {
					t.Parallel()
					s := newEndsScene(t, how, c.had)
					users := s.text()
					s.turn(func(string) string { return c.has })
					switch hunks := hunksOf(t, s.c, s.uri); {
					case decided == "in part" && len(hunks) > 0:
						if _, err := s.c.Accept(t.Context(), Decide{Hunks: []string{hunks[0].ID}}); err != nil {
							t.Fatal(err)
						}
					case decided != "undecided":
						s.accept()
					}
					switch decided {
					case "accepted, typed in":
						s.put("typed\n" + s.text())
						users = "typed\n" + users
					case "accepted and saved":
						if how != "not open" {
							s.save()
						}
					}
					made := s.text()
					said := s.undo(1)
					if how == "unsaved" && c.had == unixRows && buffers.EndsOf(text.New(c.had)).Turned(buffers.EndsOf(text.New(c.has))) && decided != "accepted and saved" {
						if said != errHidden.Error()+"\n" { // unsaved text of one kind has kept its own
							t.Errorf("refused: %q", said)
						}
						said = ""
					}
					s.is(users, said, how == "not open" || how == "open" && decided != "accepted, typed in")
					if said := s.undo(1) + s.undo(0); s.text() != users || said != "" {
						t.Errorf("once more: %q, refused %s", s.text(), said)
					}
					if how != "not open" && decided == "accepted" { // and what the editor brings back is as accepted as it was
						s.put(made)
						s.is(made, "", false)
						s.put(users)
						s.is(users, "", false)
					}
				})
			}
		}
	}
}

// Line ends that one turn has changed and another one again: each turn gives back its own, in any order,
// all of them together give back all, and what can only stay as it is is said to.
func TestUndoOfLineEndsTurnedAgain(t *testing.T) {
	t.Parallel()
	const one, two = "one\r\ntwo\nthree\r\nfour\r\n", "one\r\ntwo\nthree\nfour\r\n"
	for _, c := range []struct {
		name, had, has, then string
		first                string // without the first turn
		stay                 bool   // there are line ends that stay
	}{
		{"and back", dosRows, unixRows, dosRows, dosRows, false},
		{"to a third kind", dosRows, unixRows, macRows, macRows, true},
		{"another row", dosRows, one, two, "one\r\ntwo\r\nthree\nfour\r\n", false},
		{"the same row", dosRows, one, "one\r\ntwo\rthree\r\nfour\r\n", "one\r\ntwo\rthree\r\nfour\r\n", true},
		{"some back", dosRows, unixRows, one, dosRows, false},
		{"some further", mixedRows, unixRows, "one\ntwo\rthree\nfour\n", "one\r\ntwo\rthree\rfour\r\n", false},
		{"beside a word", dosRows, unixRows, "one\ntwo\nTHREE\nfour\n", "one\r\ntwo\r\nTHREE\r\nfour\r\n", false},
		{"with a word", dosRows, unixRows, "one\ntwo\nTHREE\r\nfour\n", dosRows[:10] + "THREE\r\nfour\r\n", false},
		{"the final one", dosRows, strings.TrimSuffix(dosRows, "\r\n"), strings.TrimSuffix(unixRows, "\n"), unixRows[:18] + "\r\n", false},
		{"the final one and back", dosRows, strings.TrimSuffix(dosRows, "\r\n"), dosRows, dosRows, false},
		{"a row more and all", unixRows, "one\ntwo\nnew\nthree\nfour\n", "one\r\ntwo\r\nnew\r\nthree\r\nfour\r\n", dosRows, false},
		{"a row less and all", unixRows, "one\ntwo\nfour\n", "one\r\ntwo\r\nfour\r\n", dosRows, false},
	} {
		for _, how := range []string{"not open", "open", "unsaved"} {
			for _, order := range []string{"1,2", "2,1", "0"} {
				t.Run(c.name+", "+how+", "+order, func(t *testing.T) {
					t.Parallel()
					if how == "unsaved" && strings.Contains(c.name, "all") {
						t.Skip("unsaved text keeps its kind of line ends")
					}
					s := newEndsScene(t, how, c.had)
					mine := strings.TrimSuffix(s.text(), c.had)
					for _, next := range []string{c.has, c.then} {
						s.turn(func(string) string { return next })
						s.accept()
					}
					if got := s.text(); got != mine+c.then && how != "unsaved" {
						t.Fatalf("the text is %q", got)
					}
					switch order {
					case "1,2":
						said := s.undo(1)
						if (said != "") != c.stay && how != "unsaved" {
							t.Errorf("said %q", said)
						}
						if how != "unsaved" {
							s.is(mine+c.first, "", true)
						}
						s.is(mine+c.had, s.undo(2), how != "unsaved")
					case "2,1":
						if said := s.undo(2); how != "unsaved" {
							s.is(mine+c.has, said, true)
						}
						s.is(mine+c.had, s.undo(1), how != "unsaved")
					default:
						s.is(mine+c.had, s.undo(0), how != "unsaved")
					}
				})
			}
		}
	}
}

// Line ends on disk that a document does not show are given back when it is saved, which is said, and
// if it is closed without that by the undo itself.
func TestUndoOfLineEndsThatAreHidden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, had, has string
		unsaved        bool
	}{
		{"one, which the editor does not show", dosRows, "one\r\ntwo\nthree\r\nfour\r\n", false},
		{"one and a word", dosRows, "one\r\ntwo\nTHREE\r\nfour\r\n", false},
		{"all, under unsaved text", dosRows, unixRows, true},
		{"all of unix, under unsaved text", unixRows, dosRows, true},
	} {
		for _, then := range []string{"stays", "saved", "closed"} {
			for _, accepted := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, %s, accepted %v", c.name, then, accepted), func(t *testing.T) {
					t.Parallel()
					s := newEndsScene(t, "open", c.had)
					end := c.had[3 : len(c.had)-len(strings.TrimLeft(c.had[3:], "\r\n"))]
					users := c.had
					if !c.unsaved { // as VS Code
						s.e.caps = map[string]bool{"reload": true}
						s.e.onReload = func(uri string) (bool, error) {
							now := buffers.StyleOf(c.had).Apply(readFile(t, s.path))
							s.e.wire.Lock()
							defer s.e.wire.Unlock()
							s.e.note(func() { s.e.docs[uri] = &fakeDoc{text: text.New(now)} })
							s.e.sendLocked(buffers.Close{URI: uri})
							s.e.sendLocked(buffers.Open{URI: uri, LanguageID: "text", Text: now})
							return true, nil
						}
					} else {
						users = "mine" + end + c.had
						s.put(users)
					}
					s.turn(func(string) string { return c.has })
					if accepted {
						s.accept()
					}
					want := users
					switch then {
					case "saved":
						s.save()
					case "closed":
						s.e.close(s.uri)
						s.how, want = "not open", c.had
					}
					said := s.undo(1)
					if hidden := then == "stays" && readFile(t, s.path) != s.text(); hidden != strings.Contains(said, "save it there") {
						t.Errorf("said %q", said)
					}
					s.is(want, "", then != "stays")
					if then == "stays" {
						s.save()
						s.is(want, s.undo(0), true)
					}
				})
			}
		}
	}
}
