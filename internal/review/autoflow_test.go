package review

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var (
	paragraphs     = flag.Uint64("paragraphs", 500, "how many paragraphs are filled anew while the user types")
	paragraphsFrom = flag.Uint64("paragraph", 0, "the seed of the first of them")
)

// paragraph is a paragraph that an editor fills anew at each key, as Neovim does with `fo+=a`.
// The words say who wrote them: o those that were there, a the agent's, u the user's.
type paragraph struct {
	*script
	r     *rand.Rand
	width int
	next  int
	prose bool            // some of the words that were there are so more than once
	gone  map[string]bool // words that the user has deleted, or in which they have typed
	lost  map[string]bool // words of the user's that have stood beside an agent's: they go with that
}

func (p *paragraph) word(who string) string {
	p.next++
	if p.prose && who != "a" && p.r.IntN(10) < 3 {
		return fmt.Sprint(who, p.r.IntN(6))
	}
	return fmt.Sprintf("%s%d%s", who, p.next, "abcdefgh"[:p.r.IntN(8)])
}

// fill breaks words into rows of at most width letters.
func fill(words []string, width int) string {
	var b strings.Builder
	n := 0
	for i, w := range words {
		switch {
		case i == 0:
		case n+1+len(w) > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(w)
		n += len(w)
	}
	return b.String() + "\n"
}

// send makes new of the text, in one of the ways in which an editor says it.
func (p *paragraph) send(new string, author Author) {
	old := p.Text().String()
	if old == new {
		return
	}
	a, b := commonEnds(old, new)
	if p.r.IntN(2) == 0 { // whole rows
		a = strings.LastIndexByte(old[:a], '\n') + 1
		if at := strings.IndexByte(old[len(old)-b:], '\n'); at >= 0 {
			b -= at + 1
		} else {
			b = 0
		}
	}
	p.userEdit(a, len(old)-b, new[a:len(new)-b], author)
	p.check()
	words := strings.Fields(new)
	for k, w := range words {
		if w[0] == 'u' && (k > 0 && words[k-1][0] == 'a' || k+1 < len(words) && words[k+1][0] == 'a') {
			p.lost[w] = true
		}
	}
	if p.r.IntN(3) > 0 {
		p.settle()
	}
}

// changed has the user make words of those that are in the text.
func (p *paragraph) change(words []string) { p.send(fill(words, p.width), AuthorUser) }

func (p *paragraph) step() {
	words := strings.Fields(p.Text().String())
	at := p.r.IntN(len(words) + 1)
	known := at < len(words) && !(p.prose && words[at][0] != 'a') // which one it is
	switch p.r.IntN(10) {
	case 9: // the agent puts words in, and fills the paragraph anew
		agents := []string{p.word("a")}
		p.agent(fmt.Sprint("c", p.next), fill(slices.Insert(words, at, agents...), p.width))
		p.settle()
	case 8: // words are typed in a row that is opened for them
		rows := strings.SplitAfter(p.Text().String(), "\n")
		i := p.r.IntN(len(rows))
		p.send(strings.Join(slices.Insert(slices.Clone(rows), i, "\n"), ""), AuthorUser)
		at = len(strings.Fields(strings.Join(rows[:i], "")))
		word := p.word("u")
		whole := p.r.IntN(2) == 0 // the row stays for itself while the word is typed
		for n := 1; n <= len(word); n++ {
			if whole {
				p.send(strings.Join(slices.Insert(slices.Clone(rows), i, word[:n]+"\n"), ""), AuthorUser)
			} else {
				p.change(slices.Insert(slices.Clone(words), at, word[:n]))
			}
		}
		p.change(slices.Insert(slices.Clone(words), at, word))
	case 0: // a word is deleted
		if known {
			p.gone[words[at]] = true
			p.change(slices.Delete(words, at, at+1))
		}
	case 1: // the text is filled to another width, by the user or by a formatter
		p.width = 16 + p.r.IntN(30)
		p.send(fill(words, p.width), []Author{AuthorUser, AuthorFormatter}[p.r.IntN(2)])
	case 2: // a word is typed on
		if known {
			p.gone[words[at]] = true
			words[at] += fmt.Sprint("x", p.next)
			p.gone[words[at]] = true
			p.change(words)
		}
	default: // words are typed, key by key
		for range 1 + p.r.IntN(3) {
			word := p.word("u")
			for n := 1; n <= len(word); n++ {
				p.change(slices.Insert(slices.Clone(words), at, word[:n]))
			}
			words = slices.Insert(words, at, word)
			at++
		}
	}
}

func who(words []string, letters string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.Contains(letters, w[:1]) })
}

