// Package checkpoint knows what the files of a folder held before an agent could
// touch them, and so finds what has changed since, whoever changed it and whatever
// they say of it.
//
// In a git work tree that costs next to nothing: a file that git calls clean held
// what checkout would write of the commit that was HEAD (with line ends and other
// filters of the file's attributes); only what git shows as changed or untracked, or
// was told not to look at, is copied. Submodules and other repositories inside of it
// are work trees of their own. Elsewhere the folder is walked and its files are
// copied, within limits. The user's index, refs and locks are not touched.
//
// Files that cannot be shown as text (binary, large, or behind a filter such as
// LFS) are compared by hash: that they have changed is told, not how. Where there is
// a copy, or git has one, Restore brings it back. What git ignores is not watched, but
// for what is ignored only since then. If the repository is taken away, what was copied
// is compared all the same, and Note says that the rest is not.
//
// A Repo is the other side of git: what HEAD and the index have of some files now.
package checkpoint
