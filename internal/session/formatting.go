package session

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What a formatter makes of a file when it is saved is nobody's change to review
// (rule 9). While the editor saves, that is what changes in the document. But some
// formatters write the file, and have the editor load it: then the disk holds
// something else than what was saved, as it does when an agent's command has written
// it just then, and nothing tells the two apart. So such a reload is the formatter's
// only if no agent can have written since the save: no tool call that may write has
// been running beside the one for which the file was saved. And as agents write without a
// word of it too, and what they have started goes on beside their tool calls, it must have kept
// all words while a turn runs, as formatters do. What is not certain is shown for review.

// But the user has not asked for a save that acp-ls asks for since an agent has changed the
// document. What a formatter makes of the text then is a consequence of that change: it is
// undecided too, and gone when everything is rejected. What the user types meanwhile stays theirs:
// editors that can ("format") tell the one from the other.

// savedFor is the change of an agent for which a document is saved.
type savedFor struct {
	by   *review.Origin // of what a formatter does; nil if that is decided already
	text text.Text      // that the change has made
	keys int            // how much the user had done by then
}

// beginSave notes that the change of an agent is about to be saved, until the function that it
// returns is called. What a formatter does meanwhile is undecided if the change is.
func (f *file) beginSave(by review.Origin, undecided bool, out outcome) (end func()) {
	o := &savedFor{text: out.text, keys: out.keys}
	if undecided {
		by.Change = f.core.changeID()
		if by.Title == "" {
			by.Title = "formatted on save"
		} else {
			by.Title += " (formatted on save)"
		}
		o.by = &by
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saving, f.savedBy, f.savingSince = true, by.ToolCall, f.core.now()
	f.savingFor = append(f.savingFor, o)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		i := slices.Index(f.savingFor, o)
		f.savingFor = slices.Delete(f.savingFor, i, i+1)
		f.saving = len(f.savingFor) > 0
	}
}

// formattedFor takes in what a formatter has made of the text if that is undecided, and reports
// whether it is; mu is held.
func (f *file) formattedFor(t text.Text) bool {
	if len(f.savingFor) == 0 {
		return false
	}
	o := f.savingFor[len(f.savingFor)-1]
	if o.by == nil {
		return false
	}
	before, theirs := f.doc.Text(), t
	if f.keys != o.keys {
		theirs = butRowsSince(o.text, before, t)
	}
	f.mayWrite(t)
	f.doc.Formatted(theirs, *o.by)
	f.record(o.by, before, theirs, false)
	if !t.Equal(theirs) {
		f.doc.Reload(t, review.Origin{Change: f.core.changeID(), Author: review.AuthorFormatter})
	}
	return true
}

// butRowsSince returns what a formatter has made of a text, but for rows in which that is
// another than it was: they stay as they are. The user is in one, and may be in the middle of a word.
func butRowsSince(was, now, formatted text.Text) text.Text {
	old, rows, next := rowsWithEnds(was), rowsWithEnds(now), rowsWithEnds(formatted)
	changed := make([]bool, len(rows))
	for _, e := range linediff.Diff(old, rows) {
		for i := e.B0; i < e.B1; i++ {
			changed[i] = true
		}
	}
	var kept []string
	at := 0
	for _, e := range append(linediff.Diff(rows, next), linediff.Edit{A0: len(rows), A1: len(rows)}) {
		kept = append(kept, rows[at:e.A0]...)
		a, b := rows[e.A0:e.A1], next[e.B0:e.B1]
		switch {
		case len(a) == len(b):
			for i := range a {
				if changed[e.A0+i] {
					kept = append(kept, a[i])
				} else {
					kept = append(kept, b[i])
				}
			}
		case slices.Contains(changed[e.A0:e.A1], true):
			kept = append(kept, a...)
		default:
			kept = append(kept, b...)
		}
		at = e.A1
	}
	return text.New(strings.Join(kept, ""))
}

// formatterWindow is how long after a save a reload may still be the formatter's.
const formatterWindow = time.Second

// formatting tells that a reload of now, with which the text is t, is a formatter's; mu is held.
func (f *file) formatting(t text.Text) bool {
	since := f.savedAt
	if f.saving {
		since = f.savingSince
	} else if f.core.now().Sub(since) >= formatterWindow {
		return false
	}
	if f.core.toolRan(f.path, since, f.savedBy) {
		return false
	}
	return f.saving || !f.core.running(f.path) || f.doc == nil || maps.Equal(countWords(f.doc.Text()), countWords(t))
}

// countWords counts the words of a text, in whatever order they are, and with whatever between them.
func countWords(t text.Text) map[string]int {
	n := map[string]int{}
	for word := range strings.FieldsFuncSeq(t.String(), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		n[word]++
	}
	return n
}

// takeFormatted takes in what a formatter has made of the text. One that takes away
// all of a hunk, or brings one back, is none: git has, or another program of the
// user's; mu is held.
func (f *file) takeFormatted(t text.Text) {
	next := f.doc.Clone()
	if lost, back := next.Follow(t, review.AuthorUser); len(lost)+len(back) > 0 {
		f.doc = next
		f.core.spawn(func() { f.core.lookAtGit(f.core.ctx) })
		return
	}
	if f.formattedFor(t) {
		return
	}
	f.doc.Reload(t, review.Origin{Change: f.core.changeID(), Author: review.AuthorFormatter})
}

// harmless are the kinds of tool calls that write no files (ACP tool-calls).
var harmless = []string{"read", "search", "think", "fetch", "switch_mode"}

// toolRan tells whether a tool call, but for one, may have written a file since a
// time.
func (c *Core) toolRan(p buffers.Path, since time.Time, except string) bool {
	return slices.ContainsFunc(c.allSessions(), func(s *session) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.running != nil && s.reviews(p) && slices.ContainsFunc(s.log.items, func(it *item) bool {
			return it.Tool != nil && it.Turn == s.running.id && it.Tool.ID != except && !slices.Contains(harmless, it.Tool.Kind) &&
				(!toolEnded(it.Tool.Status) || it.ended.After(since))
		})
	})
}

// turnsAt is another string when other turns run whose agents may write a file, or one has
// run meanwhile. A turn ends twice: with its agent, and when all that this has done is known.
func (c *Core) turnsAt(p buffers.Path) string {
	all := c.allSessions()
	inside := slices.ContainsFunc(all, func(s *session) bool { return s.reviews(p) })
	var turns []string
	for _, s := range all {
		if !s.concerns(p) && inside {
			continue // else it may have named the file in a turn that is over
		}
		s.mu.Lock()
		turns = append(turns, s.lastSent)
		if t := s.running; t != nil && t.sent && t.over {
			turns = append(turns, "ending")
		} else if t != nil && t.sent {
			turns = append(turns, "running")
		}
		s.mu.Unlock()
	}
	return strings.Join(turns, " ")
}

// running tells whether a turn runs whose agent may have written a file.
func (c *Core) running(p buffers.Path) bool {
	return slices.ContainsFunc(c.allSessions(), func(s *session) bool { return s.atWork() && s.concerns(p) })
}
