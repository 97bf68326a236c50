package merge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// large is a case of 10,000 rows with 100 changes on each side, none in conflict.
func large() case3 {
	var c case3
	for i := range 10_000 {
		c.base = append(c.base, fmt.Sprintf("\tstatement number %d, as long as lines of code are", i))
	}
	c.ours, c.theirs = slices.Clone(c.base), slices.Clone(c.base)
	for i := 0; i < len(c.base); i += 100 {
		c.ours[i+10] = fmt.Sprint("\tours ", i)
		c.theirs[i+60] = fmt.Sprint("\ttheirs ", i)
	}
	return c
}

// BenchmarkMerge merges texts. The metric x-git is the time taken as a part of that of a
// `git merge-file` of the same texts, start of the process included; B/input-B are the bytes
// allocated, in all, as a multiple of those of the three texts.
func BenchmarkMerge(b *testing.B) {
	for _, bench := range []struct {
		name string
		case3
	}{
		{"40 rows", randomCase(rand.New(rand.NewPCG(15, 16)), 40, true)},
		{"10,000 rows, 200 changes", large()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := bench.case3
			base, ours, theirs := text(c.base), text(c.ours), text(c.theirs)
			size := len(base) + len(ours) + len(theirs)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				Texts(base, ours, theirs)
			}
			g := newGit(b)
			g.write(b, c)
			git := shortest(func() { g.run(b) })
			own := shortest(func() { Texts(base, ours, theirs) })
			b.ReportMetric(float64(own)/float64(git), "x-git")

			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Texts(base, ours, theirs)
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(size), "B/input-B")
		})
	}
}

// shortest returns the shortest time of some runs, which is the least disturbed.
func shortest(f func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 10 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}
