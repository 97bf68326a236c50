package buffers

import "acp-ls/buffers/text"

// Unmoved reports whether the file of a document is what it was when it was last looked
// at, as far as its time, size and identity tell, and of what that was the NormHash and
// the ends. A file that had been written just before it was looked at may have been
// written again.
func (s *Store) Unmoved(d *Document) (norm text.Hash, ends Ends, ok bool) {
	if d.disk == nil || s.moved(d.Path(), d.disk) {
		return norm, ends, false
	}
	return d.disk.norm.hash(), d.disk.ends, true
}
