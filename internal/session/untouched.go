package session

import (
	"encoding/hex"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// untouched are the conflicts in which the user has changed none of the rows, but rows that touch
// (merge.Conflict.Beside), each with the hash of its rows: what stands there is what both have come
// from, and not a change of anybody's to be kept beside theirs.
type untouched struct{ noted[string] }

// addConflicts keeps what of theirs could not be merged into d's text; by says whose the rows of
// theirs in a conflict are. It returns the IDs of the hunks, one for each conflict of m.
func (u *untouched) addConflicts(d *review.Doc, by func(theirs string) review.Origin, m merge.TextResult, base, theirs string) []string {
	b, t := text.New(base), text.New(theirs)
	open := d.Hunks(review.StateConflict)
	ids := make([]string, 0, len(m.Conflicts))
	for _, k := range m.Conflicts {
		was, want := rowsIn(b, k.Base), rowsIn(t, k.Theirs)
		// What is proposed already may arrive once more: an agent whose write was
		// refused may write the disk all the same.
		var id string
		if i := slices.IndexFunc(open, func(h review.Hunk) bool {
			return h.StartLine == k.Ours[0] && h.EndLine == k.Ours[1] && slices.Equal(rowsOf(h.Text), rowsOf(want))
		}); i >= 0 {
			id = open[i].ID
		} else {
			id = d.AddConflict(by(want), k.Ours[0], k.Ours[1], was, want)
		}
		if ids = append(ids, id); k.Beside && was != "" {
			u.note(id, hashOfRows(was))
		}
	}
	return ids
}

// rowsIn are rows of t, with their line ends.
func rowsIn(t text.Text, r [2]int) string { return t.Slice(t.LineStart(r[0]), t.LineStart(r[1])) }

// has reports whether what stands in the place of a conflict still is what both have come from.
func (u *untouched) has(h review.Hunk) bool {
	rows, known := u.get(h.ID)
	return known && rows == hashOfRows(h.BaseText)
}

// resolve settles a conflict of d. With both of an untouched one it has what both sides have
// changed, which is what is theirs there.
func (u *untouched) resolve(d *review.Doc, id string, take review.Take) error {
	if take == review.TakeBoth && slices.ContainsFunc(d.Hunks(review.StateConflict), func(h review.Hunk) bool { return h.ID == id && u.has(h) }) {
		take = review.TakeTheirs
	}
	return d.Resolve(id, take)
}

func hashOfRows(rows string) string {
	h := buffers.NormHash(strings.Join(rowsOf(rows), "\n"))
	return hex.EncodeToString(h[:12])
}
