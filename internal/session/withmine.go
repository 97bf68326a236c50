package session

import (
	"slices"

	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// To take mine in a conflict changes no text, so no undo is about that. But where it was taken along with
// what has changed the text, as where all is rejected, the conflict is open again when the editor undoes
// that, and mine is taken again when it is done again.

// mostTextsWithMine is how many texts are known to have come since; with more it is left as it is then.
const mostTextsWithMine = 1024

// withMine is a conflict in which mine was taken by what has changed the text, too.
type withMine struct {
	hunk   string
	before *review.Doc        // as it was until then
	texts  map[text.Hash]bool // that there were since: whether mine is taken there
}

// isDeclined reports whether mine is taken in the conflict of that ID.
func isDeclined(d *review.Doc, hunk string) bool {
	return slices.ContainsFunc(d.Hunks(review.StateRejected), func(h review.Hunk) bool { return h.ID == hunk })
}

// decidedMine notes what an operation, by which now has come from before, has done about conflicts.
// One that the user has decided on anew, or opened again, is no matter of the texts before; mu is held.
func (f *file) decidedMine(before, now *review.Doc) {
	f.mines = slices.DeleteFunc(f.mines, func(m *withMine) bool {
		return isDeclined(before, m.hunk) != isDeclined(now, m.hunk)
	})
	if before.Text().Equal(now.Text()) {
		return
	}
	for _, m := range f.mines {
		m.texts[now.Text().Hash()] = isDeclined(now, m.hunk)
	}
	for _, h := range before.Hunks(review.StateConflict) {
		if isDeclined(now, h.ID) {
			f.mines = append(f.mines, &withMine{h.ID, before, map[text.Hash]bool{now.Text().Hash(): true}})
		}
	}
}

// followMine takes mine in conflicts, or opens them, as the text says that the user's change has come to,
// if it is one that there was; mu is held.
func (f *file) followMine() {
	if len(f.mines) == 0 {
		return
	}
	now := f.doc.Text()
	hash := now.Hash()
	f.mines = slices.DeleteFunc(f.mines, func(m *withMine) bool {
		is := isDeclined(f.doc, m.hunk)
		was, known := m.texts[hash]
		if !known {
			was = is && !m.before.Had(now)
		}
		if is && !was {
			f.doc.Restore([]string{m.hunk})
		} else if was && !is {
			_ = f.doc.Resolve(m.hunk, review.TakeMine) // if it is there
		}
		m.texts[hash] = was
		return len(m.texts) > mostTextsWithMine
	})
}
