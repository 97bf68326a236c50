package review

import (
	"slices"
)

// Moments share most of what they have with the state, and with each other. So in what is
// kept of them a row, a run, a rejected hunk or a conflict is its number among those that were
// written before, counted from 1, or 0 and it follows.

// written is what an encoder has written, or a decoder read.
type written struct {
	rows      []row
	runs      [][]row
	rejected  []*rejection
	conflicts []*conflict
}

// places are where of it things are.
type places struct {
	rows      map[uint64][]int // by id
	runs      map[*row]int     // by the first row
	rejected  map[string]int   // by id
	conflicts map[string]int   // by id
}

// since is in how many of the moments that are kept a conflict was listed already.
func (e *encoder) since(c *conflict) int {
	n := 0
	for _, m := range e.kept {
		if m.seq >= c.made {
			n++
		}
	}
	return n
}

// milestones writes the moments that are kept, as far as there is room for them.
func (e *encoder) milestones() {
	state, n := e.b, 0
	e.b = nil
	if len(e.kept) > 0 {
		e.places = places{map[uint64][]int{}, map[*row]int{}, map[string]int{}, map[string]int{}}
		for i, r := range e.written.rows {
			e.places.rows[r.id] = append(e.places.rows[r.id], i)
		}
		for i, r := range e.written.runs {
			e.places.runs[&r[0]] = i
		}
		for i, r := range e.written.rejected {
			e.places.rejected[r.hunk.ID] = i
		}
		for i, c := range e.written.conflicts {
			e.places.conflicts[c.id] = i
		}
	}
	for _, m := range e.kept {
		from := len(e.b)
		e.moment(m)
		if len(e.b) > maxMilestoneBytes {
			e.b = e.b[:from]
			break
		}
		n++
	}
	moments := e.b
	e.b = state
	e.int(n)
	e.b = append(e.b, moments...)
}

func (e *encoder) moment(m *moment) {
	e.b = append(e.b, m.hash[:]...)
	e.int(m.len)
	e.num(uint64(m.tail))
	e.int(len(m.runs))
	for _, r := range m.runs {
		e.int(r.at)
		if i, ok := e.places.runs[&r.rows[0]]; ok && len(e.written.runs[i]) == len(r.rows) {
			e.int(i + 1)
			continue
		}
		e.int(0)
		e.int(len(r.rows))
		for _, x := range r.rows {
			e.rowOnce(x)
		}
		e.places.runs[&r.rows[0]] = len(e.written.runs)
		e.written.runs = append(e.written.runs, r.rows)
	}
	e.int(len(m.rejected))
	for _, r := range m.rejected {
		if i, ok := e.places.rejected[r.hunk.ID]; ok && r.alike(e.written.rejected[i]) {
			e.int(i + 1)
			e.int(r.at)
			e.int(r.n)
			continue
		}
		e.int(0)
		e.places.rejected[r.hunk.ID] = len(e.written.rejected)
		e.rejection(r)
	}
	e.int(len(m.conflicts))
	for _, c := range m.conflicts {
		if i, ok := e.places.conflicts[c.id]; ok && c.alike(e.written.conflicts[i]) {
			e.int(i + 1)
			e.int(c.at)
			e.int(c.n)
			e.flag(c.declined)
			continue
		}
		e.int(0)
		e.places.conflicts[c.id] = len(e.written.conflicts)
		e.conflict(c)
	}
}

// rowOnce writes a row, or which one it is.
func (e *encoder) rowOnce(r row) {
	for _, i := range e.places.rows[r.id] {
		if r.equal(e.written.rows[i]) {
			e.int(i + 1)
			return
		}
	}
	e.int(0)
	e.places.rows[r.id] = append(e.places.rows[r.id], len(e.written.rows))
	e.row(r, true)
}

func (r row) equal(x row) bool {
	return r.text == x.text && r.end == x.end && r.ins == x.ins && r.del == x.del && r.id == x.id && r.mine == x.mine && r.carried == x.carried &&
		(r.was == x.was || r.was != nil && x.was != nil && *r.was == *x.was) && slices.Equal(r.user, x.user)
}

