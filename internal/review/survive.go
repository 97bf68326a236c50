package review

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-ls/buffers/linediff"
)

// survivor is a part of one string that is found again in another one.
type survivor struct{ old, new, n int }

// survivors returns what of a is left in b, ascending: the common start and end, byte for
// byte; between them whole words, and larger parts of words, with what is equal around
// them. What two texts have in common by accident, like punctuation, is not counted.
func survivors(a, b string) []survivor {
	start, end := wholeEnds(a, b)
	out := []survivor{{0, 0, start}}
	ma, mb := a[start:len(a)-end], b[start:len(b)-end]
	x, y := words(ma), words(mb)
	i, j := 0, 0 // words
	equal := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			out = append(out, survivor{start + x[i].from, start + y[j].from, x[i].to - x[i].from})
		}
	}
	for _, e := range linediff.Diff(cut(ma, x), cut(mb, y)) {
		equal(e.A0)
		i, j = e.A1, e.B1
		if e.A0 == e.A1 || e.B0 == e.B1 {
			continue
		}
		from, newFrom := x[e.A0].from, y[e.B0].from
		for _, s := range insideWords(ma[from:x[e.A1-1].to], mb[newFrom:y[e.B1-1].to]) {
			out = append(out, survivor{start + from + s.old, start + newFrom + s.new, s.n})
		}
	}
	equal(len(x))
	out = append(out, survivor{len(a) - end, len(b) - end, end})
	return widened(a, b, out)
}

// wholeEnds is commonEnds without a part of a word, at either end, if between the ends the other
// string has that word as a whole.
func wholeEnds(a, b string) (start, end int) {
	start, end = commonEnds(a, b)
	s, e := start, end // without what they have of a word
	if inWord(a, start) || inWord(b, start) {
		s = len(strings.TrimRightFunc(a[:start], wordRune))
	}
	if inWord(a, len(a)-end) || inWord(b, len(b)-end) {
		e = len(strings.TrimLeftFunc(a[len(a)-end:], wordRune))
	}
	if s == start && e == end {
		return start, end
	}
	ma, mb := a[s:len(a)-e], b[s:len(b)-e]
	x, y := cut(ma, words(ma)), cut(mb, words(mb))
	if len(x) == 0 || len(y) == 0 {
		return start, end
	}
	m, n := len(x)-1, len(y)-1
	first := slices.Contains(x[1:], y[0]) || slices.Contains(y[1:], x[0])
	last := slices.Contains(x[:m], y[n]) || slices.Contains(y[:n], x[m])
	one := m == 0 || n == 0 // a word that both ends have a part of
	if first || last && one {
		start = s
	}
	if last || first && one {
		end = e
	}
	return start, end
}

// inWord reports whether s has a word around the byte i.
func inWord(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	behind, _ := utf8.DecodeRuneInString(s[i:])
	return i > 0 && i < len(s) && wordRune(before) && wordRune(behind)
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// widened widens survivors over what is equal around them, joins those that then touch, and
// drops the empty ones.
func widened(a, b string, in []survivor) []survivor {
	var out []survivor
	for k, s := range in {
		if s.n == 0 {
			continue
		}
		from, newFrom := 0, 0
		if last := len(out) - 1; last >= 0 {
			from, newFrom = out[last].old+out[last].n, out[last].new+out[last].n
		}
		for s.old > from && s.new > newFrom && a[s.old-1] == b[s.new-1] && a[s.old-1] < utf8.RuneSelf {
			s.old, s.new, s.n = s.old-1, s.new-1, s.n+1
		}
		to, newTo := len(a), len(b)
		if k+1 < len(in) {
			to, newTo = in[k+1].old, in[k+1].new
		}
		for s.old+s.n < to && s.new+s.n < newTo && a[s.old+s.n] == b[s.new+s.n] && a[s.old+s.n] < utf8.RuneSelf {
			s.n++
		}
		if last := len(out) - 1; last >= 0 && s.old == from && s.new == newFrom {
			out[last].n += s.n
			continue
		}
		out = append(out, s)
	}
	return out
}

// words returns where the words of s are: runs of letters, marks, digits and underscores.
func words(s string) []span {
	var out []span
	inside := false
	for i, r := range s {
		switch is := wordRune(r); {
		case is && !inside:
			out = append(out, span{i, len(s)})
			inside = true
		case !is && inside:
			out[len(out)-1].to = i
			inside = false
		}
	}
	return out
}

func cut(s string, spans []span) []string {
	out := make([]string, len(spans))
	for i, x := range spans {
		out[i] = s[x.from:x.to]
	}
	return out
}

// insideWords returns what of a, words of which none is a word of b, is left in b.
func insideWords(a, b string) []survivor {
	const enough = 3 // characters that two words do not have in common by accident
	var out []survivor
	i, j := 0, 0
	equal := func(n int) {
		if s := a[i : i+n]; hasWord(s) && (n >= enough || 2*n >= len(a)) {
			out = append(out, survivor{i, j, n})
		}
		i, j = i+n, j+n
	}
	for _, c := range linediff.Chars(a, b) {
		equal(c.A0 - i)
		i, j = c.A1, c.B1
	}
	equal(len(a) - i)
	return out
}

// commonEnds returns the lengths of the common start and end of a and b, in whole characters.
func commonEnds(a, b string) (start, end int) {
	n := min(len(a), len(b))
	for start < n && a[start] == b[start] {
		start++
	}
	for start > 0 && start < len(a) && !utf8.RuneStart(a[start]) {
		start--
	}
	n -= start
	for end < n && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for end > 0 && !utf8.RuneStart(a[len(a)-end]) {
		end--
	}
	return start, end
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
