package buffers

import (
	"cmp"
	"strings"

	"acp-ls/buffers/text"
)

const bom = "\ufeff"

// NormHash returns a hash of s that leaves aside what editors and agents change without meaning to: a byte order mark,
// the kind of each line end, and one final line end. Documents and files are compared by it.
func NormHash(s string) text.Hash { return NormHashText(text.New(s)) }

// NormHashText is NormHash of a text. The text remembers parts of it: after an edit it costs next to nothing.
func NormHashText(t text.Text) text.Hash {
	if t.Len() >= len(bom) && t.Slice(0, len(bom)) == bom {
		t = t.Replace(0, len(bom), "")
	}
	if last := t.LineCount() - 1; t.LineStart(last) == t.Len() && last > 0 {
		t = t.Replace(t.LineEnd(last-1), t.Len(), "")
	}
	return t.HashRows()
}

// EOL is a kind of line end.
type EOL string

const (
	LF   EOL = "\n"
	CRLF EOL = "\r\n"
	CR   EOL = "\r"
)

// Style is how the bytes of a file are dressed, apart from what its rows say. It belongs to the user: an agent that
// sends other line ends than the file has does not mean to change them. The zero Style is that of a file which does
// not exist or is empty, and dresses nothing.
type Style struct {
	Known        bool // there was content to take the style from
	BOM          bool // starts with a byte order mark
	EOL          EOL  // the most frequent kind of line end, "" if there is none
	Mixed        bool // there is more than one kind
	FinalNewline bool // the last row is terminated
}

// StyleOf returns the style of content.
func StyleOf(content string) Style { return StyleOfText(text.New(content)) }

// StyleOfText returns the style of the content t.
func StyleOfText(t text.Text) Style {
	st := Style{BOM: t.Len() >= len(bom) && t.Slice(0, len(bom)) == bom}
	if st.Known = t.Len() > 0; !st.Known {
		return st
	}
	var lf, crlf, cr int
	for chunk := range t.Chunks(0, t.Len()) { // no border divides a CRLF
		pairs := 0
		if returns := strings.Count(chunk, "\r"); returns > 0 {
			pairs = strings.Count(chunk, "\r\n")
			cr += returns - pairs
		}
		crlf += pairs
		lf += strings.Count(chunk, "\n") - pairs
	}
	switch most := max(lf, crlf, cr); {
	case most == 0:
	case lf == most:
		st.EOL = LF
	case crlf == most:
		st.EOL = CRLF
	default:
		st.EOL = CR
	}
	st.Mixed = max(lf, crlf, cr) < lf+crlf+cr
	st.FinalNewline = t.LineStart(t.LineCount()-1) == t.Len()
	return st
}

// Apply returns newText dressed in st: with or without a byte order mark, all line ends of the one kind, and the last
// row terminated or not. Without rows there is nothing to terminate. For a file with mixed line ends see KeepStyle.
func (st Style) Apply(newText string) string {
	if !st.Known {
		return newText
	}
	body := toEOL(strings.TrimPrefix(newText, bom), st.EOL)
	return st.dress(trimFinalEOL(body), body != "", st.EOL)
}

// dress puts the two ends on body, the rows without a final terminator; rows says whether there are any.
func (st Style) dress(body string, rows bool, final EOL) string {
	if st.FinalNewline && rows {
		body += string(final)
	}
	if st.BOM {
		body = bom + body
	}
	return body
}

// KeepStyle returns newText as the new content of a file that held old. In a file with one kind of line ends that is
// StyleOf(old).Apply(newText). Where kinds are mixed, the rows that both begin with, and those that both end with,
// keep their line ends byte for byte; what lies between gets the most frequent kind.
func KeepStyle(old, newText string) string {
	st := StyleOf(old)
	if !st.Mixed {
		return st.Apply(newText)
	}
	old, newText = strings.TrimPrefix(old, bom), strings.TrimPrefix(newText, bom)
	was, now := text.New(trimFinalEOL(old)), text.New(trimFinalEOL(newText))
	wasRows, nowRows := was.Lines(0, was.LineCount()), now.Lines(0, now.LineCount())
	n, m := len(wasRows), len(nowRows)
	head, tail := 0, 0
	for head < min(n, m) && wasRows[head] == nowRows[head] {
		head++
	}
	for tail < min(n, m)-head && wasRows[n-1-tail] == nowRows[m-1-tail] {
		tail++
	}
	dressed := text.New(old)
	ends := func(row int) string { // the line end of a new row
		from := row
		if row >= m-tail {
			from = row - m + n
		} else if row >= head {
			return string(st.EOL)
		}
		return cmp.Or(dressed.LineWithEnd(from)[len(wasRows[from]):], string(st.EOL))
	}
	var b strings.Builder
	last := ""
	for row := range m {
		end := ends(row)
		if last == string(CR) && nowRows[row] == "" && end == string(LF) {
			end = last // the two would read as one CRLF
		}
		b.WriteString(nowRows[row])
		if last = end; row < m-1 {
			b.WriteString(end)
		}
	}
	return st.dress(b.String(), newText != "", EOL(last))
}

// toEOL returns s with each terminator replaced by eol.
func toEOL(s string, eol EOL) string {
	if eol != "" && (eol != LF || strings.IndexByte(s, '\r') >= 0) {
		return strings.NewReplacer("\r\n", string(eol), "\r", string(eol), "\n", string(eol)).Replace(s)
	}
	return s
}

// trimFinalEOL returns s without one final terminator.
func trimFinalEOL(s string) string {
	for _, eol := range []EOL{CRLF, LF, CR} {
		if body, ok := strings.CutSuffix(s, string(eol)); ok {
			return body
		}
	}
	return s
}
