package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/policy"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// A process that was killed in the middle of a turn may have left on disk what nobody has
// looked at. Its notes say what files were known to be (see befores.go): what is otherwise
// now is undecided, and an unknown program's, for who wrote it cannot be found out any more.

// leftover is a file that is not what it was known to be when acp-ls was killed.
type leftover struct {
	checkpoint.Change
	was    text.Text // what it held, as far as it is text
	copied checkpoint.Copy
	exact  bool // modes and line ends are known too
	by     review.Origin

	entry *journal.Entry // what the journal says of the file without it; nil: nothing
	with  *journal.Entry // and with it; nil: nothing can be kept
	then  version        // of the file when it was taken up
	since *leftover      // what an earlier run had left, and nobody has looked at yet
	away  *away          // what the user has made of some of it; nil: nothing
}

// afterLife is how much later than the last sign of life a process may have ended, and
// its agents with it.
const afterLife = signOfLife + 45*time.Second

// leftovers compares what was noted with the disk. later names the files that others have
// written since acp-ls ended: what is in them is taken for the user's.
func (d *durable) leftovers(ctx context.Context, all []journal.Left) (out []leftover, later []string) {
	seen := map[buffers.Path]bool{}
	for _, left := range all {
		for _, root := range turnsIn(left) {
			found, err := compareNoted(ctx, root, left, d.core.own)
			if err != nil {
				d.core.log.Warn("compare with what an earlier run has noted", "folder", root, "err", err)
				d.core.tellOf(LevelWarning, "Unknown: what an agent wrote in %s just before acp-ls ended. It cannot be found out: "+strings.ReplaceAll(err.Error(), "%", "%%"), root)
				continue
			}
			for _, l := range found {
				switch {
				case seen[l.Path], d.afterAway(&l):
				case lastWritten(l.Path).After(left.Last.Add(afterLife)):
					later = append(later, string(l.Path))
				default:
					l.by = review.Origin{Change: d.core.changeID(), Author: review.AuthorDisk, Title: "changed on disk in a turn that acp-ls did not see the end of"}
					out = append(out, l)
				}
				seen[l.Path] = true
			}
		}
	}
	slices.SortStableFunc(out, func(a, b leftover) int { return cmp.Compare(a.Path, b.Path) })
	return out, later
}

