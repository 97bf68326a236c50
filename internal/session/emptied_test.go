package session

import (
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
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

// TestWhatIsKnownIsReadOnce: whatever is as it is known to be takes no pause, however
// often it is looked at; only news does.
func TestWhatIsKnownIsReadOnce(t *testing.T) {
	there := func(s string) buffers.Disk { return buffers.Disk{Exists: true, Content: s} }
	state := func(d buffers.Disk) checkpoint.State {
		return checkpoint.State{Exists: d.Exists, Content: d.Content}
	}
	for _, tt := range []struct {
		name    string
		before  string
		missing bool
		disk    buffers.Disk
		known   bool
	}{
		{"a text", "a\n", false, there("a\n"), true},
		{"an empty one", "", false, there(""), true},
		{"gone, of which the text is known", "a\n", true, buffers.Disk{}, true},
		{"gone, and empty before", "", true, buffers.Disk{}, true},
		{"another text", "a\n", false, there("b\n"), false},
		{"taken away", "a\n", false, buffers.Disk{}, false},
		{"put back", "a\n", true, there("b\n"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &Core{files: map[buffers.Path]*file{}}
				f := c.file("/x")
				f.before, f.missing = &taken{Text: text.New(tt.before)}, tt.missing
				reads := 0
				begin := time.Now()
				if _, err := f.whole(t.Context(), func(buffers.Path) (buffers.Disk, error) {
					reads++
					return tt.disk, nil
				}); err != nil {
					t.Fatal(err)
				}
				if (reads == 1) != tt.known {
					t.Errorf("read %d times", reads)
				}
				if waited := time.Since(begin) > 0; waited == tt.known {
					t.Errorf("waited for it: %t", waited)
				}
				begin = time.Now()
				s := &session{core: c}
				if err := s.letRest(t.Context(), []checkpoint.Change{{Path: f.path, After: state(tt.disk)}}); err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(begin) > 0; waited == tt.known {
					t.Errorf("the turn point waited: %t", waited)
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
