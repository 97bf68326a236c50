package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
)

// BenchmarkCheckpoint is what a turn waits for before the agent has its prompt, in a work
// tree of 50,000 files of which 20 are changed and 20 unknown to git: what they all hold
// is made sure of. The anchor is git status, which somebody has to run to know. The first
// turn of a session has no earlier checkpoint to go by.
func BenchmarkCheckpoint(b *testing.B) {
	g := newGit(b)
	const folders, files = 500, 100
	for i := range folders {
		dir := fmt.Sprintf("pkg%02d/sub%d", i%50, i/50)
		if err := os.MkdirAll(filepath.Join(g.dir, dir), 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range files {
			g.write(fmt.Sprintf("%s/file%d.go", dir, j), fmt.Sprintf("package sub%d\n\nconst file = %d\n", i, j))
		}
	}
	g.run(0, "init", "-q", ".")
	g.run(0, "add", "-A")
	g.run(0, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-m", "x")
	for i := range 20 {
		g.write(fmt.Sprintf("pkg%02d/sub1/file1.go", i), "package changed\n")
		g.write(fmt.Sprintf("pkg%02d/new.go", i), "package new\n")
	}
	g.run(0, "status") // what it finds out about time stamps it writes into the index
	root, err := filepath.EvalSymlinks(g.dir)
	if err != nil {
		b.Fatal(err)
	}
	take := func(earlier *checkpoint.Checkpoint) (*checkpoint.Checkpoint, time.Duration) {
		start := time.Now()
		c, err := checkpoint.Take(b.Context(), buffers.Path(root), earlier, checkpoint.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return c, time.Since(start)
	}
	const anchor = "git status --untracked-files=all"
	first := results.compare(comparison{name: "checkpoint of 50,000 files, first turn", anchor: anchor, aim: goal{p50: 1.5}})
	next := results.compare(comparison{name: "checkpoint of 50,000 files, next turn", anchor: anchor, aim: goal{p50: 1.2}})
	compared := results.compare(comparison{name: "what a turn changed of 50,000 files", anchor: anchor, aim: goal{p50: 1.2}})
	for b.Loop() {
		base := g.run(0, "status", "--porcelain", "-z", "--untracked-files=all")
		c, took := take(nil)
		first.round(took, base)
		c, took = take(c)
		next.round(took, base)

		g.write("pkg07/sub7/file7.go", fmt.Sprintf("package agent // %v\n", took))
		start := time.Now()
		changes, err := c.Changes(b.Context())
		compared.round(time.Since(start), base)
		if err != nil || len(changes) != 1 || changes[0].Before.Content == "" {
			b.Fatalf("%+v, %v", changes, err)
		}
		g.write("pkg07/sub7/file7.go", changes[0].Before.Content)
	}
	next.report(b)
}
