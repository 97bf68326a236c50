package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A gate is one change that waits for the user's word: a question and the
// proposed hunks that show in place what it is about. The hunks are marked one by
// one, and when all are, that is the answer: an agent whose every hunk is applied
// is let do it; if only some are, it is refused, and these are made for it; if
// none, it is refused. An answer that comes by another road decides the hunks
// that have no mark yet.
type gate struct {
	sess   *session
	origin review.Origin // of the proposals, but for their change
	before bool          // what is applied is reviewed thereby (review.mode)
	write  bool          // a write that is held, and made by us
	whole  bool          // all that is asked for is shown
	notes  []string      // of what is not
	parts  []part        // constant once the question is open
	moves  []*file       // that are to be renamed; likewise
	ready  func()        // to be called when the question can be withdrawn; may be nil

	mu sync.Mutex // guards what follows
	q  *question
	// The answer, when there is one.
	allow  bool // what has no mark is applied
	partly bool // the agent is refused, and what is applied is made for it
}

// newGate returns a gate without a question for what a tool call would do.
func (s *session) newGate(o review.Origin) *gate {
	return &gate{sess: s, origin: o, whole: true, before: s.core.settings().Review.Before()}
}

// close withdraws what is still proposed.
func (g *gate) close() {
	if g == nil {
		return
	}
	for _, p := range g.parts {
		p.leave()
	}
	g.leaveMoves()
}

// opened gives the gate its question.
func (g *gate) opened(q *question) {
	g.mu.Lock()
	g.q = q
	g.mu.Unlock()
	if g.ready != nil {
		g.ready()
	}
	g.check()
}

// tally counts hunks by what is to become of them.
type tally struct {
	applied   int
	discarded int
	settled   int // conflicts that are to be settled in another way than by leaving the user's text
	unmarked  int
	contested int // conflicts without a mark
	lost      int // files that know nothing of it any more, as they were closed and are gone
}

func (g *gate) tally() tally {
	var t tally
	g.tallyMoves(&t)
	for _, p := range g.parts {
		p.f.mu.Lock()
		if p.f.doc == nil || !p.f.doc.Proposes(p.change) {
			t.lost++
		} else {
			for _, h := range p.f.doc.Proposals(p.change) {
				switch conflict := h.State == review.StateConflict; {
				case h.Marked == review.TakeMine:
					t.discarded++
				case h.Marked != "" && conflict:
					t.settled++
				case h.Marked != "":
					t.applied++
				case conflict:
					t.contested++
				default:
					t.unmarked++
				}
			}
		}
		p.f.mu.Unlock()
	}
	return t
}

// check answers the question when every hunk is marked, if the hunks are all of
// it and the agent offers the answer that is meant.
func (g *gate) check() {
	g.mu.Lock()
	q := g.q
	g.mu.Unlock()
	if q == nil || !g.whole {
		return
	}
	t := g.tally()
	if t.unmarked+t.contested+t.lost > 0 || t.applied+t.discarded+t.settled == 0 && !g.write {
		return
	}
	option := "" // refuses
	if t.discarded == 0 && (t.settled == 0 || g.write) {
		if option = optionOf(q.Options, "allow_once"); option == "" {
			return
		}
	}
	if err := g.sess.core.broker.choose(q, option); err != nil {
		g.sess.core.log.Debug("answer by hunks", "question", q.ID, "err", err)
	}
}

// optionOf is the first option of that kind, or "".
func optionOf(options []PermissionOption, kind string) string {
	for _, o := range options {
		if o.Kind == kind {
			return o.OptionID
		}
	}
	return ""
}

// answered turns the user's answer into the one the agent gets: it is not let do
// what the user wants only a part of.
func (g *gate) answered(o PermissionOutcome, options []PermissionOption) PermissionOutcome {
	kind := ""
	for _, opt := range options {
		if !o.Cancelled && opt.OptionID == o.OptionID {
			kind, _, _ = strings.Cut(opt.Kind, "_")
		}
	}
	if kind != "allow" && kind != "reject" {
		return o
	}
	t := g.tally()
	if g.write { // we make it, so that it is in the text however it was settled
		t.applied, t.settled = t.applied+t.settled, 0
	}
	allow := kind == "allow"
	if allow {
		t.applied += t.unmarked
	}
	partly := t.applied+t.settled > 0 && !(allow && t.discarded+t.settled == 0)
	g.mu.Lock()
	g.allow, g.partly = allow, partly
	g.mu.Unlock()
	g.noteDiscards(allow && t.discarded == 0)
	switch {
	case allow && t.discarded+t.settled == 0:
		g.approve()
		return o
	case !allow:
		return o
	}
	for _, k := range []string{"reject_once", "reject_always"} {
		if id := optionOf(options, k); id != "" {
			return PermissionOutcome{OptionID: id}
		}
	}
	return PermissionOutcome{Cancelled: true}
}

