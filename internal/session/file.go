package session

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// file is the owner of one file's text and changes: every step of them happens
// under its mutex, and whoever wants to change the text through an editor or on
// disk holds its one slot of ops first.
type file struct {
	core *Core
	path buffers.Path
	ops  chan struct{} // holds a value while somebody changes the file

	mu       sync.Mutex
	doc      *review.Doc       // follows the live text; nil if no document is open and nothing is tracked
	open     []openDoc         // the file's documents, by the time of their last change; the last is live
	flight   *flight           // the edit an editor has been asked for
	strays   []review.ChangeID // edits that were made in the wrong place, and are to go
	parked   *review.Doc       // what was tracked when the file vanished
	moved    chan struct{}
	before   *taken     // what the disk had when it was last taken into the text; nil if unknown
	anew     *suspicion // that the file was read anew; nil if there is none
	missed   *suspicion // the same, of what the disk had no more when it was looked at
	readings []*reading // of which the editor says whether they are any, the latest last
	sent     *text.Text // what an agent last wrote through us, as it sent it

	unbrought atomic.Pointer[unbrought] // what a turn could not bring into the document; nil if there is nothing

	unadopted *text.Text // what the disk had when that was last taken in by an edit alone
	basing    bool       // the editor is being given that

	history []agentStep // what agents have done, for taking a turn back
	wholes  []wholeStep // the same of the file as a whole, that was accepted
	dropped []agentStep // of which no more than that is known: their texts are not kept
	undos   stepsHere   // what the journal has of these
	mines   []*withMine // conflicts that the editor's undo opens again

	typed      text.Text   // what the document was when the user last changed it; empty if an edit of ours came since
	keys       int         // how often the user has changed it
	lately     []text.Text // what the user has made of it, or its editor is to write, and the disk is not known to have had, the latest last
	earlier    []text.Text // what the disk had before that, the latest last
	saves      int         // how often an editor has said that it has written it
	closing    bool        // the last document was closed, and what is on disk not taken in yet
	fine       fine
	stamped    *stamp
	opening    *firstSave      // nil if what a document was opened with cannot be what the user wrote
	ends       *buffers.Ends   // of what the disk had when it was last taken in; nil if unknown
	encoded    *encoded        // of a file that is not UTF-8; nil if it is, or is not known
	coded      *buffers.Coding // of the file when the turn began, or the user has saved it since; nil if unknown
	began      *string         // what an open file held when the turn began, or the user has saved it since; nil if unknown
	codedFirst *buffers.Coding // of the file before what is undecided; nil if unknown
	askedLater bool            // it is asked for that once more, in a while
	unread     bool            // its editor was asked to read it anew, in another encoding, and has not as far as is known

	arrivals  int           // how often a first document was opened
	unlooked  bool          // and the disk was not looked at since
	arriving  chan struct{} // closed when it is found out what the last of these was opened beside; nil if none was
	hadBefore *taken        // as before, until then
	asRead    *taken        // before, if that is no more than what it was opened with

	gates    map[review.ChangeID]*gate // that show proposals here
	approved approvals                 // hunks that were applied before they are there

	saving      bool        // between acp/save and its answer: what changes is the formatter's (rule 9)
	savingFor   []*savedFor // the changes that are being saved, the latest last
	savingSince time.Time
	decided     int               // how many saves that decisions have asked for are underway
	savedAt     time.Time         // of the last didSave
	claimed     *text.Text        // what the editor says that it has saved last, if the file holds something else
	savedBy     string            // the tool call for which acp-ls asked for it; empty: the user saved
	missing     bool              // beside before: there was no file
	removals    int               // how often the user has said to have taken the file away
	usersMade   bool              // the user has made the file, or given it this name
	deleted     bool              // an agent took the file away and the user has not accepted that
	opaque      checkpoint.Opaque // the file has changed and is no text
	opaqueOp    string
	opaqueSeen  *checkpoint.State         // of this turn, taken in last
	beneath     atomic.Pointer[text.Text] // what a file had whose document was opened on what is no text
	entire      entire
	cameFrom    buffers.Path // the old name that was last told of entire.from
	wentTo      buffers.Path // the name that an agent has given the file of a document, undecided
	lastNamed   *text.Text   // what there was by this name, which an agent had given it, when that was over
	undone      *undone      // what was rejected of the file as a whole and can be brought back
	ingit       ingit
	created     bool // an agent's write made the file and the user has not accepted that
	settling    *time.Timer
	shown       bool            // the editors have been told of hunks
	shownRev    uint64          // of doc, or notShown
	hasOrigin   map[string]bool // sessions with pending hunks, as last counted
	gone        bool            // dropped from the core's table

	parkedCreated bool // beside parked

	moving       *moving       // a rename that is asked for; nil if none is
	approvedMove *approvedMove // to here
	kept         writing
	asleep       *sleeper   // of an earlier run, until the text is known
	left         *leftover  // on disk by an earlier run, until it is opened
	recalled     *keptUnder // of an earlier run, until it is known what the disk has
	older        *olderText // the same, of a document that may be open with an older text
	awaited      bool       // by what an earlier run remembers of its texts, until it is opened
}

