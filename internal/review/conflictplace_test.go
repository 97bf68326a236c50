package review

import "testing"

// What settles a conflict stands where the user's rows stood, whatever agents have changed around them:
// a rejection of that gives back each row in its place.
func TestConflictAmongHunksIsSettledInItsPlace(t *testing.T) {
	for _, c := range []struct {
		name, agents string
		take         Take
		text, base   string
	}{
		{"theirs, a hunk below", "a|04|X5|X6|b|", TakeTheirs, "a|04 other|X5|X6|b|", "a|04 other|05|06|b|"},
		{"both, a hunk below", "a|04|X5|X6|b|", TakeBoth, "a|04 mine|04 other|X5|X6|b|", "a|04 mine|04 other|05|06|b|"},
		{"mine, a hunk below", "a|04|X5|X6|b|", TakeMine, "a|04 mine|X5|X6|b|", "a|04 mine|05|06|b|"},
		{"theirs, a hunk above", "X|04|05|06|b|", TakeTheirs, "X|04 other|05|06|b|", "a|04 other|05|06|b|"},
		{"both, a hunk above", "X|04|05|06|b|", TakeBoth, "X|04 mine|04 other|05|06|b|", "a|04 mine|04 other|05|06|b|"},
		{"theirs, a deletion below", "a|04|06|b|", TakeTheirs, "a|04 other|06|b|", "a|04 other|05|06|b|"},
		{"theirs, hunks around", "X|04|X5|06|b|", TakeTheirs, "X|04 other|X5|06|b|", "a|04 other|05|06|b|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, lines("a|04|05|06|b|"))
			s.a("c1", c.agents)
			s.put("04", "04 mine")
			s.wait()
			id := s.AddConflict(agent("c2"), 1, 2, "04\n", "04 other\n")
			if err := s.Resolve(id, c.take); err != nil {
				t.Fatal(err)
			}
			s.check()
			s.want(c.text, c.base)
			s.rejectAll()
			s.want(c.base, c.base)
		})
	}
}
