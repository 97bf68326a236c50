package review

import (
	"slices"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// AgentEdit takes over an edit by an agent, or by another program that is not the user's
// hand: the text is newText now, and what is gone or new in it is the change of o. A row
// that has another terminator now is gone and new. The baseline stays as it was.
func (d *Doc) AgentEdit(newText text.Text, o Origin) {
	d.agentEdit(newText, o, true)
}

// agentEdit is AgentEdit. again: what of it was rejected is undecided again.
func (d *Doc) agentEdit(newText text.Text, o Origin, again bool) {
	if o.Author.ours() {
		d.userText(newText, o.Author, false)
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
	edits = withTurned(edits, d.endsOf(lo, old), new)
	m, known := d.newMark(o), d.nextID
	var splices []splice
	for _, g := range d.groups(edits, lo, 0) {
		splices = append(splices, splice{window: g.window, rows: d.settleRows(d.agentRows(g, new, m))})
	}
	d.anchorsAlong(edits, lo)
	d.put(splices)
	d.text = newText
	d.takeEnds(lo, nhi)
	if again {
		d.knowAgain(known)
	}
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
// Those of edits at a run have the runs, too, of which a row is no further than reach from them.
func (d *Doc) groups(edits []linediff.Edit, lo, reach int) []group {
	type stretch struct{ from, to, first int } // text rows, and the first of its edits
	var all []stretch
	for i, e := range edits {
		x := stretch{first: i}
		x.from, x.to = d.around(lo+e.A0, lo+e.A1, reach)
		for n := len(all) - 1; n >= 0 && x.from <= all[n].to; n-- {
			x = stretch{min(x.from, all[n].from), max(x.to, all[n].to), all[n].first}
			all = all[:n]
		}
		all = append(all, x)
	}
	var out []group
	for n, x := range all {
		end := len(edits)
		if n+1 < len(all) {
			end = all[n+1].first
		}
		g := group{window: d.window(x.from, x.to)}
		for _, e := range edits[x.first:end] {
			e.A0, e.A1 = e.A0+lo-g.lo, e.A1+lo-g.lo
			g.edits = append(g.edits, e)
		}
		out = append(out, g)
	}
	return out
}

// around returns the text rows [lo, hi) with those of the runs that touch them, and then of those
// that are parted from these by no more than reach rows in all, on either side; with far more rows
// between, they are not looked for.
func (d *Doc) around(lo, hi, reach int) (from, to int) {
	first, last := d.touching(lo, hi)
	if first == last {
		return lo, hi
	}
	for n := reach; reach > 0 && first > 0; first-- {
		at, above := min(lo, d.runs[first].at), d.runs[first-1]
		if n -= at - above.at - above.n; n < 0 || lo-at >= nearTombs {
			break
		}
	}
	for n := reach; reach > 0 && last < len(d.runs); last++ {
		at := max(hi, d.runs[last-1].at+d.runs[last-1].n)
		if n -= d.runs[last].at - at; n < 0 || at-hi >= nearTombs {
			break
		}
	}
	end := d.runs[last-1]
	return min(lo, d.runs[first].at), max(hi, end.at+end.n)
}

// agentRows carries out an agent's edits in a window: rows that are gone get del, new rows
// get ins (rule a, without the cancelling).
func (d *Doc) agentRows(g group, new []row, m mark) []row {
	var out []row
	i, at := 0, 0
	shift := 0 // from a row to the same one among the new
	if len(g.edits) > 0 {
		shift = g.edits[0].B0 - g.edits[0].A0
	}
	advance := func(to int) {
		for ; i < len(g.rows) && (at < to || !g.rows[i].inText()); i++ {
			r := g.rows[i]
			if r.inText() {
				if k := at + shift; k >= 0 && k < len(new) {
					r.end = new[k].end.or(r.end)
				}
				at++
			}
			out = append(out, r)
		}
	}
	for _, e := range g.edits {
		advance(e.A0)
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
		shift = e.B1 - e.A1
	}
	advance(len(g.rows))
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

// endsOf returns the terminators of the rows old of the text, from row lo on, as far as they
// count: not where the text ends with a row, or the baseline does and the row is in it.
func (d *Doc) endsOf(lo int, old []row) []ending {
	out := make([]ending, len(old))
	for i, r := range old {
		out[i] = r.end
	}
	hi, count := lo+len(old), d.text.LineCount()
	if hi < count-1 && len(d.runs) == 0 {
		return out
	}
	// Rows of the last run, and the row in front of it, with no row of the baseline behind them.
	at, end, follows := count, d.tail, false
	step := func(r row) {
		if r.inText() {
			at--
			switch {
			case at < lo || at >= hi:
			case r.ins == 0 && !follows:
				out[at-lo] = noEnd
			case at == count-1 && r.ins == 0:
				out[at-lo] = r.end.or(end).or(d.eol)
			}
		}
		follows = follows || r.inBase()
	}
	if last := len(d.runs) - 1; last >= 0 && d.runs[last].at+d.runs[last].n == count {
		for _, r := range slices.Backward(d.runs[last].rows) {
			step(r)
		}
	}
	if !follows || at == count {
		step(row{})
	}
	return out
}

// withTurned adds to edits that made the rows new of others the rows that have stayed, but
// with another terminator than ends says. At least one row lies between any two edits.
func withTurned(edits []linediff.Edit, ends []ending, new []row) []linediff.Edit {
	var out []linediff.Edit
	add := func(e linediff.Edit) {
		if last := len(out) - 1; last >= 0 && out[last].A1 == e.A0 && out[last].B1 == e.B0 {
			out[last].A1, out[last].B1 = e.A1, e.B1
			return
		}
		out = append(out, e)
	}
	i, j := 0, 0
	stays := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			if e := new[j].end; ends[i] != noEnd && e != noEnd && e != ends[i] {
				add(linediff.Edit{A0: i, A1: i + 1, B0: j, B1: j + 1})
			}
		}
	}
	for _, e := range edits {
		stays(e.A0)
		add(e)
		i, j = e.A1, e.B1
	}
	stays(len(ends))
	return out
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
