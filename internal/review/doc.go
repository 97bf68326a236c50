// Package review tracks who wrote what in one file, so that what agents changed can be
// looked at, accepted or rejected hunk by hunk while the user goes on typing.
//
// The atom is the row: a line without its terminator. A text of n terminators has n+1 rows,
// so a final line end shows as a last row that is empty, and "no final newline" needs no
// flag: it is a text, or a baseline, whose last row is not. Two marks stand on a row, each
// empty or naming the change (one tool call, mostly) that made it:
//
//	ins   who put it in          text     = the rows without del
//	del   who took it out        baseline = the rows without ins
//
// The baseline is the document as it would be if every undecided change were rejected; what
// the user types is in both. A row with both marks is in neither, and exists so that each of
// the two changes can be decided alone. Three laws hold after every step: an agent's edit
// never changes the baseline, accept never changes the text, reject never changes the
// baseline. And no row the user wrote is lost: it is in the text, in the baseline, or in a
// rejected hunk that can be brought back.
//
// Only marked rows are stored, as runs anchored by the number of the text row they begin at
// (runs.go). An operation cuts a window out of the document, the runs that touch the rows
// it is about with the plain rows between them, works on that window as on a complete list
// of rows, and puts it back. So a document without changes costs nothing, and a keystroke
// far from all hunks costs a shift of row numbers.
//
// What is only asked for stands beside the rows: a proposal (proposal.go) is in neither text,
// and becomes an agent's edit, or nothing.
//
// An event of the editor is not the user's edit: `:%s` is one range over everything, one undo
// is two notifications with a text between that nobody saw. It says where to look; the
// difference inside that range is what the user did (user.go). And each text a document has
// had is remembered with its rows (memory.go), by which undo and redo are recognised.
//
// A row carries its terminator along. To the user's edits it does not matter: rows that differ
// in nothing else are the same row, and have the terminator that the text has. An agent's
// edit that gives a row another one takes a row out and puts one in. So the laws hold to the
// byte, with one exception: where lone carriage returns stand beside line feeds, an empty row
// that comes to stand behind one takes it over, as it would not be a row otherwise.
//
// The package is pure: text in, text out. It starts no timer and does no I/O, and its values
// are not safe for concurrent use; a file's owner serialises what happens to it.
package review

import (
	"slices"
	"time"

	"acp-ls/buffers/text"
)

// ChangeID names a change: what one tool call, or one write, did to a file.
type ChangeID string

// Author is who made a change.
type Author string

// The authors. A change by AuthorUnknown is not listed until [Doc.Relabel] has named its author.
const (
	AuthorUser      Author = "user"
	AuthorAgent     Author = "agent"
	AuthorFormatter Author = "formatter"
	AuthorGit       Author = "git"
	AuthorDisk      Author = "disk"
	AuthorUnknown   Author = "unknown"
)

// ours reports whether a's edits are the user's own: they go into the baseline too.
func (a Author) ours() bool { return a == AuthorUser || a == AuthorFormatter || a == AuthorGit }

// Origin says where a change comes from. Change identifies it; the rest is for those who
// read it. Sure is false where the author is concluded, not known.
type Origin struct {
	Change                                ChangeID
	Session, Agent, Turn, ToolCall, Title string
	Author                                Author
	Sure                                  bool
}

// State is what a hunk waits for.
type State string

// The states. StateProposed is a change that is asked for and has not landed.
const (
	StatePending  State = "pending"
	StateProposed State = "proposed"
	StateConflict State = "conflict"
	StateRejected State = "rejected"
)

// A Hunk is what is decided at once: undecided rows that touch, or that are parted only by up
// to 8 blank or brace-only rows which nobody touched; or a rejected hunk, or a conflict.
type Hunk struct {
	// ID is made of the change and of a hash of BaseText and Text: one changed byte, another
	// ID, but for a byte order mark. Two hunks of a document never share one.
	ID      string
	State   State
	Origins []Origin // in the order of the rows, each once

	// StartLine and EndLine are the 0-based rows [StartLine, EndLine) of the current text
	// that the hunk occupies or would replace; equal: between rows.
	StartLine, EndLine int

	// BaseText is what reject puts there (pending), or what stands there now (proposed,
	// conflict, rejected). Text is what stands there (pending), or what would. Both are whole rows
	// with their terminators.
	BaseText, Text string

	// Gone holds the rows that one change put in and another took out again. They are in
	// neither text. A hunk may consist of nothing else: BaseText and Text are empty then.
	Gone string

	Mixed     bool // the user has typed inside rows of the agent
	Committed bool // in a commit that decided nothing
	Lost      bool // no row of it was found again
	Marked    Take // of a proposal: what is to become of it, or nothing yet
}

// A Refusal says why a decision about ID was not carried out.
type Refusal struct {
	ID     string
	Reason string
}

// provisional is how long after a user's event another one may still be part of the same
// action of an editor.
const provisional = 200 * time.Millisecond

