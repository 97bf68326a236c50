package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Hunks that only thin, untouched rows part are one.
func TestCoalescing(t *testing.T) {
	gap := func(rows ...string) ruleCase {
		g := strings.Join(rows, "")
		return ruleCase{orig: "A|" + g + "B|", do: func(s *script) { s.a("c1", "x|"+g+"y|") }, text: "x|" + g + "y|", base: "A|" + g + "B|"}
	}
	one := func(c ruleCase, name string) ruleCase {
		c.name = name
		n := strings.Count(c.text, "|")
		c.hunks = []string{fmt.Sprintf("[0,%d) %s <- %s", n, c.text, c.base)}
		return c
	}
	runCases(t, []ruleCase{
		one(gap("|"), "a blank row"),
		one(gap("}|", "|"), "a brace and a blank row"),
		one(gap("  });|"), "brackets"),
		{"eight rows", "A|||||||||B|", func(s *script) { s.a("c1", "x|||||||||y|") }, "x|||||||||y|", "A|||||||||B|",
			[]string{"[0,10) x|||||||||y| <- A|||||||||B|"}},
		{"nine rows", "A||||||||||B|", func(s *script) { s.a("c1", "x||||||||||y|") }, "x||||||||||y|", "A||||||||||B|",
			[]string{"[0,1) x| <- A|", "[10,11) y| <- B|"}},
		{"a row that says something", "A|m|B|", func(s *script) { s.a("c1", "x|m|y|") }, "x|m|y|", "A|m|B|",
			[]string{"[0,1) x| <- A|", "[2,3) y| <- B|"}},
		{"a blank row that the user wrote", "A|m|B|", func(s *script) {
			s.a("c1", "x|m|y|")
			s.put("m|", "|")
		}, "x||y|", "A||B|", []string{"[0,1) x| <- A|", "[2,3) y| <- B|"}},
		{"a blank row beside one that the user wrote", "A||B|", func(s *script) {
			s.a("c1", "x||y|")
			s.put("y|", "}|y|")
		}, "x||}|y|", "A||}|B|", []string{"[0,1) x| <- A|", "[3,4) y| <- B|"}},
		{"a blank row that the user wrote before the agent's second edit", "A|m|B|", func(s *script) {
			s.a("c1", "x|m|B|")
			s.put("m|", "|")
			s.a("c2", "x||y|")
		}, "x||y|", "A||B|", []string{"[0,1) x| <- A|", "[2,3) y| <- B|"}},
	})
}

// An ID is that of a content: it stays while the rows stay, and changes with them.
func TestIDs(t *testing.T) {
	s := newScript(t, "foo\na\nfoo\nb\nfoo\n")
	s.a("c1", "bar|a|bar|b|bar|")
	first := ids(s.pending())
	if len(first) != 3 || len(slices.Compact(slices.Sorted(slices.Values(first)))) != 3 {
		t.Fatalf("ids %v, want three different ones", first)
	}
	s.put("a|", "new|row|a|")
	s.settle()
	if got := ids(s.pending()); !slices.Equal(got, first) {
		t.Errorf("ids %v changed to %v with the rows above", first, got)
	}
	s.put("a|bar", "a|bar!")
	s.settle()
	got := ids(s.pending())
	if got[0] != first[0] || got[1] == first[1] || got[2] != first[2] {
		t.Errorf("ids %v became %v by one byte in the second hunk", first, got)
	}
	s.u("bar|new|row|a|bar|b|bar|")
	if got := ids(s.pending()); !slices.Equal(got, first) {
		t.Errorf("ids %v became %v, undo brought back %v", first, got, got)
	}
	done, refused := s.Accept([]string{first[0], got[1], "nonsense", first[2], first[0]})
	if !slices.Equal(done, []string{first[0], first[2]}) || len(refused) != 2 || refused[0].ID != got[1] || refused[0].Reason == "" {
		t.Errorf("done %v, refused %v", done, refused)
	}
	if got := ids(s.pending()); !slices.Equal(got, first[1:2]) {
		t.Errorf("pending %v, want %v", got, first[1:2])
	}
}

