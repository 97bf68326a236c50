package session

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// taken is what the disk had when it was last taken into the text. Not all of it need
// be there: it may be in a conflict, or the user has undone it.
type taken struct {
	text.Text
	by       *review.Origin // whose it was; nil: it was there when the turn began, or is the user's
	info     fs.FileInfo    // beside by, if the disk was read then
	told     bool           // beside by: it was the editor that told of it first, by itself
	disputes []dispute      // ascending
	emptied  *text.Text     // what was tracked before a document was opened without any text; nil if it was not
	part     bool           // it breaks off where who writes it was when its editor has read it
	there    bool           // beside missing of the file: it has come under the document since
	from     *text.Text     // what it would have without what agents have put under unsaved text
	fromBy   *review.Origin // beside from: whose that is, the latest one's
	had      []string       // beside from: the texts that the document had before, the latest last

	back []review.ChangeID // what has come into the text because it was read anew, as it seemed
}

// under makes now, which o has put on disk under unsaved text where that had t, what it has: d is that
// text before now has come into it. What agents have put there before is still theirs if it is undone;
// what programs of the user's have done is not.
func (t *taken) under(d *review.Doc, now *taken, o *review.Origin) *taken {
	now.had = []string{hadText(d.Text())}
	was := t.Text
	if t.from != nil {
		was = *t.from
	}
	was, by := t.withoutAgents(d, was)
	if o.Author != review.AuthorUser {
		now.from, now.fromBy = &was, o
		return now
	}
	if by == nil {
		return now
	}
	now.from, now.fromBy = &was, by
	m := merge.TextsWith(t.String(), was.String(), now.String(), merge.Options{WhitespaceYields: true})
	if len(m.Conflicts) == 0 {
		was = text.New(m.Text)
		return now
	}
	// In the rows of an agent's, or beside them: what is left of those is still the agent's.
	follow := review.New(was, time.Now)
	follow.AgentEdit(t.Text, *now.fromBy)
	follow.Follow(now.Text, review.AuthorUser)
	was = follow.Baseline()
	return now
}

// withoutAgents is what was, which the disk had under unsaved text, would be without what of agents was
// undecided in it when d was like that: who undoes or rejects that and does not save has it on disk yet. by
// is whose that is, or what agents have put under the text since; nil: there is nothing of theirs.
func (t *taken) withoutAgents(d *review.Doc, was text.Text) (without text.Text, by *review.Origin) {
	if had := markedAs(d, was); d.Had(had) {
		back := d.Clone()
		back.ThrowAway(had)
		if h := back.Hunks(review.StatePending); len(h) > 0 && back.Text().Equal(had) {
			was, by = back.Baseline(), &h[0].Origins[0]
		}
	}
	if t.from != nil {
		by = t.fromBy
	}
	return was, by
}

// isTaken reports whether what has come under unsaved text is in d, decided on or not. What is
// disputed there has not come.
func (t *taken) isTaken(d *review.Doc) bool {
	if t.from == nil {
		return true
	}
	is := d.Text().String()
	m := merge.TextsWith(t.from.String(), is, t.in(d).String(), merge.Options{WhitespaceYields: true})
	if buffers.NormHash(m.Text) != buffers.NormHash(is) {
		return false
	}
	// Where it is beside what is disputed, or was undone in rows that others have changed, that tells nothing.
	back := d.Clone()
	t.bringIn(back, func() review.ChangeID { return "back" })
	return !t.givesAgents(d, back)
}

// givesAgents reports whether back, which is d after what the disk has was made its text, has anything
// of agents' in its baseline that the user has not accepted.
func (t *taken) givesAgents(d, back *review.Doc) bool {
	users := *t.from
	accepted, given := rowsCome(users, d.Baseline()), rowsCome(users, back.Baseline())
	for row, n := range rowsCome(users, t.Text) {
		if n > 0 && given[row] > max(0, accepted[row]) || n < 0 && given[row] < min(0, accepted[row]) {
			return true
		}
	}
	return false
}

// emptiedFrom is t of a document that was opened without any text, where had was tracked: who
// writes a file may have emptied it first.
func (t *taken) emptiedFrom(had *text.Text) *taken {
	out := *t
	out.emptied = had
	return &out
}

// hasTaken is what the disk had when that was last taken into the open document; nil if
// none is open, or it is unknown.
func (f *file) hasTaken() *taken {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) == 0 {
		return nil
	}
	return f.before
}

