package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// The user turns the line ends of a text that the agent has read, and has not saved that: what
// the agent then writes gets the ends that the text has, and rejecting gives them all back.
func TestLineEndsTurnedMeanwhile(t *testing.T) {
	t.Parallel()
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	endOf := func(s string) string { return strings.TrimPrefix(s[:strings.Index(s, "2")], "1") }
	for _, c := range []struct {
		name    string
		was, is string
		onDisk  bool
	}{
		{"to CRLF", ten, crlf(ten), false},
		{"to LF", crlf(ten), ten, false},
		{"to CRLF, the agent writes the disk", ten, crlf(ten), true},
		{"to LF, the agent writes the disk", crlf(ten), ten, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &fakeLauncher{}
			core, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, c.was)
			e.open(uri, c.was)
			users := strings.Replace(c.is, "10", "10 USER", 1)
			turnOf(t, core, l, func(h Host, sid string) {
				read, err := h.ReadTextFile(t.Context(), sid, path, nil, nil)
				if err != nil || read != c.was {
					t.Fatalf("read %q, %v", read, err)
				}
				e.typeAt(uri, 0, len(c.was), users)
				want := strings.Replace(read, "5", "5 AGENT"+endOf(c.was)+"NEW", 1)
				if c.onDisk {
					writeFile(t, path, want)
				} else if err := h.WriteTextFile(t.Context(), sid, path, want); err != nil {
					t.Error(err)
				}
			})
			if got, want := e.text(uri), strings.Replace(users, "5", "5 AGENT"+endOf(c.is)+"NEW", 1); got != want {
				t.Errorf("text %q, want %q", got, want)
			}
			if hunks := hunksOf(t, core, uri); len(hunks) != 1 {
				t.Errorf("hunks %+v", hunks)
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
