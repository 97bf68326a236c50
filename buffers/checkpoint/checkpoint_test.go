package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

type repo struct {
	t    *testing.T
	root string
}

func newFolder(t *testing.T) repo {
	t.Helper()
	p, err := buffers.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return repo{t, string(p)}
}

// newRepo is a repository with a commit of the files.
func newRepo(t *testing.T, files ...string) repo {
	t.Helper()
	r := newFolder(t)
	r.git("init", "-q", ".")
	for i := 0; i < len(files); i += 2 {
		r.write(files[i], files[i+1])
	}
	r.commit()
	return r
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.root, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (r repo) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "x")
}

func (r repo) write(name, content string) {
	r.t.Helper()
	p := filepath.Join(r.root, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) take(earlier *Checkpoint, opt Options) *Checkpoint {
	r.t.Helper()
	c, err := Take(r.t.Context(), buffers.Path(r.root), earlier, opt)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// changes writes the changes as lines "path: before => after".
func (r repo) changes(c *Checkpoint) string {
	r.t.Helper()
	all, err := c.Changes(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	var b strings.Builder
	for _, ch := range all {
		rel, _ := filepath.Rel(r.root, string(ch.Path))
		fmt.Fprintf(&b, "%s: %s => %s\n", filepath.ToSlash(rel), show(ch.Before), show(ch.After))
	}
	return b.String()
}

func show(s State) string {
	out := ""
	switch {
	case !s.Exists:
		return "-"
	case s.Opaque != "":
		out = string(s.Opaque)
	default:
		out = fmt.Sprintf("%q", s.Content)
	}
	if s.Exec {
		out += " exec"
	}
	return out
}

func (r repo) want(c *Checkpoint, want string) {
	r.t.Helper()
	if got := r.changes(c); got != want {
		r.t.Errorf("changes\n%swant\n%s", got, want)
	}
}

// Whatever happens to a file is found with what it held before: committed, with
// changes of the user's own, untracked.
func TestGit(t *testing.T) {
	r := newRepo(t, "clean", "a\n", "dirty", "b\n", "gone", "c\n", "sub/deep", "d\n", "same", "e\n", ".gitignore", "ignored\n")
	r.write("dirty", "user\n")
	r.write("untracked", "u\n")
	r.write("ignored", "i\n")
	c := r.take(nil, Options{})
	r.want(c, "")
	r.write("clean", "agent\n")
	r.write("dirty", "user and agent\n")
	r.write("sub/deep", "agent\n")
	r.write("new/file", "n\n")
	r.write("untracked", "agent\n")
	r.write("ignored", "agent\n")
	if err := os.Remove(filepath.Join(r.root, "gone")); err != nil {
		t.Fatal(err)
	}
	want := `clean: "a\n" => "agent\n"
dirty: "user\n" => "user and agent\n"
gone: "c\n" => -
new/file: - => "n\n"
sub/deep: "d\n" => "agent\n"
untracked: "u\n" => "agent\n"
`
	r.want(c, want)
	r.commit() // a tool call commits: what it wrote is changed all the same
	r.want(c, want)
	next := r.take(c, Options{})
	r.want(next, "")
	r.want(c, want)
}

// What checkout writes is not what git keeps.
func TestLineEndFilters(t *testing.T) {
	r := newRepo(t, ".gitattributes", "*.txt text eol=crlf\n*.lfs filter=lfs\n", "a.txt", "a\r\nb\r\n", "big.lfs", "pointer\n")
	c := r.take(nil, Options{})
	r.want(c, "")
	r.write("a.txt", "a\r\nB\r\n")
	r.write("big.lfs", "other\n")
	r.want(c, "a.txt: \"a\\r\\nb\\r\\n\" => \"a\\r\\nB\\r\\n\"\nbig.lfs: filtered => filtered\n")
}

// A filter of the repository's own choice is not run for what it checks out.
func TestFilterPrograms(t *testing.T) {
	r := newFolder(t)
	r.git("init", "-q", ".")
	ran := filepath.Join(r.root, ".git", "ran")
	r.git("config", "filter.big.clean", "tr a-z A-Z")
	r.git("config", "filter.big.smudge", "tee "+filepath.ToSlash(ran)+" | tr A-Z a-z")
	r.write(".gitattributes", "*.big filter=big\n")
	r.write("a.big", "content\n")
	r.write("b.big", "content\n")
	r.commit()
	c := r.take(nil, Options{})
	r.want(c, "")
	r.write("a.big", "other\n")
	if err := os.Remove(filepath.Join(r.root, "b.big")); err != nil {
		t.Fatal(err)
	}
	r.want(c, "a.big: filtered => filtered\nb.big: filtered => -\n")
	if k, err := c.Copy(t.Context(), buffers.Path(filepath.Join(r.root, "a.big"))); err != nil || k.Kept() {
		t.Errorf("copy %+v, %v", k, err)
	}
	if _, err := os.Stat(ran); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the filter was run: %v", err)
	}
}

func TestModeBinaryLarge(t *testing.T) {
	r := newRepo(t, "run", "x\n", "bin", "\x00\x01", "large", strings.Repeat("l", 100))
	c := r.take(nil, Options{MaxFile: 50})
	if err := os.Chmod(filepath.Join(r.root, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("bin", "\x00\x02")
	r.write("large", strings.Repeat("m", 100))
	got := r.changes(c)
	for _, want := range []string{"run: \"x\\n\" => \"x\\n\" exec\n", "bin: binary => binary\n", "large: "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Where modes mean nothing they are no change.
func TestModesThatMeanNothing(t *testing.T) {
	r := newRepo(t, "run", "x\n", "other", "x\n")
	r.git("update-index", "--chmod=+x", "run")
	r.git("commit", "-q", "-m", "run")
	r.git("config", "core.fileMode", "false")
	c := r.take(nil, Options{})
	r.write("run", "y\n")
	if err := os.Chmod(filepath.Join(r.root, "other"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.want(c, "run: \"x\\n\" => \"y\\n\"\n")
}

func TestNoCommitYet(t *testing.T) {
	r := newFolder(t)
	r.git("init", "-q", ".")
	r.write("a", "1\n")
	c := r.take(nil, Options{})
	r.write("a", "2\n")
	r.write("b", "3\n")
	r.want(c, "a: \"1\\n\" => \"2\\n\"\nb: - => \"3\\n\"\n")
}

// A folder inside a work tree is looked at alone; submodules and other repositories
// in it are work trees of their own, which git status does not look into.
func TestFoldersOfOthers(t *testing.T) {
	sub := newRepo(t, "f", "1\n")
	r := newRepo(t, "in/a", "1\n", "out", "1\n")
	r.git("submodule", "add", "-q", sub.root, "in/module")
	r.commit()
	nested := repo{t, filepath.Join(r.root, "in", "nested")}
	if err := os.MkdirAll(nested.root, 0o755); err != nil {
		t.Fatal(err)
	}
	nested.git("init", "-q", ".")
	nested.write("f", "1\n")
	nested.commit()
	in := repo{t, filepath.Join(r.root, "in")}
	c := in.take(nil, Options{})
	r.write("in/a", "2\n")
	r.write("out", "2\n")
	r.write("in/module/f", "2\n")
	nested.write("f", "2\n")
	nested.write("new", "1\n")
	want := `a: "1\n" => "2\n"
module/f: "1\n" => "2\n"
nested/f: "1\n" => "2\n"
nested/new: - => "1\n"
`
	in.want(c, want)
	nested.commit()
	in.want(c, want)
	if err := os.RemoveAll(nested.root); err != nil {
		t.Fatal(err)
	}
	in.want(c, "a: \"1\\n\" => \"2\\n\"\nmodule/f: \"1\\n\" => \"2\\n\"\n")
}

// A second work tree of a repository has a HEAD and an index of its own.
func TestWorktree(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	w := newFolder(t)
	r.git("worktree", "add", "-q", filepath.Join(w.root, "tree"))
	w.root = filepath.Join(w.root, "tree")
	r.write("a", "not here\n")
	c := w.take(nil, Options{})
	w.write("a", "2\n")
	w.want(c, "a: \"1\\n\" => \"2\\n\"\n")
}

// What a sparse checkout left out has not been deleted by anybody.
func TestSparse(t *testing.T) {
	r := newRepo(t, "in/a", "1\n", "out/b", "1\n")
	r.git("sparse-checkout", "set", "in")
	c := r.take(nil, Options{})
	r.want(c, "")
	r.write("in/a", "2\n")
	r.write("out/b", "made anew\n")
	r.want(c, "in/a: \"1\\n\" => \"2\\n\"\nout/b: - => \"made anew\\n\"\n")
}

// What git was told not to look at is looked at all the same.
func TestFilesGitDoesNotLookAt(t *testing.T) {
	for _, flag := range []string{"--skip-worktree", "--assume-unchanged"} {
		r := newRepo(t, "local.conf", "1\n", "other", "1\n")
		r.git("update-index", flag, "local.conf")
		r.write("local.conf", "the user's\n")
		c := r.take(nil, Options{})
		r.want(c, "")
		r.write("local.conf", "the agent's\n")
		r.want(c, "local.conf: \"the user's\\n\" => \"the agent's\\n\"\n")
		r.want(r.take(c, Options{}), "")
		r.git("update-index", "--no"+strings.TrimPrefix(flag, "-"), "local.conf") // the index is read anew
		r.want(r.take(c, Options{}), "")
	}
}

// Keywords that checkout expands are in a copy as they are in the file.
func TestIdent(t *testing.T) {
	r := newRepo(t, ".gitattributes", "*.c ident\n", "a.c", "$Id$\nx\n")
	if err := os.Remove(filepath.Join(r.root, "a.c")); err != nil {
		t.Fatal(err)
	}
	r.git("checkout", "-q", "--", "a.c")
	was, err := os.ReadFile(filepath.Join(r.root, "a.c"))
	if err != nil || !strings.HasPrefix(string(was), "$Id: ") {
		t.Fatalf("checkout made %q, %v", was, err)
	}
	c := r.take(nil, Options{})
	r.write("a.c", strings.Replace(string(was), "x\n", "y\n", 1))
	r.want(c, fmt.Sprintf("a.c: %q => %q\n", was, strings.Replace(string(was), "x\n", "y\n", 1)))
}

// Line ends of the user's settings count as those of attributes do.
func TestAutoCRLF(t *testing.T) {
	r := newFolder(t)
	r.git("init", "-q", ".")
	r.git("config", "core.autocrlf", "true")
	r.write("a", "1\r\n2\r\n")
	r.commit()
	c := r.take(nil, Options{})
	r.write("a", "1\r\nTWO\r\n")
	r.want(c, "a: \"1\\r\\n2\\r\\n\" => \"1\\r\\nTWO\\r\\n\"\n")
}

// Many files are read from git at once, whatever is in them and whatever they are
// called.
func TestManyFilesOfACommit(t *testing.T) {
	contents := []string{"", "\n", "x", "x\n", "a missing\n", "1 blob 2\n", "\n missing\n\n", "\x00\n\n", strings.Repeat("l\n", 5000)}
	names := []string{"a", "b c", "-d", ":e", "*", "ü", "new\nline", "sub/g", "h\t"}
	var files []string
	for i, n := range names {
		files = append(files, n, contents[i])
	}
	r := newRepo(t, append(files, ".gitattributes", "b* text eol=crlf\n")...)
	c := r.take(nil, Options{})
	for _, n := range names {
		r.write(n, "changed")
	}
	all, err := c.Changes(t.Context())
	if err != nil || len(all) != len(names) {
		t.Fatalf("%d changes, %v", len(all), err)
	}
	for _, ch := range all {
		rel, _ := filepath.Rel(r.root, string(ch.Path))
		i := slices.Index(names, filepath.ToSlash(rel))
		want := contents[i]
		if rel == "b c" {
			want = "\r\n"
		}
		if ch.Before.Content != want {
			t.Errorf("%q had %q, want %q", rel, ch.Before.Content, want)
		}
	}
}

// A file that has become a link or a folder is changed, and can be put back.
func TestNoFileAnyMore(t *testing.T) {
	r := newRepo(t, "a", "1\n", "b", "2\n", "c", "3\n")
	c := r.take(nil, Options{})
	for _, n := range []string{"a", "b"} {
		if err := os.Remove(filepath.Join(r.root, n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("c", filepath.Join(r.root, "a")); err != nil {
		t.Fatal(err)
	}
	r.write("b/x", "4\n")
	r.want(c, "a: \"1\\n\" => link\nb: \"2\\n\" => folder\nb/x: - => \"4\\n\"\n")
	at := map[string]Change{}
	changes, err := c.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range changes {
		at[filepath.Base(string(ch.Path))] = ch
	}
	if to := at["a"].After.Target; to != "c" {
		t.Errorf("the link is one to %q", to)
	}
	restore := func(name string) error {
		k, err := c.Copy(t.Context(), at[name].Path)
		return errors.Join(err, k.Restore(t.Context(), at[name].Path, at[name].After))
	}
	if err := restore("b"); !errors.Is(err, ErrFull) {
		t.Errorf("a folder with a file in it: %v", err)
	}
	link, folder := reread(t, CopyOf(at["a"].Path)), reread(t, CopyOf(at["b"].Path))
	if err := errors.Join(os.Remove(filepath.Join(r.root, "b", "x")), restore("a"), restore("b")); err != nil {
		t.Error(err)
	}
	r.want(c, "")
	a, b := CopyOf(at["a"].Path), CopyOf(at["b"].Path)
	if err := errors.Join(link.Restore(t.Context(), at["a"].Path, a.State), folder.Restore(t.Context(), at["b"].Path, b.State)); err != nil {
		t.Error(err)
	}
	r.want(c, "a: \"1\\n\" => link\nb: \"2\\n\" => folder\n") // as it was
	if err := errors.Join(restore("a"), restore("b")); err != nil {
		t.Error(err)
	}
	r.want(c, "")
	for name, want := range map[string]string{"a": "1\n", "c": "3\n"} { // nothing was written through the link
		if got, err := os.ReadFile(filepath.Join(r.root, name)); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(r.root, "a")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What no git knows, and there is too much of, is left out and that is said; what
// git knows is compared.
func TestTooManyUntracked(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	for i := range 5 {
		r.write(fmt.Sprint("u", i), "u\n")
	}
	c := r.take(nil, Options{MaxFiles: 3})
	if !strings.Contains(c.Note(), "more than 3 files that git does not know") {
		t.Errorf("note %q", c.Note())
	}
	r.want(c, "")
	r.write("a", "2\n")
	r.write("u0", "2\n")
	r.write("u4", "2\n")
	r.want(c, "a: \"1\\n\" => \"2\\n\"\nu0: \"u\\n\" => \"2\\n\"\n")
}

// In a home folder that is a repository only what is in it is looked at.
func TestHomeInGit(t *testing.T) {
	r := newRepo(t, ".profile", "1\n")
	t.Setenv("HOME", r.root)
	r.write("downloads/x", "1\n")
	c := r.take(nil, Options{})
	r.write("downloads/x", "2\n")
	r.write(".profile", "2\n")
	r.want(c, ".profile: \"1\\n\" => \"2\\n\"\n")
}

func TestRootIsNoProject(t *testing.T) {
	c, err := Take(t.Context(), buffers.Path(filepath.VolumeName(t.TempDir())+string(filepath.Separator)), nil, Options{})
	if err != nil || !strings.Contains(c.Note(), "is no project") {
		t.Fatalf("note %q, %v", c.Note(), err)
	}
	if all, err := c.Changes(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%d changes, %v", len(all), err)
	}
}

func TestWithoutGit(t *testing.T) {
	r := newFolder(t)
	r.write("a", "1\n")
	r.write("b", "1\n")
	r.write("node_modules/x", "1\n")
	c := r.take(nil, Options{})
	r.write("a", "2\n")
	r.write("node_modules/x", "2\n")
	r.write("sub/c", "1\n")
	if err := os.Remove(filepath.Join(r.root, "b")); err != nil {
		t.Fatal(err)
	}
	r.want(c, "a: \"1\\n\" => \"2\\n\"\nb: \"1\\n\" => -\nsub/c: - => \"1\\n\"\n")
	if c.Note() != "" {
		t.Errorf("note %q", c.Note())
	}
	few := r.take(nil, Options{MaxFiles: 1})
	if !strings.Contains(few.Note(), "more than 1 files") {
		t.Errorf("note %q", few.Note())
	}
	t.Setenv("HOME", r.root)
	home := r.take(nil, Options{})
	if !strings.Contains(home.Note(), "is no project") {
		t.Errorf("note %q", home.Note())
	}
	r.write("a", "3\n")
	r.want(home, "")
}

// Copies beyond the budget are known by hash: that they change is still seen, and
// nothing else is.
// What stands beside a file while that is written, or is left of it, is nothing that was made, changed or
// taken away, whoever writes; a file of somebody's with nearly such a name is one.
func TestWhatIsBeingWritten(t *testing.T) {
	for name, r := range map[string]repo{"git": newRepo(t, "a", "1\n"), "no git": newFolder(t)} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			r.write("a", "1\n")
			was, stays, comes, aside := buffers.TempName(".tmp"), buffers.TempName(".tmp"), "sub/"+buffers.TempName(".tmp"), buffers.TempName(".old")
			r.write(was, "1\n")
			r.write(stays, "1\n")
			c := r.take(nil, Options{})
			r.write(comes, "2\n")
			r.write(stays, "1\n2\n")
			r.write(buffers.TempPrefix+"x.tmp", "3\n")
			remove(t, r, was)
			if err := os.Rename(filepath.Join(r.root, "a"), filepath.Join(r.root, aside)); err != nil {
				t.Fatal(err)
			}
			r.want(c, buffers.TempPrefix+"x.tmp: - => \"3\\n\"\na: \"1\\n\" => -\n")
		})
	}
}

func TestBudget(t *testing.T) {
	r := newFolder(t)
	r.write("a", strings.Repeat("a", 60))
	r.write("b", strings.Repeat("b", 60))
	c := r.take(nil, Options{Budget: 100})
	r.want(c, "")
	r.write("b", "new")
	r.want(c, "b: large => \"new\"\n")
}

// The user's index is not touched: not even its time stamp.
func TestIndexIsLeftAlone(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	index := filepath.Join(r.root, ".git", "index")
	before, err := os.Stat(index)
	if err != nil {
		t.Fatal(err)
	}
	r.write("a", "1\n") // a stale stat in the index, which git likes to refresh
	c := r.take(nil, Options{})
	r.want(c, "")
	after, err := os.Stat(index)
	if err != nil {
		t.Fatal(err)
	}
	if !before.ModTime().Equal(after.ModTime()) || !os.SameFile(before, after) {
		t.Error("the index was written")
	}
}

// That a file is not among the copies says that it was not there only where one would
// have been made.
func TestCovers(t *testing.T) {
	r := newRepo(t, "a", "1\n", ".gitignore", "out/\n")
	f := newFolder(t)
	f.write("a", "1\n")
	cut := newFolder(t)
	cut.write("a", "1\n")
	cut.write("b", "1\n")
	for _, tt := range []struct {
		in   repo
		opt  Options
		path string
		want bool
	}{
		{r, Options{}, "a", true}, {r, Options{}, "new/b", true}, {r, Options{}, "out/b", false}, {r, Options{}, ".git/config", false},
		{r, Options{}, "../b", false}, {r, Options{}, "node_modules/b", true},
		{f, Options{}, "a", true}, {f, Options{}, "new/b", true}, {f, Options{}, "x/node_modules/b", false}, {f, Options{}, ".git/b", false},
		{cut, Options{MaxFiles: 1}, "a", true}, {cut, Options{MaxFiles: 1}, "b", false},
	} {
		got, err := tt.in.take(nil, tt.opt).Covers(t.Context(), buffers.Path(filepath.Join(tt.in.root, filepath.FromSlash(tt.path))))
		if err != nil || got != tt.want {
			t.Errorf("%s (%+v): %v, %v", tt.path, tt.opt, got, err)
		}
	}
}

// What has not moved since an earlier checkpoint is not read again, with git and
// without; what has is.
func TestRefresh(t *testing.T) {
	for _, git := range []bool{true, false} {
		r := newFolder(t)
		if git {
			r = newRepo(t)
		}
		r.write("old", "1\n")
		r.write("new", "1\n")
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(r.root, "old"), long, long); err != nil {
			t.Fatal(err)
		}
		first := r.take(nil, Options{})
		r.write("new", "2\n")
		second := r.take(first, Options{})
		r.want(second, "")
		at := func(c *Checkpoint, name string) *kept { return c.copied(filepath.Join(r.root, name)) }
		if at(first, "old") == nil || at(first, "old") != at(second, "old") || at(second, "new").Content != "2\n" {
			t.Errorf("git %v: old %v and %v, new %v", git, at(first, "old"), at(second, "old"), at(second, "new"))
		}
	}
}
