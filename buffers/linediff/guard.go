package linediff

import (
	"math/bits"
	"slices"
)

// The library's search takes time proportional to the square of the number of differences,
// and gives up by itself only late: two texts of 20,000 rows drawn from few distinct ones
// take it most of a second, of 100,000 rows a quarter of a minute. It cannot be stopped, so
// what would be slow is recognised before. No danger are rows that only one of the texts has,
// which the library sets aside, and rows that are mostly distinct, by which it finds its way.

// budget says how much work a comparison may be.
type budget struct {
	pairs int // up to this many pairs of rows all is well
	edits int // up to this many rows to delete and insert, too
	rows  int // above this many rows nothing else is
}

var (
	rowBudget  = budget{pairs: 4000 * 4000, edits: 2000, rows: 100_000} // about 75 ms
	charBudget = budget{pairs: 2000 * 2000, edits: 1000, rows: 100_000} // about 20 ms; there may be several in a row
)

// exceeded reports whether an exact comparison of a and b, which have no common start or
// end, would be slow: what they have in common is long, repetitive or very long, and has far
// from the same order.
func (w budget) exceeded(a, b []string) bool {
	if len(a)*len(b) <= w.pairs {
		return false
	}
	x, y := common(hashes(a), hashes(b))
	return len(x)*len(y) > w.pairs &&
		(len(x)+len(y) > w.rows || repetitive(x, y)) &&
		!within(w.edits, x, y)
}

// hashes returns a number for each row. Equal rows have equal numbers, in any process; that
// others are seldom equal is all that is needed here.
func hashes(rows []string) []uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93 // odd, of no pattern
	out := make([]uint64, len(rows))
	for i, s := range rows {
		h := uint64(len(s)) * k0
		for ; len(s) >= 8; s = s[8:] {
			hi, lo := bits.Mul64(h^le64(s), k1)
			h = hi ^ lo
		}
		for j := range len(s) {
			h = (h ^ uint64(s[j])) * k0
		}
		hi, lo := bits.Mul64(h^k0, k1)
		out[i] = hi ^ lo
	}
	return out
}

func le64(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// common returns those rows of a and b that the other has too, and a few that it has not.
func common(a, b []uint64) (x, y []uint64) {
	inA, inB := newSet(a), newSet(b)
	return inB.filter(a), inA.filter(b)
}

// A set of hashes may hold a few more than were put in.
type set struct {
	bits []uint64
	mask uint64
}

func newSet(hashes []uint64) set {
	words := 1 << bits.Len(uint(len(hashes)/4)) // 16 bits and more for each
	s := set{make([]uint64, words), uint64(words*64 - 1)}
	for _, h := range hashes {
		h &= s.mask
		s.bits[h/64] |= 1 << (h % 64)
	}
	return s
}

// filter returns the hashes that are in the set.
func (s set) filter(hashes []uint64) []uint64 {
	out := make([]uint64, 0, len(hashes))
	for _, h := range hashes {
		if i := h & s.mask; s.bits[i/64]&(1<<(i%64)) != 0 {
			out = append(out, h)
		}
	}
	return out
}

// repetitive reports whether less than a quarter of the rows are distinct.
func repetitive(a, b []uint64) bool {
	enough := (len(a) + len(b)) / 4
	seen := make(map[uint64]struct{}, enough)
	for _, rows := range [...][]uint64{a, b} {
		for _, row := range rows {
			if seen[row] = struct{}{}; len(seen) >= enough {
				return false
			}
		}
	}
	return true
}

// within reports whether at most limit deletions and insertions turn a into b.
func within(limit int, a, b []uint64) bool {
	_, ok := greedy(limit, a, b, func(int, []int) {})
	return ok
}

// script returns a shortest list of rows of a to delete and rows of b to insert, each
// ascending, if they are at most limit together.
func script(limit int, a, b []uint64) (deleted, inserted []int, ok bool) {
	var steps [][]int // by number of edits, what far was for each k from -d to d
	d, ok := greedy(limit, a, b, func(d int, far []int) {
		steps = append(steps, slices.Clone(far[limit+1-d:limit+1+d+1]))
	})
	if !ok {
		return nil, nil, false
	}
	for k := len(a) - len(b); d > 0; d-- {
		far := steps[d-1]
		below := func(k int) bool { return k >= 1-d && k <= d-1 }
		if at := k + d - 1; below(k-1) && (!below(k+1) || far[at-1] >= far[at+1]) {
			deleted = append(deleted, far[at-1])
			k--
		} else {
			inserted = append(inserted, far[at+1]-(k+1))
			k++
		}
	}
	slices.Reverse(deleted)
	slices.Reverse(inserted)
	return deleted, inserted, true
}

// greedy is the search of Myers (1986) for the shortest edit script: after d edits, far has,
// for each k, at limit+1+k, the farthest row of a that can be reached with k rows more of a
// than of b used up. It returns the number of edits, if they are at most limit, and shows
// what it has found after each, but for the last.
func greedy(limit int, a, b []uint64, show func(d int, far []int)) (edits int, ok bool) {
	if d := len(a) - len(b); d > limit || -d > limit {
		return 0, false
	}
	far := make([]int, 2*limit+3)
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			at := k + limit + 1
			i := far[at+1] // by a row of b more
			if k != -d && (k == d || far[at-1] >= far[at+1]) {
				i = far[at-1] + 1 // by a row of a more
			}
			j := i - k
			for i < len(a) && j < len(b) && a[i] == b[j] {
				i++
				j++
			}
			if i >= len(a) && j >= len(b) {
				return d, true
			}
			far[at] = i
		}
		show(d, far)
	}
	return 0, false
}
