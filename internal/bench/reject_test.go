package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkReject is the time of the command that rejects all of 1,000 hunks of a file of
// 10,000 rows which nobody has open, asked for by an editor. The anchor writes the file
// anew as it was: beside the old one, synced, renamed.
func BenchmarkReject(b *testing.B) {
	e := newEditor(b, `{}`)
	content := []byte(joined(rows(10_000)))
	line := results.compare(comparison{name: "reject all of 1,000 hunks", anchor: "rewriting the file"})
	for i := 0; b.Loop(); i++ {
		path := filepath.Join(e.root, fmt.Sprintf("big%d.go", i)) // what is rejected stays listed
		if err := os.WriteFile(path, content, 0o600); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		rewrite(b, filepath.Join(e.root, "other.go"), content)
		base := time.Since(start)

		e.command("acp.prompt", fmt.Sprintf(`{"text":%s,"wait":true}`, quote(fmt.Sprintf("edit %s 1000", path))))
		start = time.Now()
		e.command("acp.review.reject", fmt.Sprintf(`{"uri":"file://%s"}`, path))
		line.round(time.Since(start), base)
		if now, err := os.ReadFile(path); err != nil || string(now) != string(content) {
			b.Fatalf("the file has %d bytes of %d, %v", len(now), len(content), err)
		}
	}
	line.report(b)
}

func rewrite(b *testing.B, path string, content []byte) {
	f, err := os.CreateTemp(filepath.Dir(path), "temp")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Write(content); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		b.Fatal(err)
	}
}
