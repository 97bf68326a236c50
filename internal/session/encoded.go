package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A file that is not UTF-8 is text to its editor alone, which knows the encoding. So of
// the file of an open document nothing but the bytes is compared, by their sum. Where they
// have changed, the editor is asked to read the file anew, and what it then has is the
// change of who wrote the disk, by hunk. Nothing can be merged into text that is unsaved,
// and acp-ls never writes such a file: what is rejected is an edit of the document, which
// its editor saves.
//
// An agent may write UTF-8 there. Some editors read that in the encoding that the file had (VS
// Code, where it is a setting), and show two characters for one: to them the file is not UTF-8, and
// so it is here, until they have read it and it is the same text to both.

// encoded is what is known of the file of a document that is not UTF-8. What the editor has
// read from it is the file's before.
type encoded struct {
	sum    string // of the bytes that before is of
	unsure bool   // an agent may have written the file between the editor's reading and ours
	start  string // of the bytes that were there when the turn began; "" if they were text
	late   bool   // it was opened in the turn: what it was before is known as bytes alone
	asked  string // the sum that the editor has read anew, and has had no other text
	owed   *owed  // what the document could not take in
	told   bool   // the user has been told of that
	whole  string // the sum of what is decided on as a whole, see recoded.go; "" if nothing is
}

// owed is a change of a file that its document has not taken in.
type owed struct {
	sum string
	by  review.Origin
}

// isEncoded returns what is known of the file, now that it is not UTF-8; mu is held.
func (f *file) isEncoded() *encoded {
	if f.encoded == nil {
		f.encoded = &encoded{}
	}
	return f.encoded
}

// noBytes is the sum of a file without content.
var noBytes = fmt.Sprintf("%x", sha256.Sum256(nil))

// sumRead is the sum of what was read of a file that is not UTF-8. One that was none, and has
// nothing now, is none still: it may be empty because it is being written. mu is held.
func (f *file) sumRead(disk buffers.Disk, err error) (sum string, encoded bool) {
	if err == nil && f.encoded != nil && disk.Exists && disk.Content == "" {
		return noBytes, true
	}
	return buffers.SumOf(err)
}

// isText takes in that the file was read as text; mu is held.
func (f *file) isText(disk buffers.Disk) {
	if _, encoded := f.sumRead(disk, nil); !encoded {
		f.encoded = nil
	}
}

