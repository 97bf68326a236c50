package review

import (
	"slices"
	"strings"
)

// byteOrderMark may be the first character of a file. Editors that have the file open tell of
// none: to them it is no part of the text.
const byteOrderMark = "\ufeff"

// Dress lets the text and the baseline begin with a byte order mark, or lets neither. It is
// nobody's change: the file is the same, only read by another hand. Hunks keep their IDs.
func (d *Doc) Dress(has bool) {
	w := d.window(0, 1)
	for !slices.ContainsFunc(w.rows, row.inBase) && w.hi < d.text.LineCount() {
		w = d.window(0, w.hi+1)
	}
	inText, inBase := slices.IndexFunc(w.rows, row.inText), slices.IndexFunc(w.rows, row.inBase)
	rows := make([]row, 0, len(w.rows)+1)
	for i, r := range w.rows {
		switch first := i == inText || i == inBase; {
		case first && has && inText != inBase && r.inText() && r.inBase():
			was, is := d.parted(r, w.rows[min(inText, inBase)], i == inText)
			rows = append(rows, was, is)
		case first:
			rows = append(rows, r.dressed(has))
		default:
			rows = append(rows, r)
		}
	}
	if slices.EqualFunc(rows, w.rows, func(a, b row) bool { return a.text == b.text && a.id == b.id }) {
		return
	}
	d.begin()
	d.putText([]splice{{window: w, rows: d.settleRows(rows)}})
	d.dressRejected(has)
	d.anchor = nil
	d.end()
}

// parted is a row that is the first of the text, or else of the baseline, and in the other one
// below above: a row of each of the two, of which one has the byte order mark.
func (d *Doc) parted(r, above row, inText bool) (was, is row) {
	was, is = r.plain(), r.plain()
	was.id, is.id = d.id(), d.id()
	was.del = above.ins
	if inText { // what stood above it is taken out
		was.del = above.del
		is = is.dressed(true)
	} else {
		was = was.dressed(true)
	}
	is.ins = was.del
	return was, is
}

// dressRejected is Dress for what is brought back to the top, and for what tells where that is.
func (d *Doc) dressRejected(has bool) {
	d.rejected = slices.Clone(d.rejected)
	for i, r := range d.rejected {
		of := *r
		of.before, of.after = slices.Clone(r.before), slices.Clone(r.after)
		if k := of.at - 1; k >= 0 && k < len(of.before) {
			of.before[k] = dress(of.before[k], has)
		}
		if of.at == 0 {
			d.dressTop(&of, has)
		}
		d.rejected[i] = &of
	}
}

// dressTop is Dress for a hunk that is brought back to the top, where the text is dressed.
func (d *Doc) dressTop(r *rejection, has bool) {
	was := func(x rejectedRow) bool { return x.inText() }
	is := func(x rejectedRow) bool { return x.stays }
	r.rows = slices.Clone(r.rows)
	if has && (!slices.ContainsFunc(r.rows, was) || !slices.ContainsFunc(r.rows, is)) && len(r.after) > 0 && r.after[0] != edge {
		// The row below it is the first of one of the two.
		below := rowsOf(d.text, r.n, r.n+1)[0].dressed(false)
		t, n := d.parted(below, r.rows[0].row, !slices.ContainsFunc(r.rows, was))
		if t.del == 0 {
			return
		}
		r.rows = append(r.rows, rejectedRow{row: t, chosen: true, stays: true}, rejectedRow{row: n, chosen: true})
		r.n++
		r.after = r.after[1:]
	}
	first, stays := slices.IndexFunc(r.rows, was), slices.IndexFunc(r.rows, is)
	for k := range r.rows {
		if k == first || k == stays {
			r.rows[k].row = r.rows[k].dressed(has)
		}
	}
}

// dress is s with a byte order mark in front, or without.
func dress(s string, has bool) string {
	bare := strings.TrimPrefix(s, byteOrderMark)
	if has {
		return byteOrderMark + bare
	}
	return bare
}

// dressed is a row as the first of a text that begins with a byte order mark, or with none.
func (r row) dressed(has bool) row {
	grown := -len(r.text)
	r.text = dress(r.text, has)
	grown += len(r.text)
	user := make([]span, 0, len(r.user))
	for _, s := range r.user {
		if s = (span{max(s.from+grown, 0), max(s.to+grown, 0)}); s.from < s.to {
			user = append(user, s)
		}
	}
	r.user = nil
	if len(user) > 0 {
		r.user = user
	}
	if r.was != nil {
		was := dress(*r.was, has)
		r.was = &was
	}
	return r
}

// undressed are the two texts of a hunk as they are without byte order marks, and without the row
// below that is in both of them only because it has one in one of the two.
func undressed(base, text string) (string, string) {
	b, t := dress(base, false), dress(text, false)
	if b == base && t == text {
		return base, text
	}
	if i, j := lastRow(b), lastRow(t); b[i:] == t[j:] {
		return b[:i], t[:j]
	}
	return b, t
}

// lastRow is where the last of whole rows begins.
func lastRow(s string) int {
	return strings.LastIndexAny(strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r"), "\r\n") + 1
}