// Each hunk names its origins; a decision about one change leaves the others' marks.
func TestOrigins(t *testing.T) {
	s := newScript(t, "A\nB\nC\n")
	s.a("c1", "A|x|C|")
	s.a("d1", "A|y|C|")
	h := s.pending()
	if len(h) != 1 || len(h[0].Origins) != 2 || h[0].Origins[0] != agent("c1") || h[0].Origins[1] != agent("d1") {
		t.Fatalf("hunks %+v", h)
	}
	if h[0].Gone != "x\n" {
		t.Errorf("gone is %q", h[0].Gone)
	}
	for _, c := range []struct {
		name       string
		do         func(d *Doc) []string
		text, base string
	}{
		{"accept c1", func(d *Doc) []string { return d.AcceptChanges("c1") }, "A|y|C|", "A|x|C|"},
		{"accept d1", func(d *Doc) []string { return d.AcceptChanges("d1") }, "A|y|C|", "A|B|y|C|"},
		{"reject c1", func(d *Doc) []string { return d.RejectChanges("c1") }, "A|B|y|C|", "A|B|C|"},
		{"reject d1", func(d *Doc) []string { return d.RejectChanges("d1") }, "A|x|C|", "A|B|C|"},
		{"reject both", func(d *Doc) []string { return d.RejectChanges("c1", "d1") }, "A|B|C|", "A|B|C|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := *s
			d.t, d.Doc = t, s.Clone()
			if done := c.do(d.Doc); !slices.Equal(done, ids(h)) {
				t.Errorf("decided %v, want %v", done, ids(h))
			}
			d.check()
			d.want(c.text, c.base)
		})
	}
	if s.RejectChanges("e1") != nil {
		t.Error("a change that is not there was rejected")
	}
}

func TestRestore(t *testing.T) {
	for _, c := range []struct {
		name       string
		orig       string
		do         func(s *script)
		text, base string // after restore; "" if it is refused
	}{
		{"at once", "A|B|C|", func(s *script) { s.a("c1", "A|x|C|"); s.rejectAll() }, "A|x|C|", "A|B|C|"},
		{"an insertion", "A|B|", func(s *script) { s.a("c1", "A|x|B|"); s.rejectAll() }, "A|x|B|", "A|B|"},
		{"a deletion", "A|B|C|", func(s *script) { s.a("c1", "A|C|"); s.rejectAll() }, "A|C|", "A|B|C|"},
		{"at the end", "A|B", func(s *script) { s.a("c1", "A|B|x|"); s.rejectAll() }, "A|B|x|", "A|B"},
		{"of a file that was created", "", func(s *script) { s.a("c1", "x|y|"); s.rejectAll() }, "x|y|", ""},
		{"rows moved down", "A|B|C|", func(s *script) { s.a("c1", "A|x|C|"); s.rejectAll(); s.u("1|2|A|B|C|") }, "1|2|A|x|C|", "1|2|A|B|C|"},
		{"an insertion, rows above it changed", "A|B|C|", func(s *script) { s.a("c1", "A|B|x|C|"); s.rejectAll(); s.u("a|C|") }, "a|x|C|", "a|C|"},
		{"what it would change was changed", "A|B|C|", func(s *script) { s.a("c1", "A|x|C|"); s.rejectAll(); s.u("A|b|C|") }, "", ""},
		{"what it stood between is gone", "A|B|C|", func(s *script) { s.a("c1", "A|x|B|C|"); s.rejectAll(); s.u("1|2|3|") }, "", ""},
		{"the rows it would change are elsewhere now", "A|B|C|D|E|", func(s *script) {
			s.a("c1", "A|x|C|D|E|")
			s.rejectAll()
			s.u("C|D|A|B|E|")
		}, "C|D|A|x|E|", "C|D|A|B|E|"},
		{"with the user's words in it", "A|B|", func(s *script) {
			s.a("c1", "A|x|B|")
			s.u("A|x U|B|")
			s.rejectAll()
		}, "A|x U|B|", "A|B|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, lines(c.orig))
			c.do(s)
			s.check()
			s.settle()
			was := s.Hunks(StateRejected)
			if len(was) != 1 || len(s.pending()) != 0 {
				t.Fatalf("hunks %+v", s.Hunks())
			}
			before := s.Text().String()
			done, refused := s.Restore([]string{was[0].ID})
			s.check()
			if c.text == "" {
				if len(done) > 0 || len(refused) != 1 || s.Text().String() != before || len(s.Hunks(StateRejected)) != 1 {
					t.Errorf("done %v, refused %v, text %q", done, refused, s.Text())
				}
				return
			}
			if len(done) != 1 || len(s.Hunks(StateRejected)) != 0 {
				t.Fatalf("refused %v", refused)
			}
			s.want(c.text, c.base)
			now := s.pending()
			if len(now) != 1 || now[0].Mixed != was[0].Mixed || now[0].Text != was[0].Text {
				t.Errorf("pending %+v, was %+v", now, was)
			}
			if _, refused := s.Restore(done); len(refused) != 1 {
				t.Error("brought back twice")
			}
		})
	}
}

