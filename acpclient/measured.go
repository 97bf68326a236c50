package acpclient

// measured says how long agents leave a question (session/request_permission)
// and a write (fs/write_text_file) open that nobody answers: what matters where
// changes are reviewed before they land (setting review.mode). Each was left
// open for 200 s with a scripted model, and then answered (November 2026).
// docs/agents.md has the table; a test keeps the two alike.
var measured = []struct {
	agent, version, question, write string
}{
	{"claude-agent-acp", "0.101.0", waitsLong, diskItself},
	{"claude-code-acp", "0.16.2", waitsLong, waitsLong},
	{"cline", "3.0.65", waitsLong, diskItself},
	{"codex-acp (Zed)", "0.16.0", waitsLong, diskItself},
	{"codex-acp", "2.6.0", waitsLong, diskItself},
	{"copilot", "1.0.102", waitsLong, diskItself},
	{"gemini", "0.61.0", waitsLong, waitsLong},
	{"kilo", "7.7.7", waitsLong, mirrors},
	{"opencode", "1.18.33", waitsLong, mirrors},
	{"pi-acp", "0.0.34", "never asks", diskItself},
	{"qwen", "0.24.4", waitsLong, waitsLong},
}

const (
	waitsLong  = "over 200 s"
	diskItself = "writes the disk itself"
	mirrors    = "tells it, and does not wait" // quirks.mirrorsWrites
)
