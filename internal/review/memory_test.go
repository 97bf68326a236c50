package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// Undo and redo bring back what was undecided; what was accepted stays accepted; what was
// rejected is undecided again when the rejection's edit is undone.
func TestUndo(t *testing.T) {
	runCases(t, []ruleCase{
		{"of a user's edit in an agent's row", "A|B|", func(s *script) {
			s.a("c1", "A|x y|B|")
			s.u("A|x U y|B|")
			s.u("A|x y|B|")
			if s.pending()[0].Mixed {
				s.t.Error("the hunk is mixed after undo")
			}
		}, "A|x y|B|", "A|B|", []string{"[1,2) x y| <- "}},
		{"of the deletion of an agent's row", "A|B|", func(s *script) {
			s.a("c1", "A|x|B|")
			s.u("A|B|")
			s.u("A|x|B|")
		}, "A|x|B|", "A|B|", []string{"[1,2) x| <- "}},
		{"of the agent's edit, after it was accepted", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.acceptAll()
			s.u("A|B|C|")
		}, "A|B|C|", "A|B|C|", nil},
		{"and redo of the agent's edit, after it was accepted", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.acceptAll()
			s.u("A|B|C|")
			s.u("A|x|C|")
		}, "A|x|C|", "A|x|C|", nil},
		{"of the user's edit before one hunk of two was accepted", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|y|C|")
			s.u("A|x|B|y|C2|")
			s.Accept(ids(s.pending()[:1]))
			s.u("A|x|B|y|C|")
		}, "A|x|B|y|C|", "A|x|B|C|", []string{"[3,4) y| <- "}},
		{"of a rejection", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.rejectAll()
			s.u("A|x|C|")
			s.wantHunks(StateRejected)
		}, "A|x|C|", "A|B|C|", []string{"[1,2) x| <- B|"}},
		{"of a rejection, but for the final terminator", "A", func(s *script) {
			s.a("c1", "A|x|y|")
			s.rejectAll()
			s.u("A|x|y")
			s.wantHunks(StateRejected)
		}, "A|x|y", "A", []string{"[0,3) A|x|y <- A"}},
		{"of a rejection, but for the final terminator, with a row of the user's", "A", func(s *script) {
			s.a("c1", "A|x|y|")
			s.u("A|x|y|U|")
			s.rejectAll()
			s.u("A|x|y|U")
			s.wantHunks(StateRejected, "[3,4) U| <- U")
		}, "A|x|y|U", "A|U", []string{"[1,3) x|y| <- "}},
		{"of a rejection, with a final terminator that was not there", "A|B|", func(s *script) {
			s.a("c1", "A|x")
			s.rejectAll()
			s.u("A|x|")
		}, "A|x|", "A|B|", []string{"[1,2) x| <- B|"}},
		{"of a rejection, but for the final terminator, and redo", "A", func(s *script) {
			s.a("c1", "A|x|y|")
			s.rejectAll()
			s.u("A|x|y")
			s.u("A")
			s.u("A|x|y")
		}, "A|x|y", "A", []string{"[0,3) A|x|y <- A"}},
		{"of what came after a decision, but for the final terminator", "A|B|C", func(s *script) {
			s.a("c1", "A|x|B|y|C|")
			s.Accept(ids(s.pending()[:1]))
			s.u("A|x|B|C|")
			s.u("A|C")
			s.u("A|x|B|y|C")
		}, "A|x|B|y|C", "A|x|B|C", []string{"[3,4) y| <- "}},
		{"of the user's edit, but for the final terminator", "A|B", func(s *script) {
			s.a("c1", "A|x|B|")
			s.u("A|B|")
			s.u("A|B")
			s.u("A|x|B")
		}, "A|x|B", "A|B", []string{"[1,2) x| <- "}},
		{"of an accepted edit, but for the final terminator", "A", func(s *script) {
			s.a("c1", "A|x|y|")
			s.acceptAll()
			s.u("A")
			s.u("A|x|y")
		}, "A|x|y", "A|x|y", nil},
		{"and redo of a rejection", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.rejectAll()
			s.u("A|x|C|")
			s.u("A|B|C|")
			s.wantHunks(StateRejected, "[1,2) x| <- B|")
		}, "A|B|C|", "A|B|C|", nil},
		{"of the second rejection of two", "A|B|C|", func(s *script) {
			s.a("c1", "x|A|B|y|C|")
			s.Reject(ids(s.pending()[:1]))
			s.Reject(ids(s.pending()))
			s.wantHunks(StateRejected, "[0,0) x| <- ", "[2,2) y| <- ")
			s.u("A|B|y|C|")
			s.wantHunks(StateRejected, "[0,0) x| <- ")
		}, "A|B|y|C|", "A|B|C|", []string{"[2,3) y| <- "}},
		{"in two notifications, with a text between that nobody saw", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|y|C|")
			s.u("A|x|y|C|D|")
			s.u("A|x|y|C|D|E|")
			// u goes back to the agent's text by way of another one
			s.put("D|E|", "")
			s.put("x|y|C|", "x|y|C|")
		}, "A|x|y|C|", "A|B|C|", []string{"[1,3) x|y| <- B|"}},
		{"in two notifications, of the agent's edit in two places", "A|B|C|D|E|", func(s *script) {
			s.a("c1", "A|x|C|y|E|")
			s.put("x|C|y", "B|C|y")
			s.put("y", "D")
		}, "A|B|C|D|E|", "A|B|C|D|E|", nil},
		{"redo in two notifications", "A|B|C|D|E|", func(s *script) {
			s.a("c1", "A|x|C|y|E|")
			s.u("A|B|C|D|E|")
			s.put("D", "y")
			s.put("B", "x")
		}, "A|x|C|y|E|", "A|B|C|D|E|", []string{"[1,2) x| <- B|", "[3,4) y| <- D|"}},
		{"of the agent's edit and of words that went into the replaced row, at once", "f(a) // c|", func(s *script) {
			s.a("c1", "f(z) // c|")
			s.put("// c", "// c TODO")
			s.want("f(z) // c TODO|", "f(a) // c TODO|")
			s.wait()
			s.u("f(a) // c|")
		}, "f(a) // c|", "f(a) // c|", nil},
		{"of an agent's deletion among equal rows", "x|}|}|}|y|", func(s *script) {
			s.a("c1", "x|}|}|y|")
			s.u("x|}|}|}|y|")
		}, "x|}|}|}|y|", "x|}|}|}|y|", nil},
	})
}

