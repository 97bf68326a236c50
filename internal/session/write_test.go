package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// turnOf runs f as the agent's turn of one prompt and returns when it has ended.
func turnOf(t *testing.T, c *Core, l *fakeLauncher, f func(h Host, sid string)) {
	t.Helper()
	l.prompt = turnDoing(f)
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
		t.Fatal(err)
	}
}

// turnDoing is a turn of a fakeAgent in which it does f; nil: nothing.
func turnDoing(f func(h Host, sid string)) func(context.Context, *fakeAgent, string, []Block) (StopReason, error) {
	return func(_ context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		if f != nil {
			f(a.host, sid)
		}
		return "end_turn", nil
	}
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// A write is a patch against what the agent has read: what the user typed since
// stays, saved or not.
func TestWriteMergesWithUnsavedText(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	e.replace(uri, "2\n", "2 USER\n")
	turnOf(t, c, l, func(h Host, sid string) {
		got, err := h.ReadTextFile(t.Context(), sid, path, nil, nil)
		if err != nil || got != strings.Replace(ten, "2\n", "2 USER\n", 1) {
			t.Errorf("read %q, %v", got, err)
		}
		e.replace(uri, "4\n", "4 LATER\n")
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(got, "8\n", "8 AGENT\n", 1)); err != nil {
			t.Errorf("write: %v", err)
		}
	})
	want := "1\n2 USER\n3\n4 LATER\n5\n6\n7\n8 AGENT\n9\n10\n"
	if got := e.text(uri); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if base, err := c.Baseline(uri); err != nil || base != strings.Replace(want, "8 AGENT\n", "8\n", 1) {
		t.Errorf("baseline %q, %v", base, err)
	}
	if readFile(t, path) != ten {
		t.Error("the disk was written under a dirty document")
	}
	rs := c.Reviews(uri, "")
	if len(rs) != 1 || len(rs[0].Hunks) != 1 {
		t.Fatalf("reviews %+v", rs)
	}
	h := rs[0].Hunks[0]
	if h.StartLine != 7 || h.EndLine != 8 || h.Text != "8 AGENT\n" || h.BaseText != "8\n" || h.Origins[0].Agent != "fake" {
		t.Errorf("hunk %+v", h)
	}
	if d, err := c.Reject(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil || len(d.Decided) != 1 {
		t.Fatalf("reject %+v, %v", d, err)
	}
	if got := e.text(uri); got != strings.Replace(want, "8 AGENT\n", "8\n", 1) {
		t.Errorf("after reject %q", got)
	}
	if d, err := c.Restore(t.Context(), Decide{URI: uri}); err != nil || len(d.Decided) != 1 {
		t.Fatalf("restore %+v, %v", d, err)
	}
	if got := e.text(uri); got != want {
		t.Errorf("after restore %q", got)
	}
	if d, err := c.Accept(t.Context(), Decide{URI: uri}); err != nil || len(d.Decided) != 1 {
		t.Fatalf("accept %+v, %v", d, err)
	}
	if base, _ := c.Baseline(uri); base != want || e.text(uri) != want {
		t.Errorf("after accept baseline %q text %q", base, e.text(uri))
	}
}

// Where both changed the same lines nothing is applied; the proposal is kept.
func TestConflictIsNeverApplied(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		got, _ := h.ReadTextFile(t.Context(), sid, path, nil, nil)
		e.replace(uri, "5\n", "5 USER\n")
		err := h.WriteTextFile(t.Context(), sid, path, strings.NewReplacer("5\n", "5 AGENT\n", "9\n", "9 AGENT\n").Replace(got))
		if KindOf(err) != KindConflict || !strings.Contains(err.Error(), "line 5") {
			t.Errorf("error %v", err)
		}
	})
	want := strings.Replace(ten, "5\n", "5 USER\n", 1)
	if got := e.text(uri); got != want {
		t.Errorf("text %q", got)
	}
	rs := c.Reviews(uri, "")
	if len(rs) != 1 || len(rs[0].Hunks) == 0 || rs[0].Hunks[0].State != "conflict" {
		t.Fatalf("reviews %+v", rs)
	}
	if _, err := c.Resolve(t.Context(), rs[0].Hunks[0].ID, "both"); err != nil {
		t.Fatal(err)
	}
	if got := e.text(uri); got != strings.Replace(ten, "5\n", "5 USER\n5 AGENT\n", 1) {
		t.Errorf("both: %q", got)
	}
}

