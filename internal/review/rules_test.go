package review

import (
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// ruleCase is a short history and what it must come to. Rows end in line feeds, written "|".
type ruleCase struct {
	name  string
	orig  string
	do    func(s *script)
	text  string
	base  string
	hunks []string // pending ones, as in wantHunks
}

func runCases(t *testing.T, cases []ruleCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, lines(c.orig))
			c.do(s)
			s.check()
			s.want(c.text, c.base)
			s.wantHunks(StatePending, c.hunks...)
			for _, accept := range []bool{true, false} { // in the end all is decided
				d := *s
				d.Doc = s.Clone()
				if accept {
					d.acceptAll()
					d.want(c.text, c.text)
				} else {
					d.rejectAll()
					d.want(c.base, c.base)
				}
			}
		})
	}
}

func lines(s string) string { return strings.ReplaceAll(s, "|", "\n") }

func (s *script) a(change, new string) { s.t.Helper(); s.agent(change, lines(new)) }
func (s *script) u(new string)         { s.t.Helper(); s.user(lines(new)) }
func (s *script) wait()                { s.clock.advance(time.Minute); s.Settle(s.clock.now()) }

// put is one event that replaces the first old in the text by new, not settled.
func (s *script) put(old, new string) {
	s.t.Helper()
	i := strings.Index(s.Text().String(), lines(old))
	if i < 0 {
		s.t.Fatalf("text %q has no %q", s.Text(), old)
	}
	s.event(i, i+len(lines(old)), lines(new))
}

// Cases that a model gets wrong which marks pieces of text, not rows.
func TestCases(t *testing.T) {
	runCases(t, []ruleCase{
		{"enter at the end of an agent's row, and a row of one's own", "A|C|", func(s *script) {
			s.a("c1", "A|abc|C|")
			s.u("A|abc|foo|C|")
		}, "A|abc|foo|C|", "A|foo|C|", []string{"[1,2) abc| <- "}},
		{"a word inside an agent's row", "A|C|", func(s *script) {
			s.a("c1", "A|abc def|C|")
			s.u("A|abc USER def|C|")
		}, "A|abc USER def|C|", "A|C|", []string{"[1,2) abc USER def| <- "}},
		{"a deleted row pasted back", "A|B|C|", func(s *script) {
			s.a("c1", "A|C|")
			s.wait()
			s.u("A|B|C|")
		}, "A|B|C|", "A|B|C|", nil},
		{"the agent reverts itself in the same turn", "A|old|C|", func(s *script) {
			s.a("c1", "A|new|C|")
			s.a("c1", "A|old|C|")
		}, "A|old|C|", "A|old|C|", nil},
		{":%s as one range over everything", "x1|B|x2|", func(s *script) {
			s.a("c1", "x1|NEW|x2|")
			s.put("x1|NEW|x2", "y1|NEW|y2")
			s.settle()
		}, "y1|NEW|y2|", "y1|B|y2|", []string{"[1,2) NEW| <- B|"}},
		{"undo and redo of the agent's edit", "A|B|C|", func(s *script) {
			s.a("c1", "A|NEW|C|")
			s.u("A|B|C|")
			s.want("A|B|C|", "A|B|C|")
			s.wantHunks(StatePending)
			s.u("A|NEW|C|")
		}, "A|NEW|C|", "A|B|C|", []string{"[1,2) NEW| <- B|"}},
		{"two sessions, the second deletes what the first inserted", "A|C|", func(s *script) {
			s.a("sA", "A|X|C|")
			s.a("sB", "A|C|")
			s.wantHunks(StatePending, "[1,1)  <- ")
			s.RejectChanges("sB")
		}, "A|X|C|", "A|C|", []string{"[1,2) X| <- "}},
		{"no final newline: the agent appends a row", "A|B", func(s *script) {
			s.a("c1", "A|B|C")
		}, "A|B|C", "A|B", []string{"[1,3) B|C <- B"}},
		{"no final newline: the agent removes the last row, the user types at the end", "A|B", func(s *script) {
			s.a("c1", "A|")
			s.u("A|U")
		}, "A|U", "A|B|U", []string{"[1,1)  <- B|"}},
		{"a word by the agent, the end of the row by the user", "f(a, b) // c|", func(s *script) {
			s.a("c1", "f(a, z) // c|")
			s.u("f(a, z) // c TODO|")
		}, "f(a, z) // c TODO|", "f(a, b) // c TODO|", []string{"[0,1) f(a, z) // c TODO| <- f(a, b) // c TODO|"}},
		{"one's own row joined with the agent's that replaced the next one", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.u("Ax|C|")
		}, "Ax|C|", "A|B|C|", []string{"[0,1) Ax| <- A|B|"}},
		{"the agent's row joined with one's own below it", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.u("A|xC|")
		}, "A|xC|", "A|B|C|", []string{"[1,2) xC| <- B|C|"}},
		{"one's own row joined with the agent's", "A|C|", func(s *script) {
			s.a("c1", "A|X|C|")
			s.u("A X|C|")
		}, "A X|C|", "A|C|", []string{"[0,1) A X| <- A|"}},
		{"everything deleted around a deleted row", "A|B|C|", func(s *script) {
			s.a("c1", "A|C|")
			s.u("")
		}, "", "B|", []string{"[0,0)  <- B|"}},
		{"the agent's rows replaced by one's own", "A|C|", func(s *script) {
			s.a("c1", "A|x = 1|y = 2|C|")
			s.u("A|7|zz|C|")
		}, "A|7|zz|C|", "A|7|zz|C|", nil},
	})
}

