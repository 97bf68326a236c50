package review

import (
	"slices"

	"acp-ls/buffers/text"
)

// Formatted takes over what a formatter made of the text when that was saved for an agent: the
// text is newText now. It is the change of o, an agent's, as the user would not have saved just
// then, and had not asked for it. But a row that is an agent's already stays the change that
// put it in, and what the user typed in it stays theirs. The baseline stays as it was.
func (d *Doc) Formatted(newText text.Text, o Origin) {
	if d.text.Equal(newText) {
		return
	}
	d.formatAgents(newText)
	if !d.text.Equal(newText) {
		d.AgentEdit(newText, o)
		return
	}
	d.begin()
	d.anchor = nil
	d.end()
}

// formatAgents gives agents' rows the text that they have in newText, where each is known to
// be that row still.
func (d *Doc) formatAgents(newText text.Text) {
	lo, hi, nhi := changedRows(d.text, newText, 0)
	old, new := rowsOf(d.text, lo, hi), rowsOf(newText, lo, nhi)
	edits, _ := align(texts(old), texts(new), hi == d.text.LineCount())
	now := map[int]string{} // by row of the text
	for _, e := range edits {
		a, b := texts(old[e.A0:e.A1]), texts(new[e.B0:e.B1])
		if !changedInPlace(a, b) {
			continue
		}
		for i, s := range b {
			if s != a[i] {
				now[lo+e.A0+i] = s
			}
		}
	}
	if len(now) == 0 {
		return
	}
	t := d.text
	var windows []window
	for k, r := range slices.Backward(d.runs) {
		rows, at := slices.Clone(r.rows), r.at+r.n
		formatted := false
		for i, x := range slices.Backward(rows) {
			if !x.inText() {
				continue
			}
			at--
			s, ok := now[at]
			if !ok || !x.agents() {
				continue
			}
			flows, _ := flow([]row{x}, []string{s}, true)
			f := flows[0]
			if f.ins == 0 { // nothing of it is left
				continue
			}
			rows[i].text, rows[i].user = s, f.user
			t = t.Replace(d.text.LineStart(at), d.text.LineEnd(at), s)
			formatted = true
		}
		if formatted {
			windows = append(windows, window{lo: r.at, hi: r.at + r.n, first: k, last: k + 1, rows: rows})
		}
	}
	if len(windows) == 0 {
		return
	}
	slices.Reverse(windows)
	d.resettle(windows)
	d.text = t
}