// A user who types while the edit is on its way keeps every keystroke, in an
// editor that refuses stale edits, in one that drops them and lies, and in one
// that does not look at versions.
func TestTypingMeanwhile(t *testing.T) {
	for name, apply := range map[string]func(e *fakeEditor, d DocumentEdit) error{
		"refuses": func(e *fakeEditor, d DocumentEdit) error { return e.edit(d, true) },
		"lies":    func(e *fakeEditor, d DocumentEdit) error { _ = e.edit(d, true); return nil },
		"each edit a change": func(e *fakeEditor, d DocumentEdit) error {
			for i := len(d.Edits) - 1; i >= 0; i-- {
				one := d
				one.Edits = d.Edits[i : i+1]
				if err := e.edit(one, i == len(d.Edits)-1); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			typed := 0
			e.onApply = func(d DocumentEdit) (bool, error) {
				if typed < 3 {
					typed++
					e.typeAt(uri, 0, 0, "x")
				}
				return true, apply(e, d)
			}
			turnOf(t, c, l, func(h Host, sid string) {
				got, _ := h.ReadTextFile(t.Context(), sid, path, nil, nil)
				if err := h.WriteTextFile(t.Context(), sid, path, strings.NewReplacer("5\n", "5 A\n", "9\n", "9 A\n").Replace(got)); err != nil {
					t.Errorf("write: %v", err)
				}
			})
			want := "xxx" + strings.NewReplacer("5\n", "5 A\n", "9\n", "9 A\n").Replace(ten)
			if got := e.text(uri); got != want {
				t.Errorf("text %q, want %q", got, want)
			}
			if base, _ := c.Baseline(uri); base != "xxx"+ten {
				t.Errorf("baseline %q", base)
			}
		})
	}
}

// A file nobody has open is written on disk, in its own line ends, and reviewed.
func TestWriteOnDisk(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "sub", "new.txt")
	crlf := filepath.Join(root, "crlf.txt")
	writeFile(t, crlf, "a\r\nb\r\n")
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, "one\ntwo\n"); err != nil {
			t.Error(err)
		}
		if err := h.WriteTextFile(t.Context(), sid, crlf, "a\nB\nc\n"); err != nil {
			t.Error(err)
		}
	})
	if got := readFile(t, path); got != "one\ntwo\n" {
		t.Errorf("new file %q", got)
	}
	if got := readFile(t, crlf); got != "a\r\nB\r\nc\r\n" {
		t.Errorf("CRLF file %q", got)
	}
	e.await("the review of the new file", func() bool {
		r := e.reviews[buffers.PathURI(path)]
		return r.File != nil && r.File.Op == "create" && len(r.Hunks) == 1
	})
	if _, err := c.Reject(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the created file is still there: %v", err)
	}
	if got := readFile(t, crlf); got != "a\r\nb\r\n" {
		t.Errorf("CRLF file after reject %q", got)
	}
	if left := c.Reviews("", ""); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

// A change that is taken back by the agent's next leaves nothing to decide on.
func TestThereAndBack(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		for _, s := range []string{strings.Replace(ten, "5\n", "FIVE\n", 1), ten} {
			if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
				t.Error(err)
			}
			if err := h.WriteTextFile(t.Context(), sid, path, s); err != nil {
				t.Error(err)
			}
		}
	})
	if h := hunksOf(t, c, uri); len(h) != 0 {
		t.Errorf("hunks %+v", h)
	}
	e.await("no hunks", func() bool { return len(e.reviews[uri].Hunks) == 0 })
}

// A write to what is no file says what is there.
func TestWriteOfAFolder(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	turnOf(t, c, l, func(h Host, sid string) {
		for _, path := range []string{root, filepath.Join(root, "sub"), filepath.Join(root, "sub") + "/"} {
			if err := h.WriteTextFile(t.Context(), sid, path, "x\n"); err == nil || !strings.Contains(err.Error(), "is a folder") {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	if list := c.Reviews("", ""); len(list) > 0 {
		t.Errorf("undecided: %+v", list)
	}
}
