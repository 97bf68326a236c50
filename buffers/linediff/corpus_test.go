package linediff

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"acp-ls/internal/bench/corpus"
)

func rowsIn(edits []Edit) int {
	n := 0
	for _, e := range edits {
		n += e.A1 - e.A0 + e.B1 - e.B0
	}
	return n
}

func TestCorpora(t *testing.T) {
	_, editedB := corpus.Places()
	wants := map[string]struct {
		edits, joined int // at most
		rows          int // exactly, where there is one right number
	}{
		"A: one row of 100":            {1, 1, 2},
		"B: 200 places of 10,000 rows": {200, 200, editedB},
		"C: 100,000 rows indented":     {20_000, 1, 0},
		"D: unrelated code":            {5000, 600, 0},
		"E: 5 MB in one row":           {1, 1, 2},
		"F: 20,000 rows, 50 distinct":  {5, 5, 0},
		"G: a block moved":             {2, 2, 1000},
	}
	git, err := exec.LookPath("git")
	for _, c := range corpus.All() {
		t.Run(c.Name, func(t *testing.T) {
			want := wants[c.Name]
			edits := checkDiff(t, c.A, c.B)
			joined := Coalesce(c.A, edits)
			t.Logf("%d edits, %d joined, %d rows", len(edits), len(joined), rowsIn(edits))
			if len(edits) > want.edits || len(joined) > want.joined {
				t.Errorf("%d edits, %d joined; want at most %d and %d", len(edits), len(joined), want.edits, want.joined)
			}
			if want.rows != 0 && rowsIn(edits) != want.rows {
				t.Errorf("%d rows deleted and inserted, want %d", rowsIn(edits), want.rows)
			}
			if git == "" || err != nil {
				return
			}
			blocks, rows := gitDiff(t, git, c)
			t.Logf("git: %d blocks, %d rows", blocks, rows)
			if len(joined) > blocks {
				t.Errorf("%d blocks to review, git has %d", len(joined), blocks)
			}
		})
	}
}

// gitDiff returns the number of blocks and of rows in git's histogram diff.
func gitDiff(t *testing.T, git string, c corpus.Pair) (blocks, rows int) {
	dir := t.TempDir()
	writeRows(t, filepath.Join(dir, "a"), c.A)
	writeRows(t, filepath.Join(dir, "b"), c.B)
	cmd := exec.Command(git, "diff", "--no-index", "--no-color", "--histogram", "-U0", "a", "b")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, _ := cmd.Output() // fails where there is a difference
	for _, h := range hunkHeader.FindAllStringSubmatch(string(out), -1) {
		blocks++
		for _, count := range h[1:] {
			n, err := strconv.Atoi(count)
			if count == "" {
				n = 1
			} else if err != nil {
				t.Fatal(err)
			}
			rows += n
		}
	}
	if blocks == 0 {
		t.Fatalf("git finds no difference:\n%.300s", out)
	}
	return blocks, rows
}

var hunkHeader = regexp.MustCompile(`(?m)^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

func writeRows(t testing.TB, path string, rows []string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
