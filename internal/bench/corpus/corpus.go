// Package corpus makes pairs of texts that some way of comparing texts is known to be bad
// at, for tests and benchmarks.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Pair is a pair of texts that some way of comparing texts is known to be bad at.
type Pair struct {
	Name string
	A, B []string
}

// Code returns n rows that look like a program: most are found once, but blank rows and
// closing braces everywhere, and a few phrases in many places.
func Code(r *rand.Rand, n int) []string {
	rows := make([]string, 0, n+20)
	for len(rows) < n {
		rows = append(rows, fmt.Sprintf("func f%d(x int) error {", r.IntN(1e9)))
		for range 1 + r.IntN(8) {
			rows = append(rows, fmt.Sprintf("\tx%d += g(x, %d)", r.IntN(1000), r.IntN(1000)))
			switch r.IntN(20) {
			case 0:
				rows = append(rows, fmt.Sprintf("\tif err := h(%d); err != nil {", r.IntN(1000)), "\t\treturn err", "\t}")
			case 1:
				rows = append(rows, "")
			case 2:
				rows = append(rows, fmt.Sprintf("\tfor x%d > 0 {", r.IntN(1000)), fmt.Sprintf("\t\tx -= %d", r.IntN(1000)), "\t}", "")
			}
		}
		rows = append(rows, fmt.Sprintf("\treturn x%d", r.IntN(1000)), "}", "")
	}
	return rows[:n]
}

// unique returns n rows of which no two are alike.
func unique(n int) []string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("\tstatement number %d, as long as lines of code are", i)
	}
	return rows
}

// Places is 10,000 distinct rows with 200 places changed, and the number of rows that were
// taken away and put in there.
func Places() (c Pair, edited int) {
	r := rand.New(rand.NewPCG(5, 6))
	c.Name = "B: 200 places of 10,000 rows"
	c.A = unique(10_000)
	for i := range 200 {
		from := i * 50
		gone, added := r.IntN(5), r.IntN(4)
		if gone == 0 {
			added++
		}
		c.B = append(c.B, c.A[from:from+20]...)
		for j := range added {
			c.B = append(c.B, fmt.Sprintf("\tnew %d of %d", j, i))
		}
		c.B = append(c.B, c.A[from+20+gone:from+50]...)
		edited += gone + added
	}
	return c, edited
}

// All returns every pair, by name.
func All() []Pair {
	r := rand.New(rand.NewPCG(7, 8))
	a := Code(r, 100)
	b := slices.Clone(a)
	b[50] = "\tpanic(x)"
	all := []Pair{{"A: one row of 100", a, b}}

	places, _ := Places()
	all = append(all, places)

	a = Code(r, 100_000)
	b = slices.Clone(a)
	for i, row := range b {
		if row != "" {
			b[i] = "\t" + row
		}
	}
	all = append(all, Pair{"C: 100,000 rows indented", a, b})

	all = append(all, Pair{"D: unrelated code", Code(r, 20_000), Code(r, 20_000)})

	long := strings.Repeat("all on one line, ", 300_000)
	all = append(all, Pair{"E: 5 MB in one row", []string{long + "a" + long}, []string{long + "b" + long}})

	all = append(all, Pair{"F: 20,000 rows, 50 distinct", Drawn(r, 20_000, 50), Drawn(r, 20_000, 50)})

	a = Code(r, 20_000)
	return append(all, Pair{"G: a block moved", a, slices.Concat(a[:5000], a[5500:15_000], a[5000:5500], a[15_000:])})
}

// Drawn returns n rows of which so many are distinct, in any order.
func Drawn(r *rand.Rand, n, distinct int) []string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("\trow %d", r.IntN(distinct))
	}
	return rows
}
