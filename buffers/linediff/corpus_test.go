package linediff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// corpus is a pair of texts that some way of comparing texts is known to be bad at.
type corpus struct{ a, b []string }

// code returns n rows that look like a program: most are found once, but blank rows and
// closing braces everywhere, and a few phrases in many places.
func code(r *rand.Rand, n int) []string {
	rows := make([]string, 0, n+20)
	for len(rows) < n {
		rows = append(rows, fmt.Sprintf("func f%d(x int) error {", r.IntN(1e9)))
		for range 1 + r.IntN(8) {
			rows = append(rows, fmt.Sprintf("\tx%d += g(x, %d)", r.IntN(1000), r.IntN(1000)))
			switch r.IntN(20) {
			case 0:
				rows = append(rows, fmt.Sprintf("\tif err := h(%d); err != nil {", r.IntN(1000)), "\t\treturn err", "\t}")
			case 1:
				rows = append(rows, "")
			case 2:
				rows = append(rows, fmt.Sprintf("\tfor x%d > 0 {", r.IntN(1000)), fmt.Sprintf("\t\tx -= %d", r.IntN(1000)), "\t}", "")
			}
		}
		rows = append(rows, fmt.Sprintf("\treturn x%d", r.IntN(1000)), "}", "")
	}
	return rows[:n]
}

// unique returns n rows of which no two are alike.
func unique(n int) []string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("\tstatement number %d, as long as lines of code are", i)
	}
	return rows
}

// corpusB is 10,000 distinct rows with 200 places changed, and the number of rows that were
// taken away and put in there.
func corpusB() (c corpus, edited int) {
	r := rand.New(rand.NewPCG(5, 6))
	c.a = unique(10_000)
	for i := range 200 {
		from := i * 50
		gone, added := r.IntN(5), r.IntN(4)
		if gone == 0 {
			added++
		}
		c.b = append(c.b, c.a[from:from+20]...)
		for j := range added {
			c.b = append(c.b, fmt.Sprintf("\tnew %d of %d", j, i))
		}
		c.b = append(c.b, c.a[from+20+gone:from+50]...)
		edited += gone + added
	}
	return c, edited
}

func corpora() map[string]corpus {
	r := rand.New(rand.NewPCG(7, 8))
	out := map[string]corpus{}

	a := code(r, 100)
	b := slices.Clone(a)
	b[50] = "\tpanic(x)"
	out["A: one row of 100"] = corpus{a, b}

	out["B: 200 places of 10,000 rows"], _ = corpusB()

	a = code(r, 100_000)
	b = slices.Clone(a)
	for i, row := range b {
		if row != "" {
			b[i] = "\t" + row
		}
	}
	out["C: 100,000 rows indented"] = corpus{a, b}

	out["D: unrelated code"] = corpus{code(r, 20_000), code(r, 20_000)}

	long := strings.Repeat("all on one line, ", 300_000)
	out["E: 5 MB in one row"] = corpus{[]string{long + "a" + long}, []string{long + "b" + long}}

	out["F: 20,000 rows, 50 distinct"] = corpus{drawn(r, 20_000, 50), drawn(r, 20_000, 50)}

	a = code(r, 20_000)
	out["G: a block moved"] = corpus{a, slices.Concat(a[:5000], a[5500:15_000], a[5000:5500], a[15_000:])}
	return out
}

func rowsIn(edits []Edit) int {
	n := 0
	for _, e := range edits {
		n += e.A1 - e.A0 + e.B1 - e.B0
	}
	return n
}

func TestCorpora(t *testing.T) {
	_, editedB := corpusB()
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
	for name, c := range corpora() {
		t.Run(name, func(t *testing.T) {
			want := wants[name]
			edits := checkDiff(t, c.a, c.b)
			joined := Coalesce(c.a, edits)
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
func gitDiff(t *testing.T, git string, c corpus) (blocks, rows int) {
	dir := t.TempDir()
	writeRows(t, filepath.Join(dir, "a"), c.a)
	writeRows(t, filepath.Join(dir, "b"), c.b)
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
