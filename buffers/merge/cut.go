package merge

import (
	"cmp"
	"slices"

	"acp-ls/buffers/linediff"
)

// A cluster is the edits of a region that cannot be parted, as each overlaps the one before.
type cluster struct {
	region
	last linediff.Edit // the one that reaches farthest
}

// cut returns the conflicts of a region, from whose start on the merged text has ours. What
// ours changed and theirs did not, be it that it touches, is in none of them.
func (m *merger) cut(r region) []Conflict {
	var out []Conflict
	beside := false // the last cluster was of ours alone
	for _, c := range clusters(r) {
		ours, theirs := m.texts[ofOurs][c.ours[0]:c.ours[1]], m.texts[ofTheirs][c.theirs[0]:c.theirs[1]]
		base := m.texts[ofBase][c.base[0]:c.base[1]]
		if slices.Equal(theirs, base) || slices.Equal(theirs, ours) {
			beside = true
			continue
		}
		k := Conflict{Base: c.base, Ours: c.ours, Theirs: c.theirs, Beside: slices.Equal(ours, base)}
		if last := len(out) - 1; last >= 0 {
			// Two of which ours has nothing, at one place, would have no order.
			if p := out[last]; !beside || p.Ours[0] == k.Ours[1] {
				k = Conflict{Base: span(p.Base, k.Base), Ours: span(p.Ours, k.Ours), Theirs: span(p.Theirs, k.Theirs), Beside: !beside && p.Beside && k.Beside}
				out = out[:last]
			}
		}
		out, beside = append(out, k), false
	}
	if out == nil { // each change of theirs ours has too, by itself: as a whole they differ
		out = []Conflict{{Base: r.base, Ours: r.ours, Theirs: r.theirs}}
	}
	for i := range out {
		out[i].At = m.size + out[i].Ours[0] - r.ours[0]
	}
	return out
}

func span(p, q [2]int) [2]int { return [2]int{p[0], q[1]} }

// clusters parts the edits of a region, ascending. Unlike regions they may touch.
func clusters(r region) []cluster {
	type edit struct {
		linediff.Edit
		side side
	}
	var edits []edit
	for _, e := range r.ourEdits {
		edits = append(edits, edit{e, ofOurs})
	}
	for _, e := range r.theirEdits {
		edits = append(edits, edit{e, ofTheirs})
	}
	slices.SortStableFunc(edits, func(p, q edit) int { return cmp.Or(p.A0-q.A0, p.A1-q.A1) })

	var out []cluster
	for _, e := range edits {
		if last := len(out) - 1; last < 0 || !overlap(out[last].last, e.Edit) {
			out = append(out, cluster{region{base: [2]int{e.A0, e.A1}}, e.Edit})
		}
		c := &out[len(out)-1]
		if e.A1 >= c.base[1] {
			c.base[1], c.last = e.A1, e.Edit
		}
		if e.side == ofOurs {
			c.ourEdits = append(c.ourEdits, e.Edit)
		} else {
			c.theirEdits = append(c.theirEdits, e.Edit)
		}
	}
	shiftOurs, shiftTheirs := r.ours[0]-r.base[0], r.theirs[0]-r.base[0]
	for i := range out {
		c := &out[i]
		c.ours[0], c.theirs[0] = c.base[0]+shiftOurs, c.base[0]+shiftTheirs
		shiftOurs += growth(c.ourEdits)
		shiftTheirs += growth(c.theirEdits)
		c.ours[1], c.theirs[1] = c.base[1]+shiftOurs, c.base[1]+shiftTheirs
	}
	return out
}

// overlap reports whether two edits change a row both, or put rows in at the same place.
func overlap(p, q linediff.Edit) bool {
	if p.A0 == p.A1 && q.A0 == q.A1 {
		return p.A0 == q.A0
	}
	return p.A0 < q.A1 && q.A0 < p.A1
}
