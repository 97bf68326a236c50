package review

import (
	"slices"
	"time"

	"acp-ls/buffers/text"
)

// still is the tracked state of a text.
type still struct {
	text text.Text
	runs []run
	tail ending
}

func (d *Doc) still() *still { return &still{d.text, d.runs, d.tail} }

// moment is what is remembered of a text that the document has had: its hash and its rows,
// not the text.
type moment struct {
	hash text.Hash
	len  int
	seq  uint64
	cost int // rows that no older moment holds

	foreign bool // another process has taken it down
	open    bool // no terminator at the end of the text; not known if foreign

	runs      []run
	tail, eol ending
	rejected  []*rejection
	conflicts []*conflict
}

// How much is remembered.
const (
	maxMoments     = 1024
	maxMomentsRows = 1 << 17
	maxEarly       = 64
)

// noteEarly keeps the text of a document in which nothing was ever tracked. To hash such
// texts would mean to read all of a large file at its first keystroke, in most files for nothing.
func (d *Doc) noteEarly() {
	d.early = append(d.early, d.text)
	if len(d.early) > maxEarly {
		d.early = d.early[1:]
	}
}

// remember takes the present state down. Of two moments with one text the newer one counts.
func (d *Doc) remember() {
	for _, t := range d.early {
		d.memory = append(d.memory, &moment{hash: t.Hash(), len: t.Len(), open: isOpen(t)})
	}
	d.early = nil
	m := &moment{
		hash: d.text.Hash(), len: d.text.Len(), seq: d.seq, cost: d.rowsBuilt, open: isOpen(d.text),
		runs: d.runs, tail: d.tail, eol: d.eol, rejected: d.rejected, conflicts: d.conflicts,
	}
	d.rowsBuilt = 0
	d.memCost += m.cost
	d.memory = append(d.memory, m)
	for len(d.memory) > 1 && (len(d.memory) > maxMoments || d.memCost > maxMomentsRows) {
		d.memCost -= d.memory[0].cost
		d.memory = d.memory[1:]
	}
	for len(d.decided) > 0 && d.decided[0].seq <= d.memory[0].seq {
		d.decided = d.decided[1:]
	}
	for len(d.fates) > 0 && d.fates[0].seq <= d.memory[0].seq {
		d.fates = d.fates[1:]
	}
}

// Had reports whether the document is known to have had the text t while something was
// tracked in it: then it is the user's undo, or redo, that brings it back.
func (d *Doc) Had(t text.Text) bool {
	if len(d.memory) == 0 {
		return false
	}
	hash := t.Hash()
	return slices.ContainsFunc(d.memory, func(m *moment) bool { return m.hash == hash && m.len == t.Len() })
}

// decision says that a mark of a row was accepted.
type decision struct {
	row uint64
	del bool // the mark del, else ins
	seq uint64
}

// recall takes the rows that are remembered with the text, if it is one that the document has
// had: so undo and redo bring back what was undecided. What was accepted since stays
// accepted; what was rejected since is undecided again, with its text.
//
// The rows are not taken if that would lose one, for a text can come back by chance: a row
// that was in the baseline before the user's action, that the action did not take out of the
// text, and that would be in the baseline without the memory; or a row that is in neither
// text, in which the user has typed. But they are if the user has thrown away what came after
// the text, as a row of theirs may well have been. Nor are they if the row that is being typed
// would become an agent's by that.
//
// Editors whose undo knows rows but not whether the last one has a terminator bring back the
// text but for that: its rows are taken, and the terminator is the user's edit of them.
func (d *Doc) recall(typed, thrown bool) (recalled bool) {
	hash, size := d.text.Hash(), d.text.Len()
	for _, m := range slices.Backward(d.memory) {
		if m.hash == hash && m.len == size && (!m.foreign || m.fits(d.text)) {
			return d.recallMoment(m, typed, thrown)
		}
	}
	other, ok := otherEnd(d.text, d.eol)
	if !ok {
		return false
	}
	open, hashed := isOpen(other), false
	for i, m := range slices.Backward(d.memory) {
		if m.len != other.Len() || m.open != open && !m.foreign {
			continue
		}
		if !hashed {
			hash, hashed = other.Hash(), true
		}
		if m.hash == hash && (!m.foreign || m.fits(other)) {
			if i == len(d.memory)-1 || !undecidedIn(d.sinceDecided(m)) {
				return false // the event did nothing but that, or there is nothing to know
			}
			return d.recallMoment(d.edited(m, other), typed, thrown)
		}
	}
	return false
}

// recallMoment takes the rows of m, which is of the present text.
func (d *Doc) recallMoment(m *moment, typed, thrown bool) bool {
	d.recallConflicts(m)
	runs := d.sinceDecided(m)
	if !thrown && !d.conserves(runs) || typed && comesBack(runs, d.grown.row, undecidedIDs(d.runs)) {
		return false
	}
	d.runs, d.tail = runs, m.tail
	if len(d.limbo) > 0 {
		back := map[uint64]bool{} // in the text; a row that is in neither may still be moved
		for _, r := range runs {
			for _, x := range r.rows {
				back[x.id] = back[x.id] || x.agents()
			}
		}
		d.limbo = slices.DeleteFunc(slices.Clone(d.limbo), func(r row) bool { return back[r.id] })
	}
	d.recallRejected(m)
	return true
}

