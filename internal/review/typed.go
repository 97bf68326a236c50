package review

import (
	"acp-ls/buffers/text"
)

// Who types a row may pass through a text that the document has had: where an agent put in
// `return err` and that was rejected, somebody types `return errors.New("x")`. That is not
// undo, and the row is not the agent's: it grows, or shrinks, event by event.

// growth is how the user's last event has changed one row, if it did nothing else.
type growth struct {
	row int    // of the text after it
	now string // what it reads after the event
	by  int    // 1: something was put in, perhaps the row itself; -1: something was taken out; 0: it did something else

	whole bool // the row itself was put in, with what it reads
	on    bool // it went on with the row as the event before did
}

// goesOn reports whether g is more of what last did to a row, which read was in between. What
// others have done meanwhile is beside the point: agents write while somebody types. A row of
// which nothing is left has not been typed: undo takes back what was, word by word.
func (g growth) goesOn(last growth, was string) bool {
	return g.by != 0 && g.by == last.by && was == last.now && g.now != ""
}

// undid is g after an event that brought back a text which there had been: where it put in a
// row as a whole, nobody has begun to type that.
func (g growth) undid() growth {
	if g.whole {
		return growth{}
	}
	return g
}

// grew returns how the rows old, from row lo of a text on, became new if one row was put in,
// or something was put into or taken out of one row; else by is 0. was is what that one read.
func grew(lo int, old, new []string) (g growth, was string) {
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		old, new, lo = old[1:], new[1:], lo+1
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	switch {
	case len(old) == 0 && len(new) == 1:
		return growth{row: lo, now: new[0], by: 1, whole: new[0] != ""}, ""
	case len(old) != 1 || len(new) != 1:
		return growth{}, ""
	}
	a, b := old[0], new[0]
	g = growth{row: lo, now: b, by: 1}
	if len(b) < len(a) {
		a, b, g.by = b, a, -1
	}
	if start, end := commonEnds(a, b); start+end < len(a) {
		return growth{}, "" // something else took its place
	}
	return g, old[0]
}

// typing notes how an event has changed the rows [lo, hi) of the text into [lo, nhi) of t,
// and reports whether it goes on with a row as the user's event before did. more: it is one
// more part of that, and they go on together: somebody types at several places of the row.
func (d *Doc) typing(t text.Text, lo, hi, nhi int, more bool) bool {
	last := d.grown
	g, was := grew(lo, texts(rowsOf(d.text, lo, hi)), texts(rowsOf(t, lo, nhi)))
	goesOn := g.goesOn(last, was)
	switch {
	case !more:
		g.on = goesOn
	case goesOn:
		g.on = last.on
	default:
		g = growth{}
	}
	d.grown = g
	return g.on
}

// comesBack reports whether runs have an agent's row at row at that is not undecided now.
func comesBack(runs []run, at int, now map[uint64]bool) bool {
	for _, r := range runs {
		i := r.at
		for _, x := range r.rows {
			if x.inText() {
				if i == at && x.agents() {
					return !now[x.id]
				}
				i++
			}
		}
	}
	return false
}
