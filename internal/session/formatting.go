package session

import (
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What a formatter makes of a file when it is saved is nobody's change to review
// (rule 9). While the editor saves, that is what changes in the document. But some
// formatters write the file, and have the editor load it: then the disk holds
// something else than what was saved, as it does when an agent's command has written
// it just then, and nothing tells the two apart. So such a reload is the formatter's
// only if no agent can have written since the save: no tool call that may write has
// been running beside the one for which the file was saved. What is not certain is
// shown for review.

// formatterWindow is how long after a save a reload may still be the formatter's.
const formatterWindow = time.Second

// formatting tells that a reload of now is a formatter's; mu is held.
func (f *file) formatting() bool {
	since := f.savedAt
	if f.saving {
		since = f.savingSince
	} else if f.core.now().Sub(since) >= formatterWindow {
		return false
	}
	return !f.core.toolRan(f.path, since, f.savedBy)
}

// takeFormatted takes in what a formatter has made of the text. One that takes away
// all of a hunk, or brings one back, is none: git has, or another program of the
// user's; mu is held.
func (f *file) takeFormatted(t text.Text) {
	next := f.doc.Clone()
	if lost, back := next.Follow(t, review.AuthorUser); len(lost)+len(back) > 0 {
		f.doc = next
		f.core.spawn(func() { f.core.lookAtGit(f.core.ctx) })
		return
	}
	f.doc.Reload(t, review.Origin{Change: f.core.changeID(), Author: review.AuthorFormatter})
}

// harmless are the kinds of tool calls that write no files (ACP tool-calls).
var harmless = []string{"read", "search", "think", "fetch", "switch_mode"}

// toolRan tells whether a tool call, but for one, may have written a file since a
// time.
func (c *Core) toolRan(p buffers.Path, since time.Time, except string) bool {
	return slices.ContainsFunc(c.allSessions(), func(s *session) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.running != nil && s.reviews(p) && slices.ContainsFunc(s.log.items, func(it *item) bool {
			return it.Tool != nil && it.Turn == s.running.id && it.Tool.ID != except && !slices.Contains(harmless, it.Tool.Kind) &&
				(!toolEnded(it.Tool.Status) || it.ended.After(since))
		})
	})
}

// turnsAt is another string when other turns run whose agents may write a file, or one has
// run meanwhile.
func (c *Core) turnsAt(p buffers.Path) string {
	all := c.allSessions()
	inside := slices.ContainsFunc(all, func(s *session) bool { return s.reviews(p) })
	var turns []string
	for _, s := range all {
		if !s.concerns(p) && inside {
			continue // else it may have named the file in a turn that is over
		}
		s.mu.Lock()
		turns = append(turns, s.lastSent)
		if t := s.running; t != nil && t.sent && !t.over {
			turns = append(turns, "running")
		}
		s.mu.Unlock()
	}
	return strings.Join(turns, " ")
}

// running tells whether a turn runs whose agent may have written a file.
func (c *Core) running(p buffers.Path) bool {
	return slices.ContainsFunc(c.allSessions(), func(s *session) bool { return s.atWork() && s.concerns(p) })
}
