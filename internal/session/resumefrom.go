package session

import (
	"slices"
	"strings"
	"time"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// changedSince returns the state from which a text came that is none of those known: the last
// one, or the one before the edit which that was written for, if that was never made and the
// user has gone on without it; what that one lost is listed with it.
func changedSince(e journal.Entry, found text.Text, now func() time.Time) (*review.Doc, []review.Hunk, *journal.Record, error) {
	last, err := review.UnmarshalState(e.Last.State, now)
	if err != nil || e.Last.Before == nil || e.Last.Before.Missing {
		return last, nil, &e.Last, err
	}
	// If nothing was undecided before: an agent's edit leaves the baseline alone.
	was := review.New(last.Baseline(), now)
	from := &journal.Record{}
	if e.Prev != nil && e.Prev.State != nil && e.Prev.Opaque == "" {
		if was, err = review.UnmarshalState(e.Prev.State, now); err != nil {
			return nil, nil, nil, err
		}
		from = e.Prev
	}
	if !sameText(e.Last.Before.Text, was.Text()) {
		return last, nil, &e.Last, nil
	}
	if !neverMade(was.Text(), last.Text(), found) {
		if strays(was, last, found) < strays(last, was, found) {
			return was, nil, from, nil // it takes back what an agent did, and what is found has that
		}
		return last, nil, &e.Last, nil
	}
	// Perhaps the edit was made after all, and its text is found yet. The state it made knows
	// that text, and can mostly be led back to what was before.
	lost := last.Resume(was.Text())
	if last.Baseline().Equal(was.Baseline()) && slices.Equal(pendingIDs(last), pendingIDs(was)) {
		return last, lost, from, nil
	}
	return was, nil, from, nil
}

// undoneTo returns the last state, led back to the text in front of the edit that it was written
// for: perhaps that was made and undone, and may be redone. Of that text nothing else must follow
// from it than from the record in front of it, which is nil if nothing was undecided. Nil: it does.
func undoneTo(e *journal.Entry, from *journal.Record, found text.Text, now func() time.Time) (*review.Doc, *journal.Record) {
	if e.Last.State == nil || e.Last.Opaque != "" || e.Last.Before.Missing {
		return nil, nil
	}
	last, err := review.UnmarshalState(e.Last.State, now)
	if err != nil || !last.Had(found) {
		return nil, nil
	}
	was := review.New(found, now)
	if from == nil {
		from = &journal.Record{Path: e.Last.Path, Time: e.Last.Time}
	} else if was, err = review.UnmarshalState(from.State, now); err != nil {
		return nil, nil
	}
	if last.ResumeBefore(found); last.Baseline().Equal(was.Baseline()) && slices.Equal(pendingIDs(last), pendingIDs(was)) {
		return last, from
	}
	return nil, nil
}

// strays is how many rows of a text are an agent's in d or in other, and would be taken for the
// user's if the text came from d.
func strays(d, other *review.Doc, found text.Text) int {
	agents := map[string]bool{}
	each := func(d *review.Doc, f func(row string)) {
		for _, h := range d.Hunks(review.StatePending) {
			for _, row := range linediff.Split(h.Text) {
				if strings.TrimSpace(row) != "" {
					f(strings.TrimRight(row, "\r\n"))
				}
			}
		}
	}
	for _, d := range []*review.Doc{d, other} {
		each(d, func(row string) { agents[row] = true })
	}
	n := 0
	for _, row := range found.Lines(0, found.LineCount()) {
		if agents[row] {
			n++
		}
	}
	d = d.Clone()
	d.Resume(found)
	each(d, func(row string) {
		if agents[row] {
			n--
		}
	})
	return n
}

func pendingIDs(d *review.Doc) []string {
	var ids []string
	for _, h := range d.Hunks(review.StatePending, review.StateConflict) {
		ids = append(ids, h.ID)
	}
	return ids
}

// neverMade reports whether nothing is to be seen in a text of the edit that makes after of
// before: no row of it, and all that it takes out is there.
func neverMade(before, after, found text.Text) bool {
	rows := func(t text.Text) []string { return t.Lines(0, t.LineCount()) }
	old, now := rows(before), rows(found)
	taken, put := map[int]bool{}, map[string]bool{}
	for _, d := range linediff.Diff(old, rows(after)) {
		for i := d.A0; i < d.A1; i++ {
			taken[i] = true
		}
		for _, s := range rows(after)[d.B0:d.B1] {
			put[s] = true
		}
	}
	for _, d := range linediff.Diff(old, now) {
		for i := d.A0; i < d.A1; i++ {
			if taken[i] {
				return false
			}
		}
		if slices.ContainsFunc(now[d.B0:d.B1], func(s string) bool { return put[s] }) {
			return false
		}
	}
	return true
}
