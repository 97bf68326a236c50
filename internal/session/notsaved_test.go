package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/config"
)

// Why what an agent has written is not saved is said in the user's words, and names the file once.
func TestWhyItIsNotSaved(t *testing.T) {
	for name, x := range map[string]struct {
		saving func(e *fakeEditor, uri string) error
		want   string
	}{
		"typed in": {func(e *fakeEditor, uri string) error {
			e.typeAt(uri, 0, 0, "x")
			return ErrNotSaved
		}, "a was changed in the editor and is not saved: you typed in it meanwhile, save it when you are ready"},
		"failed": {func(*fakeEditor, string) error {
			return ErrNotSaved
		}, "a was changed in the editor and is not saved: the editor did not save it"},
		"failed, and why": {func(*fakeEditor, string) error {
			return fmt.Errorf("%w: E1: the formatter is broken", ErrNotSaved)
		}, "a was changed in the editor and is not saved: the editor did not save it: E1: the formatter is broken"},
		"cannot": {func(*fakeEditor, string) error {
			return ErrUnsupported
		}, "a was changed in the editor and is not saved: save it when you are ready"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			e.caps["save"] = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			e.onSave = func(uri string) error { return x.saving(e, uri) }
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "2\n", "TWO\n", 1)); err != nil {
					t.Error(err)
				}
			})
			notices := e.notices()
			if len(notices) != 1 || notices[0] != x.want {
				t.Errorf("notices %q, want %q", notices, x.want)
			}
		})
	}
}

// That what was decided is not saved is no news to who has typed on since; why the editor could not save it is.
func TestWhyADecisionIsNotSaved(t *testing.T) {
	types := func(e *fakeEditor, uri string) { e.typeAt(uri, 0, 0, "x") }
	for name, x := range map[string]struct {
		saving func(e *fakeEditor, uri string) error
		want   string
	}{
		"typed in": {func(e *fakeEditor, uri string) error {
			types(e, uri)
			return ErrNotSaved
		}, ""},
		"typed in, and failed": {func(e *fakeEditor, uri string) error {
			types(e, uri)
			return fmt.Errorf("%w: the disk is full", ErrNotSaved)
		}, "a is not saved: the disk is full"},
		"failed": {func(*fakeEditor, string) error { return ErrNotSaved }, "a is not saved: the editor did not save it"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			turnOf(t, c, l, func(h Host, sid string) {
				writeFile(t, path, strings.Replace(ten, "2\n", "TWO\n", 1))
				e.readAnew(uri, path)
			})
			e.caps["save"] = true
			e.onSave = func(uri string) error { return x.saving(e, uri) }
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
			if said := strings.Join(e.said(), "\n"); said != x.want {
				t.Errorf("said %q, want %q", said, x.want)
			}
		})
	}
}

// It is said once for each file and reason, not with each write.
func TestWhyItIsNotSavedOnce(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l, func(st *config.Settings) { st.Files.Save = config.SaveAlways })
	e.caps["save"] = true
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	reasons := []string{"broken", "broken", "gone", "gone"}
	next := 0
	e.onSave = func(string) error {
		next++
		return fmt.Errorf("%w: %s", ErrNotSaved, reasons[next-1])
	}
	turnOf(t, c, l, func(h Host, sid string) {
		for i := range reasons {
			if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "2\n", strings.Repeat("TWO", i+1)+"\n", 1)); err != nil {
				t.Error(err)
			}
		}
	})
	notices := e.notices()
	for i, text := range notices {
		notices[i] = text[strings.LastIndex(text, " ")+1:]
	}
	if !slices.Equal(notices, []string{"broken", "gone"}) {
		t.Errorf("notices %q", notices)
	}
}

// notices are what the user was told in conversations.
func (e *fakeEditor) notices() (notices []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, entries := range e.entries {
		for _, entry := range entries {
			if entry.Kind == EntryNotice {
				notices = append(notices, entry.Text)
			}
		}
	}
	return notices
}
