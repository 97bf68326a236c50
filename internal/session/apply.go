package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
)

// How a text is changed. An operation works on a clone of the tracked text and
// says what is wanted. If a document is open, its editor is asked for the
// difference, at the version it was computed from, and the clone becomes the
// truth in the moment the document is seen to have exactly the wanted text. If
// the user typed meanwhile, the operation is done again on what is there now.
// If no document is open the file is written.

// An operation changes a clone of the tracked text. apply is called by whoever
// holds the slot of ops, perhaps several times, each time on the text of that
// moment, with the file's mutex or without, and must have no other effect.
type operation struct {
	label   string // names it to the user
	apply   func(d *review.Doc) error
	by      *review.Origin // the agent whose change it is, if it is one
	from    *text.Text     // what that began with, if it is not the text before
	rejects bool           // it takes back what agents did: a file they created goes too
	// restores: it brings back what agents did and was rejected: a file they deleted goes.
	restores bool
	git      bool // the user has accepted with git: of a file that is not open the disk is not looked at
	marks    bool // it changes no text: a file that there is not stays so
	// takes is what the disk has that the operation takes in, if it does. It is kept in the
	// moment in which the operation is real: what the editor tells next is told of that.
	takes func() *taken
	// stale tells that the user has saved since it was found out what to do, if that matters;
	// mu is held.
	stale func() bool
	// alone: the editor is not given the disk's state with it.
	alone bool
}

// errSaved is the error for an operation about the disk, which the user has written meanwhile.
var errSaved = errors.New("the user has saved meanwhile")

// tookIn keeps what of the disk an operation has taken in, which is real now; mu is held.
func (f *file) tookIn(op operation) {
	if op.takes != nil && (op.stale == nil || !op.stale()) {
		t := op.takes()
		if f.takeDisk(t); op.alone {
			f.unadopted = &t.Text
		}
		f.tellFound()
		f.noteKnown()
		f.later()
	}
}

// flight is an edit an editor was asked for and has not been seen to make.
type flight struct {
	before *review.Doc // as it was
	want   text.Text
	next   *review.Doc                  // what becomes the truth when want is seen
	reload func(*review.Doc, text.Text) // set if a reload was asked for: takes in what is loaded
	read   *text.Text                   // what the editor read then, if it has
	readBy *review.Origin               // whose the difference from want is, if there is one
	past   bool                         // and the disk had something else by then
	landed bool
	keys   int  // how much the user had done before it landed, as file.keys
	users  bool // it came to what the user had made of the document

	encoded *rereading // set if the file is not UTF-8: what is loaded is not known beforehand

	op   operation
	edit DocumentEdit // that was asked for, in positions of enc
	enc  position.Encoding
}

const (
	// maxTries is how often what comes to nothing is tried: but for what the user's typing
	// has come before, which is tried again for [Waits.Typing] or [Waits.Asked].
	maxTries = 5
	// freeTries of them work out the difference while the user can type. In a large
	// text that takes a while, and the editor's read loop needs the mutex for each
	// keystroke; but to somebody who never pauses it must not be in vain.
	freeTries = 2
)

// keptError is an error of an operation whose marks are to be kept, such as a
// conflict that is shown to the user.
type keptError struct{ error }

func (e keptError) Unwrap() error { return e.error }

// outcome says how a change became real.
type outcome struct {
	changed  bool // the text is another one now
	onDisk   bool // no document is open; the file was written
	doc      openDoc
	wasClean bool      // the document was clean before
	turned   bool      // it was, and had line ends of another kind than its file
	keys     int       // how much the user had done by then, as file.keys
	text     text.Text // that it came to
}

// wasSaved reports whether nothing of the document was unsaved before.
func (o outcome) wasSaved() bool { return o.wasClean && !o.turned }

func (f *file) lockOps(ctx context.Context) error {
	if err := f.core.durable.wait(ctx); err != nil {
		return err
	}
	return f.lockOpsNow(ctx)
}

