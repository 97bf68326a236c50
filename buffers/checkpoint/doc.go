// Package checkpoint knows what the files of a folder held before an agent could
// touch them, and so finds what has changed since, whoever changed it and whatever
// they say of it.
//
// In a git work tree that costs next to nothing: a file that git calls clean held
// what checkout would write of the commit that was HEAD (with line ends and other
// filters of the file's attributes); only what git shows as changed or untracked is
// copied. Elsewhere the folder is walked and its text files are copied, within
// limits. The user's index, refs and locks are not touched.
//
// Files that cannot be shown as text (binary, large, or behind a filter such as
// LFS) are known by size and hash: that they have changed is told, not how. What
// git ignores is not watched.
package checkpoint
