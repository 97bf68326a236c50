package session

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// The checkpoint of a turn knows nothing of what git ignores and of what lies outside of
// the session's folder. What tool calls name there is copied when they do, and compared
// at the points of the turn: it is as it was when the turn began if nobody has changed it
// since. Of what was changed before it was named only what the call says is known.

// maxNames bounds the files that are copied in one turn because they were named. A variable for
// tests only.
var maxNames = 500

// clockTick is more than the time of a file may be behind that of the program.
const clockTick = 20 * time.Millisecond

// namedFile is what is known of a file that a tool call has named.
type namedFile struct {
	was     checkpoint.Copy
	known   bool // was is what it was when the turn began
	covered bool // the checkpoint knows more
	told    bool // the user, that it cannot be reviewed
}

// name takes in what a tool call names, which may write files; mu is held.
func (s *session) name(it *item, p ToolPatch) {
	if s.running == nil || it == nil || it.Tool == nil || slices.Contains(harmless, it.Tool.Kind) {
		return
	}
	var names []string
	if p.Locations != nil {
		for _, l := range *p.Locations {
			names = append(names, l.Path)
		}
	}
	if p.Content != nil {
		for _, t := range *p.Content {
			if t.Type == "diff" {
				names = append(names, t.Path)
			}
		}
	}
	if names = append(names, pathsOf(p.RawInput)...); len(names) > 0 {
		s.toName = append(s.toName, names...)
		s.core.spawn(func() { s.takeNamed(s.core.ctx) })
	}
}

// takeNamed copies the files that a turn has named for the first time. When it returns
// all have been that were named before.
func (s *session) takeNamed(ctx context.Context) {
	select {
	case s.naming <- struct{}{}:
		defer func() { <-s.naming }()
	case <-ctx.Done():
		return
	}
	s.mu.Lock()
	names, t := s.toName, s.running
	s.toName = nil
	s.mu.Unlock()
	if t == nil {
		return
	}
	for _, name := range names {
		p, err := buffers.Resolve(absolutePath(name, s.cwd))
		if err != nil || s.core.isOwn(p) {
			continue
		}
		s.mu.Lock()
		began, n := s.began[t.id], s.named[p]
		full := s.running != t || len(s.named) >= maxNames
		if n == nil && s.running == t && full {
			s.tellOnce(fmt.Sprintf("more than %d files were named in one turn: of those that came later, what git ignores or lies outside of the folder is not reviewed", maxNames))
		}
		s.mu.Unlock()
		if n != nil || full {
			continue
		}
		n = &namedFile{}
		before, err := os.Lstat(string(p))
		if err == nil && before.IsDir() {
			continue
		}
		n.was = checkpoint.CopyOf(p)
		after, err := os.Lstat(string(p))
		n.known = !n.was.Exists || err == nil && before != nil && os.SameFile(before, after) && before.ModTime().Equal(after.ModTime()) &&
			buffers.ChangedAt(after).Before(began.Add(-clockTick)) && after.ModTime().Before(began.Add(-clockTick))
		if n.known && n.was.Opaque == "" && !s.reviews(p) && !s.core.running(p) {
			s.core.file(p).takeOutside(n.was.State)
		}
		s.mu.Lock()
		if s.running == t && s.named[p] == nil {
			if s.named == nil {
				s.named = map[buffers.Path]*namedFile{}
			}
			s.named[p] = n
		}
		s.mu.Unlock()
	}
}

// takeOutside takes in what a file outside of the folders of all that run was when a turn
// began: what has changed in it since the last one is the user's.
func (f *file) takeOutside(was checkpoint.State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) > 0 || f.doc == nil && f.before == nil {
		return
	}
	f.keepBefore(text.New(was.Content))
	f.missing = !was.Exists
	f.takeUsers(buffers.Disk{Exists: was.Exists, Content: was.Content}, review.AuthorUser)
}

// hasNamed reports whether a tool call of the turn that runs has named a file.
func (s *session) hasNamed(p buffers.Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.named[p] != nil
}

// concerns reports whether a file is one whose changes may be the session's: one that it
// reviews whether it names it or not, or that was named in its turn.
func (s *session) concerns(p buffers.Path) bool {
	return s.reviews(p) || s.hasNamed(p)
}

