package review

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers/text"
)

// A state as bytes: a magic number with a version, then everything in a fixed order. Numbers
// are unsigned varints, strings have their length in front. Rows that are in the text are
// not stored once more, so that the two cannot contradict each other. Of what serves undo
// only the newest is kept (milestones.go), and what is provisional is left out.

const stateMagic = "acp-ls doc\x03"

// Those of earlier versions: the first has nothing of what has become of conflicts, and none
// of them what is remembered of earlier texts.
const (
	stateMagic1 = "acp-ls doc\x01"
	stateMagic2 = "acp-ls doc\x02"
)

// MarshalState returns the state of the document as bytes, for [UnmarshalState]: all that is
// needed to go on, with the newest of what is remembered of earlier texts. A provisional state
// is taken as settled.
func (d *Doc) MarshalState() ([]byte, error) {
	e := encoder{b: make([]byte, 0, d.text.Len()+256), kept: d.kept()}
	e.b = append(e.b, stateMagic...)
	e.str(d.text.String())
	e.num(uint64(d.eol))
	e.flag(d.eolKnown)
	e.num(uint64(d.tail))
	e.num(d.nextID)
	e.num(d.rev)
	e.int(len(d.origins) - 1)
	for _, o := range d.origins[1:] {
		e.origin(o)
	}
	e.int(len(d.runs))
	for _, r := range d.runs {
		e.int(r.at)
		e.int(len(r.rows))
		for _, x := range r.rows {
			e.row(x, !x.inText())
		}
		e.written.runs = append(e.written.runs, r.rows)
	}
	e.int(len(d.rejected))
	for _, r := range d.rejected {
		e.rejection(r)
	}
	e.int(len(d.conflicts))
	for _, c := range d.conflicts {
		e.conflict(c)
	}
	e.milestones()
	return e.b, nil
}

// UnmarshalState returns the document that [Doc.MarshalState] was called on. Bytes that are
// not from there, or damaged, are an error; it never panics, and what it returns holds
// together.
func UnmarshalState(data []byte, now func() time.Time) (*Doc, error) {
	s := decoder{}
	version := slices.IndexFunc([]string{stateMagic1, stateMagic2, stateMagic}, func(magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }) + 1
	if version == 0 {
		return nil, errors.New("review state: not one, or of another version")
	}
	s.b = data[len(stateMagic):]
	d := &Doc{now: now, text: text.New(s.str()), origins: make([]Origin, 1)}
	d.eol = s.ending()
	s.must(d.eol != noEnd, "no terminator")
	d.eolKnown = s.flag()
	d.tail = s.ending()
	d.nextID = s.num()
	d.rev = s.num()
	for range s.count() {
		d.origins = append(d.origins, s.origin())
	}
	s.marks, s.ids = len(d.origins), d.nextID
	s.runs(d)
	rows := d.text.LineCount()
	listed := map[string]bool{}
	for range s.count() {
		r := s.rejection(rows)
		s.must(!listed[r.hunk.ID], "a hunk twice")
		listed[r.hunk.ID] = true
		d.rejected = append(d.rejected, r)
	}
	for range s.count() {
		c := s.conflict(rows, version)
		s.must(!listed[c.id], "a hunk twice")
		listed[c.id] = true
		d.conflicts = append(d.conflicts, c)
	}
	if version > 2 {
		s.milestones(d)
	}
	s.must(len(s.b) == 0, "more than a state")
	if s.err != nil {
		return nil, s.err
	}
	if d.Tracking() || len(d.memory) > 0 {
		d.begin()
		d.remember()
	} else {
		d.runs = nil
		d.noteEarly()
	}
	return d, nil
}

type encoder struct {
	b       []byte
	kept    []*moment
	written written
	places  places // of it, from the first moment on
}

func (e *encoder) num(n uint64) { e.b = binary.AppendUvarint(e.b, n) }
func (e *encoder) int(n int)    { e.num(uint64(n)) }

func (e *encoder) str(s string) {
	e.int(len(s))
	e.b = append(e.b, s...)
}

func (e *encoder) flag(is bool) { e.bits(is) }

// bits writes up to 8 booleans.
func (e *encoder) bits(of ...bool) {
	var n byte
	for i, is := range of {
		if is {
			n |= 1 << i
		}
	}
	e.b = append(e.b, n)
}

func (e *encoder) origin(o Origin) {
	for _, s := range []string{string(o.Change), o.Session, o.Agent, o.Turn, o.ToolCall, o.Title, string(o.Author)} {
		e.str(s)
	}
	e.flag(o.Sure)
}

