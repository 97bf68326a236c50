package buffers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers/position"
)

const benchRow = "\tresult, err := store.Apply(modification) // été 😀 and the rest of an ordinary row\n"

var benchSizes = []struct {
	name string
	size int
}{{"1kB", 1 << 10}, {"1MB", 1 << 20}, {"50MB", 50 << 20}}

// benchStore returns a store with one checked document, and the rows it has.
func benchStore(b *testing.B, size int) (s *Store, uri string, path Path, rows int) {
	name := filepath.Join(tempPath(b), "file")
	content := strings.Repeat(benchRow, size/len(benchRow)+1)
	must(b, os.WriteFile(name, []byte(content), 0o644))
	s, uri, path = NewStore(Options{}), PathURI(name), resolve(b, name)
	apply(b, s, Open{uri, "go", 1, content})
	_, err := s.Look(path)
	must(b, err)
	return s, uri, path, strings.Count(content, "\n")
}

// BenchmarkApply is a keystroke from message to published document; the anchor scans for the row and copies the text.
func BenchmarkApply(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name+"/store", func(b *testing.B) {
			s, uri, _, rows := benchStore(b, size.size)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				line := uint32(i * 7919 % rows)
				_, err := s.Apply(Change{URI: uri, Version: int32(i), Changes: []ContentChange{{&position.Range{Start: at(line, 3), End: at(line, 4)}, "x"}}}, "bench")
				must(b, err)
			}
		})
		b.Run(size.name+"/anchor-scan-and-copy", func(b *testing.B) {
			content := strings.Repeat(benchRow, size.size/len(benchRow)+1)
			rows := strings.Count(content, "\n")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := 0
				for range i * 7919 % rows {
					at += strings.IndexByte(content[at:], '\n') + 1
				}
				content = content[:at+3] + "x" + content[at+4:]
			}
		})
	}
}

// BenchmarkState is what it costs to know, after a keystroke, whether the document is clean.
func BenchmarkState(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			s, uri, _, _ := benchStore(b, size.size)
			for i := 0; b.Loop(); i++ {
				_, err := s.Apply(Change{URI: uri, Version: int32(i), Changes: []ContentChange{{&position.Range{Start: at(3, 3), End: at(3, 4)}, "xy"[i%2 : i%2+1]}}}, "bench")
				must(b, err)
				s.Get(uri).State()
			}
		})
	}
}

func BenchmarkRead200Lines(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name+"/document", func(b *testing.B) {
			s, uri, path, rows := benchStore(b, size.size)
			_, err := s.Apply(Change{URI: uri, Version: 2, Changes: []ContentChange{{&position.Range{}, "x"}}}, "bench")
			must(b, err)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, err := s.Read(path, i*7919%rows, 200)
				must(b, err)
			}
		})
		b.Run(size.name+"/disk", func(b *testing.B) {
			_, _, path, rows := benchStore(b, size.size)
			s := NewStore(Options{})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, err := s.Read(path, i*7919%rows, 200)
				must(b, err)
			}
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	s, uri, path, _ := benchStore(b, 50<<20)
	b.Run("Get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Get(uri)
		}
	})
	b.Run("Live", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Live(path)
		}
	})
}

// BenchmarkFullText is an editor that sends the whole text for each keystroke.
func BenchmarkFullText(b *testing.B) {
	s, uri, _, _ := benchStore(b, 1<<20)
	content := s.Get(uri).Text.String()
	texts := [2]string{content[:500_000] + "x" + content[500_001:], content}
	for i := 0; b.Loop(); i++ {
		_, err := s.Apply(Change{URI: uri, Version: int32(i), Changes: []ContentChange{{nil, texts[i%2]}}}, "bench")
		must(b, err)
	}
}
