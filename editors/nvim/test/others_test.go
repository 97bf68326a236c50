package nvim_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// What another program has written under unsaved text before a turn comes into the text, and is
// written with it: neither is it the agent's, nor does Neovim's next write take it away.
func TestOthersChangeUnderUnsavedText(t *testing.T) {
	other := strings.Replace(numbers, "one", "one other", 1)
	agents := strings.Replace(other, "five", "FIVE", 1)
	eachVersion(t, func(t *testing.T, version string) {
		s := newStory(t, version, &txtar.Archive{Files: []txtar.File{
			{Name: "a.txt", Data: []byte(numbers)},
			{Name: "agent/edit", Data: []byte(agents)},
		}})
		s.do("open", "a.txt")
		s.do("agent", "read a.txt")
		s.turn() // behind which it is known what Neovim has loaded
		s.do("type", "8 my ")
		s.WaitScreen("my eight")
		if err := os.WriteFile(s.path("a.txt"), []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		s.do("agent", "disk a.txt edit")
		s.turn()
		s.do("hunks", "1")
		s.WaitScreen("my eight")
		if got, want := s.Text(0), strings.TrimSuffix(strings.Replace(agents, "eight", "my eight", 1), "\n"); got != want {
			t.Errorf("text %q, want %q", got, want)
		}
		s.Input(":Acp reject-all<CR>")
		s.do("hunks", "0")
		s.Input(":w<CR>")
		s.awaitDisk("a.txt", strings.Replace(other, "eight", "my eight", 1))
	})
}