func TestAgentEdits(t *testing.T) {
	runCases(t, []ruleCase{
		{"insert", "A|B|", func(s *script) { s.a("c1", "A|x|y|B|") }, "A|x|y|B|", "A|B|", []string{"[1,3) x|y| <- "}},
		{"delete", "A|B|C|", func(s *script) { s.a("c1", "A|C|") }, "A|C|", "A|B|C|", []string{"[1,1)  <- B|"}},
		{"replace", "A|B|C|", func(s *script) { s.a("c1", "A|b|C|") }, "A|b|C|", "A|B|C|", []string{"[1,2) b| <- B|"}},
		{"several places", "A|B|C|D|", func(s *script) { s.a("c1", "a|B|C|d|") }, "a|B|C|d|", "A|B|C|D|",
			[]string{"[0,1) a| <- A|", "[3,4) d| <- D|"}},
		{"again in the same rows", "A|B|C|", func(s *script) {
			s.a("c1", "A|b|C|")
			s.a("c2", "A|bb|C|")
		}, "A|bb|C|", "A|B|C|", []string{"[1,2) bb| <- B|"}},
		{"part of it taken back", "A|B|C|D|", func(s *script) {
			s.a("c1", "A|b|c|D|")
			s.a("c1", "A|B|c|D|")
		}, "A|B|c|D|", "A|B|C|D|", []string{"[2,3) c| <- C|"}},
		{"everything", "A|B|", func(s *script) { s.a("c1", "") }, "", "A|B|", []string{"[0,0)  <- A|B|"}},
		{"out of nothing", "", func(s *script) { s.a("c1", "x|y|") }, "x|y|", "", []string{"[0,2) x|y| <- "}},
		{"out of nothing, without a newline", "", func(s *script) { s.a("c1", "x") }, "x", "", []string{"[0,1) x <- "}},
		{"the final newline added", "A|B", func(s *script) { s.a("c1", "A|B|") }, "A|B|", "A|B", []string{"[1,3) B| <- B"}},
		{"the final newline taken away", "A|B|", func(s *script) { s.a("c1", "A|B") }, "A|B", "A|B|", []string{"[1,2) B <- B|"}},
		{"nothing but terminators", "|||", func(s *script) { s.a("c1", "|") }, "|", "|||", []string{"[1,1)  <- ||"}},
		{"the user's new row deleted", "A|", func(s *script) {
			s.u("A|U|")
			s.a("c1", "A|")
		}, "A|", "A|U|", []string{"[1,1)  <- U|"}},
		{"two agents side by side", "A|B|", func(s *script) {
			s.a("c1", "A|x|B|")
			s.a("d1", "A|x|y|B|")
		}, "A|x|y|B|", "A|B|", []string{"[1,3) x|y| <- "}},
	})
}

