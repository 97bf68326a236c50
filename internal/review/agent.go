package review

import (
	"slices"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// AgentEdit takes over an edit by an agent, or by another program that is not the user's
// hand: the text is newText now, and what is gone or new in it is the change of o. The
// baseline stays as it was.
func (d *Doc) AgentEdit(newText text.Text, o Origin) {
	if o.Author.ours() {
		d.userText(newText, o.Author)
		return
	}
	if d.text.Equal(newText) {
		return
	}
	d.begin()
	d.learnEnding(newText, o.Author)
	lo, hi, nhi := changedRows(d.text, newText, diffContext)
	old, new := rowsOf(d.text, lo, hi), rowsOf(newText, lo, nhi)
	edits := linediff.Diff(withoutLast(texts(old), texts(new), hi == d.text.LineCount()))
	m := d.newMark(o)
	var splices []splice
	for _, g := range d.groups(edits, lo) {
		splices = append(splices, splice{window: g.window, rows: d.settleRows(d.agentRows(g, new, m))})
	}
	d.anchorsAlong(edits, lo)
	d.put(splices)
	d.text = newText
	d.takeEnds(old, new, edits, lo)
	d.anchor = nil
	d.end()
}

// diffContext is how many equal rows around a difference are compared with it, so that
// the difference can be slid along repeated rows to where a human would cut.
const diffContext = 64

// withoutLast returns the rows without their last ones, if the text ends with those and they
// are equal: new rows are put in front of the empty row behind the last terminator, not
// behind it.
func withoutLast(old, new []string, atEnd bool) ([]string, []string) {
	n, m := len(old)-1, len(new)-1
	if atEnd && n >= 0 && m >= 0 && old[n] == new[m] {
		return old[:n], new[:m]
	}
	return old, new
}

// changedRows returns the rows in which a and b differ: [lo, hi) of a are [lo, nhi) of b.
func changedRows(a, b text.Text, context int) (lo, hi, nhi int) {
	const block = 16 << 10
	n := min(a.Len(), b.Len())
	start := 0
	for start < n {
		step := min(block, n-start)
		x, y := a.Slice(start, start+step), b.Slice(start, start+step)
		if x != y {
			for i := range step {
				if x[i] != y[i] {
					start += i
					break
				}
			}
			break
		}
		start += step
	}
	end := 0
	for end < n-start {
		step := min(block, n-start-end)
		x := a.Slice(a.Len()-end-step, a.Len()-end)
		y := b.Slice(b.Len()-end-step, b.Len()-end)
		if x != y {
			for i := range step {
				if x[step-1-i] != y[step-1-i] {
					end += i
					break
				}
			}
			break
		}
		end += step
	}
	lo, hi, nhi = widen(a, b, start, a.Len()-end, b.Len()-end)
	more := min(context, lo)
	lo -= more
	more = min(context, a.LineCount()-hi)
	return lo, hi + more, nhi + more
}

// widen returns the whole rows around an edit that made b of a by replacing the bytes
// [start, oldEnd) with [start, newEnd): rows [lo, hi) of a became [lo, nhi) of b.
func widen(a, b text.Text, start, oldEnd, newEnd int) (lo, hi, nhi int) {
	first := start
	if first > 0 && a.Slice(first-1, first) == "\r" {
		first-- // a line feed behind it makes, or made, one terminator of the two
	}
	return a.LineOf(first), a.LineOf(oldEnd) + 1, b.LineOf(newEnd) + 1
}

// group is a window with the edits that fall into it. The edits' A rows are numbered from
// the window's first text row.
type group struct {
	window
	edits []linediff.Edit
}

// groups returns the windows that edits of the text rows from lo on need, ascending and apart.
func (d *Doc) groups(edits []linediff.Edit, lo int) []group {
	var out []group
	for i := 0; i < len(edits); {
		from, to := lo+edits[i].A0, lo+edits[i].A1
		j := i + 1
		for ; j < len(edits) && d.startOf(lo+edits[j].A0) <= d.endOf(to); j++ {
			to = lo + edits[j].A1
		}
		g := group{window: d.window(from, to)}
		for _, e := range edits[i:j] {
			e.A0, e.A1 = e.A0+lo-g.lo, e.A1+lo-g.lo
			g.edits = append(g.edits, e)
		}
		out = append(out, g)
		i = j
	}
	return out
}

// startOf returns the first text row of the runs that touch row at, or at.
func (d *Doc) startOf(at int) int {
	if first, last := d.touching(at, at); first < last {
		return min(at, d.runs[first].at)
	}
	return at
}

// endOf returns the row behind the runs that touch row at, or at.
func (d *Doc) endOf(at int) int {
	if first, last := d.touching(at, at); first < last {
		end := d.runs[last-1]
		return max(at, end.at+end.n)
	}
	return at
}

// agentRows carries out an agent's edits in a window: rows that are gone get del, new rows
// get ins (rule a, without the cancelling).
func (d *Doc) agentRows(g group, new []row, m mark) []row {
	var out []row
	i, at := 0, 0
	advance := func(to int, change func(row) (row, bool)) {
		for ; i < len(g.rows) && (at < to || !g.rows[i].inText()); i++ {
			r, keep := g.rows[i], true
			if r.inText() {
				at++
				r, keep = change(r)
			}
			if keep {
				out = append(out, r)
			}
		}
	}
	unchanged := func(r row) (row, bool) { return r, true }
	for _, e := range g.edits {
		advance(e.A0, unchanged)
		for at < e.A1 {
			r := g.rows[i]
			i++
			if r.inText() {
				at++
				if d.sameTurn(r.ins, m) && !r.mixed() {
					continue
				}
				r.del, r.mine = m, false
				if r.id == 0 {
					r.id = d.id()
				}
			}
			out = append(out, r)
		}
		for _, r := range new[e.B0:e.B1] {
			r.ins, r.id = m, d.id()
			out = append(out, r)
		}
	}
	advance(len(g.rows), unchanged)
	return out
}

// anchorsAlong moves the anchors along with edits of the text rows from lo on.
func (d *Doc) anchorsAlong(edits []linediff.Edit, lo int) {
	if len(d.rejected) == 0 && len(d.conflicts) == 0 {
		return
	}
	for _, e := range slices.Backward(edits) {
		d.moveAnchors(lo+e.A0, e.A1-e.A0, e.B1-e.B0)
	}
}

// takeEnds makes terminators those of the text, of which rows from lo on were old and are
// new. Where rows that stayed have been given other ones, so are the rows not in the text.
func (d *Doc) takeEnds(old, new []row, edits []linediff.Edit, lo int) {
	if len(d.runs) > 0 {
		d.renewEnds(lo, lo+len(new))
	}
	turned := false
	i, j := 0, 0
	stays := func(to int) {
		for ; i < to && !turned; i, j = i+1, j+1 {
			turned = old[i].end != new[j].end && old[i].end != noEnd && new[j].end != noEnd
		}
	}
	for _, e := range edits {
		stays(e.A0)
		i, j = e.A1, e.B1
	}
	stays(len(old))
	if turned {
		d.turnEnds(dominantEnding(d.text))
	}
}

// learnEnding takes the terminator for rows without one from t, the first text that has any.
// An agent's text must not turn those of a baseline that has made use of it.
func (d *Doc) learnEnding(t text.Text, author Author) {
	if d.eolKnown || t.LineCount() == 1 {
		return
	}
	d.eolKnown = true
	if author.ours() || d.Baseline().LineCount() == 1 {
		d.eol = dominantEnding(t)
	}
}

// turnEnds gives the rows that are not in the text e for the terminator that was dominant.
func (d *Doc) turnEnds(e ending) {
	was := d.eol
	if was == e {
		return
	}
	d.eol = e
	runs := slices.Clone(d.runs)
	for i := range runs {
		runs[i].rows = slices.Clone(runs[i].rows)
		for j, r := range runs[i].rows {
			if !r.inText() && r.end == was {
				runs[i].rows[j].end = e
			}
		}
	}
	d.runs = runs
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
