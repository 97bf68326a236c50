package session

import (
	"fmt"
	"os"
	"slices"
	"strings"
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
	case k < 81 && w.opts.journal:
		err = w.crashStep()
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

// inTurn tells whether any agent is at work.
func (w *modelWorld) inTurn() bool {
	return slices.ContainsFunc(w.sessions, func(s *modelSession) bool { return s.turn != "" })
}

// noticed checks that what the disk has is in the text by now, as an agent's change or
// the user's.
func (w *modelWorld) noticed(f *modelFile, agents bool) error {
	defer func() { f.unsure = false }()
	had, hasHad := f.taken, f.isTaken
	if f.open && f.exists && onlyLF(f.text) != onlyLF(f.disk) && onlyLF(w.e.text(f.uri)) == onlyLF(f.disk) {
		// It has nothing unsaved, whatever was taken in of the disk, and whosever that is.
		fresh := f.taken != f.disk
		for _, n := range namesOf(f.disk) {
			f.lax[n] = !fresh && isAgents(n)
		}
		if f.isTaken, f.taken = true, "\x00"; !fresh {
			w.undone(f, w.e.text(f.uri))
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
		if f.text == f.taken && onlyLF(now) != onlyLF(f.disk) {
			return fmt.Errorf("%s had nothing unsaved and is %q, not as on disk: %q", f.name, now, f.disk)
		}
		if now == f.text && f.disk == f.mirror {
			agents = true // it had come through us already
		} else if now == f.text && f.madeFor == f.taken && f.made[onlyLF(f.disk)] {
			f.taken, f.isTaken = f.disk, true // as far as anybody can tell the user's editor has written it
			return nil
		} else if onlyLF(now) == onlyLF(f.disk) {
			// Loaded as it is.
		} else if err := w.compare(s, w.expected(namesOf(f.text), f.taken, f.disk), w.refused(f)...); err != nil {
			return fmt.Errorf("%s, with %q on disk that was %q: %w", f.name, f.disk, f.taken, err)
		}
	}
	if agents {
		if f.open && hasHad && len(f.contested) == 0 && had != "\x00" && onlyLF(now) == onlyLF(f.disk) && onlyLF(f.text) != onlyLF(had) && onlyLF(f.text) != onlyLF(now) {
			// It was behind what another program had written, which is the user's.
			for _, n := range difference(f.text, had) {
				f.lax[n] = isAgents(n)
			}
			w.typed(f, had)
			f.loose = true
			f.any = f.any || w.inTurn() // or the agent had, and the user has gone back to what was there before
		}
		w.agentMade(f, now)
		f.loose = f.loose || len(f.contested) > 0 // see refused
	} else {
		f.taken = f.disk
		for _, n := range difference(f.text, now) {
			f.lax[n] = isAgents(n) // it is on disk, and nobody is at work
		}
		w.typed(f, now)
		f.loose = true // rows that stood for rows which are gone have gone with them
	}
	f.taken, f.isTaken = f.disk, f.exists
	w.saw(f, f.disk)
	return nil
}

// refused are the rows that could not be made as the disk has them for a conflict, which is
// over, and they are made, where the user has undone what it was with.
func (w *modelWorld) refused(f *modelFile) []string {
	if len(f.contested) == 0 {
		return nil
	}
	both := append(difference(f.text, f.disk), difference(f.disk, f.text)...)
	return append(slices.DeleteFunc(both, func(n string) bool { return strings.HasPrefix(n, "U") }), f.contested...)
}

// onlyLF leaves aside line ends: a document keeps its own.
func onlyLF(s string) string {
	return strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
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
			w.unsent(f) // it may have seen the disk since
		}
		if !onlyOpen {
			f.seen = append(f.seen, f.disk) // at a turn point of its own it can have, whoever wrote that
		}
	}
	return nil
}

// compare compares the rows of a text with those it must have. Rows in a conflict may
// be there or not.
func (w *modelWorld) compare(s sight, want []string, also ...string) error {
	free := setOf(append(slices.Clip(also), s.contested()...))
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
	if w.inTurn() || !f.exists && !w.opts.whole {
		return
	}
	if w.opts.whole && f.exists && !f.open && w.r.IntN(4) == 0 {
		w.logf("another program deletes %s", f.name)
		if err := os.Remove(f.path); err != nil {
			w.t.Fatal(err)
		}
		f.disk, f.exists = "", false
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
