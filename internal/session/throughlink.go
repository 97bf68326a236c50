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
	base := f.linked(was)
	if buffers.NormHashText(base) == buffers.NormHashText(saved) {
		return was, false
	}
	m := merge.TextsWith(base.String(), saved.String(), was.Content, merge.Options{WhitespaceYields: true})
	back = was
	back.Content = buffers.KeepStyle(was.Content, m.Text)
	return back, m.Text == saved.String() && back.Content != was.Content
}

// linked is what the user's words in a document have been typed in since a link stands in the place of its
// file, which was being what that was; mu is held.
func (f *file) linked(was checkpoint.Copy) text.Text {
	if f.entire.through != nil {
		return *f.entire.through
	}
	return text.New(was.Content)
}

// baseline is the text as it would be if all that is undecided were rejected. What a document has read
// through a link that is undecided is no row of an agent's in it, and goes with the link; mu is held.
func (f *file) baseline() string {
	base, was := f.doc.Baseline().String(), f.entire.copy
	if f.opaque != checkpoint.Link || len(f.open) == 0 || was == nil || !was.Exists || was.Opaque != "" || f.encoded != nil {
		return base
	}
	linked := f.linked(*was).String()
	if buffers.NormHash(linked) == buffers.NormHash(was.Content) {
		return base
	}
	return buffers.KeepStyle(base, merge.TextsWith(linked, base, was.Content, merge.Options{WhitespaceYields: true}).Text)
}
