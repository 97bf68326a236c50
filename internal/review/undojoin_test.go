package review

import "testing"

// A reflow that joins the agent's row with the user's next one, and breaks that one elsewhere,
// is undone as a whole: what was undecided is again, and a rejection gives back the text of
// before the agent.
func TestReflowIsUndone(t *testing.T) {
	const orig = "line 5|line 6 of the file|line 7 of the file|line 8|"
	for _, c := range []struct{ name, now string }{
		{"gq", "line 5|LINE 6 of the file line 7 of the|file|line 8|"},
		{"broken earlier", "line 5|LINE 6 of|the file line 7|of the file|line 8|"},
		{"three rows", "line 5|LINE 6 of the|file line 7 of the file line|8|"},
		{"joined", "line 5|LINE 6 of the file line 7 of the file|line 8|"},
	} {
		for _, waits := range []bool{true, false} {
			s := newScript(t, lines(orig))
			s.a("c1", "line 5|LINE 6 of the file|line 7 of the file|line 8|")
			s.wait()
			s.u(c.now)
			if waits {
				s.wait()
			}
			s.check()
			s.u("line 5|LINE 6 of the file|line 7 of the file|line 8|")
			s.wait()
			s.check()
			s.want("line 5|LINE 6 of the file|line 7 of the file|line 8|", orig)
			s.wantHunks(StatePending, "[1,2) LINE 6 of the file| <- line 6 of the file|")
			s.u(c.now)
			s.wait()
			s.u("line 5|LINE 6 of the file|line 7 of the file|line 8|")
			s.wait()
			s.rejectAll()
			s.want(orig, orig)
		}
	}
}
