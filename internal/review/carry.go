package review

import (
	"cmp"
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
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
}

// part is a part of an old row: a word that is in the baseline, the agent's, or what the user
// typed among these.
type part struct {
	span
	word   *baseWord
	agents bool
}

// carryWords finds out which words of the old rows, the rows where of the window, the baseline has,
// and puts those that have come into agents' rows, or left them, where the baseline still has
// them. The rows it makes are added to flows; those in below are to stand below the new rows.
func (b *builder) carryWords(from, to, behind int, olds []row, where []int, news []row, flows []flowed) (below []row) {
	first := len(b.out)
	for first > 0 && len(b.out)-first < nearTombs && b.out[first-1].undecided() {
		first--
	}
	end := to
	for end < len(b.in) && end < to+nearTombs && b.in[end].undecided() {
		end++
	}
	carried := func(r row) bool { return r.carried }
	plain := func(r row) bool { return r.ins == 0 }
	if !slices.ContainsFunc(olds, plain) && !slices.ContainsFunc(b.out[first:], carried) && !slices.ContainsFunc(b.in[from:end], carried) {
		return nil
	}
	c := carry{builder: b, flows: flows, number: map[int]int{}, words: map[holder]map[span]*baseWord{}, parts: make([][]part, len(olds))}
	for i, w := range where {
		c.number[w] = i
	}
	c.ownWords(first, from, to, end)
	c.follow(olds, texts(news))
	c.place(from, behind, olds)
	return c.below
}

// nearTombs is how many undecided rows in front of an event, and behind it, can hold words of it.
const nearTombs = 200

// ownWords finds whose the words of the old rows are. Those that the user has in an agent's row
// are in the baseline if a deleted row of the same run has them too, in the same order. That run
// may begin in front of the old rows, at row first of what is made, and end behind them.
func (c *carry) ownWords(first, from, to, end int) {
	type claim struct {
		old int // -1: it is of a row above the old ones or among them, -2: of one below
		span
	}
	var run []row
	var at []int // their places in the window, -1 for those that stay where they are
	var claims []claim
	var claimed []string
	tell := func() {
		c.match(run, at, claimed, func(k int, w *baseWord) {
			switch x := claims[k]; {
			case x.old == -2 && w != nil && w.at < to:
				w.into, w.under = len(c.flows), true
				c.note(w)
			case x.old >= 0:
				c.parts[x.old] = append(c.parts[x.old], part{span: x.span, word: w})
				if w != nil {
					c.note(w)
				}
			}
		})
		run, at, claims, claimed = nil, nil, nil, nil
	}
	add := func(r row, i, old int) {
		run, at = append(run, r), append(at, i)
		if !r.agents() || old < 0 && len(r.user) == 0 {
			return
		}
		for _, word := range fields(r.text) {
			for _, s := range clip(r.user, word.from, word.to) {
				claims = append(claims, claim{old, s})
				claimed = append(claimed, r.text[s.from:s.to])
			}
			if old >= 0 {
				for _, s := range without(word, r.user) {
					c.parts[old] = append(c.parts[old], part{span: s, agents: true})
				}
			}
		}
	}
	for _, r := range c.out[first:] {
		add(r, -1, -1)
	}
	for i := from; i < to; i++ {
		r := c.in[i]
		old, ok := c.number[i]
		switch {
		case r.undecided() && ok:
			add(r, i, old)
		case r.undecided():
			add(r, i, -1)
		default:
			tell()
			if !ok {
				break
			}
			for _, s := range fields(r.text) {
				w := &baseWord{in: holder{old: old}, span: s, at: -1, into: -1}
				c.note(w)
				c.parts[old] = append(c.parts[old], part{span: s, word: w})
			}
		}
	}
	for i := to; i < end; i++ {
		add(c.in[i], i, -2)
	}
	tell()
	for _, ps := range c.parts {
		slices.SortFunc(ps, func(a, b part) int { return a.from - b.from })
	}
}

// note keeps a word that the baseline has.
func (c *carry) note(w *baseWord) {
	if c.words[w.in] == nil {
		c.words[w.in] = map[span]*baseWord{}
	}
	c.words[w.in][w.span] = w
}

// match finds the claimed words of a run among those of its deleted rows, and tells which they
// are; nil: it is in none.
func (c *carry) match(run []row, at []int, claimed []string, tell func(k int, w *baseWord)) {
	if len(claimed) == 0 {
		return
	}
	var words []*baseWord
	var texts []string
	for j, r := range run {
		if r.tomb() && r.carried && !c.yielded[r.id] {
			for i, s := range fields(r.text) {
				words = append(words, &baseWord{in: holder{tomb: r.id}, span: s, first: i == 0, at: at[j], into: -1})
				texts = append(texts, r.text[s.from:s.to])
			}
		}
	}
	i, k := 0, 0
	equal := func(to int) {
		for ; k < to; i, k = i+1, k+1 {
			tell(k, words[i])
		}
	}
	for _, e := range linediff.Diff(texts, claimed) {
		equal(e.B0)
		for ; k < e.B1; k++ {
			tell(k, nil)
		}
		i = e.A1
	}
	equal(len(claimed))
}

// follow finds out what has become of the words. What the user has typed beside a word that the
// baseline has comes into it with that, unless it has become part of an agent's.
func (c *carry) follow(olds []row, news []string) {
	into := pieces(olds, news)
	for k, s := range news {
		var last *baseWord // that the word before has come from
		typed := ""        // in front of the next one
		for _, field := range fields(s) {
			word := s[field.from:field.to]
			var found []part
			agents := false
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
					agents = agents || x.agents
				}
			}
			if c.flows[k].ins == 0 {
				for _, x := range found {
					c.leaves(x.word, k)
				}
				continue
			}
			own := slices.IndexFunc(found, func(x part) bool { return x.word != nil })
			switch {
			case agents, own >= 0 && c.flows[k].moved:
				for _, x := range found {
					c.put(x.word, k, "")
				}
				last, typed = nil, ""
			case own >= 0:
				last = found[own].word
				c.put(last, k, strings.TrimLeft(typed+" "+word, " "))
				typed = ""
			case c.flows[k].moved:
			case len(found) > 0 || c.author == AuthorFormatter: // typed among the agent's
				last, typed = nil, ""
			case last != nil:
				c.put(last, k, word)
			default:
				typed = strings.TrimLeft(typed+" "+word, " ")
			}
		}
	}
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
	c.flows[k].carried = c.flows[k].carried || s != ""
	c.flows[k].upTo = max(c.flows[k].upTo, w.at+1)
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
	if f := &c.flows[k]; w.in.tomb != 0 && f.tomb == 0 {
		f.tomb, f.below = w.in.tomb, w.first
	}
}

// left returns what the deleted rows have for w; false: nothing.
func (w *baseWord) left(text string) (string, bool) {
	switch {
	case len(w.now) > 0:
		return strings.Join(w.now, " "), true
	case w.held && !w.plain, w.under:
		return text[w.from:w.to], true
	}
	return "", false
}
