package review

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers/text"
)

// replaceAll sends the change from the text to new, in one of the ways editors have.
func (w *world) replaceAll(new string, author Author) error {
	old := w.d.Text().String()
	if old == new {
		return nil
	}
	switch w.r.IntN(4) {
	case 0: // one range over everything
		return w.send(0, len(old), new, author)
	case 1: // the minimal range, widened to rows
		a, b := commonEnds(old, new)
		a = strings.LastIndexAny(old[:a], "\n") + 1
		return w.send(a, len(old)-b, new[a:len(new)-b], author)
	default:
		a, b := commonEnds(old, new)
		return w.send(a, len(old)-b, new[a:len(new)-b], author)
	}
}

func (w *world) userStep(before shot) error {
	w.pause()
	s := before.text
	rows := rowsWithEnds(s)
	i := w.r.IntN(len(rows))
	starts := make([]int, len(rows)+1)
	for k, r := range rows {
		starts[k+1] = starts[k] + len(r)
	}
	body := func(k int) string { return strings.TrimRight(rows[k], "\r\n") }
	defer func() { w.edit(w.d.Text().String()) }()
	switch w.r.IntN(17) {
	case 0, 1: // keys at one place
		at := starts[i] + w.r.IntN(len(body(i))+1)
		for _, c := range []string{"x", " ", w.token("u"), "(", "é", "  "}[:1+w.r.IntN(3)] {
			if err := w.send(at, at, c, AuthorUser); err != nil {
				return err
			}
			at += len(c)
			if w.r.IntN(3) == 0 {
				w.edit(w.d.Text().String())
			}
			w.clock.advance(time.Duration(w.r.IntN(260)) * time.Millisecond)
		}
		return nil
	case 2: // characters deleted
		n := len(body(i))
		if n == 0 {
			return nil
		}
		a := w.r.IntN(n)
		b := a + 1 + w.r.IntN(n-a)
		return w.send(starts[i]+a, starts[i]+b, "", AuthorUser)
	case 3, 4: // whole rows put in; they are in the baseline at once
		var new []string
		for range 1 + w.r.IntN(3) {
			new = append(new, w.line("u")+w.end())
		}
		ins := strings.Join(new, "")
		if err := w.send(starts[i], starts[i], ins, AuthorUser); err != nil {
			return err
		}
		for _, u := range userToken.FindAllString(ins, -1) {
			if !strings.Contains(w.d.Baseline().String(), u) {
				return fmt.Errorf("the user's new row %s is not in the baseline", u)
			}
		}
		return nil
	case 5, 6: // rows deleted
		j := min(len(rows), i+1+w.r.IntN(3))
		return w.send(starts[i], starts[j], "", AuthorUser)
	case 7: // rows joined
		if len(rows[i]) == len(body(i)) {
			return nil
		}
		a := starts[i] + len(body(i))
		b := starts[i+1]
		if rest := s[b:]; w.r.IntN(2) == 0 {
			b += len(rest) - len(strings.TrimLeft(rest, " \t"))
		}
		return w.send(a, b, []string{"", " "}[w.r.IntN(2)], AuthorUser)
	case 8: // a row split
		at := starts[i] + w.r.IntN(len(body(i))+1)
		return w.send(at, at, w.end()+[]string{"", "  "}[w.r.IntN(2)], AuthorUser)
	case 9: // a row duplicated, above or below
		if w.r.IntN(2) == 0 {
			return w.send(starts[i], starts[i], body(i)+w.end(), AuthorUser)
		}
		at := starts[i] + len(body(i))
		return w.send(at, at, w.end()+body(i), AuthorUser)
	case 10, 11: // :%s, as one range over everything or the rows it changed
		var new []string
		for k := range rows {
			r := body(k)
			switch w.r.IntN(4) {
			case 0:
				r += "!"
			case 1:
				r = strings.ReplaceAll(r, "z", "q"+fmt.Sprint(w.r.IntN(3)))
				if strings.Contains(rows[k], "U") {
					r = body(k) // its word must be known again
				}
			}
			new = append(new, r+rows[k][len(body(k)):])
		}
		return w.replaceAll(strings.Join(new, ""), AuthorUser)
	case 12: // :move, two events
		j := min(len(rows), i+1+w.r.IntN(2))
		block := s[starts[i]:starts[j]]
		if !strings.HasSuffix(block, "\n") && !strings.HasSuffix(block, "\r") {
			return nil
		}
		if w.r.IntN(3) == 0 {
			return w.copyMove(before, starts, i, j)
		}
		if err := w.send(starts[i], starts[j], "", AuthorUser); err != nil {
			return err
		}
		left := rowsWithEnds(w.d.Text().String())
		at := 0
		for _, r := range left[:w.r.IntN(len(left))] {
			at += len(r)
		}
		marks := w.marksOf(before.rows, i, j)
		if w.known() {
			marks = nil
		}
		if err := w.send(at, at, block, AuthorUser); err != nil {
			return err
		}
		return w.kept(marks)
	case 13: // :move, or any other order, as one event
		new := slices.Clone(rows)
		j := w.r.IntN(len(rows))
		if last := len(rows) - 1; i == last || j == last {
			return nil
		}
		r := new[i]
		new = slices.Insert(slices.Delete(new, i, i+1), j, r)
		return w.replaceAll(strings.Join(new, ""), AuthorUser)
	case 14: // gq
		j := min(len(rows), i+1+w.r.IntN(4))
		words := strings.Fields(s[starts[i]:starts[j]])
		if len(words) == 0 {
			return nil
		}
		var b strings.Builder
		for k, word := range words {
			b.WriteString(word)
			if k == len(words)-1 {
				break
			}
			b.WriteString([]string{" ", " ", w.end()}[w.r.IntN(3)])
		}
		last := rows[j-1]
		b.WriteString(last[len(strings.TrimRight(last, "\r\n")):])
		return w.send(starts[i], starts[j], b.String(), AuthorUser)
	case 15: // several cursors: the same key in several rows, last first
		j := min(len(rows), i+1+w.r.IntN(4))
		for k := j - 1; k >= i; k-- {
			if err := w.send(starts[k], starts[k], "/", AuthorUser); err != nil {
				return err
			}
		}
		return nil
	default: // anything at all
		return w.replaceAll(w.edited(s, "u"), AuthorUser)
	}
}

