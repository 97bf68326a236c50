package review

import (
	"strings"
	"testing"
)

// types has the user bring the text to s key by key: rows are typed from their first byte on.
func (s *script) types(before, row, after string, pause bool) {
	s.t.Helper()
	for i := range len(row) + 1 {
		s.user(strings.ReplaceAll(before+row[:i]+after, "|", "\n"))
		if pause {
			s.settle()
		}
	}
}

// A row that somebody types is theirs, also where it passes through what an agent had there,
// and the agent's is not there again; what undo brings back is.
func TestTypedThroughAnAgentsText(t *testing.T) {
	for _, pause := range []bool{false, true} {
		runCases(t, []ruleCase{
			{"put in and rejected", "A|B|", func(s *script) {
				s.a("c1", "A|return err|B|")
				s.rejectAll()
				s.types("A|", "return errors.New()", "|B|", pause)
			}, "A|return errors.New()|B|", "A|return errors.New()|B|", nil},
			{"put in and undone", "A|B|", func(s *script) {
				s.a("c1", "A|return err|B|")
				s.u("A|B|")
				s.types("A|", "return errors", "|B|", pause)
			}, "A|return errors|B|", "A|return errors|B|", nil},
			{"the very same", "A|B|", func(s *script) {
				s.a("c1", "A|return err|B|")
				s.rejectAll()
				s.types("A|", "return err", "|B|", pause)
			}, "A|return err|B|", "A|return err|B|", nil},
			{"backwards", "A|B|", func(s *script) {
				s.a("c1", "A|return err|B|")
				s.rejectAll()
				s.types("A|", "return errors", "|B|", pause)
				s.user("A\nreturn error\nB\n")
				s.user("A\nreturn erro\nB\n")
				s.u("A|return err|B|")
			}, "A|return err|B|", "A|return err|B|", nil},
			{"rewritten and rejected", "A|old|B|", func(s *script) {
				s.a("c1", "A|new|B|")
				s.rejectAll()
				s.types("A|", "newer", "|B|", pause)
			}, "A|newer|B|", "A|newer|B|", nil},
			{"undone at once", "A|B|", func(s *script) {
				s.a("c1", "A|return err|B|")
				s.rejectAll()
				s.types("A|", "return nothing", "|B|", pause)
				s.u("A|B|")
				s.u("A|return err|B|")
			}, "A|return err|B|", "A|B|", []string{"[1,2) return err| <- "}},
			{"rejected, taken out, and both undone", "A|B|C|", func(s *script) {
				s.a("c1", "A|B agent|C|")
				s.rejectAll()
				s.u("A|C|")
				s.u("A|B|C|")
				s.u("A|B agent|C|")
			}, "A|B agent|C|", "A|B|C|", []string{"[1,2) B agent| <- B|"}},
			{"typed in, and that undone", "A|B|", func(s *script) {
				s.a("c1", "A|return err|B|")
				s.u("A|return errX|B|")
				s.u("A|return errXY|B|")
				s.u("A|return errX|B|")
				s.u("A|return err|B|")
			}, "A|return err|B|", "A|B|", []string{"[1,2) return err| <- "}},
			{"and decided", "A|B|", func(s *script) {
				s.a("c1", "A|return err|B|")
				s.rejectAll()
				s.types("A|", "return errors", "|B|", pause)
				s.rejectAll()
			}, "A|return errors|B|", "A|return errors|B|", nil},
		})
	}
}
