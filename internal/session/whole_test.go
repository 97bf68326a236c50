package session

import (
	"os"
	"testing"
)

// What agents did to files as a whole outlives the process too, and can be taken back
// after that.
func TestWholeChangesSurvive(t *testing.T) {
	w := newEarth(t)
	w.start()
	for _, name := range []string{"old", "run", "open", "pic"} {
		writeFile(t, w.path(name), name+"\nsecond\nthird\n")
	}
	writeFile(t, w.path("pic"), "\x00\x01")
	w.e.open(w.uri("open"), "open\nsecond\nthird\n")
	turnOf(t, w.c, w.l, func(Host, string) {
		for _, err := range []error{
			os.Rename(w.path("old"), w.path("new")), os.Rename(w.path("pic"), w.path("picture")),
			os.Chmod(w.path("run"), 0o755), os.Remove(w.path("open")),
		} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	want := func() {
		t.Helper()
		w.wantHunks("new", "rename")
		w.wantHunks("picture", "rename")
		w.wantHunks("run", "modify")
	}
	want()
	w.wantHunks("open", "delete")
	w.crash()
	want()
	w.wantHunks("open", "delete open|second|third|>") // nothing has it open now
	d, err := w.c.Reject(t.Context(), Decide{})
	if err != nil || len(d.Refused) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	for name, content := range map[string]string{"old": "old\nsecond\nthird\n", "open": "open\nsecond\nthird\n", "pic": "\x00\x01"} {
		if got := readFile(t, w.path(name)); got != content {
			t.Errorf("%s has %q", name, got)
		}
	}
	for _, name := range []string{"new", "picture"} {
		if _, err := os.Lstat(w.path(name)); !isMissing(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if info, err := os.Stat(w.path("run")); err != nil || info.Mode()&0o111 != 0 {
		t.Errorf("run: %v, %v", info, err)
	}
}
