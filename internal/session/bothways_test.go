package session

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"acp-ls/buffers"
)

// An agent that writes through us writes the same on disk itself (OpenCode, Kilo), under unsaved
// text: it is in the text already, and the editor is given the disk's state as its base all the same,
// or saving would be a conflict.
func TestWrittenBothWaysGivesTheBase(t *testing.T) {
	t.Parallel()
	const read = "mine\n" + ten
	for name, also := range map[string]string{"what was read": "", "after a rejection": "rejected", "and typed on between": "more\n"} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			e.caps["base"] = true
			var mu sync.Mutex
			var based []string
			e.onBase = func(_ string, _ int32, disk string) (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				based = append(based, disk)
				return true, nil
			}
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			awaitLook(t, c.file(buffers.Path(path)))
			e.typeAt(uri, 0, 0, "mine\n")
			agents := read + "agent's\n"
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, agents); err != nil {
					t.Error(err)
				}
				if also == "more\n" {
					e.typeAt(uri, 0, 0, also)
				}
				writeFile(t, path, agents)
			})
			switch also {
			case "rejected":
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Errorf("reject: %+v, %v", d, err)
				}
				if got := e.text(uri); got != read {
					t.Errorf("text %q", got)
				}
			default:
				if got := e.text(uri); got != also+agents {
					t.Errorf("text %q", got)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if !slices.Contains(based, agents) {
				t.Errorf("the editor has been given the base %q", based)
			}
		})
	}
}
