package review

import (
	"fmt"
	"strings"
	"testing"

	"acp-ls/buffers/text"
)

// restart makes the script's document what another process knows of it.
func (s *script) restart() {
	s.t.Helper()
	s.settled()
	s.Doc = restored(s.t, s.Doc, s.clock.now)
}

// Undo and redo bring back what was undecided in another process too.
func TestUndoAfterARestart(t *testing.T) {
	runCases(t, []ruleCase{
		{"of a rejection", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.rejectAll()
			s.restart()
			s.u("A|x|C|")
			s.wantHunks(StateRejected)
		}, "A|x|C|", "A|B|C|", []string{"[1,2) x| <- B|"}},
		{"of a rejection that is undone and made again in the next two", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.rejectAll()
			s.restart()
			s.u("A|x|C|")
			s.restart()
			s.u("A|B|C|")
			s.wantHunks(StateRejected, "[1,2) x| <- B|")
		}, "A|B|C|", "A|B|C|", nil},
		{"of a rejection, with the text between that nobody saw", "A|B|C|D|E|", func(s *script) {
			s.a("c1", "A|x|C|y|E|")
			s.rejectAll()
			s.restart()
			s.put("B|", "x|")
			s.u("A|x|C|y|E|")
			s.wantHunks(StateRejected)
		}, "A|x|C|y|E|", "A|B|C|D|E|", []string{"[1,2) x| <- B|", "[3,4) y| <- D|"}},
		{"of the second rejection of two", "A|B|C|", func(s *script) {
			s.a("c1", "x|A|B|y|C|")
			s.Reject(ids(s.pending()[:1]))
			s.Reject(ids(s.pending()))
			s.restart()
			s.u("A|B|y|C|")
			s.wantHunks(StateRejected, "[0,0) x| <- ")
		}, "A|B|y|C|", "A|B|C|", []string{"[2,3) y| <- "}},
		{"of an agent's edit, undone before, and redo after", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.u("A|B|C|")
			s.restart()
			s.u("A|x|C|")
		}, "A|x|C|", "A|B|C|", []string{"[1,2) x| <- B|"}},
		{"of an agent's edit, and redo", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.restart()
			s.u("A|B|C|")
			s.want("A|B|C|", "A|B|C|")
			s.u("A|x|C|")
		}, "A|x|C|", "A|B|C|", []string{"[1,2) x| <- B|"}},
		{"of a rejection, after the user typed on, was undone and accepted in part", "A|B|C|D|E|F|G|", func(s *script) {
			s.a("c1", "A|x|C|D|E|F|y|")
			s.Reject(ids(s.pending()[1:]))
			s.u("A|x|C|D|E|F|G|H|")
			s.acceptAll()
			s.restart()
			s.u("A|x|C|D|E|F|G|")
			s.u("A|x|C|D|E|F|y|")
		}, "A|x|C|D|E|F|y|", "A|x|C|D|E|F|G|", []string{"[6,7) y| <- G|"}},
		{"and accepted stays accepted", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.acceptAll()
			s.u("A|B|C|")
			if s.Remembers() {
				s.t.Error("something undecided is remembered")
			}
			s.restart()
			s.u("A|x|C|")
		}, "A|x|C|", "A|x|C|", nil},
		{"of a restore", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.rejectAll()
			s.Restore(ids(s.Hunks(StateRejected)))
			s.restart()
			s.u("A|B|C|")
			s.wantHunks(StateRejected, "[1,2) x| <- B|")
		}, "A|B|C|", "A|B|C|", nil},
		{"of a settled conflict", "A|mine|C|", func(s *script) {
			id := s.AddConflict(agent("c2"), 1, 2, "B\n", "theirs\n")
			if err := s.Resolve(id, TakeTheirs); err != nil {
				s.t.Fatal(err)
			}
			s.a("c3", "A|theirs|x|C|")
			s.restart()
			s.u("A|mine|C|")
			s.wantHunks(StateConflict, "[1,2) theirs| <- mine|")
		}, "A|mine|C|", "A|mine|C|", nil},
	})
}

