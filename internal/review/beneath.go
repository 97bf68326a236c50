package review

import "slices"

// Beneath takes in what somebody else has tracked in the same file: the undecided changes of
// o are pending in d too, as if they had been made first and d's upon the text they left. The
// text stays as it is, and the baseline is o's, in which what o did not have is the user's.
// What d knows is not taken in once more, decided as it may be. Pending hunks of o of which
// no row is found are listed as rejected and Lost, and returned. If the two cannot be brought
// together, which only odd terminators do, nothing is changed and ok is false.
func (d *Doc) Beneath(o *Doc) (lost []Hunk, ok bool) {
	o = o.Clone()
	o.AcceptChanges(d.changes()...)
	o.conflicts = slices.DeleteFunc(slices.Clone(o.conflicts), func(c *conflict) bool { return d.knows(c.origin.Change) })
	o.rejected = slices.DeleteFunc(slices.Clone(o.rejected), func(r *rejection) bool {
		// What the user has rejected is listed for its session only.
		return !r.hunk.Lost || !slices.ContainsFunc(r.hunk.Origins, func(x Origin) bool { return !d.knows(x.Change) })
	})
	if !o.marked() && len(o.conflicts) == 0 && len(o.rejected) == 0 {
		return nil, true
	}
	d.settled()
	lost = o.Resume(d.Baseline())
	l := layers{d: d, o: o, marks: map[mark]mark{0: 0}, ids: map[uint64]uint64{}}
	for i := range o.origins[1:] {
		l.mark(mark(i + 1)) // decided ones too
	}
	w := d.window(0, d.text.LineCount())
	rows, ok := l.rows(w.rows, o.window(0, o.text.LineCount()).rows)
	if !ok {
		return nil, false
	}
	d.begin()
	d.put([]splice{{window: w, rows: d.settleRows(rows)}})
	l.anchored()
	d.anchor = nil
	d.end()
	return lost, true
}

// changes returns all changes that d has heard of.
func (d *Doc) changes() []ChangeID {
	var out []ChangeID
	for _, o := range d.origins[1:] {
		out = append(out, o.Change)
	}
	for _, c := range d.conflicts {
		out = append(out, c.origin.Change)
	}
	return out
}

func (d *Doc) knows(c ChangeID) bool { return slices.Contains(d.changes(), c) }

// layers lays the rows of d over those of o, whose text is d's baseline.
type layers struct {
	d, o  *Doc
	marks map[mark]mark     // of o in d
	ids   map[uint64]uint64 // of rows of o in d
	at    []int             // the row of d's text at which a row of o's text stands, and one behind the last
}

func (l *layers) mark(m mark) mark {
	to, ok := l.marks[m]
	if !ok {
		to = l.d.newMark(l.o.origins[m])
		l.marks[m] = to
	}
	return to
}

// foreign returns a row of o as one of d.
func (l *layers) foreign(r row) row {
	if r.id != 0 {
		if l.ids[r.id] == 0 {
			l.ids[r.id] = l.d.id()
		}
		r.id = l.ids[r.id]
	}
	r.ins, r.del = l.mark(r.ins), l.mark(r.del)
	return r
}

// rows returns all rows of the two; false if they are not of one document.
func (l *layers) rows(over, under []row) (out []row, ok bool) {
	line := 0
	add := func(r row) {
		out = append(out, r)
		if r.inText() {
			line++
		}
	}
	// apart adds the rows of o up to the next one of its text.
	apart := func() {
		for len(under) > 0 && !under[0].inText() {
			add(l.foreign(under[0]))
			under = under[1:]
		}
	}
	based := false
	for _, x := range over {
		if x.inBase() {
			apart()
			if len(under) == 0 || under[0].text != x.text {
				return nil, false
			}
			based = true
			l.at = append(l.at, line)
			x = l.laid(x, under[0])
			under = under[1:]
		}
		add(x)
	}
	apart()
	if !based && len(over) > 0 && len(under) > 0 { // a text of nothing has a row all the same, which d has taken out
		l.at = append(l.at, line)
		if r := under[0]; r.ins == 0 {
			add(row{end: r.end, del: over[0].ins, id: l.d.id()})
		}
		under = under[1:]
		apart()
	}
	l.at = append(l.at, line)
	return out, len(under) == 0
}

// laid returns a row of d's baseline that is r in o.
func (l *layers) laid(x, r row) row {
	switch {
	case r.ins != 0:
		y := l.foreign(r)
		x.ins, x.user, x.mine = y.ins, y.user, false
		if x.id == 0 {
			x.id = y.id
		}
		l.ids[r.id] = x.id
	case r.mine && !x.undecided():
		x.mine = true
	}
	return x
}

// anchored takes over what is beside the rows of o.
func (l *layers) anchored() {
	d := l.d
	listed := map[string]bool{}
	for _, r := range d.rejected {
		listed[r.hunk.ID] = true
	}
	for _, c := range d.conflicts {
		listed[c.id] = true
	}
	for _, r := range l.o.rejected {
		if listed[r.hunk.ID] {
			continue
		}
		c := *r
		c.at, c.n = l.at[r.at], l.at[r.at+r.n]-l.at[r.at]
		c.rows = slices.Clone(c.rows)
		for i := range c.rows {
			c.rows[i].row = l.foreign(c.rows[i].row)
		}
		d.rejected = append(slices.Clip(d.rejected), &c)
	}
	for _, r := range l.o.conflicts {
		if listed[r.id] {
			continue
		}
		c := *r
		c.at, c.n = l.at[r.at], l.at[r.at+r.n]-l.at[r.at]
		d.conflicts = append(slices.Clip(d.conflicts), &c)
	}
}
