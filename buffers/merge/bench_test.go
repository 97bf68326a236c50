package merge

import (
	"fmt"
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

// BenchmarkMerge merges texts. The metric x-git is the time taken as a part of that of one
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
			own := b.Elapsed() / time.Duration(b.N)

			g := newGit(b)
			best := time.Duration(0)
			for range 5 {
				if took := g.time(b, c); best == 0 || took < best {
					best = took
				}
			}
			b.ReportMetric(float64(own)/float64(best), "x-git")

			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Texts(base, ours, theirs)
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(size), "B/input-B")
		})
	}
}