// copyMove moves the rows [i, j) as Neovim does: they are put in first, and taken out after a while.
func (w *world) copyMove(before shot, starts []int, i, j int) error {
	s := before.text
	block := s[starts[i]:starts[j]]
	to := w.r.IntN(len(starts) - 1)
	if to >= i && to <= j || w.opts.mixed { // a CR may come to stand in front of an LF
		return nil
	}
	marks := w.marksOf(before.rows, i, j)
	if err := w.send(starts[to], starts[to], block, AuthorUser); err != nil {
		return err
	}
	w.clock.advance(time.Duration(w.r.IntN(500)) * time.Millisecond)
	if done, _ := w.d.Settle(w.clock.now()); done {
		w.o.settle()
	}
	from := starts[i]
	if to < i {
		from += len(block)
	}
	if err := w.send(from, from+len(block), "", AuthorUser); err != nil {
		return err
	}
	return w.kept(marks)
}

// marksOf returns the texts of the marked rows among the text rows [i, j).
func (w *world) marksOf(rows []row, i, j int) map[string]bool {
	out := map[string]bool{}
	at := 0
	// An agent's row beside a deleted one of the same text is neither; of equal rows any may move.
	equal := map[string]int{}
	for _, r := range append(slices.Clone(rows), w.d.limbo...) {
		if !r.ghost() {
			equal[r.text]++
		}
	}
	for _, r := range rows {
		if !r.inText() {
			continue
		}
		if at >= i && at < j && r.ins != 0 && !thin(r.text) && equal[r.text] == 1 {
			out[r.text] = true
		}
		at++
	}
	return out
}

// known reports whether the document has had its text before.
func (w *world) known() bool {
	for _, m := range w.d.memory[:max(0, len(w.d.memory)-1)] {
		if m.hash == w.d.text.Hash() {
			return true
		}
	}
	return false
}

// kept checks that moved rows have their marks. Where rows repeat, or a text came back, others
// may have them.
func (w *world) kept(moved map[string]bool) error {
	if w.opts.repeated || w.known() {
		return nil
	}
	for _, r := range w.dense() {
		if r.agents() {
			delete(moved, r.text)
		}
	}
	if len(moved) > 0 {
		return fmt.Errorf("rows %v lost their marks by a move", moved)
	}
	return nil
}