// lockOpsNow is lockOps also while what earlier runs have left is taken up.
func (f *file) lockOpsNow(ctx context.Context) error {
	select {
	case f.ops <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *file) unlockOps() { <-f.ops }

// change makes an operation real and returns when it is. If ctx ends before, an
// edit that was sent is still awaited: when it is made it is the operation's, and
// not the user's.
func (f *file) change(ctx context.Context, op operation) (outcome, error) {
	if err := f.lockOps(ctx); err != nil {
		return outcome{}, err
	}
	type result struct {
		out outcome
		err error
	}
	done := make(chan result, 1)
	f.core.spawn(func() {
		defer f.unlockOps()
		out, err := f.changeHeld(ctx, op)
		done <- result{out, err}
	})
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

// changeHeld is change for a caller that holds the slot of ops. Once an edit was
// sent it does not return before that is made or refused, whatever ctx does.
func (f *file) changeHeld(ctx context.Context, op operation) (outcome, error) {
	f.wakeOnDisk()
	protected := f.protected(op)
	began, patience := time.Now(), f.core.waits.Asked
	if op.takes != nil {
		patience = f.core.waits.Typing
	}
	for typed, failed := 0, 0; ; {
		if op.by == nil { // a decision of the user waits until it is known what it is about
			if err := f.awaitSettled(ctx); err != nil {
				return outcome{}, err
			}
		}
		if typed%2 == 0 {
			if err := f.awaitPause(ctx, pauseAfter(typed)); err != nil {
				return outcome{}, err
			}
		}
		out, err := f.try(op, protected, typed+failed < freeTries)
		if err == nil {
			return out, nil
		}
		var again errAgain
		if !errors.As(err, &again) {
			return out, err
		}
		if again.error == errTyped {
			typed++
		} else {
			failed++
		}
		if failed == maxTries || typed >= maxTries && time.Since(began) >= patience {
			return outcome{}, Errorf(KindBusy, "%s could not be changed: %w (tried %d times; read it again and retry)", f.path, again.error, typed+failed)
		}
	}
}

// errAgain is a failure after which the operation is tried anew.
type errAgain struct{ error }

// errTyped says that the text was changed before it could be.
var errTyped = errors.New("it was changed meanwhile")

// protected is why a document that an operation changes could not be saved: its file is not to be
// written. nil if it could, or is left for the user to save.
func (f *file) protected(op operation) error {
	if op.takes != nil || f.core.settings().Files.Save == config.SaveNever {
		return nil
	}
	err := buffers.Writable(f.path)
	if err == nil || isMissing(err) {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrReadOnly, err)
}

// readOnly is the error for an operation that would leave what nobody can save.
func (f *file) readOnly(why error) error {
	return Errorf(KindInvalid, "%s was not changed: %w", f.path, why)
}

// try makes an operation real, unless something comes between. protected is why a document
// that has nothing unsaved must not be changed, if it must not; free says that the
// text may change while the operation is worked out.
func (f *file) try(op operation, protected error, free bool) (outcome, error) {
	live, doc, ok := f.lockFollowed()
	if !ok && op.git && f.doc != nil {
		defer f.mu.Unlock()
		return f.tryUnseen(op)
	}
	if !ok {
		f.mu.Unlock()
		return f.tryOnDisk(op)
	}
	if c := f.clash(); c != nil {
		f.mu.Unlock()
		return outcome{}, &Error{Kind: KindConflict, Message: c.Error(), Err: c}
	}
	out := outcome{doc: live, wasClean: clean(doc)}
	next, unchanged := f.doc.Clone(), f.unchanged(doc)
	f.recall(next)
	if free {
		f.mu.Unlock()
	}
	err := op.apply(next)
	var edit DocumentEdit
	if err == nil {
		edit = documentEdit(doc, live.at.enc, op.label, next.Text())
	}
	if free {
		f.mu.Lock()
	}
	if op.stale != nil && op.stale() {
		f.mu.Unlock()
		return outcome{}, errSaved
	}
	if !unchanged() {
		f.mu.Unlock()
		return outcome{}, errAgain{errTyped}
	}
	if err != nil {
		var kept keptError
		if errors.As(err, &kept) {
			f.doc = next
			f.publish()
			err = kept.error
		}
		f.mu.Unlock()
		return out, err
	}
	if next.Text().Equal(f.doc.Text()) {
		f.decidedMine(f.doc, next)
		f.doc, f.strays = next, nil
		f.tookIn(op)
		f.publish()
		f.mu.Unlock()
		f.keep(true)
		return out, nil
	}
	out.changed, out.turned = true, doc.Turned()
	if protected != nil && out.wasSaved() {
		f.mu.Unlock()
		return out, f.readOnly(protected)
	}
	fl := &flight{before: f.doc.Clone(), want: next.Text(), next: next, op: op, edit: edit, enc: live.at.enc, keys: f.keys}
	f.flight = fl
	announce := f.announce(next, false, op.under)
	f.mu.Unlock()

	announce()
	err = live.at.editor.ApplyEdit(f.core.ctx, edit)
	err = f.await(f.core.ctx, fl, op, err)
	if err == nil {
		f.mu.Lock()
		f.strays = nil
		out.text, out.keys = fl.want, fl.keys
		if !fl.users {
			f.record(op.by, op.begins(fl.before), fl.want, false)
		}
		f.mu.Unlock()
	}
	return out, err
}

// tryUnseen makes an operation real that changes no text, in a file that no editor has open and
// that somebody may be writing; mu is held.
func (f *file) tryUnseen(op operation) (outcome, error) {
	next := f.doc.Clone()
	if err := op.apply(next); err != nil {
		return outcome{}, err
	}
	f.doc = next
	f.publish()
	f.dropIfIdle()
	return outcome{onDisk: true}, nil
}

// unchanged returns a function that tells whether the tracked text, what is marked
// in it, and the document it follows are still those of now; mu is held for both.
func (f *file) unchanged(doc *buffers.Document) func() bool {
	tracked, text, rev := f.doc, f.doc.Text(), f.doc.Revision()
	return func() bool {
		_, now, ok := f.live()
		return f.doc == tracked && tracked.Text() == text && tracked.Revision() == rev &&
			ok && now.URI == doc.URI && now.Version == doc.Version && now.Text == doc.Text
	}
}

// land takes t as the wanted text of the edit in flight, if it is; mu is held.
func (f *file) land(t text.Text) bool {
	fl := f.flight
	switch {
	case fl == nil || fl.landed || fl.encoded != nil:
		return false
	case t.Equal(fl.want):
		f.doc = fl.next
		f.decidedMine(fl.before, f.doc)
	case fl.reload != nil && buffers.NormHashText(t) == buffers.NormHashText(fl.want):
		f.doc, fl.read = fl.before.Clone(), &t // as the disk has it, and not in the style of before
		fl.reload(f.doc, t)
	default:
		return false
	}
	fl.landed, fl.keys, f.typed = true, f.keys, text.Text{}
	f.tookIn(fl.op)
	f.shownRev = notShown
	return true
}

// await waits until the document has the wanted text. answer is what the editor
// said, which only tells how long to wait.
func (f *file) await(ctx context.Context, fl *flight, op operation, answer error) error {
	wait := f.core.waits.Landing
	if answer != nil {
		wait = f.core.waits.Refusal
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	defer func() {
		f.mu.Lock()
		f.flight = nil
		f.publish()
		f.mu.Unlock()
	}()
	if errors.Is(answer, ErrUnsupported) {
		return Errorf(KindBusy, "%s is open in an editor that takes no edits: close it there, and the file is written instead", f.path)
	}
	if errors.Is(answer, ErrReadOnly) && op.takes == nil { // what the disk has the editor may read by itself
		return f.readOnly(answer)
	}
	for {
		f.mu.Lock()
		landed, moved := fl.landed, f.moved
		now := f.doc.Text()
		f.mu.Unlock()
		// Without the mutex, as in try: each change of a large text is looked at.
		if !landed && !now.Equal(fl.before.Text()) && !partial(fl.before.Text(), now, fl.want) {
			f.mu.Lock()
			if !fl.landed && f.doc.Text() != now {
				f.mu.Unlock()
				continue // there is more to see
			}
			landed = fl.landed || f.landAmong(fl, op, now)
			f.mu.Unlock()
			if !landed {
				return errAgain{errTyped}
			}
		}
		if landed {
			return nil
		}
		select {
		case <-moved:
		case <-timer.C:
			if answer == nil {
				answer = errors.New("the editor said it made the edit, and did not")
			}
			return errAgain{answer}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// partial tells that now is on the way from before to want: some of the edits
// have been reported and the others have not. Where one takes away the last row, Neovim
// makes that empty first, and takes away the empty row when all edits are made. Where one turns
// the line ends, VS Code does that in a step of its own.
func partial(before, now, want text.Text) bool {
	b, n, w := before.String(), now.String(), want.String()
	if buffers.EndsOf(before).Turned(buffers.EndsOf(want)) {
		b, n, w = inLF(b), inLF(n), inLF(w)
	}
	onTheWay := func(n string) bool {
		m := merge.Texts(b, n, w)
		return len(m.Conflicts) == 0 && m.Text == w
	}
	if onTheWay(n) {
		return true
	}
	without := strings.TrimSuffix(strings.TrimSuffix(n, "\n"), "\r")
	emptied := without != n && (without == "" || strings.HasSuffix(without, "\n") || strings.HasSuffix(without, "\r"))
	return emptied && without != b && onTheWay(without)
}

func inLF(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }

// landAmong recognises the edit in a text that the user changed in the same
// breath, in editors that report both as one or do not check versions: the text
// without the edit is then the user's, and the edit is made on it. But a text that the
// document has had is the user's undo, which the edit came too late for; mu is held.
func (f *file) landAmong(fl *flight, op operation, now text.Text) bool {
	if f.tooLate(now) {
		return false
	}
	before, want, got := fl.before.Text().String(), fl.want.String(), now.String()
	if m := merge.Texts(before, got, want); len(m.Conflicts) > 0 || m.Text != got {
		return false
	}
	user := merge.Texts(want, got, before)
	if len(user.Conflicts) > 0 || user.Text == got {
		return false
	}
	d := fl.before.Clone()
	if b := f.before; b != nil && b.from != nil && b.String() == user.Text && !b.isTaken(d) {
		b.bringTo(d, f.core.changeID) // as in thrownBack
	} else {
		start, oldEnd, s := replacement(before, user.Text)
		d.UserEdit(start, oldEnd, s)
	}
	if op.apply(d) != nil || !d.Text().Equal(now) {
		return false
	}
	f.doc, fl.landed, f.typed = d, true, text.Text{}
	f.decidedMine(fl.before, d)
	f.tookIn(op)
	f.shownRev = notShown
	return true
}

// replacement is the one edit that makes b of a: bytes [start, oldEnd) of a
// become s. It does not cut a character.
func replacement(a, b string) (start, oldEnd int, s string) {
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for start > 0 && (start < len(a) && !runeStart(a[start]) || start < len(b) && !runeStart(b[start])) {
		start--
	}
	i, j := len(a), len(b)
	for i > start && j > start && a[i-1] == b[j-1] {
		i--
		j--
	}
	for i < len(a) && !runeStart(a[i]) {
		i++
		j++
	}
	return start, i, b[start:j]
}

func runeStart(c byte) bool { return c&0xC0 != 0x80 }

// documentEdit is the difference between a document and the text it is to have,
// row by row.
func documentEdit(d *buffers.Document, enc position.Encoding, label string, want text.Text) DocumentEdit {
	e := DocumentEdit{URI: d.URI, Version: d.Version, Label: label}
	have := d.Text
	for _, r := range linediff.Diff(rowsWithEnds(have), rowsWithEnds(want)) {
		start, end := have.LineStart(r.A0), have.LineStart(r.A1)
		start, end, s := withinRows(have, start, end, want.Slice(want.LineStart(r.B0), want.LineStart(r.B1)))
		e.Edits = append(e.Edits, TextEdit{
			Start: start, End: end, NewText: s,
			Range: position.Range{
				Start: position.OffsetPosition(have, start, enc),
				End:   position.OffsetPosition(have, end, enc),
			},
		})
	}
	return e
}

// withinRows makes an insertion behind the last line end of a text, where there is
// a row to LSP and none to an editor like Vim, one at the end of the last row that
// has an end: to Neovim 0.10 the former means another, empty, row.
func withinRows(have text.Text, start, end int, s string) (int, int, string) {
	if start != have.Len() || start == 0 || s == "" {
		return start, end, s
	}
	last := have.Slice(have.LineStart(have.LineCount()-2), start) // nothing stands behind it
	term := last[len(strings.TrimRight(last, "\r\n")):]
	if rest, ok := strings.CutSuffix(s, term); ok {
		return start - len(term), start - len(term), term + rest
	}
	return start - len(term), end, term + s // which ends in no line end, or another
}

// rowsWithEnds are the rows of a text with their terminators. They share the
// memory of one copy of it.
func rowsWithEnds(t text.Text) []string {
	rows := make([]string, 0, t.LineCount())
	s := t.String()
	feed := -1 // the next line feed that is not in front of start
	for start := 0; len(rows) < t.LineCount()-1; {
		if feed < start {
			if feed = strings.IndexByte(s[start:], '\n') + start; feed < start {
				feed = len(s)
			}
		}
		end := feed + 1
		if cr := strings.IndexByte(s[start:feed], '\r') + start; cr >= start && cr+1 < feed || feed == len(s) {
			end = cr + 1
		}
		rows = append(rows, s[start:end])
		start = end
	}
	done := 0
	for _, row := range rows {
		done += len(row)
	}
	return append(rows, s[done:])
}
