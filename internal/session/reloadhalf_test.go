package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// An editor that is asked to reload a file may read it while it is being written
// once more, and emptied for that. What it read is not the user's doing, and gives
// way to what the file has in the end.
func TestReloadInTheMiddleOfAWrite(t *testing.T) {
	t.Parallel()
	for _, read := range []string{"", "1\n2\n", strings.Replace(ten, "5\n", "FIVE\n", 1)} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		e.caps = map[string]bool{"reload": true}
		writeFile(t, path, ten)
		e.open(uri, ten)
		want := strings.NewReplacer("2\n", "TWO\n", "9\n", "NINE\n").Replace(ten)
		reloads := 0
		e.onReload = func(string) (bool, error) {
			text := readFile(t, path)
			if reloads++; reloads == 1 {
				text = read
				writeFile(t, path, want)
			}
			e.send(buffers.Close{URI: uri})
			e.open(uri, text)
			return true, nil
		}
		turnOf(t, c, l, func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("in_progress"), Locations: &[]Location{{Path: path}}})
			writeFile(t, path, strings.Replace(ten, "2\n", "TWO\n", 1))
			h.Update(sid, ToolPatch{ID: "t", Status: str("completed")})
		})
		if got := e.text(uri); got != want {
			t.Errorf("read %q: text %q", read, got)
		}
		hunks := hunksOf(t, c, uri)
		if len(hunks) != 2 || hunks[0].Text != "TWO\n" || hunks[1].Text != "NINE\n" {
			t.Errorf("read %q: hunks %+v", read, hunks)
		}
		for _, h := range hunks {
			if h.State != review.StatePending || h.Origins[0].Author != review.AuthorAgent {
				t.Errorf("read %q: hunk %+v", read, h)
			}
		}
		if base, _ := c.Baseline(uri); base != ten {
			t.Errorf("read %q: baseline %q", read, base)
		}
	}
}

// An editor that was asked to reload a file, and has read it emptied, reads it anew by itself when
// it is written: at once, or when we are looking at it again. All of that is who wrote it.
func TestReadAnewAfterItWasEmptied(t *testing.T) {
	t.Parallel()
	for _, atOnce := range []bool{false, true} {
		for _, undecided := range []bool{false, true} {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			before := ten
			if undecided {
				diskTurn(t, c, l, path, func(d string) string { return strings.Replace(d, "6\n", "SIX\n", 1) })
				e.readAnew(uri, path)
				before = readFile(t, path)
			}
			other := strings.Replace(before, "3\n", "3\nOTHER\n", 1)
			writeFile(t, path, other)
			agents := strings.Replace(other, "9\n", "NINE\n", 1)
			emptied, begun, read := false, make(chan struct{}), make(chan struct{})
			reload := func(u string) (bool, error) {
				if emptied {
					e.reopen(u, path)
					return true, nil
				}
				emptied = true
				<-begun // before that it is nobody's who is at work
				writeFile(t, path, "")
				e.reopen(u, path)
				writeFile(t, path, agents)
				again := func() {
					e.readAnew(u, path)
					close(read)
				}
				if atOnce {
					again()
				} else {
					c.spawn(func() {
						_ = pause(t.Context(), quietFor/2)
						again()
					})
				}
				return true, nil
			}
			e.note(func() { e.caps, e.onReload = map[string]bool{"reload": true}, reload }) // it may just be asked
			turnOf(t, c, l, func(Host, string) {
				close(begun)
				<-read
			})
			if got := e.text(uri); got != agents {
				t.Errorf("at once %v, undecided %v: text %q", atOnce, undecided, got)
			}
			if base, err := c.Baseline(uri); err != nil || base != strings.Replace(ten, "3\n", "3\nOTHER\n", 1) {
				t.Errorf("at once %v, undecided %v: baseline %q, %v", atOnce, undecided, base, err)
			}
		}
	}
}
