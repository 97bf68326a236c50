package session

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// Another acp-ls, as in a second window, may be at work in the same folder. They tell each other
// which agents are at work, and what they have written to files themselves. A text that another
// one has written, or made by a decision, is reviewed there, if at all, and is none of ours; so is
// what a tool call of an agent there has said, once it was looked at there. What an agent has written on
// disk by itself while others were at work there too may be any one's: nobody can know, and that
// is said.

const (
	// toldFor is how long a turn that has ended, and a write, are told of.
	toldFor = 10 * time.Minute
	// maxToldWrites bounds the writes that are told of: the newest.
	maxToldWrites = 256
	// asWritten is how far apart a write, as it is told of, and the time of its file may be.
	asWritten = 2 * time.Second
	// knownFor is how long what others have told is not looked up again, but at the points of turns.
	knownFor = 500 * time.Millisecond
)

// elsewhereWords are in the title of what may be another one's.
const elsewhereWords = "in another editor window"

// elsewhere is what this acp-ls and the others tell each other; nil: nothing.
type elsewhere struct {
	core  *Core
	board *journal.Board

	mu   sync.Mutex // guards told, and is held while it is written
	told journal.Working

	known struct {
		sync.Mutex // guards what follows
		of         []journal.Working
		at         time.Time
	}
}

func newElsewhere(c *Core, board *journal.Board) *elsewhere {
	if board == nil {
		return nil
	}
	return &elsewhere{core: c, board: board}
}

func (e *elsewhere) close() {
	if e == nil {
		return
	}
	if err := e.board.Close(); err != nil {
		e.core.log.Warn("tell other processes", "err", err)
	}
}

// put changes what is told, and leaves out what is old.
func (e *elsewhere) put(change func(w *journal.Working)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(&e.told)
	old := e.core.now().Add(-toldFor)
	next := journal.Working{}
	for _, t := range e.told.Turns {
		if t.Ended.IsZero() || t.Ended.After(old) {
			next.Turns = append(next.Turns, t)
		}
	}
	for _, w := range e.told.Writes[max(len(e.told.Writes)-maxToldWrites, 0):] {
		if w.At.After(old) {
			next.Writes = append(next.Writes, w)
		}
	}
	e.told = next
	if err := e.board.Put(next); err != nil {
		e.core.log.Warn("what is done here is not told", "err", err)
	}
}

// putWrite tells of one more write.
func (e *elsewhere) putWrite(write journal.WorkingWrite) {
	e.put(func(w *journal.Working) { w.Writes = append(w.Writes, write) })
}

// began tells that a turn begins. It returns what tells that it has ended.
func (e *elsewhere) began(s *session) (ended func()) {
	if e == nil {
		return func() {}
	}
	turn := journal.WorkingTurn{Agent: s.agentName, Session: s.id, Began: e.core.now()}
	if s.loose == "" { // else its folder is not looked through, and may hold all there is
		turn.Roots = s.roots()
	}
	e.put(func(w *journal.Working) { w.Turns = append(w.Turns, turn) })
	return func() {
		e.put(func(w *journal.Working) {
			for i, t := range w.Turns {
				if t.Session == turn.Session && t.Began.Equal(turn.Began) {
					w.Turns[i].Ended = e.core.now()
				}
			}
		})
	}
}

// wrote tells that a file is being written, by whomever, through this acp-ls or its editor. It
// must not be called while a mutex is held.
func (e *elsewhere) wrote(p buffers.Path, t text.Text) {
	if e == nil {
		return
	}
	e.putWrite(journal.WorkingWrite{Path: string(p), Text: writtenHash(t), At: e.core.now()})
}

// makes tells that a file is about to become st, by a decision that is made here. It must not be
// called while a mutex is held.
func (e *elsewhere) makes(p buffers.Path, st checkpoint.State) {
	if e == nil {
		return
	}
	e.putWrite(journal.WorkingWrite{Path: string(p), State: stateIs(st), At: e.core.now()})
}

// moves is makes for a file that is about to get another name.
func (e *elsewhere) moves(from, to buffers.Path) {
	if e != nil {
		e.makes(to, checkpoint.CopyOf(from).State)
		e.makes(from, checkpoint.State{})
	}
}

// makesExec is makes for a file that is about to be one that may be run, or not any more.
func (e *elsewhere) makesExec(p buffers.Path, exec bool) {
	if e != nil {
		st := checkpoint.CopyOf(p).State
		st.Exec = exec
		e.makes(p, st)
	}
}

// found tells of a change that was found on disk, if it is known to be that of an agent of ours.
// st is what the file is then. Nothing is waited for.
func (e *elsewhere) found(p buffers.Path, st checkpoint.State, o review.Origin) {
	if e == nil || !o.Sure || o.Author != review.AuthorAgent {
		return
	}
	write := journal.WorkingWrite{Path: string(p), At: lastWritten(p)}
	if st.Exists && st.Opaque == "" {
		write.Text = writtenHash(text.New(st.Content))
	} else {
		write.State = stateIs(st)
	}
	e.core.spawn(func() { e.putWrite(write) })
}

