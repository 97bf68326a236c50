package review

import (
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
)

// align returns how the rows of a range became other rows. atEnd tells that the text ends
// with them. paired means that each row was changed in its place; then the edits are single
// rows and may touch.
func align(old, new []string, atEnd bool) (edits []linediff.Edit, paired bool) {
	old, new = withoutLast(old, new, atEnd)
	start, end := 0, 0
	n := min(len(old), len(new))
	for start < n && old[start] == new[start] {
		start++
	}
	for end < n-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	a, b := old[start:len(old)-end], new[start:len(new)-end]
	if !changedInPlace(a, b) {
		edits = joinFlows(a, b, linediff.Diff(a, b))
		for i, e := range edits {
			edits[i] = linediff.Edit{A0: e.A0 + start, A1: e.A1 + start, B0: e.B0 + start, B1: e.B1 + start}
		}
		return edits, false
	}
	for i := range a {
		if a[i] != b[i] {
			k := start + i
			edits = append(edits, linediff.Edit{A0: k, A1: k + 1, B0: k, B1: k + 1})
		}
	}
	return edits, true
}

// joinFlows joins an edit that only puts rows in with one that only takes rows out, next to it, if most of
// what is taken out is in what is put in: it has flowed past the rows between, which read like
// others did before by accident. Rows that are put in as they were have moved.
func joinFlows(a, b []string, edits []linediff.Edit) []linediff.Edit {
	const between, size = 3, 64 << 10 // rows, and bytes
	out := edits[:0]
	for _, y := range edits {
		if len(out) == 0 {
			out = append(out, y)
			continue
		}
		x := &out[len(out)-1]
		put, taken := *x, y
		if put.A0 != put.A1 {
			put, taken = y, *x
		}
		if put.A0 == put.A1 && taken.B0 == taken.B1 && y.A0-x.A1 <= between {
			from, to := strings.Join(a[taken.A0:taken.A1], "\n"), strings.Join(b[put.B0:put.B1], "\n")
			same := ink(strings.Join(a[x.A1:y.A0], ""))
			moved := slices.ContainsFunc(a[taken.A0:taken.A1], func(s string) bool { return hasWord(s) && slices.Contains(b[put.B0:put.B1], s) })
			if n := len(from) + len(to); !moved && n <= size && 2*same < ink(from) && 2*survivingInk(from, to) > ink(from) {
				x.A1, x.B1 = y.A1, y.B1
				continue
			}
		}
		out = append(out, y)
	}
	return out
}

// changedInPlace reports whether each row of b is the row of a in the same place, changed
// or not, as after `:%s`. A difference by rows would take equal rows for one another.
func changedInPlace(a, b []string) bool {
	if len(a) != len(b) || permuted(a, b) {
		return false
	}
	kept := 0
	for i := range a {
		if a[i] == b[i] {
			kept += ink(a[i])
			continue
		}
		n := survivingInk(a[i], b[i])
		if !thin(a[i]) && !thin(b[i]) && 2*n < min(ink(a[i]), ink(b[i])) && !sameInk(a[i], b[i]) {
			return false
		}
		kept += n
		if i > 0 && (flowsDown(a[i-1], b[i-1], a[i], b[i]) || flowsUp(a[i-1], b[i-1], a[i], b[i])) {
			return false
		}
	}
	// Text that is found again in another row has flowed there.
	const flown = 3
	return len(a) < 2 || survivingInk(strings.Join(a, "\n"), strings.Join(b, "\n")) < kept+flown
}

// flowsDown reports whether the last word that is left of row a, which is b now, is in the next row,
// which was c and is d.
func flowsDown(a, b, c, d string) bool {
	words := strings.Fields(a)
	slices.Reverse(words)
	return flows(words, b, d, c)
}

// flowsUp reports whether the first word that is left of row c, which is d now, is in the row before,
// which was a and is b.
func flowsUp(a, b, c, d string) bool { return flows(strings.Fields(c), d, b, a) }

// flows reports whether the first of words that is in here, where they were, or in there, is less
// often in the one than it was, and more often in the other than in that before.
func flows(words []string, here, there, was string) bool {
	for _, w := range words {
		if !hasWord(w) {
			return false
		}
		if n := times(w, there); n > 0 && n > times(w, was) && times(w, here) < count(w, words) {
			return true
		}
		if strings.Contains(here, w) || strings.Contains(there, w) {
			return false
		}
	}
	return false
}

// times returns how often s has the word.
func times(word, s string) int {
	if !strings.Contains(s, word) {
		return 0
	}
	return count(word, strings.Fields(s))
}

func count(word string, words []string) (n int) {
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}

// permuted reports whether a and b hold the same rows, more than one.
func permuted(a, b []string) bool {
	if len(a) < 2 {
		return false
	}
	count := map[string]int{}
	for _, s := range a {
		count[s]++
	}
	for _, s := range b {
		if count[s]--; count[s] < 0 {
			return false
		}
	}
	return true
}

// survivingInk returns how many bytes of a, white space aside, are found again in b.
func survivingInk(a, b string) int {
	n := 0
	for _, p := range survivors(a, b) {
		n += ink(a[p.old : p.old+p.n])
	}
	return n
}
