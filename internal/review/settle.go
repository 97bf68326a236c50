package review

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
)

// settleRows cancels what contradicts itself: in a run of undecided rows, a deleted and an
// inserted row with the same text and terminator, in order, become one plain row (rule a),
// and so do a deleted row and a fresh one with the same text and nothing but undecided rows
// between them (rule b).
func (d *Doc) settleRows(rows []row) []row {
	fresh := func(r row) bool { return r.fresh }
	if slices.ContainsFunc(rows, fresh) {
		rows = d.settleRuns(rows, func(r row) bool { return r.undecided() || r.fresh })
	}
	return d.settleRuns(rows, row.undecided)
}

// settleRuns settles the runs of rows that in picks.
func (d *Doc) settleRuns(rows []row, in func(row) bool) []row {
	var out []row
	done := 0 // rows that are in out
	for i := 0; i < len(rows); i++ {
		from := i
		for i < len(rows) && in(rows[i]) {
			i++
		}
		if pairs := d.cancelling(rows[from:i]); len(pairs) > 0 {
			out = append(out, rows[done:from]...)
			out = append(out, d.settleRun(rows[from:i], pairs)...)
			done = i
		}
	}
	if done == 0 {
		return rows
	}
	return append(out, rows[done:]...)
}

// settleRun settles one run of undecided and fresh rows, of which pairs cancel.
func (d *Doc) settleRun(run []row, pairs []pair) []row {
	out := make([]row, 0, len(run))
	tombs, others := positions(run)
	part := func(tomb, other int) {
		var cut []int // what lies in front of the pair, of each kind, in the run's order
		for len(tombs) > 0 && tombs[0] < tomb {
			cut, tombs = append(cut, tombs[0]), tombs[1:]
		}
		for len(others) > 0 && others[0] < other {
			cut, others = append(cut, others[0]), others[1:]
		}
		slices.Sort(cut)
		rows := make([]row, len(cut))
		for i, k := range cut {
			rows[i] = run[k]
		}
		// What is left may pair anew, now that it is parted from the rest.
		if again := d.cancelling(rows); len(again) > 0 {
			rows = d.settleRun(rows, again)
		}
		out = append(out, rows...)
	}
	for _, p := range pairs {
		part(p.tomb, p.other)
		r := run[p.other].plain()
		r.end = r.end.or(run[p.tomb].end)
		out = append(out, r)
		tombs, others = tombs[1:], others[1:]
	}
	part(len(run), len(run))
	return out
}

// positions returns where a run's deleted rows are, and where the others are.
func positions(run []row) (tombs, others []int) {
	for i, r := range run {
		if r.tomb() {
			tombs = append(tombs, i)
		} else {
			others = append(others, i)
		}
	}
	return tombs, others
}

// pair is a deleted row with the row of the text that it cancels.
type pair struct{ tomb, other int }

// cancelling returns the pairs of a run that cancel, ascending.
func (d *Doc) cancelling(run []row) []pair {
	var tombs, alive []int
	var gone map[string]endings
	stands := standing(run)
	for i, r := range run {
		if r.tomb() && !stands[i] {
			if gone == nil {
				gone = map[string]endings{}
			}
			tombs = append(tombs, i)
			gone[r.text] = gone[r.text].with(r.end.or(d.eol))
		}
	}
	if gone == nil || !slices.ContainsFunc(run, func(r row) bool { return r.inText() && gone[r.text] != 0 }) {
		return nil
	}
	for i, r := range run {
		if r.inText() {
			alive = append(alive, i)
		}
	}
	at := func(positions []int) []string {
		out := make([]string, len(positions))
		for i, p := range positions {
			r := run[p]
			end := r.end.or(d.eol)
			if ends := gone[r.text]; ends != 0 && !ends.has(end) && (r.fresh || r.end == noEnd) {
				end = ends.any() // which is as good: the row takes it, or the baseline the row's
			}
			out[i] = r.text + end.String()
		}
		return out
	}
	var pairs []pair
	a, b := 0, 0
	equal := func(to int) {
		for ; a < to; a, b = a+1, b+1 {
			pairs = append(pairs, pair{tombs[a], alive[b]})
		}
	}
	for _, e := range linediff.Diff(at(tombs), at(alive)) {
		equal(e.A0)
		a, b = e.A1, e.B1
	}
	equal(len(tombs))
	return unparted(run, pairs)
}

// standing returns which of the deleted rows of a run are of words that stand in agents' rows of it:
// a row of the text that reads like one of them is another one.
func standing(run []row) map[int]bool {
	if !slices.ContainsFunc(run, func(r row) bool { return r.carried }) {
		return nil
	}
	users := map[string]int{}
	for _, r := range run {
		if !r.agents() {
			continue
		}
		for _, word := range fields(r.text) {
			for _, s := range clip(r.user, word.from, word.to) {
				users[r.text[s.from:s.to]]++
			}
		}
	}
	out := map[int]bool{}
	for i, r := range run {
		if !r.carried {
			continue
		}
		words := strings.Fields(r.text)
		missing := false
		for _, w := range words {
			users[w]--
			missing = missing || users[w] < 0
		}
		if out[i] = !missing && len(words) > 0; missing {
			for _, w := range words {
				users[w]++
			}
		}
	}
	return out
}

// endings is a set of them.
type endings uint8

func (s endings) with(e ending) endings { return s | 1<<e }
func (s endings) has(e ending) bool     { return s&(1<<e) != 0 }

// any returns one of a set that is not empty.
func (s endings) any() ending { return ending(bits.TrailingZeros8(uint8(s))) }

// unparted drops the pairs that have a fresh row between them which is in no pair itself.
func unparted(run []row, pairs []pair) []pair {
	for {
		// lone[i] counts the fresh rows in front of i that are in no pair.
		lone := make([]int, len(run)+1)
		for i, r := range run {
			lone[i+1] = lone[i]
			_, found := slices.BinarySearchFunc(pairs, i, func(p pair, i int) int { return cmp.Compare(p.other, i) })
			if r.fresh && !found {
				lone[i+1]++
			}
		}
		n := len(pairs)
		pairs = slices.DeleteFunc(pairs, func(p pair) bool {
			return lone[max(p.tomb, p.other)] != lone[min(p.tomb, p.other)+1]
		})
		if len(pairs) == n {
			return pairs
		}
	}
}