func TestUserRows(t *testing.T) {
	runCases(t, []ruleCase{
		{"above a hunk: above its deleted rows", "A|B|C|", func(s *script) {
			s.a("c1", "A|b|C|")
			s.put("b|", "U|b|")
		}, "A|U|b|C|", "A|U|B|C|", []string{"[2,3) b| <- B|"}},
		{"below a hunk", "A|B|C|", func(s *script) {
			s.a("c1", "A|b|C|")
			s.put("C|", "U|C|")
		}, "A|b|U|C|", "A|B|U|C|", []string{"[1,2) b| <- B|"}},
		{"between an agent's rows", "A|B|", func(s *script) {
			s.a("c1", "A|x|y|B|")
			s.put("y|", "U|y|")
		}, "A|x|U|y|B|", "A|U|B|", []string{"[1,2) x| <- ", "[3,4) y| <- "}},
		{"where rows were deleted: below them", "A|B|C|", func(s *script) {
			s.a("c1", "A|C|")
			s.put("C|", "U|C|")
		}, "A|U|C|", "A|B|U|C|", []string{"[1,1)  <- B|"}},
		{"equal to a deleted row: it is that one", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.put("C|", "B|C|")
		}, "A|x|B|C|", "A|B|C|", []string{"[1,2) x| <- "}},
		{"one of two deleted rows typed again", "A|B|C|D|", func(s *script) {
			s.a("c1", "A|D|")
			s.put("D|", "B|D|")
		}, "A|B|D|", "A|B|C|D|", []string{"[2,2)  <- C|"}},
		{"two deleted rows pasted back", "A|B|C|D|", func(s *script) {
			s.a("c1", "A|D|")
			s.put("D|", "B|C|D|")
		}, "A|B|C|D|", "A|B|C|D|", nil},
		{"equal to a deleted row elsewhere: a row of its own", "A|B|C|", func(s *script) {
			s.a("c1", "A|C|")
			s.put("A|", "B|A|")
		}, "B|A|C|", "B|A|B|C|", []string{"[2,2)  <- B|"}},
		{"an agent's row deleted", "A|B|", func(s *script) {
			s.a("c1", "A|x|y|B|")
			s.put("x|", "")
		}, "A|y|B|", "A|B|", []string{"[1,2) y| <- "}},
		{"what replaced a row deleted", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.put("x|", "")
		}, "A|C|", "A|B|C|", []string{"[1,1)  <- B|"}},
	})
}

