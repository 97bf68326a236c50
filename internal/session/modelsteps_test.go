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
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// step does one random thing and checks what has become of it.
func (w *modelWorld) step() error {
	f := w.files[w.r.IntN(len(w.files))]
	rest := true
	var err error
	switch k := w.r.IntN(100); {
	case k < 26:
		if err = w.userStep(f); w.r.IntN(3) == 0 {
			rest = false // the next step follows at once
		}
	case k < 34:
		err = w.undoStep(f)
	case k < 39:
		err = w.saveStep(f)
	case k < 43:
		err = w.openOrClose(f)
	case k < 46:
		err = w.reloadStep(f)
	case k < 54:
		err = w.turnStep()
	case k < 72:
		err = w.agentStep(f)
	case k < 75:
		w.outsideStep(f)
	case k < 79:
		err = w.turnPoint()
	default:
		err = w.decideStep(f)
	}
	if err != nil || w.over || !rest {
		return err
	}
	w.settle()
	if *modelSeed != 0 {
		w.dump(f)
	}
	return w.verify()
}

// --- The user.

// typed notes that the user made now of the text.
func (w *modelWorld) typed(f *modelFile, now string) {
	if now == f.disk && f.taken != f.disk {
		w.undone(f, now) // or a reload: nobody can tell
		f.any = true
		return
	}
	f.had[f.text] = true
	if f.had[now] {
		w.undone(f, now) // as far as anybody can tell
		return
	}
	for _, n := range difference(f.text, now) {
		delete(f.gone, n)
	}
	w.forgetWords(f.text, now)
	f.text = now
	f.had[now] = true
}

// forgetWords notes that the user has taken words out.
func (w *modelWorld) forgetWords(was, now string) {
	left := setOf(modelWords.FindAllString(now, -1))
	for _, word := range modelWords.FindAllString(was, -1) {
		if !left[word] {
			delete(w.words, word)
		}
	}
}

// agentMade notes that an agent's change made now of the text.
func (w *modelWorld) agentMade(f *modelFile, now string) {
	for _, n := range difference(now, f.text) {
		if w.inBase(n) {
			f.gone[n], f.ever[n] = true, true
		}
	}
	for _, n := range difference(f.text, now) {
		if !isAgents(n) && !f.gone[n] {
			w.claimed[n] = true // what the user let go, the agent has put back as its own
		}
		delete(f.gone, n)
	}
	f.text = now
}

func (w *modelWorld) userStep(f *modelFile) error {
	if !f.open {
		return nil
	}
	rows := rowsOfText(f.text)
	starts := []int{0}
	for _, row := range rows {
		starts = append(starts, starts[len(starts)-1]+len(row))
	}
	body := func(i int) string { return strings.TrimRight(rows[i], "\r\n") }
	type edit struct {
		at, end int
		s       string
	}
	var edits []edit
	switch k := w.r.IntN(10); {
	case k < 2: // a row, with keys, below another
		if len(rows) == 0 {
			edits = append(edits, edit{0, 0, w.name("U") + w.opts.eol})
			break
		}
		i := w.r.IntN(len(rows))
		at := starts[i] + len(body(i))
		edits = append(edits, edit{at, at, w.opts.eol})
		at += len(w.opts.eol)
		name := w.name("U")
		for _, s := range []string{name[:1], name[1:2], name[2:]} {
			edits = append(edits, edit{at, at, s})
			at += len(s)
		}
	case k < 4: // rows put in
		at := starts[w.r.IntN(len(starts))]
		if at == len(f.text) && at > 0 && !strings.HasSuffix(f.text, "\n") {
			at = starts[len(starts)-2]
		}
		new := []string{w.name("U")}
		if w.r.IntN(2) == 0 {
			new = append(new, w.name("U"))
		}
		edits = append(edits, edit{at, at, w.join(new)})
	case k < 7: // a word in a row
		if len(rows) == 0 {
			return nil
		}
		i := w.r.IntN(len(rows))
		if nameOf(rows[i]) == "" {
			return nil
		}
		word := w.name("w")
		w.words[word] = true
		at := starts[i]
		if w.r.IntN(2) == 0 {
			at += len(body(i))
			word = " " + word
		} else {
			word += " "
		}
		edits = append(edits, edit{at, at, word})
	case k < 9: // rows taken out
		if len(rows) == 0 {
			return nil
		}
		i := w.r.IntN(len(rows))
		j := min(len(rows), i+1+w.r.IntN(2))
		edits = append(edits, edit{starts[i], starts[j], ""})
	default: // a row becomes another
		if len(rows) == 0 {
			return nil
		}
		i := w.r.IntN(len(rows))
		if n := nameOf(rows[i]); n != "" && !w.inBase(n) {
			return nil // which characters are still the agent's is not for the model to say
		}
		edits = append(edits, edit{starts[i], starts[i] + len(body(i)), w.name("U")})
	}
	for _, e := range edits {
		w.logf("user, %s: [%d,%d) %q", f.name, e.at, e.end, e.s)
		now := f.text[:e.at] + e.s + f.text[e.end:]
		w.e.typeAt(f.uri, e.at, e.end, e.s)
		w.typed(f, now)
		if w.r.IntN(3) == 0 {
			time.Sleep(time.Duration(w.r.IntN(250)) * time.Millisecond)
		}
	}
	w.did(f)
	return nil
}

