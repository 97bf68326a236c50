package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// An editor that adopts a state of the disk without a word of it, or takes it for the base of a text
// that contains it (VS Code), compares its document with that: what was on disk before is unsaved
// text, and who undoes to it has taken back what was merged, which is not brought again.
func TestUndoToWhatWasSavedBeforeAnAdoption(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string]string{"typed": "9 USER\n", "what was typed is undone too": "9\n"} {
		testUndoToWhatWasSaved(t, name+", adopted", "adopt", typed)
		testUndoToWhatWasSaved(t, name+", based", "base", typed)
	}
}

func testUndoToWhatWasSaved(t *testing.T, name, can, typed string) {
	t.Run(name, func(t *testing.T) {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		e.caps[can] = true
		e.onBase = func(uri string, _ int32, disk string) (bool, error) {
			if got := e.text(uri); !strings.Contains(got, "AGENT") || !strings.Contains(disk, "AGENT") {
				t.Errorf("the base of %q is to be %q", got, disk)
			}
			return true, nil
		}
		e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
			e.typeAt(uri, 0, len(e.text(uri)), s)
			return true, nil
		}
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		e.replace(uri, "9\n", "9 USER\n")
		agents := strings.Replace(ten, "5\n", "5 AGENT\n", 1)
		want := strings.Replace(ten, "9\n", typed, 1)
		turnOf(t, c, l, func(Host, string) {
			writeFile(t, path, agents)
			c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
			if got := e.text(uri); !strings.Contains(got, "AGENT") || !strings.Contains(got, "USER") {
				t.Errorf("text %q", got)
			}
			e.typeAt(uri, 0, len(e.text(uri)), want) // undo
			for range 2 {
				c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
			}
		})
		if got := e.text(uri); got != want {
			t.Errorf("text %q, want %q", got, want)
		}
		if d, ok := e.at.Document(uri); !ok || d.State() != buffers.Dirty {
			t.Errorf("it is %v", d.State())
		}
	})
}
