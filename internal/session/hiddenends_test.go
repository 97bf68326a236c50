package session

import (
	"fmt"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// oneKind is how an editor reads and saves that knows one kind of line ends for a document: that of most.
var oneKind = coding{"one kind", func(s string) string { return s }, func(s string) string {
	s = strings.TrimPrefix(s, byteOrderMark)
	return strings.NewReplacer("\r\n", string(kindOf(s)), "\r", string(kindOf(s)), "\n", string(kindOf(s))).Replace(s)
}}

var markedOneKind = coding{"one kind with a mark", markedCoding.encode, oneKind.decode}

func kindOf(s string) buffers.EOL {
	if buffers.StyleOf(s).EOL == buffers.CRLF {
		return buffers.CRLF
	}
	return buffers.LF
}

const (
	lfRows   = "one\ntwo\nthree\nfour\nfive\n"
	crlfRows = "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n"
	mixRows  = "one\r\ntwo\nthree\nfour\r\nfive\n"
)

// hiddenEnds are changes of line ends that such an editor does not show.
var hiddenEnds = []struct{ name, had, has string }{
	{"one of unix", lfRows, "one\ntwo\r\nthree\nfour\nfive\n"},
	{"one of dos", crlfRows, "one\r\ntwo\nthree\r\nfour\r\nfive\r\n"},
	{"most of unix", lfRows, "one\r\ntwo\r\nthree\r\nfour\r\nfive\n"},
	{"most of dos", crlfRows, "one\ntwo\nthree\nfour\nfive\r\n"},
	{"all of mixed", mixRows, lfRows},
	{"all of mixed to dos", mixRows, crlfRows},
	{"others of mixed", mixRows, "one\ntwo\r\nthree\nfour\r\nfive\n"},
	{"one of mixed and a word", mixRows, "one\ntwo\nthree\nFOUR\r\nfive\n"},
	{"one of unix and a mark", lfRows, byteOrderMark + "one\ntwo\r\nthree\nfour\nfive\n"},
}

func newHiddenScene(t *testing.T, had string) *recodedScene {
	s := newRecodedScene(t, oneKind, byMark)
	s.set = &oneKind
	writeFile(t, s.path, had)
	s.open()
	return s
}

// What an agent makes of single line ends is to be decided on in an editor that does not show it, and rejected,
// or undone, it is every byte of before; accepted it is what the agent has written. The document has nothing
// unsaved, and is saved without a conflict.
func TestHiddenLineEndsAreDecidedOn(t *testing.T) {
	t.Parallel()
	for i, x := range hiddenEnds {
		for _, unasked := range []bool{false, true} {
			for j, how := range []string{"reject", "undo", "accept", "accept and undo", "closed after it", "in two turns", "after a save", "save over it"} {
				if how == "after a save" && x.had == mixRows {
					continue // what the user saves is of one kind
				}
				if unasked == ((i+j)%2 == 0) {
					continue // each kind and each end with both, and not every pair of them
				}
				runOneIn(t, 3, fmt.Sprintf("%s, unasked %v, %s", x.name, unasked, how), func(t *testing.T) {
					t.Parallel()
					testHiddenEnds(t, x.had, x.has, unasked, how)
				})
			}
		}
	}
}

func testHiddenEnds(t *testing.T, had, has string, unasked bool, how string) {
	s := newHiddenScene(t, had)
	writes := func(what string) {
		turnOf(t, s.c, s.l, func(h Host, sid string) {
			if how == "after a save" {
				s.e.replace(s.uri, "five", "five USER")
				if err := s.save(); err != nil {
					t.Error(err)
				}
				had = readFile(t, s.path)
				what = strings.Replace(what, "five", "five USER", 1)
				has = what
			}
			h.Update(sid, ToolPatch{ID: "c", Kind: str("execute"), Status: str("in_progress")})
			writeFile(t, s.path, what)
			if unasked {
				s.reads()
			}
			h.Update(sid, ToolPatch{ID: "c", Status: str("completed")})
		})
	}
	writes(has)
	if how == "in two turns" {
		has = strings.Replace(has, "three", "THREE", 1)
		writes(has)
	}
	s.is("written", has)
	if n := s.undecided(); n != 1 {
		t.Fatalf("%d undecided: %+v; messages %q", n, s.c.Reviews(s.uri, ""), s.e.said())
	}
	if is := s.c.Reviews(s.uri, "")[0].File; is == nil || is.Opaque != "ends" || is.Op != "modify" {
		t.Errorf("shown %+v", is)
	}
	s.follows("written")
	if said := s.e.said(); len(said) > 0 {
		t.Errorf("said %q", said)
	}
	reject := func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) }
	switch how {
	case "undo":
		s.decides("undo", func() (Decision, error) { return s.c.Undo(t.Context(), s.c.allSessions()[0].id, "") })
	case "accept", "accept and undo":
		s.decides("accept", func() (Decision, error) { return s.c.Accept(t.Context(), Decide{}) })
		s.is("accepted", has)
		s.follows("accepted")
		if how == "accept" {
			had = has
			break
		}
		s.decides("undo", func() (Decision, error) { return s.c.Undo(t.Context(), s.c.allSessions()[0].id, "") })
	case "save over it":
		s.e.replace(s.uri, "five", "five USER")
		if err := s.save(); err != nil {
			t.Error(err)
		}
		had = s.as.encode(s.e.text(s.uri))
	default:
		if how == "closed after it" {
			s.e.close(s.uri)
		}
		s.decides("reject", reject)
		if how == "closed after it" {
			break
		}
		s.is("rejected", had)
		s.follows("rejected")
		s.decides("restore", func() (Decision, error) { return s.c.Restore(t.Context(), Decide{}) })
		s.is("brought back", has)
		if s.undecided() != 1 {
			t.Error("nothing has come back")
		}
		s.decides("reject", reject)
	}
	s.is("in the end", had)
	if s.undecided() > 0 {
		t.Errorf("left %+v", s.c.Reviews(s.uri, ""))
	}
	if how == "closed after it" {
		return
	}
	s.follows("in the end")
	s.e.replace(s.uri, "one", "one USER")
	if err := s.save(); err != nil {
		t.Error(err)
	}
	s.is("saved", s.as.encode(strings.Replace(oneKind.decode(had), "one", "one USER", 1)))
	turnOf(t, s.c, s.l, func(Host, string) {})
	if s.undecided() > 0 {
		t.Errorf("shown %+v", s.c.Reviews(s.uri, ""))
	}
}

