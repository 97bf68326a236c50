package review

import (
	"cmp"
	"slices"
	"strings"
)

// carry carries the words of the baseline through an event that fills a paragraph anew, joins
// rows or parts them (rule c). A row of the text that holds words of an agent is the agent's, and
// what else it holds stands in deleted rows, as long as it is there. So a word of the user's that
// flows into such a row is put into a deleted row; and one that flows out of it is taken out of
// there, since a plain row is in the baseline as it is.
type carry struct {
	*builder
	flows  []flowed
	number map[int]int // of the old rows, by their places in the window

	words map[holder]map[span]*baseWord
	parts [][]part // of the old rows, in their order
	below []row    // deleted rows that are to stand below the new ones
	left  bool     // the words that agents have left of the rows they took out take part
}

// A holder is a row that the words of the baseline are in: a deleted one, or one of the old rows.
type holder struct {
	tomb uint64 // its id, 0 if it is not deleted
	old  int
}

// A baseWord is a word that is in the text and in the baseline.
type baseWord struct {
	in    holder
	span       // where it stands there
	first bool // nothing stands in front of it there
	at    int  // the place in the window of the deleted row, -1 if that stays where it is

	now   []string // what has become of it, in the rows that are the agent's now
	into  int      // the first of these, of the new rows
	plain bool     // it, or a part of it, is in a plain row now
	under bool     // it is in a row below the old ones
	held  bool     // what is left of it is part of an agent's word

	stays  bool // the deleted row that has it is one that an agent took out, and stays in its place
	agents bool // an agent has left it, and so it is an agent's in the text
	joined bool // it is part of what another word has become

	row           []string // of a word that stays: the words of its row
	n             int      // its place among them
	behind, front bool     // in the text, an agent's own word stood behind it, or in front
}

// part is a part of an old row: a word that is in the baseline, the agent's, or what the user
// typed among these.
type part struct {
	span
	word   *baseWord
	agents bool
	whole  bool // a word that an agent has left, and what the user has typed into it
}

// carryWords finds out which words of the old rows, the rows where of the window, the baseline has,
// and puts those that have come into agents' rows, or left them, where the baseline still has
// them. The rows it makes are added to flows; those in below are to stand below the new rows.
func (b *builder) carryWords(from, to, behind int, olds []row, where []int, news []row, flows []flowed) (below []row) {
	first := b.firstNear(from)
	end := to
	for n := 0; end < len(b.in) && end < to+nearTombs && (n < nearRuns || b.in[end].undecided()); end++ {
		if !b.in[end].undecided() {
			n++
		}
	}
	near := slices.Concat(b.out[first:], b.in[from:end])
	plain := func(r row) bool { return r.ins == 0 }
	left := b.leftWords(near, olds, where, len(news))
	if !left && !slices.ContainsFunc(olds, plain) && !slices.ContainsFunc(near, func(r row) bool { return r.carried }) {
		return nil
	}
	c := carry{builder: b, flows: flows, number: map[int]int{}, words: map[holder]map[span]*baseWord{}, parts: make([][]part, len(olds)), left: left}
	for i, w := range where {
		c.number[w] = i
	}
	c.ownWords(first, from, to, end)
	c.follow(olds, texts(news))
	c.place(from, behind, olds)
	if left {
		for k := range flows {
			flows[k].told = true
		}
	}
	return c.below
}

// firstNear returns the first of the rows that are made which can be near the row from of the window: how
// near is told by how the rows stood before the event, for which of the ones in front of it are
// looked at must not depend on the window.
func (b *builder) firstNear(from int) int {
	near := map[uint64]bool{}
	elsewhere := map[uint64]bool{} // moved by the event, and so no sign of what is near
	for _, r := range b.moved {
		elsewhere[r.id] = true
	}
	lo := from
	for n := 0; lo > 0 && from-lo < nearTombs && (n < nearRuns || b.in[lo-1].undecided()); {
		lo--
		if !b.in[lo].undecided() {
			n++
		}
		if r := b.in[lo]; r.undecided() && !elsewhere[r.id] {
			near[r.id] = true
		}
	}
	first := len(b.out)
	for first > 0 && len(b.out)-first < nearTombs && b.out[first-1].undecided() {
		first--
	}
	for i := max(0, len(b.out)-2*nearTombs); i < first; i++ {
		if r := b.out[i]; r.undecided() && near[r.id] {
			return i
		}
	}
	return first
}

// leftWords reports whether the words that agents have left of the rows they took out are to be
// told from their own: in an event that is not in one row alone which took the place of one
// (changeReplaced).
func (b *builder) leftWords(near, olds []row, where []int, news int) bool {
	if len(olds) == 1 && news == 1 && olds[0].agents() && !slices.ContainsFunc(near, func(r row) bool { return r.carried }) && b.standsInPlace(where[0]) {
		return false
	}
	n := 0
	for _, r := range near {
		n += len(r.text)
	}
	return n <= maxLeft && slices.ContainsFunc(near, func(r row) bool { return r.tomb() && !r.carried })
}

// maxLeft is how many bytes around an event can have words that an agent has left.
const maxLeft = 64 << 10

// nearTombs is how many undecided rows in front of an event, and behind it, can hold words of it.
const nearTombs = 200

