package checkpoint

import (
	"os"
	"path/filepath"
	"testing"

	"acp-ls/buffers"
)

// link makes a link in the place of whatever is there.
func (r repo) link(name, to string) {
	r.t.Helper()
	p := filepath.Join(r.root, name)
	if err := os.RemoveAll(p); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(to, p); err != nil {
		r.t.Fatal(err)
	}
}

// restoreAll brings back what a checkpoint has, what will be gone first.
func (r repo) restoreAll(c *Checkpoint) {
	r.t.Helper()
	all, err := c.Changes(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, there := range []bool{false, true} {
		for _, ch := range all {
			if ch.Before.Exists != there {
				continue
			}
			k, err := c.Copy(r.t.Context(), ch.Path)
			if err != nil {
				r.t.Fatal(err)
			}
			if err := reread(r.t, k).Restore(r.t.Context(), ch.Path, ch.After); err != nil {
				r.t.Errorf("%s: %v", ch.Path, err)
			}
		}
	}
}

// A link that is made, points elsewhere, is gone or has become a file is changed, and can be
// put back, with git and without it; where it points is of no account.
func TestLinks(t *testing.T) {
	for _, folder := range []string{"git", "git, not committed", "no git"} {
		t.Run(folder, func(t *testing.T) {
			r := newFolder(t)
			outside := newFolder(t)
			outside.write("secret", "s\n")
			r.write("file", "f\n")
			for _, name := range []string{"moved", "gone", "now a file", "kept"} {
				r.link(name, "file")
			}
			if folder != "no git" {
				r.git("init", "-q", ".")
				r.commit()
			}
			if folder == "git, not committed" {
				r.link("moved", "dangling")
			}
			was := map[string]string{}
			for _, name := range []string{"moved", "gone", "now a file", "kept"} {
				was[name], _ = os.Readlink(filepath.Join(r.root, name))
			}
			c := r.take(nil, Options{})
			r.want(c, "")
			r.link("moved", outside.root+"/secret")
			r.link("new", outside.root+"/secret")
			r.link("to a folder", outside.root)
			for _, name := range []string{"gone", "now a file"} {
				if err := os.Remove(filepath.Join(r.root, name)); err != nil {
					t.Fatal(err)
				}
			}
			r.write("now a file", "n\n")
			r.want(c, "gone: link => -\nmoved: link => link\nnew: - => link\nnow a file: link => \"n\\n\"\nto a folder: - => link\n")
			r.want(r.take(c, Options{}), "")
			r.restoreAll(c)
			r.want(c, "")
			for name, to := range was {
				if got, err := os.Readlink(filepath.Join(r.root, name)); got != to {
					t.Errorf("%s points at %q, want %q (%v)", name, got, to, err)
				}
			}
			if b, err := os.ReadFile(filepath.Join(outside.root, "secret")); string(b) != "s\n" {
				t.Errorf("what was pointed at is %q (%v)", b, err)
			}
		})
	}
}

// A folder in whose place a link stands has lost its files, whatever is where it points; what
// is there is neither read nor written.
func TestFolderBecomesALink(t *testing.T) {
	for _, folder := range []string{"git", "no git"} {
		t.Run(folder, func(t *testing.T) {
			r, outside := newFolder(t), newFolder(t)
			r.write("sub/a", "a\n")
			r.write("sub/deep/b", "b\n")
			outside.write("a", "elsewhere\n")
			outside.write("deep/b", "b\n")
			if folder == "git" {
				r.git("init", "-q", ".")
				r.commit()
			}
			c := r.take(nil, Options{})
			r.link("sub", outside.root)
			r.want(c, "sub: - => link\nsub/a: \"a\\n\" => -\nsub/deep/b: \"b\\n\" => -\n")
			p := buffers.Path(filepath.Join(r.root, "sub", "a"))
			k, err := c.Copy(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Restore(t.Context(), p, State{}); err == nil {
				t.Error("it was restored through a link")
			}
			r.restoreAll(c)
			r.want(c, "")
			outside.want(outside.take(nil, Options{}), "")
			if b, err := os.ReadFile(filepath.Join(outside.root, "a")); string(b) != "elsewhere\n" {
				t.Errorf("what was pointed at is %q (%v)", b, err)
			}
		})
	}
}

// Where git makes files of links they are files.
func TestLinksThatAreFiles(t *testing.T) {
	r := newFolder(t)
	r.link("l", "file")
	r.git("init", "-q", ".")
	r.commit()
	r.git("config", "core.symlinks", "false")
	if err := os.Remove(filepath.Join(r.root, "l")); err != nil {
		t.Fatal(err)
	}
	r.git("checkout", "--", "l")
	c := r.take(nil, Options{})
	r.want(c, "")
	r.write("l", "other")
	r.want(c, "l: \"file\" => \"other\"\n")
}
