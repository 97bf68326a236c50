package buffers

import "acp-ls/buffers/text"

// Unmoved reports whether the file of a document is what it was when it was last looked
// at, as far as its time, size and identity tell, and the NormHash of what that was. A
// file that had been written just before it was looked at may have been written again.
func (s *Store) Unmoved(d *Document) (norm text.Hash, ok bool) {
	if d.disk == nil || s.moved(d.Path(), d.disk) {
		return norm, false
	}
	return d.disk.norm.hash(), true
}
