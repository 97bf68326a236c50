package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/linediff"
	"acp-ls/internal/bench/corpus"
)

// BenchmarkDiffCorpora compares pairs of texts that are known to be hard. The anchor is
// git's comparison of them. What it comes to, and what memory it takes, are rows of their
// own.
func BenchmarkDiffCorpora(b *testing.B) {
	peak := results.compare(comparison{name: "memory while a diff runs, A to G", anchor: "bytes of both texts", unit: memory, aim: goal{worst: 3}})
	for _, pair := range corpus.All() {
		b.Run(pair.Name[:1], func(b *testing.B) {
			was, now := joined(pair.A), joined(pair.B)
			g := newGit(b)
			g.write("a", was)
			g.write("b", now)
			line := results.compare(comparison{name: "diff " + pair.Name, anchor: "git diff --histogram", aim: goal{p50: 1}})
			var edits []linediff.Edit
			for b.Loop() {
				took := g.run(1, "diff", "--no-index", "--no-color", "--histogram", "a", "b")
				start := time.Now()
				edits = linediff.Diff(linediff.Split(was), linediff.Split(now))
				line.round(time.Since(start), took)
			}
			if runtime.GOOS == "linux" && pair.Name[0] != 'A' { // of which nothing could be seen
				peak.count(peakOf(b, g.dir), float64(len(was)+len(now)))
			}
			if pair.Name[0] == 'C' {
				results.compare(comparison{name: "hunks to review in C", unit: number, aim: goal{most: 2}}).
					count(float64(len(linediff.Coalesce(pair.A, edits))))
			}
			line.report(b)
		})
	}
}

// peakVariable makes the test binary one that compares the files a and b of the folder it
// is in, and says how much more memory it had meanwhile than before, in bytes.
const peakVariable = "ACP_LS_BENCH_PEAK"

func peakMain() int {
	a, errA := os.ReadFile("a")
	b, errB := os.ReadFile("b")
	if err := errors.Join(errA, errB); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	was, now := string(a), string(b)
	a, b = nil, nil
	debug.FreeOSMemory()
	err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
	before, errBefore := memoryOf(os.Getpid(), "VmRSS:")
	linediff.Diff(linediff.Split(was), linediff.Split(now))
	peak, errPeak := memoryOf(os.Getpid(), "VmHWM:")
	if err := errors.Join(err, errBefore, errPeak); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Print(peak - before)
	return 0
}

func peakOf(b *testing.B, dir string) float64 {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), peakVariable+"=yes"), os.Stderr
	said, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	peak, err := strconv.ParseFloat(string(said), 64)
	if err != nil {
		b.Fatal(err)
	}
	return peak
}

// BenchmarkDiffCommits counts the rows that a diff takes away and puts in, for each of the
// last 1,000 commits, or as many as there are, of this repository that changed Go files. The anchor is what git counts
// for the same files.
func BenchmarkDiffCommits(b *testing.B) {
	b.ReportAllocs() // what is measured is no time
	commits := commitsOf(b, 1000)
	line := results.compare(comparison{name: "edited rows of commits, 1,000 at most", anchor: "git log --histogram --numstat", unit: number, aim: goal{worst: 1.05}})
	for b.Loop() {
		line.ours, line.base = nil, nil
		for _, c := range commits {
			ours := 0
			for _, f := range c.files {
				for _, e := range linediff.Diff(linediff.Split(f[0]), linediff.Split(f[1])) {
					ours += e.A1 - e.A0 + e.B1 - e.B0
				}
			}
			line.count(float64(ours), float64(c.edited))
		}
	}
	line.report(b)
}

// commit is what one commit made of files that it changed.
type commit struct {
	files  [][2]string // before and after
	edited int         // rows, as git counts
}

func commitsOf(b *testing.B, n int) (all []commit) {
	cmd := exec.Command("git", "log", "--no-merges", "--max-count", strconv.Itoa(n), "--diff-filter=M", "--no-renames", "--histogram",
		"--raw", "--numstat", "--no-abbrev", "--format=format:commit", "--", "*.go")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	cmd.Dir = "../.."
	log, err := cmd.Output()
	if err != nil {
		b.Skip("there is no history here")
	}
	blobs := newBlobs(b)
	for row := range strings.Lines(string(log)) {
		fields := strings.Fields(row)
		switch {
		case row == "commit\n":
			all = append(all, commit{})
		case strings.HasPrefix(row, ":"):
			c := &all[len(all)-1]
			c.files = append(c.files, [2]string{blobs.read(fields[2]), blobs.read(fields[3])})
		case len(fields) == 3:
			for _, count := range fields[:2] {
				k, err := strconv.Atoi(count)
				if err != nil {
					b.Fatal(err)
				}
				all[len(all)-1].edited += k
			}
		}
	}
	if len(all) == 0 {
		b.Skip("there is no history here")
	}
	return all
}

// blobs reads objects of this repository.
type blobs struct {
	b   *testing.B
	in  *os.File
	out *bufio.Reader
}

func newBlobs(b *testing.B) *blobs {
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir = "../.."
	in, w := pipe(b)
	cmd.Stdin = in
	r, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	_ = in.Close()
	b.Cleanup(func() {
		_ = w.Close()
		_ = cmd.Wait()
	})
	return &blobs{b, w, bufio.NewReader(r)}
}

func (o *blobs) read(id string) string {
	if _, err := fmt.Fprintln(o.in, id); err != nil {
		o.b.Fatal(err)
	}
	header, err := o.out.ReadString('\n')
	if err != nil {
		o.b.Fatal(err)
	}
	size, err := strconv.Atoi(strings.Fields(header)[2])
	if err != nil {
		o.b.Fatal(err)
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(o.out, content); err != nil {
		o.b.Fatal(err)
	}
	return string(content[:size])
}
