package session

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// Unsaved documents go along with a prompt up to 256 kB together; what is over that is linked, and
// the agent is told which, and how to change what is unsaved.
func TestUnsavedDocumentsBeyondTheBudget(t *testing.T) {
	l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
	c, e, root := setup(t, l)
	sizes := map[string]int{"a": 150 << 10, "b": 150 << 10, "c": 50 << 10, "d": 300 << 10, ".env": 10}
	for name, n := range sizes {
		path := filepath.Join(root, name)
		writeFile(t, path, "old\n")
		e.open(buffers.PathURI(path), "old\n")
		e.replace(buffers.PathURI(path), "old", name+strings.Repeat("x", n))
	}
	l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) { return "end_turn", nil }
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
		t.Fatal(err)
	}
	given, linked, note := 0, map[string]bool{}, ""
	for _, b := range l.agents[0].blocks[0] {
		switch b.Type {
		case "resource":
			given += len(b.Text)
		case "link":
			linked[filepath.Base(b.URI)] = true
		case "text":
			if strings.HasPrefix(b.Text, "These files are open") {
				note = b.Text
			}
		}
	}
	if given == 0 || given > maxEmbed || !linked["d"] || !linked[".env"] || linked["a"] == linked["b"] {
		t.Errorf("%d kB are given, links to %v", given>>10, linked)
	}
	rest, large, _ := strings.Cut(note, "more than 256 kB: ")
	for name := range sizes {
		if !strings.Contains(rest, name) {
			t.Errorf("%s is not named in %q", name, note)
		}
	}
	for _, name := range strings.Split(strings.TrimSuffix(large, "."), ", ") {
		if !linked[name] || name == ".env" {
			t.Errorf("%s is said to be too large in %q", name, note)
		}
	}
	if !strings.Contains(large, "d") || !strings.Contains(note, "edit_buffer") || !strings.Contains(note, "through the client") {
		t.Errorf("%q", note)
	}
}
