package review

import "testing"

// Of two changes of one row, accepted together, the second is undone by hand: what there is then is
// the user's, as the row before the first was accepted to be gone, and holds words of theirs.
func TestUndoBehindAnAcceptedRow(t *testing.T) {
	for _, waits := range []bool{true, false} {
		s := newScript(t, lines("mine|b|"))
		s.u("mine own|b|")
		s.wait()
		s.a("c1", "mine own 1|b|")
		s.a("c2", "mine own 1 2|b|")
		s.acceptAll()
		s.want("mine own 1 2|b|", "mine own 1 2|b|")
		if waits {
			s.wait()
		}
		s.u("mine own 1|b|") // undo
		s.check()
		s.want("mine own 1|b|", "mine own 1|b|")
		s.u("mine own 1 2|b|") // redo
		s.want("mine own 1 2|b|", "mine own 1 2|b|")
		s.u("mine own|b|")
		s.want("mine own|b|", "mine own|b|")
	}
}
