package linediff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"acp-ls/internal/bench/corpus"
	"pgregory.net/rapid"
)

// distance is the number of rows to delete and insert, from the longest common subsequence.
func distance(a, b []string) int {
	row := make([]int, len(b)+1) // lengths for the rows of a so far and each start of b
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return len(a) + len(b) - 2*row[len(b)]
}

func TestWithin(t *testing.T) {
	gen := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		d := distance(a, b)
		for _, limit := range []int{0, d - 1, d, d + 1, 100} {
			if limit >= 0 && within(limit, hashes(a), hashes(b)) != (d <= limit) {
				t.Fatalf("within(%d) = %v, but the distance is %d", limit, d > limit, d)
			}
		}
	})
}

// mixed returns 12,000 rows of which every other one is not in a text of another name.
func mixed(r *rand.Rand, name string) []string {
	rows := corpus.Drawn(r, 12_000, 50)
	for i := 0; i < len(rows); i += 2 {
		rows[i] = fmt.Sprint(name, i)
	}
	return rows
}

func TestCommonKeepsWhatBothHave(t *testing.T) {
	gen := rapid.SliceOfN(rapid.StringN(0, 20, 40), 0, 60)
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		both := rapid.SliceOfN(rapid.SampledFrom(append(a, "")), 0, 60).Draw(t, "both")
		b = append(b, both...)
		x, y := common(hashes(a), hashes(b))
		for _, hash := range hashes(a) {
			if slices.Contains(hashes(b), hash) && !slices.Contains(x, hash) {
				t.Fatalf("a row that both have is missing of the first text")
			}
		}
		for _, hash := range hashes(b) {
			if slices.Contains(hashes(a), hash) && !slices.Contains(y, hash) {
				t.Fatalf("a row that both have is missing of the second text")
			}
		}
	})
}

func TestBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := corpus.Drawn(r, 8000, 50)
	edited := slices.Clone(few)
	edited[0], edited[len(edited)-1] = "first", "last"
	for i := 10; i < len(edited); i += 100 {
		edited[i] = fmt.Sprintf("\trow %d", r.IntN(50))
	}
	for _, test := range []struct {
		name string
		a, b []string
		want bool
	}{
		{"short", corpus.Drawn(r, 3000, 50), corpus.Drawn(r, 3000, 50), false},
		{"long, of few distinct rows", few, corpus.Drawn(r, 8000, 50), true},
		{"long, of not so few distinct rows", corpus.Drawn(r, 8000, 1000), corpus.Drawn(r, 8000, 1000), true},
		{"long, of many distinct rows", corpus.Drawn(r, 8000, 1e6), corpus.Drawn(r, 8000, 1e6), false},
		{"long, of few distinct rows, but near", few, edited, false},
		{"long, mostly distinct, but what both have is not", mixed(r, "a"), mixed(r, "b"), true},
		{"long and short", few, few[:4000], true},
	} {
		if got := rowBudget.exceeded(test.a, test.b); got != test.want {
			t.Errorf("%s: exceeded = %v", test.name, got)
		}
		checkDiff(t, test.a, test.b)
	}
	// Being near, they are compared row by row, however repetitive.
	if n := len(Diff(few, edited)); n < 70 {
		t.Errorf("80 rows changed of 8,000 repetitive ones: %d edits", n)
	}
}