// A text may come back by chance. Then no row of the user's is given up for the rows that
// are remembered with it.
func TestChance(t *testing.T) {
	runCases(t, []ruleCase{
		{"a user's row that the agent deleted", "A|", func(s *script) {
			s.u("A!|U|")
			s.a("c1", "A!|")
			s.u("A|") // the first text, but the user did not undo U
		}, "A|", "A|U|", []string{"[1,1)  <- U|"}},
		{"a row that the user typed anew", "A|B|", func(s *script) {
			s.a("c1", "A|x|B|")
			s.u("A|B|")
			s.u("A|B!|")
			s.u("A|x|B!|")
			s.u("A|x|B|") // the agent's text, but x is the user's
		}, "A|x|B|", "A|x|B|", nil},
	})
	s := newScript(t, "A\nB\n") // a row in which the user typed, and which the agent took out
	s.a("c1", "A|x|B|")
	s.u("A|x U|B|")
	s.a("d1", "A|x U|B|C|")
	s.a("d2", "A|B|")
	s.u("A|B|") // nothing
	gone := func() bool {
		return slices.ContainsFunc(s.Hunks(), func(h Hunk) bool { return strings.Contains(h.Gone, "x U") })
	}
	s.u("A|B!|")
	s.u("A|B|")
	if !gone() {
		t.Errorf("the user's words in a row the agent took out are nowhere: %+v", s.Hunks())
	}
}

