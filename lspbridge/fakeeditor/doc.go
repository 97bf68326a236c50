// Package fakeeditor is an editor for tests: a real LSP client over a stream,
// with buffers, a user who types into them, and the vices of real editors.
//
// It shares no code with what it tests: texts are strings, positions are counted
// one character at a time, edits are applied from the last to the first. Like
// most editors it does one thing at a time: what the server sends and what the
// user does happen in one order, which [Editor.Log] keeps.
//
// Tests do not sleep. [Editor.Await] returns when what was expected has come
// about, and otherwise, at the end of its context, fails with the log.
package fakeeditor
