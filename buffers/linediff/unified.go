package linediff

import (
	"fmt"
	"strconv"
	"strings"
)

// Unified returns the difference between the rows a and b (as [Split] gives them) as a
// unified diff with that many rows of context, or "" if there is none. Lines end in "\n"
// whatever the text's own terminators; a last line without one is marked as usual.
// Without a name there is no header, only hunks.
func Unified(name string, a, b []string, context int) string {
	x, y := lines(a), lines(b)
	edits := Diff(x, y)
	if len(edits) == 0 {
		return ""
	}
	var out strings.Builder
	if name != "" {
		fmt.Fprintf(&out, "--- %s\n+++ %s\n", fileName("a/", name), fileName("b/", name))
	}
	context = max(context, 0)
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].A0-edits[n-1].A1 <= 2*context {
			n++
		}
		writeHunk(&out, x, y, edits[:n], context)
		edits = edits[n:]
	}
	return out.String()
}

// noLineEnd marks a last line without a terminator, so that it differs from the same line
// with one. No row of a text holds a line feed.
const noLineEnd = "\n\\ No newline at end of file"

// lines turns rows into lines: the empty row after the last terminator is none.
func lines(rows []string) []string {
	last := len(rows) - 1
	if last < 0 {
		return nil
	}
	if rows[last] == "" {
		return rows[:last]
	}
	out := append([]string(nil), rows...)
	out[last] += noLineEnd
	return out
}

func writeHunk(out *strings.Builder, a, b []string, edits []Edit, context int) {
	first, last := edits[0], edits[len(edits)-1]
	before := min(context, first.A0)
	after := min(context, len(a)-last.A1)
	out.WriteString("@@ -")
	writeRange(out, first.A0-before, last.A1+after)
	out.WriteString(" +")
	writeRange(out, first.B0-before, last.B1+after)
	out.WriteString(" @@\n")

	from := first.A0 - before
	for _, e := range edits {
		writeLines(out, " ", a[from:e.A0])
		writeLines(out, "-", a[e.A0:e.A1])
		writeLines(out, "+", b[e.B0:e.B1])
		from = e.A1
	}
	writeLines(out, " ", a[from:last.A1+after])
}

// writeRange writes lines [from,to) as the format has them: 1-based, an empty range by the
// line before it, a single line without its count.
func writeRange(out *strings.Builder, from, to int) {
	if to > from {
		from++
		to++
	}
	out.WriteString(strconv.Itoa(from))
	if to-from != 1 {
		out.WriteString("," + strconv.Itoa(to-from))
	}
}

func writeLines(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark)
		out.WriteString(line)
		out.WriteByte('\n')
	}
}

// fileName returns a header's file name as git writes it: quoted where it could be taken for
// something else, with a tab behind one that holds blanks.
func fileName(side, name string) string {
	name = side + strings.TrimPrefix(name, "/")
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }):
		return strconv.Quote(name)
	case strings.ContainsRune(name, ' '):
		return name + "\t"
	}
	return name
}
