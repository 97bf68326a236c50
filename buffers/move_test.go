package buffers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestMoveFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) Path { return Path(filepath.Join(dir, name)) }
	for _, name := range []string{"a", "taken"} {
		if err := os.WriteFile(string(at(name)), []byte(name), 0o751); err != nil {
			t.Fatal(err)
		}
	}
	if err := MoveFile(at("a"), at("taken")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("onto a file: %v", err)
	}
	if err := MoveFile(at("none"), at("b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no file: %v", err)
	}
	if err := MoveFile(Path(dir), at("b")); !errors.Is(err, ErrNotRegular) {
		t.Errorf("of a folder: %v", err)
	}
	if err := MoveFile(at("a"), at("deep/er/b")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(string(at("deep/er/b")))
	if err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("moved: %v, %v", info, err)
	}
	if _, err := os.Stat(string(at("a"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old name: %v", err)
	}
	if b, _ := os.ReadFile(string(at("taken"))); string(b) != "taken" {
		t.Errorf("taken has %q", b)
	}
}

// What is made may be run or not, and nothing is made over another file.
func TestMakeFile(t *testing.T) {
	dir, err := Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, exec := range map[string]bool{"run": true, "text": false} {
		p := Path(filepath.Join(string(dir), "deep", name))
		if err := MakeFile(p, "1\n", exec); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(string(p))
		if err != nil || runtime.GOOS != "windows" && (info.Mode()&0o111 != 0) != exec {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
		var moved *MovedError
		if err := MakeFile(p, "2\n", exec); !errors.As(err, &moved) {
			t.Errorf("made again: %v", err)
		}
		if b, err := os.ReadFile(string(p)); err != nil || string(b) != "1\n" {
			t.Errorf("%s has %q, %v", name, b, err)
		}
	}
}
