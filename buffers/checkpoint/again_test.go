package checkpoint

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"acp-ls/buffers"
)

// A checkpoint made of what was kept of another one finds what that finds, after everything
// that can be done to a folder, also if it was kept bit by bit.
func TestAgainFindsTheSame(t *testing.T) {
	folders := map[string]func(t *testing.T) repo{
		"no git": func(t *testing.T) repo {
			r := newFolder(t)
			r.write("a", "1\n2\n")
			r.write("sub/b", "1\n")
			return r
		},
		"git": func(t *testing.T) repo { return newRepo(t, "a", "1\n2\n", "sub/b", "1\n", "binary", "\x00") },
		"no commit": func(t *testing.T) repo {
			r := newFolder(t)
			r.git("init", "-q", ".")
			r.write("a", "1\n2\n")
			return r
		},
		"repository inside": func(t *testing.T) repo {
			r := newRepo(t, "a", "1\n2\n")
			in := repo{t, r.root + "/sub"}
			in.write("b", "1\n")
			in.git("init", "-q", ".")
			in.commit()
			return r
		},
		"line ends": func(t *testing.T) repo { return newRepo(t, ".gitattributes", "* text eol=crlf\n", "a", "1\r\n") },
	}
	for name, make := range folders {
		t.Run(name, func(t *testing.T) {
			r := make(t)
			root := buffers.Path(r.root)
			kept := map[string]State{}
			var last *Checkpoint
			for _, step := range []func(){
				func() {},
				func() { r.write("dirty", "d\n") },
				func() { r.write("dirty", "e\n"); r.write("a", "dirty too\n") },
				func() { remove(t, r, "dirty") },
			} {
				step()
				c, err := Take(t.Context(), root, last, Options{})
				if err != nil {
					t.Fatal(err)
				}
				more, gone := c.CopiesSince(last)
				maps.Copy(kept, more)
				for _, p := range gone {
					delete(kept, p)
				}
				last = c
			}
			for _, step := range []func(){
				func() {},
				func() { r.write("a", "1\nTWO\n") },
				func() { r.write("new", "n\n") },
				func() { remove(t, r, "a") },
				func() { r.write("sub/b", "B\n") },
				func() {
					if name != "no git" {
						r.commit()
					}
				},
				func() { r.write("binary", "\x00\x01") },
				func() {
					if err := os.RemoveAll(r.root + "/.git"); err != nil {
						t.Fatal(err)
					}
				},
			} {
				step()
				want, err := last.Changes(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				c, err := Again(t.Context(), root, last.Pins(), kept, Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := c.Changes(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if isThere(r.root+"/.git") != (name != "no git") {
					// What git had and nobody asked for is known to neither.
					copied := func(list []Change) map[buffers.Path]State {
						out := map[buffers.Path]State{}
						for _, ch := range list {
							if _, ok := last.Copied(string(ch.Path)); ok {
								out[ch.Path] = ch.Before
							}
						}
						return out
					}
					if got, want := copied(got), copied(want); !reflect.DeepEqual(got, want) {
						t.Errorf("without git: %v, want %v", got, want)
					}
					continue
				}
				for _, list := range [][]Change{got, want} {
					for i := range list {
						list[i].was, list[i].is = nil, nil // by which number a file was known is not kept
					}
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%v, want %v", got, want)
				}
			}
		})
	}
	for _, bad := range []string{"\x00\x05a", "\x00\x80", ""} {
		if _, err := Again(t.Context(), buffers.Path(t.TempDir()), []byte(bad), nil, Options{}); err == nil {
			t.Errorf("pins %q read", bad)
		}
	}
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func remove(t *testing.T, r repo, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(r.root, name)); err != nil {
		t.Fatal(err)
	}
}
