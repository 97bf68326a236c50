package review

import (
	"fmt"
	"slices"

	"acp-ls/buffers/text"
)

// proposeStep lets an agent ask for a change, or something become of what it has asked for.
// The text and what is tracked in it stay as they are.
func (w *world) proposeStep(before shot) error {
	asked := w.d.proposals()
	switch {
	case len(asked) == 0 || w.r.IntN(3) == 0:
		o := w.origin(AuthorAgent)
		o.Change = ChangeID(fmt.Sprintf("p%d", w.calls))
		w.d.Withdraw(func(c ChangeID) bool { return c != o.Change })
		want := text.New(w.edited(before.text, "a"))
		made := w.d.Propose(o, want)
		w.logf("propose %s: %q", o.Change, want)
		if err := w.allTaken(o.Change, made, want); err != nil {
			return err
		}
	case w.r.IntN(3) == 0:
		i := w.r.IntN(len(asked))
		w.logf("withdraw %s", asked[i].origin.Change)
		w.d.Withdraw(func(c ChangeID) bool { return c != asked[i].origin.Change })
	default:
		for _, h := range w.d.Proposals(asked[w.r.IntN(len(asked))].origin.Change) {
			if err := w.d.Mark(h.ID, []Take{TakeMine, TakeTheirs}[w.r.IntN(2)]); err != nil {
				return err
			}
		}
	}
	now := w.shot()
	if before.text != now.text || before.base != now.base || !slices.EqualFunc(before.rows, now.rows, alikeRows) {
		return fmt.Errorf("a proposal changed the document")
	}
	return nil
}

// allTaken checks that the hunks of a change just proposed make, all taken, the text that was
// asked for. The terminators of rows beside it are the document's.
func (w *world) allTaken(change ChangeID, made []string, want text.Text) error {
	d := w.d.Clone()
	for _, id := range made {
		if err := d.Mark(id, TakeTheirs); err != nil {
			return err
		}
	}
	if len(made) == 0 {
		want = d.text
	}
	if got := d.WithMarked(change); !slices.Equal(texts(splitRows(got.String())), texts(splitRows(want.String()))) {
		return fmt.Errorf("all of a proposal makes %q, and %q was wanted", got, want)
	}
	return nil
}

// restartStep lets the process die and another take up what was kept of the document, on
// the text that is found then.
func (w *world) restartStep(before shot) error {
	w.d.settled()
	w.d.Withdraw(func(ChangeID) bool { return false }) // they are not kept
	data, err := w.d.MarshalState()
	if err != nil {
		return err
	}
	d, err := UnmarshalState(data, w.clock.now)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, w.d.dump())
	}
	if err := alike(forgetful(w.d), d); err != nil {
		return fmt.Errorf("a restart: %w", err)
	}
	found := before.text
	switch w.r.IntN(4) {
	case 0:
		found = w.edited(found, "u")
	case 1:
		found = w.history[w.r.IntN(len(w.history))]
	}
	w.logf("restart on %q", found)
	kept := w.d.kept()
	w.d = d
	was := w.shot()
	var past []oraclePast // of what was before only the milestones are known
	for i, p := range w.o.past {
		again := slices.ContainsFunc(w.o.past[i+1:], func(q oraclePast) bool { return q.text == p.text })
		hash := text.New(p.text).Hash()
		if !again && slices.ContainsFunc(kept, func(m *moment) bool { return m.hash == hash }) {
			p.rows = w.o.since(p) // decisions are in what is kept, and so which rows are the same by them
			past = append(past, p)
		}
	}
	w.o.past = past
	w.follow()
	w.o.limbo, w.o.put = nil, nil
	lost := d.Resume(text.New(found))
	w.follow()
	w.followConflicts()
	w.edit(found)
	now := w.shot()
	if now.text != found {
		return fmt.Errorf("text is %q, and %q was found", now.text, found)
	}
	for _, h := range lost {
		if !slices.ContainsFunc(now.hunks, func(x Hunk) bool { return x.ID == h.ID && x.State == StateRejected && x.Lost }) {
			return fmt.Errorf("lost hunk %s is not listed", h.ID)
		}
	}
	// What is found without a word is as the user has left it, or has had it before.
	exempt := was.text + was.base
	w.first = was
	for u, is := range w.undone(now) {
		if is {
			exempt += u
		}
	}
	return was.lost(now, exempt)
}

func alikeRows(a, b row) bool {
	return a.text == b.text && a.ins == b.ins && a.del == b.del && a.id == b.id
}
