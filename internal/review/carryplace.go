package review

import (
	"slices"
	"strings"
	"unicode"
)

// place puts the words where the baseline has them now.
func (c *carry) place(from, to int, olds []row) {
	for i := from; i < to; i++ {
		r := c.in[i]
		if old, ok := c.number[i]; ok && r.inBase() {
			in := holder{old: old}
			c.keep(row{text: olds[old].text, end: olds[old].end}, i, c.words[in])
			delete(c.words, in)
		}
		if in := (holder{tomb: r.id}); r.tomb() && r.carried && len(c.words[in]) > 0 && len(c.words[in]) == len(fields(r.text)) {
			c.keep(r, i, c.words[in])
			delete(c.words, in)
			c.lift(i)
		}
	}
	if len(c.words) == 0 {
		return
	}
	for i := range c.out {
		c.change(&c.out[i])
	}
	c.in = slices.Clone(c.in)
	for i := range c.in {
		c.change(&c.in[i])
	}
}

// lift has row i of the window stand elsewhere.
func (b *builder) lift(i int) {
	if b.lifted == nil {
		b.lifted = map[int]bool{}
	}
	b.lifted[i] = true
}

// change takes the words that are in plain rows now, or in none, out of a deleted row, and has the
// others read what the user has made of them.
func (c *carry) change(r *row) {
	words := c.words[holder{tomb: r.id}]
	if words == nil || !r.tomb() {
		return
	}
	s := rewritten(r.text, func(s span) (string, bool) {
		if w := words[s]; w != nil {
			return w.left(r.text)
		}
		return r.text[s.from:s.to], true
	})
	switch s {
	case r.text:
	case "":
		c.yield(r.id)
	default:
		was := r.original()
		r.text, r.was = s, &was
	}
}

// keep has words, all those of the row r of the window, which is number i there, stand in deleted
// rows above the agents' rows that they are in: in one, as they were, if no plain row has any.
func (c *carry) keep(r row, i int, words map[span]*baseWord) {
	parted := false // a part of it is in a plain row
	var into []int
	for _, w := range words {
		parted = parted || w.plain
		if _, ok := w.left(r.text); ok && !slices.Contains(into, w.into) {
			into = append(into, w.into)
		}
	}
	slices.Sort(into)
	if !parted && len(into) > 1 && !r.tomb() {
		into = into[:1]
	}
	for n, k := range into {
		s := rewritten(r.text, func(s span) (string, bool) {
			w := words[s]
			if len(into) > 1 && w.into != k {
				return "", false
			}
			return w.left(r.text)
		})
		if parted || len(into) > 1 {
			s = strings.TrimSpace(s)
		}
		kept := back{row{text: s, end: r.end}, i}
		if r.tomb() && n == 0 {
			kept.id, kept.was = r.id, r.was
			if s != r.text {
				was := r.original()
				kept.was = &was
			}
		}
		if k == len(c.flows) {
			kept.del, kept.carried = r.del, true
			if kept.id == 0 {
				kept.id = c.doc.id()
			}
			c.below = append(c.below, kept.row)
			continue
		}
		c.flows[k].back = append(c.flows[k].back, kept)
	}
}

// rewritten returns s with its words as now says, false for those that are gone; empty if all are.
func rewritten(s string, now func(span) (string, bool)) string {
	var b strings.Builder
	had := false
	all := fields(s)
	for i, f := range all {
		word, ok := now(f)
		if !ok {
			continue
		}
		if had {
			b.WriteString(s[all[i-1].to:f.from])
		} else {
			b.WriteString(s[:all[0].from])
		}
		b.WriteString(word)
		had = true
	}
	if !had {
		return ""
	}
	return b.String() + s[all[len(all)-1].to:]
}

// fields returns where the words of s are, as white space parts them.
func fields(s string) []span {
	var out []span
	inside := false
	for i, r := range s {
		switch space := unicode.IsSpace(r); {
		case !space && !inside:
			out = append(out, span{i, len(s)})
			inside = true
		case space && inside:
			out[len(out)-1].to = i
			inside = false
		}
	}
	return out
}