const noFile = "none"

// stateIs stands for all that a file is.
func stateIs(st checkpoint.State) string {
	switch {
	case !st.Exists:
		return noFile
	case st.Exec:
		return st.Sum() + " +x"
	}
	return st.Sum()
}

func writtenHash(t text.Text) string {
	h := buffers.NormHashText(t)
	return hex.EncodeToString(h[:])
}

// look looks up what the others tell.
func (e *elsewhere) look() {
	if e == nil {
		return
	}
	at := e.core.now()
	others := e.board.Others()
	e.known.Lock()
	defer e.known.Unlock()
	e.known.of, e.known.at = others, at
}

// others is what the others tell, as it was a moment ago, but with all that they have told before
// a file was written last.
func (e *elsewhere) others(written time.Time) []journal.Working {
	e.known.Lock()
	at := e.known.at
	e.known.Unlock()
	if since := e.core.now().Sub(at); since < 0 || since > knownFor || at.Before(written.Add(clockTick)) {
		e.look()
	}
	e.known.Lock()
	defer e.known.Unlock()
	return e.known.of
}

// turnsIn are the turns of others' agents that may have done what was done in a folder.
func (e *elsewhere) turnsIn(folder string) (turns []journal.WorkingTurn) {
	if e == nil {
		return nil
	}
	for _, w := range e.others(time.Time{}) {
		for _, t := range w.Turns {
			if inRoots(t.Roots, folder) || slices.ContainsFunc(t.Roots, func(root string) bool { return inRoots([]string{folder}, root) }) {
				turns = append(turns, t)
			}
		}
	}
	return turns
}

// judge says whose a change on disk is that is taken for o's, as far as others may have made it.
// now is what stands there; nil if that is not known. said: a tool call has said just that.
func (e *elsewhere) judge(p buffers.Path, now *string, o review.Origin, said bool) review.Origin {
	if e == nil {
		return o
	}
	written := lastWritten(p)
	others := e.others(written)
	if len(others) == 0 {
		return o
	}
	if isWrite(others, p, now, written) {
		return users // whatever it is there
	}
	var agents []string
	for _, w := range others {
		for _, t := range w.Turns {
			if inRoots(t.Roots, string(p)) && written.After(t.Began.Add(-clockTick)) && (t.Ended.IsZero() || written.Before(t.Ended.Add(clockTick))) {
				agents = append(agents, t.Agent)
			}
		}
	}
	names := strings.Join(uniq(agents), " and ")
	switch {
	case len(agents) == 0 || said:
		return o
	case o.Author == review.AuthorAgent && o.Sure: // a tool call has named the file, and no more
		o.Sure = false
		o.Title += " (or, " + elsewhereWords + ", " + names + ")"
		return o
	case o.Author == review.AuthorAgent:
		o = review.Origin{Author: review.AuthorDisk, Title: "changed on disk while " + o.Agent + " (" + o.Session + ") worked"}
	}
	o.Title += " and, " + elsewhereWords + ", " + names
	return o
}

// wroteText tells whether another one tells that it has written t, which the file has.
func (e *elsewhere) wroteText(p buffers.Path, t text.Text) bool {
	if e == nil {
		return false
	}
	written := lastWritten(p)
	others := e.others(written)
	if len(others) == 0 {
		return false
	}
	now := t.String()
	return isWrite(others, p, &now, written)
}

// isWrite tells whether others tell of what a file has become, which was last written then.
func isWrite(others []journal.Working, p buffers.Path, now *string, written time.Time) bool {
	is := sync.OnceValue(func() string { return stateIs(checkpoint.CopyOf(p).State) })
	for _, w := range others {
		for _, k := range w.Writes {
			if k.Path != string(p) || k.State != noFile && written.Sub(k.At).Abs() > asWritten {
				continue // the time of a file that is gone is that of its folder
			}
			if k.State != "" && k.State == is() || k.Text != "" && now != nil && k.Text == writtenHash(text.New(*now)) {
				return true
			}
		}
	}
	return false
}

// isElsewhere tells that a change may be that of an agent of another acp-ls.
func isElsewhere(o review.Origin) bool { return !o.Sure && strings.Contains(o.Title, elsewhereWords) }

// warnElsewhere tells who has rejected all there is which of it may be another one's.
func (c *Core) warnElsewhere(rejected []string) {
	if n := len(rejected); n > 0 {
		what := "changes"
		if n == 1 {
			what = "change"
		}
		c.tellOf(LevelWarning, fmt.Sprintf("Rejected in %%s: %d %s that an agent may have made that works %s. They can be brought back",
			n, what, elsewhereWords), uniq(rejected)...)
	}
}
