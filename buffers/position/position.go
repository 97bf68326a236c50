// Package position converts between byte offsets, which acp-ls uses inside, and the positions an editor speaks: a row and
// a column counted in code units of UTF-8, UTF-16 or UTF-32. It is the only package that knows these encodings.
//
// Functions are named FromTo. All of them forgive, because an editor's idea of a text may be older than ours: what lies
// behind the end of a row means the end of the row, in front of its terminator; what lies behind the last row means the
// end of the text; the middle of a code point (or of a surrogate pair) means its start. A byte that is not valid UTF-8
// is one code unit in each encoding, as U+FFFD is in UTF-16 and UTF-32.
//
// The cost does not depend on the size of the text or of the row: at most a few kilobytes are looked at.
package position

import (
	"fmt"
	"unicode/utf8"

	"acp-ls/buffers/text"
)

// Encoding says what a column counts (LSP's PositionEncodingKind) and where a row ends. The zero value is LSP's default.
type Encoding uint8

const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// LFRows, added to an encoding as in UTF16|LFRows, is for editors whose rows end at "\n" alone, against the letter of
// LSP: a lone "\r" is a character like others there, and so is the one in front of "\n" as far as there are columns for
// it. Neovim sends such positions for every file with mixed line ends, and with LSP's rows its edits would go astray.
// Where "\r\n" ends all rows the two agree on all positions that do not lie past the end of a row.
const LFRows Encoding = 1 << 7

var encodingNames = [...]string{UTF16: "utf-16", UTF8: "utf-8", UTF32: "utf-32"}

// String returns LSP's name of e, such as "utf-16", with a word about the rows if they are not LSP's.
func (e Encoding) String() string {
	name := fmt.Sprintf("Encoding(%d)", uint8(e.columns()))
	if int(e.columns()) < len(encodingNames) {
		name = encodingNames[e.columns()]
	}
	if e&LFRows != 0 {
		name += " in rows by LF"
	}
	return name
}

// columns returns e without what it says about rows.
func (e Encoding) columns() Encoding { return e &^ LFRows }

// row returns where the content of a row starts and ends, or false if t has no such row.
func (e Encoding) row(t text.Text, i uint32) (start, end int, ok bool) {
	if e&LFRows == 0 {
		if uint64(i) >= uint64(t.LineCount()) {
			return 0, 0, false
		}
		return t.LineStart(int(i)), t.LineEnd(int(i)), true
	}
	switch last := uint64(t.FeedCount()); {
	case uint64(i) > last:
		return 0, 0, false
	case uint64(i) == last:
		return t.FeedStart(int(i)), t.Len(), true
	}
	return t.FeedStart(int(i)), t.FeedStart(int(i)+1) - 1, true
}

// rowOf returns the row that holds the byte at offset.
func (e Encoding) rowOf(t text.Text, offset int) int {
	if e&LFRows == 0 {
		return t.LineOf(offset)
	}
	return t.FeedsBefore(offset)
}

// ParseEncoding returns the encoding that LSP calls name.
func ParseEncoding(name string) (Encoding, error) {
	for e, n := range encodingNames {
		if n == name {
			return Encoding(e), nil
		}
	}
	return 0, fmt.Errorf("position encoding %q: want utf-8, utf-16 or utf-32", name)
}

// Position is a place between two characters. Both members are 0-based; Character counts code units from the start of
// the row.
type Position struct {
	Line, Character uint32
}

// Compare returns a negative number, zero or a positive number as p lies before, at or behind q.
func (p Position) Compare(q Position) int {
	a, b := uint64(p.Line)<<32|uint64(p.Character), uint64(q.Line)<<32|uint64(q.Character)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Range is the stretch from Start up to but excluding End.
type Range struct {
	Start, End Position
}

// longRow is the length in bytes from which the sums of the text's tree are used instead of a look at the row.
const longRow = 512

// PositionOffset returns the byte offset in t that p means.
func PositionOffset(t text.Text, p Position, e Encoding) int {
	start, end, ok := e.row(t, p.Line)
	if !ok {
		return t.Len()
	}
	e = e.columns()
	if uint64(p.Character) >= uint64(end-start) {
		return end // no code unit takes less than a byte
	}
	column := int(p.Character)
	if e == UTF8 {
		return t.RuneStart(start + column)
	}
	if end-start < longRow {
		return start + stringByte(t.Slice(start, end), column, e)
	}
	if e == UTF32 {
		return min(t.RuneByte(min(t.RuneOffset(start)+column, t.RuneCount())), end)
	}
	return min(t.UTF16Byte(min(t.UTF16Offset(start)+column, t.UTF16Len())), end)
}

// OffsetPosition returns the position of the byte offset in t. An offset inside a terminator gives the end of its row,
// one inside a code point the start of it, one out of the text the nearest end.
func OffsetPosition(t text.Text, offset int, e Encoding) Position {
	offset = min(max(offset, 0), t.Len())
	row := e.rowOf(t, offset)
	start, end, _ := e.row(t, uint32(row))
	offset, e = min(offset, end), e.columns()
	var column int
	switch {
	case e == UTF8:
		column = t.RuneStart(offset) - start
	case offset-start < longRow:
		column = Units(t.Slice(start, t.RuneStart(offset)), e)
	case e == UTF32:
		column = t.RuneOffset(offset) - t.RuneOffset(start)
	default:
		column = t.UTF16Offset(offset) - t.UTF16Offset(start)
	}
	return Position{uint32(row), uint32(column)}
}

// RangeOffsets returns the byte offsets that r means; start <= end also where r is the wrong way round.
func RangeOffsets(t text.Text, r Range, e Encoding) (start, end int) {
	start = PositionOffset(t, r.Start, e)
	if r.End == r.Start {
		return start, start
	}
	end = PositionOffset(t, r.End, e)
	return min(start, end), max(start, end)
}

// OffsetsRange returns the range of the bytes from start to end.
func OffsetsRange(t text.Text, start, end int, e Encoding) Range {
	from := OffsetPosition(t, start, e)
	if start == end {
		return Range{from, from}
	}
	return Range{from, OffsetPosition(t, end, e)}
}

// Units returns the length of s in code units of e.
func Units(s string, e Encoding) int {
	e = e.columns()
	if e == UTF8 {
		return len(s)
	}
	i := asciiPrefix(s)
	units := i
	for i < len(s) {
		_, size := utf8.DecodeRuneInString(s[i:])
		units += runeUnits(size, e)
		i += size
	}
	return units
}

// stringByte returns the offset of the code point in s that has the column-th code unit of e, or len(s).
func stringByte(s string, column int, e Encoding) int {
	i := asciiPrefix(s[:min(column, len(s))])
	column -= i
	for i < len(s) {
		_, size := utf8.DecodeRuneInString(s[i:])
		if column -= runeUnits(size, e); column < 0 {
			return i
		}
		i += size
	}
	return len(s)
}

// runeUnits returns the number of code units of a code point of size bytes in UTF-8.
func runeUnits(size int, e Encoding) int {
	if e == UTF16 && size == utf8.UTFMax {
		return 2
	}
	return 1
}

// asciiPrefix returns the length of the longest ASCII prefix of s: most rows are nothing else, and cost little then.
func asciiPrefix(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}
