package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/policy"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What is undecided outlives the process (rule 11). Before an edit is made, by an
// editor or on disk, a record of what will be so is in the journal, behind one of
// what is so; everything else is written down when a file has been left alone for
// a second. Nobody holds a mutex while the disk is waited for: a file's records are
// written by whoever holds its pen, from clones.

// Journal is what the core needs of a journal; *journal.Journal is one.
type Journal interface {
	Write(sync bool, records ...journal.Record) error
	Note(sync bool, notes ...journal.Note) error
	DropNotes() error
	TakeOver() (*journal.Found, error)
	Dead() bool
	Close() error
}

// durable is the core's journal.
type durable struct {
	core    *Core
	open    func(workspace string) (Journal, error)
	begin   sync.Once
	ready   chan struct{} // closed when what earlier runs have left was taken up
	befores befores

	taking chan struct{} // holds a value while what a neighbour has left is taken up

	mu      sync.Mutex      // guards what follows
	journal Journal         // nil if it is not open, or cannot be
	failed  bool            // the user was told that it cannot be written
	untold  []waitsIn       // of which the user is told in a moment
	live    []journal.Other // what those have undecided who lived when it was last looked

	away map[buffers.Path]away // what editors have written while no acp-ls ran
}

func newDurable(c *Core, open func(string) (Journal, error)) *durable {
	if open == nil {
		return nil
	}
	d := &durable{core: c, open: open, ready: make(chan struct{}), taking: make(chan struct{}, 1)}
	d.befores.d = d
	return d
}

// beforeCopies are the notes of what files held before; nil without a journal.
func (d *durable) beforeCopies() *befores {
	if d == nil {
		return nil
	}
	return &d.befores
}

// start opens the journal of the first workspace and takes up what earlier runs
// have left, off the read loop. roots may be empty.
func (d *durable) start(roots []string) {
	if d == nil {
		return
	}
	d.begin.Do(func() {
		d.core.spawn(func() {
			defer close(d.ready)
			workspace := ""
			if len(roots) > 0 {
				workspace = roots[0]
				if p, err := buffers.Resolve(workspace); err == nil {
					workspace = string(p)
				}
			}
			j, err := d.open(workspace)
			if err != nil {
				d.fail(err)
				return
			}
			d.mu.Lock()
			d.journal = j
			d.mu.Unlock()
			d.takeUp(d.core.ctx, j, true)
			d.core.spawn(func() { d.awaitNeighbours(d.core.ctx) })
			d.core.spawn(func() { d.core.lookAtGit(d.core.ctx) }) // from now on it is watched
		})
	})
}

