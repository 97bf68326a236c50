package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/config"
)

// BenchmarkTurnPoint is what a point of a turn costs when nothing has changed: 200 files
// are known, half of them open in the editor. The anchor is a bare lstat of the same
// files. What else a point does, which is to ask git, internal/bench measures.
func BenchmarkTurnPoint(b *testing.B) {
	root := b.TempDir()
	if p, err := buffers.Resolve(root); err == nil {
		root = string(p)
	}
	st := config.Default()
	c := New(Options{Launcher: &fakeLauncher{}, Settings: func() *config.Settings { return st }})
	c.unwatched = true
	e := newFakeEditor(b, c, root)
	old := time.Now().Add(-time.Hour)
	var paths []string
	for i := range 200 {
		path := filepath.Join(root, fmt.Sprintf("file%d.go", i))
		content := fmt.Sprintf("package p\n\nconst n = %d\n", i) + ten
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			b.Fatal(err)
		}
		paths = append(paths, path)
		if i%2 == 0 {
			e.open(buffers.PathURI(path), content)
		}
		f := c.file(buffers.Path(path))
		f.mu.Lock()
		f.doc = nil
		f.follow()
		f.mu.Unlock()
	}
	for _, f := range c.allFiles() {
		disk, err := buffers.ReadDisk(f.path)
		if err != nil {
			b.Fatal(err)
		}
		f.looked(context.Background(), disk, nil, arrival{})
	}
	s := &session{core: c, cwd: root}
	var ours, base []time.Duration
	for b.Loop() {
		start := time.Now()
		for _, p := range paths {
			if _, err := os.Lstat(p); err != nil {
				b.Fatal(err)
			}
		}
		base = append(base, time.Since(start))

		start = time.Now()
		for _, f := range c.filesOf(s) {
			if err := f.catchUp(b.Context()); err != nil {
				b.Fatal(err)
			}
			if f.differsFromDisk() {
				b.Fatalf("%s is said to differ", f.path)
			}
		}
		ours = append(ours, time.Since(start))
	}
	median := func(d []time.Duration) float64 { return float64(slices.Sorted(slices.Values(d))[len(d)/2]) }
	b.ReportMetric(0, "ns/op") // of a round: says nothing
	b.ReportMetric(median(ours), "p50-ns")
	b.ReportMetric(median(ours)/median(base), "p50/lstat")
	if path := os.Getenv("ACP_LS_BENCH_ROWS"); path != "" { // for the table of internal/bench
		row, err := json.Marshal(map[string]any{"Name": "point of a turn, 200 known files", "Anchor": "lstat of the same files", "Aim": 1.2, "Ours": ours, "Base": base})
		if err == nil {
			err = os.WriteFile(path, append(row, '\n'), 0o600)
		}
		if err != nil {
			b.Error(err)
		}
	}
	if err := c.Close(context.Background()); err != nil {
		b.Error(err)
	}
}
