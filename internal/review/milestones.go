package review

import (
	"cmp"
	"slices"

	"acp-ls/buffers/text"
)

// Of what is remembered, the texts around what was not the user's typing outlive the process:
// those that an undo or redo is likely to bring back, which are the ones in front of an agent's
// edit or a decision, and behind it.

// How much of what is remembered is in a state, at most.
const (
	maxMilestones     = 8         // moments
	maxMilestoneBytes = 256 << 10 // of all of them
	maxPassed         = 32        // operations whose moments are looked for
)

// milestones returns the moments around the last operations that were not the user's typing,
// the newest operation's first, of each text that others admits the newest one.
func (d *Doc) milestones(others func(*moment) bool) []*moment {
	var out []*moment
	add := func(i int) {
		if i < 0 || i >= len(d.memory) || len(out) == maxMilestones {
			return
		}
		is := func(m *moment) bool { return m.hash == d.memory[i].hash && m.len == d.memory[i].len }
		if !others(d.memory[i]) || slices.ContainsFunc(out, is) {
			return
		}
		for _, m := range slices.Backward(d.memory) {
			if is(m) {
				out = append(out, m)
				return
			}
		}
	}
	for _, seq := range slices.Backward(d.passed) {
		i, ok := slices.BinarySearchFunc(d.memory, seq, func(m *moment, seq uint64) int { return cmp.Compare(m.seq, seq) })
		if ok {
			add(i)
		}
		add(i - 1)
	}
	return out
}

// Remembers reports whether undo or redo may bring back an undecided change that is not there
// now, as far as [Doc.MarshalState] keeps what is needed for that.
func (d *Doc) Remembers() bool {
	if len(d.passed) == 0 || len(d.memory) == 0 {
		return false
	}
	if last := d.passed[len(d.passed)-1]; d.lookedBack != last {
		d.lookedBack, d.recallable = last, 0
		for _, m := range d.milestones(func(*moment) bool { return true }) {
			if m.seq >= d.recallable && undecidedIn(d.sinceDecided(m)) {
				d.recallable = m.seq + 1
			}
		}
	}
	return d.recallable > d.memory[0].seq
}

// kept returns the milestones as they are kept for another process, the newest first: with the
// decisions made since, and without that of the present text.
func (d *Doc) kept() []*moment {
	var out []*moment
	some := d.Tracking()
	for _, m := range d.milestones(d.elsewhere) {
		now := *m
		now.runs, now.conflicts = d.sinceDecided(m), d.conflictsOf(m)
		out = append(out, &now)
		some = some || undecidedIn(now.runs)
	}
	if !some {
		return nil
	}
	slices.SortFunc(out, func(a, b *moment) int { return cmp.Compare(b.seq, a.seq) })
	return out
}

// elsewhere reports whether m is of another text than the present one.
func (d *Doc) elsewhere(m *moment) bool { return m.hash != d.text.Hash() || m.len != d.text.Len() }

// fits reports whether m, which another process has taken down, can be of the text that has
// its hash.
func (m *moment) fits(t text.Text) bool {
	rows := t.LineCount()
	for _, r := range m.runs {
		if r.at+r.n > rows {
			return false
		}
		at := r.at
		for _, x := range r.rows {
			if !x.inText() {
				continue
			}
			if end := endingOf(t, at); t.Line(at) != x.text || end != noEnd && end != x.end {
				return false
			}
			at++
		}
	}
	return !slices.ContainsFunc(m.rejected, func(r *rejection) bool { return r.at+r.n > rows }) &&
		!slices.ContainsFunc(m.conflicts, func(c *conflict) bool { return c.at+c.n > rows })
}
