package review

import "testing"

// TestCases are the cases that a model which marks pieces of text, not rows, gets wrong.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		name string
		orig string
		do   func(s *script)
		text string
		base string
		n    int // pending hunks
	}{
		{"enter at the end of an agent's row, and a row of one's own", "A\nC\n", func(s *script) {
			s.agent("c1", "A\nabc\nC\n")
			s.user("A\nabc\nfoo\nC\n")
		}, "A|abc|foo|C|", "A|foo|C|", 1},
		{"a word inside an agent's row", "A\nC\n", func(s *script) {
			s.agent("c1", "A\nabc def\nC\n")
			s.user("A\nabc USER def\nC\n")
		}, "A|abc USER def|C|", "A|C|", 1},
		{"a deleted row pasted back", "A\nB\nC\n", func(s *script) {
			s.agent("c1", "A\nC\n")
			s.clock.advance(1e9)
			s.user("A\nB\nC\n")
		}, "A|B|C|", "A|B|C|", 0},
		{"the agent reverts itself", "A\nold\nC\n", func(s *script) {
			s.agent("c1", "A\nnew\nC\n")
			s.agent("c2", "A\nold\nC\n")
		}, "A|old|C|", "A|old|C|", 1}, // a ghost: c2 took out what c1 put in
		{":%s as one range over everything", "x1\nB\nx2\n", func(s *script) {
			s.agent("c1", "x1\nNEW\nx2\n")
			s.event(0, 9, "y1\nNEW\ny2")
			s.settle()
		}, "y1|NEW|y2|", "y1|B|y2|", 1},
		{"undo and redo of the agent's edit", "A\nB\nC\n", func(s *script) {
			s.agent("c1", "A\nNEW\nC\n")
			s.user("A\nB\nC\n")
			s.want("A|B|C|", "A|B|C|")
			s.user("A\nNEW\nC\n")
		}, "A|NEW|C|", "A|B|C|", 1},
		{"two sessions, the second deletes what the first inserted", "A\nC\n", func(s *script) {
			s.agent("sA", "A\nX\nC\n")
			s.agent("sB", "A\nC\n")
			s.RejectChanges("sB")
		}, "A|X|C|", "A|C|", 1},
		{"no final newline: the agent appends a row", "A\nB", func(s *script) {
			s.agent("c1", "A\nB\nC")
		}, "A|B|C", "A|B", 1},
		{"no final newline: the agent removes the last row, the user types at the end", "A\nB", func(s *script) {
			s.agent("c1", "A\n")
			s.user("A\nU")
		}, "A|U", "A|B|U", 1},
		{"a word by the agent, the end of the row by the user", "f(a, b) // c\n", func(s *script) {
			s.agent("c1", "f(a, z) // c\n")
			s.user("f(a, z) // c TODO\n")
		}, "f(a, z) // c TODO|", "f(a, b) // c TODO|", 1},
		{"one's own row joined with the agent's", "A\nC\n", func(s *script) {
			s.agent("c1", "A\nX\nC\n")
			s.user("A X\nC\n")
		}, "A X|C|", "A|C|", 1},
		{"everything deleted around a deleted row", "A\nB\nC\n", func(s *script) {
			s.agent("c1", "A\nC\n")
			s.user("")
		}, "", "B|", 1},
		{"the agent's rows replaced by one's own", "A\nC\n", func(s *script) {
			s.agent("c1", "A\nx = 1\ny = 2\nC\n")
			s.user("A\n7\nzz\nC\n")
		}, "A|7|zz|C|", "A|7|zz|C|", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, c.orig)
			c.do(s)
			s.check()
			s.want(c.text, c.base)
			if n := len(s.pending()); n != c.n {
				t.Errorf("%d pending hunks, want %d: %+v\n%s", n, c.n, s.pending(), s.dump())
			}
		})
	}
}