// read reads the file as the editor of its document does: what it does not read as UTF-8 is none.
func (f *file) read(p buffers.Path) (buffers.Disk, error) {
	disk, err := f.core.read(p)
	if err != nil || !disk.Exists || disk.Content == "" {
		return disk, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, d, open := f.live()
	if open && !d.Encoded() || !open && (f.encoded == nil || f.doc == nil) {
		return disk, nil
	}
	if e := disk.AsEncoded(); open || f.encoded.sum == e.Sum { // else it is not what is tracked
		return buffers.Disk{}, e
	}
	return disk, nil
}

// readsOtherwise tells that a file has the bytes of which an editor had another text, in its
// encoding: what is known of it is that text, and nothing has changed. mu is held.
func (f *file) readsOtherwise(now checkpoint.State) bool {
	return f.encoded != nil && f.before != nil && now.Exists && now.Opaque == "" && f.encoded.sum == now.Sum()
}

// inStep notes that the document is what its editor has read from the file, or written to
// it, and what came of our reading that then; mu is held.
func (f *file) inStep(disk buffers.Disk, err error) {
	sum, ok := f.sumRead(disk, err)
	switch {
	case ok:
		e := f.isEncoded()
		e.sum, e.unsure = sum, f.core.running(f.path)
		e.asked, e.told = "", false
	case err == nil:
		f.encoded = nil
	}
}

// lookedEncoded takes in that a document was just opened whose file is not UTF-8. It returns
// who has made what differs from what was tracked; had is what it had when the turn began, nil if that
// is not known or was not UTF-8 either, and created: it was not there.
func (f *file) lookedEncoded(at *buffers.EncodedError, ar arrival, had *taken, created bool) review.Origin {
	f.mu.Lock()
	defer f.mu.Unlock()
	who := usersOwn(ar.text, nil)
	if !ar.first || len(f.open) == 0 {
		return who
	}
	known, sum := f.encoded, at.Sum
	if known != nil && f.before != nil {
		return who // a turn has begun since, and has looked at what it was then
	}
	if f.before == nil {
		f.keepBefore(ar.text)
	}
	if known != nil && known.sum == sum {
		return who // nobody has written it since
	}
	running := f.core.running(f.path)
	if is, ok := at.Text(); ok && had != nil && (created || is.Content == had.String()) {
		running = false // nobody has written over it in this turn
	}
	f.encoded = &encoded{sum: sum, start: sum, unsure: running, late: running}
	if running {
		who = ar.then
	}
	return who
}

// beginEncoded makes what the file has, which is not UTF-8, what it had when the turn began;
// had is what was known of it. mu is held.
func (f *file) beginEncoded(sum string, had *taken) {
	if len(f.open) == 0 {
		if f.encoded != nil && f.encoded.sum == sum && f.doc != nil {
			f.before = had
		} else {
			f.encoded = nil
		}
		return
	}
	if _, d, ok := f.live(); had == nil && ok { // it has not been looked at yet
		f.keepBefore(d.Text)
		f.isEncoded().sum = sum
	} else {
		f.before = had
	}
	e := f.isEncoded()
	e.start, e.late = sum, false
	if e.owed != nil && e.owed.sum != sum {
		e.owed = nil
	}
	f.isBack()
	f.publish()
}

// isBehindEncoded tells that the editor has not read what the file, which is not UTF-8, had
// when the turn began.
func (f *file) isBehindEncoded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open) > 0 && f.encoded != nil && f.encoded.sum != f.encoded.start
}

// whoseBytes says who has written the bytes of a sum; noted is a change that may have been
// their being read. mu is held.
func (f *file) whoseBytes(sum string, noted *suspicion) review.Origin {
	e := f.isEncoded()
	switch {
	case e.owed != nil && e.owed.sum == sum:
		return e.owed.by
	case sum == e.start, sum == e.whole, e.late, f.opaque != "": // the file as a whole has changed, and is decided on as such
		return usersOwn(text.Text{}, nil)
	case noted != nil:
		return noted.whose
	}
	return f.core.attribute(f.path)
}

// wroteBytes says who is to be named for the bytes of a sum, of which the text that is read is the change of o: of a
// file that is decided on as a whole that is nobody's. mu is held.
func (f *file) wroteBytes(sum string, o review.Origin) review.Origin {
	switch e := f.isEncoded(); {
	case o.Author != review.AuthorUser || sum == e.start:
	case f.opaque != "" && f.entire.now.Sum() == sum:
		return f.entire.by
	case sum == e.whole, e.late, f.opaque != "":
		return f.core.attribute(f.path)
	}
	return o
}

// readAnew takes in that an editor, which was not asked, has read a file that is not UTF-8
// as t; before is what it had. mu is held.
func (f *file) readAnew(before *taken, t text.Text, sum string) bool {
	if before == nil || f.formatting(t) {
		return false
	}
	o := f.whoseBytes(sum, nil)
	f.before = before
	f.discardAs(t, o)
	f.encoded.owed = nil
	f.core.unasked(f.path, o)
	f.core.spawn(func() { f.core.lookAtGit(f.core.ctx) })
	return true
}

// reread has the editor read a file anew that is not UTF-8, if its bytes have changed.
func (f *file) reread(ctx context.Context, over func() bool) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	return f.rereadHeld(ctx, over)
}

// rereadHeld is reread for a caller that holds the slot of ops.
func (f *file) rereadHeld(ctx context.Context, over func() bool) error {
	for range maxTries {
		if again, err := f.rereadOnce(ctx, over); err != nil || !again {
			return err
		}
	}
	return nil
}

