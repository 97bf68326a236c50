package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What an agent has just written on disk is in the document before its editor writes over that,
// whoever watches; and the editor is told if it was not given the disk's state with it.
func TestBeforeSave(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} {
		for _, unsaved := range []bool{true, false} {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			base := ten
			if unsaved {
				base = strings.Replace(ten, "2\n", "USER\n", 1)
				e.replace(uri, "2\n", "USER\n")
			}
			e.caps["adopt"] = adopts
			e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
				e.send(buffers.Close{URI: uri})
				e.open(uri, readFile(t, path))
				e.typeAt(uri, 0, len(e.text(uri)), s)
				return true, nil
			}
			before := func(want bool) {
				t.Helper()
				if taken, err := e.at.BeforeSave(t.Context(), uri); err != nil || taken != want {
					t.Errorf("adopts %v, unsaved %v: taken %v, %v, want %v", adopts, unsaved, taken, err, want)
				}
			}
			turnOf(t, c, l, func(Host, string) {
				before(false) // the disk is known
				writeFile(t, path, strings.Replace(ten, "8\n", "AGENT\n", 1))
				before(!adopts)
				if got, want := e.text(uri), strings.Replace(base, "8\n", "AGENT\n", 1); got != want {
					t.Errorf("adopts %v, unsaved %v: text %q, want %q", adopts, unsaved, got, want)
				}
			})
			if got, _ := c.Baseline(uri); got != base {
				t.Errorf("adopts %v, unsaved %v: baseline %q, want %q", adopts, unsaved, got, base)
			}
			text := e.text(uri)
			writeFile(t, path, "another's\n")
			before(false) // no agent works
			if got := e.text(uri); got != text {
				t.Errorf("adopts %v, unsaved %v: text %q after the turn, want %q", adopts, unsaved, got, text)
			}
		}
	}
}

// Somebody types just as a document is given what the disk has: it is given that once more,
// and not by an edit, which would leave the editor with a file that it does not know.
func TestAdoptAgainWhenTypedIn(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	e.caps["adopt"] = true
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	e.replace(uri, "2\n", "USER\n")
	tries := 0
	e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
		if tries++; tries < 3 {
			e.replace(uri, "USER", "USER!")
			return false, nil
		}
		e.send(buffers.Close{URI: uri})
		e.open(uri, readFile(t, path))
		e.typeAt(uri, 0, len(e.text(uri)), s)
		return true, nil
	}
	turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Replace(ten, "8\n", "AGENT\n", 1)) })
	want := strings.NewReplacer("2\n", "USER!!\n", "8\n", "AGENT\n").Replace(ten)
	if got := e.text(uri); got != want || tries != 3 {
		t.Errorf("text %q, want %q; given %d times", got, want, tries)
	}
}
