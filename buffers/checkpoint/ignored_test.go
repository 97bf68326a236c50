package checkpoint

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"acp-ls/buffers"
)

func TestIgnored(t *testing.T) {
	top := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put := func(name, content string) {
		t.Helper()
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(name string) bool {
		t.Helper()
		is, err := Ignored(t.Context(), buffers.Path(filepath.Join(top, name)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return is
	}
	if ask("f.log") {
		t.Error("ignored without a work tree")
	}
	git("init", "-q")
	put(".gitignore", "*.log\n/out/\n\\[x\\]\n")
	put("tracked.log", "")
	put("inner/f", "")
	git("add", "-f", "tracked.log")
	git("init", "-q", "inner")
	for name, want := range map[string]bool{
		"f": false, "f.log": true, "deep/f.log": true, "tracked.log": false, "out/not/there": true, "not/there": false,
		"[x]": true, "x": false, // names, not patterns
		"inner/f.log": false, // another work tree's rules
	} {
		if got := ask(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	t.Setenv("PATH", "")
	if ask("f.log") {
		t.Error("ignored without git")
	}
}
