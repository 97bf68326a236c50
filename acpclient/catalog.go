package acpclient

import (
	"maps"
	"os/exec"
	"slices"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// known is an agent that can be named without being configured.
type known struct {
	title   string
	command string
	args    []string
	install string
}

// demoAgent is the agent inside this program.
const demoAgent = "demo"

var catalog = map[string]known{
	"claude":   {title: "Claude Code", command: "claude-agent-acp", install: "npm install -g @agentclientprotocol/claude-agent-acp"},
	"codex":    {title: "Codex", command: "codex-acp", install: "npm install -g @agentclientprotocol/codex-acp"},
	"gemini":   {title: "Gemini CLI", command: "gemini", args: []string{"--acp"}, install: "npm install -g @google/gemini-cli"},
	"opencode": {title: "OpenCode", command: "opencode", args: []string{"acp"}, install: "npm install -g opencode-ai"},
	"qwen":     {title: "Qwen Code", command: "qwen", args: []string{"--acp"}, install: "npm install -g @qwen-code/qwen-code"},
	"copilot":  {title: "GitHub Copilot", command: "copilot", args: []string{"--acp"}, install: "npm install -g @github/copilot"},
	"cursor":   {title: "Cursor", command: "cursor-agent", args: []string{"acp"}, install: "see Cursor's own installer for its command line"},
	"goose":    {title: "Goose", command: "goose", args: []string{"acp"}, install: "see Goose's own installer"},
	"kilo":     {title: "Kilo Code", command: "kilo", args: []string{"acp"}, install: "npm install -g @kilocode/cli"},
	"cline":    {title: "Cline", command: "cline", args: []string{"--acp"}, install: "npm install -g cline"},
	"pi":       {title: "Pi", command: "pi-acp", install: "npm install -g pi-acp @earendil-works/pi-coding-agent"},
	demoAgent:  {title: "Demonstration agent (built in, needs no account)"},
}

// entryOf joins what is known of an agent with what the user set; ok is false
// for a name that is neither.
func (l *Launcher) entryOf(name string) (k known, set config.Agent, ok bool) {
	k, builtIn := catalog[name]
	set, configured := l.settings().Agents[name]
	if !builtIn && !configured {
		return known{}, config.Agent{}, false
	}
	if name == demoAgent && set.Command == "" {
		k.command, k.args = l.self, []string{"demo-agent"}
	}
	if set.Command != "" {
		k.command, k.args = set.Command, nil
	}
	if set.Args != nil {
		k.args = set.Args
	}
	return k, set, true
}

// Catalog lists the agents by name.
func (l *Launcher) Catalog() []session.AgentEntry {
	names := map[string]bool{}
	for n := range catalog {
		names[n] = true
	}
	for n := range l.settings().Agents {
		names[n] = true
	}
	var out []session.AgentEntry
	for _, n := range slices.Sorted(maps.Keys(names)) {
		k, set, _ := l.entryOf(n)
		e := session.AgentEntry{Name: n, Title: k.title}
		if set.URL != "" {
			e.How = set.URL
		} else if path, err := exec.LookPath(k.command); err == nil {
			e.Installed, e.How = true, path
		} else if e.How = k.install; e.How == "" {
			e.How = "there is no program " + k.command
		}
		out = append(out, e)
	}
	return out
}
