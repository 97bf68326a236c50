package merge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for _, test := range []struct {
		name, base, ours, theirs, want string
		ok                             bool
	}{
		{"no change", "a b", "a b", "a b", "a b", true},
		{"ours", "a b", "x b", "a b", "x b", true},
		{"theirs", "a b", "a b", "a x", "a x", true},
		{"both, a blank between", "a b", "x b", "a y", "x y", true},
		{"both, nothing between", "f(a)", "g(a)", "f[a]", "", false},
		{"the same word", "return a", "return x", "return y", "", false},
		{"the same change", "return a", "return x", "return x", "return x", true},
		{"the same change and another", "return a, b", "return x, b", "return x, y", "return x, y", true},
		{"argument and name", "f(a, b)", "f(a, c)", "g(a, b)", "g(a, c)", true},
		{"both from nothing", "", "a", "b", "", false},
		{"indentation and word", "return a", "\treturn a", "return x", "\treturn x", true},
		{"indentation and the word at it", "return a", "\treturn a", "yield a", "", false},
		{"not only ASCII", "größe = höhe", "länge = höhe", "größe = tiefe", "länge = tiefe", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := Words(test.base, test.ours, test.theirs)
			if got != test.want || ok != test.ok {
				t.Errorf("Words(%q, %q, %q) = %q, %v, want %q, %v", test.base, test.ours, test.theirs, got, ok, test.want, test.ok)
			}
		})
	}
}

func checkWords(t failer, base, ours, theirs string) {
	got, ok := Words(base, ours, theirs)
	if other, otherOK := Words(base, theirs, ours); other != got || otherOK != ok {
		t.Fatalf("Words(%q, %q, %q) = %q, %v; the other way round %q, %v", base, ours, theirs, got, ok, other, otherOK)
	}
	for _, x := range [][4]string{{base, ours, base, ours}, {base, base, theirs, theirs}, {base, ours, ours, ours}} {
		if got, ok := Words(x[0], x[1], x[2]); got != x[3] || !ok {
			t.Fatalf("Words(%q, %q, %q) = %q, %v, want %q", x[0], x[1], x[2], got, ok, x[3])
		}
	}
}

func TestWordsAreSymmetric(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "foo", " ", "(", ")", "ä", "\xff"}), 0, 12).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		checkWords(t, gen.Draw(t, "base"), gen.Draw(t, "ours"), gen.Draw(t, "theirs"))
	})
}

func FuzzWords(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", ""}, {"a b", "x b", "a y"}, {"f(a)", "g(a)", "f(b)"}, {"  x", "\tx", "  y"}, {"ä\xff", "\xc3", "ä"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs string) { checkWords(t, base, ours, theirs) })
}
