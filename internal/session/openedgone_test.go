package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What an agent makes under a name that the user has opened when no file was there is its
// own, also where one had been there that it took away before, accepted or not: it is merged
// into what the user has typed meanwhile, and never passed over.
func TestFileMadeUnderADocumentOpenedWithoutOne(t *testing.T) {
	for _, x := range []struct {
		name            string
		noticed, accept bool // that it was taken away; where it was not the user has typed in what comes back
		typed           string
	}{
		{"noticed and accepted, typed", true, true, "USER\n"},
		{"noticed and accepted", true, true, ""},
		{"noticed, typed", true, false, "USER\n"},
		{"not noticed, typed", false, false, "USER\n"},
		{"not noticed", false, false, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				c.unwatched = true // nothing may wait for the system in virtual time
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				point := func() { c.turnPoint(c.allSessions()[0], c.allSessions()[0].now()) }
				turnOf(t, c, l, func(Host, string) {
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
					if x.noticed {
						point()
					}
					if x.accept {
						if _, err := c.Accept(t.Context(), Decide{}); err != nil {
							t.Error(err)
						}
					}
					e.open(uri, "")
					time.Sleep(time.Second)
					synctest.Wait()
					if x.typed != "" {
						e.typeAt(uri, 0, 0, x.typed)
					}
					point()
					writeFile(t, path, "AGENT\n")
				})
				h := slices.DeleteFunc(hunksOf(t, c, uri), func(h review.Hunk) bool { return h.Text == "" }) // what it took away before
				if len(h) != 1 || h[0].Text != "AGENT\n" || (h[0].State == review.StateConflict) != (x.typed != "" && x.noticed) {
					t.Errorf("text %q, hunks %+v", e.text(uri), h)
				}
			})
		})
	}
}

// A document without text is no renamed file, whatever was closed before: what is undecided
// of a file that is gone stays with that.
func TestEmptyDocumentIsNoRename(t *testing.T) {
	for _, opened := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path := filepath.Join(root, "a")
			uri, other := buffers.PathURI(path), buffers.PathURI(filepath.Join(root, "b"))
			writeFile(t, path, ten)
			turnOf(t, c, l, func(Host, string) {
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
			})
			if opened {
				e.open(uri, "")
				e.close(uri)
				time.Sleep(time.Second)
			}
			e.open(other, "")
			time.Sleep(time.Second)
			synctest.Wait()
			if h := hunksOf(t, c, other); len(h) > 0 {
				t.Errorf("opened %v: the other file has %+v", opened, h)
			}
			if h := hunksOf(t, c, uri); len(h) != 1 || h[0].BaseText != ten {
				t.Errorf("opened %v: hunks %+v", opened, h)
			}
		})
	}
}

// A document that was closed with nothing tracked in it has thrown away nothing: what comes to
// its file later is taken in, and shown, as if it had never been open.
func TestClosedLongBefore(t *testing.T) {
	for _, there := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			had := ""
			if there {
				had = ten
				writeFile(t, path, had)
			}
			e.open(uri, had)
			time.Sleep(time.Second)
			e.close(uri)
			time.Sleep(time.Second)
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, had+"1 AGENT\n2 AGENT\n"); err != nil {
					t.Error(err)
				}
				writeFile(t, path, had+"0 AGENT\n1 AGENT\n")
			})
			synctest.Wait()
			h, shown := hunksOf(t, c, uri), e.reviews[uri].Hunks
			if len(h) != 1 || h[0].Text != "0 AGENT\n1 AGENT\n" {
				t.Errorf("there %v: hunks %+v", there, h)
			}
			if len(shown) != 1 || shown[0].Text != h[0].Text {
				t.Errorf("there %v: shown %+v", there, shown)
			}
		})
	}
}

// What the disk has of a document that is closed is known from then on, also where the text
// had it before by another road: once accepted it does not come back as a change.
func TestClosedWithWhatTheDiskHas(t *testing.T) {
	at := strings.Replace(ten, "5\n", "FIVE\n", 1)
	for name, written := range map[string]bool{"written twice": true, "typed too": false} {
		synctest.Test(t, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			time.Sleep(time.Second)
			turnOf(t, c, l, func(h Host, sid string) {
				if !written {
					e.replace(uri, "5\n", "FIVE\n")
				} else if err := h.WriteTextFile(t.Context(), sid, path, at); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				writeFile(t, path, at)
				e.close(uri)
				time.Sleep(time.Second)
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if h := hunksOf(t, c, uri); len(h) > 0 {
				t.Errorf("%s: hunks %+v", name, h)
			}
		})
	}
}
