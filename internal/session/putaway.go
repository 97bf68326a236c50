package session

import (
	"context"
	"fmt"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What an agent has written and git has put away at once (git stash, or a commit that HEAD has left) is in
// no file any more when they are looked at. When git brings it back, after the turn, that is the user's
// doing, and nobody would know that the rows are an agent's. So at the points of a turn what was put
// away in it is taken for what the files have had meanwhile: it is listed as taken away by git,
// and undecided again when that brings it back (rule 8).

// maxAway bounds the files that are read of one stash, or commit. A variable for tests only.
var maxAway = 500

// putAway is what git had put away of a work tree when that was last looked at; guarded by repo.mu.
type putAway struct {
	stamp string // empty: it was never looked at
	known map[string]bool
	last  []checkpoint.Away // what was new when it was last looked at
}

// putAwaySince returns what was put away since this was last asked for, nothing the first time, and again what was new
// then: git notes it first, and only then takes it out of the files. r.mu is held.
func (r *repo) putAwaySince() (news []checkpoint.Away, err error) {
	stamp := r.git.AwayStamp()
	if news = r.away.last; stamp == r.away.stamp {
		r.away.last = nil
		return news, nil
	}
	all, err := r.git.PutAway()
	if err != nil {
		return nil, err
	}
	known, seen := map[string]bool{}, len(news)
	for _, a := range all {
		if known[a.ID] = true; r.away.stamp != "" && !r.away.known[a.ID] {
			news = append(news, a)
		}
	}
	for id := range r.away.known {
		known[id] = true // a stash that was dropped, and is stored again, is not new
	}
	r.away = putAway{stamp, known, news[seen:]}
	return news, nil
}

// workTrees are those of the session's folders, and the ones in them that are known.
func (s *session) workTrees(ctx context.Context) (all []*repo) {
	c := s.core
	for _, root := range s.roots() {
		if _, err := c.repoOf(ctx, buffers.Path(root)+"/."); err != nil && ctx.Err() == nil {
			c.log.Warn("look for the repository of a folder", "folder", root, "err", err)
		}
	}
	c.repos.mu.Lock()
	defer c.repos.mu.Unlock()
	seen := map[*repo]bool{}
	for _, r := range c.repos.in {
		if r.git != nil && !seen[r] && s.worksIn(r.git.Top()) {
			seen[r] = true
			all = append(all, r)
		}
	}
	return all
}

// noPutAways has what git has put away so far not be of the turn that begins.
func (s *session) noPutAways(ctx context.Context) {
	s.putAwayNews(ctx)
	for _, r := range s.workTrees(ctx) {
		r.mu.Lock()
		r.away.last = nil
		r.mu.Unlock()
	}
}

// putAwayNews is what git has put away in the turn, by work tree, since that was last asked for. What
// the files have is to be looked at after it, and before it is taken in.
func (s *session) putAwayNews(ctx context.Context) map[*repo][]checkpoint.Away {
	if s.loose != "" {
		return nil
	}
	all := map[*repo][]checkpoint.Away{}
	for _, r := range s.workTrees(ctx) {
		r.mu.Lock()
		news, err := r.putAwaySince()
		r.mu.Unlock()
		if err != nil {
			s.core.log.Warn("read what git has put away", "top", r.git.Top(), "err", err)
		}
		if len(news) > 0 {
			all[r] = news
		}
	}
	return all
}

// takePutAways takes in what git has put away; the files are up to date.
func (s *session) takePutAways(ctx context.Context, all map[*repo][]checkpoint.Away) {
	s.mu.Lock()
	point, turn := s.point, ""
	if s.running != nil {
		turn = s.running.id
	}
	s.mu.Unlock()
	if point == nil {
		return
	}
	for r, news := range all {
		for _, a := range news {
			files, more, err := r.git.Files(ctx, a, maxAway, s.reviews)
			if err != nil && ctx.Err() == nil {
				s.core.log.Warn("read what git has put away", "top", r.git.Top(), "err", err)
			}
			if more {
				s.notice(turn, EntryNotice, fmt.Sprintf("git has put away more than %d files in this turn (%.10s): of what it brings back of the others nobody can tell whether it is the agent's. Look at it with git diff then", maxAway, a.ID))
			}
			for _, m := range files {
				f := s.core.file(m.Path)
				if err := f.takePutAway(ctx, m, point); err != nil && ctx.Err() == nil {
					s.core.log.Warn("take in what git has put away", "path", m.Path, "err", err)
				}
				f.keep(false)
			}
			s.core.durable.write(true)
		}
	}
}

// takePutAway takes in that the file was m.Was before git has put m.Now in its place.
func (f *file) takePutAway(ctx context.Context, m checkpoint.Moved, point *points) error {
	if m.Was.Opaque != "" || m.Now.Opaque != "" {
		return nil // what comes back of it has no rows
	}
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	is, err := point.Before(ctx, f.path)
	if err != nil {
		return err
	}
	f.mu.Lock()
	open, known := len(f.open) > 0, f.before
	whole := f.opaque != "" || is.Opaque != "" || f.encoded != nil || f.entire.from != "" || f.entire.recoded || f.flight != nil || f.doc != nil && f.onlyProposed()
	switch {
	case whole:
	case f.doc != nil:
		is.Exists, is.Content = !f.deleted && !f.missing, f.doc.Text().String()
	case known != nil:
		is.Exists, is.Content = !f.missing, known.String()
	}
	was := hadThen(m, is)
	if whole || !f.unseenIn(was, is) {
		f.mu.Unlock()
		return nil
	}
	if open {
		defer f.mu.Unlock()
		if f.doc == nil || !was.Exists || !is.Exists {
			return nil
		}
		now, then := f.doc.Text(), text.New(was.Content)
		o := f.core.attributeText(f.path, nil, &was.Content)
		o.Change = f.core.changeID()
		if o.Author == review.AuthorUser {
			return nil
		}
		f.doc.AgentEdit(then, o)
		f.record(&o, now, then, false)
		f.doc.TakeAway(now, o)
		f.record(&o, then, now, false)
		f.shownRev = notShown
		f.stir()
		f.publish()
		return nil
	}
	f.mu.Unlock()
	never := func() bool { return false }
	err = f.takeInBy(ctx, checkpoint.Change{Path: f.path, Before: is, After: was}, point, false, checkpoint.State{}, gitsHand{}, false, never)
	if err != nil {
		return err
	}
	err = f.takeInBy(ctx, checkpoint.Change{Path: f.path, Before: was, After: is}, point, false, checkpoint.State{}, gitsHand{took: true}, false, never)
	f.mu.Lock()
	defer f.mu.Unlock()
	if known != nil && f.before != nil && f.before.Equal(known.Text) {
		f.before = known // whose that is has not changed
	}
	return err
}

// hadThen is what a file that is something now was when git put it away, with what has come to it since, but
// where that is in the same place.
func hadThen(m checkpoint.Moved, is checkpoint.State) checkpoint.State {
	was := m.Was
	if !was.Exists || !is.Exists {
		return was
	}
	style := func(s string) string { return buffers.KeepStyle(is.Content, s) }
	merged := merge.Texts(style(m.Now.Content), is.Content, style(was.Content))
	if was.Content = merged.Text; len(merged.Conflicts) > 0 {
		was.Content = style(m.Was.Content)
	}
	was.Exec = is.Exec // of modes nothing is known that git would not say itself
	return was
}

// unseenIn reports whether the file had something that is neither in it nor among what git is known to
// have taken away; mu is held.
func (f *file) unseenIn(was, is checkpoint.State) bool {
	switch {
	case was.Exists && !is.Exists && f.lastNamed != nil && f.lastNamed.Equal(text.New(was.Content)):
		return false // what was undecided of it is that of the name it had before
	case was.Exists != is.Exists:
		return is.Exists && !f.entire.goneBack || was.Exists && !f.entire.madeAway
	case was.Content == is.Content:
		return false
	case f.doc == nil:
		return true
	}
	then := text.New(was.Content)
	seen := f.doc.Clone()
	seen.BringBack(then)
	return !seen.Text().Equal(then)
}