// rereadOnce is reread for what the disk has at one time. again: it has had something else
// meanwhile.
func (f *file) rereadOnce(ctx context.Context, over func() bool) (again bool, err error) {
	f.mu.Lock()
	known := f.anew
	f.mu.Unlock()
	at, err := f.bytesAtRest(ctx)
	if err != nil || at == nil || over() {
		return false, err
	}
	sum := at.Sum
	hand := f.gitsHandBytes(ctx, sum)
	whole := f.isRecoded(ctx, at)
	f.mu.Lock()
	live, d, open := f.live()
	if f.encoded == nil && f.before == nil { // a look is under way since it was opened
		f.mu.Unlock()
		return false, nil
	}
	e, noted := f.isEncoded(), f.anew
	if noted != known && noted != nil { // a change that was told of since may be of what the file has by now
		f.mu.Unlock()
		return true, nil
	}
	f.anew = nil
	if noted != nil && (f.doc != noted.doc || f.before != noted.since) {
		noted = nil // it was in step since
	}
	moved := e.sum != sum
	if !open || !moved && !e.unsure || !moved && noted != nil {
		f.mu.Unlock()
		return false, nil // what is new in the document was typed
	}
	if f.doc == nil || !f.doc.Text().Equal(d.Text) {
		f.anew = noted
		f.mu.Unlock()
		return true, nil
	}
	if e.whole = ""; whole && moved {
		e.whole = sum
	}
	unsaved := noted == nil && !clean(d) // a change that may be this reading is not, as yet
	// What was written after a change had been told of, that one was not read from.
	if moved && (unsaved || noted != nil && writtenSince(noted.info, at.Info)) && f.wroteTypedBytes(d.Text, at) {
		if disk, isText := at.Text(); at.Holds(d.Text) { // read or written, nothing of it is unsaved
			live.at.store.Loaded(d, !isText || !readsAs(d.Text, disk))
		}
		f.mu.Unlock()
		return false, nil
	}
	o := f.whoseBytes(sum, noted)
	o.Change = f.core.changeID()
	if moved {
		e.owed = &owed{sum, o}
	}
	by := f.wroteBytes(sum, o)
	// What is unsaved may be what the editor has just written and is about to tell of, with what
	// was typed last: that comes before its answer, if it has anything to say at all.
	why := encodedUnsaved
	if e.whole != "" {
		why = recodedUnsaved
	}
	if f.clash() != nil || unsaved && (e.told || isGarbled(d.Text) || !live.at.editor.Can("reload")) {
		f.mu.Unlock()
		return false, f.tellOwed(live, moved, by, why)
	}
	had := f.doc
	if noted != nil {
		had = noted.was
	}
	if o.Author != review.AuthorUser && isGarbled(had.Text()) && isGarbled(had.Baseline()) { // else it is so by what has been written
		f.mu.Unlock()
		return false, f.tellOwed(live, moved, by, encodedGarbled)
	}
	if disk, ok := at.Text(); ok && !live.at.editor.Can("reload") && readsAs(d.Text, disk) {
		live.at.store.Loaded(d, false) // nobody can say that it has been read, but so it seems
		f.mu.Unlock()
		return true, nil
	}
	if !live.at.editor.Can("reload") {
		f.mu.Unlock()
		return false, f.tellOwed(live, moved, by, encodedUnread)
	}
	was, before := had, f.before
	if noted == nil {
		was = had.Clone()
	}
	read := was.Text()
	fl := &flight{before: was, want: d.Text, reload: f.bring(before, o, hand), encoded: &rereading{sum, before, f.saves}, readBy: &o}
	f.flight = fl
	if !unsaved {
		f.core.unasked(f.path, o)
	}
	f.mu.Unlock()

	reloaded, err := live.at.editor.Reload(ctx, live.uri)
	disk, readErr := f.read(f.path)
	now, _ := buffers.SumOf(readErr)
	f.mu.Lock()
	if f.flight = nil; !fl.landed && fl.encoded.saves != f.saves {
		f.publish()
		f.mu.Unlock()
		return true, ctx.Err() // the user has saved meanwhile: what the document has is theirs
	}
	t := f.doc.Text()
	asText, isText := disk, readErr == nil && disk.Exists && disk.Content != ""
	if at := buffers.Encoded(readErr); at != nil {
		asText, isText = at.Text()
	}
	isText = isText && readsAs(t, asText)
	// An editor that has much to do may have read it, and told that, and its answer is too late all the same.
	late := !t.Equal(read) && (isText || buffers.Encoded(readErr) != nil && buffers.Encoded(readErr).Holds(t))
	if !fl.landed && (err != nil || !reloaded) && !late {
		_, d, open := f.live()
		unread := !open || clean(d)
		if unread {
			f.unread = true
			f.askLater(by)
		}
		f.publish()
		f.mu.Unlock()
		if ctx.Err() != nil || unread {
			return false, ctx.Err()
		}
		return false, f.tellOwed(live, moved, by, why)
	}
	f.unread = false
	// The editor says that nothing is unsaved: what it has it has read.
	if !fl.landed && !t.Equal(read) {
		f.takeReread(fl, t, disk, readErr)
	}
	if fl.landed {
		sum = fl.encoded.sum
		f.record(fl.readBy, read, *fl.read, false)
		f.keepBeforeOf(*fl.read, *fl.readBy)
	}
	// The same text, of other bytes: it may be that it has not been told of yet.
	e = f.isEncoded()
	past := now != sum && !(isText && readErr == nil) || readsNothing(t, readErr)
	e.sum, e.unsure = sum, past || moved && !fl.landed && e.asked != sum
	e.asked = sum
	if !e.unsure {
		e.owed, e.told = nil, false
		if isText {
			f.encoded = nil
			f.keepEnds(asText, nil)
		}
	}
	if _, d, ok := f.live(); ok && d.Text.Equal(t) {
		live.at.store.Loaded(d, f.encoded != nil)
	}
	f.shownRev = notShown
	f.stir()
	f.publish()
	f.mu.Unlock()
	f.keep(true)
	return past && (readErr != nil || disk.Exists), nil
}

