package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// A call that the user is asked about, or has refused, is not at work: what is written to the file it
// names meanwhile, or after, is not its own for sure.
func TestWriteWhileAToolCallIsAskedAbout(t *testing.T) {
	t.Parallel()
	users := strings.Replace(ten, "9\n", "9 USER\n", 1)
	asked := strings.Replace(ten, "5\n", "5 AGENT\n", 1)
	for _, x := range []struct {
		name, answer string
		while        bool   // it is looked at while the question is open
		writes       string // what the file has then
		after        bool   // only after the answer
		sure         bool
		call         string // that the change is said to be of
	}{
		{"refused", "reject", false, users, false, false, ""},
		{"cancelled", "", false, users, false, false, ""},
		{"looked at while asked", "reject", true, users, false, false, ""},
		{"looked at while asked, and allowed", "allow", true, users, false, false, ""},
		{"looked at while asked, what was asked about", "allow", true, asked, false, false, ""},
		{"refused, and written after", "reject", false, users, true, false, ""},
		{"refused, and made all the same", "reject", false, asked, true, true, "t1"},
		{"allowed, and written after", "allow", false, users, true, true, "t1"},
		{"allowed, and made", "allow", false, asked, true, true, "t1"},
	} {
		for _, open := range []bool{false, true} {
			t.Run(x.name+map[bool]string{true: ", open"}[open], func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				if open {
					e.open(uri, ten)
				}
				e.onPermission = func(Question) (string, error) {
					if !x.after {
						writeFile(t, path, x.writes)
					}
					if x.while {
						s := c.allSessions()[0]
						c.turnPoint(s, s.now())
					}
					return x.answer, nil
				}
				turnOf(t, c, l, func(h Host, sid string) {
					// A question about a patch that is nowhere yet, as Codex asks.
					_, err := h.RequestPermission(t.Context(), sid, PermissionRequest{
						ToolCall: ToolPatch{ID: "t1", Kind: ptr("edit"), Status: ptr("pending"), Locations: &[]Location{{Path: path}},
							Content: &[]ToolContent{{Type: "diff", Path: path, OldText: ptr("5\n"), NewText: "5 AGENT\n"}}},
						Options: []PermissionOption{{OptionID: "allow", Kind: "allow_once"}, {OptionID: "reject", Kind: "reject_once"}},
					})
					if err != nil {
						t.Error(err)
					}
					if x.after {
						writeFile(t, path, x.writes)
					}
				})
				hunks := hunksOf(t, c, uri)
				if len(hunks) != 1 {
					t.Fatalf("%+v", hunks)
				}
				if o := hunks[0].Origins[0]; o.Sure != x.sure || o.Author != review.AuthorAgent || o.ToolCall != x.call {
					t.Errorf("of %+v", o)
				}
			})
		}
	}
}
