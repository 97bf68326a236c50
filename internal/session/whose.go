package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Whose a change is, and why: what an agent writes through us is its own for sure,
// what is found on disk is concluded. A tool call that names the file makes it
// sure, if it said what is there now, or nobody has written the file after its end. Of
// those that name no file, as shell commands do, the one that ran last is the likely one.

// origin says whose a write of a file is: the session's turn and, of its tool
// calls, the last one that names the file or, failing that, that edits.
func (s *session) origin(p buffers.Path) review.Origin {
	o, calls := s.callsOfTurn()
	i := slices.IndexFunc(calls, func(c turnCall) bool { return mentions(c.ToolCall, p) })
	if i < 0 {
		i = slices.IndexFunc(calls, func(c turnCall) bool { return c.Kind == "edit" && !toolEnded(c.Status) })
	}
	if i >= 0 {
		o.ToolCall, o.Title = calls[i].ID, calls[i].Title
	}
	return o
}

// onDisk is origin for a change that was found on disk, where had stood, and now does;
// nil: it is not known what.
func (s *session) onDisk(p buffers.Path, had, now *string) review.Origin {
	o, _ := s.onDiskHow(p, had, now)
	return o
}

// onDiskHow is onDisk, and tells how well a tool call explains the change, as explains does.
func (s *session) onDiskHow(p buffers.Path, had, now *string) (review.Origin, int) {
	o, calls := s.callsOfTurn()
	written := lastWritten(p)
	best, first := 0, -1
	for i, c := range calls {
		if mentions(c.ToolCall, p) && c.Status != "failed" {
			if how := c.explains(p, s.cwd, had, now, written); how > best {
				best, first = how, i
			}
		}
	}
	o.Sure = best > 0
	i := first
	if i < 0 {
		i = slices.IndexFunc(calls, turnCall.runs)
	}
	if i < 0 {
		i = slices.IndexFunc(calls, func(c turnCall) bool { return !c.asked && !c.refused })
	}
	if i >= 0 {
		o.ToolCall, o.Title = calls[i].ID, calls[i].Title
	}
	return o, best
}

// explains tells how well a tool call that names a file explains what has become of it:
// 2 if it said so, 1 if it may have done that, 0 if it did not: it has ended, and the file
// had what it said before, or was written after its end; or the user is being asked whether it
// may, or has said no and the file has not what it said. Somebody else has done that.
func (c turnCall) explains(p buffers.Path, cwd string, had, now *string, written time.Time) int {
	ended, done := toolEnded(c.Status), had != nil && c.cameTrue(p, cwd, *had)
	switch {
	case c.asked:
		return 0
	case !done && now != nil && c.cameTrue(p, cwd, *now):
		return 2
	case c.refused:
		return 0
	case !ended, !done && !written.After(c.ended.Add(lateWrite)):
		return 1
	}
	return 0
}

// lateWrite is how much later than the end of a tool call the time of a file may be that
// it has written: file systems have clocks of their own.
const lateWrite = time.Second

// lastWritten is when a file was written or, if it is gone, something in its folder made
// or taken away.
func lastWritten(p buffers.Path) time.Time {
	info, err := os.Lstat(string(p))
	if err != nil {
		if info, err = os.Lstat(filepath.Dir(string(p))); err != nil {
			return time.Time{}
		}
	}
	return buffers.ChangedAt(info)
}

// callsOfTurn are the tool calls of the turn that runs and that may write files,
// the latest first, with what else is known of who makes them.
func (s *session) callsOfTurn() (review.Origin, []turnCall) {
	o := review.Origin{Session: s.id, Agent: s.agentName, Author: review.AuthorAgent, Sure: true, Title: "edit"}
	var calls []turnCall
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		o.Turn = s.running.id
	}
	for _, it := range slices.Backward(s.log.items) {
		if it.Tool != nil && it.Turn == o.Turn && !slices.Contains(harmless, it.Tool.Kind) {
			calls = append(calls, turnCall{*it.entry().Tool, it.raw, it.ended, it.asked > 0, it.refused})
		}
	}
	return o, calls
}

// turnCall is a tool call with its input.
type turnCall struct {
	ToolCall
	raw   []byte
	ended time.Time // by the clock of acp-ls; zero if it has not

	asked, refused bool // it waits for an answer of the user's; or was not to be made
}

