package session

import (
	"fmt"
	"slices"
	"sync"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What the user discards of a proposal was never in the text, and cannot be brought back: its agent is
// told no. Whoever wants to take back the last decision must not have an older one taken back instead,
// so it is known which was the last, by the numbers of rejections.

// discards are the last decisions by which proposals were discarded, by file.
type discards struct {
	mu sync.Mutex
	of map[buffers.Path]discard
}

type discard struct {
	number int64
	gate   *gate
	change review.ChangeID
}

// Discarded says that the user has discarded what an agent has proposed for a file. Decided is the
// number of that decision, as beside what was rejected.
type Discarded struct {
	URI     string `json:"uri"`
	Decided int64  `json:"decided"`
	Message string `json:"message"` // what can be done about it, for the user
}

func (c *Core) noteDiscard(p buffers.Path, d discard) {
	if d.number == 0 || d.gate == nil {
		return
	}
	c.discards.mu.Lock()
	defer c.discards.mu.Unlock()
	if c.discards.of == nil {
		c.discards.of = map[buffers.Path]discard{}
	}
	if c.discards.of[p].number < d.number {
		c.discards.of[p] = d
	}
}

// noteDiscards notes what an answer has discarded, or that it has discarded nothing after all.
func (g *gate) noteDiscards(none bool) {
	c := g.core()
	if none {
		c.discards.mu.Lock()
		defer c.discards.mu.Unlock()
		for p, d := range c.discards.of {
			if d.gate == g {
				delete(c.discards.of, p)
			}
		}
		return
	}
	number := c.rejections.begin(c.now())
	for _, p := range g.parts {
		p.f.mu.Lock()
		discards := p.f.doc != nil && slices.ContainsFunc(p.f.doc.Proposals(p.change), func(h review.Hunk) bool {
			return h.Marked == review.TakeMine || h.Marked == "" && !g.allows()
		})
		p.f.mu.Unlock()
		if discards {
			c.noteDiscard(p.f.path, discard{number, g, p.change})
		}
	}
}

// gatesOf are the gates that have proposed the hunks named.
func (f *file) gatesOf(ids []string) map[review.ChangeID]*gate {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := map[review.ChangeID]*gate{}
	for change, g := range f.gates {
		if f.doc != nil && slices.ContainsFunc(f.doc.Proposals(change), func(h review.Hunk) bool { return slices.Contains(ids, h.ID) }) {
			of[change] = g
		}
	}
	return of
}

// Discarded is the last decision that has discarded a proposal, in one file or in all, and still
// stands; nil if there is none.
func (c *Core) Discarded(uri string) *Discarded {
	var only buffers.Path
	if uri != "" {
		p, ok := c.pathOf(uri)
		if !ok {
			return nil
		}
		only = p
	}
	c.discards.mu.Lock()
	known := map[buffers.Path]discard{}
	for p, d := range c.discards.of {
		if only == "" || p == only {
			known[p] = d
		}
	}
	c.discards.mu.Unlock()
	var last discard
	var in *file
	open := false
	for p, d := range known {
		f := c.file(p)
		if d.number <= last.number {
			continue
		}
		f.mu.Lock()
		waits := f.gates[d.change] == d.gate
		marked := waits && f.doc != nil && slices.ContainsFunc(f.doc.Proposals(d.change), func(h review.Hunk) bool { return h.Marked == review.TakeMine })
		f.mu.Unlock()
		if waits && !marked {
			continue // the user has applied it since
		}
		last, in, open = d, f, waits
	}
	if in == nil {
		return nil
	}
	s := last.gate.sess
	message := fmt.Sprintf("%s was told that you discarded its proposal in %s: ask it again", s.agentName, s.relative(string(in.path)))
	if open {
		message = fmt.Sprintf("%s still waits: accept its proposal in %s to apply it after all", s.agentName, s.relative(string(in.path)))
	}
	return &Discarded{URI: buffers.PathURI(string(in.path)), Decided: last.number, Message: message}
}
