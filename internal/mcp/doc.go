// Package mcp gives agents the editor's live view: a server of the Model Context
// Protocol whose tools read, list and edit what the user has open, unsaved text
// included.
//
// Agents start their MCP servers themselves, as programs that speak on standard
// input and output. What they start is acp-ls once more, as `acp-ls mcp`
// ([Relay]): it joins the acp-ls that runs by a private socket, shows the token
// of its session, and carries bytes from then on. The protocol is spoken by
// [Server], inside the acp-ls that has the editor:
//
//	agent ──stdio── acp-ls mcp ──socket── Server ── session.Tools ── the core
//
// An agent may start several such children for one session, for instance one
// for each of its own helpers, and start them again when it likes. A child ends
// with its standard input or with the socket, so none outlives its acp-ls.
//
// # Who may connect
//
// The socket is in a folder that only the user can enter (0700); on Windows it
// is a named pipe for this user and this machine alone. Nothing listens on the
// network. A token is 32 random bytes, one for each session, valid while that
// lives, and given to the agent in the environment of the child and nowhere
// else. It opens the tools of that session: what [session.Tools] admits.
//
// # The protocol
//
// Only what a server with tools needs: initialize, ping, tools/list, tools/call,
// cancellation and progress. The official SDK for Go is what the tests talk to it
// with; the program does not contain it, because it brings an HTTP client and
// server along that would make acp-ls a third bigger (docs/adr/0021-own-mcp-server.md).
package mcp