// Whether there is anything that undo or redo could bring back is known without looking at
// all that is remembered, and is what a state has.
func TestRemembers(t *testing.T) {
	s := newScript(t, "A\nB\nC\n")
	want := func(is bool, when string) {
		t.Helper()
		if s.Remembers() != is {
			t.Errorf("%s: %v", when, !is)
		}
		if is && len(s.kept()) == 0 {
			t.Errorf("%s: nothing is kept", when)
		}
	}
	want(false, "at the start")
	s.u("A|B|B2|C|")
	want(false, "after the user's edit")
	s.a("c1", "A|x|B2|C|")
	want(true, "after an agent's edit")
	s.u("A|B|B2|C|")
	want(true, "with that undone")
	if s.Tracking() {
		t.Error("something is tracked")
	}
	s.restart()
	want(true, "in the next process")
	s.u("A|x|B2|C|")
	s.acceptAll()
	s.u("A|B|B2|C|")
	want(false, "after it was accepted")
	if len(s.kept()) != 0 {
		t.Errorf("%d moments are kept", len(s.kept()))
	}
	s.a("c2", "A|B|B2|C|y|")
	for i := range maxMoments {
		s.u(fmt.Sprintf("A|B|B2|C|y|%d|", i))
	}
	s.rejectAll()
	s.Resume(text.New("z\n"))
	for i := range maxMoments {
		s.u(fmt.Sprintf("%d|", i))
	}
	want(false, "when it is forgotten")
}

// What is kept of earlier texts holds each row once, and is bounded.
func TestMilestonesAreSmall(t *testing.T) {
	const hunks = 300
	agents := strings.Repeat("what an agent wrote in this row ", 4)
	var old, new strings.Builder
	for i := range hunks {
		fmt.Fprintf(&old, "%d kept\nof the user's %d\n", i, i)
		fmt.Fprintf(&new, "%d kept\n%s%d\n", i, agents, i)
	}
	s := newScript(t, old.String())
	s.agent("c1", new.String())
	size := func() int {
		b, err := s.MarshalState()
		if err != nil {
			t.Fatal(err)
		}
		return len(b)
	}
	all := size()
	s.rejectAll()
	without := len(ofVersion2(t, s.Doc))
	if n := size(); n > without+hunks*12 || n < without+hunks {
		t.Errorf("rejected hunks take %d bytes, %d with what is remembered, pending ones %d", without, n, all)
	}
	for i := range 3 * maxMilestones {
		s.agent("c2", fmt.Sprintf("%d\n%s", i, old.String()))
		s.user(fmt.Sprintf("%d\n%d\n%s", i, i, old.String()))
	}
	if n := len(s.kept()); n != maxMilestones {
		t.Errorf("%d moments are kept", n)
	}
	s.restart()
	if n := len(s.kept()); n != maxMilestones {
		t.Errorf("%d moments are kept in the next process", n)
	}
}

// Where there is no room for all of them the newest count.
func TestMilestonesWithoutRoom(t *testing.T) {
	large := func(of string) string { return strings.Repeat(of, maxMilestoneBytes*2/3) + "|" }
	s := newScript(t, "A\nB\n")
	s.a("c1", "A|"+large("x")+"B|")
	s.a("c2", "A|B|y|")
	s.a("c3", "A|B|")
	s.a("c4", "A|"+large("z")+"B|")
	s.a("c5", "A|B|")
	s.a("c6", "A|B|v|")
	s.a("c7", "A|B|w|")
	list := s.kept()
	d := restored(t, s.Doc, s.clock.now)
	got := d.kept()
	if len(got) == 0 || len(got) >= len(list) {
		t.Fatalf("%d of %d moments", len(got), len(list))
	}
	for i := range got {
		if got[i].hash != list[i].hash {
			t.Errorf("moment %d is another one", i)
		}
	}
	s.Doc = d
	s.u("A|B|v|")
	s.want("A|B|v|", "A|B|")
}

// A moment that another process has taken down, and that cannot be of the text, is none.
func TestMomentOfAnotherText(t *testing.T) {
	s := newScript(t, "A\nB\nC\n")
	s.a("c1", "A|x|C|")
	s.rejectAll()
	s.restart()
	for _, m := range s.memory {
		for i, r := range m.runs {
			r.at += 2
			m.runs[i] = r
		}
	}
	s.u("A|x|C|")
	s.check()
	s.wantHunks(StatePending)
}
