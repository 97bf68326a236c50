// Package session is the core of acp-ls: sessions, turns, prompts, what the
// agent has seen of each file, permissions, and the one road by which any
// change reaches a text.
//
// It stands between two worlds it knows only by small interfaces. [Editor] is
// what it asks of an editor; package lspbridge implements it over LSP. [Agent]
// is what it asks of a running agent and [Host] what an agent may ask of it;
// package acpclient implements the first and calls the second over ACP. No wire
// type of either protocol is known here.
//
//	lspbridge ──calls──▶ Core ◀──calls (Host)── acpclient
//	lspbridge ◀─Editor── Core ──Launcher,Agent─▶ acpclient
//	                      │
//	                review, buffers
//
// Who owns what. A file's text and changes belong to its [file]: one mutex,
// held for computing only, never while waiting for an editor, an agent, the
// disk or the user. A session's state belongs to its own mutex under the same
// rule. Values that leave the package are copies.
//
// Documents change only when an editor says so. To change one, the core
// computes the text it wants, asks the editor for the edit, and believes the
// document, not the editor's answer (see apply.go).
package session
