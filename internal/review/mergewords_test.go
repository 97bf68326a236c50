package review

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What the user types, key by key, anywhere in a row from which the agent has only removed
// something, and be it exactly there, is in the row that a rejection brings back.
func TestWordsWhereAnAgentOnlyRemoved(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 11))
		var words []string
		for i := range 3 + r.IntN(4) {
			words = append(words, fmt.Sprintf("w%dé%d", i, r.IntN(100)))
		}
		was := strings.Repeat("\t", r.IntN(3)) + strings.Join(words, " ") + strings.Repeat(" ", r.IntN(3))
		from, to := 0, 0 // what the agent removes
		switch trim := len(strings.TrimRight(was, " ")); r.IntN(4) {
		case 0:
			from, to = trim, len(was)
		case 1: // words
			from = strings.Index(was, words[1])
			to = strings.Index(was, words[2])
		case 2: // part of a word
			from = strings.Index(was, words[1]) + 1
			to = from + len("1é")
		case 3:
			to = len(was) - len(strings.TrimLeft(was, "\t"))
		}
		if from == to {
			continue
		}
		is := was[:from] + was[to:]
		at := []int{0, from, len(is), strings.Index(is, " ")}[r.IntN(4)]
		word := []string{"mine", " mine", "mine ", "/* mine */"}[r.IntN(4)]

		if is[:at]+" "+is[at:] == was {
			continue // the first key writes what was removed
		}
		s := newScript(t, "top\n"+was+"\nend\n")
		s.agent("c1", "top\n"+is+"\nend\n")
		for k := range word {
			s.event(len("top\n")+at+k, len("top\n")+at+k, word[k:k+1])
			if r.IntN(3) == 0 {
				s.settle()
			}
		}
		s.settle()
		text := s.Text().String()
		done, _ := s.Reject(ids(s.pending()))
		s.check()
		got, _ := strings.CutSuffix(strings.TrimPrefix(s.Text().String(), "top\n"), "\nend\n")
		if i := strings.Index(got, word); !strings.Contains(got, strings.TrimSpace(word)) || i >= 0 && got[:i]+got[i+len(word):] != was ||
			strings.ReplaceAll(strings.Replace(got, strings.TrimSpace(word), "", 1), " ", "") != strings.ReplaceAll(was, " ", "") {
			t.Fatalf("seed %d: %q without %q, with %q at %d: rejected it is %q", seed, was, was[from:to], word, at, got)
		}
		s.Restore(done)
		s.check()
		if got := s.Text().String(); got != text {
			t.Fatalf("seed %d: brought back it is\n%s\nwant\n%s", seed, got, text)
		}
	}
}

func TestMergeWords(t *testing.T) {
	for _, c := range []struct{ base, ours, theirs, want string }{
		{"row1", "row1 mine", "row1  ", "row1 mine  "},
		{"f()", "f();", "f() // old", "f(); // old"},
		{"foo", "x foo", "old foo", "x old foo"},
		{"foo", "foox", "foobar", "fooxbar"},
		{"foo", "bar", "foo  ", "bar  "},
		{"a b", "c", "a old b", "cold "},
		{"a b", "a", "a old b", "aold "},
		{"foo", "// foo", "  foo", "  // foo"},
		{"foo", "\tfoo", "  foo", "  foo"},
		{"  foo", "foo", "    foo", "    foo"},
		{"x = z", "x = z;", "x = b", "x = b"},
		{"x = z, c", "x = z, c d", "x = b, c", "x = b, c d"},
		{"é", "éx", "é ü", "éx ü"},
		{"a bb cc", "a bbx ccy", "a one bb two cc", "a one bbx two ccy"},
	} {
		if got := mergeWords(c.base, c.ours, c.theirs); got != c.want {
			t.Errorf("%q, ours %q, theirs %q: %q, want %q", c.base, c.ours, c.theirs, got, c.want)
		}
	}
}

// Who writes again what the agent has removed has the row that stood there, and leaves nothing
// to decide on.
func TestRemovedWordsWrittenAgain(t *testing.T) {
	for _, was := range []string{"a old b", "row1  ", "  foo", "f() // old", "foobar"} {
		for from := range len(was) {
			for to := from + 1; to <= len(was); to++ {
				if from == 0 && to == len(was) {
					continue
				}
				s := newScript(t, "top\n"+was+"\nend\nmore\n")
				s.agent("c1", "top\n"+was[:from]+was[to:]+"\nend\n")
				for k := from; k < to; k++ {
					s.event(len("top\n")+k, len("top\n")+k, was[k:k+1])
					s.settle()
				}
				s.check()
				for _, h := range s.pending() {
					if strings.Contains(h.Text+h.BaseText, strings.TrimSpace(was)) {
						t.Errorf("%q without %q, written again: hunk %q <- %q", was, was[from:to], h.Text, h.BaseText)
					}
				}
			}
		}
	}
}

// A row that becomes what stood there when another one was there before does not take out words
// of the user's that it never had.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		row, was, is string
		want         bool
	}{
		{"foo", "foo  ", "foo  ", true},
		{"a ol", "a old", "a ol old", true},
		{"f() // ol", "f() // old", "f() // ol/ old", true},
		{"return x", "a", "a mine", false},
		{"return mine", "a", "a mine", true},
		{"return x", "a", "a;", false},
	} {
		if got := holds(c.row, c.was, c.is); got != c.want {
			t.Errorf("%q holds what %q became %q by: %v", c.row, c.was, c.is, got)
		}
	}
}

// A word that an agent has left is taken for that, not for one of its neighbours changed.
func TestWordsBesideLeftOnes(t *testing.T) {
	const orig = "top|o28 o29 o30 o31 o32 o33|"
	shortened := func(s *script) {
		s.a("c1", "top|o28 o30 a5 o31|")
		s.wait()
	}
	hunk := []string{"[1,2) o28 o30 a5 o31 u1| <- o28 o29 o30 o31 u1 o32 o33|"}
	runCases(t, []ruleCase{
		{"at once", orig, func(s *script) {
			shortened(s)
			s.put("o31", "o31 u1")
		}, "top|o28 o30 a5 o31 u1|", "top|o28 o29 o30 o31 u1 o32 o33|", hunk},
		{"key by key", orig, func(s *script) {
			shortened(s)
			for _, typed := range []string{" ", " u", " u1"} {
				s.u("top|o28 o30 a5 o31" + typed + "|")
			}
		}, "top|o28 o30 a5 o31 u1|", "top|o28 o29 o30 o31 u1 o32 o33|", hunk},
	})
}
