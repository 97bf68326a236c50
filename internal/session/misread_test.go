package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
)

// An editor may show UTF-8 in another encoding (VS Code, in that of a setting). When such a document
// is closed, the file is as it was: that its text reads otherwise there is nobody's change.
func TestMisreadFileIsClosed(t *testing.T) {
	t.Parallel()
	first := map[string]func(t *testing.T, s *encodedScene){
		"opened":   func(*testing.T, *encodedScene) {},
		"typed in": func(_ *testing.T, s *encodedScene) { s.e.replace(s.uri, "5\n", "FIVE\n"); s.save() },
		"thrown away": func(_ *testing.T, s *encodedScene) {
			s.e.replace(s.uri, "5\n", "FIVE\n")
		},
		"rejected": func(t *testing.T, s *encodedScene) {
			s.agent("2\n", "TWO\n")
			s.rejectAll()
		},
		"accepted": func(t *testing.T, s *encodedScene) {
			s.agent("2\n", "TWO\n")
			accept(t, s.c)
		},
		"written by a program": func(_ *testing.T, s *encodedScene) {
			s.write(strings.Replace(s.onDisk(), "2\n", "TWO\n", 1))
		},
	}
	for how := range rereads {
		for name, before := range first {
			for _, inTurn := range []bool{false, true} { // editors close what nobody shows when they like
				runOneIn(t, 2, fmt.Sprintf("%s, %s, closed in a turn: %t", how, name, inTurn), func(t *testing.T) {
					s := newEncodedScene(t, codings[0], how)
					s.write(s.decode(latin)) // as UTF-8
					s.open()
					before(t, s)
					closed := func() { s.e.send(buffers.Close{URI: s.uri}) }
					if !inTurn {
						closed()
					}
					was := readFile(t, s.path)
					for n := range 2 {
						turnOf(t, s.c, s.l, func(h Host, sid string) {
							h.Update(sid, ToolPatch{ID: "t", Kind: str("execute"), Status: str("in_progress")})
							if inTurn && n == 0 {
								closed()
							}
							h.Update(sid, ToolPatch{ID: "t", Status: str("completed")})
						})
						s.pending()
						accept(t, s.c)
						s.pending()
					}
					s.rejectAll()
					if got := readFile(t, s.path); got != was {
						t.Errorf("the disk has %q, want %q", got, was)
					}
				})
			}
		}
	}
}

// That is so also for a document that is open across a restart: what was undecided stays, and
// nothing comes to it.
func TestMisreadFileIsClosedAfterARestart(t *testing.T) {
	t.Parallel()
	misread := codings[0].decode
	for _, how := range []string{"opened", "undecided", "accepted"} {
		t.Run(how, func(t *testing.T) {
			w := newEarth(t)
			w.start()
			path, uri := w.path("f"), w.uri("f")
			open := func() {
				w.e.caps = map[string]bool{"reload": true, "save": true}
				w.e.onReload = func(string) (bool, error) {
					w.e.send(buffers.Close{URI: uri})
					w.e.open(uri, misread(readFile(t, path)))
					return true, nil
				}
				w.e.open(uri, misread(readFile(t, path)))
				awaitLook(t, w.c.file(buffers.Path(path)))
			}
			writeFile(t, path, latin)
			open()
			if how != "opened" {
				steps(t, w.c, w.l, func() { writeFile(t, path, strings.Replace(latin, "2\n", "TWO\n", 1)) })
			}
			if how == "accepted" {
				accept(t, w.c)
				w.c.file(buffers.Path(path)).keep(true)
			}
			w.crash()
			open()
			was, disk := fmt.Sprint(w.hunks("f")), readFile(t, path)
			w.e.send(buffers.Close{URI: uri})
			for range 2 {
				steps(t, w.c, w.l, func() {})
				w.wantHunks("f", was)
			}
			if got := readFile(t, path); got != disk {
				t.Errorf("the disk has %q, want %q", got, disk)
			}
		})
	}
}

func accept(t *testing.T, c *Core) {
	t.Helper()
	if d, err := c.Accept(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
		t.Errorf("accept: %+v, %v", d, err)
	}
}

// Whatever looks at such a file after it was closed, before a turn begins anew.
func TestMisreadFileIsLookedAtClosed(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "a")
	writeFile(t, path, latin)
	turnOf(t, c, l, func(Host, string) {
		f := c.file(buffers.Path(path))
		is := checkpoint.CopyOf(f.path)
		f.mu.Lock()
		f.before, f.encoded = &taken{Text: text.New(codings[0].decode(latin))}, &encoded{sum: is.Sum()}
		f.mu.Unlock()
		if f.differsFromDisk() {
			t.Error("it is taken for another one")
		}
		if _, err := f.takeIn(t.Context(), checkpoint.Change{Path: f.path, Before: is.State, After: is.State}, is, nil); err != nil {
			t.Error(err)
		}
		if got := hunksOf(t, c, buffers.PathURI(path)); len(got) > 0 {
			t.Errorf("hunks %+v", got)
		}
	})
}
