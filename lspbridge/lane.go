package lspbridge

import (
	"time"

	"acp-ls/internal/session"
)

type nodeKind int

const (
	infoNode nodeKind = iota
	entryNode
	chunkNode
	terminalNode
	reviewNode
	messageNode
	markNode
)

// node is one thing that waits to be written.
type node struct {
	prev, next *node
	kind       nodeKind
	session    string
	id         string // of the entry, chunk or terminal; the method of a message
	text       []byte // of a chunk or terminal

	info    session.Info
	entry   session.Entry
	exit    *session.TerminalExit
	review  session.Review
	params  any
	written chan struct{} // of a mark
}

// commutes says whether a node is text that is appended somewhere: such nodes,
// between two that are not, form a run and may be written in any order.
func (n *node) commutes() bool { return n.kind == chunkNode || n.kind == terminalNode }

type textKey struct {
	kind nodeKind
	id   string
}

// lane is a list of nodes in the order they are to be written.
type lane struct {
	name       string
	head, tail *node
	marks      int

	// What may still be joined or replaced; forgotten when a mark is set, so that
	// nothing before the mark moves behind it.
	run     map[textKey]*node // text nodes behind the last node that does not commute
	state   *node             // the session's state
	latest  map[string]*node  // an entry whose place is not needed, by id
	placed  map[string]bool   // entries whose first value holds the entry's place
	reviews map[string]*node  // by URI

	sent    map[textKey]time.Time // when something was last written of an entry or terminal
	written session.Info          // the state written last
	stateAt time.Time
}

func newLane(name string) *lane {
	l := &lane{name: name, sent: map[textKey]time.Time{}}
	l.forget()
	return l
}

func (l *lane) forget() {
	l.run, l.latest = map[textKey]*node{}, map[string]*node{}
	l.placed, l.reviews = map[string]bool{}, map[string]*node{}
	l.state = nil
}

func (l *lane) push(n *node) *node {
	n.session = l.name
	n.prev = l.tail
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.next = n
	}
	l.tail = n
	if !n.commutes() {
		clear(l.run)
	}
	return n
}

func (l *lane) unlink(n *node) {
	if n.prev == nil {
		l.head = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.tail = n.prev
	} else {
		n.next.prev = n.prev
	}
}

// replace removes a node and pushes another, which takes over from it. The runs
// of text before and behind the removed node become one.
func (l *lane) replace(old, n *node) {
	if old != nil {
		before, behind := old.prev, old.next
		l.unlink(old)
		for behind != nil && behind.commutes() {
			next := behind.next
			for b := before; b != nil && b.commutes(); b = b.prev {
				if b.kind == behind.kind && b.id == behind.id {
					b.join(behind)
					l.unlink(behind)
					break
				}
			}
			behind = next
		}
	}
	l.push(n)
}

func (n *node) join(behind *node) {
	n.text = append(n.text, behind.text...)
	if behind.exit != nil {
		n.exit = behind.exit
	}
}

func (l *lane) setInfo(i session.Info) {
	if l.state != nil && l.state == l.tail {
		l.state.info = i
		return
	}
	n := &node{kind: infoNode, info: i}
	l.replace(l.state, n)
	l.state = n
}

// setEntry replaces the value of an entry that waits. The first value of an
// entry the editor may not know yet stays where it is, because it decides where
// in the transcript the entry stands.
func (l *lane) setEntry(e session.Entry) {
	if t := l.tail; t != nil && t.kind == entryNode && t.id == e.ID && (l.latest[e.ID] == t || l.placed[e.ID]) {
		t.entry = e
		return
	}
	n := &node{kind: entryNode, id: e.ID, entry: e}
	l.replace(l.latest[e.ID], n)
	_, known := l.sent[textKey{chunkNode, e.ID}]
	if known || l.placed[e.ID] {
		l.latest[e.ID] = n
	} else {
		l.placed[e.ID] = true
	}
}

func (l *lane) addText(kind nodeKind, id, text string) *node {
	key := textKey{kind, id}
	n := l.run[key]
	if n == nil {
		n = l.push(&node{kind: kind, id: id})
		l.run[key] = n
	}
	n.text = append(n.text, text...)
	return n
}

func (l *lane) mark(n *node) {
	l.push(n)
	l.marks++
	l.forget()
}

// due returns the node to write next, or how long it is until there is one.
func (l *lane) due(now time.Time) (*node, time.Duration) {
	first := l.head
	if first == nil {
		return nil, 0
	}
	if l.marks > 0 || !first.commutes() {
		if wait := l.wait(first, now); wait > 0 && l.marks == 0 {
			return nil, wait
		}
		return first, 0
	}
	shortest := time.Duration(0)
	for n := first; n != nil && n.commutes(); n = n.next {
		wait := l.wait(n, now)
		if wait <= 0 {
			return n, 0
		}
		if shortest == 0 || wait < shortest {
			shortest = wait
		}
	}
	return nil, shortest
}

// wait is how long the pace keeps a node back.
func (l *lane) wait(n *node, now time.Time) time.Duration {
	switch n.kind {
	case chunkNode, terminalNode:
		return l.sent[textKey{n.kind, n.id}].Add(pace).Sub(now)
	case entryNode:
		return l.sent[textKey{chunkNode, n.id}].Add(pace).Sub(now)
	case infoNode:
		// Only what trickles, such as usage, is slowed down.
		if n.info.State == l.written.State && n.info.Turn == l.written.Turn {
			return l.stateAt.Add(pace).Sub(now)
		}
	}
	return 0
}

// take removes a node that is about to be written.
func (l *lane) take(n *node, now time.Time) {
	l.unlink(n)
	switch n.kind {
	case chunkNode, terminalNode:
		key := textKey{n.kind, n.id}
		if l.run[key] == n {
			delete(l.run, key)
		}
		l.sent[key] = now
	case entryNode:
		if l.latest[n.id] == n {
			delete(l.latest, n.id)
		} else {
			delete(l.placed, n.id)
		}
		l.sent[textKey{chunkNode, n.id}] = now
	case infoNode:
		if l.state == n {
			l.state = nil
		}
		l.written, l.stateAt = n.info, now
	case reviewNode:
		if l.reviews[n.review.URI] == n {
			delete(l.reviews, n.review.URI)
		}
	case markNode:
		l.marks--
	}
}

// forgettable says whether an empty lane holds nothing that a new one would not:
// all that was written may be written again at once.
func (l *lane) forgettable(now time.Time) bool {
	for key, at := range l.sent {
		if now.Sub(at) >= pace {
			delete(l.sent, key)
		}
	}
	return len(l.sent) == 0 && now.Sub(l.stateAt) >= pace
}
