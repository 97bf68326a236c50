package session

import (
	"context"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A commit is meant, also where HEAD has left it again before anybody has looked: the log of
// HEAD has it.

// maxPassed bounds how many commits are looked at that HEAD has been at since the last look.
const maxPassed = 32

// acceptPassed accepts what commits have of files that HEAD was at since the last look, as if
// it had been looked at each.
func (c *Core) acceptPassed(ctx context.Context, r *repo, files []*file, commits []string) error {
	files = slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return !f.lookedAtInGit() })
	if len(commits) > maxPassed {
		commits = commits[len(commits)-maxPassed:]
	}
	var paths []buffers.Path
	for _, f := range files {
		paths = append(paths, f.path)
		if from := f.renamedFrom(); from != "" {
			paths = append(paths, from)
		}
	}
	for _, commit := range commits {
		if r.agents[commit] {
			continue
		}
		has, err := r.git.At(ctx, commit, paths)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := f.acceptAt(ctx, r, has); err != nil {
				return err
			}
		}
	}
	return nil
}

// acceptAt accepts what a commit has of the file.
func (f *file) acceptAt(ctx context.Context, r *repo, has map[buffers.Path]checkpoint.Blob) error {
	now := has[f.path]
	f.mu.Lock()
	was, from := f.ingit.entry, f.entire.from
	f.ingit.entry.Head = now
	f.mu.Unlock()
	st, err := r.stored(ctx, f, now)
	if err != nil {
		return err
	}
	if f.acceptLost(st); was.Head == now {
		return nil
	}
	return f.acceptInGit(ctx, was, was.Head, now, st, from == "" || !has[from].Exists())
}

// acceptLost accepts of what git has taken away again what a commit has.
func (f *file) acceptLost(has stored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc == nil || has.Opaque != "" {
		return
	}
	lost := slices.DeleteFunc(slices.Clone(f.doc.Hunks(review.StateRejected)), func(h review.Hunk) bool { return !h.Lost })
	var ids, known []string
	if has.Exists && len(lost) > 0 { // what is pending with the very text, if that was there before
		with := f.doc.Clone()
		with.Follow(text.New(has.Content), review.AuthorGit)
		known = pendingIDs(with)
	}
	for _, h := range lost {
		if slices.Contains(known, h.ID) {
			ids = append(ids, h.ID)
			continue
		}
		with := f.doc.Clone()
		if done, _ := with.Restore([]string{h.ID}); len(done) > 0 && isIn(with, f.doc, has) {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	if f.doc.AcceptLost(ids); !f.doc.Tracking() {
		f.entire.madeAway, f.entire.goneBack = false, false
	}
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
}

// isIn reports whether a commit has the hunks that are pending in with and not in without.
func isIn(with, without *review.Doc, has stored) bool {
	in := contained(with, has)
	var before []string
	for _, h := range without.Hunks(review.StatePending) {
		before = append(before, h.ID)
	}
	any := false
	for _, h := range with.Hunks(review.StatePending) {
		if slices.Contains(before, h.ID) {
			continue
		}
		if !slices.Contains(in, h.ID) {
			return false
		}
		any = true
	}
	return any
}
