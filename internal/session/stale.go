package session

import (
	"cmp"
	"encoding/json"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What nobody has looked at is in the text of a file on disk when it was taken up, but an
// editor may open the file with a text from before it. Until then it is held on to; and it is
// beside the record of the file, for this process can be killed too.

// keptLeft is what a record has of what nobody had looked at: what the file held before.
type keptLeft struct {
	Was     string
	Missing bool `json:",omitempty"`
	By      review.Origin
}

func (l *leftover) kept() *keptLeft {
	if l.since != nil {
		l = l.since
	}
	return &keptLeft{Was: l.was.String(), Missing: !l.Before.Exists, By: l.by}
}

// leftIn is what an entry says that nobody had looked at, and no editor has opened; nil if
// there is nothing. same: the file has not been written since.
func leftIn(e journal.Entry) (l *leftover, same bool) {
	var x beside
	r := e.Saved()
	if r == nil || len(r.Beside) == 0 || json.Unmarshal(r.Beside, &x) != nil || x.Left == nil {
		return nil, false
	}
	disk, err := buffers.ReadDisk(buffers.Path(r.Path))
	if err != nil || !disk.Exists {
		return nil, false
	}
	l = &leftover{
		Change: checkpoint.Change{
			Path:   buffers.Path(r.Path),
			Before: checkpoint.State{Exists: !x.Left.Missing, Content: x.Left.Was},
			After:  checkpoint.State{Exists: true, Content: disk.Content},
		},
		was: text.New(x.Left.Was), by: x.Left.By, with: &e,
	}
	switch { // in the order of WithSaved
	case r == &e.Last && e.Prev != nil:
		l.entry = &journal.Entry{Last: *e.Prev, Here: e.Here}
	case r == e.Prev:
		l.entry = &journal.Entry{Last: e.Last, Here: e.Here}
	case r != &e.Last:
		l.entry = &journal.Entry{Last: e.Last, Prev: e.Prev, Here: e.Here}
	}
	return l, isState(r, text.New(disk.Content), false)
}

// again holds on to what an earlier process had held on to, if there is such a thing.
func (t *task) again(f *file) {
	l, same := leftIn(*t.entry)
	if t.since = l; l == nil || !same {
		return
	}
	if t.left = l; f.isBehind(l) {
		t.entry = l.entry
	}
}

// takeLeft holds on to what nobody has looked at, for an editor may come with a text from
// before it.
func (f *file) takeLeft(l *leftover) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l.then = f.version()
	f.left = l
	if _, d, open := f.live(); open && f.laterThan(d.Text) != nil {
		f.bringLeft(l)
	}
}

// held is what there is for a document that is opened with a text from before what the disk has;
// nil: nothing. mu is held.
func (f *file) held() *leftover {
	if l := f.leftBeside(f.version()); l != nil {
		return l
	}
	s := f.asleep
	if s == nil {
		return nil
	}
	f.core.durable.giveBefore(&s.Entry)
	e := s.entry()
	return &leftover{entry: &e}
}

// holdOn holds on to l, if there is such a thing, for o has made after of a file that nobody has
// open and that was before, or nobody has yet: both are to come into a document with an older
// text; mu is held.
func (f *file) holdOn(l *leftover, before, after checkpoint.State, o review.Origin) {
	if f.left = nil; l == nil || !after.Exists {
		return
	}
	on := *l
	if on.by == (review.Origin{}) {
		on.Change, on.was = checkpoint.Change{Path: f.path, Before: before}, text.New(before.Content)
	}
	on.After, on.by, on.with, on.then = after, cmp.Or(o, on.by), nil, f.version()
	f.left, f.kept.last = &on, passedOn // whatever was written of the file is without that
}

// leftBeside is what is held on to beside a version of the file; nil: nothing. mu is held.
func (f *file) leftBeside(v version) *leftover {
	if l := f.left; l != nil && l.then == v && (v.under == nil || len(v.under.disputes) == 0) {
		return l
	}
	return nil
}

// records are those of a file of which r is one, with what is held on to beside it.
func (l *leftover) records(r journal.Record) []journal.Record {
	if l == nil || r.State == nil || r.Opaque != "" {
		return []journal.Record{r}
	}
	x, _ := besideIn(r)
	x.Left = l.kept()
	r.Beside, r.OnDisk = x.encode(), true
	r.Before = &journal.Seen{Missing: !l.Before.Exists, Text: buffers.NormHashText(l.was)}
	e := journal.Entry{Last: r}
	if l.entry != nil {
		e = l.entry.WithSaved(r)
	}
	return append([]journal.Record{{Path: r.Path}}, e.Records()...) // and nothing else before
}

// keepLeft writes down what nobody has looked at, as long as nothing else is known of the file.
func (f *file) keepLeft(l *leftover) {
	if l.with == nil {
		return
	}
	f.kept.pen <- struct{}{}
	defer func() { <-f.kept.pen }()
	f.mu.Lock()
	same := f.version() == l.then
	f.mu.Unlock()
	if !same {
		return
	}
	f.core.durable.write(false, append([]journal.Record{{Path: string(f.path)}}, l.with.Records()...)...) // and nothing else before
	f.mu.Lock()
	if f.asleep == nil {
		f.kept.last, f.kept.synced = l.then, false
	}
	f.mu.Unlock()
}

// laterThan is what nobody has looked at, if a document that is opened has not read it;
// mu is held.
func (f *file) laterThan(t text.Text) *leftover {
	l := f.left
	if f.left = nil; l == nil || l.then != f.version() || l.shownIn(t) {
		return nil
	}
	return l
}

// wakeWithout takes up what an earlier run had tracked, for a document that has another text
// than the disk; mu is held.
func (f *file) wakeWithout(l *leftover, t text.Text) {
	if l == nil || f.asleep != nil {
		return // that is known to be of another text
	}
	f.doc, f.created, f.deleted = nil, false, false
	f.shownRev = notShown
	if l.entry == nil {
		return
	}
	var sum resumed
	if err := f.wakeOn(*l.entry, t, false, &sum); err != nil {
		f.core.log.Warn("take up changes of an earlier run", "path", f.path, "err", err)
	}
}

// bringLeft has a document take in what nobody has looked at; mu is held.
func (f *file) bringLeft(l *leftover) {
	if l == nil || f.before != nil && f.before.from != nil && l.shownIn(f.before.Text) {
		return // or it is known to have come under the text
	}
	f.before, f.missing = &taken{Text: l.was}, !l.Before.Exists
	if l.by == (review.Origin{}) {
		return // nothing has been changed
	}
	older := f.older
	if f.older = nil; older != nil {
		if is := text.New(l.After.Content); older.under.Disk == diskHash(is) {
			f.before, f.missing = &taken{Text: is}, false // it was looked at, and is not an unknown program's
		}
		f.attachUnder()
	}
	with := f.before
	f.core.spawn(func() {
		if older != nil && with.from != nil {
			f.bringOlder(f.core.ctx, older, with) // first, for it is of what was known of the disk then
		} else {
			f.tellOlder(older)
		}
		err := f.core.durable.wait(f.core.ctx)
		if err == nil {
			err = f.catchUpAs(f.core.ctx, func(text.Text, *taken) review.Origin { return l.by })
		}
		if err != nil && f.core.ctx.Err() == nil {
			f.core.log.Warn("bring document up to date", "path", f.path, "err", err)
		}
		f.keep(true)
	})
}
