package review

import (
	"fmt"
	"slices"

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
	d.eventStep(t, start, oldEnd, newEnd, AuthorUser, false)
}

// UndoStep is UserStep for one more step of an event whose steps change parts of the text that do
// not touch each other and end in a text which the document has had. The user has not typed
// one after the other, whatever the steps look like.
func (d *Doc) UndoStep(t text.Text, start, oldEnd, newEnd int) {
	d.eventStep(t, start, oldEnd, newEnd, AuthorUser, true)
}

// FormatterStep is to FormatterEdit what UserStep is to UserEdit.
func (d *Doc) FormatterStep(t text.Text, start, oldEnd, newEnd int) {
	d.eventStep(t, start, oldEnd, newEnd, AuthorFormatter, false)
}

func (d *Doc) userEdit(start, oldEnd int, newText string, author Author) {
	d.eventStep(d.text.Replace(start, oldEnd, newText), start, oldEnd, start+len(newText), author, false)
}

func (d *Doc) eventStep(t text.Text, start, oldEnd, newEnd int, author Author, more bool) {
	if t.Len()-newEnd != d.text.Len()-oldEnd {
		panic(fmt.Sprintf("review: %d bytes of %d became %d of %d", oldEnd-start, d.text.Len(), newEnd-start, t.Len()))
	}
	if d.text.Slice(start, oldEnd) == t.Slice(start, newEnd) {
		return
	}
	d.lapse(d.now())
	if d.moves(t, start, oldEnd, newEnd, author) {
		return
	}
	put := d.copying(t, start, oldEnd, newEnd, author)
	lo, hi, nhi := widen(d.text, t, start, oldEnd, newEnd)
	d.userStep(t, lo, hi, nhi, author, false, more)
	if d.copied = put; put != nil {
		put.seq = d.seq
	}
}

// userText is eventStep for a text that changed as a whole. recalled: it is a remembered one;
// thrown: what came after that is thrown away.
func (d *Doc) userText(t text.Text, author Author, thrown bool) (recalled bool) {
	if d.text.Equal(t) {
		return false
	}
	lo, hi, nhi := changedRows(d.text, t, 0)
	return d.userStep(t, lo, hi, nhi, author, thrown, false)
}

// userStep makes t of the text, which differ in the rows [lo, hi) and [lo, nhi). recalled: it
// is a remembered text, whose undecided state was taken. more: it is one more part of an event.
func (d *Doc) userStep(t text.Text, lo, hi, nhi int, author Author, thrown, more bool) (recalled bool) {
	d.seq++
	d.learnEnding(t, author)
	if len(d.memory) == 0 { // nothing was ever tracked
		d.text = t
		d.noteEarly()
		return false
	}
	now := d.now()
	d.lapse(now)
	if d.anchor == nil {
		d.anchor = d.still()
	}
	typed := d.typing(t, lo, hi, nhi, more)
	d.applyUser(t, lo, hi, nhi, author)
	if recalled = d.recall(typed, thrown); recalled {
		d.grown = d.grown.undid()
	}
	d.until = now.Add(provisional)
	d.end()
	return recalled
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
	d.applyEdits(t, lo, old, new, edits, paired, author)
}

// applyEdits carries out the edits that make the rows new of t of the rows old, both from
// row lo on.
func (d *Doc) applyEdits(t text.Text, lo int, old, new []row, edits []linediff.Edit, paired bool, author Author) {
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
		for _, g := range d.groups(edits[from:i], lo, nearRuns) {
			splices = append(splices, splice{window: g.window, rows: d.settleRows(e.rows(g))})
		}
	}
	d.anchorsAlong(edits, lo)
	d.put(splices)
	was := d.text
	d.text = t
	d.takeEnds(lo, lo+len(new))
	d.takeTurn(was)
	e.fillLimbo()
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

// takeTurn gives the rows that are not in the text its terminator, if the user has turned all
// those of the text was from one into another.
func (d *Doc) takeTurn(was text.Text) {
	if endingOf(was, 0) == endingOf(d.text, 0) {
		return
	}
	if from, to := onlyEnding(was), onlyEnding(d.text); from != noEnd && to != noEnd && from == d.eol {
		d.turnEnds(to)
	}
}

// turnEnds gives the rows that are not in the text e for the terminator that rows had.
func (d *Doc) turnEnds(e ending) {
	was := d.eol
	if was == e {
		return
	}
	d.eol = e
	var turned []window
	for i, r := range d.runs {
		rows := slices.Clone(r.rows)
		for j, x := range rows {
			if !x.inText() && x.end == was {
				rows[j].end = e
			}
		}
		turned = append(turned, window{lo: r.at, hi: r.at + r.n, first: i, last: i + 1, rows: rows})
	}
	d.resettle(turned)
	rejected := slices.Clone(d.rejected)
	for i, r := range rejected {
		c := *r
		c.rows = slices.Clone(c.rows)
		for j := range c.rows {
			if c.rows[j].end == was {
				c.rows[j].end = e
			}
		}
		rejected[i] = &c
	}
	d.rejected = rejected
}
