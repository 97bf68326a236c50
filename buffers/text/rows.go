package text

import "fmt"

// Line returns row i without its terminator. It panics unless 0 <= i < LineCount(). Like Slice it may share memory
// with a chunk of t: clone what is kept for long.
func (t Text) Line(i int) string { return trimBreak(t.LineWithEnd(i)) }

// LineWithEnd returns row i with its terminator, of which the last row has none. It panics like Line.
func (t Text) LineWithEnd(i int) string {
	t.checkRow(i, t.LineCount()-1)
	return t.Slice(t.LineStart(i), t.LineStart(i+1))
}

// LineStart returns the offset at which row i starts; for i == LineCount() it is Len(). It panics unless
// 0 <= i <= LineCount().
func (t Text) LineStart(i int) int {
	t.checkRow(i, t.LineCount())
	if i == t.LineCount() {
		return t.Len()
	}
	if i == 0 {
		return 0
	}
	n, at := t.root, 0
	for !n.leaf() {
		if i <= n.left.breaks {
			n = n.left
		} else {
			i -= n.left.breaks
			at += n.left.bytes
			n = n.right
		}
	}
	return at + breakEnd(n.chunk, i)
}

// LineEnd returns the offset at which row i ends, in front of its terminator. It panics like Line.
func (t Text) LineEnd(i int) int {
	t.checkRow(i, t.LineCount()-1)
	start, end := t.LineStart(i), t.LineStart(i+1)
	tail := t.Slice(max(end-2, start), end)
	return end - len(tail) + len(trimBreak(tail))
}

// LineOf returns the row that holds the byte at offset; a terminator belongs to the row it ends, and Len() to the last
// row. It panics unless 0 <= offset <= Len().
func (t Text) LineOf(offset int) int {
	t.checkOffset(offset)
	if t.root == nil {
		return 0
	}
	n, row := t.root, 0
	for !n.leaf() {
		if offset < n.left.bytes {
			n = n.left
		} else {
			offset -= n.left.bytes
			row += n.left.breaks
			n = n.right
		}
	}
	// In the middle of a CRLF pair the row has not ended yet.
	return row + countBreaks(n.chunk[:safeCut(n.chunk, offset)])
}

// Lines returns the rows from <= i < to without their terminators. It panics unless 0 <= from <= to <= LineCount().
// The rows may share memory with the chunks of t.
func (t Text) Lines(from, to int) []string {
	t.checkRow(to, t.LineCount())
	t.checkRow(from, to)
	if from == to {
		return nil
	}
	rows := make([]string, 0, to-from)
	start, stop := t.LineStart(from), t.LineStart(to) // of the row being read, and of all
	at := start
	for chunk := range t.Chunks(start, stop) {
		for chunk != "" {
			end := rowEnd(chunk)
			row := trimBreak(chunk[:end])
			at += end
			if len(row) == end {
				break // the row goes on in the next chunk
			}
			if start < at-end {
				row = trimBreak(t.Slice(start, at))
			}
			rows = append(rows, row)
			start, chunk = at, chunk[end:]
		}
	}
	if len(rows) < to-from {
		rows = append(rows, t.Slice(start, stop)) // the last row of the text has no terminator
	}
	return rows
}

func (t Text) checkRow(i, last int) {
	if i < 0 || i > last {
		panic(fmt.Sprintf("text: row %d out of a text of %d rows", i, t.LineCount()))
	}
}