// A rejected hunk of which undo brings back a part stays listed.
func TestRestoreAfterPartUndone(t *testing.T) {
	s := newScript(t, "A\nB\nC\n")
	s.a("c1", "A|x|B|C|")
	s.u("A|x|B|C|D|")
	s.a("c1", "A|x|U1|B|C|D|")
	s.rejectAll()
	s.wantHunks(StateRejected, "[1,1) x|U1| <- ")
	s.u("A|x|B|C|D|")
	s.check()
	s.wantHunks(StatePending, "[1,2) x| <- ")
	s.wantHunks(StateRejected, "[1,1) x|U1| <- ")
}

// Of two rejections of one row the one with the user's words stays when the other is undone, and takes
// the place of that when it is brought back.
func TestRejectedWords(t *testing.T) {
	s := newScript(t, "A\nB\n")
	s.a("c1", "A|x|B|")
	s.u("A|x U|B|")
	s.rejectAll()
	s.u("A|x|B|") // undo to before the words were typed
	s.check()
	s.wantHunks(StatePending, "[1,2) x| <- ")
	s.wantHunks(StateRejected, "[1,1) x U| <- ")
	s.rejectAll()
	s.wantHunks(StateRejected, "[1,1) x U| <- ", "[1,1) x| <- ")
	s.Restore([]string{s.Hunks(StateRejected)[1].ID})
	s.wantHunks(StateRejected, "[1,1) x U| <- ")
	s.Restore(ids(s.Hunks(StateRejected)))
	s.check()
	s.want("A|x U|B|", "A|B|")
}

