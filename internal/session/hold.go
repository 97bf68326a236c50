package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// hold keeps a write of an agent open until the user has decided on it, where
// changes are reviewed before they land (review.mode). What was applied before, with
// the question that led to the write, passes, as does what would change nothing.
// Without an error, a gate says that the write may be made, or that a part of it
// may (partly); it is to be closed then. Without a gate it is nobody's business.
func (s *session) hold(ctx context.Context, f *file, p *proposal, o review.Origin) (*gate, error) {
	if !s.core.settings().Review.Before() {
		return nil, nil
	}
	if p.mirrored { // it would be open while it is done
		s.core.unasked(f.path, o)
		return nil, nil
	}
	if s.isCancelled() {
		return nil, notWritten(f, "the turn was cancelled")
	}
	g := s.newGate(o)
	g.write = true
	var made proposal
	var shown []review.Hunk
	f.mu.Lock()
	approved := slices.Clone(f.approved)
	f.mu.Unlock()
	err := g.list(ctx, part{f, o.Change}, func(d *review.Doc) (text.Text, error) {
		made, shown = *p, nil
		now := d.Text()
		if p.edit != nil {
			content, err := p.edit(now)
			if err != nil {
				return now, err
			}
			made = proposal{base: now.String(), content: content, origin: p.origin}
		}
		next := d.Clone()
		if s.core.untouched.patch(next, made.from(next), made.content, o) != nil {
			return now, nil // a conflict, as the write will find
		}
		trial := d.Clone()
		trial.Propose(o, next.Text())
		if shown = trial.Proposals(o.Change); approved.cover(s.id, shown) {
			return now, nil
		}
		return next.Text(), nil
	})
	if err != nil {
		return nil, err
	}
	if len(g.parts) == 0 {
		return nil, nil
	}
	*p = made
	call := ToolCall{ID: o.ToolCall, Kind: "edit", Status: "pending", Title: "Write " + s.relative(string(f.path)), Locations: []Location{{Path: string(f.path)}}}
	if call.ID == "" {
		call.ID = s.core.newID("t")
	}
	for _, h := range shown {
		call.Content = append(call.Content, ToolContent{Type: "diff", Path: string(f.path), OldText: &h.BaseText, NewText: h.Text})
	}
	outcome, err := s.core.broker.askGate(ctx, s, s.now(), call, []PermissionOption{
		{OptionID: "apply", Name: "Apply", Kind: "allow_once"},
		{OptionID: "discard", Name: "Discard", Kind: "reject_once"},
	}, g)
	switch {
	case err != nil:
		g.close()
		return nil, err
	case outcome.Cancelled:
		g.close()
		s.afterCancel(ctx)
		return nil, notWritten(f, "the turn ended before the user had decided on it")
	case outcome.OptionID != "apply" && !g.partly:
		g.close()
		return nil, notWritten(f, "the user does not want this change. Ask what is wanted, or go on without it")
	}
	return g, nil
}

func notWritten(f *file, why string) error {
	return Errorf(KindConflict, "nothing was written to %s: %s", f.path, why)
}

// isCancelled tells that the running turn is being cancelled.
func (s *session) isCancelled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil && s.running.cancelled
}

// patch makes a held write that the user has applied all of: exactly as it was sent,
// merged with what the user has typed since it was shown. Where these touch and
// would be a conflict, what the user has seen and applied is taken.
func (g *gate) patch(d *review.Doc, base, content string, o review.Origin) error {
	var l landed
	want := g.take(d, g.parts[0], &l)
	u := &g.sess.core.untouched
	if u.patch(d.Clone(), base, content, o) != nil && len(l.discarded) == 0 {
		d.AgentEdit(want, o)
	} else if err := u.patch(d, base, content, o); err != nil {
		return err
	}
	d.AcceptChanges(o.Change)
	return nil
}

// landPart makes the part of a held write that the user has applied; the error
// tells the agent what became of the rest.
func (g *gate) landPart(ctx context.Context, f *file) (landed, error) {
	l, err := g.land(ctx, g.parts[0])
	if err != nil {
		return l, err
	}
	var places []string
	for _, h := range l.discarded {
		places = append(places, strings.TrimSpace(lineSpan([2]int{h.StartLine, h.EndLine}, h.EndLine+1)))
	}
	what := fmt.Sprintf("the user applied %d of the %d parts of this change", len(l.applied), len(l.applied)+len(l.discarded))
	if len(places) > 0 {
		what += fmt.Sprintf(" and does not want the others (%s of the text before it)", strings.Join(places, ", "))
	}
	return l, Errorf(KindConflict, "%s was written only in part: %s. Read it again before you go on", f.path, what)
}
