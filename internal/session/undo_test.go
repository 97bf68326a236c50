package session

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// A turn is taken back also after it was accepted, in documents and in files
// nobody has open; what the user typed since stays.
func TestUndoATurn(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	at := func(n string) string { return filepath.Join(root, n) }
	for _, n := range []string{"open", "closed", "disk"} {
		writeFile(t, at(n), ten)
	}
	uri := buffers.PathURI(at("open"))
	e.open(uri, ten)
	edit := strings.NewReplacer("3\n", "THREE\n", "8\n", "EIGHT\n").Replace(ten)
	turnOf(t, c, l, func(h Host, sid string) {
		for _, n := range []string{"open", "closed"} {
			if err := h.WriteTextFile(t.Context(), sid, at(n), edit); err != nil {
				t.Error(err)
			}
		}
		if err := h.WriteTextFile(t.Context(), sid, at("made"), "m\n"); err != nil {
			t.Error(err)
		}
		writeFile(t, at("disk"), edit)
	})
	if _, err := c.Accept(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	turnOf(t, c, l, func(h Host, sid string) {
		got, _ := h.ReadTextFile(t.Context(), sid, at("open"), nil, nil)
		if err := h.WriteTextFile(t.Context(), sid, at("open"), strings.Replace(got, "10\n", "TEN\n", 1)); err != nil {
			t.Error(err)
		}
	})
	e.replace(uri, "1\n", "USER\n")
	s := c.allSessions()[0]
	if d, err := c.Undo(t.Context(), s.id, s.id+".1"); err != nil || len(d.Refused) > 0 {
		t.Fatalf("%+v %v", d, err)
	}
	if got, want := e.text(uri), strings.NewReplacer("\n10\n", "\nTEN\n", "1\n2", "USER\n2").Replace(ten); got != want {
		t.Errorf("open %q, want %q", got, want)
	}
	for _, n := range []string{"closed", "disk"} {
		if got := readFile(t, at(n)); got != ten {
			t.Errorf("%s %q", n, got)
		}
	}
	if _, err := os.Stat(at("made")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("made is still there: %v", err)
	}
	if d, err := c.Undo(t.Context(), s.id, ""); err != nil || len(d.Refused) > 0 {
		t.Fatalf("%+v %v", d, err)
	}
	if got, want := e.text(uri), strings.Replace(ten, "1\n2", "USER\n2", 1); got != want {
		t.Errorf("after all %q, want %q", got, want)
	}
}

// acceptedFive is a session in which an agent has changed line 5 of an open document of ten lines,
// which was accepted.
func acceptedFive(t *testing.T) (c *Core, e *fakeEditor, uri string) {
	t.Helper()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri = buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "5\n", "FIVE\n", 1)); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Accept(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	return c, e, uri
}

// Where the user changed what is to be taken back, theirs stays and what was
// there before is offered.
func TestUndoConflict(t *testing.T) {
	c, e, uri := acceptedFive(t)
	e.replace(uri, "FIVE\n", "mine\n")
	if _, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil {
		t.Fatal(err)
	}
	if got := e.text(uri); got != strings.Replace(ten, "5\n", "mine\n", 1) {
		t.Errorf("text %q", got)
	}
	h := hunksOf(t, c, uri)
	if len(h) != 1 || h[0].State != "conflict" || h[0].Text != "5\n" {
		t.Errorf("hunks %+v", h)
	}
}

// What the user has typed since right beside the agent's rows is a conflict, and stays if that
// is settled by what was there before.
func TestUndoConflictBeside(t *testing.T) {
	for take, want := range map[string]string{
		"mine":   "4\nFIVE\nmine\n7\n",
		"theirs": "4\n5\nmine\n7\n",
		"both":   "4\n5\nmine\n7\n",
	} {
		c, e, uri := acceptedFive(t)
		e.replace(uri, "6\n", "mine\n")
		if _, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil {
			t.Fatal(err)
		}
		h := hunksOf(t, c, uri)
		if len(h) != 1 || h[0].State != "conflict" || h[0].BaseText != "FIVE\n" || h[0].Text != "5\n" {
			t.Fatalf("hunks %+v", h)
		}
		if _, err := c.Resolve(t.Context(), h[0].ID, take); err != nil {
			t.Fatal(err)
		}
		if got := e.text(uri); got != strings.Replace(ten, "4\n5\n6\n7\n", want, 1) {
			t.Errorf("%s: text %q", take, got)
		}
	}
}