// notShown is no revision of a document: what the editors were shown is not what there is.
const notShown = ^uint64(0)

type openDoc struct {
	at  *Attachment
	uri string
}

// file returns the owner of a path.
func (c *Core) file(p buffers.Path) *file {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[p]
	if f == nil {
		f = &file{core: c, path: p, ops: make(chan struct{}, 1), moved: make(chan struct{}), kept: writing{pen: make(chan struct{}, 1)}}
		c.files[p] = f
		i, _ := slices.BinarySearchFunc(c.byPath, p, func(o *file, p buffers.Path) int { return cmp.Compare(o.path, p) })
		c.byPath = slices.Insert(c.byPath, i, f)
	}
	return f
}

func (c *Core) allFiles() []*file {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.byPath)
}

// live is the document that is the file's text: of several spellings the dirty
// one, else the one changed last; mu is held.
func (f *file) live() (openDoc, *buffers.Document, bool) {
	var last openDoc
	var doc *buffers.Document
	for _, o := range slices.Backward(f.open) {
		d, ok := o.at.Document(o.uri)
		if !ok {
			continue
		}
		if doc == nil {
			last, doc = o, d
			if len(f.open) == 1 {
				break
			}
		}
		if !clean(d) {
			return o, d, true
		}
	}
	return last, doc, doc != nil
}

// lockFollowed locks mu and makes the tracked text that of the live document, with nothing of
// that underway: what an editor tells is its own, and not a difference that nobody saw arise.
func (f *file) lockFollowed() (openDoc, *buffers.Document, bool) {
	f.mu.Lock()
	live, _, ok := f.live()
	if ok {
		f.mu.Unlock()
		live.at.step.Lock()
		defer live.at.step.Unlock()
		f.mu.Lock()
	}
	live, d, ok := f.live()
	if ok && f.clash() == nil {
		f.follow()
	}
	return live, d, ok
}

// clean tells that a document has no unsaved changes.
func clean(d *buffers.Document) bool { return d.State() != buffers.Dirty }

// clash names two spellings of the file that are open with unsaved texts that
// differ, in which case nothing may be written; mu is held.
func (f *file) clash() *buffers.Clash {
	if len(f.open) < 2 {
		return nil
	}
	var dirty []*buffers.Document
	for _, o := range f.open {
		if d, ok := o.at.Document(o.uri); ok && !clean(d) {
			dirty = append(dirty, d)
		}
	}
	for i := 1; i < len(dirty); i++ {
		if !dirty[i].Text.Equal(dirty[0].Text) {
			return &buffers.Clash{Path: f.path, URIs: []string{dirty[0].URI, dirty[i].URI}}
		}
	}
	return nil
}

// touchOpen makes o the last changed of the open documents; mu is held.
func (f *file) touchOpen(o openDoc) {
	f.open = slices.DeleteFunc(f.open, func(p openDoc) bool { return p == o })
	f.open = append(f.open, o)
	f.core.opened.Store(f.path, true)
}

