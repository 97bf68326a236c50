package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/internal/review"
)

// A rename that an agent asks for is shown with the file as it is named now, beside what
// else the agent asks to change in it, and is marked to be made or not like a hunk.

// moving is a rename that is proposed; the file's mu guards it.
type moving struct {
	id     string
	to     buffers.Path
	gate   *gate
	marked review.Take // TakeTheirs: it is to be made; TakeMine: it is not; or nothing yet
}

// approvedMove is a rename to this file that was applied before it was made.
type approvedMove struct {
	session string
	from    buffers.Path
}

// shownChange is the change of the file as a whole that is shown: the one there is or
// else the one that is asked for; mu is held.
func (f *file) shownChange() *FileChange {
	c := f.fileChange()
	switch {
	case c == nil && f.moving == nil && f.wentTo != "" && len(f.open) > 0:
		return &FileChange{ID: "file:" + string(f.wentTo), Op: "rename", To: string(f.wentTo)}
	case c != nil || f.moving == nil:
		return c
	}
	return &FileChange{ID: f.moving.id, Op: "rename", To: string(f.moving.to), State: string(review.StateProposed)}
}

// changeBy is the session whose that change is; mu is held.
func (f *file) changeBy() string {
	if f.fileChange() == nil && f.moving != nil {
		return f.moving.gate.sess.id
	}
	return f.entire.by.Session
}

// showMove proposes to rename a file.
func (g *gate) showMove(from, to string) error {
	src, err := buffers.Resolve(from)
	if err != nil {
		return err
	}
	dst, err := buffers.Resolve(to)
	if err != nil {
		return err
	}
	s := g.sess
	f := s.core.file(src)
	g.notes = append(g.notes, fmt.Sprintf("%s is to become %s", s.relative(from), s.relative(to)))
	switch {
	case !inRoots(s.roots(), string(src)) || !inRoots(s.roots(), string(dst)):
		return errOutside
	case !isThere(src):
		return errNoFile
	case isThere(dst):
		return fmt.Errorf("there is a file %s", s.relative(to))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.moving != nil || f.fileChange() != nil {
		return errors.New("another change of the whole file waits for you")
	}
	f.moving = &moving{id: "move:" + string(g.core().changeID()) + ":" + string(src), to: dst, gate: g}
	g.moves = append(g.moves, f)
	f.shownRev = notShown
	f.publish()
	return nil
}

func (g *gate) core() *Core { return g.sess.core }

// leaveMoves withdraws the renames that are proposed.
func (g *gate) leaveMoves() {
	for _, f := range g.moves {
		f.mu.Lock()
		if f.moving != nil && f.moving.gate == g {
			f.moving = nil
			f.shownRev = notShown
			f.publish()
			f.dropIfIdle()
		}
		f.mu.Unlock()
	}
}

// moveOf is the rename of f that the gate proposes, if it does still.
func (g *gate) moveOf(f *file) (m moving, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.moving == nil || f.moving.gate != g {
		return m, false
	}
	return *f.moving, true
}

// tallyMoves adds the renames to a tally.
func (g *gate) tallyMoves(t *tally) {
	for _, f := range g.moves {
		m, ok := g.moveOf(f)
		switch {
		case !ok:
			t.lost++
		case m.marked == review.TakeTheirs:
			t.applied++
		case m.marked == review.TakeMine:
			t.discarded++
		default:
			t.unmarked++
		}
	}
}

// markMove says what is to become of a rename that is proposed, if id, or the file
// without one, means it.
func (f *file) markMove(ids []string, take review.Take, out *Decision) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.moving == nil || len(ids) > 0 && !slices.Contains(ids, f.moving.id) {
		return false
	}
	f.moving.marked = take
	out.Decided = append(out.Decided, f.moving.id)
	g := f.moving.gate
	f.core.spawn(g.check)
	return true
}

// approveMoves notes the renames that the agent is let make, and what may be changed
// with them: that arrives under the new name.
func (g *gate) approveMoves() {
	for _, f := range g.moves {
		m, ok := g.moveOf(f)
		if !ok {
			continue
		}
		to := g.core().file(m.to)
		unlock := lockBoth(f, to)
		to.approved = append(to.approved, f.approved...)
		if g.before || m.marked == review.TakeTheirs {
			to.approvedMove = &approvedMove{g.sess.id, f.path}
		}
		unlock()
	}
}

// acceptApprovedMove accepts that the file was renamed, if that was applied; mu is held,
// and the rename was taken in.
func (f *file) acceptApprovedMove(session string) {
	a := f.approvedMove
	if a == nil || a.session != session || f.entire.from != a.from {
		return
	}
	f.approvedMove = nil
	f.recordWhole(0)
	f.core.spawn(f.keepAccepted)
	f.entire.from, f.opaque = "", ""
}

// landMoves makes the renames that were applied, and has the agent told of all.
func (g *gate) landMoves() {
	s := g.sess
	for _, f := range g.moves {
		m, _ := g.moveOf(f)
		done, err := g.landMove(s.core.ctx, f)
		word := fmt.Sprintf("The user does not want %s to be renamed to %s.", f.path, m.to)
		switch {
		case done:
			word = fmt.Sprintf("You were not allowed all that you asked for, but %s was renamed to %s.", f.path, m.to)
		case err != nil && s.core.ctx.Err() == nil:
			word = fmt.Sprintf("%s could not be renamed to %s.", f.path, m.to)
			s.notice(g.origin.Turn, EntryError, fmt.Sprintf("%s could not be renamed: %v", s.relative(string(f.path)), err))
		}
		s.mu.Lock()
		s.words = append(s.words, word)
		s.mu.Unlock()
	}
}

// landMove renames a file for an agent that was not let do all that it had asked for.
func (g *gate) landMove(ctx context.Context, f *file) (done bool, err error) {
	m, ok := g.moveOf(f)
	if !ok || m.marked == review.TakeMine || m.marked == "" && !g.allows() {
		return false, nil
	}
	if _, unsaved := g.core().openState(f.path); unsaved {
		return false, errors.New("it has unsaved changes")
	}
	g.sess.mu.Lock()
	point := g.sess.point
	g.sess.mu.Unlock()
	var before checkpoint.State
	if point != nil {
		before = point.Look(f.path)
	}
	to := g.core().file(m.to)
	release, err := holdBoth(ctx, f, to) // or who looks at the old name finds that the user has removed it
	if err != nil {
		return false, err
	}
	defer release()
	g.core().elsewhere.moves(f.path, m.to)
	if err := buffers.MoveFile(f.path, m.to); err != nil || point == nil {
		return err == nil, err
	}
	to.mu.Lock()
	to.approvedMove = &approvedMove{g.sess.id, f.path}
	to.mu.Unlock()
	_, err = g.core().takeMoveHeld(ctx, move{
		from: checkpoint.Change{Path: f.path, Before: before},
		to:   checkpoint.Change{Path: m.to, After: before},
	}, g.core().attribute(m.to))
	return err == nil, err
}
