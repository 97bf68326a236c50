package review

import (
	"fmt"
	"slices"
)

// conflict is a proposal that could not be merged: what stands against rows of the text. It
// changes neither the text nor the baseline.
type conflict struct {
	id       string
	made     uint64 // the operation that listed it; with the ID it tells it from one listed again
	origin   Origin
	at, n    int // the rows of the text it is about
	base     string
	theirs   []row
	declined bool     // the user has kept theirs out: it is listed as rejected
	instead  []string // the IDs of those whose place it has taken
}

// fate is what has become of a conflict without a change of the text, so that no undo takes
// it back.
type fate struct {
	id             string
	made, seq      uint64 // seq is the operation that brought it about
	declined, gone bool
}

// AddConflict lists a conflict: where rows [start, end) of the text stand, o wanted theirs, and
// base is what both had come from. base and theirs are whole rows; a terminator at their end
// is part of the last one. It returns the ID of the hunk.
//
// It takes the place of the open conflicts that the same agent has left earlier on the same
// rows, on some of them or on more: the newest proposal counts.
func (d *Doc) AddConflict(o Origin, start, end int, base, theirs string) string {
	d.begin()
	c := &conflict{made: d.seq, origin: o, at: start, n: end - start, base: base, theirs: wholeRows(theirs)}
	h := d.conflictHunk(c)
	h.Gone = base
	c.id = hunkID(h, uint64(start))
	var list []*conflict
	for _, x := range d.conflicts {
		switch {
		case x.id == c.id:
			c.instead = append(c.instead, x.instead...)
		case !x.declined && x.origin.Session == o.Session && x.origin.Agent == o.Agent && (c.covers(x) || x.covers(c)):
			c.instead = append(append(c.instead, x.id), x.instead...)
		default:
			list = append(list, x)
			continue
		}
		d.noteFate(x, fate{gone: true})
	}
	d.conflicts = append(list, c)
	d.end()
	return c.id
}

// covers reports whether all rows that x is about are c's. A place between rows is one of them
// if there are rows of c's on both sides.
func (c *conflict) covers(x *conflict) bool {
	if x.n == 0 && c.n > 0 {
		return c.at < x.at && x.at < c.at+c.n
	}
	return c.at <= x.at && x.at+x.n <= c.at+c.n
}

// noteFate takes down what has become of c.
func (d *Doc) noteFate(c *conflict, f fate) {
	f.id, f.made, f.seq = c.id, c.made, d.seq
	d.fates = append(d.fates, f)
}

// Disputed reports whether the conflict of that ID is open, or one that has taken its place.
func (d *Doc) Disputed(id string) bool {
	return slices.ContainsFunc(d.conflicts, func(c *conflict) bool {
		return !c.declined && (c.id == id || slices.Contains(c.instead, id))
	})
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
	state := StateConflict
	if c.declined {
		state = StateRejected
	}
	return Hunk{
		ID: c.id, State: state, Origins: []Origin{c.origin},
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
// is in the baseline too. With that text undone the conflict is open again, and settled again
// with it redone. One settled by TakeMine is listed as rejected, whatever is undone, until
// [Doc.Restore] opens it again.
func (d *Doc) Resolve(id string, take Take) error {
	i := d.openConflict(id)
	if i < 0 {
		return fmt.Errorf("conflict %s: %s", id, reasonGone)
	}
	if take != TakeMine && take != TakeTheirs && take != TakeBoth {
		return fmt.Errorf("conflict %s: cannot take %q: take mine, theirs or both", id, take)
	}
	d.begin()
	if take == TakeMine {
		d.decline(i, true)
	} else {
		c := d.conflicts[i]
		d.conflicts = slices.Delete(slices.Clone(d.conflicts), i, i+1)
		d.takeTheirs(c, take == TakeBoth)
	}
	d.anchor = nil
	d.end()
	return nil
}

// openConflict returns the number of the open conflict of that ID, -1 if there is none.
func (d *Doc) openConflict(id string) int {
	return slices.IndexFunc(d.conflicts, func(c *conflict) bool { return c.id == id && !c.declined })
}

// decline lists conflict i as rejected, or opens it again.
func (d *Doc) decline(i int, is bool) {
	c := *d.conflicts[i]
	c.declined = is
	d.conflicts = slices.Clone(d.conflicts)
	d.conflicts[i] = &c
	d.noteFate(&c, fate{declined: is})
}

// DropConflict ends the open conflict of that ID for good, undecided: nobody wants any more
// what it proposed. It does nothing if there is none.
func (d *Doc) DropConflict(id string) { d.dropConflict(id, true) }

// SettleConflict ends the open conflict of that ID, as the text has it settled: with that text
// undone it is open again. It does nothing if there is none.
func (d *Doc) SettleConflict(id string) { d.dropConflict(id, false) }

func (d *Doc) dropConflict(id string, forGood bool) {
	i := d.openConflict(id)
	if i < 0 {
		return
	}
	d.begin()
	if forGood {
		d.noteFate(d.conflicts[i], fate{gone: true})
	}
	d.conflicts = slices.Delete(slices.Clone(d.conflicts), i, i+1)
	d.anchor = nil
	d.end()
}

// DropMoot ends the conflicts of which the rows that were wanted stand there now. With that
// text undone they are open again.
func (d *Doc) DropMoot() {
	moot := func(c *conflict) bool {
		return !c.declined && slices.Equal(texts(rowsOf(d.text, c.at, c.at+c.n)), texts(c.theirs))
	}
	if !slices.ContainsFunc(d.conflicts, moot) {
		return
	}
	d.begin()
	d.conflicts = slices.DeleteFunc(slices.Clone(d.conflicts), moot)
	d.anchor = nil
	d.end()
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
		if line == c.at+c.n && c.n > 0 {
			theirs() // in the place of the user's rows: what an agent has taken out of those below stays below
		}
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

// recallConflicts lists the conflicts that were open, or rejected, when m was taken down, with
// what has become of them since, and those that are listed since. Others were settled then,
// and are so again. One that was settled since, and is wanted anew, is not there twice.
func (d *Doc) recallConflicts(m *moment) {
	out := slices.DeleteFunc(d.conflictsOf(m), func(c *conflict) bool {
		return slices.ContainsFunc(d.conflicts, func(x *conflict) bool { return x.id == c.id && x.made > m.seq })
	})
	for _, c := range d.conflicts {
		if c.made > m.seq {
			out = append(out, c)
		}
	}
	d.conflicts = out
}

// conflictsOf returns the conflicts of m with what has become of them since.
func (d *Doc) conflictsOf(m *moment) []*conflict {
	var out []*conflict
	for _, c := range m.conflicts {
		f := fate{declined: c.declined}
		for _, x := range d.fates {
			if x.seq > m.seq && x.id == c.id && x.made == c.made {
				f = x
			}
		}
		switch {
		case f.gone:
			continue
		case f.declined != c.declined:
			changed := *c
			changed.declined = f.declined
			c = &changed
		}
		out = append(out, c)
	}
	return out
}
