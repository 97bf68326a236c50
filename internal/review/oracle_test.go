package review

import (
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// oracle does what Doc does in the plainest way: it keeps all rows of the document in one list
// and works on all of it each time. What a difference means (align, flow, settleRun) it
// takes from the engine, which is tested for that by the rules; it tests where the engine
// looks, what it stores and what it remembers.
type oracle struct {
	rows    []row
	origins []Origin
	doc     *Doc // for ids of rows and names of changes only; never its text or runs

	past     []oraclePast
	accepted []decision
	seq      uint64

	anchor []row // nil: settled
	limbo  []row

	put *oraclePut // what the last event put in, if it did nothing else

	conflicts []oracleConflict
	fates     []oracleFate

	grown growth // what the last event was, if it changed one row
}

// oraclePut is a block of whole rows that an event put in at row at, and the oracle before.
type oraclePut struct {
	seq           uint64
	at            int
	rows          []string
	was           []row
	anchor, limbo []row
	text          string
}

type oraclePast struct {
	text string
	rows []row
	seq  uint64

	conflicts []oracleConflict
}

func newOracle(s string) *oracle {
	o := &oracle{rows: splitRows(s), origins: make([]Origin, 1), doc: &Doc{eol: dominantEnding(text.New(s)), eolKnown: strings.ContainsAny(s, "\r\n")}}
	o.remember()
	return o
}

func (o *oracle) render(in func(row) bool) string {
	var b strings.Builder
	pending := ""
	for _, r := range o.rows {
		if in(r) {
			b.WriteString(pending)
			b.WriteString(r.text)
			if pending = r.end.String(); r.end == noEnd {
				pending = "\n"
			}
		}
	}
	return b.String()
}

func (o *oracle) text() string { return o.render(row.inText) }

func (o *oracle) remember() {
	if !slices.ContainsFunc(o.rows, row.undecided) {
		for i := range o.rows {
			o.rows[i].mine = false
		}
	}
	o.past = append(o.past, oraclePast{o.text(), slices.Clone(o.rows), o.seq, o.conflicts})
}

func (o *oracle) mark(x Origin) mark {
	o.doc.origins = o.origins
	m := o.doc.newMark(x)
	o.origins = o.doc.origins
	return m
}

// setText gives the text rows the terminators of s, which has the same rows.
func (o *oracle) setText(s string) {
	new := splitRows(s)
	k := 0
	for i, r := range o.rows {
		if r.inText() {
			if r.text != new[k].text {
				panic(fmt.Sprintf("oracle: row %q, want %q", r.text, new[k].text))
			}
			if new[k].end != noEnd {
				o.rows[i].end = new[k].end
			}
			k++
		}
	}
	if k != len(new) {
		panic(fmt.Sprintf("oracle: %d rows, want %d", k, len(new)))
	}
}

func (o *oracle) agentEdit(s string, x Origin) {
	old := o.text()
	if old == s {
		return
	}
	o.seq++
	o.learnEnding(s, x.Author)
	a, b := splitRows(old), splitRows(s)
	edits := withTurned(linediff.Diff(withoutLast(texts(a), texts(b), true)), o.ends(), b)
	g := group{window: window{rows: o.rows}, edits: edits}
	m := o.mark(x)
	o.rows = o.doc.settleRows(o.doc.agentRows(g, b, m))
	o.setText(s)
	o.rows = o.doc.settleRows(o.rows)
	o.anchor = nil
	o.remember()
}

// learnEnding takes the terminator of rows that never had one from the first text that has any.
func (o *oracle) learnEnding(s string, author Author) {
	if o.doc.eolKnown || !strings.ContainsAny(s, "\r\n") {
		return
	}
	o.doc.eolKnown = true
	if author.ours() || !strings.ContainsAny(o.render(row.inBase), "\r\n") {
		o.doc.eol = dominantEnding(text.New(s))
	}
}

// takeTurn turns the terminators of the rows that are not in the text with those of the text.
func (o *oracle) takeTurn(old, s string) {
	from, to := onlyEnding(text.New(old)), onlyEnding(text.New(s))
	if from == noEnd || to == noEnd || from == to || from != o.doc.eol {
		return
	}
	o.doc.eol = to
	for i, r := range o.rows {
		if !r.inText() && r.end == from {
			o.rows[i].end = to
		}
	}
}

// ends returns the terminators of the rows of the text that count.
func (o *oracle) ends() []ending {
	var ends []ending
	for i, r := range o.rows {
		if !r.inText() {
			continue
		}
		end := r.end.or(o.doc.eol)
		if r.ins == 0 && !slices.ContainsFunc(o.rows[i+1:], row.inBase) || r.ins != 0 && !slices.ContainsFunc(o.rows[i+1:], row.inText) {
			end = noEnd
		}
		ends = append(ends, end)
	}
	return ends
}

func (o *oracle) userEdit(start, end int, ins string, author Author) {
	old := o.text()
	if old[start:end] == ins {
		return
	}
	s := old[:start] + ins + old[end:]
	if o.moveEdit(old, s, start, end, ins, author) {
		return
	}
	put := o.putting(old, s, start, end, ins, author)
	o.learnEnding(s, author)
	o.seq++
	if put != nil {
		put.seq = o.seq
	}
	o.put = put
	if o.anchor == nil {
		o.anchor = slices.Clone(o.rows)
	}
	a, b, edits, paired := rowEdits(old, s, start, end, ins)
	o.userEdits(old, s, a, b, edits, paired, author)
}

// rowEdits returns the rows of old and s, and what the event that put ins for old[start:end]
// has made of them.
func rowEdits(old, s string, start, end int, ins string) (a, b []row, edits []linediff.Edit, paired bool) {
	// Whole rows around the range, counted from both ends of both texts.
	first := start
	if first > 0 && old[first-1] == '\r' {
		first--
	}
	lo := len(splitRows(old[:first])) - 1
	if first > 0 && old[first-1] == '\r' && first < len(old) && old[first] == '\n' {
		lo-- // in the middle of a terminator
	}
	a, b = splitRows(old), splitRows(s)
	hi := rowAt(old, end) + 1
	nhi := rowAt(s, start+len(ins)) + 1
	rest := len(a) - hi
	if rest != len(b)-nhi {
		panic("oracle: the rows behind the event differ")
	}
	aa, bb := a[lo:hi], b[lo:nhi]
	edits, paired = align(texts(aa), texts(bb), rest == 0)
	for i, x := range edits {
		edits[i] = linediff.Edit{A0: x.A0 + lo, A1: x.A1 + lo, B0: x.B0 + lo, B1: x.B1 + lo}
	}
	return a, b, edits, paired
}

// userEdits carries out edits between all the rows of the text old and of s.
func (o *oracle) userEdits(old, s string, a, b []row, edits []linediff.Edit, paired bool, author Author) {
	last := o.grown
	g, was := grew(0, texts(a), texts(b))
	o.grown = g
	typed := g.goesOn(last, was)
	o.makeEdits(old, s, a, b, edits, paired, author)
	o.recall(s, typed)
	o.remember()
}

// makeEdits carries out rules b, c and d.
func (o *oracle) makeEdits(old, s string, a, b []row, edits []linediff.Edit, paired bool, author Author) {
	e := userEvent{doc: o.doc, lo: 0, old: a, new: b, author: author}
	d := o.dense()
	d.limbo = o.limbo
	e.doc = d
	e.findMoves(edits, paired)
	rows := e.rows(group{window: window{rows: o.rows}, edits: edits})
	o.rows = d.settleRows(rows)
	d.runs = storedRuns(o.rows, 0)
	e.fillLimbo()
	o.limbo = d.limbo
	for i := range o.rows {
		o.rows[i].fresh = false
	}
	o.setText(s)
	o.takeTurn(old, s)
	o.rows = o.doc.settleRows(o.rows)
}

// block returns the whole rows that s[start:end] is, and the number of the first.
func block(s string, start, end int) (at int, rows []string) {
	all := rowsWithEnds(s)
	var starts, ends []int
	n := 0
	for _, r := range all {
		starts, ends = append(starts, n), append(ends, n+len(strings.TrimRight(r, "\r\n")))
		n += len(r)
	}
	for _, marks := range [][]int{starts, ends} {
		i, j := slices.Index(marks, start), slices.Index(marks, end)
		if i >= 0 && j > i {
			if &marks[0] == &ends[0] {
				i, j = i+1, j+1
			}
			for _, r := range all[i:j] {
				rows = append(rows, strings.TrimRight(r, "\r\n"))
			}
			return i, rows
		}
	}
	return 0, nil
}

func (o *oracle) putting(old, s string, start, end int, ins string, author Author) *oraclePut {
	if author != AuthorUser {
		return nil
	}
	from := start
	if n := end - start; strings.HasPrefix(ins, old[start:end]) {
		from, ins = end, ins[n:]
	} else if strings.HasSuffix(ins, old[start:end]) {
		ins = ins[:len(ins)-n]
	} else {
		return nil
	}
	at, rows := block(s, from, from+len(ins))
	if rows == nil {
		return nil
	}
	return &oraclePut{at: at, rows: rows, was: slices.Clone(o.rows), anchor: o.anchor, limbo: slices.Clone(o.limbo), text: old}
}

// moveEdit carries out an event that takes out again, elsewhere, what the event before put in.
func (o *oracle) moveEdit(old, s string, start, end int, ins string, author Author) bool {
	p := o.put
	if p == nil || p.seq != o.seq || author != AuthorUser {
		return false
	}
	if strings.HasPrefix(old[start:end], ins) {
		start += len(ins)
	} else if strings.HasSuffix(old[start:end], ins) {
		end -= len(ins)
	} else {
		return false
	}
	at, rows := block(old, start, end)
	n := len(rows)
	if n == 0 || !slices.Equal(rows, p.rows) || at <= p.at+n && p.at <= at+n {
		return false
	}
	agents, k := false, 0
	for _, r := range o.rows {
		if !r.inText() {
			continue
		}
		if k >= at && k < at+n && r.agents() && !thin(r.text) {
			agents = true
		}
		k++
	}
	if !agents {
		return false
	}
	o.seq++
	if o.anchor != nil {
		o.anchor, o.limbo = p.anchor, p.limbo
	}
	o.rows, o.put = p.was, nil
	if o.anchor == nil {
		o.anchor = slices.Clone(o.rows)
	}
	in, out := linediff.Edit{A0: p.at, A1: p.at}, linediff.Edit{A0: at, A1: at + n}
	var edits []linediff.Edit
	if at > p.at { // numbered in the text that has the rows twice
		out.A0, out.A1 = at-n, at
		in.B0, in.B1 = p.at, p.at+n
		out.B0, out.B1 = at, at
		edits = []linediff.Edit{in, out}
	} else {
		out.B0, out.B1 = at, at
		in.B0, in.B1 = p.at-n, p.at
		edits = []linediff.Edit{out, in}
	}
	o.userEdits(p.text, s, splitRows(p.text), splitRows(s), edits, false, author)
	return true
}

// dense returns a document that holds the oracle's rows, to look rows up in.
func (o *oracle) dense() *Doc {
	o.doc.origins = o.origins
	o.doc.runs = storedRuns(o.rows, 0)
	return o.doc
}

func rowAt(s string, offset int) int {
	n := len(splitRows(s[:offset])) - 1
	if offset > 0 && offset < len(s) && s[offset-1] == '\r' && s[offset] == '\n' {
		n--
	}
	return n
}

// recall takes the rows of the newest past that had the text s, or else of the newest that had
// it but for its final terminator, with that as the user's edit.
func (o *oracle) recall(s string, typed bool) {
	for _, p := range slices.Backward(o.past) {
		if p.text == s {
			o.recallPast(p, typed)
			return
		}
	}
	other, ok := "", true
	switch rows := splitRows(s); {
	case rows[len(rows)-1].text != "":
		other = s + o.doc.eol.String()
	case len(rows) > 1 && rows[len(rows)-2].text != "": // without the terminator of a blank row, that is gone too
		other = s[:len(s)-len(rows[len(rows)-2].end.String())]
	default:
		ok = false
	}
	if !ok {
		return
	}
	for i, p := range slices.Backward(o.past) {
		if p.text == other {
			if i < len(o.past)-1 && slices.ContainsFunc(o.since(p), row.undecided) {
				o.recallPast(o.edited(p, s), typed)
			}
			return
		}
	}
}

// edited returns p after the user has made s of its text, which differ at the end only.
func (o *oracle) edited(p oraclePast, s string) oraclePast {
	c := *o
	c.rows, c.limbo = o.since(p), nil
	same := min(len(s), len(p.text))
	a, b, edits, paired := rowEdits(p.text, s, same, len(p.text), s[same:])
	c.makeEdits(p.text, s, a, b, edits, paired, AuthorUser)
	p.rows = c.rows
	return p
}

// since returns the rows of p with the decisions made since.
func (o *oracle) since(p oraclePast) []row {
	accepted := func(x row, del bool) bool {
		return slices.ContainsFunc(o.accepted, func(d decision) bool { return d.row == x.id && d.del == del && d.seq > p.seq })
	}
	ours := func(m mark) bool { return o.origins[m].Author.ours() }
	var rows []row
	for _, x := range p.rows {
		if x.del != 0 && (accepted(x, true) || ours(x.del)) {
			continue
		}
		if x.ins != 0 && (accepted(x, false) || ours(x.ins)) {
			x.ins, x.user = 0, nil
			if x.del == 0 {
				x = x.plain()
			}
		}
		rows = append(rows, x)
	}
	return o.doc.settleRows(rows)
}

// longerRowsOf counts the user's rows of a text that have more than s in them.
func longerRowsOf(rows []row, s string) int {
	n := 0
	for _, r := range rows {
		if r.inText() && !r.agents() && len(r.text) > len(s) && !isBlank(s) && strings.Contains(r.text, s) {
			n++
		}
	}
	return n
}

func (o *oracle) recallPast(p oraclePast, typed bool) {
	o.recallConflicts(p)
	rows := o.since(p)
	has := func(rows []row, id uint64) bool {
		return slices.ContainsFunc(rows, func(x row) bool { return x.undecided() && x.id == id })
	}
	// inBase counts the rows of a baseline, but for deleted rows that are among others.
	inBase := func(rows []row, s string, others []row) int {
		n := 0
		for _, r := range rows {
			if r.tomb() && r.original() == s && !has(others, r.id) || !r.undecided() && r.text == s {
				n++
			}
		}
		return n
	}
	inText := func(rows []row, s string) int {
		n := 0
		for _, r := range rows {
			if r.inText() && r.text == s {
				n++
			}
		}
		return n
	}
	for _, list := range [][]row{o.rows, o.anchor} {
		for _, r := range list {
			r.text = r.original()
			if inBase(rows, r.text, o.rows) >= inBase(o.rows, r.text, rows) {
				continue
			}
			removed := max(0, inText(o.anchor, r.text)-inText(o.rows, r.text))
			lacks := inBase(o.anchor, r.text, rows) - removed - inBase(rows, r.text, o.anchor)
			parts := 0 // of rows that are whole again
			for _, x := range o.rows {
				if x.tomb() && x.original() == r.text && !has(rows, x.id) && hasWord(r.text) {
					parts++
				}
			}
			if lacks > 0 && lacks > min(parts, longerRowsOf(rows, r.text)-longerRowsOf(o.anchor, r.text)) {
				return
			}
		}
	}
	at := 0
	for _, r := range rows {
		if typed && r.agents() && at == o.grown.row && !has(o.rows, r.id) {
			return
		}
		if r.inText() {
			at++
		}
	}
	for _, r := range o.rows {
		if r.ghost() && r.mixed() && !slices.ContainsFunc(rows, func(x row) bool { return x.id == r.id }) {
			return
		}
	}
	o.rows, o.grown = rows, o.grown.undid()
	o.limbo = slices.DeleteFunc(o.limbo, func(r row) bool {
		return slices.ContainsFunc(rows, func(x row) bool { return x.agents() && x.id == r.id })
	})
}

func (o *oracle) settle() { o.anchor, o.limbo = nil, nil }

// decide carries out a decision about the rows of these ids.
func (o *oracle) decide(accept bool, which func(row) (ins, del bool)) {
	o.seq++
	var with together
	if accept {
		with.add(o.rows, which)
	}
	var rows []row
	for _, x := range o.rows {
		ins, del := which(x)
		ins, del = ins && x.ins != 0, del && x.del != 0
		if accept {
			if ins {
				o.accepted = append(o.accepted, decision{x.id, false, o.seq})
			}
			if del {
				o.accepted = append(o.accepted, decision{x.id, true, o.seq})
				continue
			}
			if ins {
				x.ins, x.user = 0, nil
			}
		} else {
			if ins {
				continue
			}
			if del {
				x.del = 0
			}
		}
		if (ins || del) && !x.undecided() {
			x = x.plain()
		}
		rows = append(rows, x)
	}
	if textRows(rows) == 0 {
		rows = append(rows, o.doc.emptyRow(rows))
	}
	o.rows = o.doc.settleRows(rows)
	if o.turnEmpty() {
		o.rows = o.doc.settleRows(o.rows)
	}
	o.acceptReplaced(with)
	o.anchor = nil
	o.remember()
}

// acceptReplaced accepts agents' rows of the past that others took the place of, which were accepted.
func (o *oracle) acceptReplaced(with together) {
	now := map[uint64]bool{}
	for _, x := range o.rows {
		if x.undecided() {
			now[x.id] = true
		}
	}
	for _, p := range o.past {
		for _, id := range with.replaced(p.rows) {
			if !now[id] {
				o.accepted = append(o.accepted, decision{id, false, o.seq})
			}
		}
	}
}

// turnEmpty gives empty rows that have come to stand behind a carriage return that for their
// line feed, which would be one terminator with it, and reports whether there are any.
func (o *oracle) turnEmpty() (turned bool) {
	o.rows = slices.Clone(o.rows)
	before, last := noEnd, o.lastRow()
	for i := range o.rows {
		if !o.rows[i].inText() {
			continue
		}
		end := o.rows[i].end.or(o.doc.eol)
		if o.rows[i].text == "" && end == endLF && before == endCR && i != last {
			o.rows[i].end, end, turned = endCR, endCR, true
		}
		before = end
	}
	return turned
}

// lastRow is the index of the last row of the text, whose terminator is not written.
func (o *oracle) lastRow() int {
	for i := len(o.rows) - 1; i >= 0; i-- {
		if o.rows[i].inText() {
			return i
		}
	}
	return -1
}
