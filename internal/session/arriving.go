package session

import (
	"context"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Between an editor's reading a file and its saying so, and from then until it is known what the file had
// before the turn, which asks git, an agent may write it, and the editor may have read that by the time.
// What a document is opened with is no more than what the disk had at one of these moments.

// baseOf is what the file had before agents wrote what is tracked, of which had was the last that was taken
// in, if t, with which a document is opened, is something else; mu is held.
func (f *file) baseOf(t text.Text, had *taken) *text.Text {
	if had == nil || had.by == nil || had.by.Author == review.AuthorUser || f.doc == nil || !f.doc.Tracking() || isEmpty(t) ||
		buffers.NormHashText(had.Text) == buffers.NormHashText(t) || buffers.NormHashText(had.Text) != buffers.NormHashText(f.doc.Text()) {
		return nil // or what is tracked has what was never on disk
	}
	base := f.doc.Baseline()
	return &base
}

// isReadOf reports whether t is what a file may have had on its way from before to now: nothing is in it
// that is in neither, or it is as much of now as was written yet.
func isReadOf(t, before, now text.Text) bool {
	is, was := buffers.NormHashText(t), buffers.NormHashText(before)
	if is == was || isEmpty(t) || t.Len() < now.Len() && now.Slice(0, t.Len()) == t.String() {
		return true
	}
	return was != buffers.NormHashText(now) &&
		buffers.NormHashText(partOnDisk(before, t, linediff.Split(now.String()))) == is
}

// isReadBefore reports whether the editor had read the file before it was written, or between two writes: older
// than what is tracked, or else than what the disk has, of which had is from before the turn. found is what the disk
// had when the document was opened with something else.
func (f *file) isReadBefore(ctx context.Context, ar arrival, had *taken, found text.Text) (older, between bool) {
	if !ar.first || had == nil || ar.base == nil && ar.then.Author == review.AuthorUser {
		return false, false
	}
	before := had.Text
	if ar.base != nil {
		before = *ar.base
	}
	if buffers.NormHashText(found) == buffers.NormHashText(before) {
		return false, false // nobody had written it yet: the document has what its editor writes now
	}
	disk, err := f.whole(ctx, f.read) // it may be that somebody is just at it
	if err != nil || !disk.Exists || !isReadOf(ar.text, before, text.New(disk.Content)) {
		return false, false
	}
	return ar.base != nil, ar.base == nil
}

// readBeside takes what a document is opened with for what the disk had when its editor read it, until it
// is found out. Who is at work may write it at any moment, and the editor read it anew.
func (f *file) readBeside(ar arrival) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ar.first && ar.then.Author != review.AuthorUser && f.before == nil {
		f.asRead = &taken{Text: ar.text}
		f.before = f.asRead
	}
}

// keepRead keeps t, which is that of asRead if there is one, as what the disk had when the editor read it; mu is
// held.
func (f *file) keepRead(asRead *taken, t text.Text) {
	if f.before == nil || f.before != asRead {
		f.before = &taken{Text: t}
	}
	f.later()
}

// awaitArrival waits until it is found out what the first document of the file was opened beside.
func (f *file) awaitArrival(ctx context.Context) error {
	f.mu.Lock()
	known := f.arriving
	f.mu.Unlock()
	if known == nil {
		return nil
	}
	select {
	case <-known:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// timesOpened is how often a first document of the file was opened.
func (f *file) timesOpened() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.arrivals
}