// Conflicts change neither text nor baseline until they are settled.
func TestConflicts(t *testing.T) {
	for _, c := range []struct {
		take       Take
		text, base string
	}{
		{TakeMine, "A|mine|C|x|", "A|mine|C|"},
		{TakeTheirs, "A|their|s|C|x|", "A|their|s|C|"},
		{TakeBoth, "A|mine|their|s|C|x|", "A|mine|their|s|C|"},
	} {
		t.Run(string(c.take), func(t *testing.T) {
			s := newScript(t, "A\nmine\nC\n")
			s.a("c1", "A|mine|C|x|")
			id := s.AddConflict(agent("c2"), 1, 2, "B\n", "their\ns\n")
			s.check()
			s.want("A|mine|C|x|", "A|mine|C|")
			s.wantHunks(StateConflict, "[1,2) their|s| <- mine|")
			if again := s.AddConflict(agent("c2"), 1, 2, "B\n", "their\ns\n"); again != id || len(s.Hunks(StateConflict)) != 1 {
				t.Error("the same conflict is listed twice")
			}
			s.put("A|", "0|A|")
			s.wantHunks(StateConflict, "[2,3) their|s| <- mine|")
			s.put("0|", "")
			if err := s.Resolve(id, "nothing"); err == nil {
				t.Error("nothing was taken")
			}
			if err := s.Resolve(id, c.take); err != nil {
				t.Fatal(err)
			}
			s.check()
			s.want(c.text, c.base)
			s.wantHunks(StateConflict)
			if err := s.Resolve(id, c.take); err == nil {
				t.Error("settled twice")
			}
			if c.take == TakeMine {
				return
			}
			s.u("A|mine|C|x|") // undo
			s.wantHunks(StateConflict, "[1,2) their|s| <- mine|")
			s.want("A|mine|C|x|", "A|mine|C|")
		})
	}
}

// A conflict at the end of the text, and one about no rows.
func TestConflictEdges(t *testing.T) {
	s := newScript(t, "A\nB")
	id := s.AddConflict(agent("c1"), 1, 2, "", "x\ny")
	s.check()
	if err := s.Resolve(id, TakeBoth); err != nil {
		t.Fatal(err)
	}
	s.check()
	s.want("A|B|x|y", "A|B|x|y")
	id = s.AddConflict(agent("c1"), 0, 0, "", "z\n")
	if err := s.Resolve(id, TakeTheirs); err != nil {
		t.Fatal(err)
	}
	s.check()
	s.want("z|A|B|x|y", "z|A|B|x|y")
	id = s.AddConflict(agent("c1"), 0, 5, "", "")
	if err := s.Resolve(id, TakeTheirs); err != nil {
		t.Fatal(err)
	}
	s.check()
	s.want("", "")
}

// What a reload did is not listed until its author is known.
func TestReload(t *testing.T) {
	const before, after = "A|x|y|B|", "A|x U|y|B|V|"
	start := func(t *testing.T, author Author) *script {
		s := newScript(t, "A\nB\n")
		s.a("c1", before)
		o := agent("r1")
		o.Author = author
		s.Reload(textOf(after), o)
		s.check()
		return s
	}
	t.Run("user", func(t *testing.T) {
		s := start(t, AuthorUser)
		s.want(after, "A|B|V|")
	})
	t.Run("unknown", func(t *testing.T) {
		s := start(t, AuthorUnknown)
		s.want(after, "A|B|")
		for _, h := range s.Hunks() {
			if slices.ContainsFunc(h.Origins, func(o Origin) bool { return o.Author == AuthorUnknown }) {
				t.Errorf("hunk %+v is listed", h)
			}
		}
		s.Accept(ids(s.pending()))
		s.RejectChanges("r1")
		s.want(after, "A|B|")
	})
	for _, author := range []Author{AuthorUser, AuthorFormatter, AuthorAgent, AuthorDisk} {
		t.Run("unknown, then "+string(author), func(t *testing.T) {
			s := start(t, AuthorUnknown)
			o := agent("r2")
			o.Author = author
			s.Relabel("r1", o)
			s.check()
			if author.ours() {
				s.want(after, "A|B|V|")
				s.wantHunks(StatePending, "[1,3) x U|y| <- ")
				if mixed := s.pending()[0].Mixed; mixed != (author == AuthorUser) {
					t.Errorf("mixed is %v", mixed)
				}
				return
			}
			s.want(after, "A|B|")
			s.wantHunks(StatePending, "[1,3) x U|y| <- ", "[4,5) V| <- ")
			if !slices.ContainsFunc(s.pending()[1].Origins, func(x Origin) bool { return x == o }) {
				t.Errorf("origins %+v lack %+v", s.pending()[1].Origins, o)
			}
		})
	}
	t.Run("unknown, then user, with the user typing between", func(t *testing.T) {
		s := start(t, AuthorUnknown)
		s.put("V", "VV")
		s.put("A|", "0|A|")
		o := agent("r1")
		o.Author = AuthorUser
		s.Relabel("r1", o)
		s.check()
		s.want("0|A|x U|y|B|VV|", "0|A|B|VV|")
	})
	relabelled := func(t *testing.T, before, after string, then func(s *script)) *script {
		s := newScript(t, "A\nB\n")
		s.a("c1", before)
		o := agent("r1")
		o.Author = AuthorUnknown
		s.Reload(textOf(after), o)
		then(s)
		o.Author = AuthorUser
		s.Relabel("r1", o)
		s.check()
		return s
	}
	t.Run("unknown, then user: a row moved", func(t *testing.T) {
		s := relabelled(t, "A|x|}|B|", "A|}|x|B|", func(*script) {})
		s.want("A|}|x|B|", "A|B|")
		s.wantHunks(StatePending, "[1,3) }|x| <- ")
	})
	t.Run("unknown, then user: a row that an agent took out meanwhile", func(t *testing.T) {
		s := relabelled(t, "A|x|B|", "A|x|U|B|", func(s *script) { s.a("c2", "A|x|B|") })
		s.want("A|x|B|", "A|U|B|")
	})
	t.Run("of a change that is not there", func(t *testing.T) {
		s := start(t, AuthorAgent)
		rev := s.Revision()
		s.Relabel("nothing", agent("c9"))
		if s.Revision() != rev {
			t.Error("something changed")
		}
	})
}

