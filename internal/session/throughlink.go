package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
)

// A document stays open when an agent puts a link in the place of its file, and most editors save it
// through the link, to another file. What the user has typed and saved there is theirs all the same:
// when the link is rejected it stays, in the file that is put back.

// readThrough takes in that a document has been read through the link that stands in the place of its
// file: what the user types from now on is typed in t; mu is held.
func (f *file) readThrough(t text.Text) {
	if f.opaque == checkpoint.Link {
		f.entire.through = &t
	}
}

// withTyped is what is put back when the link in the place of a file is rejected, was being what the
// file was. typed: that is what the document was last saved with, and not what the file was; mu is held.
func (f *file) withTyped(was checkpoint.Copy) (back checkpoint.Copy, typed bool) {
	_, d, open := f.live()
	if !open || f.opaque != checkpoint.Link || !was.Exists || was.Opaque != "" || f.encoded != nil {
		return was, false
	}
	saved := d.Text
	if !clean(d) {
		if f.before == nil {
			return was, false
		}
		saved = f.before.Text
	}
	base := text.New(was.Content)
	if f.entire.through != nil {
		base = *f.entire.through
	}
	if buffers.NormHashText(base) == buffers.NormHashText(saved) {
		return was, false
	}
	m := merge.TextsWith(base.String(), saved.String(), was.Content, merge.Options{WhitespaceYields: true})
	back = was
	back.Content = buffers.KeepStyle(was.Content, m.Text)
	return back, m.Text == saved.String() && back.Content != was.Content
}
