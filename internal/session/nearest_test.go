package session

import (
	"strings"
	"testing"
)

func TestNearestName(t *testing.T) {
	names := []string{"claude", "cline", "codex", "copilot", "cursor", "demo", "gemini", "goose", "kilo", "opencode", "pi", "qwen"}
	for typed, want := range map[string]string{
		"cluade": "claude", "Claude": "claude", "claud": "claude", "claude-code": "claude", "gemni": "gemini", "GEMINI": "gemini",
		"opencod": "opencode", "open": "opencode", "kimo": "kilo", "codx": "codex", "qwem": "qwen", "ip": "pi", "geminí": "gemini",
		"nosuch": "", "pizza": "", "": "", "x": "", "c": "", "aider": "", "zed": "", "42": "",
	} {
		got, ok := nearest(typed, names)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestUnknownAgentNamesThoseThereAre(t *testing.T) {
	catalog := []AgentEntry{{Name: "demo"}, {Name: "mine"}}
	for _, tt := range []struct{ name, by, want string }{
		{"nosuch", "", `there is no agent "nosuch". There are demo, mine; the setting agents adds others`},
		{"mien", "", `there is no agent "mien". Did you mean mine? There are demo, mine; the setting agents adds others`},
		{"mien", "the setting defaultAgent names", `the setting defaultAgent names the agent "mien", which does not exist. Did you mean mine? There are demo, mine; the setting agents adds others`},
	} {
		err := UnknownAgent(tt.name, tt.by, catalog)
		if err.Kind != KindUnknownAgent || err.Error() != tt.want {
			t.Errorf("%s: %v", err.Kind, err)
		}
		if strings.Contains(err.Error(), "acp.") {
			t.Errorf("%v speaks of a command that a terminal's user has not", err)
		}
	}
}
