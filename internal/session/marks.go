package session

import (
	"slices"
	"sync"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
)

// What a user has picked for a prompt that is not written yet is a piece of text, and not
// the rows that have its numbers when the prompt is sent. A mark is a range of an open
// document that moves with what becomes of the text, whoever changes that.

// maxMarks bounds how many are kept; the oldest go first, and what they stand for is then
// the range that the editor names along with them.
const maxMarks = 64

type marks struct {
	mu   sync.Mutex
	list []*rangeMark
}

// rangeMark is the bytes [start, end) of an open document.
type rangeMark struct {
	id         string
	at         *Attachment
	doc        *buffers.Document // in which start and end count
	start, end int
	gone       bool  // nothing is left of it
	held       *Span // what it was when its document was closed
}

// Mark keeps a range of an open document for [Span.Mark]. It is an error of KindNotFound if
// the document is not open.
func (c *Core) Mark(s Span) (string, error) {
	if s.Range == nil {
		return "", Errorf(KindInvalid, "a mark needs a range")
	}
	for _, a := range c.attached() {
		d, ok := a.Document(s.URI)
		if !ok {
			continue
		}
		m := &rangeMark{id: c.newID("mark-"), at: a, doc: d} // the editor may still hold one of an earlier run
		m.start, m.end = position.RangeOffsets(d.Text, *s.Range, a.enc)
		c.marks.mu.Lock()
		defer c.marks.mu.Unlock()
		c.marks.list = append(c.marks.list, m)
		c.marks.list = c.marks.list[max(0, len(c.marks.list)-maxMarks):]
		return m.id, nil
	}
	return "", Errorf(KindNotFound, "%s is not open", shownURI(s.URI))
}

// follow moves the marks of a document along with an event of it. It is called on the read
// loop.
func (ms *marks) follow(at *Attachment, ev buffers.Event) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for _, m := range ms.list {
		if ev.Before == nil || m.at != at || m.doc.URI != ev.Before.URI || m.held != nil || m.doc.Text != ev.Before.Text {
			continue // or the mark was made after the event
		}
		if ev.After == nil {
			held := m.span()
			m.held = &held
			continue
		}
		m.doc = ev.After
		was := ev.Before.Text
		for _, s := range ev.Steps {
			m.move(was, s)
			was = s.After
		}
	}
}

// move takes one replacement of was into account, row by row: an editor may replace more
// than it changes.
func (m *rangeMark) move(was text.Text, s buffers.Step) {
	if m.gone || m.end <= s.Start {
		return
	}
	if m.start >= s.OldEnd {
		m.start, m.end = m.start+s.NewEnd-s.OldEnd, m.end+s.NewEnd-s.OldEnd
		return
	}
	old, new := text.New(was.Slice(s.Start, s.OldEnd)), text.New(s.After.Slice(s.Start, s.NewEnd))
	for _, e := range slices.Backward(linediff.Diff(rowsWithEnds(old), rowsWithEnds(new))) {
		from, to := rowStart(old, e.A0), rowStart(old, e.A1)
		m.replaced(s.Start+from, s.Start+to, rowStart(new, e.B1)-rowStart(new, e.B0))
	}
	m.gone = m.start >= m.end
}

// rowStart is the byte at which row i of t begins, t's end for the row behind the last.
func rowStart(t text.Text, i int) int {
	if i == t.LineCount() {
		return t.Len()
	}
	return t.LineStart(i)
}

// replaced takes into account that the bytes [start, end) are n others. What is put in at
// the mark's border is not in it, what takes the place of some of it is.
func (m *rangeMark) replaced(start, end, n int) {
	grown := n - (end - start)
	switch {
	case m.end <= start:
		return
	case m.end >= end:
		m.end += grown
	default:
		m.end = start + min(n, m.end-start) // n bytes stand for what it reached into
	}
	switch {
	case m.start >= end:
		m.start += grown
	case m.start > start:
		m.start = start + min(n, m.start-start)
	}
}

// span is what a mark stands for in its document.
func (m *rangeMark) span() Span {
	s := Span{URI: m.doc.URI, gone: m.gone}
	if m.gone {
		return s
	}
	return s.pinnedTo(m.doc.Text, m.start, m.end)
}

// resolve returns what a mark stands for now; not ok if there is none of this id.
func (ms *marks) resolve(id string) (Span, bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	i := slices.IndexFunc(ms.list, func(m *rangeMark) bool { return m.id == id })
	if i < 0 {
		return Span{}, false
	}
	m := ms.list[i]
	if m.held != nil {
		return *m.held, true
	}
	return m.span(), true
}
