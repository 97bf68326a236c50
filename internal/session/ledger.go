package session

import (
	"slices"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// ledger is what a session's agent can have seen of each file: the texts from
// which its next write of the file may have been made. Texts share their
// chunks with the document, so keeping them costs what differs.
type ledger struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[buffers.Path][]sighting // oldest first
}

type sighting struct {
	text   text.Text
	when   time.Time
	change review.ChangeID // the agent's own write that made it, if it is one
}

// ledgerDepth bounds the texts kept for one file.
const ledgerDepth = 12

func newLedger(now func() time.Time) *ledger {
	return &ledger{now: now, seen: map[buffers.Path][]sighting{}}
}

func (l *ledger) saw(p buffers.Path, t text.Text) { l.add(p, sighting{text: t}) }

// wrote notes a write of the agent's own: the text as the agent sent it.
func (l *ledger) wrote(p buffers.Path, t text.Text, c review.ChangeID) {
	l.add(p, sighting{text: t, change: c})
}

func (l *ledger) add(p buffers.Path, s sighting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.when = l.now()
	list := slices.DeleteFunc(l.seen[p], func(o sighting) bool { return o.text.Equal(s.text) && o.change == s.change })
	list = append(list, s)
	if len(list) > ledgerDepth {
		list = slices.Delete(list, 0, len(list)-ledgerDepth)
	}
	l.seen[p] = list
}

// forgetWrites drops the agent's own writes of a file that were rejected: a
// session that has read the file again knows better.
func (l *ledger) forgetWrites(p buffers.Path, rejected func(review.ChangeID) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[p] = slices.DeleteFunc(l.seen[p], func(s sighting) bool { return s.change != "" && rejected(s.change) })
}

// base returns the text from which the agent made content: of all it can have
// seen, the one that differs from content in the fewest rows, on a tie the
// newest.
func (l *ledger) base(p buffers.Path, content string) (text.Text, bool) {
	l.mu.Lock()
	list := slices.Clone(l.seen[p])
	l.mu.Unlock()
	rows := linediff.Split(content)
	best, found := -1, text.Text{}
	for _, s := range slices.Backward(list) {
		n := 0
		for _, e := range linediff.Diff(s.text.Lines(0, s.text.LineCount()), rows) {
			n += e.A1 - e.A0 + e.B1 - e.B0
		}
		if best < 0 || n < best {
			best, found = n, s.text
		}
		if n == 0 {
			break
		}
	}
	return found, best >= 0
}

// knows tells whether the session can have seen anything of the file.
func (l *ledger) knows(p buffers.Path) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen[p]) > 0
}
