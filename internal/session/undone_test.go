package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
)

// onDisk is what is under a folder, without what git keeps: names, contents, and what
// may be run.
func onDisk(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		content := readFile(t, p)
		fmt.Fprintf(&out, "%s %v %d %.40q\n", filepath.ToSlash(rel), info.Mode()&0o111 != 0, len(content), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What agents made of files that are no text can be taken back after acp-ls was killed,
// again and again, with git and without: the journal has what they were.
func TestFilesThatAreNoTextSurvive(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("large\n", 400_000) // only git has a copy
	for _, git := range []bool{false, true} {
		t.Run(fmt.Sprint("git ", git), func(t *testing.T) {
			w := newEarth(t)
			for name, content := range map[string]string{"pic": "\x00\x01", "gone": "\x00\x02", "text": "one\ntwo\n", "was": "\x00\x03", "back": "\x00\x04"} {
				writeFile(t, w.path(name), content)
			}
			if git {
				gitIn(t, w.root, "init", "-q")
				writeFile(t, w.path("large"), large)
				gitIn(t, w.root, "add", "-A")
				gitIn(t, w.root, "commit", "-q", "-m", "c")
				writeFile(t, w.path("dirty"), "\x00\x05")
			}
			before := onDisk(t, w.root)
			w.start()
			turnOf(t, w.c, w.l, func(Host, string) {
				writeFile(t, w.path("pic"), "\x00\x11")
				remove(t, w.path("gone"))
				writeFile(t, w.path("text"), "\x00\x13")
				writeFile(t, w.path("was"), "text now\n")
				writeFile(t, w.path("back"), "\x00\x14")
				writeFile(t, w.path("new"), "\x00\x15")
				if git {
					writeFile(t, w.path("large"), large+"more\n")
					writeFile(t, w.path("dirty"), "\x00\x16")
				}
			})
			after := onDisk(t, w.root)
			w.crash()
			writeFile(t, w.path("back"), "\x00\x04") // nobody sees it
			w.crash()
			w.wantHunks("pic", "modify")
			w.wantHunks("gone", "delete")
			w.wantHunks("text", "modify")
			w.wantHunks("was", "modify")
			w.wantHunks("new", "create")
			w.wantHunks("back", "")
			writeFile(t, w.path("back"), "\x00\x14") // by the user
			d, err := w.c.Reject(t.Context(), Decide{})
			if err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v, %v", d, err)
			}
			before = strings.Replace(before, `\x04`, `\x14`, 1)
			if got := onDisk(t, w.root); got != before {
				t.Errorf("after rejecting\n%s\nwant\n%s", got, before)
			}
			if git {
				return // what the agent made of the large file is gone
			}
			d, err = w.c.Restore(t.Context(), Decide{Hunks: d.Decided})
			if err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if got := onDisk(t, w.root); got != after {
				t.Errorf("after bringing back\n%s\nwant\n%s", got, after)
			}
		})
	}
}

// Of a file that may hold secrets no copy is kept, and nothing is pretended.
func TestSecretThatIsNoTextIsNotKept(t *testing.T) {
	w := newEarth(t)
	writeFile(t, w.path(".env"), "\x00secret")
	w.start()
	turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, w.path(".env"), "\x00\x11") })
	w.crash()
	w.wantHunks(".env", "modify")
	d, err := w.c.Reject(t.Context(), Decide{})
	if err != nil || len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Reason, "no copy") {
		t.Errorf("%+v, %v", d, err)
	}
	files, _ := filepath.Glob(filepath.Join(w.state, "journal", "*", "*"))
	for _, name := range files {
		if b, err := os.ReadFile(name); err != nil || bytes.Contains(b, []byte("secret")) {
			t.Errorf("%s: %v, has the secret: %v", name, err, err == nil)
		}
	}
}

// Where there is no copy of what was, that is said when it is changed, not when it is to
// come back; and where the agent's cannot be kept, when it is rejected.
func TestWhatCannotComeBackIsSaid(t *testing.T) {
	large := strings.Repeat("l", 2<<20)
	w := newEarth(t)
	writeFile(t, w.path("large"), large)
	writeFile(t, w.path("small"), "\x00\x01")
	w.start()
	turnOf(t, w.c, w.l, func(Host, string) {
		writeFile(t, w.path("large"), large+"m")
		writeFile(t, w.path("small"), large)
	})
	said := func(what string) (n int) {
		for _, list := range w.e.entries {
			for _, en := range list {
				if en.Kind == EntryNotice && strings.Contains(en.Text, w.path(what)) && strings.Contains(en.Text, "no copy") {
					n++
				}
			}
		}
		return n
	}
	w.e.await("the notice", func() bool { return said("large") == 1 })
	w.e.note(func() {
		if n := said("small"); n > 0 {
			t.Errorf("small is said %d times", n)
		}
	})
	d, err := w.c.Reject(t.Context(), Decide{URI: w.uri("small")})
	if err != nil || len(d.Decided) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	w.wantTold("gone for good")
	if d, err := w.c.Restore(t.Context(), Decide{Hunks: d.Decided}); err != nil || len(d.Refused) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if got := readFile(t, w.path("small")); got != "\x00\x01" {
		t.Errorf("small has %d bytes", len(got))
	}
}

