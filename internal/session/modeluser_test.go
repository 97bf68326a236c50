package session

import (
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// typed notes that the user made now of the text.
func (w *modelWorld) typed(f *modelFile, now string) {
	if now == f.disk && (f.taken != f.disk || len(f.contested) > 0 || f.disputed == f.disk) {
		// Or a reload: nobody can tell. What of the disk was in conflict with the text has
		// come into it by that, and is the agent's; also if the user has decided on it.
		w.undone(f, now)
		f.any = true
		return
	}
	if f.had[now] || f.hadButForItsEnd(now, w.opts.eol) || w.wentThrough(f, now) {
		w.undone(f, now) // as far as anybody can tell
		return
	}
	for _, n := range difference(f.text, now) {
		delete(f.gone, n)
	}
	for _, n := range difference(now, f.text) {
		if f.odd[n] {
			f.loose, f.any = true, true // its other self may stay in the baseline
		}
	}
	w.forgetWords(f.text, now)
	f.becomes(now)
}

// hadButForItsEnd tells whether there was the text with a terminator at its end, or without it:
// the undo of some editors brings back the one for the other. What does nothing but that is no undo.
func (f *modelFile) hadButForItsEnd(now, eol string) bool {
	other := now + eol
	if strings.HasSuffix(now, "\n") {
		other = strings.TrimSuffix(strings.TrimSuffix(now, "\n"), "\r")
	}
	blank := other == "" || strings.HasSuffix(other, "\n") && now != "" && strings.HasSuffix(now, "\n")
	return now != "" && !blank && other != f.text && f.had[other]
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
		f.ever[n] = true
		if w.inBase(n) {
			f.gone[n] = true
		}
	}
	for _, n := range difference(f.text, now) {
		switch { // what the user let go, the agent has put back as its own
		case f.gone[n]:
		case !isAgents(n):
			w.claimed[n] = true
			delete(w.accepted, n)
		case f.loose:
			f.lax[n] = true
		default:
			delete(w.accepted, n)
		}
		delete(f.gone, n)
	}
	f.becomes(now)
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
		if n := nameOf(rows[i]); n != "" && (!w.inBase(n) || f.odd[n]) {
			return nil // which characters are still the agent's is not for the model to say
		}
		edits = append(edits, edit{starts[i], starts[i] + len(body(i)), w.name("U")})
	}
	for _, e := range edits {
		w.logf("user, %s: [%d,%d) %q", f.name, e.at, e.end, e.s)
		now := f.text[:e.at] + e.s + f.text[e.end:]
		w.e.typeAt(f.uri, e.at, e.end, e.s)
		w.typed(f, now)
		f.makes(now)
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
	w.erMu.Lock()
	defer w.erMu.Unlock()
	f.went[now] = true
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
		f.had[f.text[:a]+f.text[len(f.text)-b:]] = true
		w.e.typeAt(f.uri, a, len(f.text)-b, "")
		w.e.typeAt(f.uri, a, a, now[a:len(now)-b])
	} else {
		a, b := ends(f.text, now)
		w.e.typeAt(f.uri, a, len(f.text)-b, now[a:len(now)-b])
	}
	w.undone(f, now)
	f.any = f.any || now == f.disk && f.taken != f.disk // see typed
	f.makes(now)
	return nil
}

// wentThrough tells whether the editor's document had a text.
func (w *modelWorld) wentThrough(f *modelFile, text string) bool {
	w.erMu.Lock()
	defer w.erMu.Unlock()
	return f.went[text]
}

// undone notes that the text is one that there was before.
func (w *modelWorld) undone(f *modelFile, now string) {
	w.forgetWords(f.text, now)
	for _, word := range modelWords.FindAllString(now, -1) {
		w.words[word] = true
	}
	for _, n := range namesOf(now) {
		// To recall a text that has no place for what is gone now would lose that: the
		// engine takes such an undo for typing, and so what it brings for the user's.
		if w.claimed[n] || f.slack[n] || isAgents(n) && (len(f.gone) > 0 || f.nameless || w.crashed) {
			f.lax[n] = true
		}
	}
	f.loose = true
	f.becomes(now)
	f.gone = map[string]bool{}
}

// ends are how many bytes two texts begin and end with alike; no character is cut.
func ends(a, b string) (start, end int) {
	start, old, _ := replacement(a, b)
	return start, len(a) - old
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
	f.becomes(f.disk)
	f.taken, f.isTaken = f.disk, true
	return nil
}

func (w *modelWorld) maySave(f *modelFile) bool {
	if f.isTaken && f.exists {
		return f.disk == f.base || f.taken == f.disk || f.disk == w.e.text(f.uri)
	}
	return f.isTaken == f.exists
}

func (w *modelWorld) saveNow(f *modelFile) { w.saveAs(f, true, false) }

// saveAs saves as the user does, or without what a formatter would do; told: the editor says
// what that does.
func (w *modelWorld) saveAs(f *modelFile, format, told bool) {
	w.e.wire.Lock() // the user may be typing
	defer w.e.wire.Unlock()
	s := w.e.text(f.uri)
	if w.opts.format && format {
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
			w.e.replaceLocked(f.uri, a, len(s)-b, new[a:len(new)-b], told)
		}
		s = new
	}
	w.write(f, s)
	f.base = s
	w.did(f)
	w.e.sendLocked(buffers.Save{URI: f.uri})
}

