package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers/text"
)

// Rows that cancel leave nothing behind that cancels, and neither the text nor the baseline
// changes by it, but for the fresh rows that a deleted one was.
func TestSettledRowsAreSettled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := &Doc{}
	for n := range 20_000 {
		var rows []row
		for range r.IntN(12) {
			x := row{text: []string{"", "}", "a", "b"}[r.IntN(4)], id: d.id()}
			switch r.IntN(7) {
			case 0, 1:
				x.ins = 1
			case 2, 3:
				x.del = 2
			case 4:
				x.ins, x.del = 1, 2
			case 5:
				x.fresh = n%2 == 0
				x.id = 0
			}
			rows = append(rows, x)
		}
		in := slices.Clone(rows)
		out := d.settleRows(rows)
		if a, b := picked(in, row.inText), picked(out, row.inText); !slices.Equal(a, b) {
			t.Fatalf("the text %q became %q: %+v -> %+v", a, b, in, out)
		}
		if a, b := picked(in, row.inBase), picked(out, row.inBase); n%2 == 1 && !slices.Equal(a, b) {
			t.Fatalf("the baseline %q became %q: %+v -> %+v", a, b, in, out)
		}
		if a, b := picked(in, row.ghost), picked(out, row.ghost); !slices.Equal(a, b) {
			t.Fatalf("the rows in neither %q became %q: %+v -> %+v", a, b, in, out)
		}
		for i := 0; i < len(out); i++ {
			from := i
			for i < len(out) && out[i].undecided() {
				i++
			}
			if len(d.cancelling(out[from:i])) > 0 {
				t.Fatalf("rows still cancel: %+v -> %+v", in, out)
			}
		}
	}
}

func picked(rows []row, in func(row) bool) []string {
	out := []string{}
	for _, r := range rows {
		if in(r) {
			out = append(out, r.text)
		}
	}
	return out
}

// What survives is found in both strings, in order, and is never counted twice.
func TestSurvivors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"foo", "bar", "x", "(", ")", " ", "  ", "\n", "é", "日本", "\xff", "fooBar", "_", "12"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	for range 20_000 {
		a, b := text(), text()
		i, j := 0, 0
		for _, s := range survivors(a, b) {
			if s.n <= 0 || s.old < i || s.new < j || s.old+s.n > len(a) || s.new+s.n > len(b) || a[s.old:s.old+s.n] != b[s.new:s.new+s.n] {
				t.Fatalf("survivors(%q, %q) = %+v", a, b, survivors(a, b))
			}
			i, j = s.old+s.n, s.new+s.n
		}
		if s := survivors(a, a); a != "" && (len(s) != 1 || s[0].n != len(a)) {
			t.Fatalf("survivors(%q, itself) = %+v", a, s)
		}
	}
	for _, c := range []struct{ a, b, want string }{
		{"abc", "abXc", "ab|c"},
		{"foo(bar)", "list[x].map(y)", ")"},
		{"foo", "zom", ""},
		{"aaa bbb|xxx", "aaa|bbb xxx", "aaa|bbb| xxx"},
		{"old text here", "new words with text in it", "text"},
		{"counter", "myCounter2", "ounter"},
		{"six seven", "six s|seven", "six| seven"},
		{"of the older", "of older", "of| older"},
		{"o6abc o7a|o8", "o7a o8", "o7a|o8"},
		{"note noted", "noted", "noted"},
		{"seven", "sev", "sev"},
	} {
		var got []string
		for _, s := range survivors(lines(c.a), lines(c.b)) {
			got = append(got, strings.TrimSpace(lines(c.a)[s.old:s.old+s.n]))
		}
		joined := strings.Join(got, "|")
		if strings.ReplaceAll(joined, " ", "") != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("survivors(%q, %q): %q, want %q", c.a, c.b, joined, c.want)
		}
	}
}

// Terminators of rows that go and come back, in texts that mix them.
func TestMixedTerminators(t *testing.T) {
	for _, edits := range [][]string{
		{"\r\nA\n", "\r\nA\nx\n", ""},            // the empty row is now the last one
		{"A\r\n\r\nB\n", "A", "A\r\n\r\nB\n"},    // the last row had one
		{"A\r\nB\n", "A\r\nB\nC\n", "A\r\n", ""}, // all gone
		{"A", "B\r\nC", "A"},                     // none at first
		{"A", "", "B\rC\r", "A\rC"},
		{"\r\n\r\n\n", "\r\n", "", "\r\n\r\n\n"},
	} {
		s := newScript(t, edits[0])
		for i, e := range edits[1:] {
			s.agent(fmt.Sprintf("c%d", i), e)
		}
		s.rejectAll()
		if got := s.Text().String(); got != edits[0] {
			t.Errorf("%q: rejected gives %q", edits, got)
		}
	}
}

