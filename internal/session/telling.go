package session

import (
	"maps"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// What a prompt tells is known to the agent when it has the prompt, and not before: one that is
// cancelled before it is sent, or that fails (a model that is overloaded, an agent that has died),
// tells nothing. Then all of it is told again with the next one, and what the prompt embedded is
// not taken for a text that the agent makes its writes of: it would take out the user's rows. To
// be told something twice does no harm.

// telling is what a prompt that is on its way tells, until the agent has it.
type telling struct {
	rejected []rejectedHunk
	words    []string
	late     []*lateEdit // edits that have come to an end
	knows    []string    // the folders the agent had been told of before
}

// beginTelling begins what a prompt tells.
func (s *session) beginTelling() {
	s.mu.Lock()
	s.telling = &telling{knows: s.knows}
	s.mu.Unlock()
	s.ledger.beginTelling()
}

// hasPrompt takes in that the agent has the prompt that was sent: it has given a sign of working on
// it, or answered it; mu is held.
func (s *session) hasPrompt() {
	if s.telling == nil || s.running == nil || !s.running.sent {
		return
	}
	s.telling = nil
	s.ledger.delivered()
}

// notTold takes back what a prompt was to tell whose agent does not have it. What has become of
// the files since is as it is.
func (s *session) notTold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.telling
	if w == nil {
		return
	}
	s.telling = nil
	s.untold = append(w.rejected, s.untold...)
	s.words = append(w.words, s.words...)
	s.knows = w.knows
	s.tools.lateUntold(w.late)
	s.ledger.notTold()
}

// lateUntold has the ends of edits told with the next prompt.
func (t *Tools) lateUntold(late []*lateEdit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = append(late, t.late...)
}

// beginTelling begins with what a prompt tells of files. The agent is taken to know it, but for the
// case that it never gets the prompt.
func (l *ledger) beginTelling() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = make(map[buffers.Path][]sighting, len(l.seen))
	for p, list := range l.seen {
		l.before[p] = slices.Clone(list)
	}
	l.toldBefore = maps.Clone(l.told)
	l.settle()
}

// delivered takes in that the agent has the prompt.
func (l *ledger) delivered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before, l.toldBefore = nil, nil
	l.settle()
}

// settle takes what was told for what the agent has seen; mu is held.
func (l *ledger) settle() {
	l.since = l.order
	for _, list := range l.seen {
		for i := range list {
			list[i].told = false
		}
	}
}

// notTold takes back what the prompt told, and leaves what came by other ways since.
func (l *ledger) notTold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before == nil {
		return
	}
	for _, p := range slices.Collect(maps.Keys(l.seen)) {
		since := slices.DeleteFunc(l.seen[p], func(s sighting) bool { return s.told || s.order <= l.since })
		back := slices.DeleteFunc(l.before[p], func(s sighting) bool {
			return slices.ContainsFunc(since, func(o sighting) bool { return o.same(s) })
		})
		l.seen[p] = append(back, since...)
		if n := len(l.seen[p]) - ledgerDepth; n > 0 {
			l.seen[p] = slices.Delete(l.seen[p], 0, n)
		}
		if len(l.seen[p]) == 0 {
			delete(l.seen, p)
		}
	}
	l.told = l.toldBefore
	l.before, l.toldBefore = nil, nil
}

// saw notes a text that a prompt has told the agent.
func (l *ledger) saw(p buffers.Path, t text.Text) { l.add(p, sighting{text: t, told: true}) }

func (s sighting) same(o sighting) bool {
	return s.text.Equal(o.text) && s.change == o.change && s.may == o.may && s.put == o.put
}
