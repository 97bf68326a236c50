package review

import (
	"slices"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// Resume takes over the text that was found when the document's state, which was kept
// elsewhere, is taken up again (rule 11). The difference is an edit of the user's. Pending
// hunks of which it leaves no row are listed as rejected and Lost, and returned: they may be
// brought back like others.
func (d *Doc) Resume(t text.Text) []Hunk {
	d.settled()
	if d.text.Equal(t) {
		return nil
	}
	return d.takeOver(t, AuthorUser, resumed)
}

// ResumeBefore is Resume for the text in front of the last edit, which was perhaps never made:
// nothing is lost by that, and what the edit has made is known if a redo brings it back.
func (d *Doc) ResumeBefore(t text.Text) {
	d.settled()
	if !d.text.Equal(t) {
		d.takeOver(t, AuthorUser, undone)
	}
}

// Follow takes over a text that another program of the user's has put in the place of the
// document's, such as git does (rule 8). The difference is an edit of the user's, but not one
// by hand: a pending hunk of which it leaves nothing in the text goes as a whole. Those are
// listed as rejected and Lost, and returned as lost; of those that are, the ones whose text is
// there again are pending again, and returned as back.
func (d *Doc) Follow(t text.Text, author Author) (lost, back []Hunk) {
	d.settled()
	if d.text.Equal(t) {
		return nil, nil
	}
	back = d.bringBackLost(t)
	if d.text.Equal(t) {
		return nil, back
	}
	return d.takeOver(t, author, followed), back
}

// ThrowAway takes over a text that the user has gone back to: what came after it is thrown
// away, as with a reload from disk of what is not saved. What was undecided in it is again, if
// it is remembered; else it is Follow.
func (d *Doc) ThrowAway(t text.Text) (lost, back []Hunk) {
	d.settled()
	if !d.Had(t) {
		return d.Follow(t, AuthorUser)
	}
	if d.text.Equal(t) {
		return nil, nil
	}
	return d.takeOver(t, AuthorUser, thrownAway), nil
}

// taking is what has brought the text that a document takes over.
type taking int

const (
	resumed taking = iota // it was found at the start
	undone
	followed
	thrownAway
)

// takeOver makes t of the text, and lists the pending hunks of which nothing is left. Unless
// it is resumed, rows that a hunk took out are not left by themselves: they belong to what it
// put in, or to the rows beside them.
func (d *Doc) takeOver(t text.Text, author Author, how taking) (lost []Hunk) {
	known := func(m mark) bool { return m != 0 && d.origins[m].Author != AuthorUnknown }
	list := d.rejections(func(r row) (ins, del bool) { return known(r.ins), known(r.del) })
	for _, r := range list {
		r.before, r.after = around(d.text, r.at, r.at+r.was)
		r.n, r.hunk.Lost = r.was, true
		d.rejected = append(slices.Clip(d.rejected), r) // where it moves along
	}
	recalled := d.userText(t, author, how == thrownAway)
	d.settled()
	if how == undone && recalled {
		d.unlist(list)
		return nil
	}
	if how != resumed && how != undone && !recalled { // else all that is undecided belongs to the text as it was
		d.dropOrphans(list)
	}
	left := undecidedIDs(d.runs)
	d.rejected = slices.DeleteFunc(slices.Clone(d.rejected), func(r *rejection) bool {
		if !slices.ContainsFunc(list, func(x *rejection) bool { return x.hunk.ID == r.hunk.ID }) {
			return false
		}
		if slices.ContainsFunc(r.rows, func(x rejectedRow) bool { return x.chosen && left[x.id] }) {
			return true
		}
		if r.hunk.Lost { // else it was rejected when the text was this one before
			lost = append(lost, r.hunk)
		}
		return false
	})
	d.rev++
	d.listed = nil
	return lost
}

// unlist takes rejections out of the list, and out of what is remembered of the present text.
func (d *Doc) unlist(list []*rejection) {
	without := func(all []*rejection) []*rejection {
		return slices.DeleteFunc(slices.Clone(all), func(r *rejection) bool {
			return slices.ContainsFunc(list, func(x *rejection) bool { return x.hunk.ID == r.hunk.ID && r.hunk.Lost })
		})
	}
	d.rejected = without(d.rejected)
	if i := len(d.memory) - 1; i >= 0 && !d.elsewhere(d.memory[i]) {
		m := *d.memory[i]
		m.rejected = without(m.rejected)
		d.memory = append(slices.Clone(d.memory[:i]), &m)
	}
	d.rev++
	d.listed = nil
}

// dropOrphans takes rows out of the baseline that a hunk had taken out of the text, where
// nothing is left of what it had put in or, if that was nothing, of the rows beside them.
func (d *Doc) dropOrphans(list []*rejection) {
	there := map[uint64]bool{} // rows that are in the text
	type place struct {
		at            int
		before, after string
	}
	tombs := map[uint64]place{} // rows that are not, with those beside them
	for _, r := range d.runs {
		at := r.at
		replaced := slices.ContainsFunc(r.rows, func(x row) bool { return x.agents() && x.inText() })
		for _, x := range r.rows {
			if x.inText() {
				there[x.id] = true
				at++
				continue
			}
			if replaced { // by whatever hunk
				continue
			}
			before, after := around(d.text, at, at)
			tombs[x.id] = place{at, before[0], after[0]}
		}
	}
	orphans := map[uint64]bool{}
	for _, r := range list {
		put, left, beside := false, false, false
		for _, x := range r.rows {
			if !x.chosen {
				continue
			}
			put = put || x.agents()
			left = left || x.agents() && there[x.id]
			p, ok := tombs[x.id]
			beside = beside || ok && (p.before == r.before[0] || p.after == r.after[0])
		}
		if put && left || !put && beside {
			continue
		}
		gone := *r
		for _, x := range r.rows {
			if p, tomb := tombs[x.id]; tomb && x.chosen {
				orphans[x.id] = true
				gone.at, gone.n = p.at, 0
			}
		}
		if !slices.ContainsFunc(d.rejected, func(x *rejection) bool { return x.hunk.ID == r.hunk.ID }) {
			d.rejected = append(slices.Clip(d.rejected), &gone)
		}
	}
	if len(orphans) == 0 {
		return
	}
	// Nobody has decided on them: with the text of before they are back.
	d.begin()
	var splices []splice
	for _, r := range d.runs {
		if slices.ContainsFunc(r.rows, func(x row) bool { return orphans[x.id] }) {
			w := d.window(r.at, r.at+r.n)
			rows := slices.DeleteFunc(slices.Clone(w.rows), func(x row) bool { return orphans[x.id] })
			splices = append(splices, splice{window: w, rows: d.settleRows(rows)})
		}
	}
	d.put(splices)
	d.end()
}

// bringBackLost restores the lost hunks that lie between the text and t: those by which the
// text comes nearer to t by as much as they change it.
func (d *Doc) bringBackLost(t text.Text) (back []Hunk) {
	for _, r := range d.rejected {
		if !r.hunk.Lost {
			continue
		}
		with := d.Clone()
		if done, _ := with.Restore([]string{r.hunk.ID}); len(done) == 0 {
			continue
		}
		if differing(d.text, with.text)+differing(with.text, t) <= differing(d.text, t) {
			*d = *with
			back = append(back, r.hunk)
		}
	}
	return back
}

// differing counts the rows in which two texts differ.
func differing(a, b text.Text) int {
	lo, hi, nhi := changedRows(a, b, 0)
	n := 0
	for _, e := range linediff.Diff(a.Lines(lo, hi), b.Lines(lo, nhi)) {
		n += e.A1 - e.A0 + e.B1 - e.B0
	}
	return n
}
