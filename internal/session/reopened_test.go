package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// A document that is closed and opened with what is unsaved in it has read nothing from the
// disk: what is unsaved stays, and nobody is taken to have changed the file.
func TestReopenedUnsaved(t *testing.T) {
	const unsaved = "0\n" + ten + "11 USER\n"
	again := func(e *fakeEditor, uri, s string) {
		e.send(buffers.Close{URI: uri})
		e.open(uri, s)
	}
	for _, c := range []struct {
		name string
		do   func(e *fakeEditor, uri string)
	}{
		{"in another language", func(e *fakeEditor, uri string) { again(e, uri, unsaved) }},
		{"read, and that undone before it was told", func(e *fakeEditor, uri string) {
			again(e, uri, ten)
			again(e, uri, unsaved)
		}},
		{"read, undone, and told at once", func(e *fakeEditor, uri string) {
			again(e, uri, ten)
			e.replace(uri, "1\n", "0\n1\n")
			again(e, uri, unsaved)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &fakeLauncher{}
			editor, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			turnOf(t, editor, l, func(h Host, id string) {
				e.typeAt(uri, 0, len(ten), unsaved)
				c.do(e, uri)
				content, err := h.ReadTextFile(t.Context(), id, path, nil, nil)
				if err != nil || content != unsaved {
					t.Errorf("the agent reads %q, %v", content, err)
				}
				if err := h.WriteTextFile(t.Context(), id, path, strings.Replace(content, "5\n", "5 AGENT\n", 1)); err != nil {
					t.Error(err)
				}
			})
			if got, want := e.text(uri), strings.Replace(unsaved, "5\n", "5 AGENT\n", 1); got != want {
				t.Errorf("text %q, want %q", got, want)
			}
			if got := hunksOf(t, editor, uri); len(got) != 1 || got[0].Text != "5 AGENT\n" {
				t.Errorf("hunks %+v", got)
			}
			if got := readFile(t, path); got != ten {
				t.Errorf("disk %q", got)
			}
		})
	}
}

// The same where the agent has written the disk before, and nobody has noticed that yet.
func TestReopenedUnsavedOverAWrite(t *testing.T) {
	t.Parallel()
	const unsaved = "0\n" + ten + "11 USER\n"
	for _, c := range []struct{ name, typed string }{
		{"as it was", unsaved},
		{"typed on", "0\n" + ten + "11 USER\n12 USER\n"},
		{"partly undone", ten + "11 USER\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &fakeLauncher{}
			editor, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			turnOf(t, editor, l, func(h Host, id string) {
				e.typeAt(uri, 0, len(ten), unsaved)
				writeFile(t, path, strings.Replace(ten, "5\n", "5 AGENT\n", 1))
				e.send(buffers.Close{URI: uri})
				e.open(uri, c.typed)
				content, err := h.ReadTextFile(t.Context(), id, path, nil, nil)
				if err != nil {
					t.Error(err)
				}
				if err := h.WriteTextFile(t.Context(), id, path, strings.Replace(content, "8\n", "8 AGENT\n", 1)); err != nil {
					t.Error(err)
				}
			})
			want := strings.Replace(c.typed, "5\n", "5 AGENT\n", 1)
			want = strings.Replace(want, "8\n", "8 AGENT\n", 1)
			if got := e.text(uri); got != want {
				t.Errorf("text %q, want %q", got, want)
			}
			got := hunksOf(t, editor, uri)
			if len(got) != 2 || got[0].Text != "5 AGENT\n" || got[1].Text != "8 AGENT\n" {
				t.Errorf("hunks %+v", got)
			}
		})
	}
}
