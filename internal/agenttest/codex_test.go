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
	// A refusal ends its turn.
	w.play(story{writesDisk: true, refused: "cancelled", letsRun: true, questions: [][2]string{
		{"edit", "notes.txt (+"}, {"edit", "main.go (+3 -3 lines)"}, {"execute", "touch made-by-shell"},
	}})
	if r := w.review("made-by-shell"); r.File == nil || r.File.Op != "create" {
		t.Errorf("made-by-shell is not shown as made by the agent: %+v", r)
	}
	w.command("acp.agent.restart", map[string]any{"agent": w.agent.name}, nil)
	w.eventually("the end of what the agent let run", func() bool { return !w.runs("sleep 300") })
}

// Whatever becomes of acp-ls, nothing of an agent goes on: here it is killed
// while Codex, which does not end when its input does, runs a command.
func TestKilledWithAnAgentAtWork(t *testing.T) {
	t.Parallel()
	w := begin(t, codex, "session", "permission")
	w.begin("DO-SLEEP please")
	w.eventually("a running command", func() bool { return w.runs("sleep 300") })
	w.kill()
}
