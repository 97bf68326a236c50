package review

import (
	"strings"

	"acp-ls/buffers/text"
)

// A user's row that flows into an agent's row, and on into others, leaves what was in the agent's
// row in the baseline: where somebody reflows a paragraph that is "line 7 of the", of "line 7 of the
// file". When they undo that, it is whole again, and the part is no row that could get lost.

// foundAgain returns how many rows s that are in the baseline alone, and would be in it no more with
// runs, which hold the undecided rows held, can be such parts: so many more of the user's rows
// have s in them with runs than before the user's action.
func (d *Doc) foundAgain(s string, runs []run, held map[uint64]bool) int {
	if !hasWord(s) {
		return 0
	}
	gone := 0
	for _, r := range d.runs {
		for _, x := range r.rows {
			if x.tomb() && !held[x.id] && x.original() == s {
				gone++
			}
		}
	}
	if gone == 0 {
		return 0
	}
	lo, hi, nhi := changedRows(d.anchor.text, d.text, 0)
	return min(gone, longerRows(s, d.text, lo, nhi, runs)-longerRows(s, d.anchor.text, lo, hi, d.anchor.runs))
}

// longerRows counts the rows [lo, hi) of t that have more than s in them, but for agents' rows, and
// takes off the agents' rows outside: of the rows there, which do not change, so many fewer count.
func longerRows(s string, t text.Text, lo, hi int, runs []run) int {
	longer := func(row string) bool { return len(row) > len(s) && strings.Contains(row, s) }
	n := 0
	agents := map[int]bool{}
	for _, r := range runs {
		at := r.at
		for _, x := range r.rows {
			if !x.inText() {
				continue
			}
			if agents[at] = x.agents(); x.agents() && (at < lo || at >= hi) && longer(x.text) {
				n--
			}
			at++
		}
	}
	for i := lo; i < hi; i++ {
		if !agents[i] && longer(t.Line(i)) {
			n++
		}
	}
	return n
}
