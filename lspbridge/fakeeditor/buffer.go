package fakeeditor

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Position is a place in a text: 0-based line, and characters in the encoding of
// the connection.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is from Start up to but excluding End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// buffer is one open document. Versions grow with each change that is told.
type buffer struct {
	uri, language string
	version       int
	text          string
	saved         string
	undo          []string
	untold        []change
}

// lineBounds returns the byte offsets of a line, its terminator left out.
func lineBounds(text string, line int) (start, end int, ok bool) {
	for range line {
		i := strings.IndexAny(text[start:], "\r\n")
		if i < 0 {
			return len(text), len(text), false
		}
		start += i + 1
		if text[start-1] == '\r' && strings.HasPrefix(text[start:], "\n") {
			start++
		}
	}
	if i := strings.IndexAny(text[start:], "\r\n"); i >= 0 {
		return start, start + i, true
	}
	return start, len(text), true
}

// offset is the byte that a position means. What lies past an end means the end.
func offset(text string, p Position, encoding string) int {
	start, end, ok := lineBounds(text, p.Line)
	if !ok {
		return len(text)
	}
	at, units := start, 0
	for at < end {
		r, size := utf8.DecodeRuneInString(text[at:end])
		n := unitsOf(r, size, encoding)
		if units+n > p.Character {
			break
		}
		units += n
		at += size
	}
	return at
}

func unitsOf(r rune, size int, encoding string) int {
	switch {
	case encoding == "utf-8":
		return size
	case encoding == "utf-16" && r > 0xFFFF:
		return 2
	}
	return 1
}

// position is the place of a byte.
func position(text string, at int, encoding string) Position {
	var p Position
	start := 0
	for i := 0; i < at; i++ {
		switch {
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case text[i] == '\r', text[i] == '\n':
			p.Line++
			start = i + 1
		}
	}
	for i := start; i < at; {
		r, size := utf8.DecodeRuneInString(text[i:])
		p.Character += unitsOf(r, size, encoding)
		i += size
	}
	return p
}

// applyEdits applies edits that all refer to one text. Overlapping ones are an
// error, as LSP has it.
func applyEdits(text string, edits []TextEdit, encoding string) (string, error) {
	type span struct {
		start, end int
		s          string
	}
	spans := make([]span, len(edits))
	for i, e := range edits {
		spans[i] = span{offset(text, e.Range.Start, encoding), offset(text, e.Range.End, encoding), e.NewText}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.start - b.start })
	var out strings.Builder
	at := 0
	for _, s := range spans {
		if s.start < at || s.end < s.start {
			return "", fmt.Errorf("edit of bytes %d to %d overlaps the one before, or is backwards", s.start, s.end)
		}
		out.WriteString(text[at:s.start])
		out.WriteString(s.s)
		at = s.end
	}
	out.WriteString(text[at:])
	return out.String(), nil
}

// lastFirst returns edits in the order in which each may be applied to what the
// ones before have left.
func lastFirst(text string, edits []TextEdit, encoding string) []TextEdit {
	out := slices.Clone(edits)
	slices.SortStableFunc(out, func(a, b TextEdit) int {
		return offset(text, a.Range.Start, encoding) - offset(text, b.Range.Start, encoding)
	})
	slices.Reverse(out)
	return out
}

// turnLineEnds gives what is inserted the line ends of the text.
func turnLineEnds(text string, edits []TextEdit) []TextEdit {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	out := slices.Clone(edits)
	for i, t := range out {
		out[i].NewText = strings.ReplaceAll(strings.ReplaceAll(t.NewText, "\r\n", "\n"), "\n", end)
	}
	return out
}

// mixedEnds reports whether a text has line ends of both kinds.
func mixedEnds(text string) bool {
	crlf := strings.Count(text, "\r\n")
	return crlf > 0 && crlf < strings.Count(text, "\n")
}
