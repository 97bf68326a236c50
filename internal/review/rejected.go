package review

import (
	"slices"

	"acp-ls/buffers/text"
)

// rejection is a hunk that was rejected, and may be brought back.
type rejection struct {
	hunk  Hunk
	rows  []rejectedRow
	at, n int // the rows of the text that it would replace
	was   int // rows it had in the text
	lead  int // rows in front of at that hunk's texts begin with

	before, after []string // the rows around it, nearest first; an edge of the text is one too
}

// rejectedRow is a row of a rejected hunk as it was.
type rejectedRow struct {
	row
	chosen bool // its marks were rejected
	stays  bool // it is in the text without the hunk
}

// edge stands for the start or end of the text among the rows around a hunk: no row holds it.
const edge = "\n"

// maxContext is how many rows around a rejected hunk are kept.
const maxContext = 3

// rejections returns what rejecting the chosen marks takes out of the document, in order.
func (d *Doc) rejections(which func(row) (ins, del bool)) []*rejection {
	var out []*rejection
	for _, s := range d.stretches() {
		r := &rejection{at: s.at, was: s.n}
		h := Hunk{State: StateRejected}
		whole := true // all marks of the stretch are chosen
		first := uint64(0)
		for _, x := range s.rows {
			ins, del := which(x)
			ins, del = ins && x.ins != 0, del && x.del != 0
			for _, m := range chosenMarks(x, ins, del) {
				if !slices.ContainsFunc(h.Origins, func(o Origin) bool { return o.Change == d.origins[m].Change }) {
					h.Origins = append(h.Origins, d.origins[m])
				}
			}
			whole = whole && ins == (x.ins != 0) && del == (x.del != 0)
			if !ins && !del && !x.inText() {
				continue
			}
			if first == 0 && (ins || del) {
				first = x.id
			}
			h.Mixed = h.Mixed || ins && x.mixed()
			r.rows = append(r.rows, rejectedRow{row: x, chosen: ins || del, stays: !ins && (x.inText() || del)})
		}
		if first == 0 {
			continue
		}
		for _, x := range r.rows {
			if x.stays {
				r.n++
			}
		}
		if p, ok := d.pendingHunk(s); ok && whole {
			h.ID, h.Text, h.BaseText, h.Gone = p.hunk.ID, p.hunk.Text, p.hunk.BaseText, p.hunk.Gone
			r.lead = s.at - p.hunk.StartLine
		} else {
			last := s.at+s.n == d.text.LineCount()
			var now []row
			for _, x := range r.rows {
				if x.stays {
					now = append(now, x.row)
				}
			}
			h.Text, h.Gone = d.join(s.rows, row.inText, last), d.join(s.rows, row.ghost, false)
			h.BaseText = d.join(now, func(row) bool { return true }, last)
			h.ID = hunkID(h, first)
		}
		r.hunk = h
		out = append(out, r)
	}
	return out
}

func chosenMarks(x row, ins, del bool) []mark {
	var out []mark
	if ins {
		out = append(out, x.ins)
	}
	if del {
		out = append(out, x.del)
	}
	return out
}

// reject lists rejections, made before their rows were taken out of the text.
func (d *Doc) reject(list []*rejection) {
	for _, r := range slices.Backward(list) {
		d.moveAnchors(r.at, r.was, r.n)
	}
	delta := 0
	anew := make(map[string]bool, len(list))
	for _, r := range list {
		r.at += delta
		delta += r.n - r.was
		r.before, r.after = around(d.text, r.at, r.at+r.n)
		anew[r.hunk.ID] = true
	}
	d.rejected = slices.DeleteFunc(slices.Clone(d.rejected), func(x *rejection) bool { return anew[x.hunk.ID] })
	d.rejected = append(d.rejected, list...)
}

// around returns the rows in front of row from and those from row to on, nearest first.
func around(t text.Text, from, to int) (before, after []string) {
	for i := from - 1; len(before) < maxContext; i-- {
		if i < 0 {
			before = append(before, edge)
			break
		}
		before = append(before, t.Line(i))
	}
	for i := to; len(after) < maxContext; i++ {
		if i >= t.LineCount() {
			after = append(after, edge)
			break
		}
		after = append(after, t.Line(i))
	}
	return before, after
}

// Restore brings rejected hunks back, as pending ones: their text goes where the rows are
// that it would replace, or between the rows it stood between. A hunk whose place is not
// found is refused, and stays listed. Conflicts settled by TakeMine are open again.
func (d *Doc) Restore(ids []string) (done []string, refused []Refusal) {
	d.begin()
	for _, id := range ids {
		if i := slices.IndexFunc(d.conflicts, func(c *conflict) bool { return c.id == id && c.declined }); i >= 0 {
			d.decline(i, false)
			d.listed = nil
			done = append(done, id)
			continue
		}
		i := slices.IndexFunc(d.rejected, func(r *rejection) bool { return r.hunk.ID == id })
		if _, pending := d.list().pending[id]; i < 0 || pending {
			refused = append(refused, Refusal{id, "no rejected hunk of this id: it was brought back, by restore or by undo"})
			continue
		}
		with := d.Clone()
		with.takeOut(d.rejected[i]) // what of it is undecided again
		r := with.rejected[i]
		at, ok := with.place(r)
		if !ok {
			refused = append(refused, Refusal{id, "the text it would change, or stood in, is not there any more"})
			continue
		}
		*d = *with
		d.rejected = slices.Delete(slices.Clone(d.rejected), i, i+1)
		d.bringBack(r, at)
		d.listed = nil
		d.dropUndecided() // others that hold the same rows
		done = append(done, id)
	}
	if len(done) > 0 {
		d.anchor = nil
		d.end()
	}
	return done, refused
}

