package review

import (
	"slices"

	"acp-ls/buffers/text"
)

// Resume takes over the text that was found when the document's state, which was kept
// elsewhere, is taken up again (rule 11). The difference is an edit of the user's. Pending
// hunks of which it leaves no row are listed as rejected and Lost, and returned: they may be
// brought back like others.
func (d *Doc) Resume(t text.Text) []Hunk {
	d.settled()
	if d.text.Equal(t) {
		return nil
	}
	known := func(m mark) bool { return m != 0 && d.origins[m].Author != AuthorUnknown }
	list := d.rejections(func(r row) (ins, del bool) { return known(r.ins), known(r.del) })
	for _, r := range list {
		r.before, r.after = around(d.text, r.at, r.at+r.was)
		r.n, r.hunk.Lost = r.was, true
		d.rejected = append(slices.Clip(d.rejected), r) // where it moves along
	}
	d.userText(t, AuthorUser)
	d.settled()
	left := undecidedIDs(d.runs)
	var lost []Hunk
	d.rejected = slices.DeleteFunc(slices.Clone(d.rejected), func(r *rejection) bool {
		if !slices.ContainsFunc(list, func(x *rejection) bool { return x.hunk.ID == r.hunk.ID }) {
			return false
		}
		if slices.ContainsFunc(r.rows, func(x rejectedRow) bool { return x.chosen && left[x.id] }) {
			return true
		}
		lost = append(lost, r.hunk)
		return false
	})
	d.rev++
	d.listed = nil
	return lost
}