func TestChangedRows(t *testing.T) {
	runCases(t, []ruleCase{
		{"one's own row changed far from hunks", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("C", "C2")
		}, "A|x|B|C2|", "A|B|C2|", []string{"[1,2) x| <- "}},
		{"every character of an agent's row replaced", "A|B|", func(s *script) {
			s.a("c1", "A|xyz|B|")
			s.put("xyz", "own words")
		}, "A|own words|B|", "A|own words|B|", nil},
		{"an agent's row changed back to what it replaced", "A|f(x)|B|", func(s *script) {
			s.a("c1", "A|f(x, y)|B|")
			s.put(", y", "")
		}, "A|f(x)|B|", "A|f(x)|B|", nil},
		{"an agent's row split", "A|B|", func(s *script) {
			s.a("c1", "A|abc def|B|")
			s.put("abc def", "abc|def")
		}, "A|abc|def|B|", "A|B|", []string{"[1,3) abc|def| <- "}},
		{"one's own row split beside an agent's", "A|one two|B|", func(s *script) {
			s.a("c1", "A|x|one two|B|")
			s.put("one two", "one|two")
		}, "A|x|one|two|B|", "A|one|two|B|", []string{"[1,2) x| <- "}},
		{"rows of two agents joined", "A|", func(s *script) {
			s.a("c1", "A|xx|")
			s.a("d1", "A|xx|yy|")
			s.put("xx|yy", "xx yy")
		}, "A|xx yy|", "A|", []string{"[1,2) xx yy| <- "}},
		{"joined, and split again", "A|C|", func(s *script) {
			s.a("c1", "A|xx|C|")
			s.put("A|xx", "A xx")
			s.settle()
			s.put("A xx", "A|xx")
		}, "A|xx|C|", "A|C|", []string{"[1,2) xx| <- "}},
		{"a paragraph reflowed: a row that flowed into an agent's and into its own", "aaa bbb|E|", func(s *script) {
			s.a("c1", "aaa bbb|xxx|E|")
			s.put("aaa bbb|xxx", "aaa|bbb xxx")
		}, "aaa|bbb xxx|E|", "aaa|bbb|E|", []string{"[1,2) bbb xxx| <- bbb|"}},
		{"a paragraph reflowed into the agent's row altogether", "aaa|bbb|E|", func(s *script) {
			s.a("c1", "aaa|xxx|bbb|E|")
			s.put("aaa|xxx|bbb", "aaa xxx bbb")
		}, "aaa xxx bbb|E|", "aaa|bbb|E|", []string{"[0,1) aaa xxx bbb| <- aaa|bbb|"}},
		{"a key in several rows, some the agent's", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|y|C|")
			s.put("A|x|B|y|C", "/A|/x|/B|/y|/C")
		}, "/A|/x|/B|/y|/C|", "/A|/B|/C|", []string{"[1,2) /x| <- ", "[3,4) /y| <- "}},
		{":%s over rows that repeat", "a|a|b|a|", func(s *script) {
			s.a("c1", "a|a|a|b|a|b|")
			s.put("a|a|a|b|a|b", "a!|a!|a!|b!|a!|b!")
		}, "a!|a!|a!|b!|a!|b!|", "a!|a!|b!|a!|", []string{"[2,3) a!| <- ", "[5,6) b!| <- "}},
		{"words beside the agent's words stay out of the replaced row", "x = b|", func(s *script) {
			s.a("c1", "x = z|")
			s.put("z", "z;")
		}, "x = z;|", "x = b|", []string{"[0,1) x = z;| <- x = b|"}},
		{"words typed key by key go into the replaced row", "f(a, b) // c|", func(s *script) {
			s.a("c1", "f(a, z) // c|")
			for _, k := range " TODO" {
				n := s.Text().Len() - 1
				s.event(n, n, string(k))
				s.settle()
			}
		}, "f(a, z) // c TODO|", "f(a, b) // c TODO|", []string{"[0,1) f(a, z) // c TODO| <- f(a, b) // c TODO|"}},
		{"words go into the row that was replaced twice", "f(a, b) // c|", func(s *script) {
			s.a("c1", "f(a, x) // c|")
			s.a("d1", "f(a, z) // c|")
			s.put("// c", "// c TODO")
		}, "f(a, z) // c TODO|", "f(a, b) // c TODO|", []string{"[0,1) f(a, z) // c TODO| <- f(a, b) // c TODO|"}},
		{"words go into one of two rows that were replaced", "f(a) // c|g(a) // c|", func(s *script) {
			s.a("c1", "f(z) // c|g(z) // c|")
			s.put("// c|g", "// c TODO|g")
		}, "f(z) // c TODO|g(z) // c|", "f(a) // c TODO|g(a) // c|", []string{"[0,2) f(z) // c TODO|g(z) // c| <- f(a) // c TODO|g(a) // c|"}},
		{"words go into the like one of rows that were replaced by more", "func Hello(name string) {|", func(s *script) {
			s.a("c1", "// Greet|func Greet(name string) {|")
			s.put("string) {", "string) { // my words")
		}, "// Greet|func Greet(name string) { // my words|", "func Hello(name string) { // my words|",
			[]string{"[0,2) // Greet|func Greet(name string) { // my words| <- func Hello(name string) { // my words|"}},
		{"words go into the like one of rows that were replaced by fewer", "import x|f(a, b) // c|last one|", func(s *script) {
			s.a("c1", "f(a, z) // c|")
			s.put("// c", "// c TODO")
		}, "f(a, z) // c TODO|", "import x|f(a, b) // c TODO|last one|",
			[]string{"[0,1) f(a, z) // c TODO| <- import x|f(a, b) // c TODO|last one|"}},
		{"words go into the like row, not into that of the same place", "f(a, b) // c|g(a, b) // d|", func(s *script) {
			s.a("c1", "something(new)|f(a, z) // c|")
			s.put("// c", "// c TODO")
		}, "something(new)|f(a, z) // c TODO|", "f(a, b) // c TODO|g(a, b) // d|",
			[]string{"[0,2) something(new)|f(a, z) // c TODO| <- f(a, b) // c TODO|g(a, b) // d|"}},
		{"words of two rows go into two", "f(a) // c|g(a) // c|h(a) // c|", func(s *script) {
			s.a("c1", "f(z) // c|g(z) // c|h(z) // c|")
			s.put("f(z) // c", "f(z) // c ONE")
			s.put("h(z) // c", "h(z) // c TWO")
			s.put("g(z) // c", "/* me */ g(z) // c")
		}, "f(z) // c ONE|/* me */ g(z) // c|h(z) // c TWO|", "f(a) // c ONE|/* me */ g(a) // c|h(a) // c TWO|",
			[]string{"[0,3) f(z) // c ONE|/* me */ g(z) // c|h(z) // c TWO| <- f(a) // c ONE|/* me */ g(a) // c|h(a) // c TWO|"}},
		{"words in a row that stands for none are in no other", "f(a) // c|", func(s *script) {
			s.a("c1", "something(new)|else {|more|")
			s.put("new)", "new) // mine")
		}, "something(new) // mine|else {|more|", "f(a) // c|",
			[]string{"[0,3) something(new) // mine|else {|more| <- f(a) // c|"}},
		{"words taken out again leave the replaced row as it was", "f(a) // c|g(a) // c|", func(s *script) {
			s.a("c1", "f(z) // c|g(z) // c|")
			s.put("// c|g", "// c TODO|g")
			s.put(" TODO", "")
		}, "f(z) // c|g(z) // c|", "f(a) // c|g(a) // c|", []string{"[0,2) f(z) // c|g(z) // c| <- f(a) // c|g(a) // c|"}},
		{"indentation goes into the replaced row too", "  f(a)|", func(s *script) {
			s.a("c1", "  f(b)|")
			s.put("  f", "      f")
		}, "      f(b)|", "      f(a)|", []string{"[0,1)       f(b)| <-       f(a)|"}},
	})
}

