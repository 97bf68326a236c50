package review

import (
	"slices"
	"sort"
	"strings"

	"acp-ls/buffers/text"
)

// run is a sequence of stored rows that nothing parts. n of them are in the text, from row
// at on; a run of deleted rows alone lies in front of row at.
type run struct {
	at, n int
	rows  []row
}

// window is a part of the document with nothing left out: the rows [lo, hi) of the text with
// all stored rows that touch them. rows may be changed freely.
type window struct {
	lo, hi      int
	first, last int // its runs
	rows        []row
}

// touching returns the runs [first, last) that touch the text rows [lo, hi).
func (d *Doc) touching(lo, hi int) (first, last int) {
	first = sort.Search(len(d.runs), func(i int) bool { return d.runs[i].at+d.runs[i].n >= lo })
	for last = first; last < len(d.runs) && d.runs[last].at <= hi; last++ {
	}
	return first, last
}

// window returns the text rows [lo, hi) with all runs that touch them. A window that reaches
// the end of the text begins one plain row earlier if there is one: what follows that row
// decides whether its terminator counts.
func (d *Doc) window(lo, hi int) window {
	w := window{lo: lo, hi: hi}
	w.first, w.last = d.touching(lo, hi)
	if w.first < w.last {
		w.lo = min(w.lo, d.runs[w.first].at)
		end := d.runs[w.last-1]
		w.hi = max(w.hi, end.at+end.n)
	}
	if w.hi == d.text.LineCount() && w.lo > 0 {
		w.lo--
	}
	next := w.lo
	size := w.hi - w.lo
	for _, r := range d.runs[w.first:w.last] {
		size += len(r.rows) - r.n
	}
	w.rows = make([]row, 0, size)
	for _, r := range d.runs[w.first:w.last] {
		w.rows = append(w.rows, d.plainRows(next, r.at)...)
		w.rows = append(w.rows, r.rows...)
		next = r.at + r.n
	}
	w.rows = append(w.rows, d.plainRows(next, w.hi)...)
	return w
}

// plainRows returns the text rows [lo, hi), none of which is stored.
func (d *Doc) plainRows(lo, hi int) []row {
	rows := rowsOf(d.text, lo, hi)
	if lo < hi && hi == d.text.LineCount() {
		rows[hi-lo-1].end = d.tail
	}
	return rows
}

// splice says that the window's part of the document now consists of rows; or, if that is
// nil, of n plain ones.
type splice struct {
	window
	rows []row
	n    int
}

func textRows(rows []row) int {
	n := 0
	for _, r := range rows {
		if r.inText() {
			n++
		}
	}
	return n
}

// put replaces windows of the document, ascending and apart, by new rows. The text is the
// caller's business.
func (d *Doc) put(splices []splice) {
	changed := false
	for i, s := range splices {
		if s.rows != nil {
			splices[i].n = textRows(s.rows)
		}
		changed = changed || s.rows != nil || s.n != s.hi-s.lo
	}
	if !changed {
		return
	}
	count := d.text.LineCount()
	runs := make([]run, 0, len(d.runs)+len(splices))
	next, delta := 0, 0
	keep := func(to int) {
		for ; next < to; next++ {
			r := d.runs[next]
			r.at += delta
			runs = append(runs, r)
		}
	}
	for _, s := range splices {
		keep(s.first)
		runs = append(runs, storedRuns(s.rows, s.lo+delta)...)
		if s.hi == count && s.rows != nil {
			for _, r := range slices.Backward(s.rows) {
				if r.inText() {
					d.tail = r.end
					break
				}
			}
		}
		next = s.last
		delta += s.n - (s.hi - s.lo)
		d.rowsBuilt += len(s.rows)
	}
	keep(len(d.runs))
	d.rowsBuilt += len(runs)
	d.runs = runs
}

// storedRuns returns the runs among rows, of which the first text row is number at. The runs
// keep rows.
func storedRuns(rows []row, at int) []run {
	var runs []run
	for i := 0; i < len(rows); i++ {
		from, n := i, 0
		for ; i < len(rows) && rows[i].stored(); i++ {
			rows[i].fresh = false
			if rows[i].inText() {
				n++
			}
		}
		if from < i {
			r := run{at: at, n: n, rows: rows[from:i:i]}
			if len(r.rows) < len(rows)/2 {
				r.rows = slices.Clone(r.rows) // and let the others go
			}
			runs = append(runs, r)
		}
		at += n + 1 // with the plain row behind
	}
	return runs
}

