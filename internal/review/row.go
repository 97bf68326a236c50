package review

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-ls/buffers/text"
)

// mark is an index into Doc.origins; 0 is no mark.
type mark int32

// ending is a row's terminator.
type ending uint8

const (
	noEnd ending = iota
	endLF
	endCRLF
	endCR
)

func (e ending) String() string { return [...]string{"", "\n", "\r\n", "\r"}[e] }

// or returns e, or f if e is none.
func (e ending) or(f ending) ending {
	if e == noEnd {
		return f
	}
	return e
}

// row is one row of the document. Rows are values: whoever changes one works on a copy,
// and the slices in it are never written to.
type row struct {
	text     string
	end      ending // in the last row of a text: what it had, or would have, with rows behind it
	ins, del mark

	// id tells marked rows apart, and stays with a row while the user types in it.
	id uint64

	// user are the bytes of an ins row that the user wrote.
	user []span

	// was is what a deleted row read before the user's words went into it, nil if none did.
	was *string

	// carried marks a deleted row of words that stand in agents' rows (carry.go).
	carried bool

	// mine marks a plain row that the user wrote. Only rows that could join two hunks (thin)
	// are marked, and only near a hunk.
	mine bool

	// fresh marks, while one operation works, a plain row that it put in.
	fresh bool
}

// span is a range of bytes in a row.
type span struct{ from, to int }

func (r row) inText() bool    { return r.del == 0 }
func (r row) inBase() bool    { return r.ins == 0 }
func (r row) undecided() bool { return r.ins != 0 || r.del != 0 }

// tomb reports whether r is in the baseline only.
func (r row) tomb() bool { return r.del != 0 && r.ins == 0 }

// agents reports whether r is in the text only.
func (r row) agents() bool { return r.ins != 0 && r.del == 0 }

// ghost reports whether r is in neither.
func (r row) ghost() bool { return r.ins != 0 && r.del != 0 }

// stored reports whether r is more than a plain row of the text.
func (r row) stored() bool { return r.undecided() || r.mine }

// plain returns r without marks.
func (r row) plain() row { return row{text: r.text, end: r.end} }

// original returns what a row read when it was taken out.
func (r row) original() string {
	if r.was != nil {
		return *r.was
	}
	return r.text
}

// mixed reports whether the user wrote anything in r that is not white space.
func (r row) mixed() bool {
	for _, s := range r.user {
		if !isBlank(r.text[s.from:s.to]) {
			return true
		}
	}
	return false
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func allBlank(rows []string) bool {
	for _, s := range rows {
		if !isBlank(s) {
			return false
		}
	}
	return true
}

// maxGap is how many thin rows may part the rows of one hunk.
const maxGap = 8

// thin reports whether a row says so little that two hunks parted by it are one.
func thin(s string) bool { return strings.Trim(s, " \t\r\n\f\v()[]{};,") == "" }

// sameInk reports whether a and b differ in white space at most.
func sameInk(a, b string) bool {
	for {
		a, b = strings.TrimLeftFunc(a, unicode.IsSpace), strings.TrimLeftFunc(b, unicode.IsSpace)
		if a == "" || b == "" {
			return a == b
		}
		_, n := utf8.DecodeRuneInString(a)
		if len(b) < n || a[:n] != b[:n] {
			return false
		}
		a, b = a[n:], b[n:]
	}
}

// splitRows returns the rows of s, of which the last has no terminator.
func splitRows(s string) []row {
	rows := make([]row, 0, strings.Count(s, "\n")+1)
	cr := strings.IndexByte(s, '\r') >= 0
	for {
		i := strings.IndexByte(s, '\n')
		if cr {
			i = strings.IndexAny(s, "\r\n")
		}
		if i < 0 {
			return append(rows, row{text: s})
		}
		r := row{text: s[:i], end: endLF}
		if s[i] == '\r' {
			r.end = endCR
			if i+1 < len(s) && s[i+1] == '\n' {
				i, r.end = i+1, endCRLF
			}
		}
		rows = append(rows, r)
		s = s[i+1:]
	}
}

// rowsOf returns rows [lo, hi) of t as plain rows.
func rowsOf(t text.Text, lo, hi int) []row {
	if lo == hi {
		return nil
	}
	rows := splitRows(t.Slice(t.LineStart(lo), t.LineStart(hi)))
	return rows[:hi-lo] // not the empty row behind the last terminator
}

func texts(rows []row) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.text
	}
	return out
}

// dominantEnding returns the terminator that most of the first rows of t have, "\n" if there is none.
func dominantEnding(t text.Text) ending {
	const enough = 64 << 10
	var count [4]int
	for _, r := range splitRows(t.Slice(0, min(t.Len(), enough))) {
		count[r.end]++
	}
	best := endLF
	for _, e := range []ending{endCRLF, endCR} {
		if count[e] > count[best] {
			best = e
		}
	}
	return best
}

// onlyEnding returns the terminator that all rows of t have which have one; none if they
// differ, or there is none.
func onlyEnding(t text.Text) ending {
	only := noEnd
	for chunk := range t.Chunks(0, t.Len()) { // no border divides a CRLF
		for _, r := range splitRows(chunk) {
			if r.end != noEnd && only != noEnd && r.end != only {
				return noEnd
			}
			only = r.end.or(only)
		}
	}
	return only
}

// join returns the bytes of those rows that in picks. last tells that the text ends with them.
func (d *Doc) join(rows []row, in func(row) bool, last bool) string {
	return d.joinAfter("", rows, in, last)
}

// joinAfter is join for rows that come after the byte prev. An empty row that ends in a line
// feed behind a carriage return would not be a row: it ends in a carriage return then.
func (d *Doc) joinAfter(prev string, rows []row, in func(row) bool, last bool) string {
	var b strings.Builder
	pending := "" // the terminator of the row before, owed if another row follows
	for _, r := range rows {
		if !in(r) {
			continue
		}
		b.WriteString(pending)
		b.WriteString(r.text)
		if pending != "" {
			prev = pending
		}
		if pending = r.end.or(d.eol).String(); pending == "\n" && r.text == "" && prev == "\r" {
			pending = "\r"
		}
		if r.text != "" {
			prev = ""
		}
	}
	if !last {
		b.WriteString(pending)
	}
	return b.String()
}

// ink returns the number of bytes of s that are not white space.
func ink(s string) int {
	n := 0
	for _, f := range strings.Fields(s) {
		n += len(f)
	}
	return n
}
