package checkpoint

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Git is asked wherever it would find a repository, and not where there is none.
func TestMayHaveGit(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, dir := range []string{"plain/sub", "repo/sub/deep", "moved/elsewhere", "alone"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", at("repo"))
	run("-C", at("repo"), "commit", "-q", "--allow-empty", "-m", "x")
	run("-C", at("repo"), "worktree", "add", "-q", at("tree"))
	run("init", "-q", "--separate-git-dir", at("moved/store"), at("moved/elsewhere"))
	run("init", "-q", "--bare", at("bare"))
	run("init", "-q", at("apart"))
	run("-C", at("apart"), "config", "core.worktree", at("alone"))
	if err := os.Symlink(at("repo/sub"), at("plain/link")); err != nil {
		t.Fatal(err)
	}

	for name, want := range map[string]bool{
		"plain": false, "plain/sub": false, "alone": false,
		"repo": true, "repo/sub/deep": true, "tree": true, "moved/elsewhere": true, "apart/.git": true,
		"plain/link": true, "plain/link/deep": true, "bare": true, "bare/refs": true, "not/there": true,
	} {
		if got := mayHaveGit(at(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if exec.Command("git", "-C", at(name), "rev-parse", "--git-dir").Run() == nil && !mayHaveGit(at(name)) {
			t.Errorf("%s: git finds a repository there", name)
		}
	}
	t.Setenv("GIT_DIR", at("repo/.git"))
	if !mayHaveGit(at("plain")) {
		t.Error("nobody would look in GIT_DIR")
	}
}
