package merge

import (
	"slices"

	"acp-ls/buffers/linediff"
)

// Conflict is a place where both sides changed the same rows, or rows that touch, in
// different ways. It is about the rows that theirs changed: what ours changed right beside
// them is no part of it. The ranges are [from, to) in base, ours and theirs. Any of them may be
// empty, but Base and Theirs not both.
type Conflict struct {
	Base, Ours, Theirs [2]int
	At                 int  // the row of the merged text where Ours stands
	Beside             bool // ours has these rows as base has them, and changed others that touch
}

// Result is a merged text.
type Result struct {
	Rows      []string
	Conflicts []Conflict

	// FromTheirs are the ranges [from, to) of Rows that came from theirs, ascending and not
	// touching each other. Rows that both sides have made are not among them.
	FromTheirs [][2]int
}

// Options change what counts as a conflict. The zero value is the rule of the package.
type Options struct {
	// WhitespaceYields lets a change of nothing but white space give way where it meets a
	// change by the other side: the other side's rows are taken as they are, and what else
	// the change did is kept. Where white space meets white space ours is kept.
	WhitespaceYields bool

	// Whole has each conflict as large as git has it, with all changes of both sides that touch.
	Whole bool

	// Ends merges the line ends of whole texts too, instead of leaving them those of ours: see [TextsWith].
	Ends bool
}

// Merge merges ours and theirs, which both came from base.
func Merge(base, ours, theirs []string) Result {
	return MergeWith(base, ours, theirs, Options{})
}

// MergeWith is [Merge] with options.
func MergeWith(base, ours, theirs []string, opts Options) Result {
	m := mergeRows(base, ours, theirs, opts)
	rows := make([]string, 0, m.size)
	for _, p := range m.parts {
		rows = append(rows, m.rows(p)...)
	}
	return m.result(rows)
}

type side int

const (
	ofBase side = iota
	ofOurs
	ofTheirs
)

// A part is a run of rows [from, to) of one of the three texts.
type part struct {
	side     side
	from, to int
}

// merger writes a merged text, as a list of parts, from its start to its end.
type merger struct {
	texts     [3][]string // by side
	parts     []part
	size      int // rows of all parts
	conflicts []Conflict

	ourEdits, theirEdits []linediff.Edit // of base
}

func mergeRows(base, ours, theirs []string, opts Options) *merger {
	m := &merger{texts: [3][]string{ofBase: base, ofOurs: ours, ofTheirs: theirs}}
	at := 0 // rows of ours that are dealt with
	m.ourEdits, m.theirEdits = align(base, ours, theirs)
	for _, r := range regions(m.ourEdits, m.theirEdits) {
		// Between regions all three are the same. Ours it is, as it may have more to it
		// than the rows, such as the line ends.
		m.add(ofOurs, at, r.ours[0])
		m.settle(r, opts)
		at = r.ours[1]
	}
	m.add(ofOurs, at, len(ours))
	return m
}

func (m *merger) settle(r region, opts Options) {
	ours, theirs := part{ofOurs, r.ours[0], r.ours[1]}, part{ofTheirs, r.theirs[0], r.theirs[1]}
	switch {
	case len(r.theirEdits) == 0 || slices.Equal(m.rows(ours), m.rows(theirs)):
		m.add(ofOurs, ours.from, ours.to)
		return
	case len(r.ourEdits) == 0:
		m.add(ofTheirs, theirs.from, theirs.to)
		return
	}
	if opts.WhitespaceYields {
		if pieces, ok := m.yield(r); ok {
			at := r.base[0]
			for _, p := range pieces {
				m.add(ofBase, at, p.A0)
				m.add(p.side, p.B0, p.B1)
				at = p.A1
			}
			m.add(ofBase, at, r.base[1])
			return
		}
	}
	if opts.Whole {
		m.conflicts = append(m.conflicts, Conflict{Base: r.base, Ours: r.ours, Theirs: r.theirs, At: m.size})
	} else {
		m.conflicts = append(m.conflicts, m.cut(r)...)
	}
	m.add(ofOurs, ours.from, ours.to)
}

func (m *merger) add(side side, from, to int) {
	if from == to {
		return
	}
	m.size += to - from
	if last := len(m.parts) - 1; last >= 0 && m.parts[last].side == side && m.parts[last].to == from {
		m.parts[last].to = to
		return
	}
	m.parts = append(m.parts, part{side, from, to})
}

func (m *merger) rows(p part) []string { return m.texts[p.side][p.from:p.to] }

func (m *merger) result(rows []string) Result {
	r := Result{Rows: rows, Conflicts: m.conflicts}
	at := 0
	for _, p := range m.parts {
		end := at + p.to - p.from
		if p.side == ofTheirs {
			if last := len(r.FromTheirs) - 1; last >= 0 && r.FromTheirs[last][1] == at {
				r.FromTheirs[last][1] = end
			} else {
				r.FromTheirs = append(r.FromTheirs, [2]int{at, end})
			}
		}
		at = end
	}
	return r
}
