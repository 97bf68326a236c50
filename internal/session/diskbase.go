package session

import (
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// maxBases bounds the texts of a document that are tried as a base, maxBaseRows their rows.
const maxBases, maxBaseRows = 32, 100_000

// maxEarlier bounds how many texts are known that the disk had before.
const maxEarlier = 4

// moveDisk makes to what the disk has; mu is held.
func (f *file) moveDisk(to *taken) {
	if had := f.before; had != nil && !had.Equal(to.Text) {
		if len(f.earlier) == maxEarlier {
			f.earlier = slices.Delete(f.earlier, 0, 1)
		}
		f.earlier = append(f.earlier, had.Text)
	}
	f.before = to
}

// takeDisk is moveDisk for what has come into the document, or is in conflict with it: whatever
// the editor writes from now on has come of that, and not of what the user had made until then.
func (f *file) takeDisk(to *taken) {
	f.noteHad(to, f.before)
	f.lately = nil
	if f.doc != nil && !f.doc.Text().Equal(to.Text) {
		f.lately = []text.Text{f.doc.Text()}
	}
	f.moveDisk(to)
}

// baseOnDisk is the text of which the content of a file was made: what the disk had when it was
// last taken in; or, of one of those that the user has made since, the latest last, what the
// content has, if it differs from it in fewer rows. For an editor that writes the file by itself while the user
// types (VS Code) tells of no save of which its document has gone on, and an agent may have
// changed what it wrote before anybody has looked. A text counts only if the content has a row of
// it that was not there before: else it may be nearer for being short alone, or for an agent's
// having taken back what it did.
func baseOnDisk(before text.Text, lately, earlier []text.Text, content string) text.Text {
	rows := linediff.Split(content)
	typed := map[string]bool{}
	for _, row := range rows {
		typed[row] = !isBlank(row)
	}
	for _, t := range append([]text.Text{before}, earlier...) {
		for _, row := range linesOf(t) {
			delete(typed, row)
		}
	}
	far := func(t text.Text) (n int) {
		for _, e := range linediff.Diff(linesOf(t), rows) {
			n += e.A1 - e.A0 + e.B1 - e.B0
		}
		return n
	}
	best, least := before, far(before)
	most := min(maxBases, maxBaseRows/max(len(rows), 1))
	for _, t := range slices.Backward(lately[max(len(lately)-most, 0):]) {
		if n := far(t); n < least && slices.ContainsFunc(linesOf(t), func(row string) bool { return typed[row] }) {
			best, least = t, n
		}
	}
	if least == 0 || best.Equal(before) {
		return best
	}
	return partOnDisk(before, best, rows)
}

// partOnDisk is what the rows of a file have of t, which the user has made of before: to be in t
// is not to be on disk, and what the user has not saved is no base of what others have made.
func partOnDisk(before, t text.Text, rows []string) text.Text {
	was, now := linesOf(before), linesOf(t)
	hadIn, isIn := kept(was, rows), kept(now, rows)
	var out strings.Builder
	open := false // the last row has no line end yet
	put := func(t text.Text, i int) {
		if open {
			out.WriteByte('\n')
		}
		end := t.Len()
		if open = i == t.LineCount()-1; !open {
			end = t.LineStart(i + 1)
		}
		out.WriteString(t.Slice(t.LineStart(i), end))
	}
	at := 0
	for _, e := range append(linediff.Diff(was, now), linediff.Edit{A0: len(was), A1: len(was), B0: len(now), B1: len(now)}) {
		for ; at < e.B0; at++ {
			put(t, at)
		}
		at = e.B1
		saved := false // of what is there instead the file has something or, if nothing is, not what was there
		for j := e.B0; j < e.B1; j++ {
			saved = saved || isIn[j] && !isBlank(now[j])
		}
		if !slices.ContainsFunc(now[e.B0:e.B1], func(row string) bool { return !isBlank(row) }) {
			saved = true
			for i := e.A0; i < e.A1; i++ {
				saved = saved && !hadIn[i]
			}
		}
		for i := e.A0; i < e.A1 && !saved; i++ {
			put(before, i)
		}
		for j := e.B0; j < e.B1 && saved; j++ {
			if isIn[j] {
				put(t, j)
			}
		}
	}
	return text.New(out.String())
}

// kept tells which of the rows a are in b.
func kept(a, b []string) []bool {
	out := make([]bool, len(a))
	i := 0
	for _, e := range append(linediff.Diff(a, b), linediff.Edit{A0: len(a), A1: len(a)}) {
		for ; i < e.A0; i++ {
			out[i] = true
		}
		i = e.A1
	}
	return out
}

func linesOf(t text.Text) []string { return t.Lines(0, t.LineCount()) }

func isBlank(row string) bool { return strings.TrimSpace(row) == "" }