// runs reports whether the call is underway: neither is one that the user is asked about, or has
// refused, of which some agents (Codex) never say that it has ended.
func (c turnCall) runs() bool { return !toolEnded(c.Status) && !c.asked && !c.refused }

// cameTrue tells that a text has what the tool call said it would put into the
// file, and nothing of what it said it would replace.
func (c turnCall) cameTrue(p buffers.Path, cwd, now string) bool {
	if c.Status == "failed" {
		return false
	}
	paths, ways, moves := claimsOf(c.ToolCall, c.raw, cwd)
	for _, path := range paths {
		if !sameFile(path, p) && (moves[path] == "" || !sameFile(moves[path], p)) {
			continue
		}
		for _, claims := range ways[path] {
			if !slices.ContainsFunc(claims, func(c claim) bool { return !c.cameTrue(now) }) {
				return true
			}
		}
	}
	return false
}

func (c claim) cameTrue(now string) bool {
	replaced := func(old, new string) bool {
		old, new, now := lf(old), lf(new), lf(now)
		return strings.Contains(now, new) && (strings.Contains(new, old) || !strings.Contains(now, old))
	}
	switch {
	case c.rows != nil:
		return !slices.ContainsFunc(c.rows, func(h patchHunk) bool {
			return !replaced(strings.Join(h.old, "\n"), strings.Join(h.new, "\n"))
		})
	case c.old == nil:
		return sameBesidesEnds(now, c.new)
	}
	return replaced(*c.old, c.new)
}

// mentions tells that a tool call names a file.
func mentions(c ToolCall, p buffers.Path) bool {
	return slices.ContainsFunc(c.Locations, func(l Location) bool { return sameFile(l.Path, p) }) ||
		slices.ContainsFunc(c.Content, func(t ToolContent) bool { return t.Type == "diff" && sameFile(t.Path, p) })
}

// atWork tells whether a turn runs and its agent has the prompt.
func (s *session) atWork() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil && s.running.sent
}

// attribute says whose a change on disk is: that of the agent whose tool call names
// the file, else of the only one that is at work there, which is not sure. If
// several are nobody can know, and if none is, it is the user's, who has run git or
// another program.
func (c *Core) attribute(p buffers.Path) review.Origin { return c.attributeText(p, nil, nil) }

// programOf names in a sentence who has written a file, as far as is known.
func programOf(o review.Origin) string {
	switch {
	case o.Author == review.AuthorAgent && o.Agent != "":
		return o.Agent
	case o.Author == review.AuthorDisk || o.Author == review.AuthorUnknown:
		return "an agent or another program"
	}
	return "another program"
}

// attributeText is attribute where it is known what had stood there, or stands there now.
func (c *Core) attributeText(p buffers.Path, had, now *string) review.Origin {
	if now != nil && c.saysSaved.is(p, text.New(*now)) {
		return users
	}
	var candidates, sure []review.Origin
	said := 0 // of those that are sure, how well that is known
	for _, s := range c.allSessions() {
		if !s.atWork() || !s.concerns(p) {
			continue
		}
		o, how := s.onDiskHow(p, had, now)
		if !o.Sure && !s.reviews(p) {
			continue // it has named the file, and no more
		}
		candidates = append(candidates, o)
		if o.Sure {
			sure = append(sure, o)
			said = how
		}
	}
	switch {
	case len(candidates) == 0:
		return review.Origin{Author: review.AuthorUser, Sure: true}
	case len(candidates) == 1:
		return c.elsewhere.judge(p, now, candidates[0], said == 2)
	case len(sure) == 1:
		return c.elsewhere.judge(p, now, sure[0], said == 2)
	}
	var names []string
	for _, o := range candidates {
		names = append(names, o.Agent+" ("+o.Session+")")
	}
	o := review.Origin{Author: review.AuthorDisk, Title: "changed on disk while " + strings.Join(names, " and ") + " worked"}
	return c.elsewhere.judge(p, now, o, false)
}

// contentOf is the text of a state, if it has one.
func contentOf(st checkpoint.State) *string {
	if st.Opaque != "" || !st.Exists {
		return nil
	}
	return &st.Content
}
