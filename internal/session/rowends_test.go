package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

// What an agent makes of line ends on disk is shown in an editor that takes in any text, and rejected
// the text is what it was: of one row or all, mixed or not, beside other changes, under unsaved text too.
func TestRowEndsOnDiskAreReviewed(t *testing.T) {
	t.Parallel()
	const dos, unix, mixed = "one\r\ntwo\r\nthree\r\nfour\r\n", "one\ntwo\nthree\nfour\n", "one\r\ntwo\nthree\r\nfour\r\n"
	for _, c := range []struct{ had, has string }{
		{dos, "one\r\ntwo\nthree\r\nfour\r\n"}, {dos, "one\r\ntwo\r\nthree\r\nfour\n"}, {dos, unix},
		{unix, "one\ntwo\r\nthree\nfour\n"}, {unix, dos}, {unix, "one\ntwo\rthree\nfour\n"},
		{mixed, "one\r\ntwo\nthree\nfour\r\n"}, {mixed, "one\r\ntwo\r\nthree\nfour\r\n"}, {mixed, dos}, {mixed, unix},
		{mixed, strings.TrimSuffix(mixed, "\r\n")}, {strings.TrimSuffix(mixed, "\r\n"), mixed},
		{dos, "one\r\nTWO\nthree\r\nfour\r\n"}, {dos, "one\r\ntwo\nthree\r\nFOUR\r\n"}, {dos, "one\r\ntwo\r\nnew\nthree\r\nfour\r\n"},
		{mixed, "one\ntwo\nthree\r\nfour\r\nfive\n"},
	} {
		for _, dirty := range []bool{false, true} {
			if dirty && (c.had == dos && c.has == unix || c.had == unix && c.has == dos) {
				continue // unsaved text keeps its kind, and that is told
			}
			t.Run(fmt.Sprintf("%q to %q, dirty %v", c.had, c.has, dirty), func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				core, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				e.caps = map[string]bool{"reload": true, "adopt": true}
				e.onReload = func(uri string) (bool, error) {
					e.reopen(uri, path)
					return true, nil
				}
				e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
					e.typeAt(uri, 0, len(e.text(uri)), s)
					return true, nil
				}
				writeFile(t, path, c.had)
				e.open(uri, c.had)
				users, want := c.had, c.has
				if dirty {
					e.typeAt(uri, 0, 0, "mine\n")
					users, want = "mine\n"+users, "mine\n"+want
				}
				for range 2 { // in the second turn there is nothing new
					diskTurn(t, core, l, path, func(string) string { return c.has })
					if got := e.text(uri); got != want {
						t.Fatalf("text %q, want %q", got, want)
					}
					if h := hunksOf(t, core, uri); len(h) == 0 || h[0].Origins[0].Agent != "fake" {
						t.Errorf("hunks %+v", h)
					}
				}
				if _, err := core.Reject(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
				if got := e.text(uri); got != users {
					t.Errorf("rejected, the text is %q, want %q", got, users)
				}
			})
		}
	}
}

// An editor may read a file anew and show what it showed before: it tells nothing, and nobody waits for that.
func TestReadAnewToTheSameText(t *testing.T) {
	t.Parallel()
	c, e, l, path, uri := readingScene(t, map[string]bool{"reload": true, "adopt": true})
	c.waits.Landing = time.Hour
	e.onReload = func(string) (bool, error) { return true, nil }
	diskTurn(t, c, l, path, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })
	if got := e.text(uri); got != ten {
		t.Errorf("text %q", got)
	}
}

// Where an editor hides what becomes of line ends and words have changed, too, the user is told.
func TestMixedLineEndsAreTold(t *testing.T) {
	t.Parallel()
	c, e, l, path, _ := readingScene(t, map[string]bool{"reload": true})
	e.onReload = func(string) (bool, error) { return true, nil }
	for range 2 {
		diskTurn(t, c, l, path, func(string) string { return strings.NewReplacer("3\n", "3\r\n", "5\n", "FIVE\n").Replace(ten) })
	}
	if said := strings.Join(e.said(), "\n"); strings.Count(said, "more than one kind") != 1 {
		t.Errorf("said %q", said)
	}
}

// What an editor has read by itself in the format that it had before (Neovim) hides what has become of
// the line ends: they are not taken for known.
func TestRowEndsHiddenByTheEditor(t *testing.T) {
	t.Parallel()
	const dos, has = "one\r\ntwo\r\nthree\r\n", "one\r\ntwo\nthree\r\n"
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	e.caps = map[string]bool{"reload": true, "adopt": true}
	e.onReload = func(uri string) (bool, error) {
		e.reopen(uri, path)
		return true, nil
	}
	writeFile(t, path, dos)
	e.open(uri, dos)
	turnOf(t, c, l, func(Host, string) {
		writeFile(t, path, has)
		e.wire.Lock()
		e.sendLocked(buffers.Close{URI: uri})
		e.sendLocked(buffers.Open{URI: uri, LanguageID: "text", Version: 2, Text: dos})
		e.wire.Unlock()
	})
	if got, h := e.text(uri), hunksOf(t, c, uri); got != has || len(h) != 1 {
		t.Errorf("text %q, hunks %+v", got, h)
	}
}
