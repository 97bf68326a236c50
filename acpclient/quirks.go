package acpclient

import "strings"

// quirks are what an agent needs and the protocol does not say. Each row names
// the recording in testdata/transcripts that shows it.
type quirks struct {
	// missingReadsEmpty: fs/read_text_file of a file that does not exist is
	// answered with an empty text. Any error makes the agent give up writing
	// the new file.
	missingReadsEmpty bool
}

// quirksOf looks an agent up by the name it gives itself (agentInfo.name),
// falling back to the program it was started as.
func quirksOf(agentName, command string) quirks {
	for _, row := range quirkTable {
		if strings.Contains(agentName, row.agent) || agentName == "" && strings.Contains(command, row.agent) {
			return row.quirks
		}
	}
	return quirks{}
}

var quirkTable = []struct {
	agent  string
	quirks quirks
}{
	{"gemini", quirks{missingReadsEmpty: true}}, // gemini.jsonl: write_file of new.txt reads it first
}
