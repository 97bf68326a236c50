package merge

import (
	"strings"

	"acp-ls/buffers/linediff"
)

// TextResult is a merged text. Its rows, and all row numbers in it, are those of lines: a
// text that ends with a line end has no empty row behind it, and an empty text has no row.
type TextResult struct {
	Result
	Text string

	// EndsInConflict is the number of rows to which both sides gave another line end than base has,
	// and not the same, with [Options.Ends]: they keep that of ours.
	EndsInConflict int
}

// Texts merges whole texts. What a text has beside its rows is not compared:
//   - Line ends ("\n", "\r\n", "\r", also mixed) stay those of ours, row by row. Rows from
//     theirs get the line end that most rows of ours have; if ours has none, that of base; if
//     neither has one, they bring their own. Where ours mixes line ends, so do they if theirs
//     mixes them too; else each gets that of the row it replaces, if there is one.
//   - Whether the last row has a line end is taken from the side that changed it, and from
//     ours if that row is in conflict.
//   - A byte order mark is ours, or that of theirs if both ours and base are empty.
func Texts(base, ours, theirs string) TextResult {
	return TextsWith(base, ours, theirs, Options{})
}

// TextsWith is [Texts] with options. With [Options.Ends] the line end of a row that both sides have is
// that of the side that has given it another one, and ours if both have; so it is with a row that one
// side has put in the place of another. Any other row has its own, but that it is of the kind that ours
// has made all line ends. The last row is no other than the rest.
func TextsWith(base, ours, theirs string, opts Options) TextResult {
	b, o, t := parse(base), parse(ours), parse(theirs)
	m := mergeRows(b.rows, o.rows, t.rows, opts)

	usual := o.usualEnd()
	if usual == noEnd {
		usual = b.usualEnd()
	}
	mixed := o.mixed()
	own := usual == noEnd || mixed && t.mixed() // rows of theirs keep their own line ends
	if usual == noEnd {
		usual = t.usualEnd()
	}
	if usual == noEnd {
		usual = lf
	}

	mark := o.mark
	if base == "" && ours == "" {
		mark = t.mark
	}
	if opts.Ends {
		var rows []string
		for _, p := range m.parts {
			rows = append(rows, m.rows(p)...)
		}
		text, clashes := m.textWithEnds(b, o, t, usual)
		return TextResult{Result: m.result(rows), Text: mark + text, EndsInConflict: clashes}
	}
	rows := make([]string, 0, m.size)
	var text strings.Builder
	text.Grow(len(ours) + len(theirs))
	text.WriteString(mark)
	end := noEnd
	next := 0 // row of ours behind those taken so far
	for k, p := range m.parts {
		if p.side == ofOurs {
			next = p.to
		}
		replaced := o.ends[min(next, len(o.ends)):m.oursBefore(k+1, len(o.ends))]
		for i := p.from; i < p.to; i++ {
			text.WriteString(end.String())
			row := m.texts[p.side][i]
			text.WriteString(row)
			rows = append(rows, row)

			end = noEnd
			switch {
			case p.side == ofOurs:
				end = o.ends[i]
			case p.side == ofTheirs && own:
				end = t.ends[i]
			case mixed && i-p.from < len(replaced):
				end = replaced[i-p.from]
			}
			if end == noEnd {
				end = usual
			}
			if end == lf && row == "" && strings.HasSuffix(text.String(), "\r") {
				end = cr // or the two would be one line end
			}
		}
	}
	// An empty row without a line end would be none.
	if m.closed(b, o, t) || len(rows) > 0 && rows[len(rows)-1] == "" {
		text.WriteString(end.String())
	}
	return TextResult{Result: m.result(rows), Text: text.String()}
}

// oursBefore returns the row of ours that is taken first from part k on, or n, the number of
// its rows, if none is.
func (m *merger) oursBefore(k, n int) int {
	for _, p := range m.parts[k:] {
		if p.side == ofOurs {
			return p.from
		}
	}
	return n
}

// closed reports whether the last row of the merged text gets a line end.
func (m *merger) closed(base, ours, theirs parsed) bool {
	if last := len(m.conflicts) - 1; last >= 0 && len(ours.rows) > 0 {
		if m.conflicts[last].Ours[1] == len(ours.rows) && m.conflicts[last].Theirs[1] == len(theirs.rows) {
			return ours.closed()
		}
	}
	switch {
	case len(theirs.rows) == 0:
		return ours.closed()
	case len(ours.rows) == 0:
		return theirs.closed()
	case len(base.rows) == 0 || ours.closed() != base.closed():
		return ours.closed()
	}
	return theirs.closed()
}

// parsed is a text cut into its rows and what is not compared.
type parsed struct {
	mark string // byte order marks
	rows []string
	ends []lineEnd // of each row; only the last row can have none
}

func parse(s string) parsed {
	var p parsed
	bare := strings.TrimLeft(s, "\ufeff") // some programs write two
	p.mark, s = s[:len(s)-len(bare)], bare
	p.rows = linediff.Split(s)
	if last := len(p.rows) - 1; p.rows[last] == "" {
		p.rows = p.rows[:last]
	}
	p.ends = make([]lineEnd, len(p.rows))
	for i, row := range p.rows {
		p.ends[i] = firstEnd(s[len(row):])
		s = s[len(row)+len(p.ends[i].String()):]
	}
	return p
}

// closed reports whether the last row has a line end; true if there is no row.
func (p parsed) closed() bool {
	last := len(p.ends) - 1
	return last < 0 || p.ends[last] != noEnd
}

// usualEnd returns the line end that most rows have, or noEnd if none has one.
func (p parsed) usualEnd() lineEnd {
	var count [cr + 1]int
	for _, end := range p.ends {
		count[end]++
	}
	most := noEnd
	for _, end := range [...]lineEnd{lf, crlf, cr} {
		if count[end] > 0 && (most == noEnd || count[end] > count[most]) {
			most = end
		}
	}
	return most
}

// mixed reports whether there is more than one kind of line end.
func (p parsed) mixed() bool {
	first := noEnd
	for _, end := range p.ends {
		if first == noEnd {
			first = end
		} else if end != noEnd && end != first {
			return true
		}
	}
	return false
}

type lineEnd uint8

const (
	noEnd lineEnd = iota
	lf
	crlf
	cr
)

func (e lineEnd) String() string { return [...]string{"", "\n", "\r\n", "\r"}[e] }

// firstEnd returns the line end that s begins with; s is empty or begins with one.
func firstEnd(s string) lineEnd {
	switch {
	case s == "":
		return noEnd
	case s[0] == '\n':
		return lf
	case strings.HasPrefix(s, "\r\n"):
		return crlf
	}
	return cr
}
