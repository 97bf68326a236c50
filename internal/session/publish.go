package session

import (
	"slices"
	"strconv"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// publish tells the editors what is to be reviewed, if that has changed, and
// arranges to do so again when a provisional state settles; mu is held.
func (f *file) publish() {
	f.tellOldName()
	f.tend()
	f.later()
	if f.doc == nil {
		f.show(nil, 0)
		return
	}
	f.doc.DropMoot()
	_, next := f.doc.Settle(f.core.now())
	if !next.IsZero() && !f.gone {
		if f.settling != nil {
			f.settling.Stop()
		}
		f.settling = time.AfterFunc(max(next.Sub(f.core.now()), time.Millisecond), func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			if !f.gone {
				f.publish()
				f.stir()
			}
		})
		return
	}
	rev := f.doc.Revision()
	if !f.shown && !f.doc.Tracking() && !f.doc.Proposing() && f.shownChange() == nil || f.shown && rev == f.shownRev {
		f.shownRev = rev
		return
	}
	f.show(f.hunks(), rev)
}

// republish tells the editors again, for instance when a setting has changed.
func (f *file) republish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shown {
		f.shownRev = notShown
		f.publish()
	}
}

// show sends the hunks and counts them for their sessions; mu is held.
func (f *file) show(hunks []review.Hunk, rev uint64) {
	change := f.shownChange()
	if len(hunks) == 0 && change == nil && !f.shown {
		return
	}
	f.shown, f.shownRev = len(hunks) > 0 || change != nil, rev
	r := f.review(hunks)
	for _, a := range f.core.attached() {
		a.editor.ReviewChanged(r)
	}
	counts := map[string]int{}
	if by := f.changeBy(); change != nil && by != "" {
		counts[by] = 0 // it is a file of theirs at least
	}
	for _, h := range hunks {
		of := map[string]bool{}
		for _, o := range h.Origins {
			if o.Session != "" && !of[o.Session] {
				of[o.Session] = true
				counts[o.Session]++
			}
		}
	}
	f.core.count(f.path, counts, f.hasOrigin)
	f.hasOrigin = map[string]bool{}
	for s := range counts {
		f.hasOrigin[s] = true
	}
}

// tellRejected sends that nothing is to be reviewed, though nothing was before, if something can
// be brought back by now: an editor may have asked for that already.
func (f *file) tellRejected() {
	f.mu.Lock()
	defer f.mu.Unlock()
	rejected := f.rejectedChange() != nil || f.refusedChange() != nil || f.doc != nil && len(visible(f.doc.Hunks(review.StateRejected))) > 0
	if f.shown || !rejected {
		return
	}
	r := f.review(nil)
	for _, a := range f.core.attached() {
		a.editor.ReviewChanged(r)
	}
}

// answer is what an answer says of the file. Whoever gets it has been shown that: when it is not so any
// more they are told, also if nobody had been told that it was; mu is held.
func (f *file) answer(hunks []review.Hunk) Review {
	r := f.review(hunks)
	if !f.shown && (len(r.Hunks) > 0 || r.File != nil) {
		f.shown, f.shownRev = true, notShown
	}
	return r
}

// review describes the file's state; mu is held.
func (f *file) review(hunks []review.Hunk) Review {
	r := Review{Path: string(f.path), URI: buffers.PathURI(string(f.path)), Seq: f.core.reviews.Add(1), Hunks: hunks, File: f.shownChange()}
	r.Decided = f.core.rejections.among(hunkIDs(slices.DeleteFunc(slices.Clone(hunks), func(h review.Hunk) bool { return h.State != review.StateRejected })))
	if f.entire.goneBack { // as [file.onDisk] has it
		for _, h := range hunks {
			if h.State == review.StateRejected && h.Text == "" && len(h.BaseText) == f.doc.Text().Len() {
				r.Deletes = h.ID
			}
		}
	}
	r.Rev = f.revision()
	if o, d, ok := f.live(); ok {
		r.URI = o.uri
		v := d.Version
		if f.doc != nil && !f.doc.Text().Equal(d.Text) {
			v-- // what the editor has told of since is about to be taken in: these rows are older
		}
		r.Version = &v
	}
	return r
}

// revision names what is shown of the file now, "" if nothing is tracked in it; mu is held.
func (f *file) revision() string {
	if f.doc == nil {
		return ""
	}
	return strconv.FormatUint(f.doc.Revision(), 10)
}

// markCreated notes that the file is an agent's: it was not there before.
func (f *file) markCreated(by review.Origin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.created, f.entire.by = true, by
	f.shownRev = notShown
	f.publish()
}

func (c *Core) changeID() review.ChangeID { return review.ChangeID(c.newID("c")) }

// count notes how many hunks of a file are pending for each session and tells
// the sessions whose number has changed.
func (c *Core) count(p buffers.Path, counts map[string]int, before map[string]bool) {
	touched := map[string]bool{}
	c.pendingMu.Lock()
	for s := range before {
		if _, ok := counts[s]; !ok {
			delete(c.pending[s], p)
			touched[s] = true
		}
	}
	for s, n := range counts {
		if c.pending[s] == nil {
			c.pending[s] = map[buffers.Path]int{}
		}
		if was, ok := c.pending[s][p]; !ok || was != n {
			c.pending[s][p] = n
			touched[s] = true
		}
	}
	c.pendingMu.Unlock()
	for id := range touched {
		if s, err := c.findSession(id); err == nil {
			s.mu.Lock()
			s.changed()
			s.mu.Unlock()
		}
	}
}

func (c *Core) pendingOf(session string) Pending {
	c.pendingMu.Lock()
	defer c.pendingMu.Unlock()
	var p Pending
	for _, n := range c.pending[session] {
		p.Files++
		p.Hunks += n
	}
	return p
}