// All that was rejected of files as a whole can be brought back, at once or one by one,
// last first, and be rejected again.
func TestWholesAreBroughtBack(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		atOnce, opened := i%2 == 0, i/2 == 0
		t.Run(fmt.Sprintf("at once %v, opened %v", atOnce, opened), func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := func(name string) string { return filepath.Join(root, name) }
			for _, name := range []string{"old", "run", "typed", "moved"} {
				writeFile(t, path(name), name+"\nsecond\nthird\nfourth\n")
			}
			writeFile(t, path("pic"), "\x00\x01")
			writeFile(t, path("photo"), "\x00\x02")
			uri := buffers.PathURI(path("typed"))
			e.open(uri, "typed\nsecond\nthird\nfourth\n")
			e.replace(uri, "third\n", "third\nUSER\n")
			if opened {
				e.open(buffers.PathURI(path("moved")), readFile(t, path("moved")))
			}
			before := onDisk(t, root)
			turnOf(t, c, l, func(Host, string) {
				for _, err := range []error{
					os.Rename(path("old"), path("new")), os.Rename(path("moved"), path("amoved")), os.Rename(path("photo"), path("picture")),
					os.Chmod(path("run"), 0o755), os.Remove(path("typed")),
				} {
					if err != nil {
						t.Error(err)
					}
				}
				writeFile(t, path("amoved"), "moved\nsecond\nAGENT\nfourth\n")
				writeFile(t, path("pic"), "\x00\x11")
				writeFile(t, path("tool"), "#!/bin/sh\n")
				if err := os.Chmod(path("tool"), 0o755); err != nil {
					t.Error(err)
				}
			})
			after := onDisk(t, root)
			for range 2 {
				d, err := c.Reject(t.Context(), Decide{})
				if err != nil || len(d.Refused) > 0 {
					t.Fatalf("%+v, %v", d, err)
				}
				if got := onDisk(t, root); got != before {
					t.Errorf("after rejecting\n%s\nwant\n%s", got, before)
				}
				ids := [][]string{d.Decided}
				if !atOnce {
					ids = nil
					for _, id := range slices.Backward(d.Decided) {
						ids = append(ids, []string{id})
					}
				}
				for _, ids := range ids {
					if d, err := c.Restore(t.Context(), Decide{Hunks: ids}); err != nil || len(d.Refused) > 0 {
						t.Errorf("%+v, %v", d, err)
					}
				}
				if got := onDisk(t, root); got != after {
					t.Errorf("after bringing back\n%s\nwant\n%s", got, after)
				}
				if got := e.text(uri); got != "typed\nsecond\nthird\nUSER\nfourth\n" {
					t.Errorf("text %q", got)
				}
			}
		})
	}
}

// What has become another file since is left alone.
func TestWholeIsNotBroughtBackOverAnother(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "pic")
	writeFile(t, path, "\x00\x01")
	diskTurn(t, c, l, path, func(string) string { return "\x00\x11" })
	d, err := c.Reject(t.Context(), Decide{})
	if err != nil || len(d.Decided) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	writeFile(t, path, "\x00\x21")
	r, err := c.Restore(t.Context(), Decide{Hunks: d.Decided})
	if err != nil || len(r.Refused) != 1 || r.Refused[0].Reason != errNotSo.Error() {
		t.Errorf("%+v, %v", r, err)
	}
	if got := readFile(t, path); got != "\x00\x21" {
		t.Errorf("pic has %q", got)
	}
}

func gitIn(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

// That a turn has taken the repository away is said, with what follows from it.
func TestRepositoryTakenAwayIsSaid(t *testing.T) {
	w := newEarth(t)
	gitIn(t, w.root, "init", "-q")
	writeFile(t, w.path("a"), "a\n")
	gitIn(t, w.root, "add", "-A")
	gitIn(t, w.root, "commit", "-q", "-m", "c")
	writeFile(t, w.path("untracked"), "u\n")
	w.start()
	turnOf(t, w.c, w.l, func(Host, string) {
		if err := os.RemoveAll(w.path(".git")); err != nil {
			t.Error(err)
		}
		writeFile(t, w.path("a"), "A\n")
		writeFile(t, w.path("untracked"), "U\n")
	})
	w.wantHunks("untracked", "u|>U|")
	w.wantHunks("a", "")
	said := 0
	w.e.await("the notice", func() bool {
		said = 0
		for _, list := range w.e.entries {
			for _, en := range list {
				if en.Kind == EntryNotice && strings.Contains(en.Text, "git repository") && strings.Contains(en.Text, "is gone") {
					said++
				}
			}
		}
		return said > 0
	})
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}

// Whoever looks at a file just when it is given a name again finds that it has moved, and not that the
// user has taken it away: its rows that were rejected can be brought back after it.
func TestRenamedAgainWhileLookedAt(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := func(name string) string { return filepath.Join(root, name) }
	const agents = "1\n2\nAGENT\n4\n"
	writeFile(t, path("old"), "1\n2\n3\n4\n")
	turnOf(t, c, l, func(Host, string) {
		if err := os.Rename(path("old"), path("new")); err != nil {
			t.Error(err)
		}
		writeFile(t, path("new"), agents)
	})
	for range 10 {
		d, err := c.Reject(t.Context(), Decide{})
		if err != nil || len(d.Refused) > 0 || len(d.Decided) != 2 {
			t.Fatalf("%+v, %v", d, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var looking sync.WaitGroup
		for range 4 {
			looking.Go(func() {
				for ctx.Err() == nil {
					for _, name := range []string{"old", "new"} {
						if err := c.file(buffers.Path(path(name))).followDisk(ctx); err != nil && ctx.Err() == nil {
							t.Error(err)
						}
					}
				}
			})
		}
		d, err = c.Restore(t.Context(), Decide{Hunks: d.Decided})
		stop()
		looking.Wait()
		if err != nil || len(d.Refused) > 0 {
			t.Fatalf("%+v, %v", d, err)
		}
		if got := readFile(t, path("new")); got != agents {
			t.Fatalf("the file has %q", got)
		}
	}
}
