package linediff

import (
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"
)

// Span says that bytes a[A0:A1] became b[B0:B1]. One of the two may be empty, never both.
type Span struct{ A0, A1, B0, B1 int }

// maxSpanBytes bounds what Words and Chars look into: the bytes of both sides together,
// without the common start and end.
const maxSpanBytes = 64 << 10

// Words returns the differences between a and b, ascending, not touching each other, cut
// where words begin and end: a word is a run of letters, marks and digits, a run of white
// space, or any other single character. Above 64 kB of differing text the whole of it is one
// difference; texts of many words in another order are compared as coarsely as [Diff] compares
// such rows, if they make more than 4,000,000 pairs and more than 1,000 would have to be deleted
// and inserted.
func Words(a, b string) []Span {
	spans, _ := compare(a, b, sameWord)
	return spans
}

// Chars returns the differences between a and b by characters (code points; a byte that is
// not UTF-8 is a character of its own), ascending, not touching each other. Above 64 kB of
// differing text the whole of it is one difference. Texts too long and too different for
// this (the limits are those of [Words], in characters) are compared by words first, and
// then inside the words that differ.
//
// Unrelated texts have characters in common by accident, and those are not differences.
func Chars(a, b string) []Span {
	spans, coarse := compare(a, b, never)
	if !coarse {
		return spans
	}
	spans = nil
	for _, w := range Words(a, b) {
		inner, coarse := compare(a[w.A0:w.A1], b[w.B0:w.B1], never)
		if coarse {
			inner = []Span{{0, w.A1 - w.A0, 0, w.B1 - w.B0}}
		}
		for _, s := range inner {
			spans = append(spans, Span{s.A0 + w.A0, s.A1 + w.A0, s.B0 + w.B0, s.B1 + w.B0})
		}
	}
	return spans
}

// A glue reports whether two neighbouring characters are of one token.
type glue func(before, after rune) bool

func never(_, _ rune) bool { return false }

func sameWord(before, after rune) bool {
	return isWord(before) && isWord(after) || unicode.IsSpace(before) && unicode.IsSpace(after)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// compare returns the differences between a and b by tokens. It reports whether a finer
// result was to be had, but not within the budget.
func compare(a, b string, glued glue) (spans []Span, coarse bool) {
	start, end := trimTokens(a, b, glued)
	a, b = a[start:len(a)-end], b[start:len(b)-end]
	if a == b {
		return nil, false
	}
	if len(a)+len(b) > maxSpanBytes {
		return []Span{{start, start + len(a), start, start + len(b)}}, false
	}
	x, y := tokens(a, glued), tokens(b, glued)
	mode := []diff.Option{diff.Context(0)}
	coarse = charBudget.exceeded(x, y)
	if coarse {
		mode = append(mode, diff.Fast())
	}
	s, i, j := Span{start, start, start, start}, 0, 0
	for _, h := range diff.Hunks(x, y, mode...) {
		s.A0, s.B0 = s.A1+size(x[i:h.PosX]), s.B1+size(y[j:h.PosY])
		s.A1, s.B1 = s.A0+size(x[h.PosX:h.EndX]), s.B0+size(y[h.PosY:h.EndY])
		i, j = h.EndX, h.EndY
		spans = append(spans, s)
	}
	return spans, coarse
}

// tokens cuts s wherever two neighbouring characters are not glued.
func tokens(s string, glued glue) []string {
	var out []string
	from := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if next, _ := utf8.DecodeRuneInString(s[i:]); i == len(s) || !glued(r, next) {
			out = append(out, s[from:i])
			from = i
		}
	}
	return out
}

// trimTokens returns the lengths in bytes of the common start and end of a and b, moved
// outwards to where tokens of both meet. The two never overlap.
func trimTokens(a, b string, glued glue) (start, end int) {
	n := min(len(a), len(b))
	for start < n && a[start] == b[start] {
		start++
	}
	for end < n-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for !meet(a, start, glued) || !meet(b, start, glued) {
		start--
	}
	for !meet(a, len(a)-end, glued) || !meet(b, len(b)-end, glued) {
		end--
	}
	return start, end
}

// meet reports whether one token of s ends at byte i and another one begins there. Among
// bytes that are not UTF-8 it may say no where that is so.
func meet(s string, i int, glued glue) bool {
	if i == 0 || i == len(s) {
		return true
	}
	if !utf8.RuneStart(s[i]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return !glued(before, after)
}

func size(tokens []string) int {
	n := 0
	for _, t := range tokens {
		n += len(t)
	}
	return n
}
