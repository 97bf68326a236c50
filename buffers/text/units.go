package text

import (
	"fmt"
	"unicode/utf8"
)

// UTF16Offset returns the number of UTF-16 code units in front of offset. An offset inside a UTF-8 sequence counts as
// its start. It panics unless 0 <= offset <= Len().
func (t Text) UTF16Offset(offset int) int { return t.sumsTo(offset).utf16 }

// RuneOffset returns the number of code points in front of offset, under the conditions of UTF16Offset.
func (t Text) RuneOffset(offset int) int { return t.sumsTo(offset).runes }

// UTF16Byte returns the offset of the code point that has the unit-th UTF-16 code unit, counting from 0: one in the
// middle of a surrogate pair gives the start of the pair, and UTF16Len() gives Len(). It panics unless
// 0 <= unit <= UTF16Len().
func (t Text) UTF16Byte(unit int) int {
	if unit < 0 || unit > t.UTF16Len() {
		panic(fmt.Sprintf("text: UTF-16 unit %d out of a text of %d", unit, t.UTF16Len()))
	}
	return t.seek(unit, func(s sums) int { return s.utf16 }, utf16Width)
}

// RuneByte returns the offset of the code point number i, counting from 0; RuneCount() gives Len(). It panics unless
// 0 <= i <= RuneCount().
func (t Text) RuneByte(i int) int {
	if i < 0 || i > t.RuneCount() {
		panic(fmt.Sprintf("text: code point %d out of a text of %d", i, t.RuneCount()))
	}
	return t.seek(i, func(s sums) int { return s.runes }, func(int) int { return 1 })
}

// RuneStart returns the start of the valid UTF-8 sequence that the byte at offset continues, or offset itself. It
// panics unless 0 <= offset <= Len().
func (t Text) RuneStart(offset int) int {
	t.checkOffset(offset)
	if offset == t.Len() {
		return offset
	}
	leaf, at := t.root.leafAt(offset)
	return at + runeStart(leaf.chunk, offset-at)
}

// sumsTo returns the sums of the text in front of offset, or of the UTF-8 sequence that offset is in.
func (t Text) sumsTo(offset int) sums {
	t.checkOffset(offset)
	if t.root == nil {
		return sums{}
	}
	n, before := t.root, sums{}
	for !n.leaf() {
		if offset < n.left.bytes {
			n = n.left
		} else {
			offset -= n.left.bytes
			before = before.plus(n.left.sums)
			n = n.right
		}
	}
	head := n.chunk[:runeStart(n.chunk, offset)]
	runes, astral := len(head), 0
	if !n.ascii() {
		runes, astral = countRunes(head)
	}
	// Rows are not counted: no caller asks, and a CRLF pair would need care.
	return before.plus(sums{bytes: len(head), utf16: runes + astral, runes: runes})
}

// seek returns the offset of the last code point that starts at or before the given unit, units being what sum counts
// and width the number of them in a code point of so many bytes.
func (t Text) seek(unit int, sum func(sums) int, width func(size int) int) int {
	if t.root == nil {
		return 0
	}
	n, at := t.root, 0
	for !n.leaf() {
		if left := sum(n.left.sums); unit < left {
			n = n.left
		} else {
			unit -= left
			at += n.left.bytes
			n = n.right
		}
	}
	if n.ascii() {
		return at + unit
	}
	i := 0
	for i < len(n.chunk) {
		if unit >= 8 && i+8 <= len(n.chunk) && ascii8(n.chunk[i:i+8]) {
			i, unit = i+8, unit-8
			continue
		}
		size := 1
		if n.chunk[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(n.chunk[i:])
		}
		if unit -= width(size); unit < 0 {
			break
		}
		i += size
	}
	return at + i
}

// utf16Width returns the number of UTF-16 units of a code point of so many bytes in UTF-8.
func utf16Width(size int) int {
	if size == utf8.UTFMax {
		return 2
	}
	return 1
}
