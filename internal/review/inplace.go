package review

import (
	"slices"
	"strings"
)

// standsInPlace reports whether row i of the window took the place of one, and the rows around it
// of those around that, so that no words have come from one into another.
func (b *builder) standsInPlace(i int) bool {
	tomb := b.standsFor(i)
	tombs, news := b.replaced.tombs, b.replaced.news
	if tomb < 0 || len(tombs) != len(news) || b.hasWordsOfOthers(i, tomb) {
		return false
	}
	if len(tombs) == 1 {
		return true
	}
	k, _ := slices.BinarySearch(news, i)
	const around = 2
	var was, is []string
	for j := max(0, k-around); j < min(len(news), k+around+1); j++ {
		was, is = append(was, b.in[tombs[j]].text), append(is, b.in[news[j]].text)
	}
	return tombs[k] == tomb && changedInPlace(was, is)
}

// hasWordsOfOthers reports whether words have come over an end of row i of the window, which took
// the place of the row tomb: from the deleted row above or below that one, or from that one into the
// agent's row above or below. A row of the user's may have come between deleted rows and
// those which an agent made of them.
func (b *builder) hasWordsOfOthers(i, tomb int) bool {
	is, was := b.in[i].agentWords(), b.in[tomb].agentWords()
	if len(is) == 0 || len(was) == 0 {
		return false
	}
	end := func(from, step int, which func(row) bool) string {
		k := b.near(from, step, which)
		if k < 0 {
			return ""
		}
		words := b.in[k].agentWords()
		switch {
		case len(words) == 0:
			return ""
		case step < 0:
			return words[len(words)-1]
		}
		return words[0]
	}
	deleted := func(r row) bool { return r.tomb() && !r.carried }
	more := func(word string, a, b []string) bool { return hasWord(word) && count(word, a) > count(word, b) }
	return more(end(tomb, -1, deleted), is, was) || more(end(tomb, 1, deleted), is, was) ||
		more(end(i, -1, row.agents), was, is) || more(end(i, 1, row.agents), was, is)
}

// agentWords returns the words of r that the user has not written: of a deleted row, those that it had
// when it was deleted.
func (r row) agentWords() []string {
	if r.tomb() {
		return strings.Fields(r.original())
	}
	var out []string
	for _, word := range fields(r.text) {
		if left := without(word, r.user); len(left) > 0 {
			out = append(out, strings.Join(cut(r.text, left), ""))
		}
	}
	return out
}

// near returns the row of the window that is the next one from its row i in the direction of step, of those
// which are as asked for, -1 if none is near.
func (b *builder) near(i, step int, which func(row) bool) int {
	n := 0
	for k := i + step; k >= 0 && k < len(b.in) && n < nearRuns; k += step {
		if r := b.in[k]; which(r) {
			return k
		} else if !r.undecided() {
			n++
		}
	}
	return -1
}
