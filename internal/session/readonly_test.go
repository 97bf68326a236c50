package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What nobody could save is not changed: an agent's write of a document that its editor holds
// read-only is answered with an error that says why, at once, and the user is told.
func TestReadOnlyDocument(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	e.caps["save"] = true
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	e.onSave = func(string) error {
		writeFile(t, path, e.text(uri))
		e.send(buffers.Save{URI: uri})
		return nil
	}
	readOnly, asked := true, 0
	e.onApply = func(DocumentEdit) (bool, error) {
		asked++
		return readOnly, fmt.Errorf("%w: the editor says so", ErrReadOnly)
	}
	changed := strings.Replace(ten, "2\n", "TWO\n", 1)
	turnOf(t, c, l, func(h Host, sid string) {
		for range 2 {
			err := h.WriteTextFile(t.Context(), sid, path, changed)
			if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "a was not changed: it is read-only: the editor says so") {
				t.Errorf("the agent is told %v", err)
			}
		}
	})
	if asked != 2 {
		t.Errorf("the editor was asked %d times for two writes", asked)
	}
	if e.text(uri) != ten || readFile(t, path) != ten || e.marked(uri) > 0 {
		t.Errorf("text %q, disk %q, %d hunks", e.text(uri), readFile(t, path), e.marked(uri))
	}
	if got, want := e.notices(), []string{"a was not changed: it is read-only: the editor says so"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the user is told %q, want %q", got, want)
	}

	// Also what the agent writes on disk by itself can be rejected only when it can be saved.
	readOnly = false
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, changed); err != nil {
			t.Error(err)
		}
	})
	readOnly = true
	out, err := c.Reject(t.Context(), Decide{URI: uri})
	if err != nil || len(out.Decided) > 0 || len(out.Refused) != 1 || !strings.Contains(out.Refused[0].Reason, "it is read-only: the editor says so") {
		t.Errorf("rejected %+v, %v", out, err)
	}
	if e.text(uri) != changed || e.marked(uri) != 1 {
		t.Errorf("text %q, %d hunks", e.text(uri), e.marked(uri))
	}
	readOnly = false
	if out, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil || len(out.Decided) != 1 {
		t.Errorf("rejected %+v, %v", out, err)
	}
	if e.text(uri) != ten {
		t.Errorf("text %q", e.text(uri))
	}
}

// marked is how many hunks the user sees in a document.
func (e *fakeEditor) marked(uri string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.reviews[uri].Hunks)
}
