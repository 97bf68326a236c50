package review

import (
	"slices"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// TakeAway takes over a text that git has put in the place of the document's while an agent
// was at work (rule 8): nobody knows whose git it was, so the baseline stays as it was.
// Pending hunks of which the text has nothing left are listed as rejected and Lost, and
// returned as lost; what [Doc.BringBack] finds is returned as back. The rest of the difference
// is the change of o.
func (d *Doc) TakeAway(t text.Text, o Origin) (lost, back []Hunk) {
	if d.text.Equal(t) {
		return nil, nil
	}
	back = d.BringBack(t)
	var ids []string
	for _, h := range d.Hunks(StatePending) {
		if p := d.list().pending[h.ID]; d.takesOut(p, t) {
			ids = append(ids, h.ID)
			lost = append(lost, h)
		}
	}
	if len(ids) > 0 {
		d.Reject(ids)
		for i := range lost {
			lost[i].State, lost[i].Lost = StateRejected, true
		}
		rejected := slices.Clone(d.rejected)
		for i, r := range rejected {
			if slices.Contains(ids, r.hunk.ID) {
				of := *r
				of.hunk.Lost = true
				rejected[i] = &of
			}
		}
		d.rejected = rejected
	}
	d.agentEdit(t, o, false) // what is lost stays so
	return lost, back
}

// takesOut reports whether t has nothing left of a pending hunk: no row that it put in or, if
// that was none, all the rows that it took out.
func (d *Doc) takesOut(p pending, t text.Text) bool {
	var put []int // the rows of the text that it put in, those that say something if there are any
	says := false
	at := p.hunk.EndLine - textRows(p.all)
	for _, x := range p.all {
		if !x.inText() {
			continue
		}
		if x.agents() && (!says || !thin(x.text)) {
			if !says && !thin(x.text) {
				says, put = true, nil
			}
			put = append(put, at)
		}
		at++
	}
	if len(put) == 0 {
		if !slices.ContainsFunc(p.all, row.tomb) {
			return false
		}
		with := d.Clone()
		with.Reject([]string{p.hunk.ID})
		return between(d.text, with.text, t)
	}
	lo, hi, nhi := changedRows(d.text, t, diffContext)
	edits := linediff.Diff(d.text.Lines(lo, hi), t.Lines(lo, nhi))
	return !slices.ContainsFunc(put, func(i int) bool {
		return !slices.ContainsFunc(edits, func(e linediff.Edit) bool { return lo+e.A0 <= i && i < lo+e.A1 })
	})
}

// between reports whether b lies between a and c: all in which it differs from a, c does too.
func between(a, b, c text.Text) bool {
	return differing(a, b)+differing(b, c) <= differing(a, c)
}

// BringBack makes the lost hunks pending again whose text t has, which somebody has put in
// the place of the text, and returns them. The baseline stays as it was, and the text
// becomes t, or comes nearer to it by what these hunks are.
func (d *Doc) BringBack(t text.Text) []Hunk {
	d.settled()
	if d.text.Equal(t) || !slices.ContainsFunc(d.rejected, func(r *rejection) bool { return r.hunk.Lost }) {
		return nil
	}
	if back := d.recallLost(t); len(back) > 0 {
		return back
	}
	return d.bringBackLost(t)
}

// AcceptLost accepts lost hunks, which are in no text just now: with their text they do not
// come back as something to decide on.
func (d *Doc) AcceptLost(ids []string) {
	chosen := func(r *rejection) bool { return r.hunk.Lost && slices.Contains(ids, r.hunk.ID) }
	if !slices.ContainsFunc(d.rejected, chosen) {
		return
	}
	d.begin()
	for _, r := range d.rejected {
		for _, x := range r.rows {
			if chosen(r) && x.chosen {
				d.decided = append(d.decided, decision{x.id, false, d.seq}, decision{x.id, true, d.seq})
			}
		}
	}
	d.rejected = slices.DeleteFunc(slices.Clone(d.rejected), chosen)
	d.end()
}

// recallLost takes the rows that are remembered with t, if there are lost hunks among them
// and the baseline is the same.
func (d *Doc) recallLost(t text.Text) (back []Hunk) {
	hash, base := t.Hash(), d.Baseline()
	for _, m := range slices.Backward(d.memory) {
		if m.hash != hash || m.len != t.Len() {
			continue
		}
		with := d.Clone()
		with.begin()
		with.text, with.runs, with.tail = t, d.sinceDecided(m), m.tail
		with.anchor = nil
		with.end()
		if !with.Baseline().Equal(base) {
			continue
		}
		for _, r := range d.rejected {
			if r.hunk.Lost && !slices.Contains(with.rejected, r) {
				back = append(back, r.hunk)
			}
		}
		if len(back) > 0 {
			*d = *with
			return back
		}
	}
	return nil
}
