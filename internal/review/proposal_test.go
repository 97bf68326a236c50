package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"acp-ls/buffers/text"
)

// proposed shows proposals as "[0,1) old| -> new|", with the state and the mark if there is
// one, and compares.
func (s *script) wantProposed(change string, want ...string) {
	s.t.Helper()
	var got []string
	for _, h := range s.Proposals(ChangeID(change)) {
		line := fmt.Sprintf("[%d,%d) %s -> %s", h.StartLine, h.EndLine, h.BaseText, h.Text)
		if h.State == StateConflict {
			line += " conflict"
		}
		if h.Marked != "" {
			line += " " + string(h.Marked)
		}
		got = append(got, strings.ReplaceAll(line, "\n", "|"))
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("proposed:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (s *script) propose(change, want string) []string {
	s.t.Helper()
	was, base := s.Text().String(), s.Baseline().String()
	ids := s.Propose(agent(change), text.New(lines(want)))
	if s.Text().String() != was || s.Baseline().String() != base {
		s.t.Fatalf("a proposal changed the text %q or the baseline %q", s.Text(), s.Baseline())
	}
	s.check()
	return ids
}

func (s *script) mark(change string, takes ...Take) {
	s.t.Helper()
	for i, h := range s.Proposals(ChangeID(change)) {
		if i < len(takes) && takes[i] != "" {
			if err := s.Mark(h.ID, takes[i]); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

func TestPropose(t *testing.T) {
	for _, c := range []struct {
		name, orig, want string
		proposed         []string
	}{
		{"nothing", "a|b|", "a|b|", nil},
		{"a row", "a|b|c|", "a|B|c|", []string{"[1,2) b| -> B|"}},
		{"two, apart", "a|b|c|", "A|b|C|", []string{"[0,1) a| -> A|", "[2,3) c| -> C|"}},
		{"two, parted by what says little", "a|}|c|", "A|}|C|", []string{"[0,3) a|}|c| -> A|}|C|"}},
		{"new rows", "a|b|", "a|x|y|b|", []string{"[1,1)  -> x|y|"}},
		{"rows gone", "a|b|c|", "a|c|", []string{"[1,2) b| -> "}},
		{"a new file", "", "a|b|", []string{"[0,0)  -> a|b|"}},
		{"a new file without an end", "", "a", []string{"[0,1)  -> a"}},
		{"all gone", "a|b|", "", []string{"[0,2) a|b| -> "}},
		{"a last end", "a|b", "a|b|", []string{"[1,2) b -> b|"}},
		{"no last end", "a|b|", "a|b", []string{"[1,3) b| -> b"}},
		{"below the last row", "a", "a|b", []string{"[0,1) a -> a|b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, lines(c.orig))
			ids := s.propose("c1", c.want)
			s.wantProposed("c1", c.proposed...)
			if len(ids) != len(c.proposed) || s.Proposing() != (len(ids) > 0) || s.Tracking() {
				t.Errorf("%d ids, proposing %v, tracking %v", len(ids), s.Proposing(), s.Tracking())
			}
			for _, id := range ids { // taken, it is what was wanted
				if err := s.Mark(id, TakeTheirs); err != nil {
					t.Error(err)
				}
			}
			if got := s.WithMarked("c1").String(); got != lines(c.want) {
				t.Errorf("with all of it %q, want %q", got, lines(c.want))
			}
			s.want(c.orig, c.orig)
			s.Withdraw(func(ChangeID) bool { return false })
			s.wantProposed("c1")
			if s.Proposing() {
				t.Error("still proposing")
			}
		})
	}
}

// Rows keep the terminators that the proposal gives them, and get one where they need it.
func TestProposeKeepsTerminators(t *testing.T) {
	s := newScript(t, "a\r\nb\r\nc")
	for _, id := range s.Propose(agent("c1"), text.New("a\r\nB\r\nc\r\nd\r\n")) {
		if err := s.Mark(id, TakeTheirs); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.WithMarked("c1").String(); got != "a\r\nB\r\nc\r\nd\r\n" {
		t.Errorf("%q", got)
	}
	s.event(len("a\r\nb\r\n"), len("a\r\nb\r\nc"), "") // nothing behind b
	s.settle()
	if got := s.WithMarked("c1").String(); got != "a\r\nB\r\n" {
		t.Errorf("the mark of what has changed holds: %q", got)
	}
}

// What the user types moves proposals; in their rows it makes a conflict of them, and undone
// a proposal again, with its mark.
func TestProposalsMoveAlong(t *testing.T) {
	s := newScript(t, lines("a|b|c|d|e|"))
	s.propose("c1", "a|B|c|d|E|")
	s.mark("c1", TakeTheirs, TakeMine)
	both := []string{"[1,2) b| -> B| theirs", "[4,5) e| -> E| mine"}
	s.wantProposed("c1", both...)

	s.u("new|a|b|c|d|e|") // above
	s.wantProposed("c1", "[2,3) b| -> B| theirs", "[5,6) e| -> E| mine")
	s.u("new|a|above|b|c|d|e|below|") // at the edges
	s.wantProposed("c1", "[3,4) b| -> B| theirs", "[6,7) e| -> E| mine")
	s.u("a|b|c|d|e|")
	s.wantProposed("c1", both...)

	s.u("a|bb|c|d|e|")
	s.wantProposed("c1", "[1,2) bb| -> B| conflict", "[4,5) e| -> E| mine")
	s.u("a|b|c|d|e|")
	s.wantProposed("c1", both...)

	for _, other := range []string{"c|d|e|", "a|", "", "x|", "a|B2|x|y|c|d|e|"} {
		s.u(other)
		s.u("a|b|c|d|e|")
		s.wantProposed("c1", both...)
	}

	s.u("a|B|c|d|e|") // the user has done the same
	s.wantProposed("c1", "[4,5) e| -> E| mine")
	s.u("a|b|c|d|e|")
	s.wantProposed("c1", both...)
	s.a("c2", "a|b|c|x|d|e|") // an agent's edit moves them just so
	s.wantProposed("c1", "[1,2) b| -> B| theirs", "[5,6) e| -> E| mine")
	s.want("a|b|c|x|d|e|", "a|b|c|d|e|")
	s.rejectAll()
	s.wantProposed("c1", both...)
}

// New rows stay where they would be put in.
func TestProposedRowsStayBetween(t *testing.T) {
	s := newScript(t, lines("a|b|c|"))
	s.propose("c1", "a|b|x|c|")
	s.u("a|b|mine|c|")
	s.wantProposed("c1", "[3,3)  -> x|")
	s.u("a|B|C|")
	s.u("c|")
	s.wantProposed("c1", "[1,1)  -> x|")
	s.u("")
	s.wantProposed("c1", "[0,0)  -> x|")
}

// A move of rows that is told as two events does not carry proposals elsewhere.
func TestProposalsAndMoves(t *testing.T) {
	s := newScript(t, lines("a|b|c|d|"))
	s.a("c1", "a|x|b|c|d|")
	s.propose("c2", "a|x|b|c|D|")
	s.put("c|", "c|x|") // x moves down
	s.put("x|b|", "b|")
	s.settle()
	s.wantProposed("c2", "[4,5) d| -> D|")
	s.want("a|b|c|x|d|", "a|b|c|d|")
}

func TestMarkAndTake(t *testing.T) {
	s := newScript(t, lines("a|b|c|d|e|"))
	ids := s.propose("c1", "A|b|C|d|E|")
	s.mark("c1", TakeTheirs, TakeTheirs, TakeMine)
	if got := s.WithMarked("c1").String(); got != lines("A|b|C|d|e|") {
		t.Errorf("%q", got)
	}
	if got := s.WithMarked("c2").String(); got != lines("a|b|c|d|e|") {
		t.Errorf("another change: %q", got)
	}
	if err := s.Mark(ids[0], TakeBoth); err == nil {
		t.Error("both of what is no conflict")
	}
	if err := s.Mark("c1~", TakeMine); err == nil {
		t.Error("an id that there is not")
	}
	s.u("a|b|mine|d|e|")
	if err := s.Mark(ids[1], TakeTheirs); err == nil {
		t.Error("the id of what stood there before")
	}
	s.mark("c1", "", TakeBoth, TakeTheirs)
	s.wantProposed("c1", "[0,1) a| -> A| theirs", "[2,3) mine| -> C| conflict both", "[4,5) e| -> E| theirs")
	if got := s.WithMarked("c1").String(); got != lines("A|b|mine|C|d|E|") {
		t.Errorf("%q", got)
	}
}

// Proposals of several changes for the same rows do not know of each other.
func TestProposalsOfSeveral(t *testing.T) {
	s := newScript(t, lines("a|b|"))
	s.propose("c1", "A|b|")
	s.propose("c2", "A|b|")
	s.mark("c1", TakeTheirs)
	s.wantProposed("c1", "[0,1) a| -> A| theirs")
	s.wantProposed("c2", "[0,1) a| -> A|")
	if ids := s.Hunks(StateProposed); len(ids) != 2 || ids[0].ID == ids[1].ID {
		t.Errorf("%+v", ids)
	}
	want := s.WithMarked("c1")
	s.Withdraw(func(c ChangeID) bool { return c != "c1" })
	s.AgentEdit(want, agent("c1"))
	s.AcceptChanges("c1")
	s.check()
	s.want("A|b|", "A|b|")
	s.wantProposed("c2") // it is there already
	if s.Proposes("c1") || !s.Proposes("c2") {
		t.Error("what is there already is not proposed, or what was taken is")
	}
	s.Withdraw(func(ChangeID) bool { return false })
	if s.Tracking() || s.Proposing() {
		t.Error("something is left")
	}
}

// Whatever is done to a document, proposals change nothing of it. All of them taken make the
// text that was wanted.
func TestProposalsChangeNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		row := rapid.SampledFrom([]string{"a", "b", "c", "}", "", "long row"})
		anyText := rapid.Custom(func(t *rapid.T) string {
			rows := rapid.SliceOfN(row, 0, 8).Draw(t, "rows")
			return strings.Join(rows, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
		})
		c := newClock()
		s := &script{Doc: New(text.New(anyText.Draw(rt, "text")), c.now), t: t, clock: c}
		twin := s.Clone() // to which nothing is ever proposed
		want := anyText.Draw(rt, "want")
		for _, id := range s.Propose(agent("p"), text.New(want)) {
			if err := s.Mark(id, TakeTheirs); err != nil {
				rt.Fatal(err)
			}
		}
		if got := s.WithMarked("p").String(); got != want {
			rt.Fatalf("all of it makes %q, and %q was wanted", got, want)
		}
		for i := range rapid.IntRange(0, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0, 1:
				now := s.Text().String()
				from := rapid.IntRange(0, len(now)).Draw(rt, "from")
				to := min(len(now), from+rapid.IntRange(0, 6).Draw(rt, "n"))
				with := rapid.SampledFrom([]string{"", "x", "\n", "a\nb\n"}).Draw(rt, "with")
				s.UserEdit(from, to, with)
				twin.UserEdit(from, to, with)
			case 2:
				new := text.New(anyText.Draw(rt, "agent"))
				s.AgentEdit(new, agent(fmt.Sprint("c", i)))
				twin.AgentEdit(new, agent(fmt.Sprint("c", i)))
			case 3:
				reject := rapid.Bool().Draw(rt, "reject")
				for _, d := range []*Doc{s.Doc, twin} {
					changes := []ChangeID{}
					for _, h := range d.Hunks(StatePending) {
						changes = append(changes, h.Origins[0].Change)
					}
					if reject {
						d.RejectChanges(changes...)
					} else {
						d.AcceptChanges(changes...)
					}
				}
			case 4:
				c.advance(time.Second)
				s.Settle(c.now())
				twin.Settle(c.now())
			}
			if err := s.Doc.check(); err != nil {
				rt.Fatal(err)
			}
			if s.Text().String() != twin.Text().String() || s.Baseline().String() != twin.Baseline().String() {
				rt.Fatalf("text %q, baseline %q; without proposals %q, %q", s.Text(), s.Baseline(), twin.Text(), twin.Baseline())
			}
			rows := s.Text().LineCount()
			for _, h := range s.Proposals("p") {
				if h.StartLine < 0 || h.EndLine < h.StartLine || h.EndLine > rows {
					rt.Fatalf("rows [%d,%d) of %d", h.StartLine, h.EndLine, rows)
				}
				if at := s.Text(); h.BaseText != at.Slice(at.LineStart(h.StartLine), at.LineStart(h.EndLine)) {
					rt.Fatalf("%q does not stand at [%d,%d) of %q", h.BaseText, h.StartLine, h.EndLine, at)
				}
			}
			s.WithMarked("p")
		}
		s.Withdraw(func(ChangeID) bool { return false })
		if s.Proposing() || len(s.Hunks()) != len(twin.Hunks()) {
			rt.Fatalf("%d hunks are left, without proposals %d", len(s.Hunks()), len(twin.Hunks()))
		}
	})
}

// Hunks are decided several at a time under a proposal, which then is where its rows are.
func TestDecidedUnderAProposal(t *testing.T) {
	const base = "a\nb\nc\nd\ne\nf\ng\nh\n"
	for name, agents := range map[string]string{
		"shorter": "a\ne\nf\nh\n", "longer": "1\n2\na\nb\nc\n3\n4\nd\ne\nf\n5\n6\ng\nh\n", "other": "a\nB\nc\nd\ne\nf\nG\nh\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, base)
			s.agent("c", agents)
			proposed := s.propose("p", strings.Replace(agents, "h\n", "H\n", 1))
			var pending []string
			for _, h := range s.pending() {
				pending = append(pending, h.ID)
			}
			for _, decide := range []func([]string) ([]string, []Refusal){s.Reject, s.Restore, s.Accept} {
				if done, refused := decide(pending); len(done) != len(pending) {
					t.Fatalf("done %v of %v, refused %v", done, pending, refused)
				}
				s.check()
				if got := s.Proposals("p"); len(got) != 1 || got[0].Text != "H\n" || got[0].BaseText != "h\n" || len(proposed) != 1 {
					t.Fatalf("proposed %+v", got)
				}
			}
		})
	}
}
