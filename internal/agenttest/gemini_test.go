package agenttest

import (
	"testing"
)

// Gemini reads and writes through the client: what it edits is the buffer.
var gemini = agent{
	name: "gemini", program: "node_modules/.bin/gemini", args: []string{"--acp", "-m", "gemini-2.5-flash"}, script: "s-gemini.json",
	env: func(url string) map[string]string {
		return map[string]string{
			"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "dummy",
			"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true",
		}
	},
	files: map[string]string{".gemini/settings.json": "gemini-settings.json"},
}

func TestGemini(t *testing.T) {
	t.Parallel()
	w := begin(t, gemini, "session", "review", "permission", "dismiss", "save", "reload", "editor")
	w.play(story{refused: "end_turn", questions: [][2]string{
		{"edit", "notes.txt (+2 -1 lines)"}, {"edit", "notes.txt (+1 -1 lines)"}, {"edit", "notes.txt (+1 -1 lines)"},
		{"edit", "new.txt (+2 -0 lines)"}, {"edit", "main.go (+3 -3 lines)"}, {"execute", "echo out; echo err >&2; ls"},
	}})
}
