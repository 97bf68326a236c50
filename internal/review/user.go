package review

import (
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// UserEdit takes over one content change of the editor: the bytes [start, oldEnd) of the
// text are newText now. It panics unless 0 <= start <= oldEnd <= Text().Len().
//
// The range only says where to look: it is widened to whole rows, and what differs inside it
// is the user's edit, difference by difference.
func (d *Doc) UserEdit(start, oldEnd int, newText string) {
	d.userEdit(start, oldEnd, newText, AuthorUser)
}

// FormatterEdit is UserEdit for an edit of a formatter (rule 9): what it does inside an
// agent's row, or between two rows of one agent, is the agent's.
func (d *Doc) FormatterEdit(start, oldEnd int, newText string) {
	d.userEdit(start, oldEnd, newText, AuthorFormatter)
}

// UserStep is UserEdit for whoever has the text after the change already, and spares making
// it anew: the bytes [start, oldEnd) of the text are [start, newEnd) of t now, and t does not
// differ in anything else. It panics if the lengths do not add up.
func (d *Doc) UserStep(t text.Text, start, oldEnd, newEnd int) {
	d.eventStep(t, start, oldEnd, newEnd, AuthorUser)
}

// FormatterStep is to FormatterEdit what UserStep is to UserEdit.
func (d *Doc) FormatterStep(t text.Text, start, oldEnd, newEnd int) {
	d.eventStep(t, start, oldEnd, newEnd, AuthorFormatter)
}

func (d *Doc) userEdit(start, oldEnd int, newText string, author Author) {
	d.eventStep(d.text.Replace(start, oldEnd, newText), start, oldEnd, start+len(newText), author)
}

func (d *Doc) eventStep(t text.Text, start, oldEnd, newEnd int, author Author) {
	if t.Len()-newEnd != d.text.Len()-oldEnd {
		panic(fmt.Sprintf("review: %d bytes of %d became %d of %d", oldEnd-start, d.text.Len(), newEnd-start, t.Len()))
	}
	if d.text.Slice(start, oldEnd) == t.Slice(start, newEnd) {
		return
	}
	lo, hi, nhi := widen(d.text, t, start, oldEnd, newEnd)
	d.userStep(t, lo, hi, nhi, author)
}

// userText is eventStep for a text that changed as a whole.
func (d *Doc) userText(t text.Text, author Author) {
	if d.text.Equal(t) {
		return
	}
	lo, hi, nhi := changedRows(d.text, t, 0)
	d.userStep(t, lo, hi, nhi, author)
}

// userStep makes t of the text, which differ in the rows [lo, hi) and [lo, nhi).
func (d *Doc) userStep(t text.Text, lo, hi, nhi int, author Author) {
	d.begin()
	d.learnEnding(t, author)
	if len(d.memory) == 0 { // nothing was ever tracked
		d.text = t
		d.noteEarly()
		return
	}
	now := d.now()
	if !d.until.IsZero() && !now.Before(d.until) {
		d.settled()
	}
	if d.anchor == nil {
		d.anchor = d.still()
	}
	d.applyUser(t, lo, hi, nhi, author)
	d.recall()
	d.until = now.Add(provisional)
	d.end()
}

// applyUser carries out rules b, c and d.
func (d *Doc) applyUser(t text.Text, lo, hi, nhi int, author Author) {
	if first, last := d.touching(lo-maxGap, hi+maxGap); first == last && len(d.limbo)+len(d.rejected)+len(d.conflicts) == 0 {
		d.put([]splice{{window: window{lo: lo, hi: hi, first: first, last: first}, n: nhi - lo}})
		d.text = t
		return
	}
	old, new := rowsOf(d.text, lo, hi), rowsOf(t, lo, nhi)
	edits, paired := align(texts(old), texts(new), hi == d.text.LineCount())
	e := userEvent{doc: d, lo: lo, old: old, new: new, author: author}
	e.findMoves(edits, paired)
	var splices []splice
	for i := 0; i < len(edits); {
		if x := edits[i]; !e.matters(x) {
			if x.A1-x.A0 != x.B1-x.B0 {
				first, _ := d.touching(lo+x.A0, lo+x.A1)
				w := window{lo: lo + x.A0, hi: lo + x.A1, first: first, last: first}
				splices = append(splices, splice{window: w, n: x.B1 - x.B0})
			}
			i++
			continue
		}
		from := i
		for i < len(edits) && e.matters(edits[i]) {
			i++
		}
		for _, g := range d.groups(edits[from:i], lo) {
			splices = append(splices, splice{window: g.window, rows: d.settleRows(e.rows(g))})
		}
	}
	d.anchorsAlong(edits, lo)
	d.put(splices)
	d.text = t
	d.takeEnds(old, new, edits, lo)
	e.fillLimbo()
	if len(e.moved) > 0 {
		d.dropUndecided()
	}
}

// matters reports whether an edit can concern marked rows.
func (e *userEvent) matters(x linediff.Edit) bool {
	for b := x.B0; b < x.B1; b++ {
		if _, ok := e.moved[b]; ok {
			return true
		}
	}
	// Near is where the new rows could join, or part, two hunks.
	first, last := e.doc.touching(e.lo+x.A0-maxGap, e.lo+x.A1+maxGap)
	return first < last
}

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
		edits = linediff.Diff(a, b)
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
	}
	// Text that is found again in another row has flowed there.
	const flown = 3
	return len(a) < 2 || survivingInk(strings.Join(a, "\n"), strings.Join(b, "\n")) < kept+flown
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
		e.moved[b], gone[i] = r, true
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
