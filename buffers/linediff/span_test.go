package linediff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func checkSpans(t interface{ Fatalf(string, ...any) }, a, b string, spans []Span) {
	var out strings.Builder
	endA, endB := 0, 0
	for i, s := range spans {
		if s.A0 > s.A1 || s.B0 > s.B1 || s.A0 == s.A1 && s.B0 == s.B1 {
			t.Fatalf("span %d is empty or backwards: %+v", i, spans)
		}
		if i > 0 && (s.A0 <= endA || s.B0 <= endB) {
			t.Fatalf("span %d touches the one before: %+v", i, spans)
		}
		if s.A0-endA != s.B0-endB {
			t.Fatalf("span %d: bytes between the spans do not pair: %+v", i, spans)
		}
		out.WriteString(a[endA:s.A0])
		out.WriteString(b[s.B0:s.B1])
		endA, endB = s.A1, s.B1
	}
	out.WriteString(a[endA:])
	if out.String() != b {
		t.Fatalf("spans %+v of %q give %q, want %q", spans, a, out.String(), b)
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct {
		name, a, b string
		want       []Span
	}{
		{"same", "a b", "a b", nil},
		{"both empty", "", "", nil},
		{"from nothing", "", "a b", []Span{{0, 0, 0, 3}}},
		{"to nothing", "a b", "", []Span{{0, 3, 0, 0}}},
		{"whole words, not letters", "return value", "return valve", []Span{{7, 12, 7, 12}}},
		{"a word longer at its start", "value", "revalue", []Span{{0, 5, 0, 7}}},
		{"blanks are one word", "a b", "a   b", []Span{{1, 2, 1, 4}}},
		{"others are single", "f(x)", "f(x))", []Span{{4, 4, 4, 5}}},
		{"an underscore parts words", "old_name", "new_name", []Span{{0, 3, 0, 3}}},
		{"not only ASCII", "größe = Ω", "größte = Ω", []Span{{0, 7, 0, 8}}},
		{"a combining mark belongs to its letter", "cafe", "cafe\u0301", []Span{{0, 4, 0, 6}}},
		{"two places", "a b c", "x b y", []Span{{0, 1, 0, 1}, {4, 5, 4, 5}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Words(test.a, test.b)
			if !slices.Equal(got, test.want) {
				t.Errorf("Words(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
			}
			checkSpans(t, test.a, test.b, got)
		})
	}
}

func TestChars(t *testing.T) {
	for _, test := range []struct {
		name, a, b string
		want       []Span
	}{
		{"same", "ab", "ab", nil},
		{"one letter", "value", "valve", []Span{{3, 4, 3, 4}}},
		{"whole characters, not bytes", "ä", "ö", []Span{{0, 2, 0, 2}}},
		{"of four bytes, the first three common", "\U0001F600", "\U0001F601", []Span{{0, 4, 0, 4}}},
		{"the last byte common", "\u00e4x", "\u0164x", []Span{{0, 2, 0, 2}}},
		{"bytes that are not UTF-8 differ", "a\xffb", "a\xfeb", []Span{{1, 2, 1, 2}}},
		{"a character cut short", "\xe2\x82", "\xe2\x82\xac", []Span{{0, 2, 0, 3}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Chars(test.a, test.b)
			if !slices.Equal(got, test.want) {
				t.Errorf("Chars(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
			}
			checkSpans(t, test.a, test.b, got)
		})
	}
}

func TestSpansTurnAIntoB(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "foo", " ", "\t", "(", "ä", "世", "\u0301", "\xff", "\xe2\x82", "\xac", "\U0001F600",
		}), 0, 30).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		for _, spans := range []func(a, b string) []Span{Words, Chars} {
			got := spans(a, b)
			checkSpans(t, a, b, got)
			if again := spans(strings.Clone(a), strings.Clone(b)); !slices.Equal(again, got) {
				t.Fatalf("second run gives %v, first gave %v", again, got)
			}
		}
	})
}