// moveAnchors moves what is anchored to rows of the text along with an edit that replaced rows
// [at, at+old) by n others.
func (d *Doc) moveAnchors(at, old, n int) {
	shift := func(from, to int) (int, int) {
		switch {
		case at+old <= from && (old > 0 || at < from):
			return from + n - old, to + n - old
		case at >= to:
			return from, to
		}
		from = min(from, at)
		if at+old <= to {
			return from, to + n - old
		}
		return from, max(from, at+n)
	}
	for i, r := range d.rejected {
		if from, to := shift(r.at, r.at+r.n); from != r.at || to != r.at+r.n {
			c := *r
			c.at, c.n = from, to-from
			d.rejected = slices.Clone(d.rejected)
			d.rejected[i] = &c
		}
	}
	for i, r := range d.conflicts {
		from, to := shift(r.at, r.at+r.n)
		if old == 0 && at == r.at && r.n > 0 { // rows put in front are none of those in dispute
			from, to = r.at+n, r.at+n+r.n
		}
		if from != r.at || to != r.at+r.n {
			c := *r
			c.at, c.n = from, to-from
			d.conflicts = slices.Clone(d.conflicts)
			d.conflicts[i] = &c
		}
	}
}

// putText replaces windows like put, and the text with them.
func (d *Doc) putText(splices []splice) {
	count := d.text.LineCount()
	t := d.text
	for i, s := range slices.Backward(splices) {
		if s.hi == count && s.lo == 0 && len(splices) == 1 && textRows(s.rows) == 0 {
			s.rows = d.settleRows(append(s.rows, d.emptyRow(s.rows)))
			splices[i] = s
		}
		prev := lastByte(d.text, s.lo)
		for j := i - 1; j >= 0 && splices[j].hi == splices[j+1].lo; j-- { // not in its place yet
			if end, ok := d.lastEnd(splices[j].rows, row.inText); ok {
				prev = end
				break
			}
			prev = lastByte(d.text, splices[j].lo)
		}
		t = t.Replace(d.text.LineStart(s.lo), d.text.LineStart(s.hi), d.joinWindow(t, prev, s.lo, s.hi, s.rows, row.inText))
	}
	d.put(splices)
	d.text = t
	delta := 0
	for _, s := range splices {
		n := textRows(s.rows)
		d.takeEnds(s.lo+delta, s.lo+delta+n)
		delta += n - (s.hi - s.lo)
	}
}

// joinWindow returns the bytes that take the place of the text rows [lo, hi) if those become
// the ones of rows that in picks. t is the text with what follows them replaced already, and
// prev the byte that comes to stand in front.
func (d *Doc) joinWindow(t text.Text, prev string, lo, hi int, rows []row, in func(row) bool) string {
	to := d.text.LineStart(hi)
	s := d.joinAfter(prev, rows, in, hi == d.text.LineCount())
	if to < t.Len() && t.Slice(to, to+1) == "\n" && (strings.HasSuffix(s, "\r") || s == "" && prev == "\r") {
		s += "\n" // else the empty row behind would not be one
	}
	return s
}

// lastByte returns the byte in front of row i of t.
func lastByte(t text.Text, i int) string {
	from := t.LineStart(i)
	return t.Slice(max(0, from-1), from)
}

// lastEnd returns the terminator of the last of those rows that in picks.
func (d *Doc) lastEnd(rows []row, in func(row) bool) (string, bool) {
	for _, r := range slices.Backward(rows) {
		if in(r) {
			return r.end.or(d.eol).String(), true
		}
	}
	return "", false
}

// emptyRow returns the one row of an empty text that holds none of rows. If a change took
// out what is left in the baseline, the row is that change's.
func (d *Doc) emptyRow(rows []row) row {
	for _, r := range rows {
		if r.tomb() {
			return row{ins: r.del, id: d.id()}
		}
	}
	return row{}
}

// takeEnds gives the stored rows among the text rows [lo, hi) the terminators of the text,
// and cancels what then contradicts itself.
func (d *Doc) takeEnds(lo, hi int) {
	first, last := d.touching(lo, hi)
	var turned []window
	for i := first; i < last; i++ {
		r := d.runs[i]
		var rows []row
		at := r.at
		for j, x := range r.rows {
			if !x.inText() {
				continue
			}
			if at < lo || at >= hi {
				at++
				continue
			}
			if e := endingOf(d.text, at); e != noEnd && e != x.end {
				if rows == nil {
					rows = slices.Clone(r.rows)
				}
				rows[j].end = e
			}
			at++
		}
		if rows != nil {
			turned = append(turned, window{lo: r.at, hi: r.at + r.n, first: i, last: i + 1, rows: rows})
		}
	}
	d.resettle(turned)
}

// resettle puts back windows whose rows have other terminators now.
func (d *Doc) resettle(turned []window) {
	splices := make([]splice, len(turned))
	for i, w := range turned {
		splices[i] = splice{window: w, rows: d.settleRows(w.rows)}
	}
	d.put(splices)
}

// endingOf returns the terminator of row i of t.
func endingOf(t text.Text, i int) ending {
	switch t.Slice(t.LineEnd(i), t.LineStart(i+1)) {
	case "\n":
		return endLF
	case "\r\n":
		return endCRLF
	case "\r":
		return endCR
	}
	return noEnd
}
