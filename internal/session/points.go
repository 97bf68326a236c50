package session

import (
	"fmt"
	"path/filepath"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// What agents write behind the editor's back is found by comparing the disk with
// the before-copies of the open documents in the session's folder: at the start
// of a turn, which is where the copies come from, and at the points of it where
// something can have been written, when a tool call has ended and when the turn
// has. Neither the words of the agent nor the watching of folders is relied on.

// touched notes what a tool call names, and looks at the files when it has
// ended; mu is held.
func (s *session) touched(p ToolPatch) {
	if p.Locations != nil {
		for _, l := range *p.Locations {
			if filepath.IsAbs(l.Path) && s.reviews(buffers.Path(l.Path)) {
				s.core.spawn(func() { s.core.watchFolder(l.Path) })
			}
		}
	}
	it := s.log.tools[p.ID]
	if it == nil || p.Status == nil || !toolEnded(*p.Status) {
		return
	}
	it.ended = s.core.now()
	if s.running == nil {
		return
	}
	t := s.running
	s.core.spawn(func() { s.core.turnPoint(s, t) })
}

// beginPoint tells that the disk may still have what a turn has done and is not known.
// With the last point it ends to.
func (s *session) beginPoint(t *turn, last bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != t || t.looked {
		return false
	}
	t.looked = last
	return true
}

// turnStart takes the before-copies. What has changed on disk since the last
// turn is not the agent's, and documents it has left behind follow it meanwhile.
func (c *Core) turnStart(s *session, t *turn) {
	_ = c.durable.wait(c.ctx) // what was changed before is no agent's of now
	c.durable.neighbours(c.ctx)
	c.lookAtGit(c.ctx)
	if !c.settings().Review.OutOfBand {
		return
	}
	s.findRoots()
	s.mu.Lock()
	c.made.begins(s.id, t.id, s.began[t.id], s.roots())
	s.mu.Unlock()
	c.othersPoint(s)
	s.noPutAways(c.ctx)
	files, first := append(c.filesOf(s), c.documentsOutside(s)...), map[*file]*buffers.Disk{}
	news := false
	for _, f := range files {
		c.watchFolder(string(f.path))
		var differs bool
		first[f], differs = f.peek()
		news = news || differs
	}
	if news && pause(c.ctx, quietFor) != nil { // one may be in the middle of being written
		return
	}
	for _, f := range files {
		if c.running(f.path) { // another turn's agent may be writing it: its changes are no user's
			if err := f.catchUp(c.ctx); err != nil && !behindBy(err) && c.ctx.Err() == nil {
				c.log.Warn("look at file before a turn", "path", f.path, "err", err)
			}
			continue
		}
		c.endRenameBy(c.ctx, f, byUser)
		s.bringUnsaved(t, f)
		if err := f.takeBefore(c.ctx, first[f]); err != nil && c.ctx.Err() == nil {
			c.log.Warn("look at file before a turn", "path", f.path, "err", err)
		}
	}
	c.followEncoded(c.ctx, files)
	s.takeCheckpoint(c.ctx, t)
	c.spawn(func() { c.turnPoint(s, t) })
}

// bringUnsaved brings what has changed on disk under unsaved text into that, and says so: the
// before-copy would have it, and neither what the agent changes from then on nor an editor that adopts
// the disk's state with it would tell that the text has not.
func (s *session) bringUnsaved(t *turn, f *file) {
	unsaved := func() (text.Text, bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		_, d, open := f.live()
		if !open || d.State() != buffers.Dirty || f.before == nil {
			return text.Text{}, false
		}
		return f.before.Text, true
	}
	by := f.unbrought.Load()
	was, ok := unsaved()
	if !ok {
		return
	}
	if err := f.catchUpAs(s.core.ctx, usersOwn); err != nil {
		if s.core.ctx.Err() == nil {
			s.core.log.Warn("bring unsaved text up to date before a turn", "path", f.path, "err", err)
		}
		return
	}
	if is, ok := unsaved(); ok && buffers.NormHashText(is) != buffers.NormHashText(was) {
		f.keep(true) // before an agent can write: of what differs from the record nobody could tell whose it is
		who := "another program"
		if by.is(is) { // what a turn before had left
			who = programOf(by.by)
		}
		s.notice(t.id, EntryNotice, fmt.Sprintf("%s has been changed by %s, which is merged into your unsaved text", s.relative(string(f.path)), who))
	}
}

// othersPoint has what other turns in the session's folder have done so far taken
// in: the before-copies of this one would make it the user's.
func (c *Core) othersPoint(s *session) {
	for _, o := range c.allSessions() {
		o.mu.Lock()
		t := o.running
		o.mu.Unlock()
		if o != s && o.atWork() && (s.loose != "" || o.loose != "" || slices.ContainsFunc(o.roots(), s.worksIn)) {
			c.turnPoint(o, t)
		}
	}
}

// turnPoint takes what the disk has and the open documents in a session's
// folder have not into the documents.
func (c *Core) turnPoint(s *session, t *turn) { c.pointOf(s, t, false) }

// lastPoint is turnPoint for a turn that the agent has ended. Those that wait for it
// come too late: the user may have gone on by then.
func (c *Core) lastPoint(s *session, t *turn) { c.pointOf(s, t, true) }

func (c *Core) pointOf(s *session, t *turn, last bool) {
	defer c.lookAtGit(c.ctx)
	if !c.settings().Review.OutOfBand {
		return
	}
	select {
	case s.looking <- struct{}{}:
		defer func() { <-s.looking }()
	case <-c.ctx.Done():
		return
	}
	c.elsewhere.look()
	if !s.beginPoint(t, last) { // what the disk has now is not the turn's any more
		return
	}
	away := s.putAwayNews(c.ctx)
	s.takeNamed(c.ctx)
	s.endRenames(c.ctx)
	files, opened := c.filesOf(s), map[*file]int{}
	for _, f := range files {
		opened[f] = f.timesOpened()
	}
	c.bringAll(files, last)
	s.compareDisk(c.ctx)
	s.compareNamed(c.ctx)
	// What was opened meanwhile was none of the documents yet, and none of the files that nobody has open any more.
	c.bringAll(slices.DeleteFunc(c.filesOf(s), func(f *file) bool { return f.timesOpened() == opened[f] }), last)
	s.takePutAways(c.ctx, away)
}

// bringAll brings documents up to date with the disk. With the last point of a turn, what cannot be
// brought into them now is tried on.
func (c *Core) bringAll(files []*file, last bool) {
	for _, f := range files {
		err := f.catchUp(c.ctx)
		if last && behindBy(err) {
			f.goOn()
		} else if err != nil && c.ctx.Err() == nil {
			c.log.Warn("bring document up to date", "path", f.path, "err", err)
		}
	}
}

func (c *Core) filesOf(s *session) []*file {
	return slices.DeleteFunc(c.allFiles(), func(f *file) bool { return !s.concerns(f.path) })
}
