package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What an earlier run had tracked in a file sleeps as long as nobody knows which text an editor
// will open that with. Meanwhile the user's programs go on with what the disk has: what has
// become of that is beside what sleeps, for the next run, and for who opens what is on disk.

// sleeper is what an earlier run had tracked in a file whose text is not known for sure.
type sleeper struct {
	journal.Entry
	until resumed         // what has become of it with the disk's text
	moved *journal.Record // what the file is with what the disk has got since; nil: nothing
	then  version         // what it was when that was written, or with the disk's text that was found
	text  text.Text       // which it had then
}

// entry is what is to be taken up.
func (s *sleeper) entry() journal.Entry {
	if s.moved == nil {
		return s.Entry
	}
	return s.WithSaved(*s.moved)
}

// overtaken reports whether the disk has got what is not written yet; the file's mu is held.
func (s *sleeper) overtaken(f *file) bool {
	if f.doc == nil || f.parked != nil || f.opaque != "" || len(f.open) > 0 || f.missing != f.deleted || f.before == nil || !f.before.Equal(f.doc.Text()) {
		return false // or it is not known for sure
	}
	return f.version() != s.then || !f.doc.Text().Equal(s.text)
}

// sleepsThrough reports whether what sleeps goes on to do so when now is found on disk, by o: as
// it is known already, or is what a program of the user's has made of it; mu is held.
func (f *file) sleepsThrough(now text.Text, there bool, o review.Origin) bool {
	if f.asleep == nil || f.doc == nil {
		return false
	}
	known := f.doc.Text().Equal(now) && there == (!f.deleted && !f.missing)
	return known || o.Author == review.AuthorUser
}

// keepAsleep writes down what has become of the file while s sleeps, beside that; pen is held.
func (f *file) keepAsleep(s *sleeper, sync bool) {
	f.mu.Lock()
	if f.asleep != s || !s.overtaken(f) {
		f.mu.Unlock()
		return
	}
	v, now := f.version(), f.doc.Text()
	with := v
	with.doc, with.onDisk = f.doc, true // also where nothing is undecided: that is so of this text
	draft := f.draft(with)
	f.mu.Unlock()
	r := draft()
	f.mu.Lock()
	if f.asleep != s {
		f.mu.Unlock()
		return // it is kept by itself
	}
	f.core.durable.giveBefore(&s.Entry) // else what the disk has would be in its place
	s.moved = &r
	e := s.entry()
	f.mu.Unlock()
	if !f.core.durable.write(sync, e.Records()...) {
		return
	}
	f.mu.Lock()
	s.then, s.text = v, now
	f.mu.Unlock()
}

// wake takes up what sleeps, now that the text is known; mu is held.
func (f *file) wake(found text.Text, missing bool) {
	e := f.asleep
	if e == nil {
		return
	}
	if f.doc != nil && f.missing == missing && f.doc.Text().Equal(found) && !isKnown(&e.Entry, found, missing) {
		f.asleep = nil // it has gone from the disk's text to this one, which nobody knows better
		if len(e.until.lost) > 0 {
			f.core.durable.report(resumed{lost: e.until.lost})
		}
		return
	}
	// What was taken up for the disk's text meanwhile is only that text's.
	f.asleep, f.doc, f.created, f.deleted = nil, nil, false, false
	f.shownRev = notShown
	var sum resumed
	if err := f.wakeOn(e.entry(), found, missing, &sum); err != nil {
		f.core.log.Warn("take up changes of an earlier run", "path", f.path, "err", err)
	}
	if sum.pending != e.until.pending || len(sum.lost) > 0 { // else the user was told
		f.core.durable.report(sum)
	}
	f.publish()
}

// wakeOnDisk is wake for a file that nobody has open and that is about to be changed.
func (f *file) wakeOnDisk() {
	f.mu.Lock()
	asleep := f.asleep != nil
	f.mu.Unlock()
	if !asleep {
		return
	}
	disk, err := buffers.ReadDisk(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && len(f.open) == 0 {
		held, now := f.held(), checkpoint.State{Exists: disk.Exists, Content: disk.Content}
		f.wake(text.New(disk.Content), !disk.Exists)
		f.holdOn(held, now, now, review.Origin{}) // until it is changed
	}
}
