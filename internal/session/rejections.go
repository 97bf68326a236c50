package session

import (
	"sync/atomic"
	"time"

	"acp-ls/internal/review"
)

// rejections are the decisions that have rejected hunks, or changes of whole files, by number: the
// same for all that one decision has rejected, and a greater one for each that is made later, also by
// a later run. What has no number was taken away by something else, as git. The zero value is ready.
type rejections struct {
	noted[int64]
	last atomic.Int64
}

// begin returns the number of a decision that the user makes now.
func (r *rejections) begin(now time.Time) int64 {
	for {
		last := r.last.Load()
		if n := max(last+1, now.UnixMilli()); r.last.CompareAndSwap(last, n) {
			return n
		}
	}
}

// recall takes up what an earlier run has noted.
func (r *rejections) recall(of map[string]int64) {
	for id, n := range of {
		if was, known := r.get(id); !known || was < n {
			r.note(id, n)
		}
	}
}

// ofFile is the number beside a change of a whole file that was rejected.
func (r *rejections) ofFile(c FileChange) *FileChange {
	c.Decided, _ = r.get(c.ID)
	return &c
}

func hunkIDs(hunks []review.Hunk) []string {
	ids := make([]string, len(hunks))
	for i, h := range hunks {
		ids[i] = h.ID
	}
	return ids
}
