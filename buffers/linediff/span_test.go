package linediff

import (
	"slices"
	"strings"
	"testing"

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
