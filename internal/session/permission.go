package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"acp-ls/buffers/linediff"
)

// broker keeps the open questions. A question is answered exactly once, by
// whichever comes first: an editor's dialog, acp.permission.answer, a cancelled
// turn, the agent taking it back, or its end.
type broker struct {
	core *Core

	mu         sync.Mutex // guards what follows, and the questions' shown
	open       []*question
	remembered map[string]*remembered // by what was asked
}

// remembered is an "always" answer: the very same question of that session is
// answered alike without asking, also where the agent itself forgets.
type remembered struct {
	RememberedRule
	session, optionKind string
}

type question struct {
	Question
	sess   *session
	turn   *turn     // in which it is asked, if any
	item   *item     // its entry in the transcript; guarded by sess.mu
	of     *patience // of the tool call it is asked for, if it is one of our tools
	answer chan PermissionOutcome
	once   sync.Once
	ctx    context.Context // ends with the question
	end    context.CancelFunc
	gone   chan struct{} // closed when nothing shows it any more
	shown  int           // how often the editors were asked; guarded by broker.mu
}

func (q *question) settle(o PermissionOutcome) bool { return q.settleAfter(o, func() {}) }

// settleAfter is settle with something that is done first, if the question is open still:
// the agent may ask again as soon as it has its answer.
func (q *question) settleAfter(o PermissionOutcome, first func()) bool {
	settled := false
	q.once.Do(func() {
		first()
		q.answer <- o
		q.end()
		settled = true
	})
	return settled
}

// ask puts a question to the user and waits for the outcome.
func (b *broker) ask(ctx context.Context, s *session, call ToolCall, options []PermissionOption) (PermissionOutcome, error) {
	return b.askGate(ctx, s, s.now(), call, options, nil)
}

// askGate is ask for a question of a turn whose subject is shown in place; nil: it
// is not. The gate stays open.
func (b *broker) askGate(ctx context.Context, s *session, t *turn, call ToolCall, options []PermissionOption, g *gate) (PermissionOutcome, error) {
	qctx, end := context.WithCancel(b.core.ctx)
	q := &question{
		Question: Question{
			ID: b.core.newID("q"), Session: s.id, Agent: s.agentName,
			ToolCall: call, Options: slices.Clone(options), Message: questionMessage(call),
		},
		sess: s, turn: t, of: patienceOf(ctx), answer: make(chan PermissionOutcome, 1), gone: make(chan struct{}), ctx: qctx, end: end,
	}
	if g != nil {
		q.Message = strings.Join(append([]string{q.Message}, g.notes...), "\n")
	}
	attached := b.core.attached()
	places := map[*Attachment]*place{} // in the order in which the questions are listed
	b.mu.Lock()
	b.open = append(b.open, q)
	for _, a := range attached {
		places[a] = a.asked.join("")
	}
	b.mu.Unlock()

	defer close(q.gone)
	asked := s.questionOpened(q)
	if g != nil {
		g.opened(q)
	}
	if asked {
		b.show(q, places)
		q.of.opens()
		defer q.of.closes()
	} else {
		for _, at := range places {
			at.leave()
		}
		q.settle(PermissionOutcome{Cancelled: true})
	}

	var outcome PermissionOutcome
	var err error
	select {
	case outcome = <-q.answer:
	case <-ctx.Done(): // the agent took it back, or is gone
		if !q.settle(PermissionOutcome{Cancelled: true}) {
			outcome = <-q.answer
		} else {
			<-q.answer
			outcome, err = PermissionOutcome{Cancelled: true}, ctx.Err()
		}
	}

	switch {
	case g == nil:
	case outcome.Cancelled:
		g.close()
	default:
		outcome = g.answered(outcome, q.Options)
	}
	b.mu.Lock()
	b.open = slices.DeleteFunc(b.open, func(o *question) bool { return o == q })
	b.mu.Unlock()
	for _, a := range b.core.attached() {
		a.editor.Dismiss(q.ID)
	}
	s.questionClosed(q, outcome, g.isPartly())
	return outcome, err
}

// show asks every editor, in its turn if it has a place, else as the last one. The first answer
// wins; a dismissal leaves the question open and it is shown once more.
func (b *broker) show(q *question, places map[*Attachment]*place) {
	b.mu.Lock()
	q.shown++
	again := q.shown < 2
	b.mu.Unlock()
	for _, a := range b.core.attached() {
		at, ok := places[a]
		if !ok {
			at = a.asked.join("")
		}
		delete(places, a)
		b.core.spawn(func() {
			leave := sync.OnceFunc(at.leave)
			defer leave()
			if at.wait(q.ctx) != nil {
				return
			}
			id, err := a.editor.Permission(Ordered(q.ctx, leave), q.Question)
			leave()
			switch {
			case err == nil:
				if oErr := b.choose(q, id); oErr != nil {
					b.core.log.Warn("permission answer", "question", q.ID, "err", oErr)
				}
			case errors.Is(err, ErrUnanswered) && again && q.ctx.Err() == nil:
				t := time.NewTimer(b.core.waits.Reshow)
				defer t.Stop()
				select {
				case <-t.C:
					b.show(q, nil)
				case <-q.ctx.Done():
				}
			}
		})
	}
	for _, at := range places { // of editors that have gone
		at.leave()
	}
}