func (g *gate) allows() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.allow
}

// isPartly reports whether a part of the change is to be made for the agent.
func (g *gate) isPartly() bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.partly
}

// landed is what became of the proposals in one file.
type landed struct {
	applied, discarded []review.Hunk
	out                outcome
	saveErr            error
}

// land makes what is applied in a file, and nothing else.
func (g *gate) land(ctx context.Context, p part) (landed, error) {
	var l landed
	f, c := p.f, g.sess.core
	o := g.origin
	o.Change = p.change
	disk, err := buffers.ReadDisk(f.path)
	if err != nil {
		return l, Errorf(KindInvalid, "%w", err)
	}
	// What was applied hunk by hunk has been looked at.
	accept := g.before || !g.allows()
	var was text.Text
	f.mu.Lock()
	if f.doc != nil {
		g.take(f.doc.Clone(), p, &l)
	}
	f.mu.Unlock()
	if len(l.applied) == 0 { // a file that there is not is not to be made
		return l, nil
	}
	l.out, err = f.change(ctx, operation{label: g.sess.agentName + ": " + o.Title, by: &o, apply: func(d *review.Doc) error {
		was = d.Text()
		want := g.take(d, p, &l)
		d.AgentEdit(want, o)
		if accept {
			d.AcceptChanges(o.Change)
		}
		return nil
	}})
	if err != nil {
		return l, err
	}
	if accept {
		f.acceptedFile()
	} else if len(l.applied) > 0 && !l.out.onDisk && !disk.Exists && blank(was) {
		f.markCreated(o)
	}
	if !l.out.onDisk {
		l.saveErr = c.saveAfter(ctx, g.sess, f.path, l.out, !accept)
	}
	return l, nil
}

// take withdraws the proposals from d and returns the text with those that are
// applied: those marked so and, if the answer lets it, those without a mark that
// are no conflict.
func (g *gate) take(d *review.Doc, p part, l *landed) text.Text {
	l.applied, l.discarded = nil, nil
	allow := g.allows()
	for _, h := range d.Proposals(p.change) {
		take := h.Marked
		if take == "" && allow && h.State == review.StateProposed && d.Mark(h.ID, review.TakeTheirs) == nil {
			take = review.TakeTheirs
		}
		if take == review.TakeTheirs || take == review.TakeBoth {
			l.applied = append(l.applied, h)
		} else {
			l.discarded = append(l.discarded, h)
		}
	}
	want := d.WithMarked(p.change)
	d.Withdraw(func(c review.ChangeID) bool { return c != p.change })
	return want
}

// landPermitted makes what the user has applied of a change that its agent was
// refused, and has it told so with the next prompt.
func (g *gate) landPermitted() {
	if !g.isPartly() {
		return
	}
	s := g.sess
	for _, p := range g.parts {
		l, err := g.land(s.core.ctx, p)
		if err != nil {
			if s.core.ctx.Err() == nil {
				s.notice(g.origin.Turn, EntryError, fmt.Sprintf("what you applied of %s could not be made: %v", s.relative(string(p.f.path)), err))
			}
			continue
		}
		s.mu.Lock()
		for _, h := range l.applied {
			s.untold = append(s.untold, rejectedHunk{p.f.path, h, true})
		}
		for _, h := range l.discarded {
			s.untold = append(s.untold, rejectedHunk{p.f.path, h, false})
		}
		s.mu.Unlock()
	}
	g.landMoves()
}

// tend keeps proposals and approvals in step with the text, and has gates that
// may be through look; mu is held.
func (f *file) tend() {
	if f.doc == nil {
		return
	}
	if f.doc.Proposing() {
		f.doc.Withdraw(func(c review.ChangeID) bool { return f.gates[c] != nil })
	}
	if len(f.approved) > 0 && (f.flight == nil || f.flight.landed) && !f.kept.aloud && !f.doc.Provisional() {
		f.acceptApproved()
	}
	for c, g := range f.gates {
		if !f.gone && !slices.ContainsFunc(f.doc.Proposals(c), func(h review.Hunk) bool { return h.Marked == "" }) {
			f.core.spawn(g.check)
		}
	}
}

// onlyProposed tells that nothing is known of the file beyond its text but
// what is proposed; mu is held.
func (f *file) onlyProposed() bool {
	return f.doc.Proposing() && !f.doc.Tracking() && f.fileChange() == nil
}
