// Package journal keeps on disk what must outlive the process: of each file with undecided
// changes the tracked state, written before an edit is made (design rule 11).
//
// There is one journal for each process and workspace: a file that is only ever appended to,
// beside a lock file that its process holds. When the process is gone, however it went, the
// lock is free, and the next process of the same workspace takes the journal over: it reads
// what it says, makes it its own, and then removes it. As long as the editor lives that had
// started the process, that is the next one of this editor, whose documents have the text.
// Journals of live processes are read only to name their files.
//
//	<state directory>/journal/<hash of the workspace>/<name>.journal
//	                                                  <name>.lock
//
// A journal begins with a magic number. A record is its length and its checksum (CRC-32C), 4
// bytes each, little-endian, and the payload. Of each path the last two records count: the
// last one says what was about to be, the one before it what was; and the last one of what the
// file had on the disk, to which an editor that is killed goes back. A record that the crash
// cut off ends the journal. When most of a journal is old news it is rewritten beside
// itself and renamed into place.
//
// What processes tell each other while they live is no journal, and lies beside: see Board.
//
// The package knows nothing of documents: a state is bytes. Its values may be used from any
// goroutine; writing blocks until the disk has it, so nobody should hold a lock meanwhile.
package journal
