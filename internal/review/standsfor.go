package review

import (
	"slices"
	"strings"
)

// A replacement is a run of the agent's rows, and the deleted rows in front of it that they
// took the place of.
type replacement struct {
	from, to    int // of the agent's rows, and what stands among them
	tombs, news []int
}

// standsFor returns which deleted row of rows the agent's row i, one of r, took the place of,
// -1 if that cannot be said. An agent that rewrites several rows at once leaves the deleted ones
// in front of those it put in: of these, two belong together of which each is most like the
// other; and, where there are as many of the one kind as of the other, those of the same place,
// unless one of the two belongs to a third.
func (r replacement) standsFor(rows []row, i int) int {
	tombs, news := r.tombs, r.news
	if len(tombs) == 0 {
		return -1
	}
	k, _ := slices.BinarySearch(news, i)
	if len(tombs) == 1 && len(news) == 1 {
		return tombs[0]
	}
	inks := inkOf(rows)
	// mutual reports whether nobody but row i can claim tomb t: it is most like row i or, if
	// that will do, like none.
	mutual := func(t int, none bool) bool {
		n, ok := mostAlike(inks, tombs[t], t, len(tombs), news)
		return ok && n == k || !ok && none
	}
	if t, ok := mostAlike(inks, i, k, len(news), tombs); ok && mutual(t, false) {
		return tombs[t]
	}
	if len(tombs) == len(news) && mutual(k, true) {
		return tombs[k]
	}
	return -1
}

// replacedRows returns the replacement that the agent's row i is of.
func replacedRows(rows []row, i int) (r replacement) {
	r.from, r.to = i, i
	for r.from > 0 && (rows[r.from-1].agents() || rows[r.from-1].ghost()) {
		r.from--
	}
	for r.to < len(rows) && (rows[r.to].agents() || rows[r.to].ghost()) {
		r.to++
	}
	first := r.from
	for first > 0 && (rows[first-1].tomb() || rows[first-1].ghost()) {
		first--
	}
	for j := first; j < r.from; j++ {
		if rows[j].tomb() && !rows[j].carried {
			r.tombs = append(r.tombs, j)
		}
	}
	for j := r.from; j < r.to; j++ {
		if rows[j].agents() {
			r.news = append(r.news, j)
		}
	}
	return r
}

// inkOf returns a function by which a row of rows is what it was before the user wrote in it.
func inkOf(rows []row) func(int) string {
	return func(i int) string {
		r := rows[i]
		if r.tomb() {
			return r.original()
		}
		return r.agentText()
	}
}

// agentText is the text of r without what the user has written in it.
func (r row) agentText() string {
	return strings.Join(cut(r.text, without(span{0, len(r.text)}, r.user)), "")
}

// nearby is how far from its place a row is looked for, counted from either end.
const nearby = 48

// mostAlike returns which of others is most like row i, number k of n of its kind; false if
// none is like it. Of equally alike ones it is the nearest.
func mostAlike(inks func(int) string, i, k, n int, others []int) (best int, ok bool) {
	s := inks(i)
	size := ink(s)
	if size == 0 {
		return 0, false
	}
	bytes := bytesOf(s)
	most := 0.0
	near, far := min(k, len(others)-(n-k)), max(k, len(others)-(n-k)) // its place from either end
	for j := max(0, near-nearby); j < min(len(others), far+nearby+1); j++ {
		if near+nearby < j && j < far-nearby {
			if j = far - nearby; j >= len(others) {
				break // of one kind there are so many more that none has this place
			}
		}
		x := inks(others[j])
		sum := float64(size + ink(x))
		// What two rows have in common is not more than the bytes they share.
		const alike = 0.5
		if bound := 2 * float64(bytes.shared(x)) / sum; bound < alike || bound < most {
			continue
		}
		is := 2 * float64(survivingInk(s, x)) / sum
		if is < alike || ok && (is < most || is == most && distance(best, k) <= distance(j, k)) {
			continue
		}
		best, most, ok = j, is, true
	}
	return best, ok
}

// byteCount says how often each byte is in a row, white space aside.
type byteCount [256]int32

func bytesOf(s string) *byteCount {
	var c byteCount
	for i := range len(s) {
		c[s[i]]++
	}
	return &c
}

// shared counts the bytes of s that are among those of c.
func (c *byteCount) shared(s string) int {
	left := *c
	n := 0
	for i := range len(s) {
		if b := s[i]; b > ' ' && left[b] > 0 {
			left[b]--
			n++
		}
	}
	return n
}
