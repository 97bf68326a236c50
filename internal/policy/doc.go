// Package policy decides, by the rules a user has configured, what an agent may
// do without being asked about. It is pure: no file is looked at, and paths are
// taken to be resolved already.
package policy