// A dispute is a part of what the disk had that was in conflict with the text when it
// was taken in. It has come into the text when the user has decided on the conflict,
// whichever way.
type dispute struct {
	hunk string // the conflict
	rows [2]int // of what the disk had
	was  string // what had come into the text in their place

	// users is what other programs of the user's had made of was, which an agent has written on in
	// the same rows. One conflict is of both then, and the agent's: but only what it has made of
	// these is a change of its own.
	users string
}

// disputesOf are the conflicts of a merge, of which base came in and ids are the hunks; users is
// what other programs of the user's had made of base.
func disputesOf(m merge.TextResult, ids []string, base, users text.Text) []dispute {
	var out []dispute
	for i, k := range m.Conflicts {
		was := base.Slice(base.LineStart(k.Base[0]), base.LineStart(k.Base[1]))
		out = append(out, dispute{ids[i], k.Theirs, was, rowsMadeOf(base, users, k.Base)})
	}
	return out
}

// rowsMadeOf is what now has of the rows of was, as far as that is to be told: of a change that goes
// beyond them it has nothing.
func rowsMadeOf(was, now text.Text, rows [2]int) string {
	from, to := rowsWithEnds(was), rowsWithEnds(now)
	var out strings.Builder
	at := rows[0]
	keep := func(end int) {
		for ; at < end; at++ {
			out.WriteString(from[at])
		}
	}
	for _, e := range linediff.Diff(linesOf(was), linesOf(now)) {
		if e.A0 < rows[0] || e.A1 > rows[1] {
			continue
		}
		keep(e.A0)
		for _, row := range to[e.B0:e.B1] {
			out.WriteString(row)
		}
		at = e.A1
	}
	keep(rows[1])
	return out.String()
}

// usersIn is what the user would have of the disk, had no agent been at it: what of it has come
// into the text of d, and of what is disputed what other programs of the user's have made.
func (t *taken) usersIn(d *review.Doc) text.Text {
	others, out := t.ofOthers(d), t.Text
	for _, p := range slices.Backward(t.disputes) {
		if d.Disputed(p.hunk) && !others(p.hunk) {
			out = withRows(out, p.rows, p.users)
		}
	}
	return out
}

// isDisputed reports whether some of what the disk has is in a conflict that is open in d.
func (t *taken) isDisputed(d *review.Doc) bool {
	return slices.ContainsFunc(t.disputes, func(p dispute) bool { return d.Disputed(p.hunk) })
}

// in is what of the disk has come into the text of d: all but what is disputed there
// still. What the disk has next is compared with that, or what was in conflict would be
// in conflict with itself when it is given up.
func (t *taken) in(d *review.Doc) text.Text {
	out := t.Text
	for _, p := range slices.Backward(t.disputes) {
		if d.Disputed(p.hunk) {
			out = withRows(out, p.rows, p.was)
		}
	}
	return out
}

// withRows is t with other rows in the place of some; the last row of t, or of a text that
// rows are from, may have no line end. If t has none, it has none without its last rows either.
func withRows(t text.Text, at [2]int, rows string) text.Text {
	start, end := t.LineStart(at[0]), t.LineStart(at[1])
	if rows == "" && start < end && end == t.Len() && !strings.ContainsAny(t.Slice(end-1, end), "\r\n") {
		return t.Replace(len(strings.TrimSuffix(strings.TrimSuffix(t.Slice(0, start), "\n"), "\r")), end, "")
	}
	if rows != "" && start > 0 && !strings.ContainsAny(t.Slice(start-1, start), "\r\n") {
		rows = "\n" + rows
	}
	if rows != "" && end < t.Len() && !strings.HasSuffix(rows, "\n") && !strings.HasSuffix(rows, "\r") {
		rows += "\n"
	}
	return t.Replace(start, end, rows)
}

// disputedBy says who has written the rows of a conflict with what the disk has now, which is o's
// or was in conflict with the text of d before. What other programs of the user's have written is
// the user's, but not that text: it is another program's then, and sure to be, unlike a change of
// which nobody knows whose it is.
func (t *taken) disputedBy(d *review.Doc, o review.Origin) func(theirs string) review.Origin {
	if o.Author == review.AuthorUser {
		o.Author = review.AuthorDisk
	}
	open := d.Hunks(review.StateConflict)
	return func(theirs string) review.Origin {
		if !strings.Contains(t.String(), theirs) {
			return o
		}
		for _, p := range t.disputes {
			rows := t.Slice(t.LineStart(p.rows[0]), t.LineStart(p.rows[1]))
			i := slices.IndexFunc(open, func(h review.Hunk) bool { return h.ID == p.hunk })
			if i >= 0 && rows != "" && strings.Contains(theirs, rows) {
				return open[i].Origins[0]
			}
		}
		return o
	}
}

