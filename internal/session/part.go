package session

import (
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What an editor has read of a file that was being written, or was away, is no text that anybody has wanted: it breaks
// off. What the user types there goes into what comes of it, and is in conflict with nothing.

// isEmpty reports whether t is that of a file without any text: an editor may read a row in that.
func isEmpty(t text.Text) bool {
	return t.Len() <= len("\r\n") && strings.Trim(t.String(), "\r\n") == ""
}

// readAway takes in that a document was opened without any text while its file was away, of which had is what is known;
// was is what it had before, nil if that is not known. That comes back with the file, with what of it was undecided; mu is
// held.
func (f *file) readAway(ar arrival, had, was *taken) {
	if !isEmpty(ar.text) || f.deleted || f.created {
		return
	}
	switch {
	case ar.emptied != nil:
		f.before = had.emptiedFrom(ar.emptied)
	case ar.change != "" && !isEmpty(ar.tracked):
		f.before = had.emptiedFrom(&ar.tracked)
	case was != nil && !isEmpty(was.Text) && (ar.had == nil || f.wentTo != ""): // else it is known to be gone, and accepted
		f.before = had.emptiedFrom(&was.Text)
	}
}

// openedAway reports whether the file was away when its document was opened, which has nothing of it; mu is held.
func (f *file) openedAway() bool {
	return len(f.open) > 0 && f.doc != nil && f.before != nil && f.before.emptied != nil
}

// comesBack makes doc, which was tracked of the file under another name, what is tracked of its document, which was opened
// while it was away: what the document has is what the user has typed. mu is held.
func (f *file) comesBack(doc *review.Doc) {
	had, typed := doc.Text(), f.doc.Text()
	takeOver(doc, text.Text{}, usersOwn(text.Text{}, nil))
	if typed.Len() > 0 {
		doc.Reload(typed, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
	}
	f.doc = doc
	f.keepBefore(text.Text{})
	f.before = f.before.emptiedFrom(&had)
}

// notePart notes that what a document was opened with, which the disk had, breaks off: it does not end as what the file had
// before, while somebody is at work.
func (f *file) notePart(ar *arrival) {
	f.mu.Lock()
	defer f.mu.Unlock()
	had := ar.before
	if had == nil || ar.number != f.arrivals || ar.then.Author == review.AuthorUser || f.before == nil || !f.before.Equal(ar.text) || endsAs(ar.text, had.Text) {
		return
	}
	part := *f.before
	part.part = true
	f.before = &part
}

// endsAs reports whether t ends with the last row of had that has something.
func endsAs(t, had text.Text) bool {
	last := func(t text.Text) string {
		for i := t.LineCount() - 1; i >= 0; i-- {
			if row := t.Line(i); !isBlank(row) {
				return row
			}
		}
		return ""
	}
	return last(t) == last(had)
}

// mergePart makes of doc, in which the user has typed where its editor had read a part of a file, what bring makes of the
// part with now, and what was typed in that. It reports whether that is so.
func (f *file) mergePart(doc *review.Doc, before *taken, now text.Text, bring func(doc *review.Doc, now text.Text)) bool {
	if !before.part && before.emptied == nil {
		return false
	}
	base := before.in(doc)
	if before.emptied != nil {
		base = text.Text{}
	}
	live := doc.Text()
	merged, ok := typedInPart(base.String(), live.String(), now.String())
	if !ok {
		return false
	}
	user := func() review.Origin { return review.Origin{Change: f.core.changeID(), Author: review.AuthorUser} }
	doc.Reload(base, user())
	bring(doc, now)
	doc.Reload(text.New(buffers.KeepStyle(now.String(), merged)), user())
	return true
}

// typedInPart is now, which has come of part, with what the user has made of part to have live; not ok: that is in conflict.
func typedInPart(part, live, now string) (merged string, ok bool) {
	if merged, ok = typedInBegin(part, live, now); ok {
		return merged, true
	}
	// It was written on, and then again.
	full := func(s string) []string { return rowsWithEnds(text.New(strings.TrimSuffix(s, "\n"))) }
	rows, is := full(part), full(now)
	edits := linediff.Diff(rows, is)
	if len(edits) == 0 {
		return "", false
	}
	last := edits[len(edits)-1]
	if last.A1 < len(rows) || last.B1 < len(is) {
		return "", false
	}
	whole := strings.Join(rows[:last.A0], "") + strings.Join(is[last.B0:], "") + "\n"
	live, ok = typedInBegin(part, live, whole)
	m := merge.TextsWith(whole, live, now, merge.Options{WhitespaceYields: true})
	return m.Text, ok && len(m.Conflicts) == 0
}

// typedInBegin is typedInPart if now begins with part; else it is not ok. What was typed behind the part is behind all that
// has come.
func typedInBegin(part, live, now string) (merged string, ok bool) {
	if !strings.HasPrefix(now, part) { // an editor may have read a final line end that was not there
		part, live = strings.TrimSuffix(part, "\n"), strings.TrimSuffix(live, "\n")
	}
	rest, ok := strings.CutPrefix(now, part)
	if !ok {
		return "", false
	}
	typed, behind := strings.CutPrefix(live, part)
	rows := part == "" || strings.HasSuffix(part, "\n") || strings.HasPrefix(typed, "\n")
	switch {
	case behind && rows:
		if merged = strings.TrimPrefix(typed, "\n"); part != "" && !strings.HasPrefix(typed, "\n") {
			merged = typed
		}
		return strings.TrimSuffix(now, "\n") + "\n" + merged, true
	case behind: // in its last row
		row, more, _ := strings.Cut(rest, "\n")
		return part + row + strings.TrimSuffix(typed, "\n") + "\n" + more, true
	}
	if rest != "" && strings.HasSuffix(part, "\n") && !strings.HasSuffix(live, "\n") {
		live += "\n"
	}
	return live + rest, true
}
