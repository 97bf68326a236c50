package text

import (
	"strings"
	"unicode/utf8"
)

// sums counts what a stretch of text holds. Over stretches whose borders divide neither a CRLF pair nor a valid UTF-8
// sequence, sums add up.
type sums struct {
	bytes  int
	breaks int // row terminators
	feeds  int // "\n", also as part of "\r\n"
	utf16  int // UTF-16 code units
	runes  int // code points
}

func (a sums) plus(b sums) sums {
	return sums{a.bytes + b.bytes, a.breaks + b.breaks, a.feeds + b.feeds, a.utf16 + b.utf16, a.runes + b.runes}
}

func (a sums) minus(b sums) sums {
	return sums{a.bytes - b.bytes, a.breaks - b.breaks, a.feeds - b.feeds, a.utf16 - b.utf16, a.runes - b.runes}
}

// ascii reports whether every byte is a code point, as in ASCII (or in garbage, where it makes no difference).
func (a sums) ascii() bool { return a.bytes == a.runes }

func sumsOf(s string) sums {
	runes, astral := countRunes(s)
	feeds := strings.Count(s, "\n")
	return sums{bytes: len(s), breaks: feeds + countLoneReturns(s), feeds: feeds, utf16: runes + astral, runes: runes}
}

// countRunes returns the number of code points in s, and how many of them take two UTF-16 units.
func countRunes(s string) (runes, astral int) {
	runes = len(s)
	for i := 0; i < len(s); {
		// Most text is ASCII most of the time: eight bytes at once.
		for i+8 <= len(s) && ascii8(s[i:i+8]) {
			i += 8
		}
		stop := min(i+8, len(s))
		for i < stop {
			if s[i] < utf8.RuneSelf {
				i++
				continue
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			runes -= size - 1
			if size == 4 {
				astral++
			}
			i += size
		}
	}
	return runes, astral
}

// ascii8 reports whether the eight bytes of s are ASCII.
func ascii8(s string) bool {
	_ = s[7]
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56 // one load
	return w&0x8080808080808080 == 0
}

// countBreaks returns the number of row terminators in s.
func countBreaks(s string) int { return strings.Count(s, "\n") + countLoneReturns(s) }

// countLoneReturns returns the number of "\r" in s that no "\n" follows.
func countLoneReturns(s string) (lone int) {
	for {
		i := strings.IndexByte(s, '\r')
		if i < 0 {
			return lone
		}
		if i+1 == len(s) || s[i+1] != '\n' {
			lone++
		}
		s = s[i+1:]
	}
}

// breakEnd returns the offset just behind the n-th terminator of s, n counting from 1. s has that many.
func breakEnd(s string, n int) int {
	at := 0
	for ; n > 0; n-- {
		at += rowEnd(s[at:])
	}
	return at
}

// rowEnd returns the offset just behind the first terminator of s, or len(s) if it has none.
func rowEnd(s string) int {
	end := len(s)
	if lf := strings.IndexByte(s, '\n'); lf >= 0 {
		end = lf + 1
	}
	// The search for CR stops at the LF, or rows without CR would be read to the end of the chunk each.
	if cr := strings.IndexByte(s[:end], '\r'); cr >= 0 && (cr+1 == len(s) || s[cr+1] != '\n') {
		return cr + 1
	}
	return end
}

// trimBreak returns row without its terminator.
func trimBreak(row string) string {
	switch n := len(row); {
	case n > 1 && row[n-2] == '\r' && row[n-1] == '\n':
		return row[:n-2]
	case n > 0 && (row[n-1] == '\n' || row[n-1] == '\r'):
		return row[:n-1]
	}
	return row
}

// margin is how far from a border a byte can be and still decide what the border divides.
const margin = utf8.UTFMax - 1

// safeCut returns the nearest offset at or before i where s can be cut without dividing a CRLF pair or a valid UTF-8
// sequence. It is at most margin bytes away.
func safeCut(s string, i int) int {
	if i <= 0 || i >= len(s) {
		return i
	}
	if s[i] == '\n' && s[i-1] == '\r' {
		return i - 1
	}
	return runeStart(s, i)
}

// runeStart returns the start of the valid UTF-8 sequence that s[i] continues, or i.
func runeStart(s string, i int) int {
	if i >= len(s) || utf8.RuneStart(s[i]) {
		return i
	}
	for k := 1; k <= margin && k <= i; k++ {
		if utf8.RuneStart(s[i-k]) {
			if _, size := utf8.DecodeRuneInString(s[i-k:]); size > k {
				return i - k
			}
			break
		}
	}
	return i
}
