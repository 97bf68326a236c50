package session

import (
	"context"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Who writes a file several times in a row has it read by its editor at any of these times, and the disk may have gone
// on before anybody else looks: then it does not tell any more what was read (anew.go). An editor that knows what it has
// read says so. It may learn that a moment after the change (VS Code has a document for unchanged until the
// next message, also where the user has just typed in it), and until then nothing is concluded.

// reading is a change of a document that may be its file being read anew.
type reading struct {
	at      *Attachment
	uri     string
	version int32

	was, doc *review.Doc // before the change; and in which it was taken for the user's
	text     text.Text   // after it
	before   *taken      // what the disk had
	whose    review.Origin

	unsaved bool // something was, which the user has thrown away then
	told    bool // the editor has said that it was
}

const (
	// maxReadings bounds how many changes of a document are known that may be readings.
	maxReadings = 32
	// toldWait is how long is waited for an editor that is to say whether it has read a file: it does at once, or, as its
	// machine is busy, when it comes to it. What was read and not told by then is taken for the user's.
	toldWait = 30 * time.Second
)

// mayHaveRead notes a change, to after, of which its editor is going to say whether it has read the file; was is the
// document before that. Who reads what the disk had all the same takes back what is unsaved. mu is held.
func (f *file) mayHaveRead(at *Attachment, ev buffers.Event, was *review.Doc) {
	d := ev.After
	if f.saving || f.before == nil || f.encoded != nil || d.Encoded() || f.before.Equal(d.Text) {
		return
	}
	f.readings = slices.DeleteFunc(f.readings, func(r *reading) bool { return r.doc != f.doc })
	if len(f.readings) == maxReadings {
		f.readings = slices.Delete(f.readings, 0, 1)
	}
	unsaved := len(f.readings) == 0 && !clean(ev.Before)
	r := &reading{
		at: at, uri: d.URI, version: d.Version, was: was, doc: f.doc, text: d.Text, before: f.before,
		whose: f.core.attribute(f.path), unsaved: unsaved,
	}
	f.readings = append(f.readings, r)
}

// Read takes an editor's word whether the change by which a document has come to a version was its file
// being read anew. It is called on the read loop.
func (a *Attachment) Read(uri string, version int32, read bool) {
	d, ok := a.Document(uri)
	if !ok || d.Path() == "" {
		return
	}
	f := a.core.file(d.Path())
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.readings, func(r *reading) bool { return r.at == a && r.uri == d.URI && r.version == version })
	if i < 0 {
		return
	}
	f.stir()
	if !read {
		f.readings = slices.Delete(f.readings, i, i+1)
		return
	}
	f.readings[i].told = true
	f.core.spawn(func() {
		if err := f.findOut(f.core.ctx); err != nil && f.core.ctx.Err() == nil {
			f.core.log.Warn("look what a document has read", "path", f.path, "err", err)
		}
	})
}

// unsure reports whether it is to be found out yet if the document's text is, in part, what its editor has read; mu is held.
func (f *file) unsure() bool {
	return f.anew != nil || slices.ContainsFunc(f.readings, func(r *reading) bool { return r.doc == f.doc })
}

// hasRead reports whether the editor has said that t is what it has read; mu is held.
func (f *file) hasRead(t text.Text) bool {
	return slices.ContainsFunc(f.readings, func(r *reading) bool { return r.told && r.doc == f.doc && r.text.Equal(t) })
}

// awaitTold waits until the editor has said of all changes whether it has read them.
func (f *file) awaitTold(ctx context.Context) error {
	var late <-chan time.Time
	for {
		f.mu.Lock()
		moved := f.moved
		untold := slices.ContainsFunc(f.readings, func(r *reading) bool { return r.doc == f.doc && !r.told })
		f.mu.Unlock()
		if !untold {
			return nil
		}
		if late == nil {
			timer := time.NewTimer(toldWait)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-moved:
		case <-late:
			f.mu.Lock()
			f.readings = slices.DeleteFunc(f.readings, func(r *reading) bool { return !r.told })
			f.mu.Unlock()
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// takeReadings gives what the editor has read, as it says, to who has written it, if that is not known from the disk; what
// the user has typed since is done again on top of it.
func (f *file) takeReadings(ctx context.Context) error {
	f.mu.Lock()
	some := slices.ContainsFunc(f.readings, func(r *reading) bool { return r.told })
	f.mu.Unlock()
	if !some {
		return nil
	}
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	f.mu.Lock()
	list := slices.Clone(f.readings)
	f.mu.Unlock()
	whose := map[*reading]review.Origin{}
	before := (*taken)(nil)
	for _, r := range list {
		if before == nil {
			before = r.before
		}
		if r.told {
			whose[r] = f.whoseThen(r.text, before, r.whose)
			o := whose[r]
			before = &taken{Text: r.text, by: &o}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.readings, func(r *reading) bool { return r.doc == f.doc && !r.told }) {
		return nil // there is a newer one, and whoever was told of that comes here
	}
	list = slices.DeleteFunc(list, func(r *reading) bool { _, known := whose[r]; return r.doc != f.doc || !known })
	f.readings = nil
	if len(list) == 0 {
		return nil // the disk has told whose it is, or more has happened than typing
	}
	user := func() review.Origin { return review.Origin{Change: f.core.changeID(), Author: review.AuthorUser} }
	live, doc := f.doc.Text(), list[0].was
	before = list[0].before
	keeps := before == f.before // else the user has saved since
	for _, r := range list {
		if had := r.was.Text(); !doc.Text().Equal(had) {
			doc.Reload(had, user()) // typed, and saved or taken back
		}
		if had := markedAs(doc, before.in(doc)); r.unsaved && !doc.Text().Equal(had) {
			doc.ThrowAway(had)
		}
		o := whose[r]
		o.Change = f.core.changeID()
		old := doc.Text()
		f.bring(before, o, gitsHand{})(doc, r.text)
		f.record(&o, old, r.text, false)
		if before = (&taken{Text: r.text, by: &o}); keeps {
			f.keepBeforeOf(r.text, o)
			f.before.told, f.before.there = true, true
			before = f.before
		}
		f.core.unasked(f.path, o)
	}
	last := list[len(list)-1]
	if !live.Equal(last.text) {
		doc.Reload(live, user())
	}
	f.doc, f.anew, f.missed = doc, nil, nil
	f.readThrough(last.text)
	if d, ok := last.at.Document(last.uri); ok && keeps {
		last.at.store.Adopted(d, last.text) // that is what its editor takes for saved
	}
	f.shownRev = notShown
	f.stir()
	f.publish()
	return nil
}