// did puts the text on the editor's undo history.
func (w *modelWorld) did(f *modelFile) {
	now := w.e.text(f.uri)
	if len(f.undo) > 0 && f.undo[f.here] == now {
		return
	}
	f.undo = append(f.undo[:min(len(f.undo), f.here+1)], now)
	f.here = len(f.undo) - 1
}

func (w *modelWorld) undoStep(f *modelFile) error {
	if !f.open {
		return nil
	}
	to := f.here - 1
	if w.r.IntN(3) == 0 {
		to = f.here + 1
	}
	if to < 0 || to >= len(f.undo) {
		return nil
	}
	now := f.undo[to]
	w.logf("undo to %d in %s: %q", to, f.name, now)
	f.here = to
	if w.opts.undoIsTwoMessages && w.r.IntN(2) == 0 {
		a, b := ends(f.text, now)
		w.e.typeAt(f.uri, a, len(f.text)-b, "")
		w.e.typeAt(f.uri, a, a, now[a:len(now)-b])
	} else {
		a, b := ends(f.text, now)
		w.e.typeAt(f.uri, a, len(f.text)-b, now[a:len(now)-b])
	}
	w.undone(f, now)
	return nil
}

// undone notes that the text is one that there was before.
func (w *modelWorld) undone(f *modelFile, now string) {
	w.forgetWords(f.text, now)
	for _, word := range modelWords.FindAllString(now, -1) {
		w.words[word] = true
	}
	for _, n := range namesOf(now) {
		if w.claimed[n] {
			f.lax[n] = true
		}
	}
	f.loose = true
	f.text = now
	f.gone = map[string]bool{}
}

// ends are how many bytes two texts begin and end with alike.
func ends(a, b string) (start, end int) {
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}

// saveStep saves as the user does, unless the editor would ask what to do about a
// file that has changed.
func (w *modelWorld) saveStep(f *modelFile) error {
	if !f.open {
		return nil
	}
	if !w.maySave(f) {
		return nil
	}
	w.logf("save %s", f.name)
	w.saveNow(f)
	f.text, f.taken, f.isTaken = f.disk, f.disk, true
	return nil
}

func (w *modelWorld) maySave(f *modelFile) bool {
	if f.isTaken && f.exists {
		return f.disk == f.base || f.taken == f.disk || f.disk == w.e.text(f.uri)
	}
	return f.isTaken == f.exists
}

func (w *modelWorld) saveNow(f *modelFile) {
	s := w.e.text(f.uri)
	if w.opts.format {
		w.erMu.Lock()
		rows := rowsOfText(s)
		for i := range rows {
			if w.er.IntN(3) == 0 {
				rows[i] = strings.TrimLeft(rows[i], "\t")
			} else if w.er.IntN(3) == 0 {
				rows[i] = "\t" + rows[i]
			}
		}
		w.erMu.Unlock()
		new := strings.Join(rows, "")
		if a, b := ends(s, new); s != new {
			w.e.typeAt(f.uri, a, len(s)-b, new[a:len(new)-b])
		}
		s = new
	}
	w.write(f, s)
	f.base = s
	w.did(f)
	w.e.send(buffers.Save{URI: f.uri})
}

func (w *modelWorld) openOrClose(f *modelFile) error {
	behind := w.inTurn() && (f.taken != f.disk || f.isTaken != f.exists)
	if !f.open {
		if !f.exists {
			return nil
		}
		w.logf("open %s", f.name)
		if err := w.noticed(f, w.inTurn()); err != nil {
			return err
		}
		f.unsure = behind
		f.open = true
		f.base = f.disk
		f.undo, f.here = []string{f.disk}, 0
		w.e.open(f.uri, f.disk)
		return nil
	}
	w.logf("close %s", f.name)
	was := w.see(f)
	f.open = false
	w.e.close(f.uri)
	err := w.discarded(f, was)
	f.unsure = behind
	return err
}

