package nvim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Where each key fills the paragraph anew (`a` in 'formatoptions') the words of an agent's row, of
// the user's and of those that were there come to stand in the same rows. A rejection takes out the
// agent's, and leaves each of the others once.
func TestRejectInAFilledParagraph(t *testing.T) {
	const before = `Once upon a time there was a
small village beside a river where
nobody had ever seen a boat bigger
than a nutshell and where every
evening the old people told tales
of ships with seven masts.
`
	for name, agents := range map[string]string{
		"a row of its own": strings.Replace(before, "nobody had ever seen a boat bigger", "NO SOUL KNEW OF ANY VESSEL GREATER", 1),
		"filled anew too": `Once upon a time there was a
small village beside a VERY BROAD
AND SLOW STREAM where nobody had
ever seen a VESSEL bigger than a
nutshell and where every evening
the old people told tales of ships
with seven masts.
`,
	} {
		t.Run(name, func(t *testing.T) { rejectInAFilledParagraph(t, before, agents) })
	}
}

func rejectInAFilledParagraph(t *testing.T, before, agents string) {
	eachVersion(t, func(t *testing.T, version string) {
		s := newStory(t, version, &txtar.Archive{Files: []txtar.File{
			{Name: "a.txt", Data: []byte(before)},
			{Name: "agent/edit", Data: []byte(agents)},
		}})
		s.do("open", "a.txt")
		s.Input(":set fo+=a tw=34<CR>")
		s.do("agent", "write a.txt edit")
		s.turn()
		s.do("hunks", "1")
		words := strings.Fields(before)
		for _, typed := range []struct{ key, after, text string }{
			{"/village<CR>i", "small", "quiet little whitewashed "},
			{"/evening<CR>i", "every", "long cold winter "},
			{"/upon<CR>i", "Once", "again and "},
		} {
			s.Input("gg" + typed.key)
			for _, key := range typed.text {
				s.Input(string(key))
				s.Exec(`return 1`, nil) // one event for each key
			}
			s.Input("<Esc>")
			at := slices.Index(words, typed.after) + 1
			words = slices.Insert(words, at, strings.Fields(typed.text)...)
		}
		s.WaitScreen("again and")
		s.Input("gg")
		s.do("reject-file", "")
		s.do("hunks", "0")
		if got := strings.Fields(s.Text(0)); !slices.Equal(got, words) {
			t.Errorf("%q, want\n%q", got, words)
		}
		s.Input("u")
		s.WaitScreen("VESSEL")
		s.WaitLua(`require('acp.review').count() > 0`)
		for _, word := range strings.Fields(agents) {
			if !strings.Contains(s.Text(0), word) {
				t.Errorf("%q is not back in %q", word, s.Text(0))
			}
		}
	})
}
