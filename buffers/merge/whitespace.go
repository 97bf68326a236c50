package merge

import (
	"slices"
	"strings"
	"unicode"

	"acp-ls/buffers/linediff"
)

// A piece is an edit of one side, or one row of such an edit.
type piece struct {
	linediff.Edit
	side    side
	blank   bool // changes nothing but white space
	row     bool // one row became one row, and blank
	dropped bool
}

// yield settles a region by dropping changes of white space. It returns the pieces that are
// left, ascending, and whether that settles it: not if other changes of both sides meet.
func (m *merger) yield(r region) ([]piece, bool) {
	ours, theirs := m.pieces(r.ourEdits, ofOurs), m.pieces(r.theirEdits, ofTheirs)
	first := 0 // of theirs, that may meet the rest of ours
	for i := range ours {
		our := &ours[i]
		for first < len(theirs) && theirs[first].A1 < our.A0 {
			first++
		}
		for j := first; j < len(theirs) && theirs[j].A0 <= our.A1; j++ {
			their := &theirs[j]
			switch {
			case !meet(our, their):
			case our.blank && !their.blank:
				our.dropped = true
			case their.blank, m.same(our, their):
				their.dropped = true
			default:
				return nil, false
			}
		}
	}
	kept := slices.DeleteFunc(slices.Concat(ours, theirs), func(p piece) bool { return p.dropped })
	slices.SortStableFunc(kept, func(p, q piece) int {
		if p.A0 != q.A0 {
			return p.A0 - q.A0
		}
		return p.A1 - q.A1
	})
	return kept, true
}

// pieces cuts edits of one side into pieces: an edit that changed the white space of some
// rows and left their number is one piece for each row.
func (m *merger) pieces(edits []linediff.Edit, side side) []piece {
	var out []piece
	for _, e := range edits {
		before, after := m.texts[ofBase][e.A0:e.A1], m.texts[side][e.B0:e.B1]
		if len(before) == len(after) && slices.EqualFunc(before, after, sameInk) {
			for i := range before {
				row := linediff.Edit{A0: e.A0 + i, A1: e.A0 + i + 1, B0: e.B0 + i, B1: e.B0 + i + 1}
				out = append(out, piece{Edit: row, side: side, blank: true, row: true})
			}
			continue
		}
		blank := sameInk(strings.Join(before, " "), strings.Join(after, " "))
		out = append(out, piece{Edit: e, side: side, blank: blank})
	}
	return out
}

// meet reports whether two pieces of different sides cannot both be had. Beside a piece that
// is one row for one row there is room; others must not even touch.
func meet(p, q *piece) bool {
	if p.row || q.row {
		return p.A0 < q.A1 && q.A0 < p.A1
	}
	return p.A0 <= q.A1 && q.A0 <= p.A1
}

// same reports whether two pieces turn the same rows into the same.
func (m *merger) same(p, q *piece) bool {
	return p.A0 == q.A0 && p.A1 == q.A1 &&
		slices.Equal(m.texts[p.side][p.B0:p.B1], m.texts[q.side][q.B0:q.B1])
}

// sameInk reports whether a and b differ in white space at most.
func sameInk(a, b string) bool { return strings.Map(ink, a) == strings.Map(ink, b) }

func ink(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return r
}