func (b *broker) find(id string) *question {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, q := range b.open {
		if q.ID == id {
			return q
		}
	}
	return nil
}

// choose answers a question with one of its options; an empty id is a refusal.
func (b *broker) choose(q *question, optionID string) error {
	if optionID == "" {
		var reject []PermissionOption
		for _, o := range q.Options {
			if o.Kind == "reject_once" {
				reject = append(reject, o)
			}
		}
		switch len(reject) {
		case 1:
			optionID = reject[0].OptionID
		case 0:
			q.settle(PermissionOutcome{Cancelled: true})
			return nil
		default:
			return Errorf(KindInvalid, "question %s can be refused in %d ways: name one of its options", q.ID, len(reject))
		}
	}
	for _, o := range q.Options {
		if o.OptionID == optionID {
			q.settleAfter(PermissionOutcome{OptionID: optionID}, func() {
				if strings.HasSuffix(o.Kind, "_always") {
					b.remember(q, o)
				}
			})
			return nil
		}
	}
	return Errorf(KindInvalid, "question %s has no option %q", q.ID, optionID)
}

// cancel answers every open question of a session as ACP asks when it is cancelled or
// over.
func (b *broker) cancel(s *session) {
	b.cancelThose(func(q *question) bool { return q.sess == s })
}

// cancelTurn is cancel for one turn: what another one's tool calls have left open stays so
// and, at its end, what its own have. It returns those that it has ended.
func (b *broker) cancelTurn(s *session, t *turn, end bool) []*question {
	return b.cancelThose(func(q *question) bool { return q.sess == s && !(q.of.isLeft() && (end || q.turn != t)) })
}

func (b *broker) cancelThose(which func(*question) bool) []*question {
	b.mu.Lock()
	var of []*question
	for _, q := range b.open {
		if which(q) {
			of = append(of, q)
		}
	}
	b.mu.Unlock()
	for _, q := range of {
		q.settle(PermissionOutcome{Cancelled: true})
	}
	return of
}

// Questions lists the open permission questions, oldest first.
func (c *Core) Questions() []Question {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	out := make([]Question, 0, len(c.broker.open))
	for _, q := range c.broker.open {
		out = append(out, q.Question)
	}
	return out
}

// Answer answers a question. An empty option refuses.
func (c *Core) Answer(id, optionID string) error {
	q := c.broker.find(id)
	if q == nil {
		return Errorf(KindStale, "question %q is not open (it was answered or withdrawn)", id)
	}
	return c.broker.choose(q, optionID)
}

// ShowQuestion shows an open question again.
func (c *Core) ShowQuestion(id string) error {
	q := c.broker.find(id)
	if q == nil {
		return Errorf(KindStale, "question %q is not open (it was answered or withdrawn)", id)
	}
	c.broker.show(q, nil)
	return nil
}

// RequestPermission decides by the user's rules or asks (ACP
// session/request_permission).
func (h *host) RequestPermission(ctx context.Context, sessionID string, r PermissionRequest) (out PermissionOutcome, err error) {
	s, err := h.session(sessionID)
	if err != nil {
		return PermissionOutcome{}, err
	}
	call, raw, t := s.permissionCall(r.ToolCall)
	defer func() { s.permissionAnswered(call.ID, r.Options, out) }()
	asking, ready := s.readies(ctx, t) // before anything that comes behind, as the end of its turn
	defer ready()
	placed(ctx)
	if s.tooLate(t) {
		ready() // which the end of the turn may wait for
		s.afterCancel(ctx)
		return PermissionOutcome{Cancelled: true}, nil
	}
	asked := s.knownOf(call, raw)
	o, decided := h.core.ruled(s, s.requestOf(asked, raw), r.Options)
	if !decided {
		o.OptionID, decided = h.core.broker.recall(s, asked, r.Options)
	}
	if decided {
		if o.Cancelled {
			s.afterCancel(ctx)
		}
		s.consents(asked, raw, o.OptionID, r.Options)
		return o, nil
	}
	if len(r.Options) == 0 {
		return PermissionOutcome{Cancelled: true}, nil
	}
	g := s.propose(asking, call, raw)
	if g == nil {
		ready()
	} else {
		g.ready = ready
		defer g.close()
	}
	o, err = h.core.broker.askGate(ctx, s, t, asked, r.Options, g)
	switch {
	case o.Cancelled:
		s.afterCancel(ctx)
	case err == nil:
		s.consents(asked, raw, o.OptionID, r.Options)
		g.landPermitted()
	}
	return o, err
}

