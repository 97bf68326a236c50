package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// BenchmarkText is what the text of a document costs to make. The anchor counts its
// newlines, which is the least that somebody has to do who is to know rows.
func BenchmarkText(b *testing.B) {
	for _, mb := range []int{1, 50} {
		b.Run(fmt.Sprint(mb, " MB"), func(b *testing.B) {
			content := strings.Repeat(row, mb<<20/len(row))
			line := results.compare(comparison{name: fmt.Sprintf("make the text of %d MB", mb), anchor: "count its newlines", aim: goal{p50: 1.1}})
			for b.Loop() {
				start := time.Now()
				rows := strings.Count(content, "\n")
				base := time.Since(start)

				start = time.Now()
				t := text.New(content)
				line.round(time.Since(start), base)
				if t.LineCount() != rows+1 {
					b.Fatalf("%d rows, not %d", t.LineCount(), rows+1)
				}
			}
			line.report(b)
		})
	}
}

// BenchmarkSnapshot is what a document of 50 MB allocates for everybody who looks at it.
func BenchmarkSnapshot(b *testing.B) {
	content := strings.Repeat(row, 50<<20/len(row))
	path := filepath.Join(b.TempDir(), "big.go")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
	s, uri := buffers.NewStore(buffers.Options{}), buffers.PathURI(path)
	if _, err := s.Apply(buffers.Open{URI: uri, LanguageID: "go", Version: 1, Text: content}, "bench"); err != nil {
		b.Fatal(err)
	}
	line := results.compare(comparison{name: "allocations of a snapshot of 50 MB", unit: number, aim: goal{none: true}})
	for b.Loop() {
		line.count(testing.AllocsPerRun(100, func() {
			if s.Get(uri).Text.Len() != len(content) {
				b.Fatal("it is not there")
			}
		}))
	}
	line.report(b)
}

// BenchmarkRead is fs/read_text_file of 200 rows of an unsaved document of 50 MB, from the
// agent's request until it has the answer. The anchor is the same in one of 1 MB.
func BenchmarkRead(b *testing.B) {
	const reads = 100
	e := newEditor(b, `{}`)
	paths := map[int]string{}
	for _, mb := range []int{1, 50} {
		content := strings.Repeat(row, mb<<20/len(row))
		paths[mb] = filepath.Join(e.root, fmt.Sprintf("big%d.go", mb))
		if err := os.WriteFile(paths[mb], []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
		uri := buffers.PathURI(paths[mb])
		e.notify("textDocument/didOpen", `{"textDocument":{"uri":"`+uri+`","languageId":"go","version":0,"text":`+quote(content)+`}}`)
		e.send(keyAt(uri, 1, 7))
	}
	read := func(mb int) time.Duration {
		start := time.Now()
		e.command("acp.prompt", fmt.Sprintf(`{"text":%s,"wait":true}`, quote(fmt.Sprintf("read %s %d", paths[mb], reads))))
		return time.Since(start) / reads
	}
	line := results.compare(comparison{name: "agent reads 200 rows of 50 MB", anchor: "the same of 1 MB", aim: goal{p50: 2}})
	read(1)
	read(50)
	for b.Loop() {
		base := read(1)
		line.round(read(50), base)
	}
	line.report(b)
}
