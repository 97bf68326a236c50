package review

import "slices"

// knowAgain gives the rows that an edit has just marked, whose ids are higher than known, those of the
// rejected hunks that it has made again in their places. So what is undecided again, of which no text
// that is remembered tells, is not brought back beside itself: a document that is read anew from a disk
// which has what was rejected, and not saved, or an agent, or another program, that writes it once more.
func (d *Doc) knowAgain(known uint64) {
	if len(d.rejected) == 0 {
		return
	}
	marked, some := d.markedRows(known)
	if !some {
		return
	}
	alive := undecidedIDs(d.runs)
	lines := d.text.Lines(0, d.text.LineCount())
	for _, r := range slices.Backward(d.rejected) {
		if slices.ContainsFunc(r.rows, func(x rejectedRow) bool { return x.chosen && alive[x.id] }) {
			continue
		}
		for k, m := range r.foundIn(marked, lines) {
			rows := d.runs[m.run].rows
			if !m.own { // the run may be shared
				rows = slices.Clone(rows)
				d.runs[m.run].rows = rows
				for i := range marked {
					marked[i].own = marked[i].own || marked[i].run == m.run
				}
			}
			rows[m.i].id = k
			marked[m.n].anew = false
			alive[k] = true
		}
	}
}

// markedRow is an undecided row of a document: where it is in the runs, the text row it is or stands in
// front of, and whether the last edit has marked it.
type markedRow struct {
	row
	run, i, n int
	at        int
	anew, own bool
}

func (d *Doc) markedRows(known uint64) (out []markedRow, anew bool) {
	for k, r := range d.runs {
		at := r.at
		for i, x := range r.rows {
			if x.undecided() {
				out = append(out, markedRow{row: x, run: k, i: i, n: len(out), at: at, anew: x.id > known})
				anew = anew || x.id > known
			}
			if x.inText() {
				at++
			}
		}
	}
	return out, anew
}

// hidden reports whether x was in neither text, and without a word of the user's.
func (x rejectedRow) hidden() bool { return x.chosen && !x.stays && x.ghost() && !x.mixed() }

// again reports whether m is x, made once more: without what the user had typed in it, too.
func (x rejectedRow) again(m markedRow) bool {
	if !m.anew || (x.ins != 0) != (m.ins != 0) || (x.del != 0) != (m.del != 0) {
		return false
	}
	if m.text == x.text {
		return true
	}
	if !x.mixed() {
		return false
	}
	return sameInk(x.agentText(), m.text)
}

// foundIn returns which of the marked rows are those that r has rejected, by their ids; nil if those of
// them that were to be seen are not all there, in their order, where r was.
func (r *rejection) foundIn(marked []markedRow, lines []string) map[uint64]markedRow {
	var chosen []rejectedRow
	lead, trail, thick := 0, 0, false // rows of r that stay, around those
	for _, x := range r.rows {
		switch {
		case x.hidden():
		case x.chosen:
			chosen = append(chosen, x)
			thick, trail = thick || !thin(x.text), 0
		case x.stays && len(chosen) == 0:
			lead++
		case x.stays:
			trail++
		}
	}
	if n := len(chosen) - 1; n > 0 && chosen[n].text == "" && chosen[n].ins != 0 && len(lines[len(lines)-1]) > 0 {
		chosen = chosen[:n] // it stood for a final terminator
	}
	if len(chosen) == 0 {
		return nil
	}
	var best []markedRow
	bestNear, bestFar := 0, 0
	for i := range marked {
		here := follow(chosen, marked[i:])
		if here == nil {
			continue
		}
		from, last := here[0].at-lead, here[len(here)-1]
		to := last.at + trail
		if last.inText() {
			to++
		}
		near := matching(r, lines, from, to)
		far := min(distance(from, r.at), distance(to, r.at+r.n))
		if near < 2 && (far > 0 || near == 0 && !thick) && (near == 0 || !thick || far > maxContext) {
			continue
		}
		if best == nil || near > bestNear || near == bestNear && far < bestFar {
			best, bestNear, bestFar = here, near, far
		}
	}
	if best == nil {
		return nil
	}
	out := make(map[uint64]markedRow, len(chosen))
	for i, x := range chosen {
		out[x.id] = best[i]
	}
	return out
}

// follow returns the marked rows that are the chosen ones again, beginning with the first. Others that
// the same edit has marked may stand between, in one run.
func follow(chosen []rejectedRow, marked []markedRow) []markedRow {
	if !chosen[0].again(marked[0]) {
		return nil
	}
	var out []markedRow
	for _, m := range marked {
		switch {
		case chosen[len(out)].again(m):
			if out = append(out, m); len(out) == len(chosen) {
				return out
			}
		case !m.anew || m.run != out[len(out)-1].run:
			return nil
		}
	}
	return nil
}

// takeOut takes the rows of r out of the text that are undecided in it, unless the user has typed
// in them: they come back with the others of r, and what was typed in those, and not twice.
func (d *Doc) takeOut(r *rejection) {
	was := map[uint64]rejectedRow{}
	for _, x := range r.rows {
		if x.chosen {
			was[x.id] = x
		}
	}
	which := func(x row) (ins, del bool) {
		of, ok := was[x.id]
		ok = ok && (!x.mixed() || x.text == of.text)
		return ok && !of.stays, ok
	}
	list := d.rejections(which)
	if len(list) == 0 {
		return
	}
	splices, _ := d.decidedRows(false, which)
	d.putText(splices)
	for _, r := range slices.Backward(list) {
		d.moveAnchors(r.at, r.was, r.n)
	}
}