// row writes a row. Without its text it is one of the text.
func (e *encoder) row(r row, withText bool) {
	e.written.rows = append(e.written.rows, r)
	if e.bits(withText, r.mine, r.was != nil, r.carried); withText {
		e.str(r.text)
	}
	if r.was != nil {
		e.str(*r.was)
	}
	e.num(uint64(r.end))
	e.num(uint64(r.ins))
	e.num(uint64(r.del))
	e.num(r.id)
	e.int(len(r.user))
	for _, s := range r.user {
		e.int(s.from)
		e.int(s.to)
	}
}

func (e *encoder) conflict(c *conflict) {
	e.written.conflicts = append(e.written.conflicts, c)
	e.str(c.id)
	e.origin(c.origin)
	e.int(c.at)
	e.int(c.n)
	e.str(c.base)
	e.int(len(c.theirs))
	for _, x := range c.theirs {
		e.row(x, true)
	}
	e.flag(c.declined)
	e.int(len(c.instead))
	for _, id := range c.instead {
		e.str(id)
	}
	e.int(e.since(c))
}

func (e *encoder) rejection(r *rejection) {
	e.written.rejected = append(e.written.rejected, r)
	h := r.hunk
	e.str(h.ID)
	e.int(len(h.Origins))
	for _, o := range h.Origins {
		e.origin(o)
	}
	for _, s := range []string{h.BaseText, h.Text, h.Gone} {
		e.str(s)
	}
	e.bits(h.Mixed, h.Committed, h.Lost)
	for _, n := range []int{r.at, r.n, r.was, r.lead} {
		e.int(n)
	}
	for _, around := range [][]string{r.before, r.after} {
		e.int(len(around))
		for _, s := range around {
			e.str(s)
		}
	}
	e.int(len(r.rows))
	for _, x := range r.rows {
		e.bits(x.chosen, x.stays)
		e.row(x.row, true)
	}
}

// decoder reads what an encoder wrote. After the first error it reads zeros.
type decoder struct {
	b       []byte
	err     error
	marks   int    // there are
	ids     uint64 // the highest
	written written
}

func (s *decoder) must(ok bool, what string) {
	if !ok && s.err == nil {
		s.err = fmt.Errorf("review state: damaged: %s", what)
		s.b = nil
	}
}

func (s *decoder) num() uint64 {
	n, size := binary.Uvarint(s.b)
	if s.must(size > 0, "a number is cut off"); s.err != nil {
		return 0
	}
	s.b = s.b[size:]
	return n
}

// maxCount bounds what is a number of rows or bytes, so that sums of a few do not overflow.
const maxCount = 1 << 40

func (s *decoder) int() int {
	n := s.num()
	if s.must(n < maxCount, "a number is too large"); s.err != nil {
		return 0
	}
	return int(n)
}

// count is the number of things that follow, each of a byte at least.
func (s *decoder) count() int {
	n := s.int()
	if s.must(n <= len(s.b), "things are missing"); s.err != nil {
		return 0
	}
	return n
}

func (s *decoder) str() string {
	n := s.count()
	out := string(s.b[:n])
	s.b = s.b[n:]
	return out
}

func (s *decoder) bits(n int) byte {
	if s.must(len(s.b) > 0, "a flag is missing"); s.err != nil {
		return 0
	}
	x := s.b[0]
	s.b = s.b[1:]
	s.must(x < 1<<n, "an unknown flag")
	return x
}

func (s *decoder) flag() bool { return s.bits(1) != 0 }

func (s *decoder) ending() ending {
	n := s.num()
	s.must(n <= uint64(endCR), "an unknown terminator")
	return ending(n & 3)
}

func (s *decoder) mark() mark {
	n := s.int()
	s.must(n < max(s.marks, 1), "a mark without origin")
	return mark(n)
}

// place is rows [at, at+n) of a text.
func (s *decoder) place(rows int) (at, n int) {
	at, n = s.int(), s.int()
	s.must(at+n <= rows, "a place behind the text")
	return at, n
}

func (s *decoder) origin() Origin {
	return Origin{
		Change: ChangeID(s.str()), Session: s.str(), Agent: s.str(), Turn: s.str(), ToolCall: s.str(), Title: s.str(),
		Author: Author(s.str()), Sure: s.flag(),
	}
}

