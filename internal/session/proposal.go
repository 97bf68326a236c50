package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
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
	origin review.Origin // of the proposals, and of what is made of them
	before bool          // what is applied is reviewed thereby (review.mode)
	write  bool          // a write that is held, and made by us
	whole  bool          // all that is asked for is shown
	notes  []string      // of what is not
	files  []*file       // that show proposals; constant once the question is open

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

// propose shows what a question is about, as far as it is about text and can be
// found; nil if there is nothing of that kind.
func (s *session) propose(ctx context.Context, call ToolCall, raw []byte) *gate {
	paths, ways := claimsOf(call, raw, s.cwd)
	if len(paths) == 0 {
		return nil
	}
	o := review.Origin{
		Change: s.core.changeID(), Session: s.id, Agent: s.agentName, Turn: s.turnID(),
		ToolCall: call.ID, Title: call.Title, Author: review.AuthorAgent, Sure: true,
	}
	g := s.newGate(o)
	for _, path := range paths {
		err := g.show(ctx, path, ways[path])
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
	return g.list(ctx, f, func(d *review.Doc) (text.Text, error) {
		want, err := g.sess.sceneOf(p, disk, d.Text().String(), open).locate(ways)
		return text.New(want), err
	})
}

// list proposes in a file what would make want of its text. It proposes nothing
// if that would change nothing.
func (g *gate) list(ctx context.Context, f *file, want func(*review.Doc) (text.Text, error)) error {
	f.mu.Lock()
	if f.gates == nil {
		f.gates = map[review.ChangeID]*gate{}
	}
	f.gates[g.origin.Change] = g
	f.mu.Unlock()
	proposed := false
	_, err := f.change(ctx, operation{label: "propose", marks: true, apply: func(d *review.Doc) error {
		t, err := want(d)
		proposed = err == nil && len(d.Propose(g.origin, t)) > 0
		return err
	}})
	if err != nil || !proposed {
		g.leave(f)
		return err
	}
	g.files = append(g.files, f)
	return nil
}

// leave withdraws what is proposed in a file.
func (g *gate) leave(f *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.gates, g.origin.Change)
	f.publish()
	f.dropIfIdle()
}

// close withdraws what is still proposed.
func (g *gate) close() {
	if g == nil {
		return
	}
	for _, f := range g.files {
		g.leave(f)
	}
}

// opened gives the gate its question.
func (g *gate) opened(q *question) {
	g.mu.Lock()
	g.q = q
	g.mu.Unlock()
	g.check()
}

// tally counts hunks by what is to become of them.
type tally struct {
	applied   int
	discarded int
	settled   int // conflicts that are to be settled in another way than by leaving the user's text
	unmarked  int
	contested int // conflicts without a mark
}