// Each of these went wrong once.
func TestFaults(t *testing.T) {
	runCases(t, []ruleCase{
		{"a conflict that empties the text beside a deleted blank row", "A||", func(s *script) {
			s.a("c1", "A|")
			id := s.AddConflict(agent("c2"), 0, 2, "", "")
			s.Resolve(id, TakeTheirs)
		}, "", "", nil},
		{"a row changed in its place is not one that was taken away", "A|foo|B|", func(s *script) {
			s.a("c1", "A|foo|x|B|")
			s.put("foo|x", "foo!|x!")
			s.put("x!|", "")
			s.put("A|", "x!|A|")
		}, "x!|A|foo!|B|", "A|foo!|B|", []string{"[0,1) x!| <- "}},
		{"half of a move makes a text that the document had", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.a("d1", "A|B|C|")
			s.u("A|x|B|C|")
			s.put("x|", "") // this is d1's text
			s.put("C|", "C|x|")
		}, "A|B|C|x|", "A|B|C|", []string{"[1,1)  <- ", "[3,4) x| <- "}},
		{"a row taken away twice in one action comes back once", "A|B|C|", func(s *script) {
			s.a("c1", "A|x|B|C|")
			s.put("x|", "")
			s.put("A|B|", "A|x|y|B|")
			s.put("y|", "") // undo in two notifications
			s.put("x|", "")
			s.put("C|", "C|x|x|")
		}, "A|B|C|x|x|", "A|B|C|x|", []string{"[3,4) x| <- "}},
		{"the only agent's row deleted and undone in two notifications", "A|B|", func(s *script) {
			s.a("c1", "A|x|B|")
			s.u("A|B|")
			s.put("A|", "A|?|")
			s.put("?", "x")
		}, "A|x|B|", "A|B|", []string{"[1,2) x| <- "}},
		{"enter at the end of a text that the agent gave its final newline", "A", func(s *script) {
			s.a("c1", "A|")
			s.put("A|", "A||")
			s.settle()
			s.put("A||", "A|new|")
			s.settle()
			s.put("new|", "")
		}, "A|", "A", []string{"[0,2) A| <- A"}},
	})
}

// Restoring several hunks is one operation: the texts between are none that the document had.
func TestRestoreIsOneStep(t *testing.T) {
	s := newScript(t, "A\nB\nC\n")
	s.a("c1", "A|x|B|y|C|")
	s.rejectAll()
	n, rev := len(s.memory), s.Revision()
	if done, _ := s.Restore(ids(s.Hunks(StateRejected))); len(done) != 2 {
		t.Fatalf("restored %v", done)
	}
	if len(s.memory) != n+1 || s.Revision() != rev+1 {
		t.Errorf("%d texts remembered, revision %d -> %d", len(s.memory)-n, rev, s.Revision())
	}
	s.want("A|x|B|y|C|", "A|B|C|")
}

// A large event costs about as much as its rows, wherever the hunks are. (A quadratic step
// here takes minutes.)
func TestLargeEvents(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "row %d\n", i)
	}
	s := newScript(t, "")
	s.AgentEdit(text.New(b.String()), agent("c1"))
	full := s.Text().String()
	s.UserEdit(0, s.Text().Len(), strings.ReplaceAll(full, "row", "line")) // :%s/row/line/
	if h := s.pending(); len(h) != 1 || h[0].EndLine != n {
		t.Fatalf("%d hunks", len(h))
	}
	s.UserEdit(0, s.Text().Len(), full) // undo
	s.wait()
	s.UserEdit(0, s.Text().Len(), "") // ggdG
	s.wait()
	s.UserEdit(0, 0, full) // undo
	if h := s.pending(); len(h) != 1 || h[0].Text != full {
		t.Fatalf("undo: %d hunks", len(h))
	}
	half := s.Text().LineStart(n / 2)
	s.UserEdit(0, half, "")
	s.UserEdit(s.Text().Len(), s.Text().Len(), full[:half]) // a large move
	if got := s.Baseline().String(); got != "" {
		t.Errorf("moved rows are in the baseline: %d bytes", len(got))
	}
	base := s.Baseline().String()
	s.Reject(ids(s.pending()))
	if got := s.Text().String(); got != base {
		t.Errorf("rejected gives %d bytes, baseline has %d", len(got), len(base))
	}
}

// As many rows that took the place of others, all changed by one event.
func TestLargeEventAmongRewrittenRows(t *testing.T) {
	const n = 1_500
	var was, now strings.Builder
	for i := range n {
		fmt.Fprintf(&was, "old row %d\n", i)
		fmt.Fprintf(&now, "new row %d\n", i)
	}
	s := newScript(t, was.String())
	s.AgentEdit(text.New(now.String()), agent("c1"))
	full := s.Text().String()
	s.UserEdit(0, s.Text().Len(), strings.ReplaceAll(full, "row", "line"))
	if got, want := s.Baseline().String(), strings.ReplaceAll(was.String(), "row", "line"); got != want {
		t.Errorf("the user's word is not in the %d rows that were replaced: %.200q", n, got)
	}
	s.UserEdit(0, s.Text().Len(), full)
	if got := s.Baseline().String(); got != was.String() {
		t.Errorf("undone: %.200q", got)
	}
}
