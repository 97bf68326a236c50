// Package replay plays recordings of real agents.
//
// What real agents do, and in which order, is in acpclient/testdata/transcripts: the
// messages between each agent and a client, and what was seen to change on disk. A
// [Recording] is one of these in a form that can be played: the workspace as it was,
// then one step on each line, which is something the agent says, something it waits
// for, or a file it writes by itself; and how the files end up. It is derived from
// the transcript, without what says nothing of files (lists of commands and models,
// long answers):
//
//	go test ./internal/replay -update
//
// A [Player] is the agent. Its messages pass through a process of its own
// (internal/scriptagent), so that the client at the other end starts it, reads its
// output and answers its questions as it would a real one. internal/agenttest plays
// every recording in front of acp-ls.
//
// How texts differ, and what an agent would have made of another text than the one
// that was recorded ([Hunks], [Adapt]), is computed here in the plainest way, so that
// the program can be held against it.
package replay