// compareNamed tracks what has become of the files that were named, and that the
// checkpoint does not cover.
func (s *session) compareNamed(ctx context.Context) {
	s.takeNamed(ctx)
	s.mu.Lock()
	point := s.point
	var paths []buffers.Path
	for p, n := range s.named {
		if !n.covered {
			paths = append(paths, p)
		}
	}
	s.mu.Unlock()
	slices.Sort(paths)
	for _, p := range paths {
		s.mu.Lock()
		n := s.named[p]
		s.mu.Unlock()
		if n == nil || ctx.Err() != nil {
			return // the turn has ended
		}
		if point != nil && s.reviews(p) {
			covered, err := point.Covers(ctx, p)
			if n.covered = covered; err != nil || covered {
				continue
			}
		}
		if err := s.compareOne(ctx, p, n); err != nil && ctx.Err() == nil {
			s.core.log.Warn("track change on disk", "path", p, "err", err)
		}
	}
}

func (s *session) compareOne(ctx context.Context, p buffers.Path, n *namedFile) error {
	f := s.core.file(p)
	f.mu.Lock()
	open := len(f.open) > 0
	f.mu.Unlock()
	if open {
		return nil // that is catchUp's
	}
	now := checkpoint.CopyOf(p).State
	was, known := n.was, n.known
	if !known {
		if st, ok := s.said(p, now); ok {
			was, known = checkpoint.Copy{State: st}, true
			s.mu.Lock()
			n.was, n.known = was, true
			s.mu.Unlock()
		}
	}
	switch {
	case !known && !n.told && now.Opaque == "" && s.onDisk(p, nil, &now.Content).Sure:
		n.told = true
		why := "git ignores it"
		if s.loose != "" && inRoots(s.roots(), string(p)) {
			why = "this folder is not looked through"
		} else if !s.reviews(p) {
			why = "it is outside of the session's folder"
		}
		s.notice(s.turnID(), EntryNotice, fmt.Sprintf("%s has been written, and cannot be reviewed: %s, and what it was is not known", p, why))
		return nil
	case !known, was.Same(now) && !f.differsFromDisk():
		return nil
	}
	now, err := f.takeIn(ctx, checkpoint.Change{Path: p, Before: was.State, After: now}, was, readIn(now))
	s.noteSeen(p, now)
	f.keep(false)
	return err
}

// said is what a file was, if a tool call has said so, and that the whole of it would be
// what it is now.
func (s *session) said(p buffers.Path, now checkpoint.State) (checkpoint.State, bool) {
	if !now.Exists || now.Opaque != "" {
		return checkpoint.State{}, false
	}
	_, calls := s.callsOfTurn()
	for _, c := range calls {
		paths, ways, _ := claimsOf(c.ToolCall, c.raw, s.cwd)
		for _, path := range paths {
			if !sameFile(path, p) {
				continue
			}
			for _, claims := range ways[path] {
				if len(claims) != 1 || claims[0].old == nil || claims[0].rows != nil || !sameBesidesEnds(now.Content, claims[0].new) {
					continue
				}
				was := checkpoint.State{Exists: true, Content: *claims[0].old, Exec: now.Exec}
				switch {
				case was.Content == "":
					was = checkpoint.State{} // or it was empty
				case claims[0].new != now.Content:
					was.Content = buffers.KeepStyle(now.Content, was.Content)
				}
				return was, true
			}
		}
	}
	return checkpoint.State{}, false
}

// documentsOutside are the open documents that the session does not review, and
// in that of no turn that runs.
func (c *Core) documentsOutside(s *session) []*file {
	return slices.DeleteFunc(c.allFiles(), func(f *file) bool {
		f.mu.Lock()
		open := len(f.open) > 0
		f.mu.Unlock()
		return !open || s.reviews(f.path) || c.isOwn(f.path) || c.running(f.path)
	})
}

// copies knows what a file was; a Checkpoint does, and a Copy is that of one file.
type copies interface {
	Copy(ctx context.Context, p buffers.Path) (checkpoint.Copy, error)
}
