package review

import "slices"

// reasonGone is why a decision about a hunk that is not listed is refused.
const reasonGone = "the hunk is no longer there: it was decided, or the text in it has changed"

// Accept makes pending hunks part of the baseline. The text stays as it is. IDs of hunks that
// are not pending are refused, the others are done.
func (d *Doc) Accept(ids []string) (done []string, refused []Refusal) {
	rows, done, refused := d.chosen(ids)
	if len(done) > 0 {
		d.decideRows(true, func(r row) (ins, del bool) { return rows[r.id], rows[r.id] })
	}
	return done, refused
}

// Reject takes pending hunks out of the text. The baseline stays as it is. The hunks stay
// listed as rejected until [Doc.Restore] brings them back.
func (d *Doc) Reject(ids []string) (done []string, refused []Refusal) {
	rows, done, refused := d.chosen(ids)
	if len(done) > 0 {
		d.decideRows(false, func(r row) (ins, del bool) { return rows[r.id], rows[r.id] })
	}
	return done, refused
}

// AcceptChanges accepts what these changes did, row by row, wherever it is; what other
// changes did in the same hunks stays undecided. It returns the IDs of the hunks, as they
// were, in which something was decided. This is how one turn, or one session, is decided.
func (d *Doc) AcceptChanges(changes ...ChangeID) []string { return d.decideChanges(true, changes) }

// RejectChanges rejects like [Doc.AcceptChanges] accepts. What it takes out is listed as
// rejected, hunk by hunk.
func (d *Doc) RejectChanges(changes ...ChangeID) []string { return d.decideChanges(false, changes) }

func (d *Doc) decideChanges(accept bool, changes []ChangeID) []string {
	chosen := func(m mark) bool {
		return m != 0 && d.origins[m].Author != AuthorUnknown && slices.Contains(changes, d.origins[m].Change)
	}
	l := d.list()
	var done []string
	rows := map[uint64]bool{}
	for _, h := range l.hunks {
		p, ok := l.pending[h.ID]
		if !ok || !slices.ContainsFunc(p.all, func(r row) bool { return chosen(r.ins) || chosen(r.del) }) {
			continue
		}
		done = append(done, h.ID)
		for r := range p.rows {
			rows[r] = true
		}
	}
	if len(done) > 0 {
		d.decideRows(accept, func(r row) (ins, del bool) { return rows[r.id] && chosen(r.ins), rows[r.id] && chosen(r.del) })
	}
	return done
}

// chosen returns the marked rows of the pending hunks among ids.
func (d *Doc) chosen(ids []string) (rows map[uint64]bool, done []string, refused []Refusal) {
	l := d.list()
	rows = map[uint64]bool{}
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		p, ok := l.pending[id]
		if !ok {
			refused = append(refused, Refusal{id, reasonGone})
			continue
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		done = append(done, id)
		for r := range p.rows {
			rows[r] = true
		}
	}
	return rows, done, refused
}

// decideRows decides the marks of rows that which chooses.
func (d *Doc) decideRows(accept bool, which func(row) (ins, del bool)) {
	d.begin()
	var rejected []*rejection
	if !accept {
		rejected = d.rejections(which)
	}
	splices, accepted := d.decidedRows(accept, which)
	if accept {
		d.put(splices)
		d.acceptReplaced(accepted)
	} else {
		d.putText(splices)
		d.reject(rejected)
	}
	d.anchor = nil
	d.end()
}

// decidedRows returns what the marks that which chooses leave of the rows, and which of those stood
// together if they are accepted.
func (d *Doc) decidedRows(accept bool, which func(row) (ins, del bool)) (splices []splice, accepted together) {
	for _, r := range d.runs {
		if !slices.ContainsFunc(r.rows, func(x row) bool { i, d := which(x); return i && x.ins != 0 || d && x.del != 0 }) {
			continue
		}
		w := d.window(r.at, r.at+r.n)
		if accept {
			accepted.add(w.rows, which)
		}
		rows := make([]row, 0, len(w.rows))
		for _, x := range w.rows {
			if !x.undecided() {
				rows = append(rows, x)
				continue
			}
			ins, del := which(x)
			y, stays := d.decide(x, accept, ins, del)
			if stays {
				rows = append(rows, y)
			}
		}
		splices = append(splices, splice{window: w, rows: d.settleRows(rows)})
	}
	return splices, accepted
}

// together says which deleted rows, and which agents' rows, stood together when they were accepted.
type together struct {
	of  map[uint64]int // by the deleted row: which of put
	put [][]uint64
}

// add adds the rows among these whose acceptance which says.
func (t *together) add(rows []row, which func(row) (ins, del bool)) {
	for i := 0; i < len(rows); i++ {
		var put []uint64
		for ; i < len(rows) && rows[i].undecided(); i++ {
			switch ins, del := which(rows[i]); {
			case del && rows[i].tomb():
				if t.of == nil {
					t.of = map[uint64]int{}
				}
				t.of[rows[i].id] = len(t.put)
			case ins && rows[i].agents():
				put = append(put, rows[i].id)
			}
		}
		t.put = append(t.put, put)
	}
}

// replaced returns the agents' rows among undecided rows that stand together with a deleted one that
// was accepted with agents' rows of which some are not here: those took the place of some of these.
func (t *together) replaced(rows []row) (ids []uint64) {
	for i := 0; i < len(rows); i++ {
		from := i
		here, of := map[uint64]bool{}, map[int]bool{}
		for ; i < len(rows) && rows[i].undecided(); i++ {
			if k, ok := t.of[rows[i].id]; ok && rows[i].tomb() {
				of[k] = true
			}
			here[rows[i].id] = true
		}
		others := false
		for k := range of {
			others = others || slices.ContainsFunc(t.put[k], func(id uint64) bool { return !here[id] })
		}
		if !others {
			continue
		}
		for _, r := range rows[from:i] {
			if r.agents() {
				ids = append(ids, r.id)
			}
		}
	}
	return ids
}

// acceptReplaced accepts the agents' rows of remembered texts that others have taken the place of
// which were just accepted. What a deleted row had of the user's is in no other row then, so one
// of those is the user's where undo brings it back.
func (d *Doc) acceptReplaced(t together) {
	if len(t.of) == 0 {
		return
	}
	now := undecidedIDs(d.runs)
	seen := map[*row]bool{} // moments share what has not changed between them
	for _, m := range d.memory {
		for _, r := range m.runs {
			if len(r.rows) == 0 || seen[&r.rows[0]] {
				continue
			}
			seen[&r.rows[0]] = true
			for _, id := range t.replaced(r.rows) {
				if !now[id] {
					now[id] = true // once is enough
					d.decided = append(d.decided, decision{id, false, d.seq})
				}
			}
		}
	}
}

// decide returns what becomes of a row when its marks are decided; false: it is gone.
func (d *Doc) decide(x row, accept, ins, del bool) (row, bool) {
	ins, del = ins && x.ins != 0, del && x.del != 0
	if accept {
		if ins {
			d.decided = append(d.decided, decision{x.id, false, d.seq})
		}
		if del {
			d.decided = append(d.decided, decision{x.id, true, d.seq})
			return x, false
		}
		if ins {
			x.ins, x.user = 0, nil
		}
	} else {
		if ins {
			return x, false
		}
		if del {
			x.del = 0
		}
	}
	if !x.undecided() {
		x = x.plain()
	}
	return x, true
}
