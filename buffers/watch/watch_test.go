package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

type rig struct {
	t   *testing.T
	w   *Watcher
	got chan []string
}

func start(t *testing.T, opt Options) rig {
	t.Helper()
	r := rig{t: t, got: make(chan []string, 100)}
	opt.Changed = func(f []string) { r.got <- f }
	opt.Quiet = 10 * time.Millisecond
	var err error
	if r.w, err = New(opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.w.Close() })
	return r
}

func (r rig) write(path string) {
	r.t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r rig) await(folder string) {
	r.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case f := <-r.got:
			if slices.Contains(f, folder) {
				return
			}
		case <-limit:
			r.t.Fatalf("no change of %s", folder)
		}
	}
}

func TestFolders(t *testing.T) {
	r := start(t, Options{Ignore: func(name string) bool { return name == "ignored" }})
	a, b := t.TempDir(), t.TempDir()
	r.w.Add(a)
	r.w.Add(b)
	r.write(filepath.Join(a, "f"))
	r.await(a)
	r.write(filepath.Join(a, "ignored"))
	r.write(filepath.Join(a, "f~"))
	r.write(filepath.Join(b, "f"))
	r.await(b)
	if err := os.Remove(filepath.Join(a, "f")); err != nil {
		t.Fatal(err)
	}
	r.await(a)
}

// A folder that is taken away and made anew can be watched anew.
func TestFolderComesBack(t *testing.T) {
	r := start(t, Options{})
	dir := filepath.Join(t.TempDir(), "d")
	for range 2 {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		r.w.Add(dir)
		r.write(filepath.Join(dir, "f"))
		r.await(dir)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		r.await(filepath.Dir(dir)) // the removal of the folder itself
	}
}

// The folder asked for longest ago gives way; asking again keeps one.
func TestBound(t *testing.T) {
	r := start(t, Options{})
	root := t.TempDir()
	at := func(i int) string { return filepath.Join(root, fmt.Sprint(i)) }
	for i := range MaxFolders + 1 {
		if err := os.Mkdir(at(i), 0o755); err != nil {
			t.Fatal(err)
		}
		r.w.Add(at(i))
		r.w.Add(at(0))
	}
	if n := len(r.w.fs.WatchList()); n != MaxFolders {
		t.Errorf("%d folders are watched", n)
	}
	r.write(filepath.Join(at(0), "f"))
	r.await(at(0))
	if slices.Contains(r.w.fs.WatchList(), at(1)) {
		t.Error("the oldest is still watched")
	}
}

func TestErrorsAreTold(t *testing.T) {
	var told error
	r := start(t, Options{Error: func(err error) { told = err }})
	r.w.Add(filepath.Join(t.TempDir(), "missing"))
	if told == nil {
		t.Error("nobody was told")
	}
	if err := r.w.Close(); err != nil {
		t.Error(err)
	}
	r.w.Add(t.TempDir()) // after the end it is nothing
}