// wrong says what is wrong with the words of the baseline, if anything.
func (p *paragraph) wrong(orig []string) string {
	text, base := strings.Fields(p.Text().String()), strings.Fields(p.Baseline().String())
	if got := who(base, "a"); len(got) > 0 {
		return fmt.Sprintf("the agent's %q are in the baseline", got)
	}
	// Not in their order: a row of the text may have words of both sides of a deleted row.
	known := func(words []string) []string {
		return slices.Sorted(slices.Values(slices.DeleteFunc(words, func(w string) bool { return p.gone[w] })))
	}
	if had, has := known(slices.Clone(orig)), known(who(base, "o")); !slices.Equal(had, has) {
		return fmt.Sprintf("of what was there the baseline has\n%q, not\n%q", has, had)
	}
	least, most, has := map[string]int{}, map[string]int{}, map[string]int{}
	for _, w := range who(base, "u") {
		has[w]++
	}
	orNone := func(k int) bool { return k < 0 || k >= len(text) || strings.HasPrefix(text[k], "o") }
	for k, w := range text {
		if w[0] == 'u' && !p.gone[w] {
			most[w]++
			if orNone(k-1) && orNone(k+1) {
				least[w]++
			}
		}
	}
	for w, n := range has {
		if n > most[w] && !p.gone[w] {
			return fmt.Sprintf("the user's %q is %d times in the baseline, %d times in the text", w, n, most[w])
		}
	}
	for w, n := range least {
		if n > has[w] && !p.lost[w] {
			return fmt.Sprintf("the user's %q, %d times among what was there, is %d times in the baseline", w, n, has[w])
		}
	}
	return ""
}

// written returns the text that an agent makes of the words orig with its own: a row of these, or,
// with all, the whole paragraph, filled anew with them at some place of it.
func (p *paragraph) written(orig, agents []string, all bool) string {
	if all {
		at := p.r.IntN(len(orig) + 1)
		return fill(slices.Replace(slices.Clone(orig), at, min(len(orig), at+p.r.IntN(2)), agents...), p.width)
	}
	rows := strings.SplitAfter(fill(orig, p.width), "\n")
	i := p.r.IntN(len(rows) - 1)
	if text := fill(agents, p.width); p.r.IntN(3) == 0 { // beside what was there
		rows = slices.Insert(rows, i, text)
	} else {
		rows[i] = text
	}
	return strings.Join(rows, "")
}

// What the user types, and what was there, is once in the baseline, however often the paragraph
// is filled anew, and of the agent's words it has none.
func TestWordsOfAFilledParagraph(t *testing.T) {
	for seed := *paragraphsFrom; seed < *paragraphsFrom+*paragraphs; seed++ {
		p := &paragraph{r: rand.New(rand.NewPCG(seed, 7)), width: 20 + int(seed%4)*10, prose: seed%3 == 0, gone: map[string]bool{}, lost: map[string]bool{}}
		var orig, agents []string
		for range 12 + p.r.IntN(30) {
			orig = append(orig, p.word("o"))
		}
		first := fill(orig, p.width)
		p.script = newScript(t, first)
		for range 1 + p.r.IntN(4) {
			agents = append(agents, p.word("a"))
		}
		p.agent("c1", p.written(orig, agents, seed%2 == 1))
		p.settle()
		for n := range 12 {
			before := p.dump()
			p.step()
			if wrong := p.wrong(orig); wrong != "" {
				t.Errorf("paragraph %d, step %d: %s\nbefore:\n%safter:\n%s", seed, n, wrong, before, p.dump())
				break
			}
		}
	}
}
