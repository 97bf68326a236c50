package text

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The anchor of the benchmarks is what a simple server does for each keystroke: find the row by scanning, copy the text.

var benchSizes = []struct {
	name string
	size int
}{{"1kB", 1 << 10}, {"1MB", 1 << 20}, {"50MB", 50 << 20}}

func benchString(size int) string {
	const row = "\tresult, err := store.Apply(modification) // été 😀 and the rest of an ordinary row\n"
	return strings.Repeat(row, size/len(row)+1)[:size]
}

func scanAndCopy(s string, row int, ins string) string {
	at := 0
	for ; row > 0; row-- {
		at += strings.IndexByte(s[at:], '\n') + 1
	}
	return s[:at] + ins + s[at:]
}

func BenchmarkKeystroke(b *testing.B) {
	for _, size := range benchSizes {
		s := benchString(size.size)
		rows := strings.Count(s, "\n")
		b.Run(size.name+"/chunks", func(b *testing.B) {
			text := New(s)
			r := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				at := text.LineStart(r.IntN(rows))
				text = text.Replace(at, at+1, "x") // as long as before, or the text would grow with b.N
			}
		})
		b.Run(size.name+"/chunks+hash", func(b *testing.B) {
			text := New(s)
			text.Hash()
			r := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				at := text.LineStart(r.IntN(rows))
				text = text.Replace(at, at+1, "x")
				text.Hash()
			}
		})
		b.Run(size.name+"/one-place", func(b *testing.B) {
			text := New(s)
			start := text.LineStart(rows / 2)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := start + i%100
				text = text.Replace(at, at+i%2, "xy"[i%2:])
			}
		})
		b.Run(size.name+"/anchor-scan-and-copy", func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				scanAndCopy(s, r.IntN(rows), "x")
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, size := range benchSizes {
		s := benchString(size.size)
		b.Run(size.name+"/chunks", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				New(s)
			}
		})
		b.Run(size.name+"/anchor-copy-and-count", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				strings.Count(strings.Clone(s), "\n")
			}
		})
		b.Run(size.name+"/hash", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				HashString(s)
			}
		})
	}
}

func BenchmarkRead200Lines(b *testing.B) {
	for _, size := range benchSizes {
		text := New(benchString(size.size))
		b.Run(size.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				from := r.IntN(max(text.LineCount()-200, 1))
				_ = text.Slice(text.LineStart(from), text.LineStart(min(from+200, text.LineCount())))
			}
		})
	}
}

func BenchmarkWhole(b *testing.B) {
	s := benchString(50 << 20)
	text := New(s)
	edited := text.Replace(len(s)/2, len(s)/2, "x").Replace(len(s)/2, len(s)/2+1, "")
	other := New(s)
	b.Run("String", func(b *testing.B) {
		for b.Loop() {
			_ = text.String()
		}
	})
	b.Run("anchor-clone", func(b *testing.B) {
		for b.Loop() {
			strings.Clone(s)
		}
	})
	b.Run("Equal-related", func(b *testing.B) {
		for b.Loop() {
			text.Equal(edited)
		}
	})
	b.Run("Equal-unrelated", func(b *testing.B) {
		for b.Loop() {
			text.Equal(other)
		}
	})
	b.Run("Lines", func(b *testing.B) {
		for b.Loop() {
			text.Lines(0, text.LineCount())
		}
	})
}

func BenchmarkChunkLimit(b *testing.B) {
	s := benchString(1 << 20)
	for _, limit := range []int{512, 1 << 10, 2 << 10, 4 << 10, 8 << 10} {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			text := Text{build(s, limit)}
			r := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				at := text.LineStart(r.IntN(10000))
				text = text.replace(at, at+1, "x", limit)
			}
		})
	}
}
