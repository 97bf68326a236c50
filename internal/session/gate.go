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
	err := g.list(ctx, f, func(d *review.Doc) (text.Text, error) {
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
		if patch(next, made.base, made.content, o) != nil {
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
	if len(g.files) == 0 {
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

// landPart makes the part of a held write that the user has applied; the error
// tells the agent what became of the rest.
func (g *gate) landPart(ctx context.Context, f *file) (landed, error) {
	l, err := g.land(ctx, f)
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

// decideOrMark decides, and marks the proposed hunks among those that are meant:
// by id, or all that a file shows. A session's or a turn's are not meant by these
// names, as they may not have been seen.
func (c *Core) decideOrMark(ctx context.Context, d Decide, take review.Take, state review.State, how decision) (Decision, error) {
	marks := map[*file][]string{}
	var marked []*file
	rest := d
	for _, f := range c.filesMeant(d) {
		for _, h := range f.proposed() {
			switch conflict := h.State == review.StateConflict; {
			case conflict && state == review.StatePending && take != review.TakeMine:
				continue // mine, theirs or both: that is to be said
			case !conflict && state == review.StateConflict:
				continue
			case len(d.Hunks) > 0 && !slices.Contains(d.Hunks, h.ID):
				continue
			}
			if marks[f] == nil {
				marked = append(marked, f)
			}
			marks[f] = append(marks[f], h.ID)
			rest.Hunks = slices.DeleteFunc(slices.Clone(rest.Hunks), func(id string) bool { return id == h.ID })
		}
	}
	out := Decision{Decided: []string{}}
	if len(d.Hunks) == 0 || len(rest.Hunks) > 0 {
		var err error
		if out, err = c.decide(ctx, rest, state, how); err != nil {
			return out, err
		}
	}
	for _, f := range marked {
		f.mark(ctx, marks[f], take, &out)
	}
	return out, nil
}

// filesMeant are those in which a decision may be about proposals.
func (c *Core) filesMeant(d Decide) []*file {
	switch {
	case len(d.Hunks) > 0:
		return c.allFiles()
	case d.URI == "" || d.Session != "" || d.Turn != "":
		return nil
	}
	if p, ok := c.pathOf(d.URI); ok {
		return []*file{c.file(p)}
	}
	return nil
}

// proposed are the hunks of all that is proposed in the file.
func (f *file) proposed() []review.Hunk {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []review.Hunk
	if f.doc != nil {
		for change := range f.gates {
			out = append(out, f.doc.Proposals(change)...)
		}
	}
	return out
}

// mark says what is to become of proposed hunks.
func (f *file) mark(ctx context.Context, ids []string, take review.Take, out *Decision) {
	var done []string
	var refused []Refusal
	_, err := f.change(ctx, operation{label: "mark", marks: true, apply: func(d *review.Doc) error {
		done, refused = nil, nil
		for _, id := range ids {
			if err := d.Mark(id, take); err != nil {
				refused = append(refused, Refusal{ID: id, Reason: err.Error()})
				continue
			}
			done = append(done, id)
		}
		return nil
	}})
	if err != nil {
		done, refused = nil, nil
		for _, id := range ids {
			refused = append(refused, Refusal{ID: id, Reason: err.Error()})
		}
	}
	out.Decided, out.Refused = append(out.Decided, done...), append(out.Refused, refused...)
	f.mu.Lock()
	defer f.mu.Unlock()
	out.Files = slices.DeleteFunc(out.Files, func(r Review) bool { return r.Path == string(f.path) })
	out.Files = append(out.Files, f.review(f.hunks()))
}
