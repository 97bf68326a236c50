package bench

import (
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