// So it is under unsaved text, which keeps its kind, also for line ends that are all turned. Rejected, the user's
// text is saved over the file of before; what the user saves before that ends it.
func TestHiddenLineEndsUnderUnsavedText(t *testing.T) {
	t.Parallel()
	for _, x := range append(hiddenEnds, []struct{ name, had, has string }{
		{"all of unix", lfRows, crlfRows}, {"all of dos", crlfRows, lfRows},
	}...) {
		if strings.Contains(x.has, "FOUR") || strings.HasPrefix(x.has, byteOrderMark) {
			continue // by hunk
		}
		for _, how := range []string{"reject", "accept", "save over it"} {
			t.Run(x.name+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newHiddenScene(t, x.had)
				s.e.replace(s.uri, "five", "five USER")
				users := s.e.text(s.uri)
				turnOf(t, s.c, s.l, func(Host, string) { writeFile(t, s.path, x.has) })
				s.is("written", x.has)
				if n := s.undecided(); n != 1 || s.e.text(s.uri) != users {
					t.Fatalf("%d undecided: %+v; text %q", n, s.c.Reviews(s.uri, ""), s.e.text(s.uri))
				}
				if said := s.e.said(); len(said) != 1 || !strings.Contains(said[0], "to save it gives the file these") {
					t.Errorf("said %q", said)
				}
				switch how {
				case "reject":
					s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) })
					s.is("rejected", x.had)
				case "accept":
					s.decides("accept", func() (Decision, error) { return s.c.Accept(t.Context(), Decide{}) })
					s.is("accepted", x.has)
				}
				if err := s.save(); err != nil {
					t.Error(err)
				}
				s.is("saved", users)
				if s.undecided() > 0 {
					t.Errorf("left %+v", s.c.Reviews(s.uri, ""))
				}
			})
		}
	}
}

// What has become of line ends of a file that was not open is a hunk, and a change of the file as a whole when it
// is opened in an editor that does not show it.
func TestHiddenLineEndsOfAFileThatIsOpened(t *testing.T) {
	t.Parallel()
	for _, x := range hiddenEnds {
		if strings.Contains(x.has, "FOUR") {
			continue // the word is a hunk
		}
		for _, how := range []string{"reject", "undo", "accept", "closed and rejected"} {
			t.Run(x.name+", "+how, func(t *testing.T) {
				t.Parallel()
				s := newRecodedScene(t, oneKind, byMark)
				s.set = &oneKind
				writeFile(t, s.path, x.had)
				turnOf(t, s.c, s.l, func(Host, string) { writeFile(t, s.path, x.has) })
				s.open()
				if n := s.undecided(); n != 1 || s.c.Reviews(s.uri, "")[0].File == nil {
					t.Fatalf("%d undecided: %+v", n, s.c.Reviews(s.uri, ""))
				}
				want := x.had
				switch how {
				case "reject":
					s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) })
				case "undo":
					s.decides("undo", func() (Decision, error) { return s.c.Undo(t.Context(), s.c.allSessions()[0].id, "") })
				case "accept":
					s.decides("accept", func() (Decision, error) { return s.c.Accept(t.Context(), Decide{}) })
					want = x.has
				default:
					s.e.close(s.uri)
					s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) })
				}
				s.is(how, want)
				if s.undecided() > 0 {
					t.Errorf("left %+v", s.c.Reviews(s.uri, ""))
				}
			})
		}
	}
}

// What is undecided outlives the process, and is rejected byte for byte then.
func TestHiddenLineEndsSurvive(t *testing.T) {
	t.Parallel()
	for _, x := range hiddenEnds {
		for _, open := range []bool{true, false} {
			if strings.HasPrefix(x.has, byteOrderMark) {
				continue
			}
			t.Run(fmt.Sprintf("%s, open %v", x.name, open), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				w.start()
				defer w.close()
				path, uri := w.path("a"), w.uri("a")
				reads := func() { w.e.note(func() { w.e.caps = map[string]bool{"reload": true} }) }
				reads()
				w.e.onReload = func(string) (bool, error) { return true, nil }
				writeFile(t, path, x.had)
				w.e.open(uri, oneKind.decode(x.had))
				awaitLook(t, w.c.file(buffers.Path(path)))
				turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, path, x.has) })
				for range 2 {
					w.wantHunks("a", "modify")
					w.crash()
					reads()
					if open {
						w.e.onReload = func(string) (bool, error) { return true, nil }
						w.e.open(uri, oneKind.decode(x.has))
						awaitLook(t, w.c.file(buffers.Path(path)))
					}
				}
				if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) != 0 || len(d.Decided) == 0 {
					t.Errorf("%+v, %v", d, err)
				}
				if got := readFile(t, path); got != x.had {
					t.Errorf("rejected %q", got)
				}
			})
		}
	}
}
