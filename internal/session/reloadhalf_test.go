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
