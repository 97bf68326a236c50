package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// A document may be opened while its file is empty for a moment, as whoever writes it has only
// emptied it yet. That is nobody's deletion of everything: what was undecided is again as soon as
// the file is written, and what the user had is what rejecting gives back.
func TestOpenedWhileTheFileIsEmpty(t *testing.T) {
	first := strings.Replace(ten, "2\n", "2\nFIRST\n", 1)
	for name, tt := range map[string]struct {
		pending bool // something is undecided in it
		turn    bool // the agent writes it, else another program while no turn runs
		same    bool // it is written as it was
		lag     bool // nobody looks before it is written
		reloads bool
		types   bool // the user types in the empty document
	}{
		"an agent":                                 {turn: true, reloads: true},
		"an agent, no reload":                      {turn: true},
		"an agent, in undecided rows":              {turn: true, pending: true, reloads: true},
		"an agent, in undecided rows, no reload":   {turn: true, pending: true},
		"an agent, late":                           {turn: true, pending: true, reloads: true, lag: true},
		"an agent, typed":                          {turn: true, reloads: true, types: true},
		"an agent, the same":                       {turn: true, pending: true, same: true, reloads: true},
		"another program":                          {reloads: true},
		"another program, in undecided rows":       {pending: true, reloads: true},
		"another program, in undecided, no reload": {pending: true},
		"another program, the same":                {pending: true, same: true, reloads: true},
		"another program, late":                    {pending: true, reloads: true, lag: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			e.caps = map[string]bool{"reload": tt.reloads, "save": true}
			e.onReload = func(string) (bool, error) {
				if d, _ := e.at.Document(uri); d.State() == buffers.Dirty {
					return false, nil
				}
				e.reopen(uri, path)
				return true, nil
			}
			e.onSave = func(string) error {
				writeFile(t, path, e.text(uri))
				e.send(buffers.Save{URI: uri})
				return nil
			}
			writeFile(t, path, ten)
			gitInit(t, root)
			was := ten
			if tt.pending {
				was = first
				diskTurn(t, c, l, path, func(string) string { return first })
			}
			now := strings.Replace(was, "8\n", "8\nSECOND\n", 1)
			if tt.same {
				now = was
			}
			opens := func() {
				writeFile(t, path, "")
				e.open(uri, "")
				if !tt.lag {
					awaitLook(t, c.file(buffers.Path(path)))
				}
				if tt.types {
					e.typeAt(uri, 0, 0, "USER\n")
				}
			}
			writes := func() { writeFile(t, path, now) }
			if tt.turn {
				turnOf(t, c, l, func(Host, string) {
					opens()
					writes()
				})
			} else {
				opens()
				writes()
				turnOf(t, c, l, func(Host, string) {})
			}
			want, base := now, ten
			if !tt.turn && !tt.same {
				base = strings.Replace(ten, "8\n", "8\nSECOND\n", 1)
			}
			if tt.types {
				h := hunksOf(t, c, uri)
				// It was empty, which the agent did: what is typed there is in conflict with nothing that comes of it.
				if got := e.text(uri); got != now+"USER\n" || len(h) != 1 || h[0].State != review.StatePending || h[0].Text != "SECOND\n" {
					t.Errorf("text %q, hunks %+v", got, h)
				}
				return
			}
			e.await("the document follows", func() bool { return e.docs[uri].text.String() == want })
			if got, err := c.Baseline(uri); err != nil || got != base {
				t.Errorf("baseline %q, %v, want %q", got, err, base)
			}
			if h := hunksOf(t, c, uri, review.StateRejected); len(h) > 0 {
				t.Errorf("rejected %+v", h)
			}
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if got := readFile(t, path); got != base {
				t.Errorf("rejected, the disk has %q, want %q", got, base)
			}
		})
	}
}
