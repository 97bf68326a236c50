package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"acp-ls/buffers"
	"acp-ls/internal/config"
)

// Another program may have written a file that is open since anybody looked: a decision that
// changes the document takes that in first, or its editor would ask what is to become of the disk.

// lookFirst brings a document that has nothing unsaved up to date with the disk, before a decision
// changes it. It reports whether it was behind. What is unsaved is between the user and their disk.
func (f *file) lookFirst(ctx context.Context) (behind bool) {
	f.mu.Lock()
	live, _, open := f.live()
	f.mu.Unlock()
	if !open || !f.core.settings().Review.OutOfBand {
		return false
	}
	if _, err := live.at.store.Look(f.path); err != nil {
		return false
	}
	if d, ok := live.at.Document(live.uri); !ok || d.State() != buffers.Behind {
		return false
	}
	if err := unlessBehind(f.catchUp(ctx)); err != nil && ctx.Err() == nil {
		f.core.log.Warn("bring document up to date", "path", f.path, "err", err)
	}
	return true
}

// tellUnsaved tells the user that what a decision has made of a document is not on disk, where the
// file has something else.
func (f *file) tellUnsaved(out outcome, err error) {
	why := "it had changed on disk, save it when you are ready"
	if err != nil && !errors.Is(err, ErrUnsupported) {
		why = strings.TrimPrefix(err.Error(), ErrNotSaved.Error()+": ")
	}
	out.doc.at.editor.ShowMessage(LevelWarning, fmt.Sprintf("%s is not saved: %s", f.shortName(out.doc), why))
}

// saveDecided saves a document after a decision, if nothing was unsaved before it. No formatter
// is to touch what was decided: what is rejected is to be as it was. behind says that it was behind
// the disk before. It reports whether the editor says that it has saved it.
func (f *file) saveDecided(ctx context.Context, out outcome, behind bool) bool {
	if f.core.settings().Files.Save == config.SaveNever {
		return false
	}
	if !out.wasSaved() {
		if behind {
			f.tellUnsaved(out, nil)
		}
		return false
	}
	f.mu.Lock()
	garbled := f.encoded != nil && f.doc != nil && isGarbled(f.doc.Text())
	f.mu.Unlock()
	if garbled {
		return false // that is for the user to do, who sees it
	}
	if d, ok := out.doc.at.Document(out.doc.uri); ok {
		f.core.elsewhere.wrote(f.path, d.Text)
		f.asksToSave(d.Text)
	}
	f.mu.Lock()
	f.decided++
	coded := f.codedFirst
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.decided--
	}()
	err := out.doc.at.editor.Save(ctx, out.doc.uri, 0, false)
	if _, typed, here := f.sinceChanged(out); err == ErrNotSaved && typed && here && !behind {
		return false // who has typed on since sees that
	}
	if err != nil && !errors.Is(err, ErrUnsupported) {
		f.core.log.Warn("save after decision", "path", f.path, "err", err)
		f.tellUnsaved(out, err)
	} else if err != nil && behind {
		f.tellUnsaved(out, err)
	}
	if err == nil {
		f.tellCoded(out.doc, coded)
	}
	return err == nil
}

// savesDecided reports whether a decision about hunks of the document is saved; mu is held.
func (f *file) savesDecided() bool {
	live, d, open := f.live()
	return open && clean(d) && !d.Turned() && f.core.settings().Files.Save != config.SaveNever && live.at.editor.Can("save")
}
