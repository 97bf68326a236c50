package session

import (
	"fmt"
	"strings"
	"testing"
)

// An editor may take longer to read a file anew than anybody waits for it, or have read it and answer too
// late (VS Code on a busy machine). A document that is behind a file whose encoding was changed, or put back,
// is then left behind, and follows when its editor has read that: an edit would be saved in the encoding
// that the editor has read last.
func TestCodingIsChangedUnderASlowEditor(t *testing.T) {
	t.Parallel()
	when := []string{"in time", "late", "with what comes next"}
	for _, answers := range []bool{false, true} { // else each answer comes too late
		for _, row := range []bool{false, true} {
			for _, after := range []coding{codings[0], codings[1], noText[0]} {
				for n := 0; n < 4*3*3*3; n += 7 {
					whens := []string{append(when, "in the turn")[n%4], when[n/4%3], when[n/12%3], when[n/36%3]}
					runOneIn(t, 4, fmt.Sprintf("to %s, row %v, answers %v, read %q", after.name, row, answers, whens), func(t *testing.T) {
						t.Parallel()
						testSlowEditor(t, after, row, answers, whens)
					})
				}
			}
		}
	}
}

func testSlowEditor(t *testing.T, after coding, row, answers bool, whens []string) {
	text := latin
	if row {
		text = strings.Replace(latin, "2\n", "TWO\n", 1)
	}
	is := after.encode(text)
	s := newRecodedScene(t, utf8Coding, byBytes)
	s.open()
	when, what := whens[0], "written"
	s.neverEdited(&what)
	s.e.note(func() {
		s.e.onReload = func(string) (bool, error) {
			if when == "in time" {
				s.reads()
			}
			return answers && s.isRead(), nil
		}
	})
	turnOf(t, s.c, s.l, func(h Host, sid string) {
		h.Update(sid, ToolPatch{ID: "c", Kind: str("execute"), Status: str("in_progress")})
		writeFile(t, s.path, is)
		h.Update(sid, ToolPatch{ID: "c", Status: str("completed")})
		if when == "in the turn" {
			s.c.turnPoint(s.c.allSessions()[0], s.c.allSessions()[0].now())
			s.reads()
		}
	})
	if when == "late" {
		s.reads()
	}
	for i, decide := range []func() (Decision, error){
		func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) },
		func() (Decision, error) { return s.c.Restore(t.Context(), Decide{}) },
		func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) },
	} {
		reads, want := s.begins(), []string{latin, is}[i%2] // what is there before is read, or begun to be
		when, what = whens[i+1], []string{"rejected", "brought back", "rejected again"}[i]
		s.decides(what, decide)
		reads()
		if when == "late" {
			s.reads()
		}
		s.is(what, want)
		if n := s.undecided(); n != i%2 {
			t.Errorf("%s: %d undecided: %+v", what, n, s.c.Reviews(s.uri, ""))
		}
	}
	s.reads()
	if got := s.e.text(s.uri); got != latin {
		t.Errorf("the document has %q", got)
	}
	s.e.replace(s.uri, "5\n", "5 USER\n")
	if err := s.save(); err != nil {
		t.Error(err)
	}
	s.is("saved", strings.Replace(latin, "5\n", "5 USER\n", 1))
}

// Nor is the document edited where the agent gives the file its encoding back, with another text, before the
// editor has read the one or the other: what it has changed are hunks when that is read.
func TestCodingIsChangedAndBackUnderASlowEditor(t *testing.T) {
	t.Parallel()
	for _, after := range append([]coding{codings[0], codings[1]}, noText...) {
		t.Run(after.name, func(t *testing.T) {
			s := newRecodedScene(t, utf8Coding, byBytes)
			s.open()
			what := "written"
			s.neverEdited(&what)
			s.e.note(func() { s.e.onReload = func(string) (bool, error) { return s.isRead(), nil } })
			turnOf(t, s.c, s.l, func(Host, string) {
				session := s.c.allSessions()[0]
				for _, written := range []string{after.encode(latin), strings.Replace(latin, "2\n", "TWO\n", 1)} {
					writeFile(t, s.path, written)
					s.c.turnPoint(session, session.now())
					if got := s.e.text(s.uri); got != latin {
						t.Errorf("the document has %q", got)
					}
				}
				s.reads()
			})
			s.e.await("the hunk", func() bool { return len(s.e.reviews[s.uri].Hunks) == 1 })
			s.follows("read")
		})
	}
}

// A byte order mark that is put back is read by the editor before anybody is told that it is: it would save the document
// with the one that it knows.
func TestMarkIsPutBackUnderASlowEditor(t *testing.T) {
	t.Parallel()
	for _, x := range [][2]coding{{utf8Coding, markedCoding}, {markedCoding, utf8Coding}} {
		t.Run("to "+x[1].name, func(t *testing.T) {
			t.Parallel()
			s := newRecodedScene(t, x[0], byMark)
			s.open()
			turnOf(t, s.c, s.l, func(Host, string) { writeFile(t, s.path, x[1].encode(latin)) })
			s.follows("written")
			asked := 0
			s.e.note(func() {
				s.e.onReload = func(string) (bool, error) {
					asked++
					return asked == 3 && s.reads(), nil
				}
			})
			s.decides("reject", func() (Decision, error) { return s.c.Reject(t.Context(), Decide{}) })
			s.is("rejected", x[0].encode(latin))
			s.follows("rejected")
			s.e.replace(s.uri, "5\n", "5 USER\n")
			if err := s.save(); err != nil {
				t.Error(err)
			}
			s.is("saved", x[0].encode(strings.Replace(latin, "5\n", "5 USER\n", 1)))
		})
	}
}

// neverEdited tells, with what is done then, if acp-ls edits the document.
func (s *recodedScene) neverEdited(what *string) {
	s.e.onApply = func(d DocumentEdit) (bool, error) {
		s.t.Errorf("%s: the document is edited: %+v", *what, d)
		return false, nil
	}
}

// isRead tells that the editor has read what the file has, and that nothing is unsaved.
func (s *recodedScene) isRead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.dirty() && readFile(s.t, s.path) == s.known
}
