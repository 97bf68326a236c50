package session

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// The same before the editor has done what we asked it for.
func TestReadAnewBeforeItIsBroughtUp(t *testing.T) {
	t.Parallel()
	other := strings.Replace(ten, "3\n", "3\nOTHER\n", 1)
	agents := strings.Replace(other, "9\n", "NINE AGENT\n", 1)
	for name, ask := range map[string]func(e *fakeEditor, uri string, first func()){
		"by an edit": func(e *fakeEditor, uri string, first func()) {
			e.onApply = func(d DocumentEdit) (bool, error) {
				e.onApply = nil
				first()
				return true, e.edit(d, true)
			}
		},
		"by an edit, whatever its version": func(e *fakeEditor, uri string, first func()) {
			e.onApply = func(d DocumentEdit) (bool, error) {
				e.onApply = nil
				first()
				return true, errors.New("stale")
			}
		},
		"by a reload": func(e *fakeEditor, uri string, first func()) {
			e.caps["reload"] = true
			e.onReload = func(uri string) (bool, error) {
				e.onReload = nil
				first()
				e.send(buffers.Close{URI: uri})
				e.open(uri, agents)
				return true, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) { readAnewWhile(t, other, agents, ask) })
	}
}

// An editor that reads a file anew by itself may do so in the very moment in which it has
// brought the document up to date because we asked: what came to the disk in between is the
// agent's, though by then nothing has been noted of the disk but what was asked for.
func TestReadAnewAsItIsBroughtUp(t *testing.T) {
	other := strings.Replace(ten, "3\n", "3\nOTHER\n", 1)
	agents := strings.Replace(other, "9\n", "NINE AGENT\n", 1)
	for name, ask := range map[string]func(e *fakeEditor, uri string, then func()){
		"by an edit": func(e *fakeEditor, uri string, then func()) {
			e.onApply = func(d DocumentEdit) (bool, error) {
				e.onApply = nil
				err := e.edit(d, true)
				then()
				return true, err
			}
		},
		"by a reload": func(e *fakeEditor, uri string, then func()) {
			e.caps["reload"] = true
			e.onReload = func(uri string) (bool, error) {
				e.onReload = nil // the file is another one by then
				e.send(buffers.Close{URI: uri})
				e.open(uri, other)
				then()
				return true, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) { readAnewWhile(t, other, agents, ask) })
	}
}

// readAnewWhile has a document, behind what another program wrote, brought up to date as ask
// says, in the midst of which an agent writes the file and the editor reads that by itself.
func readAnewWhile(t *testing.T, other, agents string, ask func(e *fakeEditor, uri string, midst func())) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	writeFile(t, path, other)
	prompted, done := make(chan struct{}), make(chan struct{})
	ask(e, uri, func() {
		<-prompted // no agent writes before
		writeFile(t, path, agents)
		e.readAnew(uri, path)
		close(done)
	})
	turnOf(t, c, l, func(Host, string) {
		close(prompted)
		<-done
	})
	if base, err := c.Baseline(uri); err != nil || base != other {
		t.Errorf("baseline %q, %v", base, err)
	}
	if got := hunksOf(t, c, uri); len(got) != 1 || got[0].Text != "NINE AGENT\n" {
		t.Errorf("hunks %+v", got)
	}
}

// What the user and an agent have both made is the user's, and stays so when the agent goes on:
// in the document, and on the disk.
func TestMadeByBoth(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]string{
		"taken out": strings.Replace(ten, "3\n", "", 1),
		"put in":    strings.Replace(ten, "3\n", "3\nnew\n", 1),
		"changed":   strings.Replace(ten, "3\n", "THREE\n", 1),
		"emptied":   "",
	} {
		for _, reloads := range []bool{false, true} {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			e.caps["reload"] = reloads
			e.onReload = func(u string) (bool, error) {
				e.reopen(u, path)
				return true, nil
			}
			writeFile(t, path, ten)
			e.open(uri, ten)
			agents := strings.Replace(made, "9\n", "NINE\n", 1)
			if made == "" {
				agents = "NINE\n"
			}
			turnOf(t, c, l, func(Host, string) {
				s := c.allSessions()[0]
				a, b := ends(ten, made)
				e.typeAt(uri, a, len(ten)-b, made[a:len(made)-b])
				c.turnPoint(s, s.now()) // else it may have been read from the disk
				writeFile(t, path, made)
				c.turnPoint(s, s.now())
				writeFile(t, path, agents)
			})
			if got := e.text(uri); got != agents {
				t.Errorf("%s, reloads %v: text %q", name, reloads, got)
			}
			if base, err := c.Baseline(uri); err != nil || base != made {
				t.Errorf("%s, reloads %v: baseline %q, %v", name, reloads, base, err)
			}
		}
	}
}
