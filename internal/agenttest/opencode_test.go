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
	disk := w.read(w.path("notes.txt"))
	users := w.editsUnsavedText()
	w.wantQuestions(
		[2]string{"edit", "notes.txt"}, [2]string{"edit", "notes.txt"}, [2]string{"edit", "notes.txt"},
		[2]string{"edit", "new.txt"}, [2]string{"edit", "main.go"}, [2]string{"execute", "echo out; echo err >&2; ls"})
	w.wantDisk("notes.txt", edited(disk, agentEdits...)) // its own writing; it never had the user's text
	w.decidesOnNotes(users)
	w.decidesOnMain()
	w.decidesOnNew()
	w.refusesOne("end_turn")
	w.cancelsTurns()
}