// row reads a row. If it was written without its text, that is what line returns.
func (s *decoder) row(line func() string) row {
	var r row
	flags := s.bits(4)
	r.mine, r.carried = flags&2 != 0, flags&8 != 0
	switch {
	case flags&1 != 0:
		r.text = s.str()
		s.must(!strings.ContainsAny(r.text, "\r\n"), "a row of several")
	case line != nil:
		r.text = line()
	}
	if flags&4 != 0 {
		was := s.str()
		r.was = &was
	}
	r.end, r.ins, r.del, r.id = s.ending(), s.mark(), s.mark(), s.num()
	s.must((flags&1 != 0) != (line != nil && r.inText()), "a row and its text contradict each other")
	last := 0
	for range s.count() {
		u := span{s.int(), s.int()}
		s.must(u.from >= last && u.from < u.to && u.to <= len(r.text), "a part outside of its row")
		last = u.to
		r.user = append(r.user, u)
	}
	s.must(r.id <= s.ids && (r.id != 0 || !r.undecided()), "a row without an id")
	s.must(r.ins != 0 || len(r.user) == 0, "parts of a row that is nobody's")
	s.must(!r.mine || !r.undecided(), "a row that is decided and undecided")
	s.must(!r.carried || r.del != 0, "a copy of words that stands")
	s.must(r.was == nil || r.del != 0, "an earlier text of a row that stands")
	s.written.rows = append(s.written.rows, r)
	return r
}

// loose reads a row that is in no run.
func (s *decoder) loose() row { return s.row(nil) }

// runs reads the runs of d, whose text is known.
func (s *decoder) runs(d *Doc) {
	rows, next := d.text.LineCount(), -1
	seen := map[uint64]bool{}
	for range s.count() {
		r := run{at: s.int()}
		s.must(r.at > next && r.at <= rows, "a run out of its place")
		at := r.at
		for range s.count() {
			x := s.row(func() string {
				if s.must(at < rows, "a row behind the text"); s.err != nil {
					return ""
				}
				return d.text.Line(at)
			})
			if s.must(x.stored() && !(x.undecided() && seen[x.id]), "a row that is none of a run, or twice"); s.err != nil {
				return
			}
			seen[x.id] = true
			if x.inText() {
				x.end = endingOf(d.text, at).or(x.end)
				at++
			}
			r.rows = append(r.rows, x)
		}
		s.must(len(r.rows) > 0, "a run without rows")
		r.n, next = at-r.at, at
		d.runs = append(d.runs, r)
		s.written.runs = append(s.written.runs, r.rows)
	}
}

// conflict reads a conflict of a text of so many rows.
func (s *decoder) conflict(rows, version int) *conflict {
	c := &conflict{id: s.str(), origin: s.origin()}
	c.at, c.n = s.place(rows)
	c.base = s.str()
	for range s.count() {
		x := s.loose()
		s.must(!x.stored(), "a marked row in a conflict")
		c.theirs = append(c.theirs, x)
	}
	if version > 1 {
		c.declined = s.flag()
		for range s.count() {
			c.instead = append(c.instead, s.str())
		}
	}
	if version > 2 {
		c.made = s.num() // counted in moments, which follow
	}
	s.written.conflicts = append(s.written.conflicts, c)
	return c
}

func (s *decoder) rejection(rows int) *rejection {
	r := &rejection{}
	h := &r.hunk
	h.ID, h.State = s.str(), StateRejected
	for range s.count() {
		h.Origins = append(h.Origins, s.origin())
	}
	h.BaseText, h.Text, h.Gone = s.str(), s.str(), s.str()
	flags := s.bits(3)
	h.Mixed, h.Committed, h.Lost = flags&1 != 0, flags&2 != 0, flags&4 != 0
	r.at, r.n = s.place(rows)
	r.was, r.lead = s.int(), s.int()
	for _, around := range []*[]string{&r.before, &r.after} {
		for range s.count() {
			*around = append(*around, s.str())
		}
	}
	seen := map[uint64]bool{}
	for range s.count() {
		flags := s.bits(2)
		x := rejectedRow{row: s.loose(), chosen: flags&1 != 0, stays: flags&2 != 0}
		s.must(x.stays || x.undecided(), "a rejected row that nothing has put in")
		s.must(!x.stays || !x.chosen || x.del != 0, "a rejected deletion that is none")
		if x.undecided() {
			s.must(!seen[x.id], "a rejected row twice")
			seen[x.id] = true
		}
		r.rows = append(r.rows, x)
	}
	s.written.rejected = append(s.written.rejected, r)
	return r
}
