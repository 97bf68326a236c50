package session

import (
	"path/filepath"
	"strings"
	"sync/atomic"
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

// A document is saved in the moment between an edit that brings in what the disk has and what tells its
// editor of the disk's state. (With unsaved text the two are one operation, which is waited for.)
func TestBeforeSaveBeforeTheBaseIsGiven(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	var asked atomic.Int32
	e.caps["base"] = true
	e.onBase = func(uri string, _ int32, _ string) (bool, error) {
		asked.Add(1)
		if taken, err := e.at.BeforeSave(t.Context(), uri); err != nil || !taken {
			t.Errorf("taken %v, %v", taken, err)
		}
		return true, nil
	}
	turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Replace(ten, "8\n", "AGENT\n", 1)) })
	if got := e.text(uri); !strings.Contains(got, "AGENT") || asked.Load() == 0 {
		t.Errorf("text %q, asked %d times", got, asked.Load())
	}
	f := c.file(buffers.Path(path))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unadopted != nil {
		t.Error("the editor knows the disk, and it is not noted")
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

// What an agent has written came into a document by an edit alone, for its user typed each time it
// was to be given with the disk's state: the editor is given that when they pause, be it after the
// turn, or saving would be a conflict with what is there. Until then a save knows of it.
func TestGivenTheBaseWhenTypingPauses(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"adopt", "base"} {
		for _, written := range []bool{false, true} { // through us too
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			e.replace(uri, "2\n", "USER\n")
			e.caps["adopt"], e.caps["base"] = by == "adopt", by == "base"
			var typing atomic.Bool
			typing.Store(true)
			known := make(chan string, 1)
			e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
				if typing.Load() {
					e.replace(uri, "USER", "USER!")
					return false, nil
				}
				e.send(buffers.Close{URI: uri})
				e.open(uri, readFile(t, path))
				e.typeAt(uri, 0, len(e.text(uri)), s)
				known <- readFile(t, path)
				return true, nil
			}
			e.onBase = func(string, int32, string) (bool, error) {
				if !typing.Load() {
					known <- readFile(t, path)
				}
				return !typing.Load(), nil
			}
			disk := strings.Replace(ten, "8\n", "AGENT\n", 1)
			turnOf(t, c, l, func(h Host, sid string) {
				if written {
					if err := h.WriteTextFile(t.Context(), sid, path, disk); err != nil {
						t.Error(err)
					}
				}
				writeFile(t, path, disk)
			})
			if taken, err := e.at.BeforeSave(t.Context(), uri); err != nil || !taken {
				t.Errorf("%s, written %v: taken %v, %v", by, written, taken, err)
			}
			typing.Store(false)
			if got := <-known; got != disk {
				t.Errorf("%s, written %v: the editor knows %q", by, written, got)
			}
			if got := e.text(uri); !strings.Contains(got, "AGENT\n") || !strings.Contains(got, "USER") {
				t.Errorf("%s, written %v: text %q", by, written, got)
			}
			if got, _ := c.Baseline(uri); strings.Contains(got, "AGENT") || !strings.Contains(got, "USER") {
				t.Errorf("%s, written %v: baseline %q", by, written, got)
			}
		}
	}
}
