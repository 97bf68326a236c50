package session

import (
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
)

// An approval is a hunk that the user has applied before it was there: when it
// comes, as it was shown, it needs no second decision.
type approval struct {
	session    string
	base, text string
}

type approvals []approval

// cover reports whether all of some hunks of a session have been applied.
func (a approvals) cover(session string, hunks []review.Hunk) bool {
	left := slices.Clone(a)
	for _, h := range hunks {
		i := slices.Index(left, approval{session, h.BaseText, h.Text})
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// approve notes what has been applied of a change that the agent is let make.
func (g *gate) approve() {
	if g.write {
		return
	}
	for _, p := range g.parts {
		p.f.mu.Lock()
		if p.f.doc != nil {
			for _, h := range p.f.doc.Proposals(p.change) {
				if h.State == review.StateProposed && (g.before || h.Marked == review.TakeTheirs) {
					p.f.approved = append(p.f.approved, approval{g.sess.id, h.BaseText, h.Text})
				}
			}
		}
		p.f.mu.Unlock()
	}
	g.approveMoves()
}

// forgetApproved ends what a session's turn was let do.
func (c *Core) forgetApproved(session string) {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		f.approved = slices.DeleteFunc(f.approved, func(a approval) bool { return a.session == session })
		if f.approvedMove != nil && f.approvedMove.session == session {
			f.approvedMove = nil
		}
		f.mu.Unlock()
	}
}

// acceptApproved accepts pending hunks that are just as they were applied; mu is
// held.
func (f *file) acceptApproved() {
	var ids []string
	for _, h := range f.doc.Hunks(review.StatePending) {
		i := slices.IndexFunc(f.approved, func(a approval) bool {
			return a.base == h.BaseText && a.text == h.Text && !h.Mixed &&
				!slices.ContainsFunc(h.Origins, func(o review.Origin) bool { return o.Session != a.session })
		})
		if i >= 0 {
			ids = append(ids, h.ID)
			f.approved = slices.Delete(f.approved, i, i+1)
		}
	}
	if len(ids) > 0 {
		f.doc.Accept(ids)
		f.core.spawn(f.keepAccepted)
		f.acceptFile()
	}
}

// tookAsApproved reports whether a change was accepted as it came, before which the baseline was
// another one: nothing of it is pending, and it has not merely taken back what was.
func (f *file) tookAsApproved(change review.ChangeID, baseline text.Text) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.doc != nil && !f.doc.Baseline().Equal(baseline) && !slices.ContainsFunc(f.doc.Hunks(review.StatePending), func(h review.Hunk) bool {
		return slices.ContainsFunc(h.Origins, func(o review.Origin) bool { return o.Change == change })
	})
}

// acceptFile accepts what has become of the file as a whole, if nothing in it is
// pending; mu is held.
func (f *file) acceptFile() {
	if (f.created || f.deleted) && len(visible(f.doc.Hunks(review.StatePending))) == 0 {
		f.created, f.deleted = false, false
		f.shownRev = notShown
	}
}

// acceptedFile is acceptFile after an operation.
func (f *file) acceptedFile() {
	f.mu.Lock()
	if f.doc != nil {
		f.acceptFile()
		f.publish()
		f.dropIfIdle()
	}
	f.mu.Unlock()
	f.keepAccepted()
}

// consents notes what a tool call names if the answer to its question, by the
// user or by a rule of theirs, lets it go on.
func (s *session) consents(call ToolCall, raw []byte, optionID string, options []PermissionOption) {
	if !slices.ContainsFunc(options, func(o PermissionOption) bool {
		return o.OptionID == optionID && strings.HasPrefix(o.Kind, "allow")
	}) {
		return
	}
	paths, _, moves := claimsOf(call, raw, s.cwd)
	for _, to := range moves {
		paths = append(paths, to)
	}
	for _, l := range call.Locations {
		paths = append(paths, l.Path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.consented == nil {
		s.consented = map[buffers.Path]bool{}
	}
	for _, path := range paths {
		if p, err := buffers.Resolve(absolutePath(path, s.cwd)); err == nil {
			s.consented[p] = true
		}
	}
}

// unasked says once in a session that its agent writes what the user was not
// asked about, where the user has been promised to be.
func (c *Core) unasked(p buffers.Path, o review.Origin) {
	if c.settings().Review.Mode != config.ReviewBefore || o.Author != review.AuthorAgent {
		return
	}
	s, err := c.findSession(o.Session)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	const once = "unasked"
	if s.consented[p] || s.noted[once] {
		return
	}
	if s.noted == nil {
		s.noted = map[string]bool{}
	}
	s.noted[once] = true
	s.entryChanged(s.log.add(EntryNotice, o.Turn, fmt.Sprintf(
		"%s was changed on disk without waiting for your word. acp-ls can hold back only what an agent asks about, or writes through it (review.mode \"before\"); all else is shown for review when it is there.", s.relative(string(p)))))
}
