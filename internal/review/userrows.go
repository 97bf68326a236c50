package review

import (
	"slices"

	"acp-ls/buffers/linediff"
)

// userEvent is one event of the editor, while it is carried out.
type userEvent struct {
	doc      *Doc
	lo       int   // the text row that old and new begin at
	old, new []row // all rows of the event's range
	author   Author
	removed  []int        // the rows of old that are not in their places any more
	marks    map[int]row  // stored rows among them
	moved    map[int]row  // the rows of new that were moved here, as they were
	taken    map[int]bool // the rows of old that were moved away

	returned map[int]bool // the rows of new that an event before took out
}

// rows carries out the edits of a window (rules b and c) and returns its rows, the fresh ones
// marked.
func (e *userEvent) rows(g group) []row {
	b := builder{userEvent: e, in: g.rows, lo: g.lo - e.lo, out: make([]row, 0, len(g.rows)+8)}
	for _, x := range g.edits {
		if x.A0 == x.A1 {
			b.insert(x)
		} else {
			b.replace(x)
		}
	}
	out := append(b.out, b.left(b.i, len(b.in))...)
	if len(b.yielded) > 0 {
		out = slices.DeleteFunc(out, func(r row) bool { return b.yielded[r.id] && r.tomb() })
	}
	return shareOut(out)
}

// builder makes new rows of a window's rows from top to bottom.
type builder struct {
	*userEvent
	in  []row
	lo  int // number in old of the window's first text row
	i   int // next of in
	at  int // text rows of in before i
	out []row

	replaced replacement     // of in, the last that was looked at
	yielded  map[uint64]bool // deleted rows that the user has taken out for good
	lifted   map[int]bool    // deleted rows of in that have come to stand elsewhere
}

// copyTo copies the rows in front of text row to, but for the rows not in the text that
// stand directly in front of it: those are returned.
func (b *builder) copyTo(to int) (leading []row) {
	for b.at < to {
		if b.in[b.i].inText() {
			b.at++
		}
		b.out = append(b.out, b.left(b.i, b.i+1)...)
		b.i++
	}
	from := b.i
	for b.i < len(b.in) && !b.in[b.i].inText() {
		b.i++
	}
	return b.left(from, b.i)
}

// left returns the rows [from, to) of the window but for those that have come to stand elsewhere.
func (b *builder) left(from, to int) []row {
	if len(b.lifted) == 0 {
		return b.in[from:to]
	}
	var out []row
	for i := from; i < to; i++ {
		if !b.lifted[i] {
			out = append(out, b.in[i])
		}
	}
	return out
}

// insert puts in whole new rows (rule b): above deleted rows that agent's rows took the place of,
// elsewhere below them.
func (b *builder) insert(x linediff.Edit) {
	leading := b.copyTo(x.A0)
	first := b.i - len(leading)
	var prev, next row
	if first > 0 {
		prev = b.in[first-1]
	}
	if b.i < len(b.in) {
		next = b.in[b.i]
	}
	above := len(leading) > 0 && next.agents() && (prev.agents() || !prev.undecided())
	if !above {
		b.out = append(b.out, leading...)
	}
	for k := x.B0; k < x.B1; k++ {
		r := b.freshRow(k)
		if b.author == AuthorFormatter && r.fresh && prev.agents() && next.agents() && b.doc.same(prev.ins, next.ins) {
			r = row{text: r.text, end: r.end, ins: prev.ins, id: b.doc.id()}
		}
		b.out = append(b.out, r)
	}
	if above {
		b.out = append(b.out, leading...)
	}
}

// freshRow returns row k of new as a row that the event put in, or moved.
func (b *builder) freshRow(k int) row {
	n := b.new[k]
	if r, ok := b.moved[k]; ok && r.agents() && !b.doc.origins[r.ins].Author.ours() {
		r.end = n.end.or(r.end)
		return r
	}
	return b.plainRow(n)
}

// plainRow returns a row of new as one that the event put in.
func (b *builder) plainRow(n row) row {
	return row{text: n.text, end: n.end, fresh: true, mine: b.author == AuthorUser && thin(n.text)}
}

// replace makes new rows of rows that were changed, or takes rows out (rule c).
func (b *builder) replace(x linediff.Edit) {
	leading := b.copyTo(x.A0)
	b.out = append(b.out, leading...)
	from := b.i
	for b.at < x.A1 {
		if b.in[b.i].inText() {
			b.at++
		}
		b.i++
	}
	block := b.in[from:b.i]
	if b.inPlace(block, x) {
		k, done := x.B0, from
		for i, r := range block {
			if !r.inText() && from+i >= done {
				b.out = append(b.out, b.left(from+i, from+i+1)...)
			} else if r.inText() {
				done = b.block(from+i, from+i+1, x.A0+k-x.B0, k, k+1)
				k++
			}
		}
		b.i = max(b.i, done)
		return
	}
	b.i = b.block(from, b.i, x.A0, x.B0, x.B1)
}

