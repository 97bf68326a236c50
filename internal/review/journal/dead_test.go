package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// Dead tells of what another process has left when it ends, once, and takes nothing.
func TestDead(t *testing.T) {
	dir := t.TempDir()
	us, them := Open(dir, workspace, Options{}), Open(dir, workspace, Options{})
	defer us.Close()
	want := func(what string, want bool) {
		t.Helper()
		if got := us.Dead(); got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	want("nothing is there", false)
	write(t, us, at("/ours", "1"))
	want("ours is there", false)
	write(t, them, at("/theirs", "1"))
	want("theirs is there, and alive", false)
	takeOver(t, us).Keep()
	want("that was looked at", false)
	them.die()
	want("they are dead", true)
	want("they are still", true)
	f := takeOver(t, us)
	if len(f.Entries) != 1 || f.Entries[0].Last.Path != "/theirs" {
		t.Errorf("found %s", show(f))
	}
	f.Keep()
	want("what could not be taken is for the next run", false)

	if err := os.WriteFile(filepath.Join(us.folder, "x"+journalExt), []byte("no journal"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("something else is there", true)
	_ = takeOver(t, us).Release()
	want("which is no journal", false)
}
