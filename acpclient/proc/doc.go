// Package proc runs the programs acp-ls needs, agents and the commands of
// terminals, and sees to it that nothing of them outlives it.
//
// A program is more than one process: npx starts node, node starts an agent, an
// agent starts shells and servers, and some of these put themselves into the
// background. The package calls all of them the tree of a [Process].
//
// # Unix
//
// Each tree is led by a guard, the same binary run as "acp-ls guard" (see
// [GuardMain]):
//
//	acp-ls ──socketpair── guard (session and group leader, on Linux subreaper)
//	                        └─ command ─ its children, daemonised ones too
//
// The socketpair is the guard's lifeline. When acp-ls is gone, for whatever
// reason, kill -9 included, the guard reads its end, sends TERM to the tree, and
// KILL a second later. While acp-ls lives, the guard tells it how the command
// ended and does what it is told. On Linux processes that left the group come
// back to the guard when their parent ends, so it finds them all; on macOS only
// the group is ended.
//
// # Windows
//
// acp-ls puts itself into a job whose processes end when its last handle is
// closed, and each tree into a job inside that. There is no TERM.
package proc
