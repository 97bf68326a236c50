package session

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/linediff"
)

// move is a file that has another name now.
type move struct {
	from, to checkpoint.Change
}

// nearlySame is how much of two texts must be the same, of all rows of both, for one to
// be the other under a new name.
const nearlySame = 0.6

// Limits of what is compared row by row: a turn may make and delete files by the
// thousands.
const (
	maxPairs    = 400
	maxPairSize = 256 << 10
)

// pairMoves finds the files among gone and made that are one, each at most once:
// first those that are the same to the byte, by preference the same to the file system or
// under the same base name, then the most alike. Which of several with one text it was
// matters: that name is shown, and given back.
func pairMoves(gone, made []checkpoint.Change) []move {
	var out []move
	usedGone, usedMade := map[int]bool{}, map[int]bool{}
	take := func(i, j int) {
		usedGone[i], usedMade[j] = true, true
		out = append(out, move{gone[i], made[j]})
	}
	base := func(c checkpoint.Change) string { return filepath.Base(string(c.Path)) }
	madeOf := map[string][]int{} // by content
	for j, m := range made {
		madeOf[m.After.Sum()] = append(madeOf[m.After.Sum()], j)
	}
	sameName := func(g, m checkpoint.Change) bool { return base(g) == base(m) }
	whichever := func(_, _ checkpoint.Change) bool { return true }
	for _, fits := range []func(g, m checkpoint.Change) bool{checkpoint.Change.Became, sameName, whichever} {
		for i, g := range gone {
			if g.Before.Opaque == "" && g.Before.Content == "" {
				continue // all empty files are the same
			}
			for _, j := range madeOf[g.Before.Sum()] {
				if !usedGone[i] && !usedMade[j] && fits(g, made[j]) {
					take(i, j)
				}
			}
		}
	}
	type pair struct {
		i, j int
		like float64
		same bool // to the file system
	}
	var pairs []pair
	if len(gone)*len(made) <= maxPairs {
		for i, g := range gone {
			for j, m := range made {
				if usedGone[i] || usedMade[j] {
					continue
				}
				if l := likeness(g.Before, m.After); l >= nearlySame {
					pairs = append(pairs, pair{i, j, l, g.Became(m)})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		switch {
		case a.like != b.like:
			return cmp.Compare(b.like, a.like)
		case a.same == b.same:
			return 0
		case a.same:
			return -1
		}
		return 1
	})
	for _, p := range pairs {
		if !usedGone[p.i] && !usedMade[p.j] {
			take(p.i, p.j)
		}
	}
	return out
}

// likeness is the part of two texts' rows that they have in common.
func likeness(a, b checkpoint.State) float64 {
	if a.Opaque != "" || b.Opaque != "" || len(a.Content) > maxPairSize || len(b.Content) > maxPairSize {
		return 0
	}
	if strings.TrimSpace(a.Content) == "" || strings.TrimSpace(b.Content) == "" {
		return 0
	}
	x, y := rowsOf(a.Content), rowsOf(b.Content)
	differ := 0
	for _, e := range linediff.Diff(x, y) {
		differ += e.A1 - e.A0 + e.B1 - e.B0
	}
	return 1 - float64(differ)/float64(len(x)+len(y))
}
