package session

import (
	"fmt"
	"slices"
	"strings"

	"acp-ls/internal/review"
)

// crashStep is the end of acp-ls by SIGKILL, and the next one in the editor that has lived
// on, or in another one. Everything is as it was, but for what had not been saved if there is
// another one.
func (w *modelWorld) crashStep() error {
	if err := w.upToDate(); err != nil {
		return err
	}
	w.settle() // what was left alone for a second is written down
	was := map[*modelFile]sight{}
	for _, f := range w.files {
		if f.taken != f.disk || f.isTaken != f.exists {
			return nil // whose that is depends on who is at work
		}
		was[f] = w.see(f)
	}
	both := w.r.IntN(3) == 0
	w.logf("acp-ls is killed and started again, the editor too: %v; open is %v", both, w.openNow())
	old := w.e
	old.onApply = func(DocumentEdit) (bool, error) { return true, ErrRefused }
	old.onSaving = func(string, bool) error { return ErrUnsupported }
	old.onReload = func(string) (bool, error) { return false, nil }
	old.onAdopt = func(string, int32, string) (bool, error) { return false, nil }
	state := w.t.TempDir()
	copyTree(w.t, state, w.state) // what there is now
	w.stop()
	w.state = state
	w.fresh()
	w.crashed = true
	w.start()
	if w.r.IntN(2) == 0 {
		w.settle()
	}
	thrown := map[*modelFile]bool{} // what had not been saved is gone
	for _, f := range w.files {
		thrown[f] = both && f.open && (f.text != f.disk || !f.exists)
		f.saves, f.mirror = false, "\x00"
		switch {
		case !f.open:
		case !both:
			w.e.open(f.uri, old.text(f.uri))
		default:
			f.open = false
			if f.exists && w.r.IntN(2) == 0 {
				f.open, f.base, f.undo, f.here = true, f.disk, []string{f.disk}, 0
				w.e.open(f.uri, f.disk)
			}
		}
	}
	w.settle()
	for _, f := range w.files {
		if thrown[f] {
			f.slept, f.lay = true, f.disk
			if err := w.discarded(f, was[f]); err != nil {
				return err
			}
			for _, h := range was[f].hunks {
				w.release(f, h.Text+h.BaseText+h.Gone)
			}
			// What was decided since the last save is undecided again.
			for _, n := range namesOf(f.disk) {
				f.any, f.lax[n] = true, isAgents(n) || w.claimed[n] || strings.HasPrefix(n, "D")
			}
			continue
		}
		now := w.see(f)
		if f.open && !f.exists {
			now.deleted = was[f].deleted // a document says nothing of a file that is not there
		}
		if f.open && f.disk == "" && now.text == "" {
			// A document that was opened without a file says nothing of an empty one that comes under
			// it; who finds the file anew, which was not there when the turn began, does.
			now.created = was[f].created
		}
		if f.slept {
			// What was rejected after the last save is listed again, or will be when the file is opened.
			// Until then so are the conflicts that were in it, which belong to neither text nor
			// baseline, if the disk has got another text than was left.
			now.hunks = slices.DeleteFunc(now.hunks, func(h review.Hunk) bool {
				may := h.State == review.StateRejected || h.State == review.StateConflict && !f.open
				return may && !slices.ContainsFunc(was[f].hunks, func(g review.Hunk) bool { return g.ID == h.ID })
			})
		}
		if err := sameSight(was[f], now); err != nil {
			return fmt.Errorf("%s after a restart: %w", f.name, err)
		}
	}
	return nil
}

// sameSight compares what could be seen of a file before a crash with what can be after it.
func sameSight(a, b sight) error {
	same := func(g, h review.Hunk) bool {
		place := h.Lost || g.StartLine == h.StartLine && g.EndLine == h.EndLine // what is lost has none
		return g.ID == h.ID && g.State == h.State && g.Lost == h.Lost && place && g.Text == h.Text && g.BaseText == h.BaseText
	}
	switch {
	case a.text != b.text:
		return fmt.Errorf("text is %q, was %q", b.text, a.text)
	case a.base != b.base:
		return fmt.Errorf("baseline is %q, was %q", b.base, a.base)
	case a.created != b.created || a.deleted != b.deleted:
		return fmt.Errorf("created is %v, was %v; deleted is %v, was %v", b.created, a.created, b.deleted, a.deleted)
	case !slices.EqualFunc(a.hunks, b.hunks, same):
		return fmt.Errorf("hunks are %+v, were %+v", b.hunks, a.hunks)
	}
	return nil
}

// openNow names the files that are open.
func (w *modelWorld) openNow() (names []string) {
	for _, f := range w.files {
		if f.open {
			names = append(names, f.name)
		}
	}
	return names
}
