package review

import (
	"fmt"
	"slices"
)

// conflict is a proposal that could not be merged: what stands against rows of the text. It
// changes neither the text nor the baseline.
type conflict struct {
	id     string
	origin Origin
	at, n  int // the rows of the text it is about
	base   string
	theirs []row
}

// AddConflict lists a conflict: where rows [start, end) of the text stand, o wanted theirs, and
// base is what both had come from. base and theirs are whole rows; a terminator at their end
// is part of the last one. It returns the ID of the hunk.
func (d *Doc) AddConflict(o Origin, start, end int, base, theirs string) string {
	d.begin()
	c := &conflict{origin: o, at: start, n: end - start, base: base, theirs: wholeRows(theirs)}
	h := d.conflictHunk(c)
	h.Gone = base
	c.id = hunkID(h, uint64(start))
	d.conflicts = slices.DeleteFunc(slices.Clone(d.conflicts), func(x *conflict) bool { return x.id == c.id })
	d.conflicts = append(d.conflicts, c)
	d.end()
	return c.id
}

// wholeRows returns the rows of s, of which the last may lack its terminator.
func wholeRows(s string) []row {
	rows := splitRows(s)
	if last := len(rows) - 1; rows[last].text == "" {
		rows = rows[:last]
	}
	return rows
}

func (d *Doc) conflictHunk(c *conflict) Hunk {
	all := func(row) bool { return true }
	last := c.at+c.n == d.text.LineCount()
	return Hunk{
		ID: c.id, State: StateConflict, Origins: []Origin{c.origin},
		StartLine: c.at, EndLine: c.at + c.n,
		BaseText: d.join(rowsOf(d.text, c.at, c.at+c.n), all, last),
		Text:     d.join(c.theirs, all, last),
	}
}

// Take says how a conflict is settled.
type Take string

// Mine leaves the text as it is, Theirs replaces it, Both puts theirs below mine.
const (
	TakeMine   Take = "mine"
	TakeTheirs Take = "theirs"
	TakeBoth   Take = "both"
)

// Resolve settles the conflict of that ID. What it puts into the text is decided thereby: it
// is in the baseline too.
func (d *Doc) Resolve(id string, take Take) error {
	i := slices.IndexFunc(d.conflicts, func(c *conflict) bool { return c.id == id })
	if i < 0 {
		return fmt.Errorf("conflict %s: %s", id, reasonGone)
	}
	if take != TakeMine && take != TakeTheirs && take != TakeBoth {
		return fmt.Errorf("conflict %s: cannot take %q: take mine, theirs or both", id, take)
	}
	d.begin()
	c := d.conflicts[i]
	d.conflicts = slices.Delete(slices.Clone(d.conflicts), i, i+1)
	if take != TakeMine {
		d.takeTheirs(c, take == TakeBoth)
	}
	d.anchor = nil
	d.end()
	return nil
}

func (d *Doc) takeTheirs(c *conflict, both bool) {
	w := d.window(c.at, c.at+c.n)
	var rows []row
	put := false
	theirs := func() {
		if put {
			return
		}
		put = true
		for _, r := range c.theirs {
			if d.eolKnown || r.end == noEnd {
				r.end = d.eol
			}
			rows = append(rows, r)
		}
	}
	line := w.lo
	for _, r := range w.rows {
		if !r.inText() {
			rows = append(rows, r)
			continue
		}
		if line == c.at+c.n {
			theirs()
		}
		if both || line < c.at || line >= c.at+c.n {
			rows = append(rows, r)
		}
		line++
	}
	theirs()
	n := len(c.theirs)
	if both {
		n += c.n
	}
	d.moveAnchors(c.at, c.n, n)
	d.putText([]splice{{window: w, rows: d.settleRows(rows)}})
}

// recallConflicts lists the conflicts that were open when m was taken down, and those since.
func (d *Doc) recallConflicts(m *moment) {
	out := slices.Clone(m.conflicts)
	for _, c := range d.conflicts {
		if !slices.ContainsFunc(out, func(x *conflict) bool { return x.id == c.id }) {
			out = append(out, c)
		}
	}
	d.conflicts = out
}