// A formatter's edits are the user's in one's own rows, and the agent's in the agent's.
func TestFormatter(t *testing.T) {
	for _, c := range []struct {
		name            string
		orig, now, then string
		text, base      string
		hunks           []string
	}{
		{"an agent's row indented", "A|B|", "A|x|B|", "A|\tx|B|", "A|\tx|B|", "A|B|", []string{"[1,2) \tx| <- "}},
		{"an agent's row wrapped", "A|B|", "A|f(x, y)|B|", "A|f(|  x,|  y,|)|B|", "A|f(|  x,|  y,|)|B|", "A|B|", []string{"[1,5) f(|  x,|  y,|)| <- "}},
		{"a blank row between two of the agent's", "A|B|", "A|x|y|B|", "A|x||y|B|", "A|x||y|B|", "A|B|", []string{"[1,4) x||y| <- "}},
		{"one's own row", "A|B|", "A|x|B|", "A|x|B;|", "A|x|B;|", "A|B;|", []string{"[1,2) x| <- "}},
		{"punctuation in an agent's row", "A|B|", "A|x|B|", "A|x;|B|", "A|x;|B|", "A|B|", []string{"[1,2) x;| <- "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, lines(c.orig))
			s.a("c1", c.now)
			s.FormatterEdit(0, s.Text().Len(), lines(c.then))
			s.check()
			s.want(c.text, c.base)
			s.wantHunks(StatePending, c.hunks...)
			if s.pending()[0].Mixed {
				t.Error("the hunk is mixed")
			}
		})
	}
}

