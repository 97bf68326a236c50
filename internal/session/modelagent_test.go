package session

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
)

func (w *modelWorld) turnStep() error {
	w.useAny()
	if w.turn == "" {
		w.logf("a turn begins (%d)", slices.Index(w.sessions, w.modelSession))
		others := w.inTurn()
		w.host = nil
		if w.session == "" && w.opts.two {
			info, err := w.c.NewSession(w.t.Context(), NewSession{})
			if err != nil {
				return err
			}
			w.session = info.Session
		}
		res, err := w.c.Prompt(w.t.Context(), Prompt{Text: "go", Session: w.session})
		if err != nil {
			return err
		}
		w.session, w.turn = res.Session, res.Turn
		w.settle()
		if w.host == nil {
			return errors.New("the turn has not begun")
		}
		for _, f := range w.files {
			f.knows, f.refused = false, nil
			f.seen = append(f.seen, w.see(f).text)
			// What others have done so far is theirs, and that of other programs the user's.
			if err := w.noticed(f, others); err != nil {
				return err
			}
			f.mirror = "\x00"
		}
		return nil
	}
	return w.endTurn()
}

// endTurn ends the turn of the session that is at it.
func (w *modelWorld) endTurn() error {
	if w.r.IntN(4) == 0 {
		w.logf("the turn is cancelled (%d)", slices.Index(w.sessions, w.modelSession))
		if err := w.c.Cancel(w.t.Context(), w.session); err != nil {
			return err
		}
	} else {
		w.logf("the turn ends (%d)", slices.Index(w.sessions, w.modelSession))
		w.end <- "end_turn"
	}
	w.settle()
	err := w.allNoticed(true, false)
	w.turn, w.host = "", nil
	return err
}

// dirty: the document has something that its file, as the core saw it, has not.
func (w *modelWorld) dirty(f *modelFile) bool {
	d, ok := w.e.at.Document(f.uri)
	return ok && d.State() == buffers.Dirty
}

// turnPoint is one of the moments in which the disk is compared.
func (w *modelWorld) turnPoint() error {
	if !w.useRunning() {
		return nil
	}
	if w.r.IntN(3) == 0 {
		w.logf("a folder stirs")
		w.c.foldersChanged([]string{w.root})
		w.settle()
		return w.allNoticed(true, true)
	}
	w.logf("a tool call ends")
	w.host.Update(w.sid, ToolPatch{ID: "t" + fmt.Sprint(w.steps), Title: str("Run"), Kind: str("execute"), Status: str("completed")})
	w.settle()
	return w.allNoticed(true, false)
}

func (w *modelWorld) agentStep(f *modelFile) error {
	if !w.useRunning() {
		return nil
	}
	if byDisk := w.r.IntN(4) == 0; byDisk != w.opts.disk {
		return w.diskStep(f)
	}
	if w.opts.again && w.r.IntN(5) == 0 {
		return w.againStep(f)
	}
	switch w.r.IntN(5) {
	case 0, 1, 2:
		return w.writeStep(f)
	case 3:
		return w.toolStep(f)
	default:
		if !f.exists && !f.open {
			return nil
		}
		w.read(f)
		return nil
	}
}

func (w *modelWorld) diskStep(f *modelFile) error {
	if f.exists && !f.open && w.r.IntN(8) == 0 {
		w.logf("the agent deletes %s", f.name)
		if err := os.Remove(f.path); err != nil {
			return err
		}
		f.disk, f.exists, f.knows = "", false, false
	} else {
		s := w.edited(f.disk, "A")
		w.logf("the agent writes %s on disk: %q", f.name, s)
		if w.write(f, s); f.open && s == f.text {
			f.loose, f.any = true, true // whose it was first, nobody can tell
		}
	}
	if w.r.IntN(3) > 0 {
		return w.turnPoint()
	}
	return nil
}

func (w *modelWorld) read(f *modelFile) {
	s, err := w.host.ReadTextFile(w.t.Context(), w.sid, f.path, nil, nil)
	w.logf("the agent reads %s: %q, %v", f.name, s, err)
	f.known, f.knows, f.asked, f.decided = s, err == nil, f.asked || err == nil, false
	f.seen = append(f.seen, s)
}

