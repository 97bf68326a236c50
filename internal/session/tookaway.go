package session

import (
	"context"
	"os"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// While a turn runs nobody can tell whose git it is, and what it does to files is a change
// of the agent's like any other: it must not become part of the baseline. But what it takes
// away of the undecided changes is listed as rejected, and pending again when it brings that
// back (rule 8). That git has put a text there is to be seen in the index, which has the
// times of the files that git has written itself.

// gitsHand is what git has to do with what was found on disk.
type gitsHand struct {
	took bool // git has put it there, and so taken away what is not there any more
	back bool // git has done something since it took something away, and may have brought that back
}

// gitsHand finds out what git has to do with disk, which was found in the place of the text
// of was; nothing, where nothing is to be taken away or brought back.
func (f *file) gitsHand(ctx context.Context, disk buffers.Disk, was *review.Doc) gitsHand {
	if was == nil || !was.Tracking() {
		return gitsHand{}
	}
	lost := slices.ContainsFunc(was.Hunks(review.StateRejected), func(h review.Hunk) bool { return h.Lost })
	hand, err := f.askGit(ctx, was.Text().String(), disk)
	if err != nil && ctx.Err() == nil {
		f.core.log.Warn("ask git about a file", "path", f.path, "err", err)
	}
	hand.back = hand.back && lost
	return hand
}

// tracked is a copy of what is tracked of the file; nil if nothing is.
func (f *file) tracked() *review.Doc {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc == nil {
		return nil
	}
	return f.doc.Clone()
}

func (f *file) askGit(ctx context.Context, had string, disk buffers.Disk) (hand gitsHand, err error) {
	r, err := f.core.repoOf(ctx, f.path)
	if r == nil || err != nil {
		return hand, err
	}
	if err := r.awaitWritten(ctx); err != nil { // it writes the index when the files are written
		return hand, err
	}
	stamp := r.git.Stamp()
	f.mu.Lock()
	seen, known := f.ingit.seen, f.ingit.entry
	f.mu.Unlock()
	hand.back = seen != "" && seen != stamp
	switch {
	case f.core.said(f.path, had, disk): // an agent has written back what was there
	case disk.Exists:
		hand.took, err = r.git.Placed(ctx, f.path)
	default:
		hand.took, err = r.tookFile(ctx, f.path, had, known)
	}
	if late := err == nil && !hand.took && goneOn(f.path, disk) && !f.core.said(f.path, had, disk); late {
		// What git says is of what came after that.
		stamp = goneOnSince
		hand.took, err = f.mayBeGits(ctx, r, had, disk)
	}
	if hand.took || hand.back {
		f.mu.Lock()
		if f.ingit.hand = true; hand.took {
			f.ingit.seen = stamp
		}
		f.mu.Unlock()
	}
	return hand, err
}

// awaitWritten waits while git writes files, for as long as that may take.
func (r *repo) awaitWritten(ctx context.Context) error {
	for tries := 0; r.git.Busy() && tries < 20; tries++ {
		if err := pause(ctx, gitRest); err != nil {
			return err
		}
	}
	return nil
}

// thereAgain reports whether a file that was gone a moment ago is there again: git takes a file away
// before it writes it anew, and on a machine that is busy much can happen in between.
func (f *file) thereAgain(ctx context.Context) bool {
	if r, err := f.core.repoOf(ctx, f.path); r != nil && err == nil {
		_ = r.awaitWritten(ctx)
	}
	_, err := os.Lstat(string(f.path)) // a file may stand where its folder was
	return err == nil && !behindLink(f.path)
}

// goneOnSince is no stamp of git: since it took something away, it has gone on.
const goneOnSince = "gone on"

// goneOn reports whether a file is not the one any more that disk was read of.
func goneOn(p buffers.Path, disk buffers.Disk) bool {
	info, err := os.Lstat(string(p))
	if !disk.Exists {
		return err == nil
	}
	return disk.Info != nil && (err != nil || !os.SameFile(disk.Info, info) || info.Size() != disk.Info.Size() || !info.ModTime().Equal(disk.Info.ModTime()))
}

// mayBeGits reports whether what was found on disk in the place of had, and is not there any more,
// was git's, as far as that can be told afterwards: git has gone on since had was there and knows
// that content, or there is had again where there was no file.
func (f *file) mayBeGits(ctx context.Context, r *repo, had string, disk buffers.Disk) (bool, error) {
	var since time.Time
	f.mu.Lock()
	if f.before != nil && f.before.info != nil {
		since = f.before.info.ModTime()
	}
	f.mu.Unlock()
	if disk.Exists {
		return r.git.MayHavePut(ctx, f.path, disk.Content, since)
	}
	now, err := buffers.ReadDisk(f.path)
	return err == nil && now.Content == had && r.git.MovedSince(since), nil // what is no text is not had
}

// tookFile reports whether git has taken away a file: it knew it, or has kept it.
func (r *repo) tookFile(ctx context.Context, p buffers.Path, had string, known checkpoint.Entry) (bool, error) {
	entries, err := r.git.Entries(ctx, []buffers.Path{p})
	if err != nil || entries[p].Index.Exists() {
		return false, err
	}
	if known.Head.Exists() || known.Index.Exists() {
		return true, nil
	}
	return r.git.Kept(ctx, p, had)
}

// said reports whether a tool call of a turn that runs said that a file would become what it
// is on disk.
func (c *Core) said(p buffers.Path, had string, disk buffers.Disk) bool {
	if !disk.Exists {
		return false
	}
	for _, s := range c.allSessions() {
		if !s.atWork() || !s.concerns(p) {
			continue
		}
		_, calls := s.callsOfTurn()
		written := lastWritten(p)
		for _, call := range calls {
			if mentions(call.ToolCall, p) && call.Status != "failed" && call.explains(p, s.cwd, &had, &disk.Content, written) == 2 {
				return true
			}
		}
	}
	return false
}

// takeOver makes t, which somebody has put in the place of the text, that of doc.
func (g gitsHand) takeOver(doc *review.Doc, t text.Text, o review.Origin) {
	if o.Author == review.AuthorUser || o.Author == review.AuthorGit {
		doc.Follow(t, o.Author)
	} else {
		g.edit(doc, t, o)
	}
}

// edit makes t the text of doc, by an edit of o with which git may have had to do. It reports
// whether something is pending again by that.
func (g gitsHand) edit(doc *review.Doc, t text.Text, o review.Origin) bool {
	var back []review.Hunk
	switch {
	case g.took && o.Author != review.AuthorUser:
		_, back = doc.TakeAway(t, o)
	case g.back || o.Author == review.AuthorUser:
		back = doc.BringBack(t)
	}
	doc.AgentEdit(t, o)
	return len(back) > 0
}

// unmarked reports whether hunks may have come back since those that are in HEAD were marked;
// mu is held.
func (f *file) unmarked() bool {
	return f.ingit.hand && f.doc != nil && f.doc.Revision() != f.ingit.marked
}

// gitSeen is the stamp of git when it last took something away.
func (f *file) gitSeen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ingit.seen
}

// seenGit notes the stamp of git, where that was the user's or none was noted.
func (f *file) seenGit(stamp string, users bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if users || f.ingit.seen == "" {
		f.ingit.seen = stamp
	}
}
