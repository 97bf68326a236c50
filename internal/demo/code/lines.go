package code

import (
	"fmt"
	"strings"
)

// Trim removes blanks at the ends of lines. Those in strings are part of the
// program, and two at the end of a Markdown line are a line break: they are left
// and counted.
func Trim(text string, l *Language) (edits []Edit, left int) {
	parts := l.parts(text)
	for start := 0; start < len(text); {
		end := start + lineLength(text[start:])
		line := text[start:end]
		kept := len(strings.TrimRight(line, " \t"))
		if kept < len(line) {
			at := start + kept
			for len(parts) > 0 && parts[0].end <= at {
				parts = parts[1:]
			}
			inside := len(parts) > 0 && parts[0].kind == inString && parts[0].start < at
			markdownBreak := l.id == "md" && kept > 0 && line[kept:] == "  "
			if inside || markdownBreak {
				left++
			} else {
				edits = append(edits, Edit{start + kept, end, ""})
			}
		}
		if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
			start = end + n + 1
		} else {
			start = len(text)
		}
	}
	return edits, left
}

// InsertLine puts a line before the given one. Line may be one more than there
// are; 0 is the end. New lines take the text's line ends.
func InsertLine(text string, line int, insert string) ([]Edit, error) {
	eol := lineEnding(text)
	insert = strings.ReplaceAll(strings.ReplaceAll(insert, "\r\n", "\n"), "\n", eol)
	starts := lineStarts(text)
	count := len(starts)
	if starts[count-1] == len(text) {
		count-- // what is behind the last line end is no line
	}
	switch {
	case line < 0 || line > count+1:
		return nil, fmt.Errorf("there is no line %d: the file has %d", line, count)
	case line > 0 && line <= count:
		return []Edit{{starts[line-1], starts[line-1], insert + eol}}, nil
	case text == "" || strings.HasSuffix(text, "\n"):
		return []Edit{{len(text), len(text), insert + eol}}, nil
	}
	return []Edit{{len(text), len(text), eol + insert}}, nil // the last line has no end, and keeps none
}

// DeleteLines removes lines with their ends.
func DeleteLines(text string, lines Lines) ([]Edit, error) {
	starts := lineStarts(text)
	count := len(starts)
	if starts[count-1] == len(text) {
		count--
	}
	if lines.First < 1 || lines.Last < lines.First || lines.Last > count {
		return nil, fmt.Errorf("there are no lines %d to %d: the file has %d", lines.First, lines.Last, count)
	}
	start, end := starts[lines.First-1], len(text)
	if lines.Last < len(starts) {
		end = starts[lines.Last]
	} else if start > 0 { // the last line has no end of its own: take the one before it
		start--
		if start > 0 && text[start-1] == '\r' {
			start--
		}
	}
	return []Edit{{start, end, ""}}, nil
}
