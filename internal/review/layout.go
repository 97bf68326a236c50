package review

import "slices"

// layout puts the rows of a block where they come to stand: the new rows, in their order, and among
// them the rows of the window that are not in the text.
type layout struct {
	*builder
	from   int // the block's first row of the window
	placed int // rows of the window before it are done with
	behind int // the deleted rows up to there can come to stand above new rows
}

// layOut begins the layout of the rows [from, to) of the window. The deleted rows right above may
// come to stand below new rows.
func (b *builder) layOut(from, to int) *layout {
	l := &layout{builder: b, from: from, placed: from, behind: to}
	for n := len(b.out); n > 0 && l.placed > 0 && b.out[n-1].tomb() && b.in[l.placed-1].id == b.out[n-1].id; n-- {
		b.out = b.out[:n-1]
		l.placed--
	}
	for l.behind < len(b.in) && b.in[l.behind].tomb() {
		l.behind++
	}
	return l
}

// place puts the rows of the window in front of row to that are not in the text.
func (l *layout) place(to int) {
	for ; l.placed < to; l.placed++ {
		if r := l.in[l.placed]; !r.inText() && !l.lifted[l.placed] {
			l.out = append(l.out, r)
		}
	}
}

// keep puts a row of words that are in an agent's row, which has the mark m.
func (l *layout) keep(s back, m mark) {
	l.place(s.of)
	if s.id == 0 {
		s.id = l.doc.id()
	}
	l.out = append(l.out, row{text: s.text, end: s.end, del: m, id: s.id, was: s.was, carried: true})
}

// above puts the deleted rows that stay above a plain row which has come from one of them, f.tomb:
// those that stood above the one which had its first word.
func (l *layout) above(f flowed) {
	i := slices.IndexFunc(l.in[:l.behind], func(r row) bool { return r.id == f.tomb })
	if i >= 0 && !f.below {
		i++
	}
	l.place(i)
}

// fresh puts a row that came from no other, with the words that it has of others.
func (l *layout) fresh(r row, f flowed) {
	if f.tomb != 0 {
		l.above(f)
	}
	for _, s := range f.back {
		l.keep(s, f.ins)
	}
	if f.tomb == 0 {
		l.place(l.from)
	}
	l.place(min(f.upTo, l.behind))
	l.out = append(l.out, r)
}

// put puts a new row of which a text came from row from of the window, the first of them, which had
// the terminator end.
func (l *layout) put(n row, f flowed, from int, end ending) {
	if f.tomb != 0 {
		l.above(f)
	} else {
		for len(f.back) > 0 && f.back[0].of < from {
			l.keep(f.back[0], f.ins)
			f.back = f.back[1:]
		}
		l.place(from)
	}
	if f.ins == 0 {
		r := l.plainRow(n)
		r.fresh = !f.based // what is deleted beside it is another row
		l.out = append(l.out, r)
		return
	}
	if f.alone && !f.told {
		l.changeReplaced(from, n.text)
	}
	for _, s := range f.back {
		l.keep(s, f.ins)
	}
	l.place(min(f.upTo, l.behind))
	if f.id == 0 {
		f.id = l.doc.id()
	}
	l.out = append(l.out, row{text: n.text, end: n.end.or(end), ins: f.ins, id: f.id, user: f.user})
}