func (w *modelWorld) openOrClose(f *modelFile) error {
	behind := w.inTurn() && (f.taken != f.disk || f.isTaken != f.exists)
	if !f.open {
		if !f.exists && (!w.opts.whole || f.isTaken) {
			return nil
		}
		w.logf("open %s", f.name)
		f.mirror = "\x00"
		if err := w.noticed(f, w.inTurn()); err != nil {
			return err
		}
		f.unsure = behind
		if f.slept && f.disk != f.lay {
			// The text may have come from what was unsaved then, or from what was on disk: what an agent
			// had taken out of that is undecided yet, or gone.
			f.loose, f.any = true, true
		}
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
	w.settle() // what is thrown away is gone when the file has been read
	err := w.discarded(f, was)
	f.unsure = behind
	return err
}

// tracksNowhere reports whether what is undecided of a file that is not there is there to be decided.
func tracksNowhere(f *file) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.missing && f.doc != nil && f.doc.Tracking()
}

// discarded notes that the user threw away what is not on disk.
func (w *modelWorld) discarded(f *modelFile, was sight) error {
	defer w.release(f, was.base+gones(was))
	if !f.exists {
		if o := w.c.file(buffers.Path(f.path)); was.text == "" && f.text == "" && tracksNowhere(o) {
			return nil // it was none before it was opened, and to look at it decides nothing
		}
		// Nothing is left to decide on, but that the agent had deleted it before that was opened.
		f.loose = f.loose || was.deleted
		w.forgetWords(f.text, "")
		for _, h := range was.hunks {
			w.release(f, h.Text)
		}
		f.becomes("")
		f.gone = map[string]bool{}
		f.taken, f.isTaken = "", false
		return nil
	}
	seen := f.taken
	if !f.isTaken {
		seen = f.disk
	}
	if f.text != seen {
		// Between the two may lie what the agent wrote first, and rows that went with its own.
		f.any = f.any || was.inConflict() || slices.ContainsFunc(namesOf(f.text), func(n string) bool { return !w.inBase(n) })
		// What the agent has taken out on disk, and was rejected or undone and not saved, is undecided again.
		onDisk := setOf(namesOf(seen))
		// The rows may be out of the baseline since, by the user's hand and unsaved too.
		for text := range f.had {
			for _, n := range namesOf(text) {
				f.ever[n] = f.ever[n] || !onDisk[n] && w.inBase(n)
			}
		}
		for _, n := range namesOf(seen) {
			// One that the user takes back to what it was may look like the agent's doing.
			f.lax[n] = isAgents(n) || f.any
		}
		mine := f.text
		w.undone(f, seen)
		if seen != f.disk { // what the user has taken out, and the agent too, comes back by nobody
			left := setOf(modelWords.FindAllString(mine+f.disk, -1))
			for _, word := range modelWords.FindAllString(seen, -1) {
				if !left[word] {
					delete(w.words, word)
				}
			}
		}
	}
	f.taken, f.isTaken = seen, true
	return w.noticed(f, w.inTurn())
}

func (w *modelWorld) reloadStep(f *modelFile) error {
	if !f.open || !f.exists || f.disk != f.taken && w.e.text(f.uri) != f.base {
		return nil // it would be anybody's
	}
	w.logf("reload %s", f.name)
	was, dirty := w.see(f), w.dirty(f)
	w.load(f)
	if f.disk != f.taken || !f.isTaken {
		w.settle()
		if w.opts.reloadsByChange && dirty {
			// To throw away what is unsaved for what nobody has looked at looks like typing that: see
			// typed. Whose the agent's rows are then depends on who comes first.
			for _, n := range namesOf(f.disk) {
				f.lax[n] = isAgents(n)
			}
			w.typed(f, f.disk)
			f.taken, f.isTaken = f.disk, true
			w.saw(f, f.disk)
			return nil
		}
		return w.noticed(f, w.inTurn())
	}
	return w.discarded(f, was)
}

// load makes the disk the text of a document, as a reload does.
func (w *modelWorld) load(f *modelFile) {
	w.e.wire.Lock()
	defer w.e.wire.Unlock()
	old := w.e.text(f.uri)
	if w.opts.reloadsByChange {
		if a, b := ends(old, f.disk); old != f.disk {
			w.e.typeLocked(f.uri, a, len(old)-b, f.disk[a:len(f.disk)-b])
		}
	} else {
		w.e.note(func() { w.e.docs[f.uri] = &fakeDoc{version: 0, text: text.New(f.disk)} })
		w.e.sendLocked(buffers.Close{URI: f.uri})
		w.e.sendLocked(buffers.Open{URI: f.uri, LanguageID: "text", Text: f.disk})
	}
	f.base = f.disk
	if !w.opts.keepsUndo {
		f.undo, f.here = nil, 0
	}
	w.did(f)
}
