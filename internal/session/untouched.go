package session

import (
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"acp-ls/buffers"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// untouched are the conflicts in which the user has changed none of the rows, but rows that touch
// (merge.Conflict.Beside): what stands there is what both have come from, and not a change of
// anybody's to be kept beside theirs. The zero value is ready. As the ID of a conflict is made of
// its rows, to note one that comes to nothing does no harm.
type untouched struct {
	mu   sync.Mutex
	rows map[string]string // the hash of the rows, by the hunk
	ids  []string          // in the order in which they were noted
}

// maxUntouched bounds how many are remembered.
const maxUntouched = 5000

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

func (u *untouched) note(id, rows string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.rows == nil {
		u.rows = map[string]string{}
	}
	if _, known := u.rows[id]; !known {
		u.ids = append(u.ids, id)
	}
	u.rows[id] = rows
	if len(u.ids) > maxUntouched {
		delete(u.rows, u.ids[0])
		u.ids = u.ids[1:]
	}
}

// has reports whether what stands in the place of a conflict still is what both have come from.
func (u *untouched) has(h review.Hunk) bool {
	u.mu.Lock()
	rows, known := u.rows[h.ID]
	u.mu.Unlock()
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

// kept is what the record of d has of those that it lists; nil: it lists none.
func (u *untouched) kept(d *review.Doc) map[string]string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.rows) == 0 {
		return nil
	}
	var out map[string]string
	for _, h := range d.Hunks(review.StateConflict, review.StateRejected) {
		if rows, known := u.rows[h.ID]; known {
			if out == nil {
				out = map[string]string{}
			}
			out[h.ID] = rows
		}
	}
	return out
}

func hashOfRows(rows string) string {
	h := buffers.NormHash(strings.Join(rowsOf(rows), "\n"))
	return hex.EncodeToString(h[:12])
}
