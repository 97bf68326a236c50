package session

import (
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// Each row may have a line end of its own. An editor that takes in a text to the byte (one that
// can adopt) has them as the disk has, and there a row of which nothing but the line end is
// another one is changed like any other. Others know one kind for a whole document.

// showsRowEnds reports whether the line ends of a document are those that the disk had when that was
// last taken in, in an editor that takes in any: else they say nothing of the disk's; mu is held.
func (f *file) showsRowEnds(live openDoc, d *buffers.Document) bool {
	return f.ends != nil && live.at.editor.Can("adopt") && buffers.EndsOf(d.Text).SameRows(*f.ends)
}

// keepsRowEnds is showsRowEnds for a document with unsaved text: the user has not turned the line ends,
// nor does the document hide that they are mixed; mu is held.
func (f *file) keepsRowEnds(live openDoc, d *buffers.Document) bool {
	own := buffers.EndsOf(d.Text).EOL
	return f.ends != nil && live.at.editor.Can("adopt") && (own == f.ends.EOL || own == "")
}

// endedAs is t, which has the rows of disk, with the line ends of these: but for its own two ends,
// which editors have ways of their own with.
func endedAs(disk string, t text.Text) text.Text {
	own := buffers.StyleOfText(t)
	body := strings.TrimPrefix(disk, byteOrderMarkBytes)
	if has := buffers.StyleOf(body).FinalNewline; has && !own.FinalNewline {
		d := text.New(body)
		body = d.Slice(0, d.LineEnd(d.LineCount()-2))
	} else if !has && own.FinalNewline && body != "" {
		body += string(own.EOL)
	}
	if own.BOM {
		body = byteOrderMarkBytes + body
	}
	return text.New(body)
}

// withRowEnds is merged, which was made of base and what both the user and the disk have made of that,
// with the line ends of the disk in the rows that the disk has brought, or has given another line end.
// What the user has made of them stays.
func withRowEnds(base, disk text.Text, merged string) string {
	out := text.New(merged)
	was, is, rows := linesOf(base), linesOf(disk), linesOf(out)
	of := matched(was, is)
	var b strings.Builder
	for i, k := range matched(is, rows) {
		row := out.LineWithEnd(i)
		end := row[len(rows[i]):]
		if k >= 0 && end != "" {
			now, before := disk.LineWithEnd(k)[len(is[k]):], end
			if j := of[k]; j >= 0 {
				before = base.LineWithEnd(j)[len(was[j]):]
			}
			if now != "" && (before == end || before == "") {
				end = now
			}
		}
		b.WriteString(rows[i])
		b.WriteString(end)
	}
	if text.New(b.String()).LineCount() != out.LineCount() {
		return merged // a CR and an empty row with an LF would be one line end
	}
	return b.String()
}

// matched says of each of the rows b which of the rows a it is; -1: none.
func matched(a, b []string) []int {
	of := make([]int, 0, len(b))
	for _, e := range append(linediff.Diff(a, b), linediff.Edit{A0: len(a), A1: len(a), B0: len(b), B1: len(b)}) {
		for i := e.A0 - (e.B0 - len(of)); len(of) < e.B0; i++ {
			of = append(of, i)
		}
		for range e.B1 - e.B0 {
			of = append(of, -1)
		}
	}
	return of
}
