package session

import (
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// A file that is being written is emptied first. How long it may stay so before it
// is written on depends on the machine; a file that stays empty is empty.
func TestEmptiedFileIsBelievedLate(t *testing.T) {
	full := buffers.Disk{Exists: true, Content: "a\nB\n"}
	empty, half := buffers.Disk{Exists: true}, buffers.Disk{Exists: true, Content: "a\n"}
	for _, tt := range []struct {
		name  string
		reads []buffers.Disk // the last one again and again
		want  buffers.Disk
	}{
		{"written at once", []buffers.Disk{full}, full},
		{"half written", []buffers.Disk{half, full}, full},
		{"emptied for a while", append(slices.Repeat([]buffers.Disk{empty}, emptyFor), half, full), full},
		{"emptied twice", []buffers.Disk{empty, half, empty, empty, full}, full},
		{"empty", []buffers.Disk{empty}, empty},
		{"gone", []buffers.Disk{empty, {}}, buffers.Disk{}},
		{"put back", []buffers.Disk{empty, empty, {Exists: true, Content: "a\nb\n"}}, buffers.Disk{Exists: true, Content: "a\nb\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &file{before: &taken{Text: text.New("a\nb\n")}}
				reads := tt.reads
				got, err := f.whole(t.Context(), func(buffers.Path) (buffers.Disk, error) {
					d := reads[0]
					reads = reads[min(1, len(reads)-1):]
					return d, nil
				})
				if err != nil || got.Exists != tt.want.Exists || got.Content != tt.want.Content {
					t.Errorf("%+v, %v", got, err)
				}
			})
		})
	}
}

// So it is where nothing is known but the document: one whose file could not be read as text.
func TestEmptiedFileOfADocumentIsBelievedLate(t *testing.T) {
	t.Parallel()
	c, e, root := setup(t, &fakeLauncher{})
	path := filepath.Join(root, "a")
	full := buffers.Disk{Exists: true, Content: "a\nb\n"}
	writeFile(t, path, full.Content)
	e.open(buffers.PathURI(path), full.Content)
	p, err := buffers.Resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	f := c.file(p)
	f.mu.Lock()
	f.before = nil
	f.mu.Unlock()
	n := 0
	got, err := f.whole(t.Context(), func(buffers.Path) (buffers.Disk, error) {
		if n++; n <= 3 {
			return buffers.Disk{Exists: true}, nil
		}
		return full, nil
	})
	if err != nil || !got.Exists || got.Content != full.Content {
		t.Errorf("%+v, %v", got, err)
	}
}
