package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What is no text comes back as it was, where there is a copy or git has one.
func TestRestore(t *testing.T) {
	large := strings.Repeat("l", 100)
	r := newRepo(t, "bin", "\x00\x01", "large", large, "run", "x\n", "gone", "\x00\x02", ".gitattributes", "*.lfs filter=lfs\n", "f.lfs", "p\n")
	r.git("update-index", "--chmod=+x", "run")
	r.git("commit", "-q", "-m", "run")
	r.git("checkout", "-q", "--", "run")
	r.write("dirty", "\x00\x03")
	r.write("dirtylarge", large)
	c := r.take(nil, Options{MaxFile: 50})
	r.write("bin", "\x00\x09")
	r.write("large", large+"2")
	r.write("dirty", "\x00\x09")
	r.write("dirtylarge", large+"2")
	r.write("new", "\x00\x09")
	r.write("f.lfs", "q\n")
	if err := errors.Join(os.Remove(filepath.Join(r.root, "gone")), os.Chmod(filepath.Join(r.root, "run"), 0o640)); err != nil {
		t.Fatal(err)
	}
	all, err := c.Changes(t.Context())
	if err != nil || len(all) != 8 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, ch := range all {
		name := filepath.Base(string(ch.Path))
		kept, err := c.Copy(t.Context(), ch.Path)
		if err == nil {
			err = reread(t, kept).Restore(t.Context(), ch.Path, ch.After)
		}
		if kept := name != "f.lfs" && name != "dirtylarge"; kept != (err == nil) || !kept && !errors.Is(err, ErrNoCopy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got := r.changes(c)
	if got != "dirtylarge: large => large\nf.lfs: filtered => filtered\n" {
		t.Errorf("left\n%s", got)
	}
	if info, err := os.Stat(filepath.Join(r.root, "run")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("run has mode %v, %v", info.Mode(), err)
	}
}

// A file that somebody has written since is left alone.
func TestRestoreOfAMovedFile(t *testing.T) {
	r := newRepo(t, "bin", "\x00\x01")
	c := r.take(nil, Options{})
	r.write("bin", "\x00\x02")
	all, err := c.Changes(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	r.write("bin", "\x00\x03")
	k, err := c.Copy(t.Context(), all[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Restore(t.Context(), all[0].Path, all[0].After); !errors.Is(err, ErrMoved) {
		t.Errorf("%v", err)
	}
	r.want(c, "bin: binary => binary\n")
	if b, _ := os.ReadFile(filepath.Join(r.root, "bin")); string(b) != "\x00\x03" {
		t.Errorf("bin has %q", b)
	}
}

func TestSetExec(t *testing.T) {
	r := newFolder(t)
	r.write("a", "1\n")
	p := buffers.Path(filepath.Join(r.root, "a"))
	for _, step := range []struct {
		exec bool
		want os.FileMode
	}{{true, 0o755}, {true, 0o755}, {false, 0o644}} {
		if err := SetExec(p, step.exec); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(string(p)); err != nil || info.Mode().Perm() != step.want {
			t.Errorf("%v: mode %v, %v", step.exec, info.Mode(), err)
		}
	}
}

// reread writes a copy down and reads it again.
func reread(t *testing.T, k Copy) Copy {
	t.Helper()
	b, err := k.AppendBinary([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	got, rest, err := ReadCopy(append(b, "behind"...)[len("before"):])
	if err != nil || got != k || string(rest) != "behind" {
		t.Errorf("copy %+v reads as %+v, %q, %v", k, got, rest, err)
	}
	for n := range len(b) - len("before") {
		if _, _, err := ReadCopy(b[len("before"):][:n]); err == nil {
			t.Errorf("%d of %d bytes of a copy read as one", n, len(b)-len("before"))
		}
	}
	return got
}
