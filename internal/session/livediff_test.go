package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// @diff in a folder inside the repository: git's own diff of what is on disk, the live
// text of what is unsaved, nothing from beside the folder, and of a text that is not
// UTF-8 what git knows.
func TestDiffInAFolderOfTheRepository(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	write := func(name, s string) string {
		p := filepath.Join(root, filepath.FromSlash(name))
		writeFile(t, p, s)
		return buffers.PathURI(p)
	}
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	top, live := write("top.txt", "top\n"), write("sub/live.txt", "\uFEFFone\r\ntwo\r\n")
	latin := write("sub/latin.txt", "caf\xe9\nrow\n")
	write("sub/disk.txt", "on disk\n")
	gitInit(t, root)

	write("sub/disk.txt", "changed on disk\n")
	write("sub/latin.txt", "caf\xe9\nrow saved\n")
	for uri, s := range map[string]string{top: "top\n", live: "one\r\ntwo\r\n", latin: "café\nrow saved\n"} {
		e.open(uri, s)
	}
	e.replace(top, "top", "unsaved top")
	e.replace(live, "two", "unsaved two")
	e.replace(latin, "row", "unsaved row")

	var diff string
	l.prompt = func(_ context.Context, _ *fakeAgent, _ string, blocks []Block) (StopReason, error) {
		for _, b := range blocks {
			if strings.Contains(b.Text, "+++ ") {
				diff = b.Text
			}
		}
		return "end_turn", nil
	}
	l.info.EmbeddedContext = true
	info, err := c.NewSession(t.Context(), NewSession{Cwd: filepath.Join(root, "sub")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Prompt(t.Context(), Prompt{Session: info.Session, Text: "review @diff", Wait: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"+++ b/sub/disk.txt\n@@ -1 +1 @@\n-on disk\n+changed on disk\n",
		"--- a/sub/live.txt\n+++ b/sub/live.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+unsaved two\n",
		"+row saved\n",
	} {
		if !strings.Contains(diff, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Count(diff, "+++ ") != 3 || strings.Contains(diff, "top") {
		t.Errorf("not three files")
	}
	if t.Failed() {
		t.Log(diff)
	}
}
