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
			k := replacedRows(rows, i).standsFor(rows, i)
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

// What an agent does to the white space of a row gives way to what the user writes there: the
// user's words are in the row that comes back when the hunk is rejected, beside the agent's white
// space or in its place, and beside the agent's words.
func TestWordsTakeThePlaceOfWhiteSpace(t *testing.T) {
	for _, was := range []string{"", "\t", "    "} {
		for _, is := range []string{"", "\t", "  "} {
			for _, word := range []string{"dd", "agent"} {
				for _, formatted := range []bool{false, true} {
					if was == is && word == "dd" || formatted && word == "agent" {
						continue
					}
					for _, x := range []struct{ put, by, want string }{
						{is + "aa", "user", "user bb cc dd"},
						{is + "aa bb", "user", "user cc dd"},
						{is + "aa", is + "user", was + "user bb cc dd"},
						{is + "aa", is + "a user", was + "a user bb cc dd"},
						{is + "aa", is + "user aa", was + "user aa bb cc dd"},
						{"bb", "user", was + "aa user cc dd"},
						{"bb cc", "user", was + "aa user dd"},
					} {
						if is == "" && !strings.HasPrefix(x.want, was) {
							continue // nothing of the user's has taken its place
						}
						s := newScript(t, "top\n"+was+"aa bb cc dd\nend\n")
						if now := "top\n" + is + "aa bb cc " + word + "\nend\n"; formatted {
							s.Formatted(textOf(now), agent("f"))
						} else {
							s.agent("c", now)
						}
						s.put(x.put, x.by)
						s.wait()
						s.check()
						if got, want := s.Baseline().String(), "top\n"+x.want+"\nend\n"; got != want {
							t.Errorf("white space %q to %q, dd to %s, %q to %q: baseline %q, want %q", was, is, word, x.put, x.by, got, want)
						}
					}
				}
			}
		}
	}
}

// A row that an agent has only indented anew, or given another line end, and that the user takes
// out, is out also when the hunk is rejected; undo brings back what was undecided, and where it
// is put in again it is the user's.
func TestRowsThatWereOnlyIndentedAreTakenOut(t *testing.T) {
	const was, is = "top\n\none\n  two\nthree\nend\n", "top\n\n\tone\n\ttwo\nthree\r\nend\n"
	for _, formatted := range []bool{false, true} {
		for _, typed := range []string{"", "word "} { // in the row that is taken out
			for _, settled := range []bool{false, true} {
				for old, new := range map[string]string{"one\n": "\tone\n", "  two\n": "\ttwo\n", "three\n": "three\r\n", "one\n  two\n": "\tone\n\ttwo\n"} {
					s := newScript(t, was)
					if formatted {
						s.Formatted(textOf(is), agent("f"))
					} else {
						s.agent("c", is)
					}
					rest := func() {
						if settled {
							s.settle()
						}
					}
					out := new
					if typed != "" {
						body := strings.TrimLeft(new, "\t")
						s.put(body, typed+body)
						out = strings.Replace(new, body, typed+body, 1)
					}
					s.settle()
					text, base := s.Text().String(), s.Baseline().String()
					s.put(out, "")
					rest()
					if got, want := s.Baseline().String(), strings.Replace(was, old, "", 1); got != want {
						t.Errorf("formatted %v, typed %q, settled %v, without %q: baseline %q, want %q", formatted, typed, settled, new, got, want)
					}
					undo := *s
					undo.Doc = s.Clone()
					at := strings.Index(text, out)
					undo.event(at, at, out)
					undo.check()
					if got := undo.Baseline().String(); got != base {
						t.Errorf("formatted %v, typed %q, settled %v, without %q: undone it is %q, was %q", formatted, typed, settled, new, got, base)
					}
					s.event(0, 0, out)
					s.settle()
					s.check()
					if got, want := s.Baseline().String(), out+strings.Replace(was, old, "", 1); got != want {
						t.Errorf("formatted %v, typed %q, settled %v, %q moved up: baseline %q, want %q", formatted, typed, settled, new, got, want)
					}
				}
			}
		}
	}
}
