package session

import (
	"slices"

	"acp-ls/internal/review"
)

// reasonConflict is why a conflict among other hunks is not accepted.
const reasonConflict = "you have changed the same place: decide on that conflict by itself, or take mine, theirs or both"

// soleHunk reports whether just one of these IDs is that of an undecided hunk; others may be
// those of files.
func (c *Core) soleHunk(ids []string) bool {
	n := 0
	for _, f := range c.allFiles() {
		f.mu.Lock()
		for _, h := range f.hunks() {
			if slices.Contains(ids, h.ID) {
				n++
			}
		}
		f.mu.Unlock()
	}
	return n == 1
}

// conflict says what to do about a conflict that is meant: it is taken along, or left open.
func (how *decision) conflict(id string, out *Decision) {
	if how.conflicts == review.TakeMine || how.sole {
		how.contested = append(how.contested, id)
		return
	}
	out.Refused = append(out.Refused, Refusal{ID: id, Reason: reasonConflict})
}

// do carries the decision out.
func (how decision) do(d *review.Doc, ids []string) ([]string, []review.Refusal) {
	done, refused := how.apply(d, ids)
	for _, id := range how.contested {
		if err := d.Resolve(id, how.conflicts); err != nil {
			refused = append(refused, review.Refusal{ID: id, Reason: err.Error()})
		} else {
			done = append(done, id)
		}
	}
	return done, refused
}

// whyNot says why a hunk is not in the state that a decision needs.
func (c *Core) whyNot(id string, state review.State) string {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		var is review.State
		if f.doc != nil {
			for _, h := range f.doc.Hunks() {
				if h.ID == id {
					is = h.State
				}
			}
		}
		f.mu.Unlock()
		if is != "" {
			return "it is " + string(is) + ", not " + string(state)
		}
	}
	return "it is not " + string(state) + " any more: look again"
}