// follow finds out what has become of the words. What the user has typed beside a word that the
// baseline has comes into it with that, unless it has become part of an agent's.
func (c *carry) follow(olds []row, news []string) {
	into := pieces(olds, news)
	c.besideOwn()
	for k, s := range news {
		n := neighbours{carry: c, k: k}
		all := fields(s)
		c.flows[k].based = c.flows[k].ins == 0 && len(all) > 0
		for _, field := range all {
			word := s[field.from:field.to]
			var found []part
			agents := false
			had := 0 // bytes of the word that are in the baseline
			for _, p := range within(into[k], field) {
				// What of p is in this word.
				from, to := max(p.old, field.from-p.new+p.old), min(p.old+p.n, field.to-p.new+p.old)
				parts := c.parts[p.row]
				first, _ := slices.BinarySearchFunc(parts, from, func(x part, from int) int { return cmp.Compare(x.to, from+1) })
				for _, x := range parts[first:] {
					if x.from >= to {
						break
					}
					found = append(found, x)
					if x.word != nil {
						had += min(x.to, to) - max(x.from, from)
					}
					agents = agents || x.agents
				}
			}
			if c.flows[k].ins == 0 {
				for _, x := range found {
					c.leaves(x.word, k)
				}
				c.flows[k].based = c.flows[k].based && had == field.to-field.from
				continue
			}
			own := slices.IndexFunc(found, func(x part) bool { return x.word != nil })
			switch {
			case agents, own >= 0 && c.flows[k].moved:
				for _, x := range found {
					c.put(x.word, k, "")
				}
				n.next(nil, "")
			case own >= 0:
				n.next(found[own].word, word)
				for _, x := range found {
					if x.word != nil && x.word != found[own].word {
						x.word.joined = true
					}
				}
			case c.flows[k].moved:
			case len(found) > 0 || c.author == AuthorFormatter: // typed among the agent's
				n.next(nil, "")
			default:
				n.typed = append(n.typed, word)
			}
		}
		n.end()
	}
}

// besideOwn notes which words stood beside agents' own words in the old rows.
func (c *carry) besideOwn() {
	var last part
	for _, ps := range c.parts {
		for _, p := range ps {
			if p.word != nil {
				p.word.front = last.agents
			}
			if p.agents && last.word != nil {
				last.word.behind = true
			}
			last = p
		}
	}
}

// neighbours puts what the user has typed in the agent's row k beside the words that the baseline
// has: behind them, else in front. Beside a word that an agent has left it does not if an agent's
// own is on the other side, or was there, or if the baseline has there what was typed: it was typed in the
// place of what the agent put there.
type neighbours struct {
	*carry
	k     int
	last  *baseWord // the word before, nil if the baseline has it not
	any   bool      // there is one
	typed []string  // since
}

// next goes on to the word w, which reads s now; nil: one that the baseline has not.
func (n *neighbours) next(w *baseWord, s string) {
	switch {
	case len(n.typed) == 0:
	case n.last != nil && (w != nil || !n.last.stays):
		n.putBehind(w)
	case n.last == nil && w != nil && !(w.stays && (n.any || w.front || w.hasInFront(n.typed))):
		s = strings.Join(n.typed, " ") + " " + s
	}
	n.typed = nil
	if n.last, n.any = w, true; w != nil {
		n.put(w, n.k, s)
	}
}

// end is the end of the row.
func (n *neighbours) end() {
	if len(n.typed) > 0 && n.last != nil {
		n.putBehind(nil)
	}
}

// putBehind puts what was typed behind the last word, where w comes next.
func (n *neighbours) putBehind(w *baseWord) {
	if n.last.stays && (n.last.behind || n.last.hasBehind(n.typed)) || w != nil && w.stays && (w.front || w.hasInFront(n.typed)) {
		return
	}
	n.put(n.last, n.k, strings.Join(n.typed, " "))
}

// hasBehind reports whether the baseline has words behind w, in its row.
func (w *baseWord) hasBehind(words []string) bool {
	from := w.n + 1
	return from+len(words) <= len(w.row) && slices.Equal(w.row[from:from+len(words)], words)
}

// hasInFront reports whether the baseline has words in front of w, in its row.
func (w *baseWord) hasInFront(words []string) bool {
	from := w.n - len(words)
	return from >= 0 && w.row != nil && slices.Equal(w.row[from:w.n], words)
}

// within returns the pieces of which a part is in s of the new row.
func within(pieces []piece, s span) []piece {
	from, _ := slices.BinarySearchFunc(pieces, s.from, func(p piece, from int) int { return cmp.Compare(p.new+p.n, from+1) })
	to := from
	for to < len(pieces) && pieces[to].new < s.to {
		to++
	}
	return pieces[from:to]
}

// put notes that s is in an agent's row k for w, if that is one of the baseline's; if s is empty,
// as part of an agent's word.
func (c *carry) put(w *baseWord, k int, s string) {
	if w == nil {
		return
	}
	if !w.stays {
		c.flows[k].told = c.flows[k].told || s != ""
		c.flows[k].upTo = max(c.flows[k].upTo, w.at+1)
	}
	if w.into < 0 {
		w.into = k
	}
	if s == "" {
		w.held = true
	} else {
		w.now = append(w.now, s)
	}
}

// leaves notes that w, if it is one of the baseline's, has come into the plain row k. Of the deleted
// rows, those in front of the one that had it stay above that row.
func (c *carry) leaves(w *baseWord, k int) {
	if w == nil {
		return
	}
	w.plain = true
	if f := &c.flows[k]; w.in.tomb != 0 && !w.stays && f.tomb == 0 {
		f.tomb, f.below = w.in.tomb, w.first
	}
}

// left returns what the deleted rows have for w; false: nothing.
func (w *baseWord) left(text string) (string, bool) {
	switch {
	case len(w.now) > 0:
		return strings.Join(w.now, " "), true
	case w.joined:
		return "", false
	case w.held && !w.plain, w.under, w.agents:
		return text[w.from:w.to], true
	}
	return "", false
}
