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

	mu      sync.Mutex
	seen    map[buffers.Path][]sighting // oldest first
	asked   map[buffers.Path]bool       // the agent has read the file through us
	refused map[buffers.Path]bool       // its last write was refused, and it has not read since
	order   uint64
}

type sighting struct {
	text   text.Text
	when   time.Time
	change review.ChangeID // the agent's own write that made it, if it is one
	order  uint64          // when, among what comes and goes
	anew   bool            // read because a write was refused
}

// ledgerDepth bounds the texts kept for one file.
const ledgerDepth = 12

func newLedger(now func() time.Time) *ledger {
	return &ledger{now: now, seen: map[buffers.Path][]sighting{}, asked: map[buffers.Path]bool{}, refused: map[buffers.Path]bool{}}
}

func (l *ledger) saw(p buffers.Path, t text.Text) { l.add(p, sighting{text: t}) }

// read notes a text that the agent asked us for. From then on it is not taken
// to look at the file on disk by itself.
func (l *ledger) read(p buffers.Path, t text.Text) {
	l.mu.Lock()
	l.asked[p] = true
	anew := l.refused[p]
	delete(l.refused, p)
	l.mu.Unlock()
	l.add(p, sighting{text: t, anew: anew})
}

// wrote notes a write of the agent's own: the text as the agent sent it.
func (l *ledger) wrote(p buffers.Path, t text.Text, c review.ChangeID) {
	l.add(p, sighting{text: t, change: c})
}

func (l *ledger) add(p buffers.Path, s sighting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.when = l.now()
	l.order++
	s.order = l.order
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

// gone notes that the agent knows the file to be missing: what it writes next is made from
// nothing.
func (l *ledger) gone(p buffers.Path) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, p)
}

// arrived is the place of a write that has come, among what the agent has seen: it is made
// from what came before.
func (l *ledger) arrived() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.order++
	return l.order
}

// refuse notes that a write was refused, and the agent asked to read again.
func (l *ledger) refuse(p buffers.Path) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[p] = true
}

// made tells that a write which has arrived then was made from live, the text that is
// there: the agent, which asks us for files, had sent that itself, to the byte, and was
// told that it is there; or it has read it because a write was refused. Nobody else's
// words are at stake then, or the agent was told of them.
func (l *ledger) made(p buffers.Path, live text.Text, arrived uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range slices.Backward(l.seen[p]) {
		if !s.text.Equal(live) {
			return false
		}
		if (s.change != "" || s.anew) && s.order < arrived {
			return l.asked[p]
		}
	}
	return false
}

// base returns the text from which the agent made content: of all it can have
// seen, the one that differs from content in the fewest rows, on a tie the
// newest. The disk counts as seen, the longest ago, unless the agent has asked
// us for the file: OpenCode and others look for themselves, and write what they
// made of the disk, not of the unsaved text that came with a prompt.
//
// A text that is just like one it saw earlier, and has seen another since, is a
// return to that text: only so can it take a write back.
func (l *ledger) base(p buffers.Path, content string, disk text.Text) text.Text {
	l.mu.Lock()
	list := slices.Clone(l.seen[p])
	if !l.asked[p] || len(list) == 0 {
		list = slices.Insert(list, 0, sighting{text: disk})
	}
	l.mu.Unlock()
	rows := linediff.Split(content)
	best, found := -1, text.Text{}
	newest := len(list) - 1
	for i, s := range slices.Backward(list) {
		n := 0
		for _, e := range linediff.Diff(s.text.Lines(0, s.text.LineCount()), rows) {
			n += e.A1 - e.A0 + e.B1 - e.B0
		}
		if onDisk := s.when.IsZero(); n == 0 && i < newest && !onDisk {
			return list[newest].text
		}
		if best < 0 || n < best {
			best, found = n, s.text
		}
		if n == 0 {
			break
		}
	}
	return found
}

// texts are those the session saw of a file, the newest first.
func (l *ledger) texts(p buffers.Path) []text.Text {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []text.Text
	for _, s := range slices.Backward(l.seen[p]) {
		out = append(out, s.text)
	}
	return out
}
