package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// diskTurn is a turn of an agent that writes the disk itself.
func diskTurn(t *testing.T, c *Core, l *fakeLauncher, path string, f func(disk string) string) {
	t.Helper()
	turnOf(t, c, l, func(Host, string) { writeFile(t, path, f(readFile(t, path))) })
}

func hunksOf(t *testing.T, c *Core, uri string, states ...review.State) []review.Hunk {
	t.Helper()
	var out []review.Hunk
	for _, r := range c.Reviews(uri, "", states...) {
		out = append(out, r.Hunks...)
	}
	return out
}

// What an agent writes to the disk under unsaved text is merged into it, turn
// after turn, and the disk is left alone.
func TestDiskMergesIntoUnsavedText(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	e.replace(uri, "2\n", "2 USER\n")
	diskTurn(t, c, l, path, func(disk string) string {
		e.replace(uri, "10\n", "10 USER\n") // while the turn runs
		return strings.Replace(disk, "5\n", "5 AGENT\n", 1)
	})
	diskTurn(t, c, l, path, func(disk string) string { return strings.Replace(disk, "8\n", "8 AGENT\n", 1) })
	want := "1\n2 USER\n3\n4\n5 AGENT\n6\n7\n8 AGENT\n9\n10 USER\n"
	if got := e.text(uri); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if base, err := c.Baseline(uri); err != nil || base != strings.ReplaceAll(want, " AGENT", "") {
		t.Errorf("baseline %q, %v", base, err)
	}
	if got, want := readFile(t, path), "1\n2\n3\n4\n5 AGENT\n6\n7\n8 AGENT\n9\n10\n"; got != want {
		t.Errorf("disk %q, want %q", got, want)
	}
	for i, h := range hunksOf(t, c, uri) {
		if len(h.Origins) != 1 || h.Origins[0].Author != review.AuthorAgent || h.Origins[0].Agent != "fake" || h.Origins[0].Turn == "" {
			t.Errorf("hunk %d is of %+v", i, h.Origins)
		}
	}
}

// A document that was clean when the turn began and that the user has typed into
// before anybody looked at the disk is merged too.
func TestDiskMergesIntoTextTypedMeanwhile(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	turnOf(t, c, l, func(Host, string) {
		e.replace(uri, "2\n", "2 USER\n")
		writeFile(t, path, strings.Replace(ten, "5\n", "5 AGENT\n", 1))
		e.replace(uri, "8\n", "8 USER\n")
	})
	if got, want := e.text(uri), "1\n2 USER\n3\n4\n5 AGENT\n6\n7\n8 USER\n9\n10\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// Where both changed the same lines the user's stay, and the disk's are offered.
func TestDiskConflictsWithUnsavedText(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	e.replace(uri, "2\n", "2 USER\n")
	diskTurn(t, c, l, path, func(disk string) string {
		return strings.NewReplacer("\n2\n", "\n2 AGENT\n", "8\n", "8 AGENT\n").Replace(disk)
	})
	users := "1\n2 USER\n3\n4\n5\n6\n7\n8 AGENT\n9\n10\n"
	if got := e.text(uri); got != users {
		t.Errorf("text %q, want %q", got, users)
	}
	h := hunksOf(t, c, uri, review.StateConflict)
	if len(h) != 1 || h[0].BaseText != "2 USER\n" || h[0].Text != "2 AGENT\n" {
		t.Fatalf("conflicts %+v", h)
	}
	if _, err := c.Resolve(t.Context(), h[0].ID, "both"); err != nil {
		t.Fatal(err)
	}
	if got, want := e.text(uri), strings.Replace(users, "2 USER\n", "2 USER\n2 AGENT\n", 1); got != want {
		t.Errorf("text after both %q, want %q", got, want)
	}
}

// A text that came through us and arrives on the disk too is no second change:
// what the user has rejected of it meanwhile stays rejected.
func TestMirroredWriteArrivesOnce(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	e.replace(uri, "2\n", "2 USER\n")
	turnOf(t, c, l, func(h Host, sid string) {
		content := strings.NewReplacer("5\n", "5 AGENT\n", "8\n", "8 AGENT\n").Replace(ten)
		if err := h.WriteTextFile(t.Context(), sid, path, content); err != nil {
			t.Errorf("write: %v", err)
		}
		hunks := hunksOf(t, c, uri)
		if len(hunks) != 2 {
			t.Fatalf("hunks %+v", hunks)
		}
		if _, err := c.Reject(t.Context(), Decide{Hunks: []string{hunks[1].ID}}); err != nil {
			t.Error(err)
		}
		writeFile(t, path, content)
	})
	want := "1\n2 USER\n3\n4\n5 AGENT\n6\n7\n8\n9\n10\n"
	if got := e.text(uri); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if h := hunksOf(t, c, uri); len(h) != 1 || h[0].Text != "5 AGENT\n" {
		t.Errorf("hunks %+v", h)
	}
}

// What has changed on disk before the turn began is not the agent's, even if
// nobody noticed until then, in editors that reload and in those that do not.
func TestChangeBeforeTheTurnIsTheUsers(t *testing.T) {
	for _, reloads := range []bool{false, true} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a.txt")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.caps = map[string]bool{"reload": reloads}
		e.onReload = func(uri string) (bool, error) {
			text := readFile(t, path)
			e.send(buffers.Close{URI: uri})
			e.open(uri, text)
			return true, nil
		}
		e.open(uri, ten)
		moved := strings.Replace(ten, "5\n", "5 GIT\n", 1)
		writeFile(t, path, moved)
		turnOf(t, c, l, func(Host, string) {})
		if got := e.text(uri); got != moved {
			t.Errorf("reloads %v: text %q, want %q", reloads, got, moved)
		}
		e.await("hunks to be gone", func() bool { return len(e.reviews[uri].Hunks) == 0 })
		if h := hunksOf(t, c, uri); len(h) > 0 {
			t.Errorf("reloads %v: hunks %+v", reloads, h)
		}
	}
}

