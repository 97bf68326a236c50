package review

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sort"
)

// listing is what Hunks found, with what decisions need to know.
type listing struct {
	hunks   []Hunk
	pending map[string]pending // by ID
}

// pending is a pending hunk as rows.
type pending struct {
	hunk Hunk
	rows map[uint64]bool // its marked rows
	all  []row           // its rows in order, plain rows between its runs included
}

// Hunks returns the hunks in the order of the text; with states, those in one of them. The
// caller must not change what the hunks hold.
func (d *Doc) Hunks(states ...State) []Hunk {
	var out []Hunk
	for _, h := range d.list().hunks {
		if len(states) == 0 || slices.Contains(states, h.State) {
			out = append(out, h)
		}
	}
	return out
}

func (d *Doc) list() *listing {
	if d.listed != nil {
		return d.listed
	}
	l := &listing{pending: map[string]pending{}}
	for _, s := range d.stretches() {
		if p, ok := d.pendingHunk(s); ok {
			l.pending[p.hunk.ID] = p
			l.hunks = append(l.hunks, p.hunk)
		}
	}
	for _, r := range d.rejected {
		if _, ok := l.pending[r.hunk.ID]; ok {
			continue // its like is there, made of other rows
		}
		h := r.hunk
		h.StartLine, h.EndLine = max(0, r.at-r.lead), r.at+r.n
		l.hunks = append(l.hunks, h)
	}
	for _, c := range d.conflicts {
		l.hunks = append(l.hunks, d.conflictHunk(c))
	}
	for _, p := range d.proposals() {
		if !d.moot(p) {
			l.hunks = append(l.hunks, d.proposedHunk(p))
		}
	}
	sort.SliceStable(l.hunks, func(i, j int) bool { return l.hunks[i].StartLine < l.hunks[j].StartLine })
	d.listed = l
	return l
}

// stretch is a sequence of rows that are decided together, beginning at text row at.
type stretch struct {
	at, n int
	rows  []row
}

// stretches returns the maximal runs of undecided rows, those joined that are parted by a
// few thin rows which the user did not write.
func (d *Doc) stretches() []stretch {
	var out []stretch
	parted := true // by a row the user wrote
	for _, r := range d.runs {
		at := r.at
		for i := 0; i < len(r.rows); {
			if !r.rows[i].undecided() {
				parted = true
				at++
				i++
				continue
			}
			j := i
			for j < len(r.rows) && r.rows[j].undecided() {
				j++
			}
			s := stretch{at: at, n: textRows(r.rows[i:j]), rows: r.rows[i:j]}
			at += s.n
			i = j
			if last := len(out) - 1; last >= 0 && !parted {
				if gap, ok := d.thinGap(out[last].at+out[last].n, s.at); ok {
					out[last].rows = slices.Concat(out[last].rows, gap, s.rows)
					out[last].n = s.at + s.n - out[last].at
					continue
				}
			}
			out = append(out, s)
			parted = false
		}
	}
	return out
}

// thinGap returns the text rows [from, to) if they do not part two hunks.
func (d *Doc) thinGap(from, to int) ([]row, bool) {
	if to-from > maxGap {
		return nil, false
	}
	rows := d.plainRows(from, to)
	return rows, !slices.ContainsFunc(rows, func(r row) bool { return !thin(r.text) })
}

// pendingHunk returns the hunk of a stretch; false if its author is not known yet.
func (d *Doc) pendingHunk(s stretch) (pending, bool) {
	p := pending{rows: map[uint64]bool{}, all: s.rows}
	h := Hunk{State: StatePending, StartLine: s.at, EndLine: s.at + s.n}
	first := uint64(0)
	for _, r := range s.rows {
		if !r.undecided() {
			continue
		}
		for _, m := range []mark{r.ins, r.del} {
			if m == 0 {
				continue
			}
			o := d.origins[m]
			if o.Author == AuthorUnknown {
				return p, false
			}
			if !slices.ContainsFunc(h.Origins, func(x Origin) bool { return x.Change == o.Change }) {
				h.Origins = append(h.Origins, o)
			}
		}
		if first == 0 {
			first = r.id
		}
		p.rows[r.id] = true
		h.Mixed = h.Mixed || r.mixed()
	}
	h.Gone = d.join(s.rows, row.ghost, false)
	rows, last := s.rows, s.at+s.n == d.text.LineCount()
	if last && s.at > 0 && (!slices.ContainsFunc(rows, row.inText) || !slices.ContainsFunc(rows, row.inBase)) {
		// One of the two ends in the row before, so that its terminator is what differs.
		before := d.plainRows(s.at-1, s.at)
		if r, ok := d.storedRow(s.at - 1); ok {
			before[0] = r
		}
		rows = append(before, rows...)
		h.StartLine--
	}
	prev := lastByte(d.text, h.StartLine)
	h.Text = d.joinWindow(d.text, prev, h.StartLine, h.EndLine, rows, row.inText)
	h.BaseText = d.joinWindow(d.text, prev, h.StartLine, h.EndLine, rows, row.inBase)
	h.ID = hunkID(h, first)
	p.hunk = h
	return p, true
}

// storedRow returns text row i if it is a stored one.
func (d *Doc) storedRow(i int) (found row, ok bool) {
	d.eachStored(i, i+1, func(_ int, r row) { found, ok = r, true })
	return found, ok
}

// hunkID returns the ID of h. first, the first marked row, tells apart hunks that are
// otherwise the same, as a word replaced in many places makes.
func hunkID(h Hunk, first uint64) string {
	sum := sha256.New()
	part := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		sum.Write(n[:])
		sum.Write([]byte(s))
	}
	for _, o := range h.Origins {
		part(string(o.Change))
	}
	base, text := undressed(h.BaseText, h.Text)
	part(base)
	part(text)
	part(h.Gone)
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], first)
	sum.Write(n[:])
	part(map[State]string{StateConflict: "conflict"}[h.State])
	return string(h.Origins[0].Change) + "~" + hex.EncodeToString(sum.Sum(nil)[:12])
}
