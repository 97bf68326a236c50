package agenttest

import (
	"os"
	"testing"
)

// Agents that are large, or alike to those of every run: make test-agents.

func others(t *testing.T) {
	t.Helper()
	if os.Getenv("ACP_LS_AGENTS") != "all" {
		t.Skip("this agent is not part of every run: make test-agents, or ACP_LS_AGENTS=all")
	}
	t.Parallel()
}

// Claude reads and writes the disk itself, and says what it writes in fragments.
var claude = agent{
	name: "claude", program: "node_modules/.bin/claude-agent-acp", script: "s-claude.json",
	env: func(url string) map[string]string {
		return map[string]string{
			"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "dummy", "IS_SANDBOX": "1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
			"DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
		}
	},
	options: map[string]any{"mode": "default"},
}

func TestClaude(t *testing.T) {
	others(t)
	w := begin(t, claude, "session", "review", "permission", "dismiss", "save", "reload", "editor")
	disk := w.read(w.path("notes.txt"))
	users := w.editsUnsavedText()
	w.wantDisk("notes.txt", edited(disk, agentEdits...))
	w.decidesOnNotes(users)
	w.decidesOnMain()
	w.decidesOnNew()
	w.refusesOne("end_turn")
	w.cancelsTurns()
}
