// Package policy decides, by the rules a user has configured, what an agent may
// do without being asked about it.
//
// It is pure: no file is looked at. Paths are taken to be absolute and resolved
// (links, letter case), which is the caller's work.
//
// An agent's request is its own description of what it is about to do, and a
// command line says little of what it will touch. So rules are read with a
// bias. What allows must speak of the whole request: every path, and a command
// that is one plain command. What asks or denies needs to fit any part of it.
// Where the two readings differ, the user is asked. A rule that denies is no
// wall: `sh -c` and a script hide commands from it.
package policy
