package session

import (
	"slices"

	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A rename is a step of both names: of the old one that its rows go, of the new one that it is made with them. When
// it is taken back they are undone, and to undo them once more would take away what the file has by its old name.

// stepsComeBack makes the steps of a file that gets the name again which it had before a rename, or several, those of
// that name. What the renames have done is none of them any more.
func (f *file) stepsComeBack(to *file) {
	for f != to {
		f.mu.Lock()
		f.recallSteps()
		name := to.path
		if n := len(f.undos.oldNames); n > 0 {
			name = f.undos.oldNames[n-1]
			f.undos.oldNames = slices.Clone(f.undos.oldNames[:n-1])
		}
		f.mu.Unlock()
		old := f.core.file(name)
		if old != f {
			f.stepsComeBackTo(old)
		}
		f = old
	}
}

// stepsComeBackTo is stepsComeBack for the last rename of the file, which had that name before it.
func (f *file) stepsComeBackTo(old *file) {
	defer lockBoth(f, old)()
	f.recallSteps()
	old.recallSteps()
	for made, s := range slices.Backward(f.history) {
		if !s.created || s.before.Len() > 0 {
			continue
		}
		went := -1
		for i, o := range old.history {
			if o.of(s.session, s.turn) && o.goes() {
				went = i
			}
		}
		if went < 0 {
			continue
		}
		// With the rename the agent may have changed rows, or have before it in the same step.
		both := old.history[went]
		both.gone, both.hidden = false, both.hidden || s.hidden
		both.after = sharing(both.before, s.after)
		both.between = slices.Concat(both.between, s.between)
		back := slices.Clone(f.history[made+1:])
		if both.created || !both.before.Equal(both.after) {
			back = append([]agentStep{both}, back...)
		}
		old.history = slices.Replace(slices.Clone(old.history), went, went+1, back...)
		f.history = slices.Clone(f.history[:made])
		f.undos.changes++
		old.undos.changes++
		old.undos.accepted, old.undos.whole = old.undos.accepted || f.undos.accepted, old.undos.whole || f.undos.whole
		return
	}
}

// recordMove notes that an agent has renamed a file to that name, whose text is is and which had was before. What was
// noted of either as it was looked at without the other, as gone or as made, is the rename; the mutexes of both are held.
func (f *file) recordMove(to *file, o review.Origin, was, is text.Text) {
	mine := func(s agentStep) bool { return s.of(o.Session, o.Turn) }
	if n := len(f.history); n > 0 && mine(f.history[n-1]) && f.history[n-1].goes() {
		f.history = slices.Clone(f.history[:n-1])
		f.undos.changes++
	}
	for i, s := range slices.Backward(to.history) {
		if !to.created || !mine(s) {
			break
		}
		if s.created {
			to.history = slices.Clone(to.history[:i])
			to.undos.changes++
			break
		}
	}
	to.record(&o, text.Text{}, is, true)
	if len(f.open) > 0 {
		f.recordStep(agentStep{session: o.Session, turn: o.Turn, before: was, gone: true})
	} else {
		f.record(&o, was, text.Text{}, false)
	}
	to.undos.oldNames = append(to.undos.oldNames, f.path)
}

// goes reports whether the step has taken away what there was.
func (s agentStep) goes() bool { return s.gone || !s.created && s.after.Len() == 0 }