// inPlace reports whether each row of a block was changed where it is.
func (b *builder) inPlace(block []row, x linediff.Edit) bool {
	if x.B1-x.B0 < 2 || x.A1-x.A0 != x.B1-x.B0 {
		return false
	}
	for k := x.B0; k < x.B1; k++ {
		if _, ok := b.moved[k]; ok {
			return false
		}
	}
	var old []string
	for _, r := range block {
		if r.inText() {
			old = append(old, r.text)
		}
	}
	return changedInPlace(old, texts(b.new[x.B0:x.B1]))
}

// block makes the rows [k0, k1) of new of the rows [from, to) of the window, the first and
// last of which are in the text; the first is text row at of the window. It returns the row up to
// which the window is done with.
func (b *builder) block(from, to, at, k0, k1 int) (done int) {
	var olds []row         // what can have flowed into new rows
	var where, lines []int // their places in the window, and in old
	at += b.lo
	for i := from; i < to; i++ {
		if r := b.in[i]; r.inText() {
			if !b.taken[at] {
				olds, where, lines = append(olds, r), append(where, i), append(lines, at)
			}
			at++
		}
	}
	flows, reached := b.flows(olds, k0, k1)
	for i, r := range olds {
		if r.agents() && reached[i] == 0 && b.author == AuthorUser {
			b.takeOut(where[i], lines[i])
		}
	}
	l := b.layOut(from, to)
	var below []row
	if slices.ContainsFunc(flows, func(f flowed) bool { return f.ins != 0 }) || slices.ContainsFunc(olds, row.mixed) {
		below = b.carryWords(l.placed, to, l.behind, olds, where, b.new[k0:k1], flows)
	}
	for k, f := range flows {
		if f.from >= 0 {
			l.put(b.new[k0+k], f, where[f.from], olds[f.from].end)
		} else {
			l.fresh(b.freshRow(k0+k), f)
		}
	}
	l.place(to)
	b.out = append(b.out, below...)
	return l.placed
}

// flows returns where the texts of the rows [k0, k1) of new came from, and how many of them each of
// the old rows has reached. Rows that were moved there came from nowhere.
func (b *builder) flows(olds []row, k0, k1 int) (out []flowed, reached []int) {
	b.flowNotMove(olds, k0, k1)
	var news []string
	for k := k0; k < k1; k++ {
		if _, ok := b.moved[k]; !ok {
			news = append(news, b.new[k].text)
		}
	}
	found, reached := flow(olds, news, b.author == AuthorFormatter)
	for k := k0; k < k1; k++ {
		if _, ok := b.moved[k]; ok {
			out = append(out, flowed{from: -1, moved: true, ins: b.freshRow(k).ins})
			continue
		}
		out = append(out, found[0])
		found = found[1:]
	}
	return out, reached
}

// flowNotMove takes back that rows [k0, k1) of new are rows which an event before took out, if
// most of what they hold is in the old rows: it has flowed there, as it had then.
func (b *builder) flowNotMove(olds []row, k0, k1 int) {
	if len(b.returned) == 0 || !slices.ContainsFunc(olds, row.agents) {
		return
	}
	for k, ps := range pieces(olds, texts(b.new[k0:k1])) {
		if !b.returned[k0+k] {
			continue
		}
		found, s := 0, b.new[k0+k].text
		for _, p := range ps {
			found += ink(s[p.new : p.new+p.n])
		}
		if 2*found > ink(s) {
			delete(b.moved, k0+k)
		}
	}
}

// takeOut lets the user take out, with row i of the window, number at of old, the row that it
// took the place of, if that can be said and an agent has changed only white space of it: this
// yields (rule 9), and so nothing is left to decide.
func (b *builder) takeOut(i, at int) {
	tomb := b.standsFor(i)
	if tomb < 0 {
		return
	}
	if was := b.in[tomb].text; isBlank(was) || !sameInk(was, b.in[i].text) {
		return
	}
	b.yield(b.in[tomb].id)
	delete(b.marks, at) // where it is put in again, it is the user's
}

// yield takes the deleted row of an id out of the baseline for good.
func (b *builder) yield(id uint64) {
	if b.yielded == nil {
		b.yielded = map[uint64]bool{}
	}
	b.yielded[id] = true
}

// standsFor returns which row of the window its row i took the place of, -1 if that cannot be said.
func (b *builder) standsFor(i int) int {
	if i < b.replaced.from || b.replaced.to <= i {
		b.replaced = replacedRows(b.in, i)
	}
	return b.replaced.standsFor(b.in, i)
}

// changeReplaced lets the user's words go into the row that row i of the window took the place
// of, if that can be said (rule c), where they do not touch the agent's words. Who writes what
// stood there writes that row again, unless words of theirs in it are only there.
func (b *builder) changeReplaced(i int, now string) {
	tomb := b.standsFor(i)
	if tomb < 0 {
		return
	}
	for k := range slices.Backward(b.out) {
		if b.out[k].id == b.in[tomb].id {
			was := b.out[k].original()
			if now == was && holds(b.in[i].text, was, b.out[k].text) {
				b.out[k].text = was
			} else {
				b.out[k].text = mergeWords(b.in[i].text, now, b.out[k].text)
			}
			b.out[k].was = &was
			return
		}
	}
}
