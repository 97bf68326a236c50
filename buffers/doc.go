// Package buffers knows what text there is: the documents the editor has open, the files on disk, and how the two
// relate. It is the one place that answers "what does this file say?" with the user's unsaved work in it.
//
//	editor ──didOpen, didChange, didSave, didClose──▶ Store.Apply ──▶ Events (each text a document passed through)
//	                                                      │
//	 disk ──Store.Look──▶ what the file holds             ▼
//	                          └──────────────────▶ immutable Documents ──▶ Get, Live, Read
//
// A Document is a snapshot: it never changes, costs nothing to take and may be kept. The Store changes only when the
// editor says so, by the one function Apply, in the order of the wire; nothing in this package edits a document of its
// own accord. Apply does no input or output, so it may be called on the loop that reads from the editor. What needs
// the disk (resolving a path, comparing a document with its file, reading, writing) happens in the caller's goroutine.
//
// Two words carry most of the weight. A document is clean if its text equals the file as the editor last read or wrote
// it, leaving aside byte order mark, kind of line ends and one final line end; it is behind if it is clean but the
// file has moved on since. Both are computed by comparing NormHash values, so that a document brought back to its
// saved text by undo is clean again.
//
// A Path names a file whatever its spellings: absolute, cleaned, with every symbolic link resolved. Rows and limits of
// Read are 1-based as in ACP; everything else is 0-based, and offsets are in bytes.
package buffers