// wait waits until what earlier runs have left was taken up: agents change nothing
// before.
func (d *durable) wait(ctx context.Context) error {
	if d == nil {
		return nil
	}
	d.start(nil)
	select {
	case <-d.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isReady reports whether what earlier runs have left was taken up.
func (d *durable) isReady() bool {
	if d == nil {
		return true
	}
	select {
	case <-d.ready:
		return true
	default:
		return false
	}
}

// current is the journal, if records can be written.
func (d *durable) current() Journal {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.journal
}

func (d *durable) usable() bool { return d.current() != nil }

// write writes records; that it cannot is said once. With sync all that was
// written before is on the disk too.
func (d *durable) write(sync bool, records ...journal.Record) bool {
	j := d.current()
	if j == nil {
		return false
	}
	err := j.Write(sync, records...)
	if err == nil || errors.Is(err, os.ErrClosed) {
		return err == nil
	}
	d.fail(err)
	return false
}

func (d *durable) fail(err error) {
	d.core.log.Error("journal", "err", err)
	d.mu.Lock()
	told := d.failed
	d.failed = true
	d.mu.Unlock()
	if !told {
		d.core.tell(LevelWarning, fmt.Sprintf("Undecided changes would not survive a crash: %v", err))
	}
}

func (d *durable) hasFailed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// close writes down what is left to be and ends the journal. No goroutine of the
// core runs any more.
func (d *durable) close() {
	j := d.current()
	if j == nil {
		return
	}
	for _, f := range d.core.allFiles() {
		f.keep(false)
	}
	if err := errors.Join(d.befores.close(j), j.Close()); err != nil {
		d.core.log.Error("journal", "err", err)
	}
}

// tell shows a message in every editor.
func (c *Core) tell(l Level, message string) {
	for _, a := range c.attached() {
		a.editor.ShowMessage(l, message)
	}
}

// tellOf is tell for a message of files, which format names where it has %s: as the user of each
// editor calls them, for a line may hold no more.
func (c *Core) tellOf(l Level, format string, paths ...string) {
	for _, a := range c.attached() {
		names := make([]string, len(paths))
		for i, p := range paths {
			names[i] = a.nameOf(p)
		}
		a.editor.ShowMessage(l, fmt.Sprintf(format, strings.Join(names, ", ")))
	}
}

// keepRejected is how long what was rejected can be brought back in later runs.
const keepRejected = 7 * 24 * time.Hour

// quietBefore is how long a file must have been left alone before its state is
// written down.
const quietBefore = time.Second

// version names a state of a file. A document changes its revision whenever it
// changes what it tracks, so that equal versions are one state.
type version struct {
	doc              *review.Doc // nil if nothing is tracked
	rev              uint64
	created, deleted bool
	opaque           checkpoint.Opaque
	opaqueOp         string
	opaqueIs         string        // its content, by hash
	by               review.Origin // whose it is what has become of the file as a whole
	rows             rowsBeneath
	from             buffers.Path
	mode             string
	gone             bool
	away             bool   // there is no file, and of that nothing is undecided
	onDisk           bool   // the file has this text
	under            *taken // what the disk has, if agents have put something there under unsaved text

	goneBack, madeAway, ran bool // as in entire

	undone  *undone        // what was rejected of it
	refused *review.Origin // as in entire
}

// entire reports whether an agent has done something to the file as a whole.
func (v version) entire() bool {
	return v.created || v.deleted || v.gone || v.from != "" || v.mode != ""
}

// beside is what a record has beside the state, in a form that recallBeside reads.
type beside struct {
	Disputed                *keptUnder `json:",omitempty"`
	Passed                  bool       `json:",omitempty"` // by a run that has not opened the file
	GoneBack, MadeAway, Ran bool       `json:",omitempty"`
	Away                    bool       `json:",omitempty"`
	Left                    *keptLeft  `json:",omitempty"`
	Gone                    *keptGone  `json:",omitempty"`
	Whole                   *keptBy    `json:",omitempty"`

	Undone  *keptUndone    `json:",omitempty"`
	Refused *review.Origin `json:",omitempty"`
	Rows    *keptRows      `json:",omitempty"`

	Untouched map[string]string `json:",omitempty"` // as in untouched
	Rejected  map[string]int64  `json:",omitempty"` // as in rejections

	Sessions map[string]keptSession `json:",omitempty"` // whose changes are undecided; what is accepted of them is kept

	Commits []string `json:",omitempty"` // in the record of a work tree: those of agents
}

// beside is what a record has of it, but for what besideOf adds; the file's mu is held.
func (v version) beside() beside {
	return beside{GoneBack: v.goneBack, MadeAway: v.madeAway, Ran: v.ran, Away: v.away}
}

func (x beside) encode() []byte {
	b, _ := json.Marshal(x) // it cannot fail
	if string(b) == "{}" {
		return nil
	}
	return b
}

// isAway reports whether a record is of a file that is not there, of which nothing is undecided.
func isAway(r *journal.Record) bool {
	x, ok := besideIn(*r)
	return r.Deleted && ok && x.Away
}

// besideIn is what a record has beside the state, if it has anything.
func besideIn(r journal.Record) (x beside, ok bool) {
	return x, len(r.Beside) > 0 && json.Unmarshal(r.Beside, &x) == nil
}

// recallBeside takes up what an earlier run knew beside the state; mu is held.
func (f *file) recallBeside(b []byte, missing bool) {
	var x beside
	if len(b) == 0 || json.Unmarshal(b, &x) != nil {
		return
	}
	f.entire.goneBack, f.entire.madeAway, f.entire.ran = x.GoneBack && !missing, x.MadeAway && missing, x.Ran
	if f.deleted {
		f.recallGone(x.Gone)
	}
	if f.fileChange() != nil {
		f.recallBy(x.Whole, nil)
	}
	for id, rows := range x.Untouched {
		f.core.untouched.note(id, rows)
	}
	f.core.rejections.recall(x.Rejected)
	f.core.earlier.note(x.Sessions)
	f.recalled = x.Disputed
	f.attachUnder()
}

// writing is what the file's owner knows of its records; the file's mu guards it.
type writing struct {
	pen     chan struct{} // holds a value while somebody writes
	last    version       // what the last record says
	synced  bool          // and it is on the disk
	waiting *time.Timer
	aloud   bool  // a record of an edit on disk is written, and the edit is not made
	ignored *bool // git leaves the file alone; nil: not asked yet
	resting bool  // the editor is gone: what it had counts, and not what the disk has

	rested time.Time // when the last was decided of what is listed, if an earlier run has; else zero
	under  *taken    // what was written down as it would be found on the disk
}

// version is that of the file as it is; mu is held.
func (f *file) version() version {
	v := version{created: f.created, deleted: f.deleted, opaque: f.opaque, opaqueOp: f.opaqueOp, from: f.entire.from, gone: f.entire.gone, undone: f.undone, rows: f.rowsBeneath()}
	if f.refusedChange() != nil {
		v.refused = f.entire.refused
	}
	if v.opaque != "" && f.entire.copy != nil {
		v.opaqueIs = opaqueIsOf(f.entire)
	}
	if c := f.fileChange(); c != nil {
		v.mode = c.Mode
	}
	doc := f.doc
	if (doc == nil || !doc.Tracking()) && f.parked != nil && f.parked.Tracking() {
		doc, v.created = f.parked, f.parkedCreated
	}
	if doc != nil && v.opaque == "" && (v.entire() || doc.Tracking() || doc.Remembers() || f.isUnder(doc)) {
		v.doc, v.rev = doc, doc.Revision()
		v.onDisk = v.gone || f.before != nil && f.missing == f.deleted && f.before.Equal(doc.Text())
		v.goneBack, v.madeAway, v.ran = f.entire.goneBack, f.entire.madeAway, f.entire.ran
		if f.before != nil && (len(f.before.disputes) > 0 || f.before.from != nil) && doc == f.doc {
			v.under = f.before
		}
		v.away = f.missing && doc == f.doc && len(f.open) == 0 && !v.deleted && !v.gone
	}
	if v.doc == nil {
		v.created, v.deleted, v.gone, v.mode = false, false, false, ""
		if v.opaque == "" {
			v.from = ""
		}
	}
	v.setBy(f.entire.by)
	return v
}

// later arranges for the file's state to be written down when it has been left
// alone; mu is held.
func (f *file) later() {
	if !f.core.durable.usable() || f.gone || !f.isNews() || f.asleep != nil && !f.asleep.overtaken(f) {
		return
	}
	if f.kept.waiting != nil {
		f.kept.waiting.Reset(quietBefore)
		return
	}
	f.kept.waiting = time.AfterFunc(quietBefore, func() { f.keep(false) })
}

// isNews reports whether something is to be written down that is not; mu is held.
func (f *file) isNews() bool {
	v := f.version()
	if v != f.kept.last || f.undos.toKeep() {
		return true
	}
	under := f.notFrom(v)
	return under != nil && under != f.kept.under
}

// notFrom is what the disk has under the text of v, if nobody could tell from v whose that is: some of it
// is in a conflict, or was undone and is on disk yet. Nil: it is not so; mu is held.
func (f *file) notFrom(v version) *taken {
	if v.under == nil || len(v.under.disputes) == 0 && v.under.isTaken(f.doc) {
		return nil
	}
	return v.under
}

// keep writes the file's state down, unless it is, or is about to change.
func (f *file) keep(sync bool) {
	d := f.core.durable
	if !d.usable() {
		return
	}
	f.kept.pen <- struct{}{}
	defer func() { <-f.kept.pen }()
	steps := f.keepSteps()
	f.mu.Lock()
	if s := f.asleep; s != nil {
		f.mu.Unlock()
		f.keepAsleep(s, sync)
		return
	}
	v := f.version()
	under := f.notFrom(v)
	unknown := under != nil && under != f.kept.under
	if f.kept.resting || f.flight != nil || f.kept.aloud || v == f.kept.last && !unknown && (f.kept.synced || !sync) {
		f.mu.Unlock()
		if steps && sync {
			d.write(true)
		}
		return
	}
	drafts := []func() journal.Record{f.draft(v)}
	if unknown {
		drafts = []func() journal.Record{f.draftOnDisk(v, under), drafts[0]}
	}
	left := f.leftBeside(v)
	f.mu.Unlock()
	var records []journal.Record
	for _, r := range drafts {
		records = append(records, left.records(r())...)
	}
	if !d.write(sync, records...) {
		return
	}
	f.mu.Lock()
	f.kept.last, f.kept.synced = v, sync
	if under != nil {
		f.kept.under = under
	}
	f.mu.Unlock()
}

// draft returns what makes the record of a version, of which it has a copy; mu is
// held.
func (f *file) draft(v version) func() journal.Record { return f.draftOf(v, f.entire) }

// draftOf is draft for a version in which w is what has become of the file as a whole.
func (f *file) draftOf(v version, w entire) func() journal.Record {
	r := journal.Record{
		Path: string(f.path), Created: v.created, Deleted: v.deleted || v.gone || v.away, Opaque: string(v.opaque), OpaqueOp: v.opaqueOp, OnDisk: v.onDisk,
		From: string(v.from), Mode: v.mode,
	}
	if v.opaqueIs != "" {
		aside := f.besideDraft(v, w)
		return func() journal.Record {
			r.State, r.Beside = f.opaqueState(w), aside()
			return r
		}
	}
	aside := v.beside()
	aside.Whole = f.keptBy(v, w)
	if v.doc == nil {
		return func() journal.Record {
			aside.Sessions = f.core.sessionsOf(nil, aside.Whole)
			if r.Beside = f.besideOf(v, aside); r.Beside != nil {
				f.mu.Lock()
				r.Time = f.kept.rested
				f.mu.Unlock()
			}
			return r
		}
	}
	doc, full := v.doc.Clone(), (*review.Doc)(nil)
	if v.gone {
		full = v.doc.Clone()
		f.withoutFile(doc)
	} else if v.deleted && w.full != nil {
		full = w.full.Clone()
	}
	if v.under != nil {
		under := *v.under // the file's own may get its disputes meanwhile
		v.under = &under
	}
	return func() journal.Record {
		listed := hunkIDs(doc.Hunks(review.StateConflict, review.StateRejected))
		aside.Untouched, aside.Rejected = f.core.untouched.among(listed), f.core.rejections.among(listed)
		if full != nil && !f.unkept() {
			aside.Gone = f.keepGone(doc, full, w.held, w.by)
		}
		if v.from != "" && w.moved != nil && aside.Whole != nil && !f.unkept() {
			aside.Whole.Moved = w.moved.kept(doc)
		}
		undecided := doc.Hunks(review.StatePending, review.StateConflict)
		aside.Sessions = f.core.sessionsOf(undecided, aside.Whole)
		r.Beside = f.besideOf(v, aside)
		r.Text = buffers.NormHashText(doc.Text())
		r.Pending = len(undecided)
		f.mu.Lock()
		if r.Pending > 0 || v.entire() {
			f.kept.rested = time.Time{}
		}
		r.Time = f.kept.rested
		f.mu.Unlock()
		if r.Secret = f.unkept(); r.Secret {
			return r
		}
		state, err := doc.MarshalState()
		if err != nil {
			f.core.log.Error("journal", "path", f.path, "err", err)
		}
		r.State = state
		return r
	}
}

// askGit bounds how long git is asked whether it ignores a file.
const askGit = 5 * time.Second

// unkept reports whether no copy of the file is to be kept: it may hold secrets, or git
// ignores it. What git cannot say counts as no.
func (f *file) unkept() bool {
	if policy.Secret(string(f.path)) {
		return true
	}
	f.mu.Lock()
	known := f.kept.ignored
	f.mu.Unlock()
	if known != nil {
		return *known
	}
	ctx, cancel := context.WithTimeout(context.Background(), askGit) // the core may be at its end
	defer cancel()
	ignored, err := checkpoint.Ignored(ctx, f.path)
	if err != nil {
		f.core.log.Warn("ask git whether it ignores a file", "path", f.path, "err", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.ignored = &ignored
	return ignored
}

// announce prepares the record of an edit that makes next of the file's text, which may be
// missing before it; become says what else is so behind it, if it is not nil. mu is held. What it returns writes the record, and is called without mu before
// the edit is made.
func (f *file) announce(next *review.Doc, missing bool, become func(*version)) func() {
	d := f.core.durable
	if !d.usable() {
		return func() {}
	}
	now, was := f.version(), f.doc.Text()
	after := now
	after.doc, after.rev, after.created, after.deleted, after.onDisk = next, next.Revision(), f.created, f.deleted, len(f.open) == 0
	if after.rows = (rowsBeneath{}); after.opaque != "" && next.Tracking() {
		after.rows = rowsBeneath{next, next.Revision(), f.created, f.deleted}
	}
	if after.away = false; become != nil {
		become(&after)
	}
	after.setBy(after.by)
	drafts := []func() journal.Record{f.draft(now), f.draft(after)}
	return func() {
		f.kept.pen <- struct{}{}
		defer func() { <-f.kept.pen }()
		f.mu.Lock()
		known := now == f.kept.last
		f.mu.Unlock()
		var records []journal.Record
		if !known {
			records = append(records, drafts[0]())
		}
		edit := drafts[1]()
		edit.Before = &journal.Seen{Missing: missing, Text: buffers.NormHashText(was)}
		if !d.write(true, append(records, edit)...) {
			return
		}
		f.mu.Lock()
		f.kept.last, f.kept.synced = after, true
		f.mu.Unlock()
	}
}

// keepSaved writes down what a save has brought to the disk, at once: an editor that is
// killed goes back to it. mu is held.
func (f *file) keepSaved() {
	if f.core.durable.usable() && f.version() != f.kept.last {
		f.core.spawn(func() { f.keep(false) })
	}
}

// rest ends a document that its editor has left open: whether its text still
// exists is found out when it is opened again.
func (f *file) rest() {
	f.keep(true)
	f.mu.Lock()
	f.kept.resting = f.core.durable.usable()
	f.mu.Unlock()
}

// sameText compares a text with what was seen, as clean does.
func sameText(h text.Hash, t text.Text) bool { return h == buffers.NormHashText(t) }
