// Package bench measures acp-ls against what the machine can do at all. It holds
// nothing but benchmarks.
//
// An absolute time says little about a program and much about the machine it ran
// on. So each benchmark runs two things in turns, in one process: ours, and an
// anchor that does the least that could do the same job, such as the same bytes
// through a bare pipe, or what a user would run instead, such as git. What counts
// is the ratio of the two. The ratios that acp-ls is to reach stand beside them.
//
// All of it goes through the front door: an editor's end of a pipe, an agent that
// is a process of its own, the program as it is built. What only one package can
// see is measured in that package.
//
// Run them with `make bench`; docs/benchmarks.md says how to read the table.
package bench
