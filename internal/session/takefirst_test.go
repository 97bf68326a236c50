package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// An agent writes a file that nobody has open and asks at once about its next edit of it,
// before anybody has looked at the disk. The edit is shown in what the disk has by then; that
// is undecided all the same, whatever comes before the question has an answer, and whatever that is.
func TestAskedBeforeItIsLookedAt(t *testing.T) {
	const asked = 2 // hunks
	look := func(c *Core) { s := c.allSessions()[0]; c.turnPoint(s, s.now()) }
	meanwhile := map[string]func(c *Core, e *fakeEditor, h Host, sid, path string) error{
		"nothing": func(*Core, *fakeEditor, Host, string, string) error { return nil },
		"a look":  func(c *Core, _ *fakeEditor, _ Host, _, _ string) error { look(c); return nil },
		"a write through us": func(_ *Core, _ *fakeEditor, h Host, sid, path string) error {
			now, err := h.ReadTextFile(context.Background(), sid, path, nil, nil)
			return errors.Join(err, h.WriteTextFile(context.Background(), sid, path, strings.Replace(now, "4\n", "FOUR\n", 1)))
		},
		"another write": func(c *Core, _ *fakeEditor, _ Host, _, path string) error {
			writeFile(t, path, strings.NewReplacer("2\n", "TWO\n", "4\n", "FOUR\n").Replace(ten))
			look(c)
			return nil
		},
		"its opening": func(_ *Core, e *fakeEditor, _ Host, _, path string) error {
			e.open(buffers.PathURI(path), readFile(t, path))
			return nil
		},
	}
	answers := map[string]func(c *Core, ids []string) error{
		"no":  func(c *Core, _ []string) error { return c.Answer(c.Questions()[0].ID, "no") },
		"yes": func(c *Core, _ []string) error { return c.Answer(c.Questions()[0].ID, "yes") },
		"in part": func(c *Core, ids []string) error {
			_, err := c.Accept(t.Context(), Decide{Hunks: ids[:1]})
			_, other := c.Reject(t.Context(), Decide{Hunks: ids[1:]})
			return errors.Join(err, other)
		},
	}
	for _, git := range []string{"none", "committed", "ignored", "ignored, told late"} {
		for between, happens := range meanwhile {
			if git == "ignored, told late" && between != "a look" {
				continue // what the file was is not known before
			}
			for answer, decide := range answers {
				runOneIn(t, 3, git+", "+between+", "+answer, func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					writeFile(t, path, ten)
					switch git {
					case "committed":
						gitInit(t, root)
					case "ignored", "ignored, told late":
						writeFile(t, filepath.Join(root, ".gitignore"), "a\n")
						gitInit(t, root)
						awaitTick(t)
					}
					turnOf(t, c, l, func(h Host, sid string) {
						s := c.allSessions()[0]
						s.looking <- struct{}{} // nobody looks
						edited := strings.Replace(ten, "2\n", "TWO\n", 1)
						if git != "ignored, told late" {
							h.Update(sid, ToolPatch{ID: "t1", Kind: str("edit"), Status: str("in_progress"), Locations: &[]Location{{Path: path}}})
							s.takeNamed(t.Context())
						}
						writeFile(t, path, edited)
						answered := make(chan error, 1)
						go func() {
							six, nine := "6\n", "9\n"
							_, err := h.RequestPermission(t.Context(), sid, PermissionRequest{
								ToolCall: ToolPatch{ID: "t2", Title: str("Edit"), Kind: str("edit"), Content: &[]ToolContent{
									{Type: "diff", Path: path, OldText: &six, NewText: "SIX\n"},
									{Type: "diff", Path: path, OldText: &nine, NewText: "NINE\n"},
								}},
								Options: []PermissionOption{{OptionID: "yes", Kind: "allow_once"}, {OptionID: "no", Kind: "reject_once"}},
							})
							answered <- err
						}()
						ids := e.awaitProposals(uri, asked)
						e.await("the question", func() bool { return len(e.infos[s.id].Questions) == 1 })
						if git == "ignored, told late" {
							h.Update(sid, ToolPatch{ID: "t1", Kind: str("edit"), Status: str("in_progress"), Content: &[]ToolContent{{Type: "diff", Path: path, OldText: ptr(ten), NewText: edited}}})
						}
						<-s.looking
						if err := happens(c, e, h, sid, path); err != nil {
							t.Error(err)
						}
						if err := decide(c, ids); err != nil {
							t.Error(err)
						}
						if err := <-answered; err != nil {
							t.Error(err)
						}
					})
					want, undecided := ten, []string{"2\n>TWO\n"}
					if answer == "in part" {
						want = strings.Replace(want, "6\n", "SIX\n", 1)
					}
					if between == "a write through us" || between == "another write" {
						undecided = append(undecided, "4\n>FOUR\n")
					}
					var got []string
					for _, h := range hunksOf(t, c, uri, review.StatePending) {
						got = append(got, h.BaseText+">"+h.Text)
					}
					if strings.Join(got, "") != strings.Join(undecided, "") {
						t.Errorf("undecided %q, want %q", got, undecided)
					}
					if base, err := c.Baseline(uri); err != nil || base != want {
						t.Errorf("baseline %q, %v, want %q", base, err, want)
					}
					if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
						t.Error(err)
					}
					if now, err := c.readText(buffers.Path(path)); err != nil || now.String() != want {
						t.Errorf("text %q, %v, want %q", now.String(), err, want)
					}
				})
			}
		}
	}
}