// Doc is the tracked state of one file.
type Doc struct {
	text     text.Text
	eol      ending // for rows that never had a terminator; if eolKnown, from a text that had some
	eolKnown bool
	tail     ending // the terminator that the last row of the text, if it is plain, has where rows follow it
	runs     []run  // ascending, neither overlapping nor touching

	origins []Origin // by mark
	nextID  uint64   // of rows

	rejected  []*rejection
	conflicts []*conflict
	proposed  *proposed // nil if nothing is

	rev    uint64
	listed *listing // what Hunks found for rev, or nil

	now    func() time.Time
	until  time.Time // the state is provisional until then; zero: settled
	anchor *still    // the state in front of the provisional events, if there are any
	limbo  []row     // rows that provisional events removed and a next one may put back
	copied *copied   // the last event, if it put in what the next one may take out elsewhere
	grown  growth    // what the last event was, if it changed one row

	seq       uint64      // counts operations
	early     []text.Text // had before anything was tracked; memory is empty as long as that is so
	memory    []*moment
	memCost   int
	rowsBuilt int // since the last moment
	decided   []decision
	fates     []fate

	passed     []uint64 // the last operations that were not the user's typing
	lookedBack uint64   // the last of them when recallable was found
	recallable uint64   // one more than the newest moment that has what Remembers is about; 0: none
}

// New returns the state of a document in which nothing has been changed. now tells the time.
func New(t text.Text, now func() time.Time) *Doc {
	d := &Doc{text: t, eol: dominantEnding(t), eolKnown: t.LineCount() > 1, origins: make([]Origin, 1), now: now}
	d.noteEarly()
	return d
}

// Clone returns a state of its own that is cheap to make: the two share what neither changes.
func (d *Doc) Clone() *Doc {
	// Appending must not write behind the other one's back.
	d.origins = slices.Clip(d.origins)
	d.rejected = slices.Clip(d.rejected)
	d.conflicts = slices.Clip(d.conflicts)
	d.limbo = slices.Clip(d.limbo)
	d.early = slices.Clip(d.early)
	d.memory = slices.Clip(d.memory)
	d.decided = slices.Clip(d.decided)
	d.fates = slices.Clip(d.fates)
	d.passed = slices.Clip(d.passed)
	c := *d
	return &c
}

// Text returns the text as it is.
func (d *Doc) Text() text.Text { return d.text }

// Baseline returns the text as it would be if every undecided change were rejected.
func (d *Doc) Baseline() text.Text {
	t := d.text
	for i := len(d.runs) - 1; i >= 0; i-- {
		r := d.runs[i]
		w := d.window(r.at, r.at+r.n)
		prev := lastByte(d.text, w.lo)
		if i > 0 && d.runs[i-1].at+d.runs[i-1].n == w.lo { // which is not in its place yet
			var ok bool
			if prev, ok = d.lastEnd(d.runs[i-1].rows, row.inBase); !ok {
				prev = lastByte(d.text, d.runs[i-1].at)
			}
		}
		t = t.Replace(d.text.LineStart(w.lo), d.text.LineStart(w.hi), d.joinWindow(t, prev, w.lo, w.hi, w.rows, row.inBase))
	}
	return t
}

// Tracking reports whether there is anything to know beyond the text: an undecided change, a
// rejected hunk or a conflict.
func (d *Doc) Tracking() bool {
	return d.marked() || len(d.rejected) > 0 || len(d.conflicts) > 0
}

// marked reports whether any row is undecided.
func (d *Doc) marked() bool { return undecidedIn(d.runs) }

func undecidedIn(runs []run) bool {
	return slices.ContainsFunc(runs, func(r run) bool { return slices.ContainsFunc(r.rows, row.undecided) })
}

// Revision returns a number that grows whenever Hunks would answer something else. It may
// grow without that.
func (d *Doc) Revision() uint64 { return d.rev }

// OnlyAgent reports whether all text that is not blank is the agent's: no row is in the
// baseline, and in no row did the user type. A file that an agent created may be deleted on
// reject only then.
func (d *Doc) OnlyAgent() bool {
	next := 0 // the first row not yet looked at
	for _, r := range d.runs {
		if !allBlank(d.text.Lines(next, r.at)) {
			return false
		}
		for _, x := range r.rows {
			if x.inText() && !isBlank(x.text) && (x.ins == 0 || x.mixed()) {
				return false
			}
		}
		next = r.at + r.n
	}
	return allBlank(d.text.Lines(next, d.text.LineCount()))
}

// tidy forgets what is only known for the sake of undecided rows.
func (d *Doc) tidy() {
	if len(d.runs) > 0 && !d.marked() {
		d.runs = nil
	}
}

// begin starts an operation that is not the user's typing.
func (d *Doc) begin() {
	d.seq++
	d.passed = append(d.passed, d.seq)
	if len(d.passed) > maxPassed {
		d.passed = d.passed[1:]
	}
}

// end finishes an operation that may have changed something.
func (d *Doc) end() {
	d.rev++
	d.listed = nil
	d.followText()
	d.dropUndecided()
	d.tidy()
	d.remember()
}

// newMark returns the mark of o.
func (d *Doc) newMark(o Origin) mark {
	for i := len(d.origins) - 1; i > 0; i-- {
		if d.origins[i] == o {
			return mark(i)
		}
	}
	d.origins = append(d.origins, o)
	return mark(len(d.origins) - 1)
}

// same reports whether two marks name one change.
func (d *Doc) same(a, b mark) bool {
	return a == b || a != 0 && b != 0 && d.origins[a].Change == d.origins[b].Change
}

// sameTurn reports whether two marks name one change, or changes of one turn. What a turn
// put in and took out again is nobody's business.
func (d *Doc) sameTurn(a, b mark) bool {
	if d.same(a, b) || a == 0 || b == 0 {
		return d.same(a, b)
	}
	x, y := d.origins[a], d.origins[b]
	return x.Turn != "" && x.Turn == y.Turn && x.Session == y.Session
}

func (d *Doc) id() uint64 {
	d.nextID++
	return d.nextID
}