// place returns the text row that a rejected hunk would begin at.
func (d *Doc) place(r *rejection) (int, bool) {
	var staying []string
	for _, x := range r.rows {
		if x.stays {
			staying = append(staying, x.text)
		}
	}
	lines := d.text.Lines(0, d.text.LineCount())
	thick := slices.ContainsFunc(staying, func(s string) bool { return !thin(s) })
	best, found, bestScore := 0, false, 0
	for at := 0; at+len(staying) <= len(lines); at++ {
		if !slices.Equal(lines[at:at+len(staying)], staying) {
			continue
		}
		score := 2 * matching(r, lines, at, at+len(staying))
		if thick {
			score += 4
		}
		if at == r.at {
			score++
		}
		if score < 4 {
			continue
		}
		if !found || score > bestScore || score == bestScore && distance(at, r.at) < distance(best, r.at) {
			best, found, bestScore = at, true, score
		}
	}
	return best, found
}

func distance(a, b int) int { return max(a-b, b-a) }

// matching says how well the rows around [from, to) agree with those that were around r:
// one point for each row, nearest first, up to the first that differs.
func matching(r *rejection, lines []string, from, to int) int {
	n := 0
	for i, s := range r.before {
		k := from - 1 - i
		if s == edge && k == -1 || k >= 0 && lines[k] == s {
			n++
			continue
		}
		break
	}
	for i, s := range r.after {
		k := to + i
		if s == edge && k == len(lines) || k < len(lines) && lines[k] == s {
			n++
			continue
		}
		break
	}
	return n
}

// bringBack puts the rows of a rejected hunk at text row at, where its place is.
func (d *Doc) bringBack(r *rejection, at int) {
	w := d.window(at, at+r.staying())
	alive := undecidedIDs(d.runs)
	var rows []row
	i, line := 0, w.lo
	copyRow := func(change func(*row)) {
		for i < len(w.rows) {
			x := w.rows[i]
			i++
			if x.inText() {
				line++
				change(&x)
				rows = append(rows, x)
				return
			}
			rows = append(rows, x)
		}
	}
	for line < at {
		copyRow(func(*row) {})
	}
	for _, x := range r.rows {
		switch {
		case !x.stays:
			if alive[x.id] {
				x.id = d.id()
			}
			rows = append(rows, x.row)
		case x.chosen: // its deletion comes back
			copyRow(func(now *row) {
				now.del, now.mine = x.del, false
				if now.id == 0 && !alive[x.id] {
					now.id = x.id
				} else if now.id == 0 {
					now.id = d.id()
				}
			})
		default:
			copyRow(func(*row) {})
		}
	}
	rows = append(rows, w.rows[i:]...)
	d.moveAnchors(at, r.staying(), textRows(rowsWere(r)))
	d.putText([]splice{{window: w, rows: d.settleRows(rows)}})
}

func (r *rejection) staying() int {
	n := 0
	for _, x := range r.rows {
		if x.stays {
			n++
		}
	}
	return n
}

func rowsWere(r *rejection) []row {
	out := make([]row, len(r.rows))
	for i, x := range r.rows {
		out[i] = x.row
	}
	return out
}

// recallRejected lists what was rejected when m was taken down, or has been since, but for
// what is undecided again.
func (d *Doc) recallRejected(m *moment) {
	list := slices.Clone(m.rejected)
	for _, r := range d.rejected {
		if !slices.ContainsFunc(list, func(x *rejection) bool { return x.hunk.ID == r.hunk.ID }) {
			list = append(list, r)
		}
	}
	d.rejected = list
}

// dropUndecided drops the rejected hunks whose rows are all undecided again. A row in which
// the user had typed counts only with the user's words. Beside others one that was in neither text does
// not count, nor the empty one that stands for a final terminator: undo may bring back the rows without.
func (d *Doc) dropUndecided() {
	if len(d.rejected) == 0 {
		return
	}
	back := map[uint64]*string{} // the text of rows that are undecided again
	for _, r := range d.rejected {
		for _, x := range r.rows {
			if x.chosen {
				back[x.id] = nil
			}
		}
	}
	for _, r := range d.runs {
		for i, x := range r.rows {
			if _, ok := back[x.id]; ok && x.undecided() {
				back[x.id] = &r.rows[i].text
			}
		}
	}
	shows := func(x rejectedRow) bool { return x.chosen && !x.hidden() }
	pending := func(r *rejection) bool {
		some := false
		for i, x := range r.rows {
			if text := back[x.id]; x.chosen && (text == nil || x.mixed() && *text != x.text) {
				if x.hidden() && slices.ContainsFunc(r.rows, shows) {
					continue
				}
				return some && i == len(r.rows)-1 && x.text == "" && x.ins != 0
			}
			some = some || x.chosen
		}
		return true
	}
	if slices.ContainsFunc(d.rejected, pending) {
		d.rejected = slices.DeleteFunc(slices.Clone(d.rejected), pending)
	}
}