// discarded notes that the user threw away what is not on disk.
func (w *modelWorld) discarded(f *modelFile, was sight) error {
	defer w.release(f, was.base+gones(was))
	if !f.exists {
		// Nothing is left to decide on.
		w.forgetWords(f.text, "")
		f.text, f.gone = "", map[string]bool{}
		f.taken, f.isTaken = "", false
		return nil
	}
	seen := f.taken
	if !f.isTaken {
		seen = f.disk
	}
	if f.text != seen {
		for _, n := range difference(f.text, seen) {
			if isAgents(n) {
				f.lax[n] = true
			}
		}
		if was.inConflict() {
			f.any = true // between the two lies what the agent wrote first
			for _, n := range namesOf(seen) {
				f.lax[n] = isAgents(n) // accepted before, perhaps, and arrived again
			}
		}
		w.undone(f, seen)
	}
	f.taken, f.isTaken = seen, true
	return w.noticed(f, w.inTurn())
}

func (w *modelWorld) reloadStep(f *modelFile) error {
	if !f.open || !f.exists || f.disk != f.taken && w.e.text(f.uri) != f.base {
		return nil // it would be anybody's
	}
	w.logf("reload %s", f.name)
	was := w.see(f)
	w.load(f)
	if f.disk != f.taken || !f.isTaken {
		w.settle()
		return w.noticed(f, w.inTurn())
	}
	return w.discarded(f, was)
}

// load makes the disk the text of a document, as a reload does.
func (w *modelWorld) load(f *modelFile) {
	old := w.e.text(f.uri)
	if w.opts.reloadsByChange {
		if a, b := ends(old, f.disk); old != f.disk {
			w.e.typeAt(f.uri, a, len(old)-b, f.disk[a:len(f.disk)-b])
		}
	} else {
		w.e.wire.Lock()
		w.e.note(func() { w.e.docs[f.uri] = &fakeDoc{version: 0, text: text.New(f.disk)} })
		w.e.sendLocked(buffers.Close{URI: f.uri})
		w.e.sendLocked(buffers.Open{URI: f.uri, LanguageID: "text", Text: f.disk})
		w.e.wire.Unlock()
	}
	f.base = f.disk
	if !w.opts.keepsUndo {
		f.undo, f.here = nil, 0
	}
	w.did(f)
}

// --- The disk.

func (w *modelWorld) inTurn() bool { return w.turn != "" }

// noticed checks that what the disk has is in the text by now, as an agent's change or
// the user's.
func (w *modelWorld) noticed(f *modelFile, agents bool) error {
	defer func() { f.unsure = false }()
	if f.open && f.exists && f.text != f.disk && w.e.text(f.uri) == f.disk {
		// It has nothing unsaved, whatever was taken in of the disk, and whosever that is.
		fresh := f.taken != f.disk
		for _, n := range namesOf(f.disk) {
			f.lax[n] = !fresh && isAgents(n)
		}
		if f.isTaken, f.taken = true, "\x00"; !fresh {
			w.undone(f, f.disk)
			f.any, f.taken = true, f.disk
		}
	}
	if f.taken == f.disk && f.isTaken == f.exists {
		return nil
	}
	now := f.disk
	if f.open {
		if !f.exists { // the document stays
			f.taken, f.isTaken = "", false
			return nil
		}
		s := w.see(f)
		now = s.text
		if f.text == f.taken && now != f.disk {
			return fmt.Errorf("%s had nothing unsaved and is %q, not as on disk: %q", f.name, now, f.disk)
		}
		if now == f.disk {
			// Loaded as it is.
		} else if err := w.compare(s, w.expected(namesOf(f.text), f.taken, f.disk)); err != nil {
			return fmt.Errorf("%s, with %q on disk that was %q: %w", f.name, f.disk, f.taken, err)
		}
	}
	if agents {
		w.agentMade(f, now)
	} else {
		f.taken = f.disk
		w.typed(f, now)
		f.loose = true // rows that stood for rows which are gone have gone with them
	}
	f.taken, f.isTaken = f.disk, f.exists
	f.seen = append(f.seen, f.disk)
	return nil
}

func (w *modelWorld) allNoticed(agents, onlyOpen bool) error {
	for _, f := range w.files {
		if onlyOpen && !f.open {
			continue
		}
		if err := w.noticed(f, agents); err != nil {
			return err
		}
		if f.disk != f.text {
			f.sent = "\x00" // it may have seen the disk since
		}
	}
	return nil
}

