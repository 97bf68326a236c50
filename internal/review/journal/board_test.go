package journal

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// What a process tells the others know as long as it lives.
func TestBoard(t *testing.T) {
	state := t.TempDir()
	a, b := OpenBoard(state), OpenBoard(state)
	if got := a.Others(); got != nil {
		t.Errorf("nobody tells %+v", got)
	}
	if list, _ := os.ReadDir(state); len(list) > 0 {
		t.Errorf("it was made before anything was told: %v", list)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, w := range []Working{
		{Turns: []WorkingTurn{{Agent: "x", Session: "s1", Roots: []string{"/a"}, Began: at}}},
		{Turns: []WorkingTurn{{Agent: "x", Session: "s1", Roots: []string{"/a"}, Began: at, Ended: at}}, Writes: []WorkingWrite{{Path: "/a/b", Text: "ff", At: at}}},
		{},
	} {
		if err := a.Put(w); err != nil {
			t.Fatal(err)
		}
		if got := b.Others(); !reflect.DeepEqual(got, []Working{w}) {
			t.Errorf("told %+v, known %+v", w, got)
		}
		if got := a.Others(); got != nil {
			t.Errorf("its own: %+v", got)
		}
	}
	if err := b.Put(Working{}); err != nil {
		t.Error(err)
	}
	if got := a.Others(); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	for _, x := range []*Board{a, a, b} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if list, _ := os.ReadDir(a.folder); len(list) > 0 {
		t.Errorf("left %v", list)
	}
	if got := OpenBoard(state).Others(); got != nil {
		t.Errorf("the dead tell %+v", got)
	}
}

// What a process has told that was killed is not believed, and goes.
func TestBoardOfADeadProcess(t *testing.T) {
	state := t.TempDir()
	a := OpenBoard(state)
	if err := a.Put(Working{Writes: []WorkingWrite{{Path: "/a"}}}); err != nil {
		t.Fatal(err)
	}
	if err := a.lock.Close(); err != nil { // which ends the lock, as the end of the process does
		t.Fatal(err)
	}
	if got := OpenBoard(state).Others(); got != nil {
		t.Errorf("the dead tell %+v", got)
	}
	if list, _ := os.ReadDir(a.folder); len(list) > 0 {
		t.Errorf("left %v", list)
	}
	// What does not read as something told is left out.
	if err := a.create(); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := os.WriteFile(a.name+boardExt, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := OpenBoard(state).Others(); got != nil {
		t.Errorf("read %+v", got)
	}
	if info, err := os.Stat(filepath.Dir(a.folder)); err != nil || info.Mode().Perm()&0o077 != 0 && os.Getenv("OS") == "" {
		t.Errorf("%v, %v", info, err)
	}
}