// pause lets time pass, mostly.
func (w *world) pause() {
	if w.r.IntN(4) > 0 {
		w.clock.advance(provisional)
		if done, _ := w.d.Settle(w.clock.now()); done {
			w.o.settle()
		}
	}
}

// undoStep goes back or forth in the editor's history.
func (w *world) undoStep(shot) error {
	w.pause()
	to := w.here - 1
	if w.r.IntN(3) == 0 {
		to = w.here + 1
	}
	if w.r.IntN(10) == 0 {
		to = w.r.IntN(len(w.history))
	}
	if to < 0 || to >= len(w.history) {
		return nil
	}
	w.logf("undo to %d of %d", to, len(w.history))
	now, then := w.d.Text().String(), w.history[to]
	if w.r.IntN(2) == 0 { // two notifications, with a text between that nobody saw
		between := w.edited(then, "x")
		if w.r.IntN(2) == 0 {
			a, b := commonEnds(now, then)
			between = now[:a] + now[len(now)-b:]
		}
		a, b := commonEnds(now, between)
		if err := w.send(a, len(now)-b, between[a:len(between)-b], AuthorUser); err != nil {
			return err
		}
		w.clock.advance(time.Millisecond)
	}
	if err := w.replaceAll(then, AuthorUser); err != nil {
		return err
	}
	w.here = to
	return nil
}

func (w *world) reloadStep(before shot) error {
	w.pause()
	author := []Author{AuthorUser, AuthorFormatter, AuthorAgent, AuthorUnknown, AuthorUnknown, AuthorUnknown}[w.r.IntN(6)]
	kind := map[Author]string{AuthorUser: "u", AuthorFormatter: "f", AuthorAgent: "a", AuthorUnknown: "a"}[author]
	new := w.edited(before.text, kind)
	if author == AuthorFormatter { // format on save
		rows := rowsWithEnds(before.text)
		for i, r := range rows {
			if w.r.IntN(3) == 0 {
				rows[i] = "\t" + strings.TrimLeft(r, " \t")
			}
		}
		new = strings.Join(rows, "")
	}
	if new == before.text {
		return nil
	}
	w.calls++
	forAgent := author == AuthorFormatter && w.r.IntN(2) == 0
	if forAgent {
		author = AuthorAgent
	}
	x := w.origin(author)
	x.Change = ChangeID(fmt.Sprintf("r%d", w.calls))
	if forAgent {
		w.logf("formatted for %s: %q", x.Change, new)
		w.d.Formatted(text.New(new), x)
	} else {
		w.logf("reload by %s: %q", author, new)
		w.d.Reload(text.New(new), x)
	}
	w.edit(new)
	now := w.shot()
	if now.text != new {
		return fmt.Errorf("text is %q, want %q", now.text, new)
	}
	if author.ours() {
		w.follow()
		w.followConflicts()
		if w.d.anchor != nil { // the next event may belong to it
			w.clock.advance(provisional)
			w.d.Settle(w.clock.now())
		}
		w.o.settle()
		return nil
	}
	if !sameBase(before.base, now.base, w.opts.returns) {
		return fmt.Errorf("a reload moved the baseline from %q to %q", before.base, now.base)
	}
	w.follow()
	if author != AuthorUnknown {
		return nil
	}
	if w.r.IntN(2) == 0 {
		if err := w.d.check(); err != nil {
			return err
		}
		w.o.doc.nextID = w.d.nextID
		if err := w.userStep(w.shot()); err != nil { // before it is known
			return err
		}
	}
	y := x
	y.Author = []Author{AuthorUser, AuthorFormatter, AuthorAgent, AuthorDisk}[w.r.IntN(4)]
	w.logf("relabel %s: %s", x.Change, y.Author)
	was := w.shot()
	w.d.Relabel(x.Change, y)
	w.follow()
	now = w.shot()
	if was.text != now.text {
		return fmt.Errorf("relabel moved the text from %q to %q", was.text, now.text)
	}
	if !y.Author.ours() && was.base != now.base {
		return fmt.Errorf("relabel moved the baseline from %q to %q", was.base, now.base)
	}
	return nil
}

