package buffers

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Empty folders go that were made since some time: not those with something in them, not
// older ones, and none outside.
func TestRemoveFolders(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		t.Skip("nobody says when a folder was made")
	}
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, x := range []struct {
		name, file, inside string
		since              time.Time
		left               string
	}{
		{"all", "a/b/c/f", "", past, "x x/f"},
		{"not outside", "a/b/c/f", "a", past, "a x x/f"},
		{"not the folder itself", "a/f", "a", past, "a a/b a/b/c x x/f"},
		{"none is younger", "a/b/c/f", "", future, "a a/b a/b/c x x/f"},
		{"something is in it", "x/g", "", past, "a a/b a/b/c x x/f"},
		{"elsewhere", "a/b/c/f", "x", past, "a a/b a/b/c x x/f"},
		{"no such folder", "n/f", "", past, "a a/b a/b/c x x/f"},
	} {
		t.Run(x.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, "a", "b", "c"), 0o755); err != nil {
				t.Fatal(err)
			}
			if _, ok := born(root, stat(t, root)); !ok {
				t.Skip("this file system does not say when a folder was made")
			}
			if err := os.Mkdir(filepath.Join(root, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, "x", "f"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			RemoveFolders(Path(filepath.Join(root, filepath.FromSlash(x.file))), filepath.Join(root, x.inside), x.since, map[string]time.Time{})
			var left []string
			err := filepath.WalkDir(root, func(p string, _ os.DirEntry, err error) error {
				if p != root {
					rel, _ := filepath.Rel(root, p)
					left = append(left, filepath.ToSlash(rel))
				}
				return err
			})
			if got := strings.Join(left, " "); err != nil || got != x.left {
				t.Errorf("left %s, %v, want %s", got, err, x.left)
			}
		})
	}
}

// A folder in which there is something still is known when that goes, whose turn is a later one; not
// another folder that has come to its place.
func TestRemoveFoldersOfSeveral(t *testing.T) {
	for name, anew := range map[string]bool{"the same": false, "made anew": true} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "a", "b")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if _, ok := born(root, stat(t, root)); !ok {
				t.Skip("this file system does not say when a folder was made")
			}
			f, g := Path(filepath.Join(dir, "f")), Path(filepath.Join(dir, "g"))
			if err := os.WriteFile(string(g), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			known := map[string]time.Time{}
			RemoveFolders(f, root, time.Now().Add(-time.Hour), known)
			if err := os.Remove(string(g)); err != nil || len(known) != 2 {
				t.Fatal(known, err)
			}
			if anew {
				for dir, at := range known {
					known[dir] = at.Add(-time.Second) // as if the one that was known had been another
				}
			}
			RemoveFolders(g, root, time.Now().Add(time.Hour), known)
			if _, err := os.Lstat(filepath.Dir(dir)); os.IsNotExist(err) == anew || len(known) > 0 != anew {
				t.Errorf("the folder: %v; left %v", err, known)
			}
		})
	}
}

func stat(t *testing.T, name string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
