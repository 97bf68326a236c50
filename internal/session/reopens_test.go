package session

import (
	"fmt"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What is typed and saved in one go (Neovim, while it waits for something) is told of when the file has it
// already, as a file is that the editor has read anew. It is the user's all the same, in an editor that
// tells its readings by close and open: also if an agent writes on before the save is told of, beside it,
// or takes it away again.
func TestTypedAndSavedInOneGoIsTheUsers(t *testing.T) {
	type scene struct {
		place string // of the row that is typed
		reads string // what the agent has read when it writes on: with the row, or without; "" if it does not
		looks bool   // somebody looks between the change and the save
	}
	for _, place := range []string{"2\n", "NINE\n", "10\n"} {
		for _, reads := range []string{"", "with", "without"} {
			for _, looks := range []bool{false, true} {
				s := scene{place, reads, looks}
				t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					e.caps["reload"], e.caps["reopens"] = true, true
					path, uri := e.openTen(root)
					e.onReload = func(uri string) (bool, error) {
						e.reopen(uri, path)
						return true, nil
					}
					const row = "mine\n"
					turnOf(t, c, l, func(Host, string) {
						look := func() { c.turnPoint(c.allSessions()[0], c.allSessions()[0].now()) }
						agents := strings.Replace(ten, "9\n", "NINE\n9b\n", 1)
						writeFile(t, path, agents)
						look()
						tell := e.typeUntold(uri, s.place, s.place+row)
						saved := e.text(uri)
						writeFile(t, path, saved)
						tell()
						if s.looks {
							look()
						}
						switch s.reads {
						case "with":
							writeFile(t, path, strings.Replace(saved, "5\n", "FIVE\n", 1))
						case "without":
							writeFile(t, path, strings.Replace(agents, "5\n", "FIVE\n", 1))
						}
						e.send(buffers.Save{URI: uri, Text: &saved})
						look()
					})
					for _, h := range hunksOf(t, c, uri) {
						if strings.Contains(h.Text, row) && !strings.Contains(h.BaseText, row) && !h.Mixed {
							t.Errorf("the row is in the hunk %+v", h)
						}
					}
					if _, err := c.Reject(t.Context(), Decide{}); err != nil {
						t.Error(err)
					}
					want := strings.Replace(ten, s.place, s.place+row, 1)
					if s.place == "NINE\n" {
						want = strings.Replace(ten, "9\n", row+"9\n", 1)
					}
					got := e.text(uri)
					if s.place == "NINE\n" && got == strings.Replace(ten, "9\n", "9\n"+row, 1) {
						got = want // on either side of what it was typed in the middle of
					}
					if got != want {
						t.Errorf("text %q, want %q", got, want)
					}
				})
			}
		}
	}
}