// readsAs reports whether a text, which an editor has read from a file, is what that is as UTF-8.
func readsAs(t text.Text, disk buffers.Disk) bool {
	return buffers.NormHashText(t) == buffers.NormHash(disk.Content)
}

// readsNothing reports whether a text is empty that was read of a file which, as err says, has
// something: it was being written.
func readsNothing(t text.Text, err error) bool {
	at := buffers.Encoded(err)
	return at != nil && t.Len() == 0 && !at.Holds(t)
}

// rereading is what an editor was asked for that is to read a file anew which is not UTF-8.
type rereading struct {
	sum    string // of what it was asked to read or, when it has, of what that was
	before *taken
	saves  int // how often the file was saved before, as file.saves
}

// isReread reports whether the editor was asked to read the file anew, and has not been seen to; mu
// is held.
func (f *file) isReread() bool {
	fl := f.flight
	return fl != nil && fl.encoded != nil && !fl.landed && fl.encoded.saves == f.saves
}

// takeReread takes in what the editor has read that was asked to; disk and err are what came of our
// own reading after that. If the file has changed since the editor was asked, nobody knows which
// it has read: it is taken for the newer. mu is held.
func (f *file) takeReread(fl *flight, t text.Text, disk buffers.Disk, err error) {
	f.doc, fl.landed, fl.read = fl.before, true, &t
	if sum, ok := f.sumRead(disk, err); ok && sum != fl.encoded.sum {
		by := f.whoseBytes(sum, nil)
		by.Change = f.core.changeID()
		fl.encoded.sum, fl.readBy, fl.reload = sum, &by, f.bring(fl.encoded.before, by, gitsHand{})
	}
	fl.reload(f.doc, t)
}

