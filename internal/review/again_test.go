package review

import (
	"strings"
	"testing"

	"acp-ls/buffers/text"
)

// What was rejected and is undecided again, made of other rows, is not brought back beside that: it is
// not listed any more, whoever has written it once more, after a restart too. Undo and redo go on with it.
func TestRejectedAndThereAgain(t *testing.T) {
	for name, x := range map[string][2]string{
		"appended":            {"A|B|C|", "A|B|C|x|"},
		"put in":              {"A|B|C|", "A|x|B|C|"},
		"replaced":            {"A|B|C|", "A|x|C|"},
		"taken out":           {"A|B|C|", "A|C|"},
		"apart":               {"A|B|C|D|", "A|x|B|C|D|y|"},
		"over a thin row":     {"A|B|}|C|D|", "A|x|}|y|D|"},
		"thin":                {"A|{|C|", "A|{|}|C|"},
		"like others":         {"A|x|B|x|", "A|x|B|x|x|"},
		"a final line end":    {"A|B", "A|B|"},
		"and rows behind it":  {"A|B", "A|B|x|"},
		"no final line end":   {"A|B|", "A|B"},
		"all":                 {"A|B|C|", "x|y|"},
		"in a file of no row": {"", "x|y|"},
	} {
		for _, how := range []string{"at once", "after a restart", "with others", "under what is typed"} {
			t.Run(name+", "+how, func(t *testing.T) {
				s := newScript(t, lines(x[0]))
				s.a("c1", x[1])
				was := s.Hunks(StatePending)
				s.rejectAll()
				rejected := lines(x[0])
				want := lines(x[1])
				switch how {
				case "after a restart":
					s.restart()
				case "with others":
					want = "Z\n" + want
				case "under what is typed":
					rejected = "U\nV\nW\n" + rejected
					want = "U\nV\nW\n" + want
					s.user(rejected)
				}
				s.agent("c2", want)
				s.wantHunks(StateRejected)
				for _, h := range was {
					if _, refused := s.Restore([]string{h.ID}); len(refused) != 1 {
						t.Errorf("%q was brought back beside itself: %q", h.Text, s.Text())
					}
				}
				again := len(s.Hunks(StatePending))
				s.user(rejected)
				s.user(want)
				if got := s.Hunks(StatePending); len(got) != again {
					t.Errorf("after undo and redo pending are %+v, want %d", got, again)
				}
				s.wantHunks(StateRejected)
				s.rejectAll()
				s.Restore(ids(s.Hunks(StateRejected)))
				s.check()
				if got := s.Text().String(); got != want {
					t.Errorf("rejected and brought back: text %q, want %q", got, want)
				}
			})
		}
	}
}

// A like row elsewhere is not the one that was rejected.
func TestRejectedAndALikeRowElsewhere(t *testing.T) {
	for _, x := range [][3]string{
		{"A|B|C|D|E|F|G|H|", "A|x|B|C|D|E|F|G|H|", "A|B|C|D|E|F|G|x|H|"},
		{"A|B|C|D|}|F|G|H|", "A|}|B|C|D|}|F|G|H|", "A|B|C|D|}|}|F|G|H|"},
		{"A|B|C|", "A|x|y|B|C|", "A|B|C|x|"},
	} {
		s := newScript(t, lines(x[0]))
		s.a("c1", x[1])
		s.rejectAll()
		s.a("c2", x[2])
		if got := s.Hunks(StateRejected); len(got) != 1 {
			t.Errorf("%q: rejected are %+v", x, got)
			continue
		}
		if done, refused := s.Restore(ids(s.Hunks(StateRejected))); len(done) != 1 {
			t.Errorf("%q: %v", x, refused)
		}
	}
}

// Of what is there again in part, or without what the user had typed in it, the rest comes back, and nothing twice.
func TestRejectedAndThereAgainInPart(t *testing.T) {
	s := newScript(t, "A\nB\nC\n")
	s.a("c1", "A|x|B|C|")
	s.u("A|x U|B|C|")
	s.rejectAll()
	s.a("c2", "A|x|B|C|")
	s.wantHunks(StateRejected, "[1,1) x U| <- ")
	s.Restore(ids(s.Hunks(StateRejected)))
	s.check()
	s.want("A|x U|B|C|", "A|B|C|")
	s.wantHunks(StateRejected)

	s = newScript(t, "A\nB\nC\n")
	s.a("c1", "A|x|B|C|")
	s.u("A|x U|B|C|")
	s.rejectAll()
	s.a("c2", "A|x|B|C|")
	s.u("A|x V|B|C|") // what is typed since stays
	s.Restore(ids(s.Hunks(StateRejected)))
	s.check()
	if got := s.Text().String(); !strings.Contains(got, "x V\n") || !strings.Contains(got, "x U\n") {
		t.Errorf("text %q", got)
	}
}

// What git takes away is lost, whatever of it the text has again.
func TestLostStaysListed(t *testing.T) {
	s := newScript(t, "A\nB\nC\n")
	s.a("c1", "A|B|C|x|")
	lost, _ := s.TakeAway(text.New("A\nB\nC\n"), agent("c2"))
	if len(lost) != 1 || len(s.Hunks(StateRejected)) != 1 {
		t.Errorf("lost %+v", lost)
	}
}
