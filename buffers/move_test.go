package buffers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
