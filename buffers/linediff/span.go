package linediff

import (
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"
)

// Span says that bytes a[A0:A1] became b[B0:B1]. One of the two may be empty, never both.
type Span struct{ A0, A1, B0, B1 int }

// maxSpanBytes bounds what Words and Chars look into: the bytes of both sides together,
// without the common start and end. Above it a finer search takes seconds.
const maxSpanBytes = 64 << 10

// Words returns the differences between a and b, ascending, not touching each other, cut
// where words begin and end: a word is a run of letters, marks and digits, a run of white
// space, or any other single character. Above 64 kB of differing text the whole of it is one
// difference.
func Words(a, b string) []Span { return spans(a, b, wordLen) }

// Chars returns the differences between a and b by characters (code points; a byte that is
// not UTF-8 is a character of its own), ascending, not touching each other. Above 64 kB of
// differing text the whole of it is one difference.
func Chars(a, b string) []Span { return spans(a, b, charLen) }

// spans compares a and b by tokens, tokenLen being the length of the first one of a text
// that is not empty.
func spans(a, b string, tokenLen func(string) int) []Span {
	if a == b {
		return nil
	}
	start, end := trimText(a, b)
	if tooLong := len(a)+len(b)-2*(start+end) > maxSpanBytes; tooLong {
		return []Span{{start, len(a) - end, start, len(b) - end}}
	}
	x, y := tokens(a, tokenLen), tokens(b, tokenLen)
	mode := []diff.Option{diff.Context(0)}
	if repetitive(x, y) {
		mode = append(mode, diff.Fast())
	}
	hunks := diff.Hunks(x, y, mode...)
	out := make([]Span, 0, len(hunks))
	var s Span
	i, j := 0, 0
	for _, h := range hunks {
		s.A0, s.B0 = s.A1+size(x[i:h.PosX]), s.B1+size(y[j:h.PosY])
		s.A1, s.B1 = s.A0+size(x[h.PosX:h.EndX]), s.B0+size(y[h.PosY:h.EndY])
		i, j = h.EndX, h.EndY
		out = append(out, s)
	}
	return out
}

// trimText returns the lengths of the common start and end of a and b, cut at characters.
func trimText(a, b string) (start, end int) {
	n := min(len(a), len(b))
	for start < n && a[start] == b[start] {
		start++
	}
	for end < n-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for start > 0 && (inChar(a, start) || inChar(b, start)) {
		start--
	}
	for end > 0 && (inChar(a, len(a)-end) || inChar(b, len(b)-end)) {
		end--
	}
	return start, end
}

// inChar reports whether s, at byte i, may be inside of a character.
func inChar(s string, i int) bool { return i < len(s) && !utf8.RuneStart(s[i]) }

func tokens(s string, tokenLen func(string) int) []string {
	var out []string
	for s != "" {
		n := tokenLen(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func charLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func wordLen(s string) int {
	first, n := utf8.DecodeRuneInString(s)
	class := classOf(first)
	if class == otherClass {
		return n
	}
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if classOf(r) != class {
			break
		}
		n += size
	}
	return n
}

type class int

const (
	otherClass class = iota
	wordClass
	blankClass
)

func classOf(r rune) class {
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return wordClass
	case unicode.IsSpace(r):
		return blankClass
	}
	return otherClass
}

func size(tokens []string) int {
	n := 0
	for _, t := range tokens {
		n += len(t)
	}
	return n
}
