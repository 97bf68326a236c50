// Package acpclient is the agent's side of acp-ls: it starts agents, speaks the
// Agent Client Protocol with them, and turns what they say into the core's
// words (package session), which it never lets see a wire type.
//
//	launcher.go   what can be started, and starting it: process, initialize
//	agent.go      one running agent: the calls the core makes
//	handler.go    one running agent: what it asks of the core
//	convert.go    wire types to the core's, and back
//	catalog.go    the agents known by name
//	quirks.go     what single agents need and the protocol does not say
//	terminal.go   the programs agents run through us
//
// Package wire below it has the protocol itself, package proc the processes.
package acpclient
