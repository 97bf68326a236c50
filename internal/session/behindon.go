package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What an agent has written to a file may find no way into its document, because the user types
// there without a pause. It is tried on after the turn, and is the agent's still; the user is told
// if that goes on.

const (
	longestBehind = 5 * time.Second // between two tries
	tellBehind    = 4               // tries, before the user is told
)

// errBehind is the error for a document that could not be brought up to date: each time something
// else has come to it, or to the disk.
var errBehind = errors.New("it was changed meanwhile, each time it was tried")

// unlessBehind is err, unless that is errBehind: what is brought in later is not waited for.
func unlessBehind(err error) error {
	if errors.Is(err, errBehind) {
		return nil
	}
	return err
}

// unbrought is what the disk had that is to be brought into a document.
type unbrought struct {
	text text.Hash
	by   review.Origin
}

func (o *unbrought) is(now text.Text) bool { return o != nil && o.text == buffers.NormHashText(now) }

// goOn goes on bringing a document up to date that a turn has left behind the disk.
func (f *file) goOn() {
	disk, err := buffers.ReadDisk(f.path)
	if err != nil || !disk.Exists {
		return
	}
	now := text.New(disk.Content)
	f.mu.Lock()
	before := f.before
	f.mu.Unlock()
	f.bringAs(now, f.whose(now, before))
}

// bringAs goes on bringing what the disk has, which is o's, into a document.
func (f *file) bringAs(now text.Text, o review.Origin) {
	if had := f.unbrought.Swap(&unbrought{buffers.NormHashText(now), o}); had == nil {
		f.core.spawn(func() { f.bringOn(f.core.ctx) })
	}
}

// bringOn tries until the document has what the disk has, or is closed.
func (f *file) bringOn(ctx context.Context) {
	for try := 1; ; try++ {
		if pause(ctx, min(quietFor<<try, longestBehind)) != nil {
			return
		}
		err := f.catchUp(ctx)
		if try == tellBehind && behindBy(err) {
			f.tellBehind(err)
		}
		if !behindBy(err) || try == tellBehind && !typedIn(err) {
			f.mu.Lock()
			if len(f.open) > 0 { // else followDisk sees to it
				f.unbrought.Store(nil)
			}
			f.mu.Unlock()
			if err != nil && ctx.Err() == nil {
				f.core.log.Warn("bring document up to date", "path", f.path, "err", err)
			}
			return
		}
	}
}

// behindBy reports whether an error is one of those that go away when the user pauses.
func behindBy(err error) bool {
	return err != nil && (errors.Is(err, errBehind) || KindOf(err) == KindBusy)
}

// typedIn reports whether it is the user's typing that came between.
func typedIn(err error) bool { return errors.Is(err, errBehind) || errors.Is(err, errTyped) }

func (f *file) tellBehind(err error) {
	f.mu.Lock()
	live, _, open := f.live()
	f.mu.Unlock()
	o := f.unbrought.Load()
	if !open || o == nil {
		return
	}
	who := programOf(o.by)
	message := "Pause typing in %s, and do not save over it: what %s has written there is not in your editor yet"
	if !typedIn(err) {
		message = "Load %s anew before you save it: what %s has written there is not in your editor, which did not take it"
	}
	message = fmt.Sprintf(message, f.shortName(live), who)
	if s, err := f.core.findSession(o.by.Session); err == nil {
		s.notice(o.by.Turn, EntryNotice, message)
	}
	live.at.editor.ShowMessage(LevelWarning, message)
}
