package acpclient

import (
	"testing"

	"acp-ls/acpclient/proc"
	"acp-ls/acpclient/wire"
)

// Quirks go by the name an agent gives itself, and by its program only if it
// gives none.
func TestQuirksOf(t *testing.T) {
	gemini, copilot := quirks{missingReadsEmpty: true}, quirks{dropsEmbedded: true}
	for _, c := range []struct {
		name, command string
		want          quirks
	}{
		{"gemini-cli", "node", gemini},
		{"", "/usr/bin/gemini", gemini},
		{"", "gemini", gemini},
		{"Copilot", "/opt/gemini/run", copilot},
		{"GitHub Copilot", "x", copilot},
		{"OpenCode", "node", quirks{mirrorsWrites: true}},
		{"Kilo", "node", quirks{mirrorsWrites: true}},
		{"other", "gemini", quirks{}},
		{"", "", quirks{}},
	} {
		if got := quirksOf(c.name, c.command); got != c.want {
			t.Errorf("agent %q, program %q: %+v", c.name, c.command, got)
		}
	}
}

// What an agent says of itself holds but where it is known to be otherwise.
func TestDescribeWithQuirks(t *testing.T) {
	r := &wire.InitializeResponse{}
	r.AgentCapabilities.Prompt.EmbeddedContext = true
	for _, q := range []quirks{{}, {dropsEmbedded: true}, {missingReadsEmpty: true}, {mirrorsWrites: true}} {
		i := describe("a", r, q, proc.Command{})
		if i.EmbeddedContext == q.dropsEmbedded || i.MissingReadsEmpty != q.missingReadsEmpty || i.MirrorsWrites != q.mirrorsWrites {
			t.Errorf("%+v: %+v", q, i)
		}
	}
}

// More folders than one are given only to agents that say they take them.
func TestDescribeFolders(t *testing.T) {
	for _, can := range []bool{false, true} {
		r := &wire.InitializeResponse{}
		if can {
			r.AgentCapabilities.Session.AdditionalDirectories = &wire.Capability{}
		}
		if i := describe("a", r, quirks{}, proc.Command{}); i.MoreRoots != can {
			t.Errorf("says %v: %+v", can, i)
		}
	}
}