func TestSpansOfLongRows(t *testing.T) {
	prose := func(seed uint64, words int) string {
		r := rand.New(rand.NewPCG(seed, 0))
		var s strings.Builder
		for range words {
			fmt.Fprintf(&s, "word%d ", r.IntN(60))
		}
		return s.String()
	}
	t.Run("above 64 kB the middle is one difference", func(t *testing.T) {
		same := strings.Repeat(" same words", 200_000)
		a := same + " ax" + prose(1, 6000) + "ya" + same
		b := same + " bx" + prose(2, 6000) + "yb" + same
		from, to := len(same)+1, len(a)-len(same)
		if got, want := Words(a, b), []Span{{from, to, from, len(b) - len(same)}}; !slices.Equal(got, want) {
			t.Errorf("Words = %v, want %v", got, want)
		}
		if got, want := Chars(a, b), []Span{{from, to, from, len(b) - len(same)}}; !slices.Equal(got, want) {
			t.Errorf("Chars = %v, want %v", got, want)
		}
	})
	t.Run("a small difference in a long row", func(t *testing.T) {
		same := strings.Repeat(" same words", 200_000)
		a, b := same+" value"+same, same+" valve"+same
		n := len(same) + 1
		if got, want := Words(a, b), []Span{{n, n + 5, n, n + 5}}; !slices.Equal(got, want) {
			t.Errorf("Words = %v, want %v", got, want)
		}
		if got, want := Chars(a, b), []Span{{n + 3, n + 4, n + 3, n + 4}}; !slices.Equal(got, want) {
			t.Errorf("Chars = %v, want %v", got, want)
		}
	})
	t.Run("one long word", func(t *testing.T) {
		same := strings.Repeat("a", 100_000)
		a, b := same+"b"+same, same+"c"+same
		if got := Words(a, b); len(got) != 1 {
			t.Errorf("Words = %v, want one", got)
		}
		if got, want := Chars(a, b), []Span{{100_000, 100_001, 100_000, 100_001}}; !slices.Equal(got, want) {
			t.Errorf("Chars = %v, want %v", got, want)
		}
	})
	t.Run("too different for characters, not for words", func(t *testing.T) {
		a := prose(3, 700)
		b := strings.NewReplacer("word1 ", "WORD ", "word2 ", "a longer one ", "word3 ", "").Replace(a)
		a, b = "("+a+prose(4, 200)+")", "["+b+strings.ToUpper(prose(5, 200))+"]"
		if !charBudget.exceeded(tokens(a, never), tokens(b, never)) {
			t.Fatal("the texts are no test: they can be compared by characters")
		}
		got := Chars(a, b)
		checkSpans(t, a, b, got)
		if len(got) < 20 {
			t.Errorf("%d differences, expected each of the words changed", len(got))
		}
	})
	t.Run("too different for both", func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 7))
		letters := func() string {
			s := make([]byte, 30_000)
			for i := range s {
				s[i] = "()[]+-"[r.IntN(6)]
			}
			return string(s)
		}
		a, b := letters(), letters()
		checkSpans(t, a, b, Words(a, b))
		checkSpans(t, a, b, Chars(a, b))
	})
}

func FuzzSpans(f *testing.F) {
	for _, seed := range [][2]string{
		{"", ""}, {"a", "ab"}, {"old_name(x)", "new_name(x, y)"}, {"größe", "größte"},
		{"\xe2\x82", "\xe2\x82\xac"}, {"a\u0301b", "ab"}, {"\U0001F600", "\U0001F601"}, {"  x", "\tx"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		words, chars := Words(a, b), Chars(a, b)
		checkSpans(t, a, b, words)
		checkSpans(t, a, b, chars)
		if (len(words) == 0) != (a == b) || (len(chars) == 0) != (a == b) {
			t.Fatalf("%q and %q: words %v, characters %v", a, b, words, chars)
		}
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		for _, s := range append(words, chars...) {
			if !utf8.ValidString(a[s.A0:s.A1]) || !utf8.ValidString(b[s.B0:s.B1]) {
				t.Fatalf("span %v of %q and %q cuts a character", s, a, b)
			}
		}
	})
}
