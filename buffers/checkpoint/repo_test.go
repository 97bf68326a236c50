package checkpoint

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"acp-ls/buffers"
)

func (r repo) open() *Repo {
	r.t.Helper()
	g, err := OpenRepo(r.t.Context(), r.root)
	if err != nil || g == nil {
		r.t.Fatalf("open %s: %v, %v", r.root, g, err)
	}
	return g
}

// has says what HEAD and the index have of a file.
func (r repo) has(g *Repo, name string) string {
	r.t.Helper()
	p := buffers.Path(filepath.Join(r.root, name))
	all, err := g.Entries(r.t.Context(), []buffers.Path{p})
	if err != nil {
		r.t.Fatal(err)
	}
	out := ""
	for _, b := range []Blob{all[p].Head, all[p].Index} {
		st, err := g.Read(r.t.Context(), p, b)
		if err != nil {
			r.t.Fatal(err)
		}
		if out != "" {
			out += " "
		}
		out += show(st)
	}
	return out
}

// What HEAD and the index have is known, as checkout would write it, and each move
// of one of them is noticed, in linked work trees too.
func TestRepo(t *testing.T) {
	main := newRepo(t, ".gitattributes", "*.txt text eol=crlf\n", "a.txt", "1\n", "sub/b", "1\n")
	linked := newFolder(t)
	linked.root = filepath.Join(linked.root, "tree")
	main.git("worktree", "add", "-q", linked.root)
	for _, r := range []repo{main, linked} {
		g := r.open()
		stamp := g.Stamp()
		moved := func(what string, want bool) {
			t.Helper()
			now := g.Stamp()
			if (now != stamp) != want {
				t.Errorf("%s: moved %v", what, now != stamp)
			}
			stamp = now
		}
		want := func(name, want string) {
			t.Helper()
			if got := r.has(g, name); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		moved("nothing", false)
		want("a.txt", `"1\r\n" "1\r\n"`)
		want("none", "- -")
		r.write("a.txt", "2\n")
		moved("a write", false)
		r.git("add", "a.txt")
		moved("add", true)
		want("a.txt", `"1\r\n" "2\r\n"`)
		r.git("commit", "-q", "-m", "y")
		moved("commit", true)
		want("a.txt", `"2\r\n" "2\r\n"`)
		r.git("update-index", "--chmod=+x", "sub/b")
		want("sub/b", `"1\n" "1\n" exec`)
		stamp = g.Stamp()
		r.git("reset", "-q", "--soft", "HEAD~1")
		moved("soft reset", true)
		want("a.txt", `"1\r\n" "2\r\n"`)
		r.git("checkout", "-q", "-f", "--detach")
		moved("detach", true)
	}
	if p := main.open().Folders(); !slices.Contains(p, filepath.Join(main.root, ".git")) {
		t.Errorf("folders %q", p)
	}
}

// In a merge that is not done the index says nothing of the file.
func TestUnmerged(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	r.git("checkout", "-q", "-b", "other")
	r.write("a", "2\n")
	r.commit()
	r.git("checkout", "-q", "-")
	r.write("a", "3\n")
	r.commit()
	// It fails, which is what is wanted.
	_ = exec.Command("git", "-C", r.root, "-c", "user.name=t", "-c", "user.email=t@t", "merge", "-q", "other").Run()
	g := r.open()
	if got := r.has(g, "a"); got != `"3\n" -` {
		t.Errorf("a: %s", got)
	}
}

func TestNoRepo(t *testing.T) {
	g, err := OpenRepo(t.Context(), newFolder(t).root)
	if g != nil || err != nil {
		t.Errorf("%v, %v", g, err)
	}
}

// Before the first commit there is an index.
func TestRepoWithoutCommit(t *testing.T) {
	r := newFolder(t)
	r.git("init", "-q", ".")
	g := r.open()
	stamp := g.Stamp()
	r.write("a", "1\n")
	r.git("add", "a")
	if g.Stamp() == stamp {
		t.Error("add was not noticed")
	}
	if got := r.has(g, "a"); got != `- "1\n"` {
		t.Errorf("a: %s", got)
	}
}

// Whether git keeps the line ends of a file, the settings say, and what it has of the file already.
func TestKeepsEnds(t *testing.T) {
	for name, c := range map[string]struct {
		setting, attributes, had string
		want                     bool
	}{
		"nothing":        {had: "1\n", want: true},
		"autocrlf":       {setting: "true", had: "1\n"},
		"autocrlf=input": {setting: "input", had: "1\n"},
		"autocrlf=false": {setting: "false", had: "1\r\n", want: true},
		"text":           {attributes: "a text\n", had: "1\n"},
		"eol":            {attributes: "a eol=crlf\n", had: "1\n"},
		"no text":        {setting: "true", attributes: "a -text\n", had: "1\n", want: true},
		"of another":     {attributes: "b text\n", had: "1\n", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, "a", c.had)
			if c.setting != "" {
				r.git("config", "core.autocrlf", c.setting)
			}
			if c.attributes != "" {
				r.write(".gitattributes", c.attributes)
			}
			got, err := r.open().KeepsEnds(t.Context(), buffers.Path(filepath.Join(r.root, "a")))
			if err != nil || got != c.want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
