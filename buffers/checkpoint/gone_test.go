package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What was copied can be told and brought back although the repository is gone, or
// another one is in its place; of the rest nothing is pretended.
func TestRepositoryIsTakenAway(t *testing.T) {
	for _, x := range []struct {
		name string
		do   func(r repo)
	}{
		{"gone", func(repo) {}},
		{"made anew", func(r repo) { r.git("init", "-q", ".") }},
		{"made anew, with a commit", func(r repo) {
			r.git("init", "-q", ".")
			r.commit()
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := newRepo(t, "clean", "1\n", "left", "1\n", "seen", "1\n", "dirty", "1\n")
			r.write("dirty", "user\n")
			r.write("untracked", "u\n")
			r.write("untracked2", "u\n")
			c := r.take(nil, Options{})
			r.write("seen", "2\n")
			r.want(c, "seen: \"1\\n\" => \"2\\n\"\n")
			if err := os.RemoveAll(filepath.Join(r.root, ".git")); err != nil {
				t.Fatal(err)
			}
			x.do(r)
			r.write("clean", "2\n")
			r.write("dirty", "2\n")
			r.write("untracked", "2\n")
			if err := os.Remove(filepath.Join(r.root, "untracked2")); err != nil {
				t.Fatal(err)
			}
			const want = "dirty: \"user\\n\" => \"2\\n\"\nseen: \"1\\n\" => \"2\\n\"\nuntracked: \"u\\n\" => \"2\\n\"\nuntracked2: \"u\\n\" => -\n"
			r.want(c, want)
			r.want(c, want)
			if note := c.Note(); !strings.Contains(note, "is gone") || strings.Contains(note, "\n") {
				t.Errorf("note %q", note)
			}
			for name, want := range map[string]bool{"clean": false, "new": false, "dirty": true} {
				if covered, err := c.Covers(t.Context(), buffers.Path(filepath.Join(r.root, name))); err != nil || covered != want {
					t.Errorf("%s: covered %v, %v", name, covered, err)
				}
			}
		})
	}
}

// A repository inside of another that is taken away is no loss of the rest.
func TestInnerRepositoryIsTakenAway(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	in := repo{t, filepath.Join(r.root, "in")}
	r.write("in/clean", "1\n")
	in.git("init", "-q", ".")
	in.commit()
	r.write("in/dirty", "1\n")
	c := r.take(nil, Options{})
	if err := os.RemoveAll(filepath.Join(in.root, ".git")); err != nil {
		t.Fatal(err)
	}
	r.write("a", "2\n")
	r.write("in/clean", "2\n")
	r.write("in/dirty", "2\n")
	r.want(c, "a: \"1\\n\" => \"2\\n\"\nin/dirty: \"1\\n\" => \"2\\n\"\n")
	if !strings.Contains(c.Note(), "is gone") {
		t.Errorf("note %q", c.Note())
	}
}

// What is ignored, or left alone, because of what was said while a turn ran is found
// all the same; what was before is not.
func TestNewlyIgnored(t *testing.T) {
	for _, x := range []struct {
		name string
		do   func(r repo)
		want string
	}{
		{"a rule more", func(r repo) { r.write(".gitignore", "*.log\nq*\n") }, ".gitignore: \"*.log\\n\" => \"*.log\\nq*\\n\"\n"},
		{"committed", func(r repo) {
			r.write(".gitignore", "*.log\nq*\n")
			r.git("add", ".gitignore")
			r.git("commit", "-q", "-m", "x")
		}, ".gitignore: \"*.log\\n\" => \"*.log\\nq*\\n\"\n"},
		{"in a folder", func(r repo) { r.write("qd/.gitignore", "*\n"); r.write(".git/info/exclude", "# none\nq\n") }, "qd/.gitignore: - => \"*\\n\"\n"},
		{"of git", func(r repo) { r.write(".git/info/exclude", "q\nqd/\n") }, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := newRepo(t, ".gitignore", "*.log\n", "kept", "1\n")
			r.write("a.log", "l\n")
			c := r.take(nil, Options{})
			r.write("q", "1\n")
			r.write("qd/x", "2\n")
			r.write("b.log", "l\n")
			r.write("a.log", "l2\n")
			x.do(r)
			want := []string{"q: - => \"1\\n\"\n", "qd/x: - => \"2\\n\"\n"}
			if x.want != "" {
				want = append(want, x.want)
			}
			slices.Sort(want)
			r.want(c, strings.Join(want, ""))
		})
	}
	t.Run("told to leave alone", func(t *testing.T) {
		r := newRepo(t, "a", "1\n", "b", "1\n")
		c := r.take(nil, Options{})
		r.git("update-index", "--skip-worktree", "a")
		r.git("update-index", "--assume-unchanged", "b")
		r.write("a", "2\n")
		r.write("b", "2\n")
		r.want(c, "a: \"1\\n\" => \"2\\n\"\nb: \"1\\n\" => \"2\\n\"\n")
	})
}
