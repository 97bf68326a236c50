package review

import (
	"fmt"
	"slices"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// proposed is what agents ask for and nobody has decided: it is in neither the text nor the
// baseline. It stands beside the rows and is never written to, so that clones share it.
type proposed struct {
	list []proposal // in the order in which they were made
	in   text.Text  // whose rows they are anchored to
}

// proposal is one change that is asked for: rows that would take the place of others.
type proposal struct {
	origin Origin
	seq    uint64   // tells it from others that are otherwise the same
	at, n  int      // the rows of the text that it would replace
	base   []string // what they were when it was made
	rows   []row

	take   Take   // what is to become of it
	marked string // the ID of the hunk of which that was said
}

// Propose lists what would make want of the text as proposed hunks of o, and returns their
// IDs in the order of the text: none if nothing but terminators would change. Neither the text
// nor the baseline changes, now or when the proposal is marked or withdrawn.
//
// Proposals move along with the text. Where the rows that one would replace are others now,
// its hunk is a conflict, as there is something of somebody else's to lose; where they are
// again what they were, it is a proposal again. One whose rows are there already is not listed.
// Proposals are no part of what is kept of a document elsewhere.
func (d *Doc) Propose(o Origin, want text.Text) []string {
	lo, hi, nhi := changedRows(d.text, want, diffContext)
	if d.text.Equal(want) {
		return nil
	}
	old, new := rowsOf(d.text, lo, hi), rowsOf(want, lo, nhi)
	edits := joinThin(linediff.Diff(withoutLast(texts(old), texts(new), hi == d.text.LineCount())), old)
	if len(edits) == 0 {
		return nil
	}
	d.seq++
	next := proposed{in: d.text}
	if d.proposed != nil {
		next.list = slices.Clone(d.proposed.list)
	}
	var made []proposal
	for _, e := range edits {
		made = append(made, proposal{
			origin: o, seq: d.id(), at: lo + e.A0, n: e.A1 - e.A0,
			base: texts(old[e.A0:e.A1]), rows: slices.Clone(new[e.B0:e.B1]),
		})
	}
	next.list = append(next.list, made...)
	d.proposed = &next
	d.end()
	ids := make([]string, len(made))
	for i, p := range made {
		ids[i] = d.proposedHunk(p).ID
	}
	return ids
}

// joinThin joins edits that are parted by a few thin rows, as pending hunks are.
func joinThin(edits []linediff.Edit, old []row) []linediff.Edit {
	var out []linediff.Edit
	for _, e := range edits {
		if last := len(out) - 1; last >= 0 {
			gap := old[out[last].A1:e.A0]
			if len(gap) <= maxGap && !slices.ContainsFunc(gap, func(r row) bool { return !thin(r.text) }) {
				out[last].A1, out[last].B1 = e.A1, e.B1
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// Proposing reports whether there is any proposal.
func (d *Doc) Proposing() bool { return d.proposed != nil }

// Proposes reports whether there is any proposal of a change, listed or not.
func (d *Doc) Proposes(change ChangeID) bool {
	return slices.ContainsFunc(d.proposals(), func(p proposal) bool { return p.origin.Change == change })
}

// Proposals returns the hunks of a change that is proposed, in the order of the text. Their
// state is StateProposed, or StateConflict where the rows are no longer what they were.
func (d *Doc) Proposals(change ChangeID) []Hunk {
	var out []Hunk
	for _, p := range d.proposals() {
		if p.origin.Change == change && !d.moot(p) {
			out = append(out, d.proposedHunk(p))
		}
	}
	slices.SortStableFunc(out, func(a, b Hunk) int { return a.StartLine - b.StartLine })
	return out
}

// Mark says what is to become of a proposal: TakeTheirs, TakeMine, or, of a conflict, TakeBoth.
// Nothing comes of it by itself, see [Doc.WithMarked]. The mark is of the hunk as it is: it
// does not hold while the rows are others.
func (d *Doc) Mark(id string, take Take) error {
	for i, p := range d.proposals() {
		if d.moot(p) {
			continue
		}
		h := d.proposedHunk(p)
		if h.ID != id {
			continue
		}
		if take != TakeMine && take != TakeTheirs && (take != TakeBoth || h.State != StateConflict) {
			return fmt.Errorf("proposal %s: cannot take %q", id, take)
		}
		d.seq++
		next := proposed{list: slices.Clone(d.proposed.list), in: d.proposed.in}
		next.list[i].take, next.list[i].marked = take, id
		d.proposed = &next
		d.end()
		return nil
	}
	return fmt.Errorf("proposal %s: %s", id, reasonGone)
}

// WithMarked returns the text as it would be with the proposals of a change that are marked to
// be taken, by TakeTheirs or TakeBoth.
func (d *Doc) WithMarked(change ChangeID) text.Text {
	type replacement struct {
		at, n int
		rows  []row
	}
	all := rowsOf(d.text, 0, d.text.LineCount())
	var list []replacement
	for _, p := range d.proposals() {
		if p.origin.Change != change || d.moot(p) {
			continue
		}
		switch h := d.proposedHunk(p); h.Marked {
		case TakeTheirs:
			list = append(list, replacement{p.at, p.n, p.rows})
		case TakeBoth:
			list = append(list, replacement{p.at + p.n, 0, p.rows})
		}
	}
	slices.SortStableFunc(list, func(a, b replacement) int { return a.at - b.at })
	before := len(all)
	for _, r := range slices.Backward(list) {
		end := max(r.at, min(r.at+r.n, before))
		all = slices.Replace(all, r.at, end, r.rows...)
		before = r.at
	}
	return text.New(d.join(all, func(row) bool { return true }, true))
}

// Withdraw drops the proposals of changes that are not to be kept.
func (d *Doc) Withdraw(keep func(ChangeID) bool) {
	gone := func(p proposal) bool { return !keep(p.origin.Change) }
	if !slices.ContainsFunc(d.proposals(), gone) {
		return
	}
	d.seq++
	list := slices.DeleteFunc(slices.Clone(d.proposed.list), gone)
	if d.proposed = nil; len(list) > 0 {
		d.proposed = &proposed{list: list, in: d.text}
	}
	d.end()
}

// proposals returns them as they stand in the text, also in the middle of an operation.
func (d *Doc) proposals() []proposal {
	if d.proposed == nil {
		return nil
	}
	d.followText()
	return d.proposed.list
}

// proposedHunk returns the hunk of a proposal.
func (d *Doc) proposedHunk(p proposal) Hunk {
	at, now, rows := p.at, rowsOf(d.text, p.at, p.at+p.n), p.rows
	h := Hunk{State: StateProposed, Origins: []Origin{p.origin}, EndLine: p.at + p.n}
	if !slices.Equal(texts(now), p.base) {
		h.State = StateConflict
	}
	last := h.EndLine == d.text.LineCount()
	if last && at > 0 && (len(now) == 0 || len(rows) == 0) {
		// One of the two ends in the row before, so that its terminator is what differs.
		at--
		rows = slices.Concat(rowsOf(d.text, at, at+1), rows)
	}
	h.StartLine = at
	h.BaseText = d.text.Slice(d.text.LineStart(at), d.text.LineStart(h.EndLine))
	h.Text = d.join(rows, func(row) bool { return true }, last)
	named := h
	named.Gone = string(StateProposed) // else it could have the ID of what is made of it
	h.ID = hunkID(named, p.seq)
	if p.marked == h.ID {
		h.Marked = p.take
	}
	return h
}

// moot reports whether the rows of a proposal stand there already.
func (d *Doc) moot(p proposal) bool {
	return p.n == len(p.rows) && slices.Equal(texts(rowsOf(d.text, p.at, p.at+p.n)), texts(p.rows))
}

// followText moves the proposals along with the text.
func (d *Doc) followText() {
	if d.proposed == nil || d.proposed.in == d.text {
		return
	}
	lo, hi, nhi := changedRows(d.proposed.in, d.text, diffContext)
	old, new := rowsOf(d.proposed.in, lo, hi), rowsOf(d.text, lo, nhi)
	edits := linediff.Diff(withoutLast(texts(old), texts(new), hi == d.proposed.in.LineCount()))
	next := proposed{list: slices.Clone(d.proposed.list), in: d.text}
	for i := range next.list {
		p := &next.list[i]
		for _, e := range slices.Backward(edits) {
			p.move(lo+e.A0, e.A1-e.A0, e.B1-e.B0)
		}
		p.find(d.text)
	}
	d.proposed = &next
}

// move moves the anchor along with an edit that replaced rows [at, at+old) by n others. What
// is put in at an edge is somebody else's, unless rows are missing: then it may be these.
func (p *proposal) move(at, old, n int) {
	from, to, lost := p.at, p.at+p.n, p.n < len(p.base)
	switch {
	case old == 0 && lost && (at == from || at == to):
		p.n += n
	case at+old <= from:
		p.at += n - old
	case at >= to:
	case len(p.base) == 0: // it stands between rows
		p.at = at + min(from-at, n)
	default:
		p.at = min(from, at)
		if at+old <= to {
			p.n = to + n - old - p.at
		} else {
			p.n = at + n - p.at
		}
	}
}

// find looks for the rows that the proposal would replace among more.
func (p *proposal) find(t text.Text) {
	k := len(p.base)
	if k == 0 || p.n <= k {
		return
	}
	lines, found := t.Lines(p.at, p.at+p.n), -1
	for i := 0; i+k <= len(lines); i++ {
		if slices.Equal(lines[i:i+k], p.base) {
			if found >= 0 {
				return
			}
			found = i
		}
	}
	if found >= 0 {
		p.at, p.n = p.at+found, k
	}
}