// questionMessage says what is asked: the title, then the whole command or the
// path and the size of the change.
func questionMessage(call ToolCall) string {
	var b strings.Builder
	title := printable(call.Title)
	if title == "" {
		title = call.Kind
	}
	b.WriteString(title)
	if cmd := printable(call.Command); cmd != "" && cmd != title {
		fmt.Fprintf(&b, "\n%s", cmd)
	}
	seen := map[string]bool{}
	type size struct{ added, deleted int }
	sizes := map[string]size{} // by path, of which there may be several parts
	var changed []string
	for _, t := range call.Content {
		if t.Type != "diff" {
			continue
		}
		if !seen[t.Path] {
			changed = append(changed, t.Path)
		}
		seen[t.Path] = true
		old := ""
		if t.OldText != nil {
			old = *t.OldText
		}
		add, del := changeSize(old, t.NewText)
		sizes[t.Path] = size{sizes[t.Path].added + add, sizes[t.Path].deleted + del}
	}
	for _, p := range changed {
		fmt.Fprintf(&b, "\n%s (+%d -%d lines)", printable(p), sizes[p].added, sizes[p].deleted)
	}
	for _, l := range call.Locations {
		if !seen[l.Path] && !names(title, printable(l.Path)) {
			seen[l.Path] = true
			fmt.Fprintf(&b, "\n%s", printable(l.Path))
		}
	}
	return b.String()
}

// names reports whether a title has all of a path, and not as a part of another one: whoever
// reads it takes what stands there for the path that is meant. That it ends is certain only
// at the end of a row, or in quotes: a blank or a bracket may be a part of a name.
func names(title, path string) bool {
	for row := range strings.SplitSeq(title, "\n") {
		if row == path || strings.HasSuffix(row, " "+path) {
			return true
		}
		for _, q := range "\"'`" {
			quoted := string(q) + path + string(q)
			if i := strings.Index(row, quoted); i >= 0 {
				before, _ := utf8.DecodeLastRuneInString(row[:i])
				after, _ := utf8.DecodeRuneInString(row[i+len(quoted):])
				if (i == 0 || unicode.IsSpace(before)) && (after == utf8.RuneError || unicode.IsSpace(after)) {
					return true
				}
			}
		}
	}
	return false
}

func changeSize(old, text string) (added, deleted int) {
	for _, e := range linediff.Diff(linediff.Split(old), linediff.Split(text)) {
		added += e.B1 - e.B0
		deleted += e.A1 - e.A0
	}
	return added, deleted
}

// printable drops what could fool the eye or a terminal: control characters
// and those that turn the direction of writing. Line ends and tabs stay.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.TrimSpace(s))
}

// RememberedRule is an "always" answer that still holds.
type RememberedRule struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Kind  string `json:"kind"` // allow_always or reject_always
	Text  string `json:"text"` // what was asked
}

// sameQuestion is what two questions have in common that may be answered alike:
// everything the user was shown.
func sameQuestion(s *session, call ToolCall) string {
	return s.id + "\x00" + call.Kind + "\x00" + questionMessage(call)
}

func (b *broker) remember(q *question, o PermissionOption) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remembered[sameQuestion(q.sess, q.ToolCall)] = &remembered{
		RememberedRule: RememberedRule{ID: b.core.newID("r"), Agent: q.Agent, Kind: o.Kind, Text: q.Message},
		session:        q.sess.id, optionKind: o.Kind,
	}
}

// allowed reports whether a question need not be asked any more in a session, as the user has
// allowed the like for all of it.
func (b *broker) allowed(s *session, call ToolCall) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.remembered[sameQuestion(s, call)]
	return r != nil && r.optionKind == "allow_always"
}

func (b *broker) recall(s *session, call ToolCall, options []PermissionOption) (optionID string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.remembered[sameQuestion(s, call)]
	if r == nil {
		return "", false
	}
	for _, o := range options {
		if o.Kind == r.optionKind {
			return o.OptionID, true
		}
	}
	return "", false
}

// Rules lists the "always" answers that still hold.
func (c *Core) Rules() []RememberedRule {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	out := make([]RememberedRule, 0, len(c.broker.remembered))
	for _, r := range c.broker.remembered {
		out = append(out, r.RememberedRule)
	}
	slices.SortStableFunc(out, func(a, b RememberedRule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// ForgetRule forgets an "always" answer: acp-ls asks again. What the agent
// itself remembers of it ends with the agent's session.
func (c *Core) ForgetRule(id string) error {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	for k, r := range c.broker.remembered {
		if r.ID == id {
			delete(c.broker.remembered, k)
			return nil
		}
	}
	return Errorf(KindStale, "there is no remembered answer %q", id)
}

// forget drops what a closed session's answers were.
func (b *broker) forget(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, r := range b.remembered {
		if r.session == s.id {
			delete(b.remembered, k)
		}
	}
}