// compare compares the rows of a text with those it must have. Rows in a conflict may
// be there or not.
func (w *modelWorld) compare(s sight, want []string, also ...string) error {
	free := setOf(also)
	for _, h := range s.hunks {
		if h.State == review.StateConflict {
			for _, n := range append(namesOf(h.Text), namesOf(h.BaseText)...) {
				free[n] = true
			}
		}
	}
	certain := func(names []string) []string {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return free[n] })
		slices.Sort(names)
		return names
	}
	if a, b := certain(namesOf(s.text)), certain(want); !slices.Equal(a, b) {
		return fmt.Errorf("the text has the rows %v, want %v", a, b)
	}
	return nil
}

// outsideStep is another program, between turns.
func (w *modelWorld) outsideStep(f *modelFile) {
	if w.inTurn() || !f.exists {
		return
	}
	s := w.edited(f.disk, "D")
	w.logf("another program writes %s: %q", f.name, s)
	w.write(f, s)
	if !f.open && w.see(f).text == s {
		w.noticed(f, false) // nothing is tracked
	}
}

// edited returns s with a few rows changed, as one who writes whole rows does.
func (w *modelWorld) edited(s, kind string) string {
	bare := s != "" && !strings.HasSuffix(s, "\n")
	rows := rowsOfText(s)
	if bare {
		rows[len(rows)-1] += w.opts.eol
	}
	for range 1 + w.r.IntN(2) {
		switch k := w.r.IntN(6); {
		case len(rows) == 0 || k < 3:
			i := w.r.IntN(len(rows) + 1)
			rows = slices.Insert(rows, i, w.name(kind)+w.opts.eol)
		case k < 5:
			i := w.r.IntN(len(rows))
			body := strings.TrimRight(rows[i], "\r\n")
			if kind == "A" && w.r.IntN(2) == 0 && body != "" {
				rows[i] = body + " " + w.name(kind) + w.opts.eol
			} else {
				rows[i] = w.name(kind) + w.opts.eol
			}
		default:
			i := w.r.IntN(len(rows))
			rows = slices.Delete(rows, i, i+1)
		}
	}
	out := strings.Join(rows, "")
	if bare {
		out = strings.TrimSuffix(out, w.opts.eol)
	}
	return out
}

// --- The agent.

