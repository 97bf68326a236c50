package code

import (
	"fmt"
	"slices"
	"strings"
)

// Edit replaces the bytes [Start, End) of a text with New.
type Edit struct {
	Start, End int
	New        string
}

// Apply makes the edits, which must be in order and must not overlap.
func Apply(text string, edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Lines is a range of lines, the last included. The zero value is all of them.
type Lines struct{ First, Last int }

// Whole says that the range limits nothing.
func (l Lines) Whole() bool { return l == Lines{} }

// String is "line 3" or "lines 3 to 5".
func (l Lines) String() string {
	switch {
	case l.Whole():
		return "all lines"
	case l.First == l.Last:
		return fmt.Sprintf("line %d", l.First)
	}
	return fmt.Sprintf("lines %d to %d", l.First, l.Last)
}

func (l Lines) has(line int) bool { return l.Whole() || l.First <= line && line <= l.Last }

// Within keeps the edits that begin in the lines.
func Within(text string, edits []Edit, lines Lines) []Edit {
	if lines.Whole() {
		return edits
	}
	starts := lineStarts(text)
	return slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool { return !lines.has(lineAt(starts, e.Start)) })
}

// LineOf returns the line of an offset.
func LineOf(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

// lineStarts returns the offset of each line's first byte.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func lineAt(starts []int, offset int) int {
	i, found := slices.BinarySearch(starts, offset)
	if found {
		i++
	}
	return i
}

// lineEnding is the one a text uses.
func lineEnding(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
