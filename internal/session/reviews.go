package session

import (
	"slices"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// pathOf is the file of a URI, as an open document or as a name.
func (c *Core) pathOf(uri string) (buffers.Path, bool) {
	for _, a := range c.attached() {
		if d, ok := a.Document(uri); ok && d.Path() != "" {
			return d.Path(), true
		}
	}
	name, ok := buffers.URIPath(uri)
	if !ok {
		return "", false
	}
	if p, ok := c.becameLink(name); ok {
		return p, true
	}
	p, err := buffers.Resolve(name)
	return p, err == nil
}

// Reviews lists what there is to review, of one file, one session, or of all,
// in the states named (by default those that are not decided).
func (c *Core) Reviews(uri, session string, states ...review.State) []Review {
	if len(states) == 0 {
		states = []review.State{review.StatePending, review.StateProposed, review.StateConflict}
	}
	_ = c.durable.wait(c.ctx) // an editor that asks at its start is not told there is nothing
	c.durable.neighbours(c.ctx)
	var only buffers.Path
	if uri != "" {
		p, ok := c.pathOf(uri)
		if !ok {
			return nil
		}
		only = p
	}
	var out []Review
	for _, f := range c.allFiles() {
		if only != "" && f.path != only {
			continue
		}
		f.mu.Lock()
		if f.doc != nil || f.moving != nil || (f.refusedChange() != nil || f.rejectedChange() != nil) && slices.Contains(states, review.StateRejected) {
			var hunks []review.Hunk
			if f.doc != nil {
				hunks = f.committed(visible(f.doc.Hunks(states...)))
			}
			if session != "" {
				hunks = slices.DeleteFunc(hunks, func(h review.Hunk) bool {
					return !slices.ContainsFunc(h.Origins, func(o review.Origin) bool { return o.Session == session })
				})
			}
			if len(hunks) > 0 || f.shownChange() != nil && (session == "" || f.changeBy() == session) || only != "" {
				out = append(out, f.answer(hunks))
			}
			if c := f.rejectedChange(); c != nil && slices.Contains(states, review.StateRejected) && (session == "" || f.undone.entire.by.Session == session) {
				r := f.review(hunks)
				r.File = c
				out = append(slices.DeleteFunc(out, func(o Review) bool { return o.Path == r.Path }), r)
			}
			if c := f.refusedChange(); c != nil && slices.Contains(states, review.StateRejected) && (session == "" || f.entire.refused.Session == session) {
				r := f.review(hunks)
				r.File = c
				out = append(slices.DeleteFunc(out, func(o Review) bool { return o.Path == r.Path }), r)
			}
		}
		f.mu.Unlock()
	}
	return out
}

// HunkAt returns the undecided hunk at a row (0-based) of a document.
func (c *Core) HunkAt(uri string, line int) (review.Hunk, bool) {
	for _, r := range c.Reviews(uri, "") {
		for _, h := range r.Hunks {
			if line >= h.StartLine && (line < h.EndLine || line == h.StartLine) {
				return h, true
			}
		}
	}
	return review.Hunk{}, false
}

// Baseline is the text a document would have if everything undecided were
// rejected.
func (c *Core) Baseline(uri string) (string, error) {
	_ = c.durable.wait(c.ctx)
	p, ok := c.pathOf(uri)
	if !ok {
		return "", Errorf(KindInvalid, "%s is no file", uri)
	}
	f := c.file(p)
	f.mu.Lock()
	if f.doc != nil {
		defer f.mu.Unlock()
		return f.baseline(), nil
	}
	f.mu.Unlock()
	t, err := c.readText(p)
	if err != nil {
		return "", Errorf(KindInvalid, "read %s: %w", p, err)
	}
	return t.String(), nil
}
