package review

import (
	"fmt"
	"testing"
)

// Where an agent has put few rows in the place of very many, or the other way round, a row is looked for among those
// that there are, whatever its place.
func TestMostAlikeAmongFewAndMany(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("row number %d of them", i) }
	for _, n := range []int{1, 2, nearby, 2*nearby + 1, 2*nearby + 2, 10 * nearby} {
		for _, m := range []int{1, 2, nearby, 2*nearby + 1, 2*nearby + 2, 10 * nearby} {
			others := make([]int, m)
			for j := range others {
				others[j] = n + j
			}
			for k := range n {
				j, ok := mostAlike(func(i int) string {
					if i >= n {
						return row(i - n)
					}
					return row(i)
				}, k, k, n, others)
				if ok && (j < 0 || j >= m) {
					t.Errorf("row %d of %d is most like %d of %d", k, n, j, m)
				}
				if n == m && (!ok || j != k) {
					t.Errorf("row %d of %d is most like %d", k, n, j)
				}
			}
		}
	}
}
