package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"acp-ls/buffers"
)

// A file that an agent has made gets another name while somebody looks: it is gone under the
// one before it is there under the other, and what is undecided in it goes along all the same.
func TestMadeFileIsGoneBeforeItHasAnotherName(t *testing.T) {
	t.Parallel()
	for _, sameTurn := range []bool{false, true} {
		for _, git := range []bool{false, true} {
			t.Run(fmt.Sprintf("same turn %v, git %v", sameTurn, git), func(t *testing.T) {
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				at := func(name string) string { return filepath.Join(root, name) }
				writeFile(t, at("other.txt"), ten)
				if git {
					gitInit(t, root)
				}
				makes := func(h Host, sid string) {
					if err := h.WriteTextFile(t.Context(), sid, at("new.txt"), "new\n"); err != nil {
						t.Error(err)
					}
					lookNow(c)
				}
				move := func() {
					if err := os.Remove(at("new.txt")); err != nil {
						t.Error(err)
					}
					lookNow(c)
					writeFile(t, at("newer.txt"), "new\n")
					lookNow(c)
				}
				turnOf(t, c, l, func(h Host, sid string) {
					if makes(h, sid); sameTurn {
						move()
					}
				})
				if !sameTurn {
					turnOf(t, c, l, func(Host, string) { move() })
				}
				h := hunksOf(t, c, buffers.PathURI(at("newer.txt")))
				if len(h) != 1 || !h[0].Origins[0].Sure || h[0].Origins[0].Turn != "s1.1" {
					t.Errorf("hunks %+v", h)
				}
				r := c.Reviews(buffers.PathURI(at("newer.txt")), "")
				if len(r) != 1 || r[0].File == nil || r[0].File.Op != "create" {
					t.Errorf("review %+v", r)
				}
				if got := shownFiles(c); len(got) != 1 {
					t.Errorf("shown %v", got)
				}
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Errorf("%+v, %v", d, err)
				}
				for f := range tree(t, root) {
					if f != "other.txt" {
						t.Errorf("%s is there", f)
					}
				}
			})
		}
	}
}

// A document whose file goes, because the user rejects that it was made, has nothing unsaved: an
// editor that saves all documents would make the file anew. What the user types just then is theirs.
func TestDocumentOfARejectedFileIsSaved(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"", "mine\n"} {
		t.Run(fmt.Sprintf("typed %q", typed), func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "new.txt")
			uri := buffers.PathURI(path)
			e.caps = map[string]bool{"save": true}
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, "new\n"); err != nil {
					t.Error(err)
				}
			})
			e.open(uri, "new\n")
			saved := "none"
			e.onSave = func(uri string) error {
				if typed != "" {
					e.typeAt(uri, 0, 0, typed)
				}
				saved = e.text(uri)
				writeFile(t, path, saved)
				e.send(buffers.Save{URI: uri})
				return nil
			}
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if saved != typed {
				t.Errorf("saved %q", saved)
			}
			if _, err := os.Stat(path); os.IsNotExist(err) != (typed == "") {
				t.Errorf("the file: %v", err)
			}
		})
	}
}
