package bench

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

// BenchmarkOpen is the time from the write of a didOpen to the editor's pipe
// until the document is visible and the server reads on. The anchor reads the
// same bytes.
func BenchmarkOpen(b *testing.B) {
	for _, mb := range []int{1, 50} {
		b.Run(fmt.Sprint(mb, " MB"), func(b *testing.B) {
			e := newEditor(b, `{}`)
			go func() { _, _ = io.Copy(io.Discard, e.in) }()
			content := strings.Repeat(row, mb<<20/len(row))
			path := filepath.Join(e.root, "big.go")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				b.Fatal(err)
			}
			uri := buffers.PathURI(path)
			open := notification("textDocument/didOpen", `{"textDocument":{"uri":"`+uri+`","languageId":"go","version":0,"text":`+quote(content)+`}}`)
			raw := newRawPipe(b, len(open))
			line := results.compare(comparison{name: fmt.Sprintf("open a document of %d MB", mb), anchor: "raw pipe, same bytes"})
			b.ReportAllocs()
			b.SetBytes(int64(len(open)))
			for b.Loop() {
				start := time.Now()
				raw.carry(open)
				base := time.Since(start)

				start = time.Now()
				e.send(open)
				e.await()
				line.round(time.Since(start), base)
				e.notify("textDocument/didClose", `{"textDocument":{"uri":"`+uri+`"}}`)
				e.notify("$/setTrace", `{"value":"off"}`) // now it is closed, and not reloaded
				e.await()
			}
			line.report(b)
		})
	}
}

// rawPipe is a pipe whose other end reads messages of one size as a server does.
type rawPipe struct {
	b    *testing.B
	out  *os.File
	done chan struct{}
}

func newRawPipe(b *testing.B, size int) *rawPipe {
	in, out := pipe(b)
	p := &rawPipe{b, out, make(chan struct{})}
	go func() {
		r, buf := bufio.NewReaderSize(in, 64<<10), make([]byte, size)
		for {
			if _, err := io.ReadFull(r, buf); err != nil {
				_ = in.Close()
				return
			}
			p.done <- struct{}{}
		}
	}()
	b.Cleanup(func() { _ = out.Close() })
	return p
}

func (p *rawPipe) carry(bytes []byte) {
	if _, err := p.out.Write(bytes); err != nil {
		p.b.Fatal(err)
	}
	<-p.done
}
