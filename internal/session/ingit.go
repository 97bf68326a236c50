package session

import (
	"context"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What HEAD and the index have of the undecided hunks of a file, and what that decides.

// stored is what checkout would write of a file that git has.
type stored struct {
	checkpoint.State
	keepsEnds bool // it would have the line ends that the file had when it was staged, as far as that was asked
}

// stored returns what git has in a blob of a file.
func (r *repo) stored(ctx context.Context, f *file, b checkpoint.Blob) (stored, error) {
	st, err := r.git.Read(ctx, f.path, b)
	if err != nil || st.Opaque != "" || !f.hasTurned() {
		return stored{State: st}, err
	}
	keeps, err := r.git.KeepsEnds(ctx, f.path)
	return stored{st, keeps}, err
}

// hasTurned tells that an undecided, or lost, hunk of the file has turned line ends.
func (f *file) hasTurned() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.doc != nil && (slices.ContainsFunc(f.doc.Hunks(review.StatePending), turnsEnds) || slices.ContainsFunc(f.doc.Hunks(review.StateRejected), turnsEnds))
}

// turnsEnds tells that the rows of a hunk end in another way than those whose place they took.
func turnsEnds(h review.Hunk) bool {
	from, to := buffers.EndsOf(text.New(h.BaseText)), buffers.EndsOf(text.New(h.Text))
	ended := func(e buffers.Ends) bool { return e.EOL != "" || e.Mix != text.Hash{} }
	return ended(from) && ended(to) && !from.SameRows(to)
}

// sameEnds tells that the rows of a text from start to end have the same line ends in another one that
// has them all.
func sameEnds(t, in text.Text, start, end int) bool {
	of := matched(plainRows(in), plainRows(t))
	ending := func(t text.Text, i int) string { return t.LineWithEnd(i)[len(t.Line(i)):] }
	for i := start; i < end; i++ {
		if of[i] >= 0 && ending(t, i) != ending(in, of[i]) {
			return false
		}
	}
	return true
}

// inGit takes in what HEAD and the index have of a file now.
func (c *Core) inGit(ctx context.Context, r *repo, f *file, entries map[buffers.Path]checkpoint.Entry, users bool) error {
	now := entries[f.path]
	f.mu.Lock()
	f.doubts(now)
	was := f.ingit
	f.ingit.known, f.ingit.entry = true, now
	from, unmarked := f.entire.from, f.unmarked()
	f.mu.Unlock()
	if was.known && was.entry == now && !unmarked {
		return nil
	}
	agents := users && was.known && was.entry.Head != now.Head && r.agents[r.head]
	if agents { // the user has gone there, if HEAD was there when it was looked at
		has, err := r.git.At(ctx, r.head, []buffers.Path{f.path})
		if err != nil {
			return err
		}
		agents = has[f.path] == now.Head
	}
	if !users || !was.known || was.entry == now {
		if was.known && was.entry.Head == now.Head && !unmarked {
			return nil // it is staged, which says nothing
		}
		st, err := r.stored(ctx, f, now.Head)
		if err == nil {
			f.markCommitted(st)
		}
		return err
	}
	for _, b := range []struct{ was, now checkpoint.Blob }{{was.entry.Head, now.Head}, {was.entry.Index, now.Index}} {
		if b.was == b.now || agents && b.now == now.Head {
			continue
		}
		if was.entry.Head != now.Head && b.now != now.Head { // what is only staged may be so for a moment, right after a commit too
			f.mu.Lock()
			f.ingit.undecided = nil
			f.believe(checkpoint.Entry{Head: now.Head, Index: now.Head})
			f.mu.Unlock()
		}
		st, err := r.stored(ctx, f, b.now)
		if err != nil {
			return err
		}
		if b.now == now.Head {
			f.acceptLost(st) // HEAD was here when the files were not any more
		}
		if err := f.acceptInGit(ctx, was.entry, b.was, b.now, st, from == "" || !entries[from].Index.Exists()); err != nil {
			return err
		}
	}
	if agents {
		st, err := r.stored(ctx, f, now.Head)
		if err == nil {
			f.markCommitted(st)
		}
		return err
	}
	return nil
}

