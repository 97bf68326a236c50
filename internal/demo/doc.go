// Package demo is an agent that needs no account and no network: it speaks the
// Agent Client Protocol on stdio like any other, but follows rules instead of a
// model. It is what acp-ls starts until the user names another agent, and what
// its own demonstration and tests work with.
//
// It reads files through the client, says of them what can be read off (their
// outline, marks, counts, where something stands), and makes the small changes
// that need no understanding: renaming a word, sorting imports, writing the doc
// comments a signature dictates, and the like (package code). It runs commands
// in the client's terminals, after asking. It never claims to know more.
//
// Being an agent it speaks ACP itself, with the types of acpclient/wire; of the client that
// it is built together with it knows nothing else.
//
//	agent.go    the connection and its methods
//	session.go  what is kept of a conversation; modes
//	turn.go     one turn: streaming, tool calls, permission
//	request.go  what the user wants, by rules
//	context.go  which files it is about
//	edits.go, answers.go, search.go, commands.go   the doing
package demo
