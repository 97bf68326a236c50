package review

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A text that is again what it was before the agent, in one event, has nothing undecided in it, and is
// the baseline, whatever agent and user have done to it meanwhile.
func TestTextOfBeforeHasNoHunks(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := &paragraph{r: r, width: 16 + int(seed%4)*10, gone: map[string]bool{}}
		word := func(letters string) string { // nobody's has a letter of another's
			b := make([]byte, 2+r.IntN(7))
			for i := range b {
				b[i] = letters[r.IntN(len(letters))]
			}
			return string(b)
		}
		var orig, agents []string
		for range 4 + r.IntN(30) {
			orig = append(orig, word("bcdfgh"))
		}
		first := fill(orig, p.width)
		p.script = newScript(t, "top\n"+first+"end\n")
		for range 1 + r.IntN(4) {
			agents = append(agents, word("klmnpq"))
		}
		p.agent("c1", "top\n"+p.written(orig, agents, seed%2 == 1)+"end\n")
		p.settle()
		if seed%3 > 0 {
			rows := strings.SplitAfter(p.Text().String(), "\n")
			i := r.IntN(len(rows) - 1)
			rows[i] = strings.TrimSuffix(rows[i], "\n") + " " + word("rstvwx") + "\n"
			p.send(strings.Join(slices.Insert(rows, i, "u own row\n"), ""), AuthorUser)
			p.settle()
		}
		before := p.dump()
		p.send("top\n"+first+"end of all\n", AuthorUser)
		p.settle()
		if len(p.pending()) > 0 || p.Baseline().String() != p.Text().String() {
			t.Errorf("%d: baseline %q, text %q\nbefore:\n%safter:\n%s", seed, p.Baseline(), p.Text(), before, p.dump())
		}
	}
}
