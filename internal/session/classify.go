package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// reloading is a reload of which it is not known yet whose it was.
type reloading struct {
	change   review.ChangeID
	loaded   text.Text
	before   *taken
	then     review.Origin // who was at work when it came
	was, doc *review.Doc   // before it; and with it
}

// classify finds out whose a reload was, off the read loop. disk and err are what came of our
// reading then.
func (f *file) classify(r reloading, disk buffers.Disk, err error) {
	who := f.whoseThen(r.loaded, r.before, r.then)
	who.Change = r.change
	var hand gitsHand
	if err == nil && who.Author != review.AuthorUser {
		hand = f.gitsHand(f.core.ctx, disk, r.was.Clone())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.doc == nil:
		return
	case hand == gitsHand{} || f.doc != r.doc: // or it was decided on meanwhile
		f.doc.Relabel(r.change, who)
	default:
		live := f.doc.Text()
		f.doc = r.was
		hand.edit(f.doc, r.loaded, who)
		if !live.Equal(r.loaded) {
			f.doc.Reload(live, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
		}
		f.shownRev = notShown
		f.stir()
	}
	f.publish()
}
