package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
)

// git runs git in a folder of its own, without the user's settings.
type git struct {
	b   *testing.B
	dir string
	env []string
}

func newGit(b *testing.B) *git {
	return &git{b, b.TempDir(), append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")}
}

func (g *git) write(name, content string) {
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(content), 0o600); err != nil {
		g.b.Fatal(err)
	}
}

// run returns the time git takes. It exits with status for what is done here.
func (g *git) run(status int, args ...string) time.Duration {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == status {
		err = nil
	}
	if err != nil {
		g.b.Fatalf("git %s: %v", args[0], err)
	}
	return took
}

// rows returns n rows of code of which no two are alike.
func rows(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("\tstatement number %d, as long as lines of code are", i)
	}
	return out
}

// changed returns rows with one row in each step changed, from the row first on.
func changed(rows []string, first, step int, by string) []string {
	out := slices.Clone(rows)
	for i := first; i < len(out); i += step {
		out[i] = fmt.Sprintf("\t%s %d", by, i)
	}
	return out
}

func joined(rows []string) string { return strings.Join(rows, "\n") + "\n" }

// BenchmarkDiff compares two texts of 10,000 rows that differ in 200 places. The
// anchors are git's comparison of them, and that without what it takes to start
// git.
func BenchmarkDiff(b *testing.B) {
	base := rows(10_000)
	was, now := joined(base), joined(changed(base, 25, 50, "changed"))
	g := newGit(b)
	g.write("a", was)
	g.write("b", now)
	whole := results.compare(comparison{name: "diff, 10,000 rows, 200 hunks", anchor: "git diff --histogram", now: goal{p50: .2}})
	net := results.compare(comparison{name: "diff, 10,000 rows, 200 hunks", anchor: "the same, less git's start", aim: goal{p50: .1}})
	var edits []linediff.Edit
	b.ReportAllocs()
	for b.Loop() {
		spawn := g.run(0, "version")
		took := g.run(1, "diff", "--no-index", "--no-color", "--histogram", "a", "b")

		start := time.Now()
		edits = linediff.Diff(linediff.Split(was), linediff.Split(now))
		ours := time.Since(start)
		whole.round(ours, took)
		net.round(ours, max(took-spawn, 1))
	}
	if len(edits) != 200 {
		b.Fatalf("%d hunks", len(edits))
	}
	whole.report(b)
}

// BenchmarkMerge merges two texts into a third. The anchor is git merge-file.
func BenchmarkMerge(b *testing.B) {
	for _, size := range []struct {
		rows, step int
		aim        goal
	}{{40, 20, goal{p50: .02}}, {10_000, 100, goal{}}} {
		b.Run(fmt.Sprint(size.rows, " rows"), func(b *testing.B) {
			r := rows(size.rows)
			base, ours, theirs := joined(r), joined(changed(r, 5, size.step, "ours")), joined(changed(r, 15, size.step, "theirs"))
			g := newGit(b)
			g.write("base", base)
			g.write("ours", ours)
			g.write("theirs", theirs)
			line := results.compare(comparison{name: fmt.Sprintf("merge, %d rows", size.rows), anchor: "git merge-file", aim: size.aim})
			var m merge.TextResult
			b.ReportAllocs()
			for b.Loop() {
				took := g.run(0, "merge-file", "-p", "ours", "base", "theirs")

				start := time.Now()
				m = merge.Texts(base, ours, theirs)
				line.round(time.Since(start), took)
			}
			if want := joined(changed(changed(r, 5, size.step, "ours"), 15, size.step, "theirs")); m.Text != want || len(m.Conflicts) > 0 {
				b.Fatalf("%d conflicts, %d bytes of %d", len(m.Conflicts), len(m.Text), len(want))
			}
			line.report(b)
		})
	}
}
