package buffers

import (
	"cmp"
	"strings"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

const bom = "\ufeff"

// NormHash returns a hash of s that leaves aside what editors and agents change without meaning to: a byte order mark,
// the kind of each line end, and one final line end. Documents and files are compared by it.
func NormHash(s string) text.Hash { return NormHashText(text.New(s)) }

// NormHashText is NormHash of a text. The text remembers parts of it: after an edit it costs next to nothing.
func NormHashText(t text.Text) text.Hash { return withoutEnds(t).HashRows() }

// withoutEnds returns t without a byte order mark and one final line end.
func withoutEnds(t text.Text) text.Text {
	if t.Len() >= len(bom) && t.Slice(0, len(bom)) == bom {
		t = t.Replace(0, len(bom), "")
	}
	if last := t.LineCount() - 1; t.LineStart(last) == t.Len() && last > 0 {
		t = t.Replace(t.LineEnd(last-1), t.Len(), "")
	}
	return t
}

// Ends are what NormHash leaves aside of a content: its two ends, and the kind of its line ends.
type Ends struct {
	BOM, FinalNewline bool
	EOL               EOL       // "" if there is none, or more than one kind
	Mix               text.Hash // of the kinds, row by row, if there is more than one; else zero
}

// EndsOf returns the ends of the content t.
func EndsOf(t text.Text) Ends {
	st := StyleOfText(t)
	e := Ends{BOM: st.BOM, FinalNewline: st.FinalNewline}
	if !st.Mixed {
		e.EOL = st.EOL
	} else {
		e.Mix = mixOf(t)
	}
	return e
}

// mixOf identifies the kinds of the line ends of t, row by row: where they are mixed, one may become another and leave
// them mixed.
func mixOf(t text.Text) text.Hash {
	var kinds strings.Builder
	for chunk := range t.Chunks(0, t.Len()) { // no border divides a CRLF
		for i := 0; i < len(chunk); i++ {
			switch {
			case chunk[i] == '\n':
				kinds.WriteByte('n')
			case chunk[i] == '\r' && i+1 < len(chunk) && chunk[i+1] == '\n':
				kinds.WriteByte('d')
				i++
			case chunk[i] == '\r':
				kinds.WriteByte('r')
			}
		}
	}
	return text.HashString(kinds.String())
}

// Turned tells that every line end of one kind has become one of another kind.
func (e Ends) Turned(to Ends) bool { return e.EOL != to.EOL && e.EOL != "" && to.EOL != "" }

// SameRows tells that the line ends of all rows are of the same kinds, row by row, as far as the numbers of rows are the
// same.
func (e Ends) SameRows(as Ends) bool { return e.EOL == as.EOL && e.Mix == as.Mix }

// EOL is a kind of line end.
type EOL string

const (
	LF   EOL = "\n"
	CRLF EOL = "\r\n"
	CR   EOL = "\r"
)

// Name is what people call it.
func (e EOL) Name() string {
	switch e {
	case LF:
		return "LF"
	case CRLF:
		return "CRLF"
	case CR:
		return "CR"
	default:
		return "no"
	}
}

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
// StyleOf(old).Apply(newText). Where kinds are mixed, the rows that both have keep their line ends byte for byte. Other
// rows keep their own if newText mixes kinds too; else they get those of the rows they replace, one by one, and what is
// over the most frequent kind.
func KeepStyle(old, newText string) string {
	st := StyleOf(old)
	if !st.Mixed {
		return st.Apply(newText)
	}
	body := strings.TrimPrefix(newText, bom)
	was, now := endedRows(strings.TrimPrefix(old, bom)), endedRows(body)
	own := StyleOf(body).Mixed
	ends := make([]string, 0, len(now.rows))
	add := func(end string) { ends = append(ends, cmp.Or(end, string(st.EOL))) }
	for _, e := range append(linediff.Diff(was.rows, now.rows), linediff.Edit{A0: len(was.rows), A1: len(was.rows), B0: len(now.rows), B1: len(now.rows)}) {
		for i := e.A0 - (e.B0 - len(ends)); len(ends) < e.B0 && i < e.A0; i++ {
			add(was.ends[i])
		}
		for k := range e.B1 - e.B0 {
			switch {
			case own:
				add(now.ends[e.B0+k])
			case k < e.A1-e.A0:
				add(was.ends[e.A0+k])
			default:
				add("")
			}
		}
	}
	var b strings.Builder
	last := ""
	for i, row := range now.rows {
		end := ends[i]
		if last == string(CR) && row == "" && end == string(LF) {
			end = last // the two would read as one CRLF
		}
		b.WriteString(row)
		if last = end; i < len(now.rows)-1 {
			b.WriteString(end)
		}
	}
	return st.dress(b.String(), body != "", EOL(last))
}

// ended are the rows of a text without one final terminator, and how they end.
type ended struct{ rows, ends []string }

func endedRows(s string) ended {
	t := text.New(trimFinalEOL(s))
	r := ended{rows: t.Lines(0, t.LineCount())}
	full := text.New(s)
	for i, row := range r.rows {
		r.ends = append(r.ends, full.LineWithEnd(i)[len(row):])
	}
	return r
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