func (g *gate) tally() tally {
	var t tally
	for _, f := range g.files {
		f.mu.Lock()
		if f.doc != nil {
			for _, h := range f.doc.Proposals(g.origin.Change) {
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
		f.mu.Unlock()
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
	if t.unmarked+t.contested > 0 || t.applied+t.discarded+t.settled == 0 && !g.write {
		return
	}
	option := "" // refuses
	if t.discarded+t.settled == 0 {
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
	allow := kind == "allow"
	if allow {
		t.applied += t.unmarked
	}
	partly := t.applied+t.settled > 0 && !(allow && t.discarded+t.settled == 0)
	g.mu.Lock()
	g.allow, g.partly = allow, partly
	g.mu.Unlock()
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

// An approval is a hunk that the user has applied before it was there: when it
// comes, as it was shown, it needs no second decision.
type approval struct {
	session    string
	base, text string
}

// approve notes what has been applied of a change that the agent is let make.
func (g *gate) approve() {
	if g.write {
		return
	}
	for _, f := range g.files {
		f.mu.Lock()
		for _, h := range f.doc.Proposals(g.origin.Change) {
			if h.State == review.StateProposed && (g.before || h.Marked == review.TakeTheirs) {
				f.approved = append(f.approved, approval{g.sess.id, h.BaseText, h.Text})
			}
		}
		f.mu.Unlock()
	}
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

// forgetApproved ends what a session's turn was let do.
func (c *Core) forgetApproved(session string) {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		f.approved = slices.DeleteFunc(f.approved, func(a approval) bool { return a.session == session })
		f.mu.Unlock()
	}
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
		f.acceptFile()
	}
}

// acceptFile accepts what has become of the file as a whole, if nothing in it is
// pending; mu is held.
func (f *file) acceptFile() {
	if (f.created || f.deleted) && len(visible(f.doc.Hunks(review.StatePending))) == 0 {
		f.created, f.deleted = false, false
		f.shownRev = ^f.shownRev
	}
}

// acceptedFile is acceptFile after an operation.
func (f *file) acceptedFile() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc != nil {
		f.acceptFile()
		f.publish()
		f.dropIfIdle()
	}
}

// landed is what became of the proposals in one file.
type landed struct {
	applied, discarded []review.Hunk
	out                outcome
	saveErr            error
}

// land makes what is applied in a file, and nothing else.
func (g *gate) land(ctx context.Context, f *file) (landed, error) {
	var l landed
	g.mu.Lock()
	allow := g.allow
	g.mu.Unlock()
	o, c := g.origin, g.sess.core
	// What was applied hunk by hunk has been looked at.
	accept := g.before || !allow
	disk, err := buffers.ReadDisk(f.path)
	if err != nil {
		return l, Errorf(KindInvalid, "%w", err)
	}
	l.out, err = f.change(ctx, operation{label: g.sess.agentName + ": " + o.Title, by: &o, apply: func(d *review.Doc) error {
		l.applied, l.discarded = nil, nil
		for _, h := range d.Proposals(o.Change) {
			take := h.Marked
			if take == "" && allow && h.State == review.StateProposed {
				take = review.TakeTheirs
				if err := d.Mark(h.ID, take); err != nil {
					return err
				}
			}
			if take == review.TakeTheirs || take == review.TakeBoth {
				l.applied = append(l.applied, h)
			} else {
				l.discarded = append(l.discarded, h)
			}
		}
		want := d.WithMarked(o.Change)
		d.Withdraw(func(c review.ChangeID) bool { return c != o.Change })
		d.AgentEdit(want, o)
		if accept {
			d.AcceptChanges(o.Change)
		}
		return nil
	}})
	if err != nil {
		return l, err
	}
	if len(l.applied) > 0 && !l.out.onDisk && !disk.Exists && !accept {
		f.markCreated(o)
	}
	if accept {
		f.acceptedFile()
	}
	if !l.out.onDisk {
		l.saveErr = c.saveAfter(ctx, g.sess, f.path, l.out)
	}
	return l, nil
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

// landPermitted makes what the user has applied of a change that its agent was
// refused, and has it told so with the next prompt.
func (g *gate) landPermitted() {
	if !g.isPartly() {
		return
	}
	s := g.sess
	for _, f := range g.files {
		l, err := g.land(s.core.ctx, f)
		if err != nil {
			if s.core.ctx.Err() == nil {
				s.notice(g.origin.Turn, EntryError, fmt.Sprintf("what you applied of %s could not be made: %v", s.relative(string(f.path)), err))
			}
			continue
		}
		s.mu.Lock()
		for _, h := range l.applied {
			s.untold = append(s.untold, rejectedHunk{f.path, h, true})
		}
		for _, h := range l.discarded {
			s.untold = append(s.untold, rejectedHunk{f.path, h, false})
		}
		s.mu.Unlock()
	}
}

// consents notes what a tool call names if the answer to its question, by the
// user or by a rule of theirs, lets it go on.
func (s *session) consents(call ToolCall, raw []byte, optionID string, options []PermissionOption) {
	if !slices.ContainsFunc(options, func(o PermissionOption) bool {
		return o.OptionID == optionID && strings.HasPrefix(o.Kind, "allow")
	}) {
		return
	}
	paths, _ := claimsOf(call, raw, s.cwd)
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
		"%s was changed on disk without a question. acp-ls can hold back only what an agent asks about or writes through it (review.mode \"before\"); all else is shown for review after it is there.", s.relative(string(p)))))
}
