package acpclient

import "strings"

// quirks are what an agent needs and the protocol does not say. Each row names
// the recording in testdata/transcripts, or the test, that shows it.
type quirks struct {
	// missingReadsEmpty: fs/read_text_file of a file that does not exist is
	// answered with an empty text. Any error makes the agent give up writing
	// the new file.
	missingReadsEmpty bool
	// dropsEmbedded: the agent says that it takes embedded text and shows its
	// model the name alone. Text has to go along as a part of the prompt's own.
	dropsEmbedded bool
	// mirrorsWrites: the agent tells with fs/write_text_file what it writes to the
	// disk itself, before or after, whatever the answer and without waiting for it.
	mirrorsWrites bool
}

// quirksOf looks an agent up by the name it gives itself (agentInfo.name),
// falling back to the program it was started as.
func quirksOf(agentName, command string) quirks {
	agentName = strings.ToLower(agentName)
	for _, row := range quirkTable {
		if strings.Contains(agentName, row.agent) || agentName == "" && strings.Contains(command, row.agent) {
			return row.quirks
		}
	}
	return quirks{}
}

var quirkTable = []struct {
	agent  string // in small letters
	quirks quirks
}{
	{"copilot", quirks{dropsEmbedded: true}},    // internal/agenttest, copilot: the model is told of a file, not its text
	{"gemini", quirks{missingReadsEmpty: true}}, // gemini.jsonl: write_file of new.txt reads it first
	{"kilo", quirks{mirrorsWrites: true}},       // docs/agents.md
	{"opencode", quirks{mirrorsWrites: true}},   // opencode-ignorewrites.jsonl: the disk is changed all the same
}
