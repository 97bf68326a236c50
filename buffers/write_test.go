package buffers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers/text"
)

// seen returns what a file holds now.
func seen(t testing.TB, p Path) Seen {
	t.Helper()
	disk, err := ReadDisk(p)
	must(t, err)
	return disk.Seen()
}

func content(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	must(t, err)
	return string(b)
}

// noCrumbs fails if a folder holds other names than want.
func noCrumbs(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func TestWriteNewFile(t *testing.T) {
	dir := tempPath(t)
	name := filepath.Join(dir, "a", "b", "new.txt")
	must(t, WriteFileAtomic(resolve(t, name), "text\r\n", Seen{}))
	if got := content(t, name); got != "text\r\n" {
		t.Errorf("wrote %q", got)
	}
	noCrumbs(t, filepath.Dir(name), "new.txt")
	if err := WriteFileAtomic(resolve(t, name), "other", Seen{}); !errors.As(err, new(*MovedError)) {
		t.Errorf("a new file over an existing one: %v", err)
	}
	if got := content(t, name); got != "text\r\n" {
		t.Errorf("refused, and yet wrote %q", got)
	}
}

func TestWriteExistingFile(t *testing.T) {
	dir := tempPath(t)
	name := filepath.Join(dir, "f")
	p := resolve(t, name)
	for _, step := range []struct{ was, now string }{{"a", "b"}, {"b", ""}, {"", "é\n"}, {"é\n", strings.Repeat("long\n", 100_000)}, {"x", "x"}} {
		must(t, os.WriteFile(name, []byte(step.was), 0o644))
		must(t, WriteFileAtomic(p, step.now, seen(t, p)))
		if got := content(t, name); got != step.now {
			t.Errorf("wrote %.20q over %.20q, got %.20q", step.now, step.was, got)
		}
	}
	noCrumbs(t, dir, "f")
}

func TestWriteRefusesWhatHasMoved(t *testing.T) {
	dir := tempPath(t)
	name := filepath.Join(dir, "f")
	p := resolve(t, name)
	must(t, os.WriteFile(name, []byte("one\n"), 0o644))
	before := seen(t, p)
	for now, want := range map[string]string{"two\n": "two\n", "one\r\n": "one\r\n", "": "", "one": "one"} {
		must(t, os.WriteFile(name, []byte(now), 0o644))
		var moved *MovedError
		if err := WriteFileAtomic(p, "mine", before); !errors.As(err, &moved) || moved.Found.Content != want || !moved.Found.Exists {
			t.Errorf("over %q: %v", now, err)
		}
		if got := content(t, name); got != want {
			t.Errorf("refused, and yet %q became %q", want, got)
		}
	}
	must(t, os.Remove(name))
	var moved *MovedError
	if err := WriteFileAtomic(p, "mine", before); !errors.As(err, &moved) || moved.Found.Exists || !strings.Contains(err.Error(), "gone") {
		t.Errorf("over a file that is gone: %v", err)
	}
	noCrumbs(t, dir)
}

func TestWriteRefusesWhatIsNoText(t *testing.T) {
	dir := tempPath(t)
	name := filepath.Join(dir, "f")
	must(t, os.WriteFile(name, []byte("caf\xe9"), 0o644))
	for what, err := range map[string]error{
		"latin1":  WriteFileAtomic(resolve(t, name), "café", Seen{true, text.HashString("caf\xe9")}),
		"content": WriteFileAtomic(resolve(t, filepath.Join(dir, "g")), "caf\xe9", Seen{}),
	} {
		if !errors.Is(err, ErrNotUTF8) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := WriteFileAtomic(resolve(t, dir), "x", Seen{}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if got := content(t, name); got != "caf\xe9" {
		t.Errorf("wrote %q", got)
	}
	noCrumbs(t, dir, "f")
}

func TestWriteGoesThroughLinks(t *testing.T) {
	dir := tempPath(t)
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	must(t, os.WriteFile(real, []byte("a"), 0o644))
	if err := os.Symlink("real", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	p := resolve(t, link)
	must(t, WriteFileAtomic(p, "b", seen(t, p)))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || content(t, real) != "b" {
		t.Errorf("the link is %v, %v; its target holds %q", info.Mode(), err, content(t, real))
	}
	// A dangling one makes the file it points to.
	must(t, os.Symlink(filepath.Join("new", "file"), filepath.Join(dir, "dangling")))
	must(t, WriteFileAtomic(resolve(t, filepath.Join(dir, "dangling")), "c", Seen{}))
	if got := content(t, filepath.Join(dir, "new", "file")); got != "c" {
		t.Errorf("through a dangling link: %q", got)
	}
	// What has become a link since it was checked might lead anywhere.
	elsewhere := filepath.Join(tempPath(t), "secret")
	must(t, os.WriteFile(elsewhere, []byte("b"), 0o644))
	now := seen(t, p)
	must(t, os.Remove(real))
	must(t, os.Symlink(elsewhere, real))
	if err := WriteFileAtomic(p, "x", now); err == nil || content(t, elsewhere) != "b" {
		t.Errorf("followed a link that was not there before: %v, %q", err, content(t, elsewhere))
	}
}

// TestWritersCollide has many writers, each of which goes on from what it has seen. Every write that was accepted must be
// in the chain of those that followed, or have been reported to the one that replaced it.
func TestWritersCollide(t *testing.T) {
	dir := tempPath(t)
	name := filepath.Join(dir, "f")
	p := resolve(t, name)
	must(t, WriteFileAtomic(p, "", Seen{}))
	var mu sync.Mutex
	written := map[string]bool{}
	var wg sync.WaitGroup
	for _, who := range []string{"a", "b", "c"} {
		wg.Go(func() {
			for i := 0; i < 12; {
				disk, err := ReadDisk(p)
				if err != nil {
					t.Error(err)
					return
				}
				line := who + strings.Repeat(".", i) + "\n"
				base := disk.Content
				err = WriteFileAtomic(p, base+line, disk.Seen())
				for over := (*OverwroteError)(nil); errors.As(err, &over); {
					// Merge: what they have appended to the same base goes in front of our own line.
					disk, err = ReadDisk(p)
					if err != nil {
						break
					}
					lost := strings.TrimPrefix(over.Content, base)
					base = disk.Content
					err = WriteFileAtomic(p, base+lost, disk.Seen())
					for errors.As(err, new(*MovedError)) {
						disk, _ = ReadDisk(p)
						base = disk.Content
						err = WriteFileAtomic(p, base+lost, disk.Seen())
					}
				}
				if errors.As(err, new(*MovedError)) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				written[line] = true
				mu.Unlock()
				i++
			}
		})
	}
	wg.Wait()
	got := content(t, name)
	for line := range written {
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("the line %q is lost", line)
		}
	}
	noCrumbs(t, dir, "f")
}

func TestRemoveFile(t *testing.T) {
	dir := tempPath(t)
	name := filepath.Join(dir, "f")
	p := resolve(t, name)
	must(t, os.WriteFile(name, []byte("x"), 0o644))
	before := seen(t, p)
	must(t, os.WriteFile(name, []byte("y"), 0o644))
	if err := RemoveFile(p, before); !errors.As(err, new(*MovedError)) || content(t, name) != "y" {
		t.Errorf("removed what has moved: %v", err)
	}
	must(t, RemoveFile(p, seen(t, p)))
	noCrumbs(t, dir)
	if err := RemoveFile(p, before); !errors.As(err, new(*MovedError)) {
		t.Errorf("removed what is gone: %v", err)
	}
	if err := RemoveFile(resolve(t, dir), Seen{}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("removed a folder: %v", err)
	}
}
