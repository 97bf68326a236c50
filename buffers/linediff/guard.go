package linediff

// The library's search takes time proportional to the square of the number of differences,
// and only up to a point gives up by itself: two texts of 20,000 rows drawn from few distinct
// ones take it most of a second. It cannot be stopped, so what would be slow is recognised
// before. Rows that are mostly distinct are no danger, as the library finds its way by them.

// budget says how much work a comparison may be.
type budget struct {
	pairs int // up to this many pairs of rows all is well
	edits int // rows to delete and to insert, above which a comparison of more pairs is slow
}

var (
	rowBudget  = budget{pairs: 4000 * 4000, edits: 2000} // about 75 ms
	charBudget = budget{pairs: 2000 * 2000, edits: 1000} // about 20 ms; there may be several in a row
)

// exceeded reports whether an exact comparison of a and b, which have no common start or
// end, would be slow: a and b are long, repetitive and far from each other.
func (w budget) exceeded(a, b []string) bool {
	return len(a)*len(b) > w.pairs && repetitive(a, b) && !within(w.edits, a, b)
}

// repetitive reports whether less than a quarter of the rows are distinct.
func repetitive(a, b []string) bool {
	enough := (len(a) + len(b)) / 4
	seen := make(map[string]struct{}, enough)
	for _, rows := range [...][]string{a, b} {
		for _, row := range rows {
			if seen[row] = struct{}{}; len(seen) >= enough {
				return false
			}
		}
	}
	return true
}

// within reports whether at most limit deletions and insertions turn a into b. It is the
// greedy search of Myers (1986) for the length of the shortest edit script: after d edits,
// far[k] is the farthest row of a that can be reached on diagonal k, where k rows more of a
// than of b have been used up.
func within(limit int, a, b []string) bool {
	if d := len(a) - len(b); d > limit || -d > limit {
		return false
	}
	far := make([]int, 2*limit+3)
	at := func(k int) *int { return &far[k+limit+1] }
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			var i int
			if k == -d || k != d && *at(k - 1) < *at(k + 1) {
				i = *at(k + 1) // a row of b more
			} else {
				i = *at(k - 1) + 1 // a row of a more
			}
			j := i - k
			for i < len(a) && j < len(b) && a[i] == b[j] {
				i++
				j++
			}
			if i >= len(a) && j >= len(b) {
				return true
			}
			*at(k) = i
		}
	}
	return false
}
