// Package agenttest runs whole turns of real agents, which nobody here wrote,
// through the real acp-ls.
//
// Each test builds a small world: a home and a git repository of their own, a
// scripted model in place of the agent's (tools/agents/fake-llm), the agent as
// npm installs it (tools/get-agents, by version, into the cache), acp-ls as a
// child process that starts it, and in front of acp-ls a scripted editor with a
// user who types, does not save, and answers questions. What is tested is what
// such a user counts on: the agent works on what they see, nothing they typed
// is lost, every change can be decided on, a cancelled turn ends, and nothing
// is left running.
//
// TestReplay puts the recordings of internal/replay in the place of the agents: it
// needs nothing installed, and has more agents, and more of what they do, than can
// be had again.
//
// An agent that cannot be installed fails its test. "go test -short" leaves the
// agents out. ACP_LS_AGENTS=all adds those that are not part of every run.
package agenttest
