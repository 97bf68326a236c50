package review

import (
	"slices"
	"strings"
	"unicode"

	"acp-ls/buffers/linediff"
)

// mergeWords returns theirs with the changes of words from base to ours, but for those that
// touch words which base has in the place of others of theirs. Where base only lacks what theirs
// has, there are no such words, and what ours has there comes to stand beside that: in front of
// it, but behind the indentation. A change of that itself is left out. White space that base has
// in the place of other white space is no word either: where ours writes words over it, it gives
// way to them (rule 9).
func mergeWords(base, ours, theirs string) string {
	agents := wordDiff(base, theirs)
	for i, a := range agents {
		if less := trimmed(a, base, theirs); less.A0 == less.A1 {
			agents[i] = less
		}
	}
	yields := func(u, a linediff.Span) bool {
		words := !isBlank(base[u.A0:u.A1]) || !isBlank(ours[u.B0:u.B1])
		within := u.A0 <= a.A0 && a.A0 < a.A1 && a.A1 <= u.A1 || u.A0 < a.A0 && a.A1 < u.A1
		return words && within && isBlank(base[a.A0:a.A1]) && isBlank(theirs[a.B0:a.B1])
	}
	touches := func(u, a linediff.Span) bool {
		if yields(u, a) {
			return false
		}
		if a.A0 < a.A1 && isBlank(base[a.A0:a.A1]) { // no word
			return u.A0 < a.A1 && a.A0 < u.A1
		}
		if a.A0 < a.A1 && u.A0 < u.A1 && !hasSpace(base[u.A0:u.A1]) && !hasSpace(ours[u.B0:u.B1]) { // in one word
			s := base[a.A0:a.A1]
			a.A0 += len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
			a.A1 -= len(s) - len(strings.TrimRightFunc(s, unicode.IsSpace))
		}
		return u.A0 <= a.A1 && a.A0 <= u.A1
	}
	out := theirs
	for _, u := range slices.Backward(wordDiff(base, ours)) {
		touched := slices.DeleteFunc(slices.Clone(agents), func(a linediff.Span) bool { return !touches(u, a) })
		if slices.ContainsFunc(touched, func(a linediff.Span) bool { return a.A0 < a.A1 }) {
			continue
		}
		if len(touched) > 0 {
			u = trimmed(u, base, ours)
			if slices.ContainsFunc(agents, func(a linediff.Span) bool { return a.A0 < a.A1 && touches(u, a) && a.A0 < u.A1 && u.A0 < a.A1 }) {
				continue
			}
		}
		new, indent := ours[u.B0:u.B1], isBlank(base[:u.A0])
		if len(touched) > 0 && indent && isBlank(new) {
			continue
		}
		from, to := u.A0, u.A1 // of out
		behind := ""
		for _, a := range agents {
			lacks := theirs[a.B0:a.B1]
			more := len(lacks) - (a.A1 - a.A0)
			switch {
			case a.A1 < u.A0, a.A1 == u.A0 && (a.A0 < a.A1 || u.A0 < u.A1 || indent && isBlank(lacks)):
				from += more
				to += more
			case a.A0 < u.A1, a.A0 == u.A1 && a.A0 == a.A1:
				to += more
				if !yields(u, a) {
					behind += lacks
				}
			}
		}
		out = out[:from] + new + behind + out[to:]
	}
	return out
}

func hasSpace(s string) bool { return strings.ContainsFunc(s, unicode.IsSpace) }

// holds reports whether row can have the letters that were put in when was became is, white space
// aside. Which ones of equal letters those are cannot be said.
func holds(row, was, is string) bool {
	in, before, after := bytesOf(row), bytesOf(was), bytesOf(is)
	for b := int(' ') + 1; b < len(in); b++ {
		if after[b]-before[b] > in[b] {
			return false
		}
	}
	return true
}

// trimmed returns x without what a and b have in common at its start and its end.
func trimmed(x linediff.Span, a, b string) linediff.Span {
	start, end := commonEnds(a[x.A0:x.A1], b[x.B0:x.B1])
	return linediff.Span{A0: x.A0 + start, A1: x.A1 - end, B0: x.B0 + start, B1: x.B1 - end}
}

// wordDiff is linediff.Words, but that words which both have count before the white space between: if
// both counted alike, a word that is left could be taken for a changed one.
func wordDiff(a, b string) []linediff.Span {
	x, y := words(a), words(b)
	var out []linediff.Span
	at, to := 0, 0 // in a and b
	gap := func(end, newEnd int) {
		for at < end && to < newEnd && a[at] == b[to] && (a[at] == ' ' || a[at] == '\t') { // what follows a word stays there
			at, to = at+1, to+1
		}
		for _, s := range linediff.Words(a[at:end], b[to:newEnd]) {
			out = append(out, linediff.Span{A0: s.A0 + at, A1: s.A1 + at, B0: s.B0 + to, B1: s.B1 + to})
		}
	}
	i, j := 0, 0
	equal := func(n int) {
		for ; i < n; i, j = i+1, j+1 {
			gap(x[i].from, y[j].from)
			at, to = x[i].to, y[j].to
		}
	}
	for _, e := range linediff.Diff(cut(a, x), cut(b, y)) {
		equal(e.A0)
		i, j = e.A1, e.B1
	}
	equal(len(x))
	gap(len(a), len(b))
	return out
}
