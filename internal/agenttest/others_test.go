package agenttest

import (
	"os"
	"testing"
)

// Agents that are large, or alike to those of every run: make test-agents.

var otherAgents = []struct {
	agent
	story
}{
	{
		// It reads and writes the disk itself, and says what it writes in fragments.
		agent{
			name: "claude", program: "node_modules/.bin/claude-agent-acp", script: "s-claude.json",
			env: anthropic, options: map[string]any{"mode": "default"},
		},
		story{writesDisk: true, refused: "end_turn"},
	},
	{
		// Its forerunner reads, writes and runs commands through the client.
		agent{
			name: "claude-code-acp", program: "node_modules/.bin/claude-code-acp", script: "s-claude-code-acp.json",
			env: anthropic,
		},
		story{refused: "end_turn"},
	},
	{
		// It asks before it reads, and leaves a daemon behind.
		agent{
			name: "cline", program: "node_modules/.bin/cline", args: []string{"--acp"}, script: "s-cline.json",
			env:   func(string) map[string]string { return map[string]string{"CLINE_API_KEY": "dummy"} },
			files: map[string]string{".cline/data/settings/providers.json": "cline-providers.json"},
		},
		story{writesDisk: true, refused: "end_turn"},
	},
	{
		// The newer Codex asks without saying what for.
		agent{
			name: "codex2", program: "node_modules/.bin/codex-acp", script: "s-codex.json",
			env:     func(string) map[string]string { return map[string]string{"FAKE_KEY": "dummy"} },
			files:   map[string]string{".codex/config.toml": "codex2-config.toml"},
			options: map[string]any{"mode": "read-only"},
		},
		story{writesDisk: true, refused: "cancelled", readOnly: true, letsRun: true},
	},
	{
		agent{
			name: "copilot", program: "node_modules/.bin/copilot", args: []string{"--acp"}, script: "s-copilot.json",
			env: func(url string) map[string]string {
				return map[string]string{
					"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": url + "/v1", "COPILOT_PROVIDER_API_KEY": "dummy",
					"COPILOT_MODEL": "fake-model", "COPILOT_AUTO_UPDATE": "false",
				}
			},
		},
		story{writesDisk: true, refused: "end_turn"},
	},
	{
		// Like OpenCode, of which it is made.
		agent{
			name: "kilo", program: "node_modules/.bin/kilo", args: []string{"acp"}, script: "s-opencode.json",
			env: func(string) map[string]string {
				return map[string]string{
					"KILO_DISABLE_AUTOUPDATE": "1", "KILO_DISABLE_MODELS_FETCH": "1",
					"KILO_DISABLE_LSP_DOWNLOAD": "1", "KILO_DISABLE_DEFAULT_PLUGINS": "1",
				}
			},
			files: map[string]string{".config/kilo/kilo.json": "opencode.json"},
		},
		story{writesDisk: true, refused: "end_turn"},
	},
	{
		// It never asks, and says what it has written afterwards.
		agent{
			name: "pi", program: "node_modules/.bin/pi-acp", script: "s-pi.json",
			env:   func(string) map[string]string { return map[string]string{"PI_OFFLINE": "1"} },
			files: map[string]string{".pi/agent/models.json": "pi-models.json", ".pi/agent/settings.json": "pi-settings.json"},
		},
		story{writesDisk: true},
	},
	{
		// Like Gemini, of which it is made, but it announces its tool calls.
		agent{
			name: "qwen", program: "node_modules/.bin/qwen", args: []string{"--acp"}, script: "s-qwen.json",
			env: func(url string) map[string]string {
				return map[string]string{"OPENAI_BASE_URL": url + "/v1", "OPENAI_API_KEY": "dummy", "OPENAI_MODEL": "fake-model"}
			},
			files:   map[string]string{".qwen/settings.json": "qwen-settings.json"},
			options: map[string]any{"mode": "default"},
		},
		story{refused: "end_turn"},
	},
}

func anthropic(url string) map[string]string {
	return map[string]string{
		"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "dummy", "IS_SANDBOX": "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
		"DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
	}
}

func TestOtherAgents(t *testing.T) {
	if os.Getenv("ACP_LS_AGENTS") != "all" {
		t.Skip("these agents are not part of every run: make test-agents, or ACP_LS_AGENTS=all")
	}
	for _, o := range otherAgents {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			begin(t, o.agent, "session", "review", "permission", "dismiss", "save", "reload", "editor").play(o.story)
		})
	}
}