func (w *modelWorld) turnStep() error {
	if !w.inTurn() {
		w.logf("a turn begins")
		w.host = nil
		dirty := map[*modelFile]bool{}
		for _, f := range w.files {
			dirty[f] = f.open && w.dirty(f)
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
			f.knows = false
			f.seen = append(f.seen, w.see(f).text)
			if dirty[f] {
				f.taken, f.isTaken = f.disk, f.exists
			} else if err := w.noticed(f, false); err != nil {
				return err
			}
		}
		return nil
	}
	if w.r.IntN(4) == 0 {
		w.logf("the turn is cancelled")
		if err := w.c.Cancel(w.t.Context(), w.session); err != nil {
			return err
		}
	} else {
		w.logf("the turn ends")
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
	if !w.inTurn() {
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
	if !w.inTurn() {
		return nil
	}
	if byDisk := w.r.IntN(4) == 0; byDisk != w.opts.disk {
		return w.diskStep(f)
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
		w.write(f, s)
	}
	if w.r.IntN(3) > 0 {
		return w.turnPoint()
	}
	return nil
}

func (w *modelWorld) read(f *modelFile) {
	s, err := w.host.ReadTextFile(w.t.Context(), w.sid, f.path, nil, nil)
	w.logf("the agent reads %s: %q, %v", f.name, s, err)
	f.known, f.knows, f.asked = s, err == nil, f.asked || err == nil
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
	w.logf("the agent writes %s: %q", f.name, content)
	return w.writes(f, f.known, content, func() error { return w.host.WriteTextFile(w.t.Context(), w.sid, f.path, content) })
}

// writes runs what the agent does, while the user types or not, and checks what has
// become of it.
func (w *modelWorld) writes(f *modelFile, known, content string, do func() error) error {
	there := f.exists
	want := w.expected(namesOf(f.text), f.taken, f.disk) // it is taken in first
	if d, ok := w.e.at.Document(f.uri); ok && d.State() == buffers.Behind {
		want = namesOf(f.disk) // nothing is unsaved, whatever was taken in of the disk
	}
	// What of that was in a conflict is settled by the write.
	disputed := append(difference(f.taken, f.disk), difference(f.disk, f.taken)...)
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
	f.taken, f.isTaken = f.disk, f.exists
	s := w.see(f)
	var e *Error
	// The agent has sent what is there itself.
	certain := f.asked && there && known == f.text && f.sent == f.text && len(disputed) == 0 && typed == nil
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
	f.known, f.knows = content, err == nil
	if f.seen = append(f.seen, content); err == nil {
		f.sent = content
	}
	if err := w.compare(s, append(want, typed...), disputed...); err != nil {
		return fmt.Errorf("the write made %q of %q: %w", s.text, f.text, err)
	}
	w.agentMade(f, s.text)
	for _, n := range typed {
		delete(w.claimed, n)
	}
	return nil
}

// patched are the rows of a text to which a write was applied: the difference from
// what the agent knew or, as nobody can know that, from something it has seen that is as
// near.
func (w *modelWorld) patched(f *modelFile, s sight, now []string, known, content string, disputed []string) []string {
	n := len(difference(known, content)) + len(difference(content, known))
	for _, seen := range append(f.seen, f.disk) {
		if m := len(difference(seen, content)) + len(difference(content, seen)); m <= n {
			if want := w.expected(now, seen, content); w.compare(s, want, disputed...) == nil {
				return want
			}
		}
	}
	if slices.Contains(f.seen, content) { // a return to what it saw once
		for _, seen := range f.seen {
			if want := w.expected(now, seen, content); w.compare(s, want, disputed...) == nil {
				return want
			}
		}
	}
	return w.expected(now, known, content)
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

// --- The editor.

func (w *modelWorld) fileOf(uri string) *modelFile {
	i := slices.IndexFunc(w.files, func(f *modelFile) bool { return f.uri == uri })
	return w.files[i]
}

func (w *modelWorld) chance(n int) bool {
	w.erMu.Lock()
	defer w.erMu.Unlock()
	return w.er.IntN(n) == 0
}

// editor makes the editor one of the kind that the options say.
func (w *modelWorld) editor() {
	w.e.onApply = func(d DocumentEdit) (bool, error) {
		if w.opts.slow {
			w.erMu.Lock()
			wait := time.Duration(w.er.IntN(120)) * time.Millisecond
			w.erMu.Unlock()
			time.Sleep(wait)
		}
		if w.opts.refuses && w.chance(6) {
			return true, ErrRefused
		}
		if w.opts.forgets && w.chance(8) {
			return true, nil
		}
		err := w.e.edit(d, true)
		if err == nil {
			w.did(w.fileOf(d.URI))
		}
		return true, err
	}
	w.e.onSave = func(uri string) error {
		f := w.fileOf(uri)
		if !w.opts.save {
			return ErrUnsupported
		}
		if f.exists && f.disk != f.base {
			return errors.New("the file has changed since it was read")
		}
		w.saveNow(f)
		f.saves = true
		return nil
	}
	w.e.onReload = func(uri string) (bool, error) {
		f := w.fileOf(uri)
		if !f.exists || w.e.text(uri) != f.base {
			return false, nil
		}
		w.load(f)
		return true, nil
	}
	w.e.onAdopt = func(uri string, version int32, s string) (bool, error) {
		f := w.fileOf(uri)
		w.e.wire.Lock()
		defer w.e.wire.Unlock()
		w.e.mu.Lock()
		ok := w.e.docs[uri].version == version && f.exists
		old := w.e.docs[uri].text.String()
		w.e.mu.Unlock()
		if !ok {
			return false, nil
		}
		w.e.typeLocked(uri, 0, len(old), s)
		f.base = f.disk
		w.did(f)
		return true, nil
	}
}

// typeBeside is a row that the user types while something else goes on.
func (w *modelWorld) typeBeside(f *modelFile) string {
	w.e.wire.Lock()
	defer w.e.wire.Unlock()
	now := w.e.text(f.uri)
	name := w.name("U")
	at := 0
	if rows := rowsOfText(now); w.r.IntN(2) == 0 && strings.HasSuffix(now, "\n") {
		at = len(now) - len(rows[len(rows)-1])
	}
	w.logf("  meanwhile the user, %s: [%d,%d) %q", f.name, at, at, name)
	w.e.typeLocked(f.uri, at, at, name+w.opts.eol)
	w.did(f)
	return name
}

func (w *modelWorld) dump(f *modelFile) {
	s := w.see(f)
	var hs []string
	for _, h := range s.hunks {
		hs = append(hs, fmt.Sprintf("%s %q>%q", h.State, h.BaseText, h.Text))
	}
	w.logf("   now %q base %q %q disk %q taken %q", s.text, s.base, hs, f.disk, f.taken)
}
