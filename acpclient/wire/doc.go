// Package wire speaks the Agent Client Protocol, version 1, over a pair of
// byte streams, and carries nothing of what the messages are for.
//
// It has three layers, each usable without the one above it:
//
//   - [Stream] cuts bytes into lines and lines into messages. An agent's stdout
//     also holds banners, log lines, byte order marks and lines of 30 MB; none of
//     it ends the stream. What is no message is given to a callback and skipped.
//   - The types ([Update], [RequestPermissionRequest], ...) are the messages of
//     the protocol as lean Go structs. Decoding is lenient where the schema says
//     so: one bad optional member costs that member. What a newer agent sends
//     and this package does not know is kept raw.
//   - [Conn] is a peer. Calls go out with [Call]; what the agent asks arrives at a
//     [Handler], notifications and the starts of requests strictly in the order
//     in which the agent sent them.
//
// # Order and back-pressure
//
// One goroutine reads. It runs every notification to its end, and every request
// until the handler calls [Release] or returns, before it reads the next
// message. So a permission never arrives before the tool call it is about, and
// the response of a prompt never before the last update of its turn. It also
// means that a slow handler stops the reading, the pipe fills, and the agent
// waits: there is no queue that could overflow. A handler that waits for
// anything (the user, the editor, a process) calls [Release] first.
//
// The reading goroutine never writes: an agent that does not read its stdin
// stops only those who write to it.
//
// # Paths, lines, numbers
//
// Paths are absolute, line numbers 1-based, as the protocol has them.
package wire
