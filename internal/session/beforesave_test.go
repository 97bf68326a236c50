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

// The agent writes on while what it has written comes into a document that is about to be saved:
// that comes too, before its editor writes.
func TestBeforeSaveWhileTheDiskGoesOn(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} { // what has gone on already by then
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		c.unwatched = true
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		e.replace(uri, "2\n", "USER\n")
		e.caps["adopt"] = true
		disks := []string{strings.Replace(ten, "6\n", "FIRST\n", 1), strings.Replace(ten, "8\n", "THEN\n", 1), strings.Replace(ten, "9\n", "LAST\n", 1)}
		rest, known := disks[1:], ""
		e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
			goneOn := len(rest) > 0
			if goneOn {
				writeFile(t, path, rest[0])
				rest = rest[1:]
			}
			if goneOn && !adopts {
				return false, nil
			}
			known = readFile(t, path)
			e.send(buffers.Close{URI: uri})
			e.open(uri, known)
			e.typeAt(uri, 0, len(e.text(uri)), s)
			return true, nil
		}
		turnOf(t, c, l, func(Host, string) {
			writeFile(t, path, disks[0])
			taken, err := e.at.BeforeSave(t.Context(), uri)
			if err != nil || !taken && known != disks[2] {
				t.Errorf("adopts %v: taken %v, %v, and the editor knows %q, want %q", adopts, taken, err, known, disks[2])
			}
			if got, want := e.text(uri), strings.Replace(disks[2], "2\n", "USER\n", 1); got != want {
				t.Errorf("adopts %v: text %q, want %q", adopts, got, want)
			}
		})
	}
}

// A turn ends while a document is about to be saved: what its agent has written last comes into the
// document all the same, before its editor writes.
func TestBeforeSaveAsTheTurnEnds(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		c.unwatched = true
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		e.replace(uri, "2\n", "USER\n")
		e.caps["adopt"] = adopts
		e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
			e.send(buffers.Close{URI: uri})
			e.open(uri, readFile(t, path))
			e.typeAt(uri, 0, len(e.text(uri)), s)
			return true, nil
		}
		want := strings.NewReplacer("2\n", "USER\n", "8\n", "AGENT\n").Replace(ten)
		started, done := make(chan struct{}), make(chan struct{})
		turnOf(t, c, l, func(Host, string) {
			writeFile(t, path, strings.Replace(ten, "8\n", "AGENT\n", 1))
			go func() { // it is on its way when the turn ends
				defer close(done)
				close(started)
				if taken, err := e.at.BeforeSave(t.Context(), uri); err != nil || taken == adopts {
					t.Errorf("adopts %v: taken %v, %v", adopts, taken, err)
				}
				if got := e.text(uri); got != want {
					t.Errorf("adopts %v: text %q, want %q", adopts, got, want)
				}
			}()
			<-started
		})
		<-done
		if got, _ := c.Baseline(uri); strings.Contains(got, "AGENT") {
			t.Errorf("adopts %v: baseline %q", adopts, got)
		}
	}
}