// follow makes the tracked text that of the live document. A difference that
// nobody saw arise is the user's (rule 14); mu is held.
func (f *file) follow() {
	_, d, ok := f.live()
	switch {
	case !ok:
	case f.doc == nil:
		f.doc = review.New(d.Text, f.core.now)
	case !f.doc.Text().Equal(d.Text):
		f.doc.Reload(d.Text, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
	}
}

// changed is called on the read loop for each change of a document, with the
// texts it went through.
func (f *file) changed(at *Attachment, ev buffers.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.touchOpen(openDoc{at, ev.After.URI})
	live, _, _ := f.live()
	if live.uri != ev.After.URI || live.at != at || f.doc == nil || f.doc.Text().Len() != ev.Before.Text.Len() ||
		len(f.open) > 1 && !f.doc.Text().Equal(ev.Before.Text) {
		f.follow() // another spelling was live until now, or we are out of step
	} else {
		f.steps(at, ev)
	}
	f.stir()
	f.publish()
}

// steps takes in the texts a document went through; mu is held.
func (f *file) steps(at *Attachment, ev buffers.Event) {
	steps, before := ev.Steps, ev.Before
	last := len(steps) - 1
	if (last > 0 || last == 0 && ev.Formatted) && f.land(steps[last].After) {
		return // an edit of many parts, told of in one go: nobody has seen the texts between
	}
	if last >= 0 && ev.Formatted && f.formattedFor(steps[last].After) {
		return
	}
	formatted := ev.Formatted || f.saving && !at.editor.Can("format")
	undone := inParts(steps) && f.doc.Had(steps[last].After)
	late := last >= 0 && f.tooLate(steps[last].After)
	doc, was := f.doc, (*review.Doc)(nil)
	if ev.Clean && last >= 0 {
		was = f.doc.Clone()
	}
	for i, s := range steps {
		switch {
		case f.land(s.After), !late && f.stray(s, i == last):
		case formatted:
			f.mayWrite(s.After)
			f.doc.FormatterStep(s.After, s.Start, s.OldEnd, s.NewEnd)
		default:
			if !at.editor.Can("reopens") {
				f.suspect(s.After, before)
			}
			f.typedNow(s.After)
			f.keys++
			if i == last && f.thrownBack(s.After) {
				break
			}
			if undone && i > 0 {
				f.doc.UndoStep(s.After, s.Start, s.OldEnd, s.NewEnd)
			} else {
				f.doc.UserStep(s.After, s.Start, s.OldEnd, s.NewEnd)
			}
			if i == last {
				f.followMine()
			}
			if i == last && was != nil && f.doc == doc {
				f.mayHaveRead(at, ev, was)
			}
		}
		before = nil // nobody knows how the disk is to the texts between
	}
}

// reloaded is called when an editor closed and at once reopened a document,
// which is how a reload from disk looks (rules 4, 9 and 14).
func (f *file) reloaded(at *Attachment, ev buffers.Event, disk buffers.Disk, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := ev.After
	f.touchOpen(openDoc{at, d.URI})
	if f.reopened(ev, disk, err) {
		f.follow()
		f.stir()
		f.publish()
		return
	}
	before := f.before
	f.keepBefore(d.Text)
	f.readThrough(d.Text)
	f.before.there = err == nil && disk.Exists
	if f.anew != nil && f.anew.doc == f.doc && f.anew.text.Equal(d.Text) {
		f.anew.since = f.before // it is the same reading
	} else if !f.isReread() { // which sees to it
		f.inStep(disk, err)
	}
	f.readEnds(disk, err, d.Text)
	if live, _, _ := f.live(); live.uri != d.URI || f.doc == nil || f.doc.Text().Equal(d.Text) {
		f.follow()
		f.stir()
		f.publish()
		return
	}
	if fl := f.flight; fl != nil && fl.reload != nil && !fl.landed {
		if fl.encoded == nil {
			fl.past = err == nil && disk.Exists && buffers.NormHash(disk.Content) != buffers.NormHashText(d.Text)
			f.takeRead(fl, d.Text) // what we asked for, however it reads
		} else if f.isReread() {
			f.takeReread(fl, d.Text, disk, err)
		}
	}
	sum, encoded := f.sumRead(disk, err)
	if f.doc.Text().Equal(d.Text) || f.land(d.Text) || encoded && f.readAnew(before, d.Text, sum) || f.thrownAway(before, d.Text) {
		f.stir()
		f.publish()
		return
	}
	o := review.Origin{Change: f.core.changeID(), Author: review.AuthorUnknown}
	switch {
	case f.formatting(d.Text):
		f.takeFormatted(d.Text)
	case !f.core.running(f.path):
		takeOver(f.doc, d.Text, usersOwn(d.Text, nil))
		f.core.spawn(func() { f.core.lookAtGit(f.core.ctx) })
	default:
		f.backTo(before)
		was := f.doc.Clone()
		f.doc.Reload(d.Text, o)
		r := reloading{o.Change, d.Text, before, f.core.attribute(f.path), was, f.doc}
		f.core.spawn(func() { f.classify(r, disk, err) })
	}
	f.stir()
	f.publish()
}

// reopened reports whether a document was closed and opened with what is unsaved in it, so
// that its text says nothing of the disk: its language or its name has changed, or the user
// has undone the reading of the file before the editor told of that; mu is held.
func (f *file) reopened(ev buffers.Event, disk buffers.Disk, err error) bool {
	if f.isAskedFor(ev.After.Text) {
		return false // the disk has gone on since
	}
	if len(ev.Steps) == 0 {
		return ev.Before.State() == buffers.Dirty
	}
	holds := func(t text.Text) bool { return buffers.NormHash(disk.Content) == buffers.NormHashText(t) }
	if err != nil || !disk.Exists || f.before == nil || holds(ev.After.Text) {
		return false
	}
	return holds(f.before.Text) ||
		ev.Before.State() == buffers.Dirty && keepsUnsaved(ev.Before.Text, ev.After.Text, f.before.Text.String(), disk.Content)
}

// keepsUnsaved reports whether a document that was closed with unsaved changes and opened
// with the text after still has a row of these: one that the file neither has nor had.
func keepsUnsaved(before, after text.Text, files ...string) bool {
	of := func(s string) map[string]bool {
		rows := map[string]bool{}
		for r := range strings.Lines(s) {
			rows[strings.TrimSpace(r)] = true
		}
		return rows
	}
	unsaved := of(before.String())
	for _, s := range append(files, "\n") {
		for r := range of(s) {
			delete(unsaved, r)
		}
	}
	for r := range of(after.String()) {
		if unsaved[r] {
			return true
		}
	}
	return false
}

// saved is called on the read loop after a didSave. The document may have been
// mended by it: some editors change the text while saving and do not say so.
func (f *file) saved(at *Attachment, ev buffers.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wroteLast(ev)
	if ev.Earlier {
		f.savedEarlier(at, ev)
	} else if ev.Unwritten {
		f.core.log.Info("not saved, whatever the editor says: the file holds something else", "path", f.path)
		f.claim(ev)
	} else {
		f.claimed, f.unadopted = nil, nil
		f.firstSaved(openDoc{at, ev.After.URI}, ev)
		f.saves++
		f.savedAt = f.core.now()
		if !f.saving {
			f.savedBy = ""
		}
		f.keepBefore(ev.After.Text)
		f.inStep(ev.Disk, ev.DiskErr)
		f.savedCoded(ev.Disk, ev.DiskErr)
		f.firstSavedBytes(openDoc{at, ev.After.URI}, ev)
		f.keepEnds(ev.Disk, ev.DiskErr)
		f.settleMark(f.ends)
		if f.encoded != nil {
			f.encoded.owed = nil
		}
		f.missing = false
		f.isBack()
		f.isHere()
	}
	if live, _, _ := f.live(); live.at == at && live.uri == ev.After.URI && f.doc != nil && len(ev.Steps) > 0 {
		if !f.formattedFor(ev.After.Text) {
			f.doc.Reload(ev.After.Text, review.Origin{Change: f.core.changeID(), Author: review.AuthorFormatter})
		}
		f.stir()
	}
	f.publish()
	if !ev.Unwritten {
		f.keepSaved()
		if f.core.elsewhere != nil {
			f.core.spawn(func() { f.core.elsewhere.wrote(f.path, ev.After.Text) })
		}
	}
}

// dropIfIdle forgets a file of which nothing is known that the disk does not
// know; mu is held.
func (f *file) dropIfIdle() {
	if len(f.open) > 0 || f.flight != nil || f.asleep != nil || f.fileChange() != nil || f.doc != nil && (f.doc.Tracking() || f.doc.Proposing() || f.awaited && f.doc.Remembers()) {
		return
	}
	f.doc = nil
}

// stir wakes whoever waits for the text to move; mu is held.
func (f *file) stir() {
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *file) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = true
	if f.settling != nil {
		f.settling.Stop()
	}
	if f.kept.waiting != nil {
		f.kept.waiting.Stop()
	}
}
