package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// part is what a gate shows in one file.
type part struct {
	f      *file
	change review.ChangeID // of the proposals, and of what is made of them
}

// propose shows what a question is about, as far as it is about text and can be
// found; nil if there is nothing of that kind.
func (s *session) propose(ctx context.Context, call ToolCall, raw []byte) *gate {
	paths, ways, moves := claimsOf(call, raw, s.cwd)
	if len(paths) == 0 {
		return nil
	}
	o := review.Origin{
		Session: s.id, Agent: s.agentName, Turn: s.turnID(),
		ToolCall: call.ID, Title: call.Title, Author: review.AuthorAgent, Sure: true,
	}
	g := s.newGate(o)
	for _, path := range paths {
		var err error
		if to := moves[path]; to != "" {
			err = g.showMove(path, to)
		}
		if err == nil && len(ways[path]) > 0 {
			err = g.show(ctx, path, ways[path])
		}
		if err == nil {
			continue
		}
		g.whole = false
		if !errors.Is(err, errOutside) && ctx.Err() == nil {
			g.notes = append(g.notes, fmt.Sprintf("%s is not shown in place: %v", s.relative(path), err))
		}
	}
	return g
}

func (s *session) turnID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return ""
	}
	return s.running.id
}

// relative is a path as people want to read it.
func (s *session) relative(path string) string {
	if rel, err := filepath.Rel(s.cwd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

var (
	errOutside = errors.New("it is outside of the session's folder")
	errNoText  = errors.New("it is no text file")
	errLarge   = errors.New("it is too large")
)

// show lists what an agent says of one file as proposed hunks.
func (g *gate) show(ctx context.Context, path string, ways [][]claim) error {
	p, err := buffers.Resolve(path)
	if err != nil {
		return err
	}
	f := g.sess.core.file(p)
	f.mu.Lock()
	_, _, open := f.live()
	f.mu.Unlock()
	if !open && !inRoots(g.sess.roots(), string(p)) {
		return errOutside
	}
	disk, err := buffers.ReadDisk(p)
	switch {
	case err != nil:
		return errNoText
	case len(disk.Content) > shownInPlace:
		return errLarge
	}
	if err := g.sess.takeInFirst(ctx, f); err != nil {
		return fmt.Errorf("it could not be compared with what it was: %w", err)
	}
	return g.list(ctx, part{f, g.sess.core.changeID()}, func(d *review.Doc) (text.Text, error) {
		want, err := g.sess.sceneOf(p, disk, d.Text().String(), open).locate(ways)
		return text.New(want), err
	})
}

// list proposes in a file what would make want of its text. It proposes nothing
// if that would change nothing.
func (g *gate) list(ctx context.Context, p part, want func(*review.Doc) (text.Text, error)) error {
	p.f.mu.Lock()
	if p.f.gates == nil {
		p.f.gates = map[review.ChangeID]*gate{}
	}
	p.f.gates[p.change] = g
	p.f.mu.Unlock()
	o := g.origin
	o.Change = p.change
	proposed := false
	_, err := p.f.change(ctx, operation{label: "propose", marks: true, apply: func(d *review.Doc) error {
		t, err := want(d)
		proposed = err == nil && len(d.Propose(o, t)) > 0
		return err
	}})
	if err != nil || !proposed {
		p.leave()
		return err
	}
	g.parts = append(g.parts, p)
	return nil
}

// leave withdraws what is proposed.
func (p part) leave() {
	p.f.mu.Lock()
	defer p.f.mu.Unlock()
	delete(p.f.gates, p.change)
	p.f.publish()
	p.f.dropIfIdle()
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
	if len(ids) == 0 { // only its rename is meant
		f.mu.Lock()
		defer f.mu.Unlock()
		out.Files = append(out.Files, f.answer(f.hunks()))
		return
	}
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
	out.Files = append(out.Files, f.answer(f.hunks()))
}

// decideOrMark decides, and marks the proposed hunks among those that are meant:
// by id, or all that a file shows. A session's or a turn's are not meant by these
// names, as they may not have been seen.
func (c *Core) decideOrMark(ctx context.Context, d Decide, take review.Take, state review.State, how decision) (Decision, error) {
	if err := c.followClosed(ctx); err != nil {
		return Decision{}, err
	}
	if err := c.asShown(d, how); err != nil { // marks count too
		return Decision{}, err
	}
	marks := map[*file][]string{}
	var marked []*file
	rest := d
	var contested []string
	out := Decision{Decided: []string{}}
	for _, f := range c.filesMeant(d) {
		if state == review.StatePending && f.markMove(d.Hunks, take, &out) {
			rest.Hunks = slices.DeleteFunc(slices.Clone(rest.Hunks), func(id string) bool { return slices.Contains(out.Decided, id) })
			if marked = append(marked, f); marks[f] == nil {
				marks[f] = []string{}
			}
		}
		for _, h := range f.proposed() {
			switch conflict := h.State == review.StateConflict; {
			case !conflict && state == review.StateConflict:
				continue
			case len(d.Hunks) > 0 && !slices.Contains(d.Hunks, h.ID):
				continue
			case conflict && state == review.StatePending && take != review.TakeMine && !how.sole:
				contested = append(contested, h.ID)
				rest.Hunks = slices.DeleteFunc(slices.Clone(rest.Hunks), func(id string) bool { return id == h.ID })
				continue
			}
			if !slices.Contains(marked, f) {
				marked = append(marked, f)
			}
			marks[f] = append(marks[f], h.ID)
			rest.Hunks = slices.DeleteFunc(slices.Clone(rest.Hunks), func(id string) bool { return id == h.ID })
		}
	}
	if len(d.Hunks) == 0 || len(rest.Hunks) > 0 {
		decided, err := c.decide(ctx, rest, state, how)
		if err != nil {
			return decided, err
		}
		decided.Decided = append(out.Decided, decided.Decided...)
		out = decided
	}
	for _, f := range marked {
		of := f.gatesOf(marks[f])
		n := len(out.Decided)
		if f.mark(ctx, marks[f], take, &out); take != review.TakeMine || len(out.Decided) == n {
			continue
		}
		for change, g := range of {
			c.noteDiscard(f.path, discard{how.number, g, change})
		}
	}
	for _, id := range contested {
		out.Refused = append(out.Refused, Refusal{ID: id, Reason: reasonConflict})
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
