package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/internal/review/journal"
)

// BenchmarkJournal is the time in which what is about to be done to a file is on the disk,
// which every edit of a document waits for. The anchor appends as many bytes to a file and
// syncs it.
func BenchmarkJournal(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1 kB", 1 << 10}, {"100 kB", 100 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			dir := b.TempDir()
			j := journal.Open(filepath.Join(dir, "state"), dir, journal.Options{})
			defer func() {
				if err := j.Close(); err != nil {
					b.Error(err)
				}
			}()
			raw, err := os.OpenFile(filepath.Join(dir, "raw"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = raw.Close() }()
			state := []byte(strings.Repeat(row, size.bytes/len(row)))
			record := func(i int) journal.Record {
				return journal.Record{Path: fmt.Sprintf("/work/file%d.go", i%20), Pending: 1, State: state}
			}
			if err := j.Write(true, record(0)); err != nil { // makes the file
				b.Fatal(err)
			}
			line := results.compare(comparison{name: "journal record of " + size.name, anchor: "write and fsync, same bytes", aim: goal{p50: 1.2}})
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if _, err := raw.Write(state); err != nil {
					b.Fatal(err)
				}
				if err := raw.Sync(); err != nil {
					b.Fatal(err)
				}
				base := time.Since(start)

				r := record(i)
				start = time.Now()
				if err := j.Write(true, r); err != nil {
					b.Fatal(err)
				}
				line.round(time.Since(start), base)
			}
			line.report(b)
		})
	}
}
