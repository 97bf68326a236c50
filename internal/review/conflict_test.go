package review

import (
	"slices"
	"strings"
	"testing"
)

// Undo opens a conflict that was settled by a change of the text, redo settles it, and so on.
func TestUndoAndRedoOfASettledConflict(t *testing.T) {
	for _, take := range []Take{TakeTheirs, TakeBoth} {
		for _, events := range []int{1, 2} {
			t.Run(string(take), func(t *testing.T) {
				s := newScript(t, "A\nmine\nC\nD\n")
				s.a("c1", "A|mine|C|x|D|")
				id := s.AddConflict(agent("c2"), 1, 2, "B\n", "theirs\n")
				other := s.AddConflict(agent("c3"), 4, 5, "d\n", "DD\n")
				if err := s.Resolve(id, take); err != nil {
					t.Fatal(err)
				}
				now := map[Take]string{TakeTheirs: "A|theirs|C|x|D|", TakeBoth: "A|mine|theirs|C|x|D|"}[take]
				base := strings.Replace(now, "x|", "", 1)
				for range 3 {
					s.want(now, base)
					if got := ids(s.Hunks(StateConflict)); !slices.Equal(got, []string{other}) {
						t.Errorf("decided: open %q, want %q", got, other)
					}
					if events == 2 {
						s.u("A|C|x|D|")
					}
					s.u("A|mine|C|x|D|")
					s.want("A|mine|C|x|D|", "A|mine|C|D|")
					if got := ids(s.Hunks(StateConflict)); !slices.Equal(got, []string{id, other}) {
						t.Errorf("undone: open %q, want %q", got, []string{id, other})
					}
					if events == 2 {
						s.u("A|C|x|D|")
					}
					s.u(now)
				}
				// The other decision takes the place of the redone one.
				s.u("A|mine|C|x|D|")
				if err := s.Resolve(id, TakeMine); err != nil {
					t.Fatal(err)
				}
				s.wantHunks(StateConflict, "[4,5) DD| <- D|")
			})
		}
	}
}

// To take mine changes no text: no undo takes it back, and no undo is needed to.
func TestMineIsTiedToNoUndo(t *testing.T) {
	s := newScript(t, "A\nmine\nC\n")
	id := s.AddConflict(agent("c2"), 1, 2, "B\n", "theirs\n")
	s.a("c2", "A|mine|C|x|")
	if err := s.Resolve(id, TakeMine); err != nil {
		t.Fatal(err)
	}
	for _, x := range []string{"A|mine|C|", "A|mine|C|x|", "0|A|mine|C|x|", "A|mine|C|x|", "A|mine|C|"} {
		s.u(x)
		s.check()
		s.wantHunks(StateConflict)
		if got := ids(s.Hunks(StateRejected)); !slices.Contains(got, id) {
			t.Errorf("with %q the rejected hunks are %q", x, got)
		}
	}
	s.u("0|A|mine|C|")
	if done, refused := s.Restore([]string{id}); len(done) != 1 {
		t.Fatal(refused)
	}
	s.wantHunks(StateConflict, "[2,3) theirs| <- mine|")
	s.u("A|mine|C|") // from before it was opened again
	s.wantHunks(StateConflict, "[1,2) theirs| <- mine|")
	if err := s.Resolve(id, TakeBoth); err != nil {
		t.Fatal(err)
	}
	s.want("A|mine|theirs|C|", "A|mine|theirs|C|")
	if done, _ := s.Restore([]string{id}); len(done) != 0 {
		t.Error("a conflict that was settled by both was brought back")
	}
}

// What stands there by the user's own hand settles a conflict too, as long as it stands there.
func TestMootConflict(t *testing.T) {
	s := newScript(t, "A\nmine\nC\n")
	id := s.AddConflict(agent("c2"), 1, 2, "B\n", "theirs\n")
	s.DropMoot()
	s.wantHunks(StateConflict, "[1,2) theirs| <- mine|")
	s.u("A|theirs|C|")
	s.DropMoot()
	s.wantHunks(StateConflict)
	s.u("A|mine|C|")
	s.wantHunks(StateConflict, "[1,2) theirs| <- mine|")
	s.u("A|else|C|")
	s.SettleConflict(id)
	s.wantHunks(StateConflict)
	s.u("A|mine|C|")
	s.wantHunks(StateConflict, "[1,2) theirs| <- mine|")
	s.u("A|else|C|")
	s.wantHunks(StateConflict)
	s.u("A|mine|C|")
	s.DropConflict(id)
	s.DropConflict(id)
	s.u("A|theirs|C|")
	s.u("A|mine|C|")
	s.wantHunks(StateConflict)
	s.wantHunks(StateRejected)
}

// A newer conflict takes the place of the same agent's older ones on the same rows.
func TestConflictInPlaceOfOthers(t *testing.T) {
	for _, x := range []struct {
		name     string
		from, to int
		by       string
		want     []string
	}{
		{"the same rows", 2, 4, "c1", []string{"new", "other"}},
		{"some of them", 3, 4, "c1", []string{"other", "new"}},
		{"more", 1, 5, "c1", []string{"new"}},
		{"between them", 3, 3, "c1", []string{"other", "new"}},
		{"above them", 2, 2, "c1", []string{"new", "old", "other"}},
		{"below them", 4, 4, "c1", []string{"old", "other", "new"}},
		{"some, and one beside", 1, 3, "c1", []string{"new", "old", "other"}},
		{"another agent", 2, 4, "c2", []string{"old", "other", "new"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScript(t, "0\n1\n2\n3\n4\n5\n")
			old := s.AddConflict(agent("c1"), 2, 4, "", "old\n")
			s.AddConflict(agent("c3"), 2, 4, "", "other\n")
			if x.name == "more" { // another agent's is as it was
				s.DropConflict(s.Hunks(StateConflict)[1].ID)
			}
			s.AddConflict(agent(x.by), x.from, x.to, "", "new\n")
			s.check()
			var got []string
			for _, h := range s.Hunks(StateConflict) {
				got = append(got, strings.TrimSpace(h.Text))
			}
			slices.Sort(got)
			slices.Sort(x.want)
			if !slices.Equal(got, x.want) {
				t.Errorf("open are %q, want %q", got, x.want)
			}
			if !s.Disputed(old) {
				t.Error("what the old conflict was about is not disputed any more")
			}
			s.u("0|1|2|3|4|5|6|")
			s.u("0|1|2|3|4|5|")
			if n := len(s.Hunks(StateConflict)); n != len(x.want) {
				t.Errorf("after undo %d are open, want %d", n, len(x.want))
			}
			for _, h := range s.Hunks(StateConflict) {
				s.DropConflict(h.ID)
			}
			if s.Disputed(old) {
				t.Error("what the old conflict was about is still disputed")
			}
		})
	}
}

// States that were written when conflicts could not be rejected are read.
func TestStateOfTheFirstVersion(t *testing.T) {
	s := newScript(t, "A\nmine\nC\n")
	s.AddConflict(agent("c2"), 1, 2, "B\n", "theirs\n")
	old := ofVersion2(t, s.Doc)
	copy(old, stateMagic1)
	old = old[:len(old)-2] // what has become of the conflict
	d, err := UnmarshalState(old, s.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Hunks(StateConflict); len(got) != 1 || got[0].Text != "theirs\n" {
		t.Errorf("conflicts are %+v", got)
	}
}
