package session

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What is written to a file that a finished tool call has named is that call's for sure
// only if it said so, or if nobody has written the file after its end.
func TestWriteAfterTheEndOfAToolCall(t *testing.T) {
	t.Parallel()
	agents := strings.Replace(ten, "5\n", "5 AGENT\n", 1)
	users := strings.Replace(agents, "9\n", "9 USER\n", 1)
	whole := []ToolContent{{Type: "diff", OldText: ptr(ten), NewText: agents}}
	part := []ToolContent{{Type: "diff", OldText: ptr("5\n"), NewText: "5 AGENT\n"}}
	wrong := []ToolContent{{Type: "diff", OldText: ptr("no\n"), NewText: "such\n"}}
	for _, x := range []struct {
		name    string
		content []ToolContent
		running bool          // the call, when the file is written again
		ago     time.Duration // that the call has ended, when that is
		sure    [2]bool
	}{
		{"a whole text", whole, false, time.Minute, [2]bool{true, false}},
		{"a part", part, false, time.Minute, [2]bool{true, false}},
		{"nothing", nil, false, time.Minute, [2]bool{true, false}},
		{"something wrong", wrong, false, time.Minute, [2]bool{true, false}},
		{"a part, and at once", part, false, 0, [2]bool{true, false}},
		{"nothing, and still running", nil, true, time.Minute, [2]bool{true, true}},
	} {
		for _, open := range []bool{false, true} {
			t.Run(x.name+map[bool]string{true: ", open"}[open], func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				writeFile(t, path, ten)
				uri := buffers.PathURI(path)
				if open {
					e.open(uri, ten)
				}
				for i := range x.content {
					x.content[i].Path = path
				}
				var first []review.Hunk
				turnOf(t, c, l, func(h Host, sid string) {
					tool := func(id, status string, content []ToolContent, paths ...string) {
						p := ToolPatch{ID: id, Kind: ptr("edit"), Status: &status, Content: &content}
						if len(paths) > 0 {
							p.Locations = &[]Location{{Path: path}}
						}
						h.Update(sid, p)
					}
					tool("t1", "in_progress", nil, path)
					writeFile(t, path, agents)
					if !x.running {
						tool("t1", "completed", x.content, path)
					} else {
						tool("t2", "completed", nil) // a point to look at
					}
					e.await("the first hunk", func() bool { return len(e.reviews[uri].Hunks) == 1 })
					first = hunksOf(t, c, uri)
					s, err := c.findSession("s1")
					if err != nil {
						t.Error(err)
						return
					}
					s.mu.Lock()
					s.log.tools["t1"].ended = s.log.tools["t1"].ended.Add(-x.ago)
					s.mu.Unlock()
					writeFile(t, path, users)
				})
				second := hunksOf(t, c, uri)
				if len(first) != 1 || len(second) != 2 {
					t.Fatalf("hunks %+v, then %+v", first, second)
				}
				if got := first[0].Origins[0].Sure; got != x.sure[0] {
					t.Errorf("the agent's is sure: %v", got)
				}
				if o := second[1].Origins[0]; o.Sure != x.sure[1] || o.Author != review.AuthorAgent {
					t.Errorf("what was written later is of %+v", o)
				}
			})
		}
	}
}
