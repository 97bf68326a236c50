//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A process that is being forked has all files open until it runs its program: what is unlocked
// is free at once all the same.
func TestUnlockedThoughAnotherHasItOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := tryLock(f); err != nil || !ok {
		t.Fatal(ok, err)
	}
	child, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := unlock(f); err != nil {
		t.Fatal(err)
	}
	again, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := tryLock(again); err != nil || !ok {
		t.Error("it is still locked", err)
	}
	if err := unlock(again); err != nil {
		t.Error(err)
	}
}