// edited returns m, which is of the text was, after the user has made the present text of that.
func (d *Doc) edited(m *moment, was text.Text) *moment {
	c := d.Clone()
	c.text, c.runs, c.tail = was, d.sinceDecided(m), m.tail
	c.rejected, c.conflicts, c.limbo = slices.Clip(m.rejected), slices.Clip(m.conflicts), nil
	lo, hi, nhi := changedRows(was, d.text, 0)
	c.applyUser(d.text, lo, hi, nhi, AuthorUser)
	d.nextID, d.origins = c.nextID, c.origins
	after := *m
	after.runs, after.tail, after.rejected, after.conflicts = c.runs, c.tail, c.rejected, c.conflicts
	return &after
}

// isOpen reports whether the last row of t has text and no terminator.
func isOpen(t text.Text) bool { return t.Line(t.LineCount()-1) != "" }

// otherEnd returns t with a terminator at its end if it has none, else without it; false if that
// leaves no row where there is one, for it is blank: that is another text.
func otherEnd(t text.Text, eol ending) (text.Text, bool) {
	last := t.LineCount() - 1
	if t.Line(last) != "" {
		return t.Replace(t.Len(), t.Len(), eol.String()), true
	}
	if last == 0 || t.Line(last-1) == "" {
		return t, false
	}
	return t.Replace(t.LineStart(last-1)+len(t.Line(last-1)), t.Len(), ""), true
}

// sinceDecided returns the runs of m with the decisions made since. Marks of the user's own
// changes, whose author was not known then, count as accepted.
func (d *Doc) sinceDecided(m *moment) []run {
	type key struct {
		row uint64
		del bool
	}
	accepted := map[key]bool{}
	for _, x := range d.decided {
		if x.seq > m.seq {
			accepted[key{x.row, x.del}] = true
		}
	}
	ours := func(m mark) bool { return m != 0 && d.origins[m].Author.ours() }
	over := func(r row) bool {
		return accepted[key{r.id, false}] || accepted[key{r.id, true}] || ours(r.ins) || ours(r.del)
	}
	var runs []run
	for _, r := range m.runs {
		stale := m.eol != d.eol // rows that never had a terminator may cancel now
		for _, x := range r.rows {
			stale = stale || over(x)
		}
		if !stale {
			runs = append(runs, r)
			continue
		}
		var rows []row
		for _, x := range r.rows {
			if x.del != 0 && (accepted[key{x.id, true}] || ours(x.del)) {
				continue
			}
			if x.ins != 0 && (accepted[key{x.id, false}] || ours(x.ins)) {
				x.ins, x.user = 0, nil
				if x.del == 0 {
					x = x.plain()
				}
			}
			rows = append(rows, x)
		}
		runs = append(runs, storedRuns(d.settleRows(rows), r.at)...)
	}
	return runs
}

// conserves reports whether the baseline keeps its rows if runs take the place of what the
// rules have made of the last event.
func (d *Doc) conserves(runs []run) bool {
	held := undecidedIDs(runs)
	for _, r := range d.runs {
		if slices.ContainsFunc(r.rows, func(x row) bool { return x.ghost() && x.mixed() && !held[x.id] }) {
			return false
		}
	}
	// The texts are the same, so the baselines differ by this.
	change := balance(runs, undecidedIDs(d.runs))
	for s, n := range balance(d.runs, held) {
		change[s] -= n
	}
	for s, n := range change {
		if n >= 0 {
			delete(change, s)
		}
	}
	if len(change) == 0 {
		return true
	}
	before := balance(d.anchor.runs, held)
	after := balance(runs, undecidedIDs(d.anchor.runs))
	was, is := countRows(d.anchor.text, change), countRows(d.text, change)
	for s := range change {
		if lacks := min(was[s], is[s]) + before[s] - is[s] - after[s]; lacks > 0 && lacks > d.foundAgain(s, runs, held) {
			return false
		}
	}
	return true
}

// countRows counts the rows of t that are keys of which.
func countRows(t text.Text, which balanceOf) map[string]int {
	out := map[string]int{}
	for _, r := range t.Lines(0, t.LineCount()) {
		if _, ok := which[r]; ok {
			out[r]++
		}
	}
	return out
}

// balanceOf says, by the text of rows, how many more of them are in a baseline than in the
// text. Deleted rows count as what they were: words that the user typed in another row, and
// that went into one, are undone with that row.
type balanceOf map[string]int

// balance counts the rows of runs, but for deleted rows that are among others: those
// are there whatever becomes of them.
func balance(runs []run, others map[uint64]bool) balanceOf {
	into := balanceOf{}
	for _, r := range runs {
		for _, x := range r.rows {
			if x.tomb() && !others[x.id] {
				into[x.original()]++
			} else if x.agents() {
				into[x.text]--
			}
		}
	}
	return into
}

// undecidedIDs returns the ids of the undecided rows of runs.
func undecidedIDs(runs []run) map[uint64]bool {
	ids := map[uint64]bool{}
	for _, r := range runs {
		for _, x := range r.rows {
			if x.undecided() {
				ids[x.id] = true
			}
		}
	}
	return ids
}

// Provisional reports whether the last user's event is so recent that another one may still
// belong to it. Nothing is published then, and a decision waits.
func (d *Doc) Provisional() bool { return !d.until.IsZero() }

// Settle ends the provisional state if its time has come. It reports whether it did, and
// when it is to be called again; zero: not until there is another event.
func (d *Doc) Settle(now time.Time) (changed bool, next time.Time) {
	if d.lapse(now) {
		return true, time.Time{}
	}
	return false, d.until
}

// lapse ends the provisional state if its time has come, and reports whether it did.
func (d *Doc) lapse(now time.Time) bool {
	if d.until.IsZero() || now.Before(d.until) {
		return false
	}
	d.settled()
	return true
}

func (d *Doc) settled() {
	d.until, d.anchor, d.limbo = time.Time{}, nil, nil
}