// writeStep is fs/write_text_file, while which the user may type.
func (w *modelWorld) writeStep(f *modelFile) error {
	if f.open && !f.exists {
		return nil
	}
	if f.exists && (!f.knows || w.r.IntN(3) == 0) {
		w.read(f)
	}
	if !f.exists {
		f.known = ""
	}
	content := w.edited(f.known, "A")
	return w.writeThis(f, f.known, content)
}

func (w *modelWorld) writeThis(f *modelFile, known, content string) error {
	w.logf("the agent writes %s: %q", f.name, content)
	return w.writes(f, known, content, func() error { return w.host.WriteTextFile(w.t.Context(), w.sid, f.path, content) })
}

// againStep is what an agent does that does it once more: it writes what it was refused, what
// it has written, or that to the disk too.
func (w *modelWorld) againStep(f *modelFile) error {
	switch {
	case f.open && !f.exists:
		return nil
	case f.refused != nil:
		return w.writeThis(f, f.refused[0], f.refused[1])
	case !f.knows || f.sent == "\x00" || f.sent == "":
		return nil
	case w.r.IntN(3) == 0:
		if slices.ContainsFunc(modelWords.FindAllString(f.sent, -1), func(word string) bool { return !strings.Contains(f.text, word) }) {
			return nil // it may bring back, as its own, what the user has typed in a row and taken out
		}
		return w.writeThis(f, f.sent, f.sent)
	}
	rows := map[string]string{}
	for _, row := range rowsOfText(f.disk) {
		rows[nameOf(row)] = row
	}
	for _, row := range rowsOfText(f.sent) {
		if was, ok := rows[nameOf(row)]; ok && was != row {
			return nil // it takes back what the user has typed in that row, which then is the agent's
		}
	}
	w.logf("the agent writes %s on disk too: %q", f.name, f.sent)
	w.write(f, f.sent)
	if f.open && f.sent == f.text {
		f.loose, f.any = true, true
	}
	if w.r.IntN(3) > 0 {
		return w.turnPoint()
	}
	return nil
}

// writes runs what the agent does, while the user types or not, and checks what has
// become of it.
func (w *modelWorld) writes(f *modelFile, known, content string, do func() error) error {
	there := f.exists
	want := w.expected(namesOf(f.text), f.taken, f.disk) // it is taken in first
	d, open := w.e.at.Document(f.uri)
	behind := open && d.State() == buffers.Behind
	if behind {
		want = namesOf(f.disk) // nothing is unsaved, whatever was taken in of the disk
	}
	news := f.taken != f.disk // also of rows without a name
	// What of that was in a conflict is settled by the write.
	disputed := append(difference(f.taken, f.disk), difference(f.disk, f.taken)...)
	if behind { // until the user types
		disputed = slices.Concat(disputed, difference(f.text, f.disk), difference(f.disk, f.text))
	}
	if news { // with which what was in a conflict comes in that the user has undone: see noticed
		disputed = append(disputed, w.refused(f)...)
	}
	done := make(chan error, 1)
	go func() { done <- do() }()
	var typed []string
	if f.open && w.r.IntN(4) == 0 {
		time.Sleep(time.Duration(w.r.IntN(100)) * time.Millisecond)
		typed = []string{w.typeBeside(f)}
	}
	err := <-done
	w.logf("  %v", err)
	w.settle()
	w.rewritten(f)
	f.taken, f.isTaken, f.saves = f.disk, f.exists, false
	s := w.see(f)
	var e *Error
	// The agent has sent what is there itself.
	certain := f.asked && there && known == f.text && f.sent == f.text && !f.saw() && !news && len(disputed) == 0 && typed == nil
	switch {
	case err == nil && certain:
		want = w.expected(want, known, content)
	case err == nil:
		want = w.patched(f, s, want, known, content, append(disputed, typed...))
	case KindOf(err) == KindConflict && certain:
		return fmt.Errorf("nobody has changed what the agent knows: %w", err)
	case !errors.As(err, &e) || e.Kind != KindConflict && e.Kind != KindBusy && e.Kind != KindStale:
		return fmt.Errorf("write: %w", err)
	}
	f.known, f.knows, f.refused = content, err == nil, nil
	if f.seen = append(f.seen, content); err == nil {
		f.sent, f.mirror, f.sentAt = content, content, len(f.seen)
	} else {
		f.refused = []string{known, content}
	}
	if err := w.compare(s, append(want, typed...), disputed...); err != nil {
		return fmt.Errorf("the write made %q of %q: %w", s.text, f.text, err)
	}
	if w.agentMade(f, s.text); behind {
		f.loose, f.any = true, true
		for _, n := range namesOf(f.disk) {
			f.lax[n] = isAgents(n) // it has arrived once more
		}
	}
	for _, n := range typed {
		delete(w.claimed, n)
		// There may have been the one without the other.
		f.had[strings.Replace(s.text, n+w.opts.eol, "", 1)] = true
	}
	return nil
}

