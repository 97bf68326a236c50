package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What is undecided follows the text through the editor's own undo and redo, whichever way it was decided
// on: what a decision has changed in the text is undecided again without that, conflicts too in which
// mine was taken along with it, and is decided as before with it. What was typed is undone between them.
func TestUndecidedFollowsUndoAndRedo(t *testing.T) {
	t.Parallel()
	const mine, merged = "1\n2 mine\n3\n4\n5\n6\n", "1\n2 mine\n3\n4\n5 agent\n6\n"
	const hunk, conflict = "pending 5 agent", "conflict 2 agent"
	reject := func(d Decide) func(c *Core, uri string) error {
		return func(c *Core, _ string) error { _, err := c.Reject(t.Context(), d); return err }
	}
	rejectFile := func(c *Core, uri string) error { return reject(Decide{URI: uri})(c, "") }
	of := func(decide func(c *Core, ids []string) error, states ...review.State) func(c *Core, uri string) error {
		return func(c *Core, _ string) error {
			var ids []string
			for _, r := range c.Reviews("", "", states...) {
				for _, h := range r.Hunks {
					ids = append(ids, h.ID)
				}
			}
			return decide(c, ids)
		}
	}
	rejects := func(c *Core, ids []string) error { return reject(Decide{Hunks: ids})(c, "") }
	accepts := func(c *Core, ids []string) error { _, err := c.Accept(t.Context(), Decide{Hunks: ids}); return err }
	take := func(what string) func(c *Core, uri string) error {
		return of(func(c *Core, ids []string) error { _, err := c.Resolve(t.Context(), ids[0], what); return err }, review.StateConflict)
	}
	for _, x := range []struct {
		name   string
		decide func(c *Core, uri string) error
		text   string   // after it
		left   []string // undecided after it
		undone []string // undecided when that is undone
	}{
		{"all rejected", reject(Decide{}), mine, nil, []string{hunk, conflict}},
		{"the file rejected", rejectFile, mine, nil, []string{hunk, conflict}},
		{"the session rejected", reject(Decide{Session: "s1"}), mine, nil, []string{hunk, conflict}},
		{"hunk and conflict rejected", of(rejects, review.StatePending, review.StateConflict), mine, nil, []string{hunk, conflict}},
		{"the hunk rejected", of(rejects, review.StatePending), mine, []string{conflict}, []string{hunk, conflict}},
		{"theirs", take("theirs"), strings.Replace(merged, "2 mine", "2 agent", 1), []string{hunk}, []string{hunk, conflict}},
		{"the conflict accepted", of(accepts, review.StateConflict), strings.Replace(merged, "2 mine", "2 agent", 1), []string{hunk}, []string{hunk, conflict}},
		{"both", take("both"), strings.Replace(merged, "2 mine\n", "2 mine\n2 agent\n", 1), []string{hunk}, []string{hunk, conflict}},
		// These change no text, and no undo is theirs.
		{"the hunk accepted", of(accepts, review.StatePending), merged, []string{conflict}, []string{conflict}},
		{"mine", take("mine"), merged, []string{hunk}, []string{hunk}},
		{"mine, by rejecting the conflict", of(rejects, review.StateConflict), merged, []string{hunk}, []string{hunk}},
	} {
		for _, road := range []string{"on disk", "through the document"} {
			for _, how := range []string{"at once", "in two notifications"} {
				t.Run(strings.Join([]string{x.name, road, how}, ", "), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					core, e, root := setup(t, l)
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					writeFile(t, path, six)
					e.open(uri, six)
					awaitLook(t, core.file(buffers.Path(path)))
					if road == "on disk" {
						e.replace(uri, "2\n", "2 mine\n")
					}
					agents := strings.NewReplacer("2\n", "2 agent\n", "5\n", "5 agent\n").Replace(six)
					turnOf(t, core, l, func(h Host, sid string) {
						if road == "on disk" {
							writeFile(t, path, agents)
							return
						}
						e.replace(uri, "2\n", "2 mine\n")
						for i, s := range []string{strings.Replace(six, "5\n", "5 agent\n", 1), agents} {
							if err := h.WriteTextFile(t.Context(), sid, path, s); (err != nil) != (i == 1) {
								t.Errorf("write %d: %v", i, err)
							}
						}
					})
					goTo := func(text string) {
						t.Helper()
						now := e.text(uri)
						start, end, s := replacement(now, text)
						from := strings.LastIndex(now[:start], "\n") + 1 // whole rows
						to := end + strings.Index(now[end:]+"\n", "\n")
						start, end, s = from, min(to, len(now)), now[from:start]+s+now[end:min(to, len(now))]
						if how == "at once" {
							e.typeAt(uri, start, end, s)
						} else {
							e.typeAt(uri, start, end, "")
							e.typeAt(uri, start, start, s)
						}
						e.at.Settle()
					}
					want := func(when, text string, undecided []string) {
						t.Helper()
						var got []string
						for _, h := range hunksOf(t, core, uri, review.StatePending, review.StateConflict) {
							got = append(got, fmt.Sprint(h.State, " ", strings.TrimSpace(h.Text)))
						}
						slices.Sort(got)
						undecided = slices.Sorted(slices.Values(undecided))
						if now := e.text(uri); now != text || !slices.Equal(got, undecided) {
							t.Errorf("%s: text %q, want %q\nundecided %q, want %q", when, now, text, got, undecided)
						}
					}
					want("before", merged, []string{hunk, conflict})
					if err := x.decide(core, uri); err != nil {
						t.Fatal(err)
					}
					want("decided", x.text, x.left)
					for range 2 {
						if x.text == merged {
							continue
						}
						goTo(merged)
						want("undone", merged, x.undone)
						goTo(x.text)
						want("done again", x.text, x.left)
						goTo(x.text + "typed\n")
						want("typed", x.text+"typed\n", x.left)
						goTo(x.text)
						want("typing undone", x.text, x.left)
						goTo(merged)
						goTo(mine)
						goTo(merged)
						want("undone to what it was before the agent, and back", merged, x.undone)
						goTo(merged + "typed\n")
						want("typed instead", merged+"typed\n", x.undone)
						goTo(merged)
						goTo(merged + "typed\n")
						want("typed instead, undone and done again", merged+"typed\n", x.undone)
						goTo(merged)
						goTo(x.text)
						want("decided again", x.text, x.left)
					}
				})
			}
		}
	}
}

const six = "1\n2\n3\n4\n5\n6\n"
