package review

import (
	"slices"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// Reload takes over a text that changed as a whole: a reload by the editor, or an edit so large
// that it may be one. A change of the user's or of a formatter is treated as their edit,
// any other as an agent's; that of [AuthorUnknown] is not listed and not decided until
// [Doc.Relabel] says whose it is (rule 4).
func (d *Doc) Reload(newText text.Text, o Origin) { d.AgentEdit(newText, o) }

// Relabel names the origin of a change, which was unknown or not sure. A change that was the
// user's or a formatter's after all becomes their edit.
func (d *Doc) Relabel(change ChangeID, o Origin) {
	isIt := func(m mark) bool { return m != 0 && d.origins[m].Change == change }
	if !slices.ContainsFunc(d.origins[1:], func(x Origin) bool { return x.Change == change }) {
		return
	}
	d.begin()
	if o.Author.ours() {
		d.giveToUser(isIt, o.Author)
	}
	origins := slices.Clone(d.origins)
	for i := range origins {
		if isIt(mark(i)) {
			origins[i] = o
		}
	}
	d.origins = origins
	d.anchor = nil
	d.end()
}

// giveToUser makes the user's edit of what the marks isIt names did: run by run, it is taken
// back and done again by the user's rules.
func (d *Doc) giveToUser(isIt func(mark) bool, author Author) {
	var splices []splice
	for _, r := range d.runs {
		if !slices.ContainsFunc(r.rows, func(x row) bool { return isIt(x.ins) || isIt(x.del) }) {
			continue
		}
		w := d.window(r.at, r.at+r.n)
		e := userEvent{doc: d, lo: w.lo, author: author}
		g := group{window: w}
		g.rows = make([]row, 0, len(w.rows))
		var x linediff.Edit
		flush := func() {
			if x.A0 != x.A1 || x.B0 != x.B1 {
				g.edits = append(g.edits, x)
			}
			x = linediff.Edit{A0: len(e.old), A1: len(e.old), B0: len(e.new), B1: len(e.new)}
		}
		for _, r := range w.rows {
			ins, del := isIt(r.ins), isIt(r.del)
			before, now := r, r.inText()
			if del {
				before.del = 0
				if !before.undecided() {
					before = before.plain()
				}
			}
			if ins && r.del != 0 && !del { // the user's row, which another change took out
				before.ins, before.user = 0, nil
				ins = false
			}
			if !ins {
				g.rows = append(g.rows, before)
			}
			switch {
			case !ins && before.inText() && now: // untouched
				flush()
				e.old, e.new = append(e.old, before), append(e.new, before.plain())
				flush()
			case !ins && before.inText():
				e.old = append(e.old, before)
				x.A1++
			case ins && now:
				e.new = append(e.new, r.plain())
				x.B1++
			}
		}
		flush()
		e.relabelMoves(g.edits)
		splices = append(splices, splice{window: w, rows: d.settleRows(e.rows(g))})
	}
	d.put(splices)
}

// relabelMoves finds the rows that a change of one run moved (rule d), plain ones first.
func (e *userEvent) relabelMoves(edits []linediff.Edit) {
	e.moved, e.taken = map[int]row{}, map[int]bool{}
	plain, marked := map[string][]int{}, map[string][]int{}
	for _, x := range edits {
		for i := x.A0; i < x.A1; i++ {
			into := plain
			if e.old[i].agents() {
				into = marked
			}
			into[e.old[i].text] = append(into[e.old[i].text], i)
		}
	}
	for _, x := range edits {
		for b := x.B0; b < x.B1; b++ {
			s, from := e.new[b].text, plain
			if len(plain[s]) == 0 {
				from = marked
			}
			if len(from[s]) > 0 {
				e.moved[b], e.taken[from[s][0]] = e.old[from[s][0]], true
				from[s] = from[s][1:]
			}
		}
	}
}