func (w *world) decideStep(before shot) error {
	hunks := w.d.Hunks(StatePending)
	var chosen []string
	for _, h := range hunks {
		if w.r.IntN(2) == 0 {
			chosen = append(chosen, h.ID)
		}
	}
	which := func(ids []string) func(row) (bool, bool) {
		rows, _, _ := w.d.chosen(ids)
		return func(r row) (bool, bool) { return rows[r.id], rows[r.id] }
	}
	switch k := w.r.IntN(20); {
	case k < 6:
		w.logf("accept %v", chosen)
		f := which(chosen)
		done, refused := w.d.Accept(append(slices.Clone(chosen), "nonsense"))
		if len(done) != len(chosen) || len(refused) != 1 {
			return fmt.Errorf("accept: done %v, refused %v", done, refused)
		}
		if len(done) > 0 {
			w.o.decide(true, f)
		}
		return w.accepted(before)
	case k < 12:
		w.logf("reject %v", chosen)
		f := which(chosen)
		done, _ := w.d.Reject(chosen)
		if len(done) != len(chosen) {
			return fmt.Errorf("reject: done %v", done)
		}
		if len(done) > 0 {
			w.o.decide(false, f)
		}
		listed := ids(w.d.Hunks(StateRejected))
		for _, id := range done {
			if !slices.Contains(listed, id) {
				return fmt.Errorf("hunk %s is not listed as rejected", id)
			}
		}
		return w.rejected(before)
	case k < 14:
		var changes []ChangeID
		for _, h := range hunks {
			for _, o := range h.Origins {
				if w.r.IntN(2) == 0 {
					changes = append(changes, o.Change)
				}
			}
		}
		accept := w.r.IntN(2) == 0
		w.logf("accept %v: %v", accept, changes)
		f := func(m mark) bool {
			return m != 0 && w.d.origins[m].Author != AuthorUnknown && slices.Contains(changes, w.d.origins[m].Change)
		}
		if len(w.d.decideChanges(accept, changes)) > 0 {
			w.o.decide(accept, func(r row) (bool, bool) { return f(r.ins), f(r.del) })
		}
		if accept {
			return w.accepted(before)
		}
		return w.rejected(before)
	case k < 18:
		return w.restoreStep(before)
	default:
		return w.conflictStep(before)
	}
}

func (w *world) accepted(before shot) error {
	now := w.shot()
	if before.text != now.text {
		return fmt.Errorf("accept moved the text from %q to %q", before.text, now.text)
	}
	return before.lost(now, before.base+before.all()) // what the agent deleted, the user agreed to
}

func (w *world) rejected(before shot) error {
	now := w.shot()
	w.edit(now.text)
	if !sameBase(before.base, now.base, w.opts.returns) {
		return fmt.Errorf("reject moved the baseline from %q to %q", before.base, now.base)
	}
	if err := w.listed(before, now); err != nil {
		return err
	}
	return before.lost(now, "")
}

// listed checks that each word of the user's that a rejection took out of the text is in a
// hunk that is listed as rejected, and comes back into the text with it.
func (w *world) listed(before, now shot) error {
	gone := map[string]bool{}
	for _, u := range userToken.FindAllString(before.text, -1) {
		if !strings.Contains(now.text, u) {
			gone[u] = true
		}
	}
	for u := range gone {
		found := false
		for _, h := range now.hunks {
			if h.State != StateRejected || !strings.Contains(h.Text, u) {
				continue
			}
			c := w.d.Clone()
			c.Restore([]string{h.ID})
			found = found || strings.Contains(c.Text().String(), u)
		}
		if !found {
			return fmt.Errorf("the user's %s is in no rejected hunk that brings it back", u)
		}
	}
	return nil
}

func (w *world) restoreStep(before shot) error {
	var rejected []string
	for _, h := range w.d.Hunks(StateRejected) {
		if w.r.IntN(2) == 0 {
			rejected = append(rejected, h.ID)
		}
	}
	w.logf("restore %v", rejected)
	done, refused := w.d.Restore(rejected)
	if len(done)+len(refused) != len(rejected) {
		return fmt.Errorf("restore: done %v, refused %v of %v", done, refused, rejected)
	}
	now := w.shot()
	w.edit(now.text)
	for _, id := range done {
		w.o.decline(id, false)
	}
	if len(done) > 0 {
		w.follow()
	}
	w.o.put = nil // an operation, also where nothing could be brought back
	if !sameBase(before.base, now.base, w.opts.returns) {
		return fmt.Errorf("restore moved the baseline from %q to %q", before.base, now.base)
	}
	return before.lost(now, "")
}
