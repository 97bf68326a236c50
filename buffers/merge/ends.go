package merge

import (
	"strings"

	"acp-ls/buffers/linediff"
)

// endsWriter writes a merged text of which the line ends are merged too.
type endsWriter struct {
	m       *merger
	sides   [3]parsed
	inBase  [3][]int // of each row of ours and of theirs which row of base it is, or has come in the place of; -1: none
	of      [3][]int // of each row of base which row of ours and of theirs it is; -1: none
	usual   lineEnd
	turned  lineEnd // what ours has turned all of its line ends to; noEnd if it has not
	clashes int
}

// textWithEnds is the merged text where line ends are merged too, and the number of rows in which they
// are in conflict; usual is for rows that have none.
func (m *merger) textWithEnds(b, o, t parsed, usual lineEnd) (string, int) {
	w := endsWriter{m: m, sides: [3]parsed{ofBase: b, ofOurs: o, ofTheirs: t}, usual: usual}
	for side, edits := range [3][]linediff.Edit{ofOurs: m.ourEdits, ofTheirs: m.theirEdits} {
		w.inBase[side], w.of[side] = pairs(edits, len(b.rows), len(w.sides[side].rows))
	}
	w.turned = w.turnedTo()
	var text strings.Builder
	text.Grow(len(o.rows) * 8)
	for k, p := range m.parts {
		for i := p.from; i < p.to; i++ {
			last := k == len(m.parts)-1 && i == p.to-1
			row, end := m.texts[p.side][i], w.end(p.side, i, last)
			if end == lf && row == "" && strings.HasSuffix(text.String(), "\r") {
				end = cr // or the two would be one line end
			}
			text.WriteString(row)
			text.WriteString(end.String())
		}
	}
	return text.String(), w.clashes
}

// end is the line end of a row of the merged text; last tells that it is its last one.
func (w *endsWriter) end(side side, i int, last bool) lineEnd {
	end, have := w.merged(side, i)
	b, o := w.sides[ofBase], w.sides[ofOurs]
	if last && !(side == ofOurs && i == len(o.rows)-1) && len(b.rows) > 0 && len(o.rows) > 0 && o.closed() != b.closed() {
		if !o.closed() {
			end = noEnd // which ours has taken away
		}
		last = !o.closed()
	}
	last = last && w.m.texts[side][i] != "" // without a line end that would be no row
	if end != noEnd || last {
		return end
	}
	for _, e := range have {
		if e != noEnd {
			return e
		}
	}
	return w.usual
}

// merged is the line end that a row gets as the sides have it, if it has one; have are all of them.
func (w *endsWriter) merged(side side, i int) (lineEnd, [3]lineEnd) {
	own := w.sides[side].ends[i]
	if side == ofBase {
		return own, [3]lineEnd{own}
	}
	k := w.inBase[side][i]
	other := ofOurs + ofTheirs - side
	if k < 0 || w.of[other][k] < 0 {
		if side == ofTheirs && own != noEnd && w.turned != noEnd {
			own = w.turned
		}
		return own, [3]lineEnd{own}
	}
	base, ours, theirs := w.sides[ofBase].ends[k], own, w.sides[other].ends[w.of[other][k]]
	if side == ofTheirs {
		ours, theirs = theirs, ours
	}
	have := [3]lineEnd{ours, theirs, base}
	if ours == base {
		return theirs, have
	}
	if theirs != base && theirs != ours && theirs != noEnd && ours != noEnd && base != noEnd {
		w.clashes++
	}
	return ours, have
}

// turnedTo is the kind of all line ends of ours, if ours has given it to rows of base that had another;
// else noEnd.
func (w *endsWriter) turnedTo() lineEnd {
	b, o := w.sides[ofBase], w.sides[ofOurs]
	if o.mixed() {
		return noEnd
	}
	for k, i := range w.of[ofOurs] {
		if i >= 0 && b.ends[k] != noEnd && o.ends[i] != noEnd && b.ends[k] != o.ends[i] {
			return o.ends[i]
		}
	}
	return noEnd
}

// pairs says of each of the n rows of b which of the m rows of a it is, or has come in the place of, and
// of each row of a which of b it is; -1: none.
func pairs(edits []linediff.Edit, m, n int) (ofB, ofA []int) {
	ofA, ofB = make([]int, m), make([]int, n)
	for i := range ofA {
		ofA[i] = -1
	}
	for i := range ofB {
		ofB[i] = -1
	}
	for _, r := range runs(edits, m) {
		for k := range r.n {
			ofA[r.a+k], ofB[r.b+k] = r.b+k, r.a+k
		}
	}
	for _, e := range edits {
		for k := 0; e.A1-e.A0 == e.B1-e.B0 && k < e.A1-e.A0; k++ {
			ofB[e.B0+k] = e.A0 + k
		}
	}
	return ofB, ofA
}
