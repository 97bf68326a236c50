package merge

import (
	"slices"

	"acp-ls/buffers/linediff"
)

// align returns the edits that made ours and theirs from base.
//
// Two comparisons with base, each good by itself, can disagree about what both sides have in
// common: where rows repeat, the same new rows may be found in two places, and would then be
// taken twice. This happens above all when ours already has what theirs brings. So of the
// three pairs of texts the two that differ least are compared, and the third follows.
func align(base, ours, theirs []string) (ourEdits, theirEdits []linediff.Edit) {
	ourEdits, theirEdits = linediff.Diff(base, ours), linediff.Diff(base, theirs)
	if !mayShare(ours, theirs, ourEdits, theirEdits) {
		return ourEdits, theirEdits
	}
	near, far := ours, theirs
	nearEdits, farEdits := &ourEdits, &theirEdits
	// Which side is called ours must make no difference.
	if d := count(ourEdits) - count(theirEdits); d > 0 || d == 0 && slices.Compare(ours, theirs) > 0 {
		near, far, nearEdits, farEdits = far, near, farEdits, nearEdits
	}
	if between := linediff.Diff(near, far); count(between) < count(*farEdits) {
		*farEdits = compose(base, near, far, *nearEdits, between)
	}
	return ourEdits, theirEdits
}

// mayShare reports whether both sides inserted some row, or deleted one, in common.
func mayShare(ours, theirs []string, ourEdits, theirEdits []linediff.Edit) bool {
	inserted := map[string]bool{}
	for _, e := range ourEdits {
		for _, row := range ours[e.B0:e.B1] {
			inserted[row] = true
		}
	}
	i := 0
	for _, e := range theirEdits {
		for i < len(ourEdits) && (ourEdits[i].A1 <= e.A0 || ourEdits[i].A0 == ourEdits[i].A1) {
			i++
		}
		if i < len(ourEdits) && ourEdits[i].A0 < e.A1 && e.A0 < e.A1 {
			return true
		}
		for _, row := range theirs[e.B0:e.B1] {
			if inserted[row] {
				return true
			}
		}
	}
	return false
}

// count returns the number of rows deleted and inserted.
func count(edits []linediff.Edit) int {
	n := 0
	for _, e := range edits {
		n += e.A1 - e.A0 + e.B1 - e.B0
	}
	return n
}

// compose returns the edits that make far from base, given those that make near from base,
// and far from near. What is not settled by these is compared anew.
func compose(base, near, far []string, first, second []linediff.Edit) []linediff.Edit {
	var out []linediff.Edit
	i, j := 0, 0 // rows of base and far that are dealt with
	upTo := func(row, farRow int) {
		for _, e := range linediff.Diff(base[i:row], far[j:farRow]) {
			out = append(out, linediff.Edit{A0: e.A0 + i, A1: e.A1 + i, B0: e.B0 + j, B1: e.B1 + j})
		}
	}
	// A row of near that is in base and in far pairs those two.
	x, y := runs(first, len(base)), runs(second, len(near))
	for len(x) > 0 && len(y) > 0 {
		p, q := x[0], y[0]
		from, to := max(p.b, q.a), min(p.b+p.n, q.a+q.n)
		if from < to {
			upTo(p.a+from-p.b, q.b+from-q.a)
			i, j = p.a+to-p.b, q.b+to-q.a
		}
		if p.b+p.n <= q.a+q.n {
			x = x[1:]
		} else {
			y = y[1:]
		}
	}
	upTo(len(base), len(far))
	return out
}

// A run is n rows that two texts have in common, from row a of the one and b of the other.
type run struct{ a, b, n int }

// runs returns what lies between edits of a text of n rows.
func runs(edits []linediff.Edit, n int) []run {
	out := make([]run, 0, len(edits)+1)
	a, b := 0, 0
	for _, e := range edits {
		out = append(out, run{a, b, e.A0 - a})
		a, b = e.A1, e.B1
	}
	return append(out, run{a, b, n - a})
}
