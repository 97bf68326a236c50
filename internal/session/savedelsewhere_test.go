package session

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"acp-ls/buffers"
)

// Helix writes a document to a file of another name (`:w other`), says that it was saved, closes
// it, and opens the other. While a turn runs that is the user's file: the document's own was not
// written. Without that save, or if its own was, it may be an agent's copy.
func TestCopyWrittenFromTheEditor(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		says, own, other bool
		looked           bool // somebody has looked at the disk before it was told
		late             bool // the own file was written a moment ago
		users            bool
	}{
		"written as another file":       {says: true, users: true},
		"and looked at":                 {says: true, looked: true, users: true},
		"no word of a save":             {},
		"saved a moment ago":            {says: true, late: true},
		"its own file is saved":         {says: true, own: true, late: true},
		"the agent's is another's text": {says: true, other: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			ahead := 5 * time.Second // files written a moment ago were so a while ago
			if tt.late {
				ahead = 0
			}
			c.now = func() time.Time { return time.Now().Add(ahead) }
			a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
			writeFile(t, a, ten)
			gitInit(t, root)
			e.open(buffers.PathURI(a), ten)
			awaitLook(t, c.file(buffers.Path(a)))
			text := ten
			if tt.other {
				text = "AGENT\n" + ten
			}
			turnOf(t, c, l, func(Host, string) {
				writeFile(t, b, text)
				if tt.own {
					writeFile(t, a, ten)
				}
				if tt.looked {
					s := c.allSessions()[0]
					c.turnPoint(s, s.now())
				}
				if tt.says {
					e.send(buffers.Save{URI: buffers.PathURI(a)})
				}
				e.send(buffers.Close{URI: buffers.PathURI(a)})
				e.open(buffers.PathURI(b), text)
				awaitLook(t, c.file(buffers.Path(b)))
			})
			made := false
			for _, r := range c.Reviews(buffers.PathURI(b), "") {
				made = made || r.File != nil && r.File.Op == "create"
			}
			if made == tt.users {
				t.Errorf("%+v", c.Reviews("", ""))
			}
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if _, err := os.Stat(b); (err == nil) != tt.users {
				t.Errorf("the file: %v", err)
			}
		})
	}
}