// turnsIn are the folders in which turns ran.
func turnsIn(left journal.Left) (roots []string) {
	for key := range left.Notes {
		if rest, ok := strings.CutPrefix(key, noteTurn); ok {
			root, _, _ := strings.Cut(rest, "\x00")
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}

func compareNoted(ctx context.Context, root string, left journal.Left, skip []string) ([]leftover, error) {
	copies, asText := map[string]checkpoint.State{}, map[string]bool{}
	for key, value := range left.Notes {
		in, p, _ := strings.Cut(key[1:], "\x00")
		if kind := key[:1]; in == root && (kind == noteCopy || kind == noteText) {
			k, _, err := checkpoint.ReadCopy(value)
			if err != nil {
				return nil, err
			}
			copies[p], asText[p] = k.State, kind == noteText
		}
	}
	point, err := checkpoint.Again(ctx, buffers.Path(root), left.Notes[notePins+root], copies, checkpoint.Options{Skip: skip})
	if err != nil {
		return nil, err
	}
	changes, err := point.Changes(ctx)
	if err != nil {
		return nil, err
	}
	var out []leftover
	for _, ch := range changes {
		l := leftover{Change: ch, exact: !asText[string(ch.Path)]}
		if !l.exact && ch.Before.Exists && ch.After.Exists && ch.Before.Opaque == "" && ch.After.Opaque == "" {
			if buffers.NormHash(ch.Before.Content) == buffers.NormHash(ch.After.Content) {
				continue
			}
			l.Before.Content = buffers.KeepStyle(ch.After.Content, ch.Before.Content)
		}
		l.was = text.New(l.Before.Content)
		if l.copied, err = point.Copy(ctx, ch.Path); err != nil {
			l.copied = checkpoint.Copy{State: ch.Before.Forget()}
		}
		out = append(out, l)
	}
	return out, nil
}

// isText reports whether the file was and is text, or not there.
func (l *leftover) isText() bool { return l.Before.Opaque == "" && l.After.Opaque == "" }

// withLeft is what is to be taken up of a file, of which the journal may have an entry,
// with what nobody has looked at. False: nothing is.
func (d *durable) withLeft(e *journal.Entry, l *leftover) (journal.Entry, bool) {
	had, ok := journal.Entry{}, e != nil
	if ok && onlyUndone(e.Last) {
		with, ok := d.withLeft(nil, l)
		if !ok {
			return *e, true
		}
		carryUndone(&with.Last.Beside, e.Last.Beside)
		return with, true
	}
	if ok {
		had = *e
	}
	f, now := d.core.file(l.Path), text.New(l.After.Content)
	switch {
	case ok && isMovedBack(had.Last):
		return had, true
	case policy.Secret(string(l.Path)):
		had.Last.Path, had.Last.Secret, had.Last.Pending, had.Last.Before = string(l.Path), true, max(had.Last.Pending, 1), nil
		return had, true
	case ok && (had.Last.Secret || had.Last.Opaque != "" && l.isText()):
		return had, true
	case ok && had.Last.Opaque == "" && l.After.Opaque == checkpoint.Large && d.knowsText(&had, l.Path):
		return had, true // whatever the checkpoint has of it
	case !l.isText():
		return d.opaqueLeft(f, had, l)
	case ok && (isState(&had.Last, now, !l.After.Exists) || happenedNot(had.Last, now, !l.After.Exists) || isState(had.Saved(), now, !l.After.Exists)):
		return had, true // it was known, and not noted yet
	}
	doc, from := review.New(l.was, d.core.now), &journal.Record{}
	seen := now
	if l.away != nil {
		seen = text.New(*l.away.read)
	}
	if saved := d.savedFrom(had, l.was, seen); saved != nil && l.After.Exists {
		doc, from = saved, &had.Last
	} else if ok {
		was, _, rec, err := stateFor(&had, l.was, !l.Before.Exists, d.core.now)
		if err != nil {
			return had, true
		}
		if was != nil {
			was.Resume(l.was) // what is lost is listed
			doc, from = was, rec
		}
	}
	full := doc.Clone()
	doc.AgentEdit(seen, l.by)
	if l.away != nil {
		doc.Resume(text.New(l.away.content)) // as the user's
		doc.AgentEdit(now, l.by)
	}
	aside := beside{Left: l.kept()}
	if !l.After.Exists {
		aside.Gone, aside.Ran = f.keepGone(doc, full, l.Before.Content, l.by), l.Before.Exec
	}
	r := journal.Record{
		Path: string(l.Path), Time: d.core.now(), OnDisk: true,
		Before: &journal.Seen{Missing: !l.Before.Exists, Text: buffers.NormHashText(l.was)}, Text: buffers.NormHashText(now),
		Created: l.After.Exists && (from.Created || !l.Before.Exists && (!from.Deleted || isAway(from))), Deleted: !l.After.Exists && !from.Created,
		Beside: aside.encode(), From: from.From, Mode: from.Mode, Pending: len(doc.Hunks(review.StatePending, review.StateConflict)),
	}
	if l.exact && l.Before.Exists && l.After.Exists && !l.Before.Same(checkpoint.State{Exists: true, Content: l.Before.Content, Exec: l.After.Exec}) {
		r.Mode = map[bool]string{true: "+x", false: "-x"}[l.After.Exec]
	}
	carryBy(&r, *from)
	if r.Created || r.Deleted || r.Mode != "" {
		carryBy(&r, journal.Record{Beside: beside{Whole: &keptBy{By: l.by}}.encode()})
	}
	state, err := doc.MarshalState()
	if err != nil || !l.After.Exists && from.Created {
		return had, ok
	}
	if r.State = state; l.entry == nil {
		return journal.Entry{Last: r}, true
	}
	return l.entry.WithSaved(r), true
}

// knowsText reports whether a file has a text whose state an entry has.
func (d *durable) knowsText(e *journal.Entry, p buffers.Path) bool {
	disk, err := d.core.read(p)
	return err == nil && disk.Exists && isKnown(e, text.New(disk.Content), false)
}

// opaqueLeft is withLeft for a file that is no text, or was none.
func (d *durable) opaqueLeft(f *file, e journal.Entry, l *leftover) (journal.Entry, bool) {
	was, whole, later := l.copied, &keptBy{By: l.by}, []laterWhole(nil)
	if x, _ := besideIn(e.Last); e.Last.Opaque != "" {
		k, rest, err := checkpoint.ReadCopy(e.Last.State)
		if err == nil {
			_, rest, err = checkpoint.ReadCopy(rest)
		}
		if err == nil {
			later, err = x.Whole.later(rest)
		}
		if err != nil {
			return e, true
		}
		was = k // it is the second change, and the first is to be taken back too
		if x.Whole != nil {
			whole, later = x.Whole, append(later, laterWhole{l.by, l.copied})
			whole.Later = append(whole.Later, l.by)
		}
	}
	r := journal.Record{Path: string(l.Path), Time: d.core.now(), Opaque: string(cmp.Or(l.After.Opaque, was.Opaque)), OpaqueOp: "modify", From: e.Last.From}
	switch {
	case was.SameContent(l.After) && was.Exists == l.After.Exists:
		return e, e.Last.Path != ""
	case !was.Exists:
		r.OpaqueOp = "create"
	case !l.After.Exists:
		r.OpaqueOp = "delete"
	}
	r.State = f.opaqueState(entire{copy: &was, now: l.After, later: later})
	r.Beside = besideRows(e.Last.Beside, f.rowsLeft(e, l.Before), whole)
	return journal.Entry{Last: r}, true
}

// task is what is to be taken up of a file.
type task struct {
	path  buffers.Path
	entry *journal.Entry // nil: nothing
	left  *leftover      // nil: nothing
	since *leftover      // what an earlier run had left of it then; nil: nothing
}

// tasks joins what the journals of earlier runs say of each file with what nobody has looked
// at.
func (d *durable) tasks(entries []journal.Entry, left []leftover, first bool, sum *resumed) (out []task) {
	back := map[buffers.Path]bool{} // files that have got their old names back, and have nothing of an agent's, or had other ones
	for _, list := range byPath(entries) {
		e, lost := d.joined(list)
		if isMovedBack(e.Last) {
			back[buffers.Path(e.Last.From)] = true
		} else if isRenamedBack(e.Last) {
			back[buffers.Path(e.Last.Path)] = true // which is looked at with the old name
		}
		sum.lost = append(sum.lost, lost...)
		t := task{path: buffers.Path(e.Last.Path), entry: &e}
		if f := d.core.file(t.path); first || !f.inUse() && !f.isKnown() {
			t.again(f)
		}
		out = append(out, t)
	}
	for i := range left {
		l := &left[i]
		f := d.core.file(l.Path)
		if back[l.Path] || !first && (f.inUse() || f.isKnown()) {
			continue // this process has seen what became of it
		}
		at := slices.IndexFunc(out, func(t task) bool { return t.path == l.Path })
		if at < 0 {
			at, out = len(out), append(out, task{path: l.Path})
		}
		t := &out[at]
		known := t.entry
		if l.entry = known; t.since != nil { // and nobody had looked at what is known of it either
			l.entry, l.since, known = t.since.entry, t.since, t.since.with
		}
		e, ok := d.withLeft(known, l)
		t.left, t.entry = nil, known
		switch keeps := ok && l.isText() && l.After.Exists && !e.Last.Secret; {
		case f.isBehind(l):
			t.entry, t.left = l.entry, l // what the document has counts, and it comes in there
			if keeps {
				l.with = &e
			}
		case ok:
			if t.entry = &e; keeps {
				t.left, l.with = l, &e
			}
		}
		if l.since != nil { // for a document that is opened
			l.Before, l.was = l.since.Before, l.since.was
		}
	}
	return out
}

// isKnown reports whether it is known what the disk has of the file.
func (f *file) isKnown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.before != nil || f.opaqueSeen != nil
}

// isBehind reports whether the file is open with another text than the disk has.
func (f *file) isBehind(l *leftover) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, d, open := f.live()
	return open && l.isText() && l.After.Exists && !l.shownIn(d.Text)
}

// shownIn reports whether a document has read what the disk has.
func (l *leftover) shownIn(t text.Text) bool {
	return buffers.NormHashText(t) == buffers.NormHash(l.After.Content)
}

// tellLater says which files are taken for the user's though the end of a turn in them was not
// seen.
func (d *durable) tellLater(later []string) {
	if len(later) == 0 {
		return
	}
	const most = 8
	named, more := later, ""
	if len(named) > most {
		named, more = named[:most], fmt.Sprintf(" and %d more", len(later)-most)
	}
	d.core.tellOf(LevelWarning, "Taken for yours: %s"+more+". acp-ls was ended in the middle of a turn, and they were written again later", named...)
}
