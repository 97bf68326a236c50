package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What the user types, key by key, behind the agent's words in rows that took the place of
// several goes into those rows, whatever else the agent put in or took out beside them: it is
// in the text when the hunk is rejected, and in the text when it is brought back.
func TestWordsStayInTheRowsThatComeBack(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		var old, new, common []string // common: rows that are in both, but for one word
		n := 1 + r.IntN(6)
		for i := range n {
			row := fmt.Sprintf("row%da row%db row%dc row%dd", i, i, i, i)
			old, new = append(old, row), append(new, strings.Replace(row, fmt.Sprintf("row%db", i), fmt.Sprintf("agent%d", i), 1))
			common = append(common, new[i])
		}
		if r.IntN(2) == 0 { // as many rows more as rows less, or not
			for i := range r.IntN(3) {
				new = slices.Insert(new, r.IntN(len(new)+1), fmt.Sprintf("%d quite another thing", i))
			}
			for i := range r.IntN(3) {
				old = slices.Insert(old, r.IntN(len(old)+1), fmt.Sprintf("what stood there %d", i))
			}
		}
		s := newScript(t, "top\n"+strings.Join(old, "\n")+"\nend\n")
		s.agent("c1", "top\n"+strings.Join(new, "\n")+"\nend\n")
		base := s.Baseline().String()
		for range 1 + r.IntN(4) {
			i := r.IntN(n)
			word := fmt.Sprintf(" typed%d%c", i, 'a'+rune(r.IntN(26)))
			at := strings.Index(s.Text().String(), common[i][strings.LastIndex(common[i], " "):]) + len(fmt.Sprintf(" row%dd", i))
			for k := range word {
				s.event(at+k, at+k, word[k:k+1])
				if r.IntN(3) == 0 {
					s.settle()
				}
			}
			s.settle()
			base = strings.Replace(base, fmt.Sprintf("row%dd", i), fmt.Sprintf("row%dd%s", i, word), 1)
		}
		if got := s.Baseline().String(); got != base {
			t.Fatalf("seed %d: baseline\n%s\nwant\n%s\n%s", seed, got, base, s.dump())
		}
		text := s.Text().String()
		done, _ := s.Reject(ids(s.pending()))
		s.check()
		if got := s.Text().String(); got != base {
			t.Fatalf("seed %d: rejected it is\n%s\nwant\n%s", seed, got, base)
		}
		s.Restore(done)
		s.check()
		if got := s.Text().String(); got != text {
			t.Fatalf("seed %d: brought back it is\n%s\nwant\n%s", seed, got, text)
		}
		if got := s.Baseline().String(); got != base {
			t.Fatalf("seed %d: brought back, the baseline is\n%s\nwant\n%s", seed, got, base)
		}
	}
}

// A row never stands for two, nor two rows for one, whatever rows there are.
func FuzzStandsFor(f *testing.F) {
	f.Add("f(a)\ng(a)", "f(b)\ng(b)", 1)
	f.Add("a\na\na", "a b\na c", 0)
	f.Add("x", "y\nx y\nx", 2)
	f.Fuzz(func(t *testing.T, was, is string, ghosts int) {
		var rows []row
		id := uint64(0)
		add := func(s string, r row) {
			for _, x := range splitRows(s) {
				id++
				r.text, r.id = x.text, id
				rows = append(rows, r)
			}
		}
		add(was, row{del: 1})
		for range min(max(0, ghosts), 3) {
			add("ghost", row{ins: 1, del: 2})
		}
		add(is, row{ins: 2})
		taken := map[int]int{}
		for i, r := range rows {
			if !r.agents() {
				continue
			}
			k := standsFor(rows, i)
			if k < 0 {
				continue
			}
			if !rows[k].tomb() {
				t.Fatalf("row %d stands for row %d, which is none that was deleted", i, k)
			}
			if other, ok := taken[k]; ok {
				t.Fatalf("rows %d and %d stand for row %d", other, i, k)
			}
			taken[k] = i
		}
	})
}
