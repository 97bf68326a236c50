package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

// A file that git ignores, or that is outside, is reviewed as it was when the turn began
// if a tool call names it before it is changed, whatever the call says later; what the
// user wrote in it before is the user's.
func TestNamedBeforeItIsChanged(t *testing.T) {
	t.Parallel()
	for _, outside := range []bool{false, true} {
		for _, open := range []bool{false, true} {
			t.Run(fmt.Sprint("outside ", outside, ", open ", open), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				gitIn(t, root, "init", "-q")
				writeFile(t, filepath.Join(root, ".gitignore"), "*.log\n")
				folder := root
				if outside {
					folder = t.TempDir()
					if p, err := buffers.Resolve(folder); err == nil {
						folder = string(p)
					}
				}
				path, made, pic := filepath.Join(folder, "a.log"), filepath.Join(folder, "new.log"), filepath.Join(folder, "pic.log")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				writeFile(t, pic, "\x00\x01")
				if open {
					e.open(uri, ten)
				}
				turns := 0
				turn := func(path string, write func()) {
					awaitTick(t)
					turns++
					id := fmt.Sprint("t", turns)
					turnOf(t, c, l, func(h Host, sid string) {
						status, done := "in_progress", "completed"
						h.Update(sid, ToolPatch{ID: id, Kind: ptr("edit"), Status: &status, Locations: &[]Location{{Path: path}}})
						s, err := c.findSession("s1")
						if err != nil {
							t.Error(err)
							return
						}
						s.takeNamed(t.Context()) // the copy is there
						write()
						h.Update(sid, ToolPatch{ID: id, Status: &done})
					})
				}
				turn(path, func() { writeFile(t, path, strings.Replace(ten, "5\n", "5 AGENT\n", 1)) })
				if h := hunksOf(t, c, uri); len(h) != 1 || h[0].BaseText != "5\n" || h[0].Text != "5 AGENT\n" || !h[0].Origins[0].Sure {
					t.Errorf("hunks %+v", h)
				}
				if !open {
					writeFile(t, path, strings.Replace(readFile(t, path), "9\n", "9 USER\n", 1))
				} else {
					e.replace(uri, "9\n", "9 USER\n")
				}
				turn(path, func() { writeFile(t, path, strings.Replace(readFile(t, path), "2\n", "2 AGENT\n", 1)) })
				if h := hunksOf(t, c, uri); len(h) != 2 {
					t.Errorf("hunks %+v", h)
				}
				turn(made, func() { writeFile(t, made, "new\n") })
				turn(pic, func() { writeFile(t, pic, "\x00\x02") })
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Errorf("%+v, %v", d, err)
				}
				want := strings.Replace(ten, "9\n", "9 USER\n", 1)
				got := readFile(t, path)
				if open {
					got = e.text(uri)
				}
				if got != want {
					t.Errorf("after rejecting %q, want %q", got, want)
				}
				if _, err := os.Lstat(made); !isMissing(err) {
					t.Errorf("what was made is there: %v", err)
				}
				if got := readFile(t, pic); got != "\x00\x01" {
					t.Errorf("pic has %q", got)
				}
			})
		}
	}
}

// What was changed before it was named, and of which nobody says what it was, is told as
// that, once.
func TestNamedTooLate(t *testing.T) {
	l := &fakeLauncher{}
	c, e, _ := setup(t, l)
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	writeFile(t, path, "one\n")
	turnOf(t, c, l, func(h Host, sid string) {
		writeFile(t, path, "two\n")
		for _, id := range []string{"t1", "t2"} {
			done := "completed"
			h.Update(sid, ToolPatch{ID: id, Kind: ptr("edit"), Status: &done, Content: &[]ToolContent{{Type: "diff", Path: path, NewText: "two\n"}}})
		}
	})
	n := 0
	e.await("the notice", func() bool {
		n = 0
		for _, en := range e.entries["s1"] {
			if en.Kind == EntryNotice && strings.Contains(en.Text, "cannot be reviewed") {
				n++
			}
		}
		return n > 0
	})
	if n != 1 || len(c.Reviews("", "")) > 0 {
		t.Errorf("told %d times; %+v", n, c.Reviews("", ""))
	}
}

// awaitTick waits until what is written to files now is later than what was before, by
// more than clocks may differ.
func awaitTick(t *testing.T) {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	written := func() time.Time {
		writeFile(t, probe, "")
		info, err := os.Lstat(probe)
		if err != nil {
			t.Fatal(err)
		}
		return buffers.ChangedAt(info)
	}
	for first := written(); written().Sub(first) <= 2*clockTick; {
		runtime.Gosched()
	}
}
