package review

import "testing"

// A word of the user's that has flowed into an agent's row stays in front of what that row took the
// place of, however often the row is broken anew.
func TestCarriedWordsKeepTheirPlace(t *testing.T) {
	s := newScript(t, lines("a where|old b|c|"))
	s.a("c1", "a where|NEW AND MORE|c|")
	s.wait()
	for _, text := range []string{"a|where NEW AND MORE|c|", "a|where NEW|AND MORE|c|", "a|where NEW AND|MORE c|", "a|where NEW|AND MORE c|"} {
		s.u(text)
		s.wait()
		s.check()
	}
	s.want("a|where NEW|AND MORE c|", "a|where|old b|c|")
	s.rejectAll()
	s.want("a|where|old b|c|", "a|where|old b|c|")
}