// The hunk of an agent's row says whether the user typed in it, white space aside.
func TestMixed(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string
		mixed    bool
	}{
		{"a word", "abc", "abc word", true},
		{"a character inside a word", "abc", "abxc", true},
		{"characters deleted", "abc def", "abc", false},
		{"indented", "abc", "\t\tabc", false},
		{"spaces inside", "abc", "ab c", false},
		{"a space at the end", "abc", "abc ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, "A\nB\n")
			s.a("c1", "A|abc def|abc|B|")
			s.put(c.old, c.new)
			mixed := false
			for _, h := range s.pending() {
				mixed = mixed || h.Mixed
			}
			if mixed != c.mixed {
				t.Errorf("mixed is %v, want %v\n%s", mixed, c.mixed, s.dump())
			}
		})
	}
}

// Indenting a row leaves the user's words in it the user's.
func TestIndentedRowsStayMixed(t *testing.T) {
	s := newScript(t, "A\nB\n")
	s.a("c1", "A|é abc|B|")
	s.put("abc", "ünd abc")
	s.put("é ünd", "\té  ünd")
	s.FormatterEdit(2, 3, "\t\t")
	s.check()
	h := s.pending()
	if len(h) != 1 || !h[0].Mixed || h[0].Text != "\t\té  ünd abc\n" {
		t.Errorf("hunks %+v\n%s", h, s.dump())
	}
	s.put("ünd ", "")
	if h := s.pending(); len(h) != 1 || h[0].Mixed {
		t.Errorf("hunks %+v\n%s", h, s.dump())
	}
}

