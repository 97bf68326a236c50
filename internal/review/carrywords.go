package review

import (
	"slices"

	"acp-ls/buffers/linediff"
)

// nearRuns is how many rows that nobody has to decide on can be between runs of which one has words
// of the other's rows.
const nearRuns = maxGap

// ownWords finds whose the words of the old rows are. Those that the user has in an agent's row
// are in the baseline if a deleted row near it has them too, in the same order: one of the same
// run before others, if it was carried. What is looked at begins in front of the old rows, at row first of what
// is made, and ends behind them.
func (c *carry) ownWords(first, from, to, end int) {
	var claims []claim
	var carried, far, stay tombWords
	run := 0 // the first of the claims of the run
	tell := func() {
		carried.match(claims[run:])
		carried.match(claims[run:]) // those that stand on the other side of others
		far.words, far.texts = append(far.words, carried.words...), append(far.texts, carried.texts...)
		carried, run = tombWords{}, len(claims)
	}
	add := func(r row, i, old int) {
		switch {
		case !r.tomb() || c.yielded[r.id]:
		case r.carried:
			carried.add(r, i)
		case c.left:
			stay.add(r, i)
		}
		if !r.agents() || old < 0 && len(r.user) == 0 && !c.left {
			return
		}
		for _, word := range fields(r.text) {
			if agents := without(word, r.user); len(agents) > 0 {
				claims = append(claims, claim{old: old, span: word, text: r.text[word.from:word.to], agents: agents})
			}
			for _, s := range clip(r.user, word.from, word.to) {
				claims = append(claims, claim{old: old, span: s, text: r.text[s.from:s.to]})
			}
		}
	}
	for _, r := range c.out[first:] {
		if add(r, -1, -1); !r.undecided() {
			tell()
		}
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
		if add(c.in[i], i, -2); !c.in[i].undecided() {
			tell()
		}
	}
	tell()
	far.match(claims)
	stay.match(claims)
	stay.match(claims)
	for _, t := range []*tombWords{&stay, &far} { // an agent that writes a row anew leaves the user's words, too
		t.byAgent()
		t.match(claims)
	}
	for _, x := range claims {
		switch w := x.is; {
		case x.old == -2 && w != nil && w.at < to && !w.stays:
			w.into, w.under = len(c.flows), true
			c.note(w)
		case x.old >= 0:
			c.claimed(x)
		}
	}
	for _, ps := range c.parts {
		slices.SortFunc(ps, func(a, b part) int { return a.from - b.from })
	}
}

// A claim is a word of an agent's row, or what the user has in one, that may be in the baseline.
type claim struct {
	old int // the number of the row; -1: it is above the old ones or among them, -2: below
	span
	text   string
	agents []span    // what an agent wrote of it
	is     *baseWord // which word of the baseline it is, nil if that has it not
}

// claimed adds what x is to the parts of its row.
func (c *carry) claimed(x claim) {
	ps := &c.parts[x.old]
	if n := len(*ps); n > 0 && (*ps)[n-1].whole && x.to <= (*ps)[n-1].to {
		return // a part of a word that an agent has left
	}
	if x.is != nil {
		c.note(x.is)
	}
	if len(x.agents) > 0 && x.is == nil {
		for _, s := range x.agents {
			*ps = append(*ps, part{span: s, agents: true})
		}
		return
	}
	*ps = append(*ps, part{span: x.span, word: x.is, whole: len(x.agents) > 0})
}

// note keeps a word that the baseline has.
func (c *carry) note(w *baseWord) {
	if c.words[w.in] == nil {
		c.words[w.in] = map[span]*baseWord{}
	}
	c.words[w.in][w.span] = w
}

// tombWords are words of deleted rows, in their order.
type tombWords struct {
	words  []*baseWord
	texts  []string // with who has them in the text
	agents bool     // an agent has one of them
}

func byWhom(agents bool, text string) string {
	if agents {
		return "agent " + text
	}
	return "user " + text
}

// add adds the words of the deleted row r, which is row i of the window. -1: it stays where it is.
func (t *tombWords) add(r row, i int) {
	typed, all := typedWords(r), fields(r.text)
	words := cut(r.text, all)
	for n, s := range all {
		w := &baseWord{in: holder{tomb: r.id}, span: s, first: n == 0, at: i, into: -1, stays: !r.carried, row: words, n: n}
		w.agents = w.stays && !typed[n]
		t.agents = t.agents || w.agents
		t.words = append(t.words, w)
		t.texts = append(t.texts, byWhom(w.agents, words[n]))
	}
}

// byAgent has all the words looked for among those that are an agent's in the text.
func (t *tombWords) byAgent() {
	t.agents = true
	for i, w := range t.words {
		t.texts[i] = byWhom(true, w.row[w.n])
	}
}

// match finds the claims that are still open among the words, and leaves those that are none.
func (t *tombWords) match(claims []claim) {
	if len(t.words) == 0 {
		return
	}
	var open []int
	var want []string
	for k, x := range claims {
		if x.is == nil && (t.agents || len(x.agents) == 0) {
			open = append(open, k)
			want = append(want, byWhom(len(x.agents) > 0, x.text))
		}
	}
	rest := tombWords{agents: t.agents}
	i, k := 0, 0
	equal := func(to int) {
		for ; k < to; i, k = i+1, k+1 {
			claims[open[k]].is = t.words[i]
		}
	}
	for _, e := range linediff.Diff(t.texts, want) {
		equal(e.B0)
		rest.words, rest.texts = append(rest.words, t.words[e.A0:e.A1]...), append(rest.texts, t.texts[e.A0:e.A1]...)
		i, k = e.A1, e.B1
	}
	equal(len(want))
	*t = rest
}

// typedWords tells which words of a deleted row have come into it by what the user typed: those of
// which it had no other form.
func typedWords(r row) map[int]bool {
	typed := map[int]bool{}
	if r.was == nil {
		return typed
	}
	was, is := cut(*r.was, fields(*r.was)), cut(r.text, fields(r.text))
	for _, e := range linediff.Diff(was, is) {
		if (e.A1-e.A0)*(e.B1-e.B0) > maxForms {
			continue
		}
		for k := e.B0; k < e.B1; k++ {
			typed[k] = true
		}
		for _, word := range was[e.A0:e.A1] {
			best, most := -1, 0
			for k := e.B0; k < e.B1; k++ {
				if n := survivingInk(word, is[k]); n > most && 2*n >= min(len(word), len(is[k])) {
					best, most = k, n
				}
			}
			delete(typed, best)
		}
	}
	return typed
}

// maxForms is how many pairs of words typedWords compares.
const maxForms = 10_000