// markCommitted marks the hunks that are in HEAD.
func (f *file) markCommitted(head stored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ingit.committed = nil
	if f.doc != nil {
		f.ingit.marked = f.doc.Revision()
	}
	if f.doc != nil && head.Opaque == "" {
		for _, id := range contained(f.doc, head) {
			if f.ingit.committed == nil {
				f.ingit.committed = map[string]bool{}
			}
			f.ingit.committed[id] = true
		}
	}
	f.shownRev = notShown
	f.publish()
}

// acceptInGit accepts what a blob has that the user has staged or committed.
// renamed says that the old name is gone there too. Meanwhile git may take the file away, and
// bring it back: it is accepted all the same.
func (f *file) acceptInGit(ctx context.Context, before checkpoint.Entry, was, blob checkpoint.Blob, has stored, renamed bool) error {
	for range maxTries {
		refused, err := f.acceptNow(ctx, before, was, blob, has, renamed)
		if err != nil || !refused {
			return err
		}
		f.acceptLost(has)
	}
	return nil
}

// acceptNow is acceptInGit for what is undecided now. It reports whether something of it was
// not any more when it was to be accepted.
func (f *file) acceptNow(ctx context.Context, before checkpoint.Entry, was, blob checkpoint.Blob, has stored, renamed bool) (refused bool, err error) {
	var ids []string
	whole := false
	f.mu.Lock()
	change, opaque := f.fileChange(), f.opaque
	if f.doc != nil && opaque == "" && has.Opaque == "" {
		ids = contained(f.doc, has)
	}
	if change != nil {
		exec := f.entire.exec != nil && *f.entire.exec
		switch change.Op {
		case "delete":
			whole = was.Exists() && !blob.Exists()
		case "rename":
			whole = blob.Exists() && renamed
		case "create":
			whole = blob.Exists() && len(ids) == len(visible(f.doc.Hunks(review.StatePending)))
		case "modify":
			mark := f.entire.wasMark
			whole = blob.Exists() && (blob.Exec == exec || mark != nil && f.entire.wasExec == nil) &&
				(mark == nil || has.Opaque == "" && buffers.EndsOf(text.New(has.Content)).BOM != *mark)
		}
		if opaque != "" && has.Exists && has.Opaque != checkpoint.Filtered {
			whole = whole && has.SameContent(f.entire.now)
		}
	}
	if len(ids) > 0 || whole {
		f.believe(before)
	}
	f.mu.Unlock()
	if len(ids) == 0 && !whole {
		return false, nil
	}
	var out Decision
	how := acceptance
	how.git = true
	err = f.decide(ctx, ids, whole, how, &out)
	return len(out.Refused) > 0, err
}

// contained names the pending hunks that a text of git's has as they stand: their
// rows are in it, and what they took out is not. Line ends say something only where a hunk has
// turned them: git may keep all of a file's in another form.
func contained(doc *review.Doc, has stored) []string {
	hunks := visible(doc.Hunks(review.StatePending))
	if len(hunks) == 0 || !has.Exists && doc.Text().Len() > 0 {
		return nil
	}
	now, in := doc.Text(), text.New(has.Content)
	mine, theirs := plainRows(now), plainRows(in)
	edits := linediff.Diff(mine, theirs)
	var ids []string
	for _, h := range hunks {
		taken := plainRows(text.New(h.BaseText))
		missing := slices.ContainsFunc(edits, func(e linediff.Edit) bool {
			if e.A1 < h.StartLine || e.A0 > h.EndLine {
				return false
			}
			if e.A0 < h.EndLine && e.A1 > h.StartLine || e.A0 == e.A1 {
				return true
			}
			// It is next to the hunk: unless what the hunk took out is there, it is another's.
			return slices.ContainsFunc(theirs[e.B0:e.B1], func(row string) bool { return row != "" && slices.Contains(taken, row) })
		})
		if !missing && turnsEnds(h) {
			missing = !has.keepsEnds || !sameEnds(now, in, h.StartLine, h.EndLine)
		}
		if !missing {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// plainRows are the rows of a text, without a byte order mark.
func plainRows(t text.Text) []string {
	rows := t.Lines(0, t.LineCount())
	if len(rows) > 0 {
		rows[0] = strings.TrimPrefix(rows[0], "\uFEFF")
	}
	return rows
}
