// Package scenario holds whole stories of acp-ls as files: testdata/*.txtar, one
// behaviour each. A scripted editor and a scripted agent, both real peers over
// OS pipes, play them against the real server; the agent is a real process.
//
// A file begins with what it shows, and may say with which editors:
//
//	An unsaved text is what the agent reads.
//	editors: plain utf-16, full utf-8
//
// A line "waits: landing=50ms" makes acp-ls wait less for what the story says will
// not happen (cancel, goodbye, hold, initialize, landing, refusal, reshow, silence).
//
// A line "broken: why" marks a story that acp-ls does not tell right yet; the test
// fails when it does.
//
// plain is an editor that knows LSP and nothing of acp; full has every capability
// of acp. Without the line it is "full utf-8". A story is told once for each, and
// must go alike. The files of the archive are the workspace, but for settings.json
// (what the user has set), agent.json (the agent's answer to initialize) and
// script, which is the story, step by step, both sides in one order:
//
//	open a.txt
//	type a.txt 1:1 "new "
//	prompt "read it"
//	agent turn
//	agent read a.txt
//	> new text
//
// A line that begins with "> " is what the step before must have said; one with
// "| " is a text given to it, "#" a comment; "[plain] " in front of a step lets it
// happen in that kind of editor only. Run the tests with -update to have what was
// said written into the files, and read the difference.
//
// No step sleeps: each waits for what it is about. While a story goes on the
// review engine's three laws are checked at each write and decision, and at its
// end that what the editor was shown is what the server knows, and that nothing
// is left running.
package scenario
