package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// Who undoes all that came to a document since it was last saved has one that its editor (VS Code)
// takes for unchanged, though what an agent wrote on disk came between. What is written next the
// editor reads by itself, together with that: both are undecided.
func TestReadAnewOverWhatWasUndone(t *testing.T) {
	first := strings.Replace(ten, "5\n", "5 AGENT\n", 1)
	second := strings.Replace(first, "8\n", "8 AGENT\n", 1)
	for name, x := range map[string]struct {
		seen    bool // the disk is looked at between the undo and the next write
		inTurn  bool // the agent writes on in the same turn
		another bool // it is another program that writes on, while nobody is at work
		landing bool // an edit with what was written comes to the editor in the same moment
		before  bool // just before that is asked for
		then    string
	}{
		"in the same turn":                  {inTurn: true, then: second},
		"in the same turn, and it was seen": {inTurn: true, seen: true, then: second},
		"in the next turn":                  {then: second},
		"the agent changes its mind":        {inTurn: true, then: strings.Replace(ten, "5\n", "FIVE\n", 1)},
		"as an edit is asked for":           {inTurn: true, landing: true, then: second},
		"before an edit is asked for":       {inTurn: true, before: true, then: second},
		"another program writes":            {another: true, then: second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			e.caps["base"] = true
			e.onBase = func(string, int32, string) (bool, error) { return true, nil }
			writeFile(t, path, ten)
			e.open(uri, ten)
			awaitLook(t, c.file(buffers.Path(path)))
			e.replace(uri, "2\n", "2 USER\n")
			writeOn := func() {
				writeFile(t, path, x.then)
				if x.before {
					e.caps["adopt"] = true
					e.onAdopt = func(string, int32, string) (bool, error) {
						e.caps["adopt"] = false
						e.readAnew(uri, path)
						return false, nil
					}
				} else if x.landing {
					e.onApply = func(DocumentEdit) (bool, error) {
						e.onApply = nil
						e.readAnew(uri, path)
						return true, ErrRefused
					}
				} else {
					e.readAnew(uri, path)
				}
				lookNow(c)
			}
			undo := func() {
				if got, want := e.text(uri), strings.Replace(first, "2\n", "2 USER\n", 1); got != want {
					t.Fatalf("text %q, want %q", got, want)
				}
				e.replace(uri, "5 AGENT\n", "5\n")
				e.replace(uri, "2 USER\n", "2\n")
				if x.seen {
					lookNow(c)
				}
			}
			turnOf(t, c, l, func(Host, string) {
				writeFile(t, path, first)
				lookNow(c)
				undo()
				if x.inTurn {
					writeOn()
				}
			})
			if x.another {
				writeFile(t, path, x.then)
				e.readAnew(uri, path)
			}
			turnOf(t, c, l, func(Host, string) {
				if !x.inTurn && !x.another {
					writeOn()
				}
			})
			if got := e.text(uri); got != x.then {
				t.Errorf("text %q, want %q", got, x.then)
			}
			want := ten
			if x.another {
				want = strings.Replace(ten, "8\n", "8 AGENT\n", 1)
			}
			if base, err := c.Baseline(uri); err != nil || base != want {
				t.Errorf("baseline %q, %v, want %q", base, err, want)
			}
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Error(err)
			}
			if got := e.text(uri); got != want {
				t.Errorf("all rejected, the text is %q, want %q", got, want)
			}
		})
	}
}