// Memory is bounded in texts and in rows.
func TestMemoryIsBounded(t *testing.T) {
	s := newScript(t, "A\n")
	s.AgentEdit(text.New(strings.Repeat("row\n", 3000)), agent("c1"))
	for i := range 3 * maxMoments {
		s.UserEdit(0, 0, string(rune('a'+i%26)))
	}
	if n := len(s.memory); n > maxMoments {
		t.Errorf("%d moments, want at most %d", n, maxMoments)
	}
	rows := 0
	for _, m := range s.memory {
		rows += m.cost
	}
	if rows > maxMomentsRows || rows != s.memCost {
		t.Errorf("%d rows remembered, %d counted, want at most %d", rows, s.memCost, maxMomentsRows)
	}
	s.acceptAll()
	for i := range 2 * maxMoments {
		s.UserEdit(0, 1, string(rune('A'+i%26)))
	}
	if n := len(s.decided); n > 0 {
		t.Errorf("%d decisions are kept for moments that are forgotten", n)
	}
	u := newScript(t, "")
	for range 3 * maxEarly {
		u.UserEdit(0, 0, "x")
	}
	if len(u.early) > maxEarly || len(u.memory) > 0 {
		t.Errorf("untracked: %d texts, %d moments", len(u.early), len(u.memory))
	}
}

func TestProvisional(t *testing.T) {
	s := newScript(t, "A\n")
	s.a("c1", "A|x|")
	if s.Provisional() {
		t.Error("provisional after an agent's edit")
	}
	s.put("A", "AA")
	if !s.Provisional() {
		t.Error("not provisional after a user's event")
	}
	start := s.clock.now()
	done, next := s.Settle(start.Add(provisional - 1))
	if done || !next.Equal(start.Add(provisional)) {
		t.Errorf("too early: %v, %v", done, next)
	}
	s.clock.advance(provisional / 2)
	s.put("AA", "AAA")
	if done, _ := s.Settle(start.Add(provisional)); done {
		t.Error("settled although there was another event")
	}
	if done, next := s.Settle(start.Add(2 * provisional)); !done || !next.IsZero() {
		t.Errorf("at the time: %v, %v", done, next)
	}
	if done, next := s.Settle(start.Add(time.Hour)); done || !next.IsZero() || s.Provisional() {
		t.Errorf("afterwards: %v, %v", done, next)
	}
}

// Clones share what neither changes, and nothing else.
func TestClone(t *testing.T) {
	for seed := range uint64(50) {
		w := newWorld(seed)
		for range 20 {
			if err := w.step(); err != nil {
				t.Fatal(err)
			}
		}
		before := fmt.Sprint(w.d.Text(), w.d.Baseline(), w.d.Hunks(), w.d.Revision(), len(w.d.memory))
		dump := w.d.dump()
		c := w.d.Clone()
		for range 20 {
			n := c.Text().Len()
			from := w.r.IntN(n + 1)
			c.UserEdit(from, min(n, from+w.r.IntN(9)), w.line("u")+"\n")
			c.Accept(ids(c.Hunks(StatePending)))
			c.AgentEdit(text.New(w.edited(c.Text().String(), "a")), w.origin(AuthorAgent))
			c.Reject(ids(c.Hunks(StatePending)))
			c.Restore(ids(c.Hunks(StateRejected)))
			c.AddConflict(w.origin(AuthorAgent), 0, 1, "", "x\n")
		}
		after := fmt.Sprint(w.d.Text(), w.d.Baseline(), w.d.Hunks(), w.d.Revision(), len(w.d.memory))
		if before != after || dump != w.d.dump() {
			t.Fatalf("seed %d: a clone's edits changed the original:\n%s\n%s", seed, before, after)
		}
		if err := w.d.check(); err != nil {
			t.Fatal(err)
		}
	}
}
