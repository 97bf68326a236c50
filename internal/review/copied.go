package review

import (
	"strings"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// copied is an event of the user that did nothing but put whole rows in, together with the
// state in front of it. Neovim tells a `:move` as such an event, and then as one that takes
// the rows out where they were; so do other editors that move by copying. The two are told
// apart in time by as much as the editor's load will have it, so what counts is that nothing
// happens between them.
type copied struct {
	seq   uint64 // of the event
	at, n int    // the rows of the text after it that it put in

	was       *still
	anchor    *still
	limbo     []row
	rejected  []*rejection
	conflicts []*conflict
}

// copying returns the copied of an event that is about to be carried out, or nil if the event
// does something else than to put whole rows in.
func (d *Doc) copying(t text.Text, start, oldEnd, newEnd int, author Author) *copied {
	if author != AuthorUser || len(d.memory) == 0 {
		return nil
	}
	from, to, ok := added(d.text.Slice(start, oldEnd), t.Slice(start, newEnd))
	if !ok {
		return nil
	}
	at, n, ok := rowsAt(t, start+from, start+to)
	if !ok {
		return nil
	}
	return &copied{at: at, n: n, was: d.still(), anchor: d.anchor, limbo: d.limbo, rejected: d.rejected, conflicts: d.conflicts}
}

// added returns which bytes [from, to) of new stand in front of old, or behind it.
func added(old, new string) (from, to int, ok bool) {
	switch {
	case strings.HasPrefix(new, old):
		return len(old), len(new), true
	case strings.HasSuffix(new, old):
		return 0, len(new) - len(old), true
	}
	return 0, 0, false
}

// rowsAt reports which rows of t the bytes [start, end) are, with a terminator in front of
// each or behind each.
func rowsAt(t text.Text, start, end int) (at, n int, ok bool) {
	first, last := t.LineOf(start), t.LineOf(end)
	switch {
	case first == last:
		return 0, 0, false
	case t.LineStart(first) == start && t.LineStart(last) == end:
		return first, last - first, true
	case t.LineEnd(first) == start && t.LineEnd(last) == end:
		return first + 1, last - first, true
	}
	return 0, 0, false
}

// moves carries out the event if, with the one directly before it, it is a move: it takes out
// rows, an agent's among them, that are the same as those which the event before put in. The
// two are carried out as one then, from the state in front of them (rule d).
func (d *Doc) moves(t text.Text, start, oldEnd, newEnd int, author Author) bool {
	c := d.copied
	if c == nil || c.seq != d.seq || author != AuthorUser {
		return false
	}
	first, last, ok := added(t.Slice(start, newEnd), d.text.Slice(start, oldEnd))
	if !ok {
		return false
	}
	at, n, ok := rowsAt(d.text, start+first, start+last)
	if !ok || n != c.n || at <= c.at+n && c.at <= at+n { // beside each other they change nothing
		return false
	}
	for i := range n {
		if d.text.Line(at+i) != d.text.Line(c.at+i) {
			return false
		}
	}
	agents := false
	d.eachStored(at, at+n, func(_ int, r row) { agents = agents || r.agents() && !thin(r.text) })
	if !agents {
		return false
	}

	d.seq++
	if d.anchor != nil {
		d.anchor, d.limbo = c.anchor, c.limbo
	}
	d.text, d.runs, d.tail = c.was.text, c.was.runs, c.was.tail
	d.rejected, d.conflicts, d.copied = c.rejected, c.conflicts, nil
	if d.anchor == nil {
		d.anchor = c.was
	}
	edits, lo, hi := moveEdits(at, c.at, n)
	d.applyEdits(t, lo, rowsOf(d.text, lo, hi), rowsOf(t, lo, hi), edits, false, author)
	d.takeEnds(lo-1, hi+1) // rows put in behind another one have that's terminator, and give it theirs
	d.grown = growth{}
	d.recall(false, false)
	d.until = d.now().Add(provisional)
	d.end()
	return true
}

// moveEdits returns the edits that take n rows out and put them in elsewhere, numbered from
// row lo of the text before them, and the rows [lo, hi) that they are about. The rows were put
// in at row to, and then taken out at row from of the text that has them twice.
func moveEdits(from, to, n int) (edits []linediff.Edit, lo, hi int) {
	if from > to {
		gap := from - n - to
		in := linediff.Edit{B1: n}
		out := linediff.Edit{A0: gap, A1: gap + n, B0: gap + n, B1: gap + n}
		return []linediff.Edit{in, out}, to, from
	}
	gap := to - from
	out := linediff.Edit{A1: n}
	in := linediff.Edit{A0: gap, A1: gap, B0: gap - n, B1: gap}
	return []linediff.Edit{out, in}, from, to
}