// A row that is moved keeps its marks, by one event or by two in short succession.
func TestMoves(t *testing.T) {
	runCases(t, []ruleCase{
		{"an agent's row, one event", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("x|B|C|", "B|C|x|")
		}, "A|B|C|x|", "A|B|C|", []string{"[3,4) x| <- "}},
		{"an agent's row, two events", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("x|", "")
			s.clock.advance(provisional - time.Millisecond)
			s.put("C|", "C|x|")
		}, "A|B|C|x|", "A|B|C|", []string{"[3,4) x| <- "}},
		{"two events too far apart: a row of one's own", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("x|", "")
			s.clock.advance(provisional)
			s.put("C|", "C|x|")
		}, "A|B|C|x|", "A|B|C|x|", nil},
		{"two events, an agent's edit between them", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("x|", "")
			s.a("d1", "A|B|C|D|")
			s.put("C|", "C|x|")
		}, "A|B|C|x|D|", "A|B|C|", []string{"[3,5) x|D| <- "}},
		{"put in before it is taken out, seconds apart", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("C|", "C|x|")
			s.clock.advance(3 * time.Second)
			s.Settle(s.clock.now())
			s.put("x|B|", "B|")
		}, "A|B|C|x|", "A|B|C|", []string{"[3,4) x| <- "}},
		{"put in above before it is taken out", "A|B|C|", func(s *script) {
			s.a("c1", "A|B|x|y|C|")
			s.put("A|B|", "x|y|A|B|")
			s.put("x|y|C|", "C|")
		}, "x|y|A|B|C|", "A|B|C|", []string{"[0,2) x|y| <- "}},
		{"put in, something else typed, taken out: a copy", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("C|", "C|x|")
			s.put("B|", "BB|")
			s.put("x|BB|", "BB|")
		}, "A|BB|C|x|", "A|BB|C|x|", nil},
		{"put in, an agent's edit, taken out: a copy", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("C|", "C|x|")
			s.a("d1", "A|x|B|C|x|D|")
			s.put("x|B|", "B|")
		}, "A|B|C|x|D|", "A|B|C|x|", []string{"[4,5) D| <- "}},
		{"one's own row over an agent's", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("A|x|", "x|A|")
		}, "x|A|B|C|", "A|B|C|", []string{"[0,1) x| <- "}},
		{"equal rows: one's own is found again first", "}|A|", func(s *script) {
			s.a("c1", "}|}|A|")
			s.put("}|}|A|", "A|}|")
		}, "A|}|", "A|}|", nil},
		{"back to where it replaced a row", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|C|")
			s.put("x|", "")
			s.put("C|", "x|C|")
		}, "A|x|C|", "A|B|C|", []string{"[1,2) x| <- B|"}},
	})
}

// A document without hunks takes edits without looking at its text.
func TestUntracked(t *testing.T) {
	s := newScript(t, "A\nB\n")
	s.event(0, 1, "a")
	if s.Tracking() || s.Provisional() || len(s.memory) != 0 {
		t.Error("a keystroke in a document without changes is tracked")
	}
	s.agent("c1", "a\nx\nB\n")
	s.user("A\nB\n") // two steps of undo at once
	s.want("A|B|", "A|B|")
	if s.Tracking() {
		t.Error("undo to before the agent's edit leaves something")
	}
}

