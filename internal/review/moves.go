package review

import (
	"slices"

	"acp-ls/buffers/linediff"
)

// findMoves finds the rows that the event removes and adds unchanged, and those that a
// provisional event before it removed (rule d). They keep their marks.
func (e *userEvent) findMoves(edits []linediff.Edit, paired bool) {
	d := e.doc
	e.marks = map[int]row{}
	agents := slices.ContainsFunc(d.limbo, row.agents)
	if len(edits) > 0 {
		next := 0 // edit
		d.eachStored(e.lo+edits[0].A0, e.lo+edits[len(edits)-1].A1, func(at int, r row) {
			for edits[next].A1 <= at-e.lo {
				next++
			}
			if edits[next].A0 <= at-e.lo {
				e.marks[at-e.lo] = r
				agents = agents || r.agents()
			}
		})
	}
	if !agents {
		return
	}
	var added []int
	for _, x := range edits {
		// Where rows were changed in their places, only a blank one can have been filled with
		// a row from elsewhere, and only what is blank now was taken away.
		for i := x.A0; i < x.A1; i++ {
			if !paired || isBlank(e.new[x.B0].text) {
				e.removed = append(e.removed, i)
			}
		}
		for i := x.B0; i < x.B1; i++ {
			if !paired || isBlank(e.old[x.A0].text) {
				added = append(added, i)
			}
		}
	}
	e.moved, e.taken = map[int]row{}, map[int]bool{}
	if paired {
		e.fromLimbo(added)
		return
	}
	if sameRows(e.old, e.removed, e.new, added) {
		for i, from := range e.removed {
			e.take(from, added[i])
		}
		return
	}
	// Of equal rows, the user's own and the untouched ones are found again first: an agent's
	// row that is lost is lost with its change, another one would be lost altogether.
	plain, marked := map[string][]int{}, map[string][]int{}
	for _, i := range e.removed {
		into := plain
		if e.marks[i].agents() {
			into = marked
		}
		into[e.old[i].text] = append(into[e.old[i].text], i)
	}
	var left []int
	for _, b := range added {
		s := e.new[b].text
		if len(plain[s]) > 0 {
			e.take(plain[s][0], b)
			plain[s] = plain[s][1:]
		} else if len(marked[s]) > 0 {
			e.take(marked[s][0], b)
			marked[s] = marked[s][1:]
		} else {
			left = append(left, b)
		}
	}
	e.fromLimbo(left)
}

// take notes that row from of old was moved to row to of new.
func (e *userEvent) take(from, to int) {
	r, ok := e.marks[from]
	if !ok {
		r = e.old[from]
	}
	e.moved[to], e.taken[from] = r, true
}

// fromLimbo finds rows of new among those that events just before removed.
func (e *userEvent) fromLimbo(added []int) {
	d := e.doc
	if len(d.limbo) == 0 || len(added) == 0 {
		return
	}
	alive := undecidedIDs(d.runs)
	plain, marked := map[string][]int{}, map[string][]int{}
	for i, r := range d.limbo {
		if r.agents() {
			marked[r.text] = append(marked[r.text], i)
		} else {
			plain[r.text] = append(plain[r.text], i)
		}
	}
	gone := map[int]bool{}
	for _, b := range added {
		s, from := e.new[b].text, plain
		if len(plain[s]) == 0 {
			from = marked
		}
		if len(from[s]) == 0 {
			continue
		}
		i := from[s][0]
		from[s] = from[s][1:]
		r := d.limbo[i]
		if alive[r.id] { // it came back otherwise too
			r.id = d.id()
		}
		alive[r.id] = r.id != 0 // it may have been taken away more than once
		e.moved[b], gone[i] = r, true
		if e.returned == nil {
			e.returned = map[int]bool{}
		}
		e.returned[b] = true
	}
	var left []row
	for i, r := range d.limbo {
		if !gone[i] {
			left = append(left, r)
		}
	}
	d.limbo = left
}

// maxLimbo is how many removed rows are kept for the next event.
const maxLimbo = 1 << 16

// fillLimbo keeps the rows that the event removed for the next one.
func (e *userEvent) fillLimbo() {
	d := e.doc
	if len(e.removed) == 0 {
		return
	}
	alive := undecidedIDs(d.runs)
	for _, i := range e.removed {
		r, ok := e.marks[i]
		if !ok {
			r = e.old[i]
		}
		if len(d.limbo) < maxLimbo && !e.taken[i] && !alive[r.id] {
			d.limbo = append(d.limbo, r)
		}
	}
}

func sameRows(a []row, x []int, b []row, y []int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if a[x[i]].text != b[y[i]].text {
			return false
		}
	}
	return true
}

// eachStored calls f for the stored rows among the text rows [lo, hi).
func (d *Doc) eachStored(lo, hi int, f func(at int, r row)) {
	first, last := d.touching(lo, hi)
	for _, run := range d.runs[first:last] {
		at := run.at
		for _, r := range run.rows {
			if !r.inText() {
				continue
			}
			if at >= lo && at < hi {
				f(at, r)
			}
			at++
		}
	}
}
