// Package crashtest kills acp-ls, and sees what is left.
//
// Its tests run the program that users run, between a scripted editor and a scripted agent
// over real pipes, kill it with SIGKILL in the middle of something (and the editor too, or
// not), and start it again with the same state directory. What must then be so follows from
// a model that is told what each side did, row by row, and knows nothing of merges, marks
// and journals: the text is what was found, what a rejection would leave is exactly what the
// user had, and the same hunks are offered under the same ids.
//
// How often and when is bounded: a table of the points at which something can be half done,
// and random histories with a random moment (-kills, -killseed).
package crashtest