// alike reports whether r is x but for its place.
func (r *rejection) alike(x *rejection) bool {
	return r == x || r.hunk.ID == x.hunk.ID && r.hunk.Lost == x.hunk.Lost && r.was == x.was && r.lead == x.lead &&
		slices.Equal(r.before, x.before) && slices.Equal(r.after, x.after) &&
		slices.EqualFunc(r.rows, x.rows, func(a, b rejectedRow) bool {
			return a.chosen == b.chosen && a.stays == b.stays && a.row.equal(b.row)
		})
}

// alike reports whether c is x but for its place, and for whether it is declined.
func (c *conflict) alike(x *conflict) bool {
	return c == x || c.id == x.id && c.made == x.made && slices.Equal(c.instead, x.instead)
}

// milestones reads moments, and makes them what d remembers.
func (s *decoder) milestones(d *Doc) {
	var list []*moment
	for range s.count() {
		list = append(list, s.moment(d))
	}
	conflicts := d.conflicts
	for _, m := range slices.Backward(list) {
		d.begin()
		m.seq = d.seq
		d.memory = append(d.memory, m)
		d.memCost += m.cost
		conflicts = append(slices.Clip(conflicts), m.conflicts...)
	}
	for _, c := range conflicts {
		c.made = d.seq + 1 - min(c.made, d.seq)
	}
}

func (s *decoder) moment(d *Doc) *moment {
	m := &moment{eol: d.eol, foreign: true}
	if s.must(len(s.b) >= len(m.hash), "a hash is cut off"); s.err == nil {
		s.b = s.b[copy(m.hash[:], s.b):]
	}
	m.len, m.tail = s.int(), s.ending()
	next := -1
	for range s.count() {
		r := run{at: s.int()}
		if i := s.ref(len(s.written.runs)); i >= 0 {
			r.rows = s.written.runs[i]
		} else {
			for range s.count() {
				r.rows = append(r.rows, s.rowOnce())
			}
			m.cost += len(r.rows)
			s.written.runs = append(s.written.runs, r.rows)
		}
		r.n = textRows(r.rows)
		s.must(r.at > next, "a run out of its place")
		s.must(len(r.rows) > 0, "a run without rows")
		next = r.at + r.n
		m.runs = append(m.runs, r)
	}
	seen := map[uint64]bool{}
	for _, r := range m.runs {
		for _, x := range r.rows {
			s.must(x.stored() && !(x.undecided() && seen[x.id]), "a row that is none of a run, or twice")
			seen[x.id] = true
		}
	}
	listed := map[string]bool{}
	for range s.count() {
		var r *rejection
		if i := s.ref(len(s.written.rejected)); i >= 0 {
			known := *s.written.rejected[i]
			r = &known
			r.at, r.n = s.place(maxCount)
		} else {
			r = s.rejection(maxCount)
		}
		s.must(!listed[r.hunk.ID], "a hunk twice")
		listed[r.hunk.ID] = true
		m.rejected = append(m.rejected, r)
	}
	for range s.count() {
		var c *conflict
		if i := s.ref(len(s.written.conflicts)); i >= 0 {
			known := *s.written.conflicts[i]
			c = &known
			c.at, c.n = s.place(maxCount)
			c.declined = s.flag()
		} else {
			c = s.conflict(maxCount, 3)
		}
		s.must(!listed[c.id], "a hunk twice")
		listed[c.id] = true
		m.conflicts = append(m.conflicts, c)
	}
	return m
}

// ref reads the number of one of n things that were read before; -1: it follows.
func (s *decoder) ref(n int) int {
	i := s.int()
	if s.must(i <= n, "a thing that was not written before"); s.err != nil {
		return -1
	}
	return i - 1
}

func (s *decoder) rowOnce() row {
	if i := s.ref(len(s.written.rows)); i >= 0 {
		return s.written.rows[i]
	}
	return s.loose()
}
