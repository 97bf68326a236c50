package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// After acp-ls was killed in the middle of a turn its user goes on in an editor that lives, and
// saves. Nobody has looked at that either, but it is no unknown program's: the editor says what it
// has written, or what is on disk can be seen to come from a text that the journal knows.

// away is what an editor has written of a file while no acp-ls ran.
type away struct {
	content string
	read    *string // what it had read there before, after acp-ls had ended; nil: nothing
}

// WroteAway takes in that an editor says, before it is attached, to have written a file while no
// acp-ls ran: content is what the user had there the last time. read, if it is not nil, is what the
// editor had read there before, which anybody can have written.
func (c *Core) WroteAway(uri, content string, read *string) {
	p, ok := c.pathOf(uri)
	if !ok || c.durable == nil || c.isOwn(p) {
		return
	}
	c.durable.mu.Lock()
	defer c.durable.mu.Unlock()
	if c.durable.away == nil {
		c.durable.away = map[buffers.Path]away{}
	}
	c.durable.away[p] = away{content, read}
}

// afterAway makes what an editor has written of a file meanwhile what that was known to be, and
// reports whether it is that yet: then nothing of it is left to look at.
func (d *durable) afterAway(l *leftover) bool {
	d.mu.Lock()
	a, ok := d.away[l.Path]
	d.mu.Unlock()
	if !ok || l.After.Opaque != "" {
		return false
	}
	content := a.content
	if a.read != nil && l.Before.Opaque == "" && buffers.NormHash(*a.read) != buffers.NormHashText(l.was) {
		l.away = &a // what came before that is to be looked at
		return false
	}
	if l.After.Exists && buffers.NormHash(content) == buffers.NormHash(l.After.Content) {
		content = l.After.Content // editors write the ends in their own way
	}
	if !l.Before.Exists || l.Before.Opaque != "" {
		l.Before = checkpoint.State{Exists: true, Exec: l.After.Exec}
	}
	l.Before.Content, l.was = content, text.New(content)
	l.copied = checkpoint.Copy{State: l.Before}
	return l.Before.Same(l.After)
}

// savedFrom returns the last state of an entry if what is found on disk comes from its text, and
// not from what the disk was known to have: a document that was saved. Nil: it is not to be seen.
func (d *durable) savedFrom(e journal.Entry, was, found text.Text) *review.Doc {
	if e.Last.State == nil || e.Last.Opaque != "" || e.Last.Deleted {
		return nil
	}
	doc, err := review.UnmarshalState(e.Last.State, d.core.now)
	if err != nil || doc.Text().Equal(was) || !neverMade(doc.Text(), was, found) {
		return nil
	}
	return doc
}
