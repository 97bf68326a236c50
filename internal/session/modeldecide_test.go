package session

import (
	"fmt"
	"os"
	"slices"
	"testing/synctest"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// decideStep is a decision of the user's.
func (w *modelWorld) decideStep(f *modelFile) error {
	if err := w.upToDate(); err != nil {
		return err
	}
	if slices.ContainsFunc(w.files, func(f *modelFile) bool { return f.loose || f.any }) {
		// The user has just come to a text that there was, or that the disk has, and what is
		// undecided in it has to be found out first: the decision waits for that, and what there is
		// to decide on is not what is to be seen now.
		w.settle()
		if err := w.verify(); err != nil || w.over {
			return err
		}
		for _, f := range w.files {
			w.knows(f)
		}
	}
	if slices.ContainsFunc(w.files, w.isBehind) {
		return nil // a decision takes in what the disk has first, which is no step of the model's
	}
	before := map[*modelFile]sight{}
	for _, f := range w.files {
		before[f] = w.see(f)
	}
	var ids []string
	pick := func(s review.State) {
		for _, h := range before[f].hunks {
			if h.State == s && w.r.IntN(2) == 0 {
				ids = append(ids, h.ID)
			}
		}
	}
	ctx := w.t.Context()
	var d Decision
	var err error
	switch k := w.r.IntN(20); {
	case k < 5:
		pick(review.StatePending)
		w.logf("accept %v in %s", ids, f.name)
		d, err = w.c.Accept(ctx, Decide{Hunks: ids, URI: f.uri})
		if len(ids) == 0 {
			return w.adopted(f, before[f], d, true, err)
		}
		return w.accepts(f, before[f], d, err)
	case k < 11:
		pick(review.StatePending)
		w.logf("reject %v in %s", ids, f.name)
		if len(ids) == 0 {
			return nil
		}
		d, err = w.c.Reject(ctx, Decide{Hunks: ids})
		return w.rejects(f, before[f], d, err)
	case k < 14:
		pick(review.StateRejected)
		w.logf("restore %v in %s", ids, f.name)
		if len(ids) == 0 {
			return nil
		}
		d, err = w.c.Restore(ctx, Decide{Hunks: ids})
		return w.restores(f, before[f], d, err)
	case k < 16:
		return w.resolveStep(f, before[f])
	case k < 18:
		w.useAny()
		accept := w.r.IntN(2) == 0
		of := Decide{Session: w.session}
		if w.r.IntN(2) == 0 {
			of.Turn = w.turn
		}
		w.logf("decide %+v, accept %v", of, accept)
		if w.session == "" {
			return nil
		}
		if accept {
			d, err = w.c.Accept(ctx, of)
		} else {
			d, err = w.c.Reject(ctx, of)
		}
		for _, f := range w.files {
			if err := w.adopted(f, before[f], d, accept, err); err != nil {
				return err
			}
		}
		return nil
	case k < 19 && w.session != "":
		turn := ""
		if w.useAny(); w.session == "" {
			return nil
		}
		if w.r.IntN(2) == 0 {
			turn = w.turn
		}
		w.logf("undo session, turn %q", turn)
		d, err = w.c.Undo(ctx, w.session, turn)
		for _, f := range w.files {
			if err := w.takesBack(f, before[f], d, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// knows notes that the core has taken in what the disk has, which the user has come to: so it is
// in the text, and the decision takes it out, or not.
func (w *modelWorld) knows(f *modelFile) {
	o := w.c.file(buffers.Path(f.path))
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.open && f.exists && f.text == f.disk && o.before != nil && o.before.String() == f.disk {
		f.taken, f.isTaken = f.disk, true
	}
}

// isBehind reports whether the disk has moved under a document with nothing unsaved.
func (w *modelWorld) isBehind(f *modelFile) bool {
	d, ok := w.e.at.Document(f.uri)
	return f.open && f.exists && ok && d.State() != buffers.Dirty && d.Text.String() != f.disk
}

// looksFirst has what is on disk of an open file taken in, as a decision does: what there is to decide
// on is what is there then.
func (w *modelWorld) looksFirst(f *modelFile) {
	if f.open && f.exists && w.c.file(buffers.Path(f.path)).lookFirst(w.t.Context()) {
		synctest.Wait()
		w.knows(f)
	}
}

// upToDate has what is on disk of files that nobody has open taken in: a decision does
// so first.
func (w *modelWorld) upToDate() error {
	behind := slices.ContainsFunc(w.files, func(f *modelFile) bool {
		return f.unsure || !f.open && (f.taken != f.disk || f.isTaken != f.exists)
	})
	if !behind {
		return nil
	}
	if w.useRunning() {
		w.logf("a tool call ends")
		w.host.Update(w.sid, ToolPatch{ID: "t" + fmt.Sprint(w.steps), Title: str("Run"), Kind: str("execute"), Status: str("completed")})
		w.settle()
		return w.allNoticed(true, false)
	}
	return w.turnStep()
}

// after looks at a file after a decision. The editor has saved it, or not.
func (w *modelWorld) after(f *modelFile, was sight, d Decision, err error) (sight, error) {
	if err != nil {
		return sight{}, err
	}
	w.settle()
	w.rewritten(f)
	w.unsent(f) // it may have been rejected
	s := w.see(f)
	switch {
	case !f.open && f.exists && f.disk != s.text:
		return s, fmt.Errorf("%s has %q on disk, the text is %q", f.name, f.disk, s.text)
	case !f.open && !f.exists && s.text != "":
		return s, fmt.Errorf("%s is gone, the text is %q", f.name, s.text)
	case f.open && was.created && blankText(s.text):
		if f.exists = isThere(f.buffersPath()); !f.exists {
			f.disk, f.taken, f.isTaken = "", "", false
		}
	case f.open && was.vanished && !f.exists:
		if b, err := os.ReadFile(f.path); err == nil { // it was put back
			f.disk, f.exists, f.taken, f.isTaken = string(b), true, string(b), true
		}
	case f.open && f.saves:
		f.taken, f.isTaken = f.disk, f.exists
	}
	f.saves = false
	return s, nil
}

func (w *modelWorld) hunksOf(was sight, d Decision, state review.State) []review.Hunk {
	return slices.DeleteFunc(slices.Clone(was.hunks), func(h review.Hunk) bool {
		return h.State != state || !slices.Contains(d.Decided, h.ID)
	})
}

// accepts checks an acceptance of hunks.
func (w *modelWorld) accepts(f *modelFile, was sight, d Decision, err error) error {
	s, err := w.after(f, was, d, err)
	if err != nil {
		return err
	}
	if s.text != was.text {
		return fmt.Errorf("%s: accept made %q of the text %q", f.name, s.text, was.text)
	}
	for _, h := range w.hunksOf(was, d, review.StatePending) {
		w.acceptedHunk(f, h)
	}
	return nil
}

func (w *modelWorld) acceptedHunk(f *modelFile, h review.Hunk) {
	for _, n := range append(difference(h.BaseText, h.Text), namesOf(h.Gone)...) {
		w.accepted[n] = true
	}
	for _, n := range difference(h.Text, h.BaseText) {
		delete(f.gone, n)
	}
	f.oddly(h)
	w.release(f, h.BaseText+h.Gone)
	w.slackens(f)
}

// slackens notes that something was accepted. That is so of changes: a row that one of them had made,
// and that its own turn had replaced by then, is in no hunk; if an undo brings it back it is accepted.
// Which change made it the model does not know.
func (w *modelWorld) slackens(f *modelFile) {
	now := setOf(namesOf(f.text))
	for text := range f.had {
		for _, n := range namesOf(text) {
			f.slack[n] = f.slack[n] || isAgents(n) && !w.accepted[n] && !now[n]
		}
	}
}

// oddly notes that a hunk was decided on, which may have one of two rows of a name.
func (f *modelFile) oddly(h review.Hunk) {
	for _, n := range append(namesOf(h.Text), namesOf(h.BaseText)...) {
		if f.odd[n] {
			f.loose, f.ever[n], f.lax[n] = true, true, true
		}
	}
}

// release notes that words in rows the user let go need not be anywhere.
func (w *modelWorld) release(f *modelFile, rows string) {
	s := w.see(f)
	left := setOf(modelWords.FindAllString(s.text+s.base, -1))
	for _, word := range modelWords.FindAllString(rows, -1) {
		if !left[word] {
			delete(w.words, word)
		}
	}
}

// rejects checks a rejection of hunks.
func (w *modelWorld) rejects(f *modelFile, was sight, d Decision, err error) error {
	s, err := w.after(f, was, d, err)
	if err != nil {
		return err
	}
	if !w.same(s.base, was.base) {
		return fmt.Errorf("%s: reject made %q of the baseline %q", f.name, s.base, was.base)
	}
	want := namesOf(was.text)
	for _, h := range w.hunksOf(was, d, review.StatePending) {
		f.oddly(h)
		want = w.expected(want, h.Text, h.BaseText)
		for _, n := range namesOf(h.BaseText) {
			delete(f.gone, n)
		}
	}
	if err := w.compare(s, want); err != nil {
		return fmt.Errorf("%s: reject of %q: %w", f.name, was.text, err)
	}
	f.becomes(s.text)
	return nil
}

// restores checks that rejected hunks are pending again.
func (w *modelWorld) restores(f *modelFile, was sight, d Decision, err error) error {
	s, err := w.after(f, was, d, err)
	if err != nil {
		return err
	}
	if !w.same(s.base, was.base) {
		return fmt.Errorf("%s: restore made %q of the baseline %q", f.name, s.base, was.base)
	}
	want := namesOf(was.text)
	for _, h := range w.hunksOf(was, d, review.StateRejected) {
		if slices.ContainsFunc(difference(h.BaseText, h.Text), func(n string) bool { return slices.Contains(want, n) }) {
			w.over = true // a row stands twice by the user's will
			return nil
		}
		want = w.expected(want, h.BaseText, h.Text)
		for _, n := range difference(h.BaseText, h.Text) {
			if !f.gone[n] { // else it comes back where another change has taken it out
				delete(w.accepted, n) // accepted, undone, restored
			}
		}
	}
	if err := w.compare(s, want); err != nil {
		return fmt.Errorf("%s: restore in %q: %w", f.name, was.text, err)
	}
	w.agentMade(f, s.text)
	return nil
}

// resolveStep settles a conflict.
func (w *modelWorld) resolveStep(f *modelFile, was sight) error {
	open := slices.DeleteFunc(slices.Clone(was.hunks), func(h review.Hunk) bool { return h.State != review.StateConflict })
	if len(open) == 0 {
		return nil
	}
	h := open[w.r.IntN(len(open))]
	take := []string{"mine", "theirs", "both"}[w.r.IntN(3)]
	w.logf("resolve %+v: %s", h, take)
	d, err := w.c.Resolve(w.t.Context(), h.ID, take)
	s, err := w.after(f, was, d, err)
	if err != nil {
		return err
	}
	if len(d.Decided) == 0 {
		return nil
	}
	if take == "both" && w.c.untouched.has(h) {
		take = "theirs" // the rows that stand there are nobody's change
	}
	left := w.expected(namesOf(was.text), h.BaseText, "")
	if take == "both" {
		left = namesOf(was.text)
	}
	if slices.ContainsFunc(namesOf(h.Text), func(n string) bool { return slices.Contains(left, n) }) {
		w.over = true // a row stands twice by the user's will
		return nil
	}
	want := namesOf(was.text)
	switch take {
	case "mine":
		w.release(f, h.Text)
	case "theirs":
		want = w.expected(want, h.BaseText, h.Text)
	case "both":
		want = w.expected(want, "", h.Text)
	}
	if err := w.compare(s, want); err != nil {
		return fmt.Errorf("%s: take %s in %q: %w", f.name, take, was.text, err)
	}
	if take != "mine" {
		for _, n := range namesOf(h.Text) {
			w.accepted[n] = true
		}
		w.typed(f, s.text)
	}
	return nil
}

// adopted checks a decision about the changes of a session or turn, which may be parts
// of hunks: which rows they are is looked up.
func (w *modelWorld) adopted(f *modelFile, was sight, d Decision, accept bool, err error) error {
	s, err := w.after(f, was, d, err)
	if err != nil {
		return err
	}
	for _, h := range was.hunks {
		f.oddly(h)
		if accept && slices.Contains(d.Decided, h.ID) {
			for _, n := range namesOf(h.Gone) {
				f.slack[n] = true // it is not there to say whose decision it fell under
			}
		}
	}
	inBase, inText := setOf(namesOf(s.base)), setOf(namesOf(s.text))
	wasBase, wasText := setOf(namesOf(was.base)), setOf(namesOf(was.text))
	if accept {
		if s.text != was.text {
			return fmt.Errorf("%s: accept made %q of the text %q", f.name, s.text, was.text)
		}
		if s.base != was.base {
			w.slackens(f)
		}
		for n := range inBase {
			if wasBase[n] || wasText[n] {
				continue
			}
			// One agent's row that another has taken out may stand in the baseline now.
			if f.gone[n], f.ever[n], w.accepted[n] = true, true, true; !slices.Contains(namesOf(gones(was)), n) {
				return fmt.Errorf("%s: accept put %s into the baseline", f.name, n)
			}
		}
		for n := range wasText {
			switch {
			case wasBase[n] && !inBase[n]:
				return fmt.Errorf("%s: accept took %s out of the baseline", f.name, n)
			case inBase[n]:
				w.accepted[n] = true
			}
		}
		for n := range f.gone {
			if !inBase[n] {
				delete(f.gone, n)
			}
		}
		w.release(f, was.base+gones(was))
		return nil
	}
	if !w.same(s.base, was.base) {
		return fmt.Errorf("%s: reject made %q of the baseline %q", f.name, s.base, was.base)
	}
	for n := range wasText {
		if wasBase[n] && !inText[n] {
			return fmt.Errorf("%s: reject took %s out of the text", f.name, n)
		}
	}
	for n := range inText {
		delete(f.gone, n)
	}
	f.becomes(s.text)
	return nil
}

func gones(s sight) string {
	all := ""
	for _, h := range s.hunks {
		all += h.Gone + h.BaseText
	}
	return all
}

// takesBack checks that a turn was undone: nothing of the user's is lost by it.
func (w *modelWorld) takesBack(f *modelFile, was sight, d Decision, err error) error {
	was.created = was.created || was.made // also if that was accepted
	s, err := w.after(f, was, d, err)
	if err != nil {
		return err
	}
	if f.open && was.created { // its rejection has removed it, and what undo has brought back is in it
		b, err := os.ReadFile(f.path)
		if now := string(b); err == nil && (!f.exists || now != f.disk) {
			if now != s.text {
				return fmt.Errorf("%s: undo made %q of %q on disk, the text is %q", f.name, now, f.disk, s.text)
			}
			f.disk, f.exists, f.taken, f.isTaken = now, true, now, true
		}
	}
	inText := setOf(namesOf(s.text))
	for _, n := range namesOf(was.text) {
		if !inText[n] && !isAgents(n) && !w.claimed[n] {
			return fmt.Errorf("%s: undo took the user's %s out of the text", f.name, n)
		}
	}
	for n := range inText {
		f.lax[n] = isAgents(n) // what could not be taken back is the user's
	}
	for n := range f.gone {
		f.ever[n] = true
	}
	w.release(f, was.base+was.text+gones(was))
	f.loose = true
	f.gone = map[string]bool{}
	f.becomes(s.text)
	return nil
}

// finish ends the turn and rejects all that is left: that is the baseline.
func (w *modelWorld) finish() error {
	for w.useRunning() {
		if err := w.endTurn(); err != nil {
			return err
		}
	}
	w.settle()
	if err := w.verify(); err != nil || w.over {
		return err
	}
	if err := w.upToDate(); err != nil {
		return err
	}
	before := map[*modelFile]sight{}
	for _, f := range w.files {
		w.looksFirst(f)
		before[f] = w.see(f)
	}
	w.opts.refuses, w.opts.forgets = false, false
	w.logf("reject all")
	d, err := w.c.Reject(w.t.Context(), Decide{})
	for _, f := range w.files {
		was := before[f]
		s, err := w.after(f, was, d, err)
		if err != nil {
			return err
		}
		if !w.same(s.text, was.base) || !w.same(s.base, was.base) {
			return fmt.Errorf("%s: reject of all leaves %q, baseline %q; it was %q (%+v)", f.name, s.text, s.base, was.base, d)
		}
	}
	return nil
}