// Every file in which a turn is taken back is answered with, as it then is: also one in
// which all there is to do is the user's, open or not, made or deleted by the turn.
func TestUndoTellsOfConflicts(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	at := func(n string) string { return filepath.Join(root, n) }
	for _, n := range []string{"open", "closed", "deleted", "plain"} {
		writeFile(t, at(n), ten)
	}
	uri := buffers.PathURI(at("open"))
	e.open(uri, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		for _, n := range []string{"open", "closed", "plain"} {
			if err := h.WriteTextFile(t.Context(), sid, at(n), strings.Replace(ten, "5\n", "FIVE\n", 1)); err != nil {
				t.Error(err)
			}
		}
		if err := h.WriteTextFile(t.Context(), sid, at("made"), "made\n"); err != nil {
			t.Error(err)
		}
		if err := os.Remove(at("deleted")); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Accept(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	e.replace(uri, "FIVE", "user's")
	writeFile(t, at("closed"), strings.Replace(ten, "5\n", "user's\n", 1))
	writeFile(t, at("deleted"), "user's\n")
	writeFile(t, at("made"), "user's\n")
	s := c.allSessions()[0]
	d, err := c.Undo(t.Context(), s.id, s.id+".1")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, f := range d.Files {
		n := 0
		for _, h := range f.Hunks {
			if h.State == review.StateConflict {
				n++
			}
		}
		got[filepath.Base(f.Path)] = n
	}
	want := map[string]int{"open": 1, "closed": 1, "deleted": 1, "made": 1, "plain": 0}
	if !maps.Equal(got, want) {
		t.Errorf("told of %v, want %v (refused %+v)", got, want, d.Refused)
	}
}

// A deletion that was accepted is taken back, in files nobody has open and under a document,
// and nothing is left to decide on.
func TestUndoADeletion(t *testing.T) {
	t.Parallel()
	for _, open := range []bool{false, true} {
		for _, accepted := range []bool{false, true} {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, "d\n")
			if open {
				e.open(uri, "d\n")
			}
			turnOf(t, c, l, func(Host, string) {
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
			})
			if r := c.Reviews(uri, ""); len(r) != 1 || r[0].File == nil || r[0].File.Op != "delete" {
				t.Fatalf("open %v: %+v", open, r)
			}
			if accepted {
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Fatal(err)
				}
			}
			d, err := c.Undo(t.Context(), c.allSessions()[0].id, "")
			if err != nil || len(d.Refused) > 0 || len(d.Files) != 1 {
				t.Errorf("open %v, accepted %v: %+v %v", open, accepted, d, err)
			}
			if got := readFile(t, path); got != "d\n" {
				t.Errorf("open %v, accepted %v: %q", open, accepted, got)
			}
			if r := c.Reviews("", ""); len(r) != 0 {
				t.Errorf("open %v, accepted %v: left are %+v", open, accepted, r)
			}
		}
	}
}

// What is not there cannot be undone, and that is said.
func TestUndoNothing(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "a")
	writeFile(t, path, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "5\n", "FIVE\n", 1)); err != nil {
			t.Error(err)
		}
	})
	s := c.allSessions()[0]
	for _, x := range []struct {
		session, turn string
		want          Kind
	}{
		{"", "", KindInvalid}, {"other", "", KindUnknownSession}, {"other", s.id + ".1", KindUnknownSession},
		{s.id, s.id + ".9", KindInvalid},
	} {
		if _, err := c.Undo(t.Context(), x.session, x.turn); KindOf(err) != x.want || err == nil {
			t.Errorf("%q %q: %v", x.session, x.turn, err)
		}
	}
	if got := readFile(t, path); !strings.Contains(got, "FIVE\n") {
		t.Errorf("undone all the same: %q", got)
	}
	// Nothing is left of the session but its change.
	if err := c.CloseSession(t.Context(), s.id); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Undo(t.Context(), s.id, ""); err != nil {
		t.Error(err)
	}
	if got := readFile(t, path); got != ten {
		t.Errorf("of a closed session: %q", got)
	}
	if d, err := c.Undo(t.Context(), s.id, ""); KindOf(err) != KindUnknownSession {
		t.Errorf("once more: %+v %v", d, err)
	}
}

// What was rejected already is in no undo's way, though it stood beside what was accepted and
// formatted: the file is as it was before the session, but for what the user typed.
func TestUndoBesideWhatWasRejected(t *testing.T) {
	t.Parallel()
	const before = "1  \n2\n3  \n4\n5  \n6\n7\n8\n"
	for name, x := range map[string]struct {
		formats bool
		typed   string // in the place of the 8
		want    string
	}{
		"formatted":                {true, "8", before},
		"formatted, and typed in":  {true, "mine", strings.Replace(before, "8", "mine", 1)},
		"as the agent wrote it":    {false, "8", before},
		"the agent's, typed in it": {false, "mine", strings.Replace(before, "8", "mine", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, before)
			e.open(uri, before)
			if x.formats {
				e.formatsOnSave(path, func() {})
			}
			edits := func(old, next string) {
				turnOf(t, c, l, func(h Host, sid string) {
					if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(e.text(uri), old, next, 1)); err != nil {
						t.Error(err)
					}
				})
			}
			edits("4\n", "FOUR  \nand  \n")
			if _, err := c.Accept(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
			edits("2\n3", "TWO  \n3")
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
			edits("FOUR", "VIER")
			edits("1", "ONE")
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
			e.replace(uri, "8", x.typed)
			d, err := c.Undo(t.Context(), c.allSessions()[0].id, "")
			if err != nil || len(d.Refused) > 0 {
				t.Fatalf("%+v %v", d, err)
			}
			if got := e.text(uri); got != x.want {
				t.Errorf("text %q, want %q", got, x.want)
			}
			if h := hunksOf(t, c, uri, review.StateConflict); len(h) > 0 {
				t.Errorf("conflicts %+v", h)
			}
		})
	}
}

// The kind of line ends that a document has got since is not taken back with a session.
func TestUndoKeepsTheLineEnds(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, strings.NewReplacer("3\n", "THREE\n", "8\n", "").Replace(ten)); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Accept(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	turned := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	e.typeAt(uri, 0, len(e.text(uri)), turned(e.text(uri)))
	if d, err := c.Undo(t.Context(), c.allSessions()[0].id, ""); err != nil || len(d.Refused) > 0 {
		t.Fatalf("%+v %v", d, err)
	}
	if got := e.text(uri); got != turned(ten) {
		t.Errorf("text %q", got)
	}
}
