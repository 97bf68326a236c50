package agenttest

import "testing"

// OpenCode reads the disk, never the buffer, tells the client what it writes,
// and then writes the disk itself all the same.
var opencode = agent{
	name: "opencode", program: "node_modules/.bin/opencode", args: []string{"acp"}, script: "s-opencode.json",
	env: func(string) map[string]string {
		return map[string]string{
			"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
		}
	},
	files: map[string]string{".config/opencode/opencode.json": "opencode.json"},
}

func TestOpenCode(t *testing.T) {
	t.Parallel()
	w := begin(t, opencode, "session", "review", "permission", "dismiss", "save", "reload", "editor")
	w.play(story{writesDisk: true, refused: "end_turn", questions: [][2]string{
		{"edit", "notes.txt (+2 -1 lines)"}, {"edit", "notes.txt (+1 -1 lines)"}, {"edit", "notes.txt (+1 -1 lines)"},
		{"edit", "new.txt (+2 -0 lines)"}, {"edit", "main.go (+3 -3 lines)"}, {"execute", "echo out; echo err >&2; ls"},
	}})
}