// saw tells whether the agent can have seen anything else since it has sent what it sent last.
func (k *modelKnown) saw() bool {
	return slices.ContainsFunc(k.seen[k.sentAt:], func(s string) bool { return s != k.sent })
}

// patched are the rows of a text to which a write was applied: the difference from
// what the agent knew or, as nobody can know that, from something it has seen that is as
// near.
func (w *modelWorld) patched(f *modelFile, s sight, now []string, known, content string, disputed []string) []string {
	n := changedBetween(known, content)
	for _, seen := range append(f.seen, f.disk) {
		if changedBetween(seen, content) <= n {
			if want := w.expected(now, seen, content); w.compare(s, want, disputed...) == nil {
				return want
			}
		}
	}
	if slices.Contains(f.seen, content) || f.decided { // a return to what it saw once
		for _, seen := range f.seen {
			if want := w.expected(now, seen, content); w.compare(s, want, disputed...) == nil {
				return want
			}
		}
	}
	return w.expected(now, known, content)
}

// changedBetween counts the rows that are taken out and put in to make b of a: also those that
// have no name.
func changedBetween(a, b string) int {
	rows := func(s string) []string { return strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") }
	from, to := rows(a), rows(b)
	alike := make([]int, len(to)+1) // of the rows of a so far and the first ones of b: the most in common, in order
	for _, x := range from {
		before := 0
		for j, y := range to {
			above := alike[j+1]
			if x == y {
				alike[j+1] = before + 1
			} else {
				alike[j+1] = max(above, alike[j])
			}
			before = above
		}
	}
	return len(from) + len(to) - 2*alike[len(to)]
}

// rewritten looks at a file that nobody has open, and that was written by the core.
func (w *modelWorld) rewritten(f *modelFile) {
	if !f.open {
		b, err := os.ReadFile(f.path)
		f.disk, f.exists = string(b), err == nil
		f.taken, f.isTaken = f.disk, f.exists
	}
}

// expected are the rows of a text into which a change from base to content is merged.
func (w *modelWorld) expected(now []string, base, content string) []string {
	out := setOf(now)
	for _, n := range difference(content, base) {
		delete(out, n)
	}
	for _, n := range difference(base, content) {
		out[n] = true
	}
	return slices.Collect(maps.Keys(out))
}

// toolStep is edit_buffer.
func (w *modelWorld) toolStep(f *modelFile) error {
	if !f.exists {
		return nil
	}
	s, err := w.c.findSession(w.session)
	if err != nil {
		return err
	}
	b, err := s.tools.Read(w.t.Context(), f.path, 0, 0)
	if err != nil {
		return err
	}
	f.known, f.knows, f.asked = b.Text, true, true
	f.seen = append(f.seen, b.Text)
	first := 1 + w.r.IntN(b.Total+1)
	e := BufferEdit{First: first, Last: min(b.Total, first-1+w.r.IntN(2)), New: w.name("A") + "\n"}
	rows := rowsOfText(b.Text)
	if !strings.Contains(b.Text, "\n") {
		e.New = strings.TrimSuffix(e.New, "\n") + w.opts.eol
	}
	content := strings.Join(rows[:e.First-1], "") + e.New + strings.Join(rows[max(e.Last, e.First-1):], "")
	if len(rows) > 0 && !strings.HasSuffix(rows[len(rows)-1], "\n") && e.First == len(rows)+1 {
		content = strings.Join(rows, "") + "\n" + e.New
	}
	w.logf("edit_buffer %s: %+v", f.name, e)
	err = w.writes(f, b.Text, content, func() error {
		_, err := s.tools.Edit(w.t.Context(), f.path, b.Version, []BufferEdit{e})
		return err
	})
	f.knows = false
	return err
}