// A document whose unsaved text was there when it was opened (a restored window)
// is no before-copy.
func TestUnsavedTextOfARestoredWindowIsKept(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	users := strings.Replace(ten, "2\n", "2 USER\n", 1)
	e.open(uri, users)
	diskTurn(t, c, l, path, func(disk string) string { return strings.Replace(disk, "5\n", "5 AGENT\n", 1) })
	if got, want := e.text(uri), strings.Replace(users, "5\n", "5 AGENT\n", 1); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// A user who begins to type while a clean document is brought up to date has what the
// disk has merged in all the same, and what comes behind it: no row that only the agent
// has written is in conflict.
func TestDiskMergesUnderTheFirstKeystroke(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		caps   []string
		typing func(e *fakeEditor, typed func() bool)
	}{
		{"asked to reload", []string{"reload"}, func(e *fakeEditor, typed func() bool) {
			e.onReload = func(string) (bool, error) { return !typed() && false, nil }
		}},
		{"asked to reload, can adopt", []string{"reload", "adopt"}, func(e *fakeEditor, typed func() bool) {
			e.onReload = func(string) (bool, error) { return !typed() && false, nil }
		}},
		{"asked to edit", nil, func(e *fakeEditor, typed func() bool) {
			e.onApply = func(DocumentEdit) (bool, error) { return typed(), ErrRefused }
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			for _, name := range x.caps {
				e.caps[name] = true
			}
			done := false
			x.typing(e, func() bool {
				if done {
					return false
				}
				done = true
				e.replace(uri, "10\n", "10\nUSER\n")
				return true
			})
			e.open(uri, ten)
			for _, row := range []string{"5 v1", "5 v2", "5 v3"} {
				diskTurn(t, c, l, path, func(disk string) string {
					rows := strings.Split(disk, "\n")
					rows[4] = row
					return strings.Join(rows, "\n")
				})
				want := strings.Replace(ten, "5\n", row+"\n", 1) + "USER\n"
				if got := e.text(uri); got != want {
					t.Errorf("text %q, want %q", got, want)
				}
				h := hunksOf(t, c, uri)
				if len(h) != 1 || h[0].BaseText != "5\n" || h[0].Text != row+"\n" || h[0].Origins[0].Author != review.AuthorAgent {
					t.Errorf("hunks %+v", h)
				}
			}
			if !done {
				t.Error("nobody has typed")
			}
		})
	}
}
