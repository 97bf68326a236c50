package session

import (
	"encoding/hex"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What agents have put on disk under unsaved text outlives the process: what of it is disputed, and
// what is theirs if it was undone or rejected and the disk has it yet. It is in the record of the text,
// with what tells that the disk has not moved; and in front of that is a record of what the disk has, to
// which an editor that is killed goes back.

// keptUnder is that of a record.
type keptUnder struct {
	Disk     string        // its hash, as that of documents
	Disputes []keptDispute `json:",omitempty"`

	// From is what makes the text without what agents have put under unsaved text of the
	// disk's, and FromBy whose that is, as in taken; nil: they have put nothing there.
	From   []keptRowsOf   `json:",omitempty"`
	FromBy *review.Origin `json:",omitempty"`
	Had    []string       `json:",omitempty"` // as in taken
}

type keptDispute struct {
	Hunk string
	Rows [2]int
	Was  string

	Users *string `json:",omitempty"` // if it is not Was
}

// keptRowsOf is what stands in the place of some rows of the disk's text, ascending.
type keptRowsOf struct {
	Rows [2]int
	Is   string
}

// kept is what a record has of t; nil: nothing.
func (t *taken) kept() *keptUnder {
	if t == nil || len(t.disputes) == 0 && t.from == nil {
		return nil
	}
	k := &keptUnder{Disk: diskHash(t.Text)}
	for _, p := range t.disputes {
		d := keptDispute{Hunk: p.hunk, Rows: p.rows, Was: p.was}
		if p.users != p.was {
			d.Users = &p.users
		}
		k.Disputes = append(k.Disputes, d)
	}
	if t.from != nil {
		rows := rowsWithEnds(*t.from)
		for _, e := range linediff.Diff(rowsWithEnds(t.Text), rows) {
			k.From = append(k.From, keptRowsOf{[2]int{e.A0, e.A1}, strings.Join(rows[e.B0:e.B1], "")})
		}
		k.FromBy, k.Had = t.fromBy, t.had
	}
	return k
}

func diskHash(t text.Text) string {
	h := buffers.NormHashText(t)
	return hex.EncodeToString(h[:])
}

// draftOnDisk returns what makes the record of what the disk has, where some of that is in
// conflict with the text of v, or was undone there and not saved; mu is held.
func (f *file) draftOnDisk(v version, has *taken) func() journal.Record {
	doc := v.doc.Clone()
	has.bringTo(doc, f.core.changeID)
	v.doc, v.onDisk, v.under = doc, true, nil
	return f.draft(v)
}

// attachUnder makes what was recalled that of what the disk has, if it has that yet; mu is held.
func (f *file) attachUnder() {
	k := f.recalled
	if k == nil || f.before == nil || f.doc == nil || diskHash(f.before.Text) != k.Disk {
		return
	}
	f.recalled = nil
	if from, ok := k.from(f.before.Text); ok {
		f.before.from, f.before.fromBy, f.before.had = &from, k.FromBy, k.Had
	}
	if out, by := k.disputes(f.before.Text, f.doc); by != nil {
		f.before.by, f.before.disputes = by, out
	}
	f.takeOlder()
}

// from is the text without what agents have put under unsaved text, where the disk has now; not ok:
// they have put nothing there, or the record is of another text.
func (k *keptUnder) from(now text.Text) (from text.Text, ok bool) {
	if k.FromBy == nil {
		return from, false
	}
	var out strings.Builder
	rows, at := rowsWithEnds(now), 0
	for _, p := range append(k.From, keptRowsOf{Rows: [2]int{len(rows), len(rows)}}) {
		if p.Rows[0] < at || p.Rows[1] < p.Rows[0] || p.Rows[1] > len(rows) {
			return from, false
		}
		out.WriteString(strings.Join(rows[at:p.Rows[0]], "") + p.Is)
		at = p.Rows[1]
	}
	return text.New(out.String()), true
}

// disputes are those with what the disk has now, and by is whose that is; nil: none is in d any more,
// or the record is of another text.
func (k *keptUnder) disputes(now text.Text, d *review.Doc) (out []dispute, by *review.Origin) {
	open := d.Hunks(review.StateConflict)
	for _, p := range k.Disputes {
		if p.Rows[0] < 0 || p.Rows[0] > p.Rows[1] || p.Rows[1] > now.LineCount() {
			return nil, nil
		}
		for _, h := range open {
			if h.ID == p.Hunk {
				by = &h.Origins[0]
			}
		}
		is := dispute{p.Hunk, p.Rows, p.Was, p.Was}
		if p.Users != nil {
			is.users = *p.Users
		}
		out = append(out, is)
	}
	return out, by
}
