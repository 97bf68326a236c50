package session

import (
	"math"
	"slices"
	"strings"
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
	told    map[buffers.Path]text.Hash  // of a file whose text it is not told: what that was when it was told of a change
	order   uint64

	// seen and told before the prompt that is on its way, whose agent may never get it; nil if there is none.
	before     map[buffers.Path][]sighting
	toldBefore map[buffers.Path]text.Hash
	since      uint64 // order, when that was
}

type sighting struct {
	text   text.Text
	when   time.Time
	change review.ChangeID // the agent's own write that made it, if it is one
	order  uint64          // when, among what comes and goes
	first  uint64          // as order, when the agent first saw it
	anew   bool            // read because a write was refused
	may    bool            // on disk at a turn point, by another hand: nobody knows that it was looked at
	told   bool            // with a prompt that the agent may never get
	put    bool            // the same, by its own: it knows what it did there, but need not have looked at the rest
}

// ledgerDepth bounds the texts kept for one file.
const ledgerDepth = 12

func newLedger(now func() time.Time) *ledger {
	return &ledger{now: now, seen: map[buffers.Path][]sighting{}, asked: map[buffers.Path]bool{}, refused: map[buffers.Path]bool{}, told: map[buffers.Path]text.Hash{}}
}

// mayHaveSeen notes a text that somebody else has put where the agent can have looked.
func (l *ledger) mayHaveSeen(p buffers.Path, t text.Text) { l.add(p, sighting{text: t, may: true}) }

// put notes a text that the agent itself has put on disk: a shell command of its changes a file
// that it does not look at.
func (l *ledger) put(p buffers.Path, t text.Text) { l.add(p, sighting{text: t, put: true}) }

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
	s.order, s.first = l.order, l.order
	list := slices.DeleteFunc(l.seen[p], func(o sighting) bool {
		same := o.same(s)
		if same {
			s.first = min(s.first, o.first)
		}
		return same
	})
	list = append(list, s)
	if len(list) > ledgerDepth {
		list = slices.Delete(list, 0, len(list)-ledgerDepth)
	}
	l.seen[p] = list
	delete(l.told, p)
}

// tell notes that the agent is told of a change of a file, and not what that holds now. It
// reports whether the agent was not told so before.
func (l *ledger) tell(p buffers.Path, now text.Text) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	hash := buffers.NormHashText(now)
	if l.told[p] == hash {
		return false
	}
	l.told[p] = hash
	return true
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
	delete(l.told, p)
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
// newest, or the newest that it has surely seen if it asks us for the file. The disk counts as seen, the longest ago, unless the agent has asked
// us for the file: OpenCode and others look for themselves, and write what they
// made of the disk, not of the unsaved text that came with a prompt.
//
// A text that is just like one it saw earlier, and has seen another since, is a
// return to that text: only so can it take a write back. What it may have seen since of
// others' is none of its own to take back, if it asks us for the file.
//
// Nor is a text meant by which the agent would itself have made a change that one it saw later
// has: it has that from there, see [knows]. Of what was taken back since, see [butTakenBack].
func (l *ledger) base(p buffers.Path, content string, disk text.Text) text.Text {
	return l.baseSent(p, content, disk, math.MaxUint64)
}

// baseSent is base for a write that has arrived then: what was answered later is not in it.
func (l *ledger) baseSent(p buffers.Path, content string, disk text.Text, arrived uint64) text.Text {
	l.mu.Lock()
	list := slices.Clone(l.seen[p])
	asked := l.asked[p]
	if !asked || len(list) == 0 {
		list = slices.Insert(list, 0, sighting{text: disk})
	}
	l.mu.Unlock()
	rows := linediff.Split(content)
	best, nearest := -1, -1
	newest := len(list) - 1
	for asked && newest > 0 && list[newest].may {
		newest--
	}
	for i, s := range slices.Backward(list) {
		n := 0
		for _, e := range linediff.Diff(s.text.Lines(0, s.text.LineCount()), rows) {
			n += e.A1 - e.A0 + e.B1 - e.B0
		}
		if onDisk := s.when.IsZero(); n == 0 && i < newest && !onDisk {
			return list[newest].text
		}
		if best < 0 || n < best || n == best && asked && list[nearest].may && !s.may {
			best, nearest = n, i
		}
		if n == 0 {
			break
		}
	}
	for later := newest; later > nearest; later-- {
		if s := list[later]; !s.may && knows(rows, list, nearest, later) {
			nearest = later
			break
		}
	}
	if asked {
		return butTakenBack(rows, list, nearest, arrived)
	}
	return list[nearest].text
}

// knows reports whether rows, which list[from] is the nearest to, were made of what the agent
// saw later all the same: they have a change that came with it, and leave out nothing that
// was new in it. An agent may make anew what was taken back, of a text in which little else
// was done: that is nearer to what it had made then than to what it has read.
func knows(rows []string, list []sighting, from, later int) bool {
	was, is := list[from].text.Lines(0, list[from].text.LineCount()), list[later].text.Lines(0, list[later].text.LineCount())
	came := linediff.Diff(was, is)
	if !slices.ContainsFunc(linediff.Diff(was, rows), func(e linediff.Edit) bool {
		return !blankRows(was[e.A0:e.A1], rows[e.B0:e.B1]) && slices.ContainsFunc(came, func(o linediff.Edit) bool {
			return o.A0 == e.A0 && o.A1 == e.A1 && slices.Equal(is[o.B0:o.B1], rows[e.B0:e.B1])
		})
	}) {
		return false
	}
	return keepsNew(rows, list, later)
}

func blankRows(sides ...[]string) bool {
	for _, rows := range sides {
		if slices.ContainsFunc(rows, func(row string) bool { return strings.TrimSpace(row) != "" }) {
			return false
		}
	}
	return true
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
