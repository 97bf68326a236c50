package agenttest

import "testing"

// Codex reads and writes the disk itself; the client is asked, and told.
var codex = agent{
	name: "codex", program: "node_modules/.bin/codex-acp", script: "s-codex.json",
	env:   func(string) map[string]string { return map[string]string{"FAKE_KEY": "dummy"} },
	files: map[string]string{".codex/config.toml": "codex-config.toml"},
}

func TestCodex(t *testing.T) {
	t.Parallel()
	w := begin(t, codex, "session", "review", "permission", "dismiss", "save", "reload", "editor")
	disk := w.read(w.path("notes.txt"))
	users := w.editsUnsavedText()
	w.wantQuestions([2]string{"edit", "notes.txt"}, [2]string{"edit", "main.go"}, [2]string{"execute", "touch made-by-shell"})
	w.wantDisk("notes.txt", edited(disk, agentEdits...)) // its own writing; it never had the user's text
	w.decidesOnNotes(users)
	w.decidesOnMain()
	w.wantDisk("new.txt", "brand new\nfile\n")
	w.refusesOne("cancelled") // it ends the turn itself
	w.cancelsTurns()
}
