package merge

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers/linediff"
)

var gitMerges = flag.Int("git", 400, "random merges to compare with those of git")

// A gitMerge runs git merge-file in a directory of its own.
type gitMerge struct{ path, dir string }

func newGit(t testing.TB) gitMerge {
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("no git on this machine: it is what the result is compared with")
	}
	return gitMerge{path, t.TempDir()}
}

func (g gitMerge) write(t testing.TB, c case3) {
	for name, rows := range map[string][]string{"base": c.base, "ours": c.ours, "theirs": c.theirs} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text(rows)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run merges what was written, with the options. It returns the number of conflicts.
func (g gitMerge) run(t testing.TB, options ...string) (out string, conflicts int) {
	cmd := exec.Command(g.path, append(append([]string{"merge-file", "-p", "-q"}, options...), "ours", "base", "theirs")...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	stdout, err := cmd.Output()
	// The status is the number of conflicts.
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() < 128 {
		conflicts = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("git merge-file: %v", err)
	}
	return string(stdout), conflicts
}

// merge merges the case. In a conflict it keeps ours.
func (g gitMerge) merge(t testing.TB, c case3) (rows []string, conflicts int) {
	g.write(t, c)
	out, conflicts := g.run(t)
	kept := true
	for row := range strings.Lines(out) {
		switch row = strings.TrimSuffix(row, "\n"); {
		case strings.HasPrefix(row, "<<<<<<<"):
		case row == "=======":
			kept = false
		case strings.HasPrefix(row, ">>>>>>>"):
			kept = true
		case kept:
			rows = append(rows, row)
		}
	}
	return rows, conflicts
}

// text is the text of rows that all have a line end.
func text(rows []string) string {
	if len(rows) == 0 {
		return ""
	}
	return strings.Join(rows, "\n") + "\n"
}

// Where no row repeats there is one way to say what changed, and so one merge.
func TestGitMergesDistinctRowsAlike(t *testing.T) {
	g := newGit(t)
	clean := 0
	for i := range *gitMerges {
		c := randomCase(rand.New(rand.NewPCG(10, uint64(i))), 40, true)
		want, conflicts := g.merge(t, c)
		got := Merge(c.base, c.ours, c.theirs)
		if (conflicts > 0) != (len(got.Conflicts) > 0) || !slices.Equal(got.Rows, want) {
			t.Fatalf("%q\nmerged      %+v\ngit: %d conflicts, %q", c, got, conflicts, want)
		}
		if conflicts == 0 {
			clean++
		}
	}
	t.Logf("%d clean, %d with conflicts", clean, *gitMerges-clean)
}

// Conflicts are about the same rows as git's: with mine, theirs or both of them taken, the
// whole text is what git makes of it. Git parts a conflict where both sides have put in the
// same rows, and joins those that are near, so both are compared where neither can be; and
// where ours only touches it takes that too, so there mine is compared.
func TestGitTakesAlike(t *testing.T) {
	g := newGit(t)
	conflicts, compared := 0, map[string]int{}
	for i := range *gitMerges {
		c := randomCase(rand.New(rand.NewPCG(12, uint64(i))), 30, true)
		got := Merge(c.base, c.ours, c.theirs)
		if len(got.Conflicts) == 0 {
			continue
		}
		conflicts += len(got.Conflicts)
		g.write(t, c)
		shared := slices.ContainsFunc(c.ours, func(row string) bool { return strings.HasPrefix(row, "b") })
		for option, take := range map[string]func(k Conflict) []string{
			"--ours":   func(k Conflict) []string { return c.ours[k.Ours[0]:k.Ours[1]] },
			"--theirs": func(k Conflict) []string { return c.theirs[k.Theirs[0]:k.Theirs[1]] },
			"--union": func(k Conflict) []string {
				return slices.Concat(c.ours[k.Ours[0]:k.Ours[1]], c.theirs[k.Theirs[0]:k.Theirs[1]])
			},
		} {
			if option == "--union" && (shared || len(got.Conflicts) > 1) || option != "--ours" && touches(c) {
				continue
			}
			compared[option]++
			want, _ := g.run(t, option)
			var rows []string
			at := 0
			for _, k := range got.Conflicts {
				rows = slices.Concat(rows, got.Rows[at:k.At], take(k))
				at = k.At + k.Ours[1] - k.Ours[0]
			}
			if rows = append(rows, got.Rows[at:]...); text(rows) != want {
				t.Fatalf("%q\n%s gives %q\ngit            %q", c, option, text(rows), want)
			}
		}
	}
	if conflicts < *gitMerges/10 || min(compared["--ours"], compared["--theirs"], compared["--union"]) < *gitMerges/40 {
		t.Errorf("only %d conflicts in %d merges, compared %v", conflicts, *gitMerges, compared)
	}
}

// touches reports whether an edit of the one side touches one of the other and overlaps none.
func touches(c case3) bool {
	ours, theirs := align(c.base, c.ours, c.theirs)
	return slices.ContainsFunc(ours, func(e linediff.Edit) bool {
		touches := func(f linediff.Edit) bool { return e.A0 <= f.A1 && f.A0 <= e.A1 }
		return slices.ContainsFunc(theirs, touches) && !slices.ContainsFunc(theirs, func(f linediff.Edit) bool { return overlap(e, f) })
	})
}

// Line ends and a missing one at the end are beside what git compares, if all texts have the
// same: whole texts are merged as git merges them then.
func TestGitMergesTextsAlike(t *testing.T) {
	g := newGit(t)
	clean := 0
	for i := range *gitMerges / 2 {
		r := rand.New(rand.NewPCG(13, uint64(i)))
		c := randomCase(r, 30, true)
		end := []string{"\n", "\r\n"}[r.IntN(2)]
		whole := func(rows []string) string {
			if len(rows) == 0 {
				return ""
			}
			return strings.Join(rows, end) + end
		}
		if r.IntN(2) == 0 { // none of them has a last line end, and the last row is nobody's
			whole = func(rows []string) string { return strings.Join(append(slices.Clone(rows), "last"), end) }
		}
		texts := [3]string{whole(c.base), whole(c.ours), whole(c.theirs)}
		for k, name := range []string{"base", "ours", "theirs"} {
			if err := os.WriteFile(filepath.Join(g.dir, name), []byte(texts[k]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, conflicts := g.run(t)
		got := Texts(texts[0], texts[1], texts[2])
		if (conflicts > 0) != (len(got.Conflicts) > 0) || conflicts == 0 && got.Text != want {
			t.Fatalf("%q\nmerged %q, %d conflicts\ngit    %q, %d", texts, got.Text, len(got.Conflicts), want, conflicts)
		}
		if conflicts == 0 {
			clean++
		}
	}
	if clean < *gitMerges/8 {
		t.Errorf("only %d clean merges", clean)
	}
}

// Where rows repeat, git may pair them in another way; how often is only told.
func TestGitMergesRepeatedRows(t *testing.T) {
	g := newGit(t)
	var same, text, onlyGit, onlyOurs int
	for i := range *gitMerges {
		c := randomCase(rand.New(rand.NewPCG(11, uint64(i))), 40, false)
		want, conflicts := g.merge(t, c)
		got := checkMerge(t, c)
		switch {
		case conflicts > 0 && len(got.Conflicts) == 0:
			onlyGit++
		case conflicts == 0 && len(got.Conflicts) > 0:
			onlyOurs++
		case !slices.Equal(got.Rows, want):
			text++
		default:
			same++
		}
	}
	t.Logf("same %d, another text %d, conflict only in git %d, only here %d", same, text, onlyGit, onlyOurs)
	if same < *gitMerges*3/4 {
		t.Errorf("%d of %d merges are git's", same, *gitMerges)
	}
}
