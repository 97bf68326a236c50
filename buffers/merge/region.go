package merge

import "acp-ls/buffers/linediff"

// A region is a part of the base that changed on one side, or on both by edits that overlap
// or touch, with what the two sides have in its place.
type region struct {
	base, ours, theirs   [2]int
	ourEdits, theirEdits []linediff.Edit // one of the two may be empty
}

// regions sorts the edits of both sides into regions, ascending. At least one unchanged row
// lies between any two.
func regions(ours, theirs []linediff.Edit) []region {
	var out []region
	var shiftOurs, shiftTheirs int // where a row of base stands on each side, less where it stood
	for len(ours)+len(theirs) > 0 {
		from := start(ours, theirs)
		to := from
		i, j := 0, 0
		for {
			if i < len(ours) && ours[i].A0 <= to {
				to = max(to, ours[i].A1)
				i++
			} else if j < len(theirs) && theirs[j].A0 <= to {
				to = max(to, theirs[j].A1)
				j++
			} else {
				break
			}
		}
		r := region{base: [2]int{from, to}, ourEdits: ours[:i], theirEdits: theirs[:j]}
		r.ours[0], r.theirs[0] = from+shiftOurs, from+shiftTheirs
		shiftOurs += growth(r.ourEdits)
		shiftTheirs += growth(r.theirEdits)
		r.ours[1], r.theirs[1] = to+shiftOurs, to+shiftTheirs
		out = append(out, r)
		ours, theirs = ours[i:], theirs[j:]
	}
	return out
}

// start returns the first row of base that either side changed.
func start(ours, theirs []linediff.Edit) int {
	switch {
	case len(ours) == 0:
		return theirs[0].A0
	case len(theirs) == 0:
		return ours[0].A0
	}
	return min(ours[0].A0, theirs[0].A0)
}

// growth returns how many rows more there are after the edits.
func growth(edits []linediff.Edit) int {
	n := 0
	for _, e := range edits {
		n += (e.B1 - e.B0) - (e.A1 - e.A0)
	}
	return n
}
