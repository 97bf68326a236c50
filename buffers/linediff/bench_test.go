package linediff

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"acp-ls/internal/bench/corpus"
)

// BenchmarkDiff compares each corpus. The metric x-git is the time taken as a part of that of a
// `git diff --no-index --histogram` of the same texts, start of the process included;
// B/input-B are the bytes allocated, in all, as a multiple of those of both texts.
func BenchmarkDiff(b *testing.B) {
	for _, c := range corpus.All() {
		b.Run(c.Name, func(b *testing.B) {
			size := 0
			for _, row := range append(append([]string(nil), c.A...), c.B...) {
				size += len(row) + 1
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				Diff(c.A, c.B)
			}
			if git, ok := gitTime(b, c); ok {
				own := shortest(func() { Diff(c.A, c.B) })
				b.ReportMetric(float64(own)/float64(git), "x-git")
			}
			b.ReportMetric(float64(allocated(func() { Diff(c.A, c.B) }))/float64(size), "B/input-B")
		})
	}
}

func gitTime(b *testing.B, c corpus.Pair) (time.Duration, bool) {
	git, err := exec.LookPath("git")
	if err != nil {
		return 0, false
	}
	dir := b.TempDir()
	writeRows(b, filepath.Join(dir, "a"), c.A)
	writeRows(b, filepath.Join(dir, "b"), c.B)
	return shortest(func() {
		cmd := exec.Command(git, "diff", "--no-index", "--no-color", "--histogram", "a", "b")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		_ = cmd.Run() // fails where there is a difference
	}), true
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

// allocated returns the bytes that f allocates, which is never less than the most it holds.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func BenchmarkSplit(b *testing.B) {
	c, _ := corpus.Places()
	text := joinRows(c.A, nil)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Split(text)
	}
}

func BenchmarkChars(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Chars("\tfmt.Println(oldName, value)", "\tfmt.Fprintln(os.Stderr, newName, value)")
	}
}