// Why what has changed in a file that is not UTF-8 is not in its document, and what to do.
const (
	encodedUnsaved = "Reload %s to see what %s has written there and decide on it (what is unsaved goes: copy it first), or save over it. " +
		"It is not UTF-8 and cannot be merged with your unsaved text. Nothing was overwritten"
	encodedUnread  = "Reload %s to see what %s has written there and decide on it: it is not UTF-8, and your editor has not read it anew"
	encodedGarbled = "Open %s in its encoding to see what %s has written there and decide on it: it is not UTF-8, and your editor does not know in which it is"
)

// isGarbled tells that a text has characters which stand for bytes that its editor could not
// read: when it is saved, they are lost.
func isGarbled(t text.Text) bool { return strings.Contains(t.String(), "\ufffd") }

// tellOwed tells the user, once, that the document has not taken in what there is on the disk,
// if it has moved at all.
func (f *file) tellOwed(live openDoc, moved bool, o review.Origin, why string) error {
	f.mu.Lock()
	told := f.encoded == nil || f.encoded.told
	if moved && f.encoded != nil {
		f.encoded.told = true
	}
	f.mu.Unlock()
	if told || !moved {
		return nil
	}
	message := fmt.Sprintf(why, f.shortName(live), programOf(o))
	if s, err := f.core.findSession(o.Session); err == nil {
		s.notice(o.Turn, EntryNotice, message)
	}
	live.at.editor.ShowMessage(LevelWarning, message)
	return nil
}

// shortName is how a user calls the file.
func (f *file) shortName(live openDoc) string {
	return live.at.nameOf(string(f.path))
}

// bytesAtRest are those of a file that is not UTF-8; nil if it is none such now. Where they are
// other ones than were known it is read until it has been left alone for a while.
func (f *file) bytesAtRest(ctx context.Context) (at *buffers.EncodedError, err error) {
	f.mu.Lock()
	last := ""
	if f.encoded != nil {
		last = f.encoded.sum
	}
	f.mu.Unlock()
	for range 20 {
		_, err := f.read(f.path)
		if at = buffers.Encoded(err); at == nil && err != nil && !errors.Is(err, buffers.ErrNotUTF8) {
			return nil, err
		}
		if at == nil || at.Sum == last {
			return at, nil
		}
		last = at.Sum
		if err := pause(ctx, quietFor); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// encodedWait is how long the start of a turn waits for an editor to read what has changed
// in a file that is not UTF-8: what comes later is the agent's.
const encodedWait = 2 * time.Second

// followEncoded has the documents of files that are not UTF-8, and have changed since the
// last turn, follow the disk before the agent begins.
func (c *Core) followEncoded(ctx context.Context, files []*file) {
	ctx, cancel := context.WithTimeout(ctx, encodedWait)
	defer cancel()
	for _, f := range files {
		if f.isBehindEncoded() {
			if err := f.reread(ctx, func() bool { return false }); err != nil && ctx.Err() == nil {
				c.log.Warn("read a file anew before a turn", "path", f.path, "err", err)
			}
		}
	}
}

// hasBytes tells that the text has all that a file has which is not UTF-8; mu is held.
func (f *file) hasBytes(now checkpoint.State) bool {
	return f.encoded != nil && now.Exists && !f.encoded.unsure && f.encoded.sum == now.Sum()
}

// takesWhole tells that what a file, which is or was no text, has become is to be decided on
// as a whole, and not by the hunks of its document; mu is held.
func (f *file) takesWhole(now checkpoint.State, recoded bool) bool {
	e := f.encoded
	switch {
	case recoded:
		return true
	case now.IsNoFile() || e == nil:
		return len(f.open) == 0 || now.IsNoFile() || f.underDocument()
	case len(f.open) > 0:
		return e.late || f.opaque != "" || !now.Exists
	}
	return !f.hasBytes(now)
}

// gitsHandBytes is gitsHand for the bytes of a file that is not UTF-8.
func (f *file) gitsHandBytes(ctx context.Context, sum string) gitsHand {
	f.mu.Lock()
	same := f.encoded != nil && f.encoded.sum == sum
	f.mu.Unlock()
	if same {
		return gitsHand{}
	}
	return f.gitsHand(ctx, buffers.Disk{Exists: true}, f.tracked())
}
