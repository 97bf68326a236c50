package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A row that the user puts into, or makes of, rows that an agent rewrote stands in the baseline
// where it stands among them, and the hunks on either side give back what they took the place of.
func TestRowsAmongRewrittenOnes(t *testing.T) {
	indent := func(_ int, s string) string { return "\t" + s }
	for name, rewrite := range map[string]func(i int, s string) string{
		"indented": indent,
		"longer":   func(i int, s string) string { return s + fmt.Sprintf(", %d)", i) },
		"another":  func(i int, _ string) string { return strings.Repeat(string(rune('A'+i)), 9) },
	} {
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 11))
			var old, new []string
			for i := range 3 + r.IntN(30) {
				old = append(old, fmt.Sprintf("row%d := call%d(%d)", i, i*i, i))
				new = append(new, rewrite(i, old[i]))
			}
			at := 1 + r.IntN(len(old)-1) // rows above the user's
			want, now := slices.Insert(slices.Clone(old), at, "mine"), slices.Insert(slices.Clone(new), at, "mine")
			if name == "indented" && r.IntN(2) == 0 {
				new = append(append([]string{"if ok {"}, new...), "}")
				now = append(append([]string{"if ok {"}, now...), "}")
			}
			user := slices.Index(now, "mine")
			s := newScript(t, "top\n"+strings.Join(old, "\n")+"\nend\n")
			s.agent("c1", "top\n"+strings.Join(new, "\n")+"\nend\n")
			begin := s.Text().LineStart(1 + user)
			typed := "mine\n"
			for r.IntN(2) == 0 && len(typed) > 1 { // key by key, from an empty row on
				s.event(begin, begin, "\n")
				typed = strings.TrimSuffix(typed, "\n")
				for i := range typed {
					s.event(begin+i, begin+i, typed[i:i+1])
				}
				typed = ""
			}
			if typed != "" {
				s.event(begin, begin, typed)
			}
			s.settle()
			s.check()
			s.want("top|"+strings.Join(now, "|")+"|end|", "top|"+strings.Join(want, "|")+"|end|")
			hunks := s.pending()
			if len(hunks) != 2 {
				t.Fatalf("%s, seed %d: %d hunks, want 2", name, seed, len(hunks))
			}
			up, down := s.Clone(), s.Clone()
			up.Reject(ids(hunks[:1]))
			down.Reject(ids(hunks[1:]))
			if got, want := up.Text().String(), "top\n"+strings.Join(slices.Concat(old[:at], now[user:]), "\n")+"\nend\n"; got != want {
				t.Errorf("%s, seed %d: without the upper hunk it is\n%s\nwant\n%s", name, seed, got, want)
			}
			if got, want := down.Text().String(), "top\n"+strings.Join(slices.Concat(now[:user+1], old[at:]), "\n")+"\nend\n"; got != want {
				t.Errorf("%s, seed %d: without the lower hunk it is\n%s\nwant\n%s", name, seed, got, want)
			}
		}
	}
}

func TestRowOfTheUsersAmongRewrittenOnes(t *testing.T) {
	runCases(t, []ruleCase{
		{"in the place of one", "A|B|C|D|", func(s *script) {
			s.a("c1", "A1|B1|C1|D1|")
			s.put("B1|", "mine|")
		}, "A1|mine|C1|D1|", "A|B|mine|C|D|", []string{"[0,1) A1| <- A|B|", "[2,4) C1|D1| <- C|D|"}},
		{"between two changes", "A|B|", func(s *script) {
			s.a("c1", "x1|B|")
			s.a("c2", "x1|y2|")
			s.put("y2|", "mine|y2|")
		}, "x1|mine|y2|", "A|mine|B|", []string{"[0,1) x1| <- A|", "[2,3) y2| <- B|"}},
		{"and a second one behind it", "A|B|C|", func(s *script) {
			s.a("c1", "A1|B1|C1|")
			s.put("B1|", "mine|B1|")
			s.put("mine|", "mine|more|")
		}, "A1|mine|more|B1|C1|", "A|mine|more|B|C|", []string{"[0,1) A1| <- A|", "[3,5) B1|C1| <- B|C|"}},
		{"and taken out again", "A|B|C|", func(s *script) {
			s.a("c1", "A1|B1|C1|")
			s.put("B1|", "mine|B1|")
			s.wait()
			s.put("mine|", "")
		}, "A1|B1|C1|", "A|B|C|", []string{"[0,3) A1|B1|C1| <- A|B|C|"}},
		{"among rows put in for one", "A|", func(s *script) {
			s.a("c1", "x|y|z|")
			s.put("y|", "y|mine|")
		}, "x|y|mine|z|", "A|mine|", []string{"[0,2) x|y| <- A|", "[3,4) z| <- "}},
	})
}