// What a formatter made when the text was saved for an agent is undecided, and its own change
// but in the rows that are an agent's already.
func TestFormatted(t *testing.T) {
	for _, c := range []struct {
		name            string
		orig, now, then string
		hunks           []string
		origins         []string
	}{
		{"an agent's row indented", "A|B|", "A|x|B|", "A|\tx|B|", []string{"[1,2) \tx| <- "}, []string{"c1"}},
		{"an agent's row in place of one", "A|  b c|C|", "A|  d c|C|", "A|d c;|C|", []string{"[1,2) d c;| <-   b c|"}, []string{"c1"}},
		{"a row of the user's", "A|x  |B|", "A|x  |b|", "A|x|b|", []string{"[1,3) x|b| <- x  |B|"}, []string{"f c1"}},
		{"rows far apart", "  A|B|C|D|", "  A|B|C|d|", "A|B|C|d|", []string{"[0,1) A| <-   A|", "[3,4) d| <- D|"}, []string{"f", "c1"}},
		{"a row taken away", "A|||B|C|", "A|||B|c|", "A||B|c|", []string{"[2,2)  <- |", "[3,4) c| <- C|"}, []string{"f", "c1"}},
		{"an agent's row wrapped", "A|B|", "A|f(x, y)|B|", "A|f(|  x,|  y,|)|B|", []string{"[1,5) f(|  x,|  y,|)| <- "}, []string{"f"}},
		{"an agent's white space undone", "A|B|", "A|  B|", "A|B|", nil, nil},
		{"another's row", "A|B|", "A|b|", "a|b|", []string{"[0,2) a|b| <- A|B|"}, []string{"f c1"}},
		{"a final line end", "A|B", "A|b", "A|b|", []string{"[1,3) b| <- B"}, []string{"c1 f"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, lines(c.orig))
			s.a("c1", c.now)
			o := agent("f")
			o.Session = "s-c1"
			s.Formatted(textOf(c.then), o)
			s.check()
			s.want(c.then, c.orig)
			s.wantHunks(StatePending, c.hunks...)
			var origins []string
			for _, h := range s.pending() {
				var all []string
				for _, o := range h.Origins {
					all = append(all, string(o.Change))
				}
				origins = append(origins, strings.Join(all, " "))
				if h.Mixed {
					t.Error("the hunk is mixed")
				}
			}
			if !slices.Equal(origins, c.origins) {
				t.Errorf("by %q, want %q", origins, c.origins)
			}
			hunks := s.pending()
			s.user(lines(c.now)) // an undo, and a redo
			s.want(c.now, c.orig)
			s.user(lines(c.then))
			if got := s.pending(); !slices.EqualFunc(got, hunks, func(a, b Hunk) bool { return a.ID == b.ID }) {
				t.Errorf("after undo and redo %+v, want %+v", got, hunks)
			}
			s.rejectAll()
			s.want(c.orig, c.orig)
		})
	}
}

// What the user has typed in an agent's row stays theirs, and a row of theirs as they wrote it.
func TestFormattedMixed(t *testing.T) {
	s := newScript(t, "A\nB\n")
	s.a("c1", "A|agent(x)|B|")
	s.u("A|agent(x, mine)|  my row|B|")
	s.Formatted(textOf("A|\tagent(x, mine);|my row|B|"), agent("f"))
	s.check()
	s.want("A|\tagent(x, mine);|my row|B|", "A|  my row|B|")
	if h := s.pending(); len(h) != 1 || !h[0].Mixed {
		t.Errorf("hunks %+v\n%s", h, s.dump())
	}
	s.RejectChanges("f")
	s.check()
	s.want("A|\tagent(x, mine);|  my row|B|", "A|  my row|B|")
}

func TestRevision(t *testing.T) {
	s := newScript(t, "A\nB\n")
	last := s.Revision()
	step := func(name string, do func()) {
		before := s.Hunks()
		do()
		if s.Revision() == last {
			t.Errorf("%s: the revision stays, hunks %+v became %+v", name, before, s.Hunks())
		}
		last = s.Revision()
	}
	step("agent", func() { s.a("c1", "A|x|B|") })
	step("typing above", func() { s.put("A|", "0|A|") })
	step("typing in it", func() { s.put("x", "xx") })
	step("reject", func() { s.rejectAll() })
	step("restore", func() { s.Restore(ids(s.Hunks(StateRejected))) })
	step("conflict", func() { s.AddConflict(agent("c2"), 0, 1, "", "z\n") })
	step("resolve", func() { s.Resolve(s.Hunks(StateConflict)[0].ID, TakeMine) })
	step("accept", func() { s.acceptAll() })
}
