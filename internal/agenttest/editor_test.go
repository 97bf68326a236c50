package agenttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The agents start our own MCP server, and what they edit with its tools is the
// text in the editor, unsaved as it is, also where they would write the disk.
func TestEditorTools(t *testing.T) {
	agents := []agent{codex, gemini, opencode}
	if os.Getenv("ACP_LS_AGENTS") == "all" {
		agents = append(agents, otherAgents[0].agent) // claude
	}
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, a, "session", "review", "permission", "dismiss", "save", "reload", "editor")
			disk := w.read(w.path("notes.txt"))
			w.open("notes.txt")
			w.typeOver("notes.txt", "line 10\n", typedOver)
			text := w.text("notes.txt")
			w.begin("DO-EDITOR please").stopped("end_turn")
			w.wantText("notes.txt", edited(text, "line 12\n", "line TWELVE\n"))
			w.wantDisk("notes.txt", disk)
			w.wantHunks("notes.txt", [2]string{"line 12\n", "line TWELVE\n"})
			w.eventually("the tool call of the change", func() bool {
				return w.review("notes.txt").Hunks[0].Origins[0].ToolCall != ""
			})
			if strings.Contains(w.log.String(), "panic") {
				t.Errorf("log:\n%s", w.log)
			}
			// The model saw what the user has, and what became of the edit.
			seen := w.requests()
			for _, want := range []string{"typed and not saved", "Applied to " + w.path("notes.txt"), "not saved"} {
				if !strings.Contains(seen, want) {
					t.Errorf("the model was not told %q", want)
				}
			}
		})
	}
}

// requests is all that the model was asked.
func (w *world) requests() string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.dump, "*"))
	if err != nil || len(files) == 0 {
		w.t.Fatalf("no requests: %v", err)
	}
	var all strings.Builder
	for _, f := range files {
		all.WriteString(w.read(f))
	}
	return all.String()
}
