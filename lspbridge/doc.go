// Package lspbridge is the editor's side of acp-ls: a language server that shows
// sessions, questions and reviews to one editor, and tells the core what the
// user types, asks and decides.
//
//	editor ──requests, notifications──▶ editor.handle ──▶ Core, Attachment
//	editor ◀──acp/*, LSP────────────── outbox, call  ◀── Core (session.Editor)
//
// Inwards, everything is handled in the order of the wire (dispatch.go). The
// four document notifications are applied on the read loop; a request starts,
// on a goroutine of its own, after all that came before it has been applied.
// Commands go through a turnstile before they run: a prompt holds back what follows
// until it has its place in the queue, so that prompts run as they were sent. No
// message ends the connection: bad ones are logged, and answered if they ask.
//
// Outwards, what the core tells is put into the outbox (outbox.go, lane.go),
// which joins and replaces what the editor has not read yet, and never makes the
// core wait. What the core asks is a call that ends with its context, whatever
// the editor does. One goroutine writes (stream.go), so what is queued first
// arrives first.
//
// What an editor can do beyond LSP it says in experimental.acp; the commands and
// messages, with their types, are the rows of one table (methods.go), from which
// docs/editor-contract.md is made. Everything has a form in plain LSP too: one
// file for each (diagnostics.go, codeaction.go, codelens.go, hover.go,
// completion.go, permission.go, progress.go).
//
// Lines are 0-based; characters count units of the encoding that initialize
// agreed on, UTF-8 if the editor offers it, else UTF-16.
package lspbridge
