package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Line ends that an agent turns are committed when somebody has committed them, and not because git has
// the same rows; nor does git have a say in them where it turns the line ends of files itself.
func TestTurnedLineEndsInGit(t *testing.T) {
	t.Parallel()
	crlf := strings.ReplaceAll(ten, "\n", "\r\n")
	one := strings.Replace(crlf, "5\r\n", "5\n", 1)
	for _, turns := range []string{"", "core.autocrlf", "attributes"} {
		for _, change := range [][2]string{{crlf, ten}, {ten, crlf}, {crlf, one}, {one, crlf}} {
			for _, commits := range []string{"nobody", "agent", "user"} {
				runOneIn(t, 4, fmt.Sprintf("%s %.6q %.6q %s", turns, change[0], change[1], commits), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, _, root := setup(t, l)
					path := filepath.Join(root, "a.txt")
					uri := buffers.PathURI(path)
					writeFile(t, path, change[0])
					if turns == "attributes" {
						writeFile(t, filepath.Join(root, ".gitattributes"), "*.txt text\n")
					}
					gitIn(t, root, "init", "-q")
					gitIn(t, root, "config", "core.safecrlf", "false")
					if turns == "core.autocrlf" {
						gitIn(t, root, "config", "core.autocrlf", "true")
					}
					gitIn(t, root, "add", "-A")
					gitIn(t, root, "commit", "-qm", "x")
					commit := func() { gitIn(t, root, "commit", "-q", "--allow-empty", "-am", "x") }
					turnOf(t, c, l, func(Host, string) {
						writeFile(t, path, change[1])
						if commits == "agent" {
							commit()
						}
					})
					c.lookAtGit(t.Context())
					if commits == "user" {
						commit()
						c.lookAtGit(t.Context())
					}
					kept := turns == ""
					var committed, pending int
					for _, h := range hunksOf(t, c, uri, review.StatePending) {
						pending++
						if h.Committed {
							committed++
						}
					}
					switch {
					case kept && commits == "user":
						if pending != 0 {
							t.Errorf("%d hunks of what the user has committed", pending)
						}
					case pending == 0:
						if turns == "" {
							t.Error("no hunks")
						}
					case kept && commits == "agent":
						if committed != pending {
							t.Errorf("%d of %d hunks of the agent's commit are said to be committed", committed, pending)
						}
					case committed != 0:
						t.Errorf("%d hunks are said to be committed", committed)
					}
				})
			}
		}
	}
}