func TestOnlyAgent(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *script)
		want bool
	}{
		{"created", func(s *script) { s.a("c1", "x|y|") }, true},
		{"blank rows of the user", func(s *script) { s.a("c1", "x|y|"); s.put("y|", "|  |y|") }, true},
		{"indented by the user", func(s *script) { s.a("c1", "x|y|"); s.put("y", "\ty") }, true},
		{"a row of the user", func(s *script) { s.a("c1", "x|y|"); s.put("y|", "u|y|") }, false},
		{"a word of the user", func(s *script) { s.a("c1", "x|y|"); s.put("y", "y u") }, false},
		{"accepted", func(s *script) { s.a("c1", "x|y|"); s.acceptAll() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, "")
			c.do(s)
			if got := s.OnlyAgent(); got != c.want {
				t.Errorf("OnlyAgent is %v, want %v\n%s", got, c.want, s.dump())
			}
		})
	}
}

// Terminators stay what they are, row by row.
func TestTerminators(t *testing.T) {
	for _, c := range []struct {
		name                string
		orig, agent, reject string
	}{
		{"CRLF", "A\r\nB\r\nC\r\n", "A\r\nx\r\nC\r\n", "A\r\nB\r\nC\r\n"},
		{"CR", "A\rB\rC", "A\rx\rC", "A\rB\rC"},
		{"mixed", "A\r\nB\nC\rD", "x\nD", "A\r\nB\nC\rD"},
		{"mixed, the end deleted", "A\r\nB\nC\n", "A", "A\r\nB\nC\n"},
		{"mixed, without a final newline", "A\r\nB\nC", "A\r\nB", "A\r\nB\nC"},
		{"a lone carriage return before a deleted empty row", "A\r\nB\r\r\nC\n", "A\r\nB\rC\n", "A\r\nB\r\r\nC\n"},
		{"all turned by the agent", "A\r\nB\r\nC\r\n", "A\nC\n", "A\r\nB\r\nC\r\n"},
		{"one turned by the agent", "A\r\nB\nC", "A\nB\nC", "A\r\nB\nC"},
		{"one turned in front of a new last row", "A\r\nB", "A\nB\r\nC", "A\r\nB"},
		{"emptied", "A\r\nB\nC\r\n", "", "A\r\nB\nC\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, c.orig)
			s.AgentEdit(text.New(c.agent), agent("c1"))
			s.check()
			if got := s.Text().String(); got != c.agent {
				t.Errorf("text %q, want %q", got, c.agent)
			}
			if got := s.Baseline().String(); got != c.reject {
				t.Errorf("baseline %q, want %q", got, c.reject)
			}
			s.rejectAll()
			if got := s.Text().String(); got != c.reject {
				t.Errorf("rejected %q, want %q", got, c.reject)
			}
		})
	}
}

// A text that is at hand is not made again, and one that cannot be right is not taken.
func TestUserStepTakesTheText(t *testing.T) {
	was := text.New("one\ntwo\n")
	d := New(was, time.Now)
	now := was.Replace(4, 7, "2")
	d.UserStep(now, 4, 7, 5)
	if d.Text() != now {
		t.Error("the text was made anew")
	}
	d.AgentEdit(text.New("one\n2\nthree\n"), agent("c"))
	with := d.Text().Replace(0, 3, "1")
	d.FormatterStep(with, 0, 3, 1)
	if d.Text() != with || d.Baseline().String() != "1\n2\n" {
		t.Errorf("text %q, baseline %q", d.Text(), d.Baseline())
	}
	defer func() {
		if recover() == nil {
			t.Error("lengths that do not add up were taken")
		}
	}()
	d.UserStep(with, 0, 1, 2)
}
