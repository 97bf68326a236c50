// Package text holds the text of a document as an immutable value that is cheap to change.
//
// A Text is a balanced tree whose leaves are chunks of at most a few kilobytes. Replacing a range copies one chunk
// and the path to it, so a keystroke costs the same in a small file and in one of 50 MB, and every Text that was
// ever handed out stays as it was: a snapshot is an assignment, and any number of goroutines may read one.
//
//	         node {bytes, breaks, feeds, utf16, runes}  sums over the subtree
//	        /    \
//	     node     node
//	    /   \     /   \
//	"chunk" "…" "…"   "…"                            leaves, in order
//
// Each node carries the sums of its subtree, so that a byte offset, a row or a UTF-16 offset is found by walking down
// from the root. The sums are plain additions because of one invariant: no border between two chunks divides a CRLF
// pair or a valid UTF-8 sequence. Replace keeps it by taking a margin of three bytes around the edit into account.
//
// A row is what the Language Server Protocol calls a line: it ends at "\n", "\r\n" or a lone "\r". Rows and offsets
// are 0-based. Offsets are in bytes unless a name says otherwise, and any byte string is a valid Text; a byte that is
// not part of valid UTF-8 counts as one U+FFFD, that is one rune and one UTF-16 unit.
//
// Methods panic when an offset or a row is out of range, as slices do. Conversions that forgive are the business of
// package position.
package text

import (
	"fmt"
	"io"
	"iter"
	"strings"
)

// Text is an immutable text. The zero value is the empty text. Texts are compared with Equal, not with ==.
type Text struct {
	root *node // nil when empty
}

// New returns s as a Text. The bytes are copied: a larger buffer that s is a part of is not kept alive.
func New(s string) Text {
	return Text{build(s, chunkLimit(len(s)))}
}

// Len returns the number of bytes.
func (t Text) Len() int { return t.sums().bytes }

// LineCount returns the number of rows: one more than there are terminators, so never less than 1.
func (t Text) LineCount() int { return t.sums().breaks + 1 }

// UTF16Len returns the number of UTF-16 code units.
func (t Text) UTF16Len() int { return t.sums().utf16 }

// RuneCount returns the number of code points, which is the length in UTF-32.
func (t Text) RuneCount() int { return t.sums().runes }

// String returns the whole text. It allocates all of it, unless the text is a single chunk.
func (t Text) String() string { return t.Slice(0, t.Len()) }

// Slice returns the bytes from start to end. It panics unless 0 <= start <= end <= Len(). The result may share memory
// with one chunk of t.
func (t Text) Slice(start, end int) string {
	t.checkRange(start, end)
	if start == end {
		return ""
	}
	leaf, at := t.root.leafAt(start)
	if end <= at+len(leaf.chunk) {
		return leaf.chunk[start-at : end-at]
	}
	var b strings.Builder
	b.Grow(end - start)
	for chunk := range t.Chunks(start, end) {
		b.WriteString(chunk)
	}
	return b.String()
}

// Chunks yields the bytes from start to end in order, piece by piece, without copying. No piece is empty, and no
// border between two of them divides a CRLF pair or a valid UTF-8 sequence. It panics like Slice.
func (t Text) Chunks(start, end int) iter.Seq[string] {
	t.checkRange(start, end)
	return func(yield func(string) bool) {
		if start < end {
			t.root.walk(start, end, yield)
		}
	}
}

// WriteTo writes the whole text to w, chunk by chunk. It implements io.WriterTo.
func (t Text) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for chunk := range t.Chunks(0, t.Len()) {
		n, err := io.WriteString(w, chunk)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// Replace returns the text with the bytes from start to end replaced by s, of which it keeps a copy only. It panics
// unless 0 <= start <= end <= Len(). t itself is unchanged, and shares with the result all but the chunks around the
// edit.
func (t Text) Replace(start, end int, s string) Text {
	t.checkRange(start, end)
	return t.replace(start, end, s, chunkLimit(t.Len()-(end-start)+len(s)))
}

// Equal reports whether t and u hold the same bytes. What they share is not compared again, so two versions of one
// text are told apart, or found equal, at the cost of what was edited between them.
func (t Text) Equal(u Text) bool {
	if t.root == u.root {
		return true
	}
	if t.sums() != u.sums() {
		return false
	}
	return equalTrees(t.root, u.root)
}

func (t Text) sums() sums {
	if t.root == nil {
		return sums{}
	}
	return t.root.sums
}

func (t Text) checkRange(start, end int) {
	if start < 0 || start > end || end > t.Len() {
		panic(fmt.Sprintf("text: range [%d:%d] out of a text of %d bytes", start, end, t.Len()))
	}
}

func (t Text) checkOffset(offset int) {
	if offset < 0 || offset > t.Len() {
		panic(fmt.Sprintf("text: offset %d out of a text of %d bytes", offset, t.Len()))
	}
}