// withdraw ends the conflicts in d about what the disk had, but for those that there
// are still.
func (t *taken) withdraw(d *review.Doc, still []dispute) {
	if t == nil {
		return
	}
	for _, p := range t.disputes {
		if !slices.ContainsFunc(still, func(q dispute) bool { return q.hunk == p.hunk }) {
			d.DropConflict(p.hunk) // if the user has not decided on it
		}
	}
}

// thrownBack takes in that the text is now, by a change that the editor tells of, what the disk has,
// if that has what was undone, or rejected, without having been saved, or is in conflict with what was
// not saved: it was read anew; mu is held.
func (f *file) thrownBack(now text.Text) bool {
	b := f.before
	if b == nil || b.from == nil || b.Len() != now.Len() || !b.Equal(now) {
		return false
	}
	disputed := b.isDisputed(f.doc) && !f.doc.Had(now) // else theirs was taken, and that is redone
	if !disputed && b.isTaken(f.doc) || f.doc.Provisional() && b.isBack(f.doc, now) {
		return false
	}
	b.bringTo(f.doc, func() review.ChangeID { // or the user has saved it, which the editor is about to say
		id := f.core.changeID()
		b.back = append(b.back, id)
		return id
	})
	return true
}

// isBack reports whether now, which d has had, is in d with all that was known of it: the text between the
// parts of one undo, or redo, may be that of another one, in which something else is decided.
func (t *taken) isBack(d *review.Doc, now text.Text) bool {
	if !d.Had(now) {
		return false
	}
	back := d.Clone()
	start, oldEnd, s := replacement(back.Text().String(), now.String())
	back.UserEdit(start, oldEnd, s)
	return !t.isDisputed(back) && t.isTaken(back)
}

// bringTo makes what the disk has the text of d, by the user's will: what was not saved is
// gone. What of it was in conflict with that is whose it was.
func (t *taken) bringTo(d *review.Doc, id func() review.ChangeID) {
	if !t.isTaken(d) { // it was undone, or rejected, and is on disk all the same
		d.ThrowAway(markedAs(d, *t.from))
		by := *t.fromBy
		by.Change = id()
		d.AgentEdit(markedAs(d, t.Text), by)
		t.settle(d)
		return
	}
	t.bringIn(d, id)
	t.settle(d)
}

// bringIn is bringTo where all that has come is in d, or disputed there.
func (t *taken) bringIn(d *review.Doc, id func() review.ChangeID) {
	back, users, by := t.in(d), t.usersIn(d), t.byOf(d)
	if was := markedAs(d, back); !d.Text().Equal(was) {
		d.ThrowAway(was)
	}
	if !users.Equal(back) {
		d.Follow(markedAs(d, users), review.AuthorUser)
	}
	if !users.Equal(t.Text) {
		by.Change = id()
		d.AgentEdit(markedAs(d, t.Text), by)
	}
}

// ofOthers tells which conflicts in d are with what other programs of the user's have written:
// that is no change to decide on, but for the conflict.
func (t *taken) ofOthers(d *review.Doc) func(hunk string) bool {
	others := map[string]bool{}
	if len(t.disputes) > 0 {
		for _, h := range d.Hunks(review.StateConflict) {
			others[h.ID] = h.Origins[0].Author == review.AuthorDisk && h.Origins[0].Sure
		}
	}
	return func(hunk string) bool {
		is, listed := others[hunk]
		return is || !listed && t.isUsers()
	}
}

// isUsers reports whether what the disk has had last is the user's.
func (t *taken) isUsers() bool { return t.by == nil || t.by.Author == review.AuthorUser }

// byOf says whose it is what of the disk is disputed in d and is not the user's: what the disk has had
// last may be theirs, and what an agent has written before is disputed yet.
func (t *taken) byOf(d *review.Doc) review.Origin {
	if !t.isUsers() {
		return *t.by
	}
	others := t.ofOthers(d)
	for _, h := range d.Hunks(review.StateConflict) {
		if !others(h.ID) && slices.ContainsFunc(t.disputes, func(p dispute) bool { return p.hunk == h.ID }) {
			return h.Origins[0]
		}
	}
	return review.Origin{Author: review.AuthorDisk}
}

// settle ends the conflicts about what the disk has: all of it is the text of d now.
func (t *taken) settle(d *review.Doc) {
	if t == nil {
		return
	}
	for _, p := range t.disputes {
		d.SettleConflict(p.hunk)
	}
}
