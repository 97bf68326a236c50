package merge

import (
	"strings"

	"acp-ls/buffers/linediff"
)

// Words merges within one row, by words as [linediff.Words] has them. It returns false where
// changed words of the two sides overlap or touch, unless both sides made the same of them.
func Words(base, ours, theirs string) (string, bool) {
	var out strings.Builder
	at := 0
	for _, r := range regions(edits(linediff.Words(base, ours)), edits(linediff.Words(base, theirs))) {
		our, their := ours[r.ours[0]:r.ours[1]], theirs[r.theirs[0]:r.theirs[1]]
		out.WriteString(base[at:r.base[0]])
		switch {
		case len(r.theirEdits) == 0 || our == their:
			out.WriteString(our)
		case len(r.ourEdits) == 0:
			out.WriteString(their)
		default:
			return "", false
		}
		at = r.base[1]
	}
	out.WriteString(base[at:])
	return out.String(), true
}

func edits(spans []linediff.Span) []linediff.Edit {
	out := make([]linediff.Edit, len(spans))
	for i, s := range spans {
		out[i] = linediff.Edit(s)
	}
	return out
}
