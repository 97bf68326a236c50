package review

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers/text"
)

// What two states differ in the rows that have more than s in them is the same whether it is
// counted where the texts differ or everywhere: rows elsewhere may be an agent's in one alone.
func TestLongerRowsEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"s", "s more", "less s", "other", ""}
	some := func(n int) (out []string) {
		for range n {
			out = append(out, words[r.IntN(len(words))])
		}
		return out
	}
	// runsOf marks rows as an agent's, some of which are not in the text.
	runsOf := func(rows []string) (runs []run) {
		for i := 0; i < len(rows); i++ {
			if r.IntN(3) > 0 {
				continue
			}
			x := run{at: i, n: 1, rows: []row{{text: rows[i], ins: 1}}}
			if r.IntN(2) == 0 {
				x.rows = slices.Insert(x.rows, r.IntN(2), row{text: "s gone", del: 1})
			}
			runs = append(runs, x)
		}
		return runs
	}
	everywhere := func(rows []string, runs []run) (n int) {
		agents := map[int]bool{}
		for _, x := range runs {
			agents[x.at] = true
		}
		for i, row := range rows {
			if !agents[i] && len(row) > 1 && strings.Contains(row, "s") {
				n++
			}
		}
		return n
	}
	for range 5000 {
		head, tail := some(r.IntN(4)), some(r.IntN(4)+1)
		was := slices.Concat(head, some(r.IntN(4)), tail)
		is := slices.Concat(head, some(r.IntN(4)), tail)
		a, b := text.New(strings.Join(was, "\n")), text.New(strings.Join(is, "\n"))
		wasRuns, isRuns := runsOf(was), runsOf(is)
		lo, hi, nhi := changedRows(a, b, 0)
		got := longerRows("s", b, lo, nhi, isRuns) - longerRows("s", a, lo, hi, wasRuns)
		if want := everywhere(is, isRuns) - everywhere(was, wasRuns); got != want {
			t.Fatalf("%q with %+v, then %q with %+v: %d more, want %d", was, wasRuns, is, isRuns, got, want)
		}
	}
}
