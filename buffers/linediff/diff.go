package linediff

import (
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// Edit says that rows a[A0:A1] became b[B0:B1]. One of the two may be empty, never both.
type Edit struct{ A0, A1, B0, B1 int }

const (
	// maxRows bounds what is searched for common rows: both sides together, without the
	// common rows at the start and the end.
	maxRows = 1_000_000

	// slideRows is how far into the common start and end an edit may be slid to find a
	// better boundary. The library slides no group farther.
	slideRows = 100
)

// Diff returns the edits that turn a into b, ascending; at least one common row lies
// between any two. Rows are compared as they are given.
//
// The edits are near to the fewest possible, except that
//   - texts that have much in common, but in another order, are compared only by the rows
//     that are unique in both, and often come out as one edit: if the rows that are in both
//     make more than 16,000,000 pairs, are repetitive (less than a quarter of them distinct)
//     or more than 100,000, and more than 2,000 of them would have to be deleted and inserted;
//   - where more than 1,000,000 rows are left between the common start and the common end,
//     those are one edit.
func Diff(a, b []string) []Edit {
	start, end := trim(a, b)
	midA, midB := len(a)-start-end, len(b)-start-end
	switch {
	case midA == 0 && midB == 0:
		return nil
	case midA+midB > maxRows:
		return []Edit{{start, len(a) - end, start, len(b) - end}}
	}
	start -= min(start, slideRows)
	end -= min(end, slideRows)
	compare := dense
	if midA*midB > rowBudget.pairs {
		compare = sparse
	}
	edits := compare(a[start:len(a)-end], b[start:len(b)-end])
	for i, e := range edits {
		edits[i] = Edit{e.A0 + start, e.A1 + start, e.B0 + start, e.B1 + start}
	}
	return edits
}

// dense compares short texts, by the library alone.
func dense(a, b []string) []Edit {
	mode := []diff.Option{diff.Context(0), textdiff.IndentHeuristic()}
	start, end := trim(a, b)
	if rowBudget.exceeded(a[start:len(a)-end], b[start:len(b)-end]) {
		mode = append(mode, diff.Fast())
	}
	x, y := join(a, b)
	hunks := textdiff.Hunks(x, y, mode...)
	edits := make([]Edit, len(hunks))
	for i, h := range hunks {
		edits[i] = Edit{h.LineNoX, h.EndLineNoX, h.LineNoY, h.EndLineNoY}
	}
	return edits
}

// Apply returns b, made from the rows of a and the rows that the edits take from b. It
// exists for those that know only the edits' side of b; edits must be ascending.
func Apply(a, b []string, edits []Edit) []string {
	out := make([]string, 0, len(b))
	from := 0
	for _, e := range edits {
		out = append(out, a[from:e.A0]...)
		out = append(out, b[e.B0:e.B1]...)
		from = e.A1
	}
	return append(out, a[from:]...)
}

// trim returns the number of rows (or tokens) common to both at the start and at the end.
// The two never overlap.
func trim[T comparable](a, b []T) (start, end int) {
	n := min(len(a), len(b))
	for start < n && a[start] == b[start] {
		start++
	}
	for end < n-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}

// join makes texts of rows for the library, which compares texts line by line.
func join(a, b []string) (x, y string) {
	x, y = joinRows(a, nil), joinRows(b, nil)
	if strings.Count(x, "\n") == len(a) && strings.Count(y, "\n") == len(b) {
		return x, y
	}
	// Some row holds a line feed.
	escape := strings.NewReplacer("\\", "\\\\", "\n", "\\n")
	return joinRows(a, escape), joinRows(b, escape)
}

func joinRows(rows []string, escape *strings.Replacer) string {
	size := len(rows)
	for _, row := range rows {
		size += len(row)
	}
	var text strings.Builder
	text.Grow(size)
	for _, row := range rows {
		if escape != nil {
			row = escape.Replace(row)
		}
		text.WriteString(row)
		text.WriteByte('\n')
	}
	return text.String()
}
