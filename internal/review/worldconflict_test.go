package review

import (
	"fmt"
	"slices"
)

// oracleConflict is a conflict as the oracle knows it: what it is about is the engine's.
type oracleConflict struct {
	id       string
	made     uint64
	declined bool
}

// oracleFate is what became of a conflict, whatever the text is.
type oracleFate struct {
	id             string
	seq            uint64
	declined, gone bool
}

// addConflict lists a conflict in the place of others.
func (o *oracle) addConflict(id string, instead []string) {
	o.seq++
	for _, x := range append(instead, id) {
		o.endConflict(x, oracleFate{gone: true})
	}
	o.conflicts = append(o.conflicts, oracleConflict{id: id, made: o.seq})
	o.remember()
}

// endConflict takes a conflict off the list and, unless that is a matter of the text, takes
// down why.
func (o *oracle) endConflict(id string, why oracleFate) {
	if i := slices.IndexFunc(o.conflicts, func(c oracleConflict) bool { return c.id == id }); i >= 0 {
		o.conflicts = slices.Delete(slices.Clone(o.conflicts), i, i+1)
		if why != (oracleFate{}) {
			why.id, why.seq = id, o.seq
			o.fates = append(o.fates, why)
		}
	}
}

// decline says that a conflict is rejected, or open again.
func (o *oracle) decline(id string, is bool) {
	o.seq++
	o.conflicts = slices.Clone(o.conflicts)
	for i := range o.conflicts {
		if o.conflicts[i].id == id {
			o.conflicts[i].declined = is
			o.fates = append(o.fates, oracleFate{id: id, seq: o.seq, declined: is})
		}
	}
}

// recallConflicts makes the list what it was at p, with what has happened since and does not
// depend on the text.
func (o *oracle) recallConflicts(p oraclePast) {
	var list []oracleConflict
	for _, c := range p.conflicts {
		gone := slices.ContainsFunc(o.conflicts, func(x oracleConflict) bool { return x.id == c.id && x.made > p.seq })
		for _, f := range o.fates {
			if f.id == c.id && f.seq > p.seq {
				gone, c.declined = gone || f.gone, f.declined
			}
		}
		if !gone {
			list = append(list, c)
		}
	}
	for _, c := range o.conflicts {
		if c.made > p.seq {
			list = append(list, c)
		}
	}
	o.conflicts = list
}

// followConflicts makes the oracle's list what the engine's is.
func (w *world) followConflicts() {
	var list []oracleConflict
	for _, c := range w.d.conflicts {
		made := uint64(0)
		known := w.o.conflicts
		for _, p := range w.o.past { // it may have been settled, and be back
			known = append(slices.Clip(known), p.conflicts...)
		}
		for _, x := range known {
			if x.id == c.id {
				made = max(made, x.made)
			}
		}
		list = append(list, oracleConflict{c.id, made, c.declined})
	}
	w.o.conflicts = list
	w.o.past[len(w.o.past)-1].conflicts = list
}

// compareConflicts compares the conflicts of the engine with those of the oracle.
func (w *world) compareConflicts() error {
	got, want := map[string]bool{}, map[string]bool{}
	for _, c := range w.d.conflicts {
		got[c.id] = c.declined
	}
	for _, c := range w.o.conflicts {
		want[c.id] = c.declined
	}
	if len(got) != len(w.d.conflicts) || fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("engine has conflicts %v, oracle %v", got, want)
	}
	return nil
}

func (w *world) conflictStep(before shot) error {
	open := slices.DeleteFunc(w.d.Hunks(StateConflict), func(h Hunk) bool { return w.d.Proposes(h.Origins[0].Change) })
	if len(open) == 0 || w.r.IntN(3) == 0 {
		return w.addConflict(before, open)
	}
	h := open[w.r.IntN(len(open))]
	if w.r.IntN(8) == 0 {
		forGood := w.r.IntN(2) == 0
		w.logf("drop [%d,%d) %q: %v", h.StartLine, h.EndLine, h.Text, forGood)
		w.d.dropConflict(h.ID, forGood)
		w.o.seq++
		w.o.endConflict(h.ID, oracleFate{gone: forGood})
		w.follow()
		return before.same(w.shot().with(1))
	}
	take := []Take{TakeMine, TakeTheirs, TakeBoth}[w.r.IntN(3)]
	w.logf("resolve [%d,%d) %q: %s", h.StartLine, h.EndLine, h.Text, take)
	was := w.d.Clone()
	if err := w.d.Resolve(h.ID, take); err != nil {
		return err
	}
	if take == TakeMine {
		w.o.decline(h.ID, true)
	} else {
		w.o.endConflict(h.ID, oracleFate{})
	}
	w.follow()
	now := w.shot()
	w.edit(now.text)
	if take == TakeMine {
		return w.declined(before, now, h.ID)
	}
	if err := w.backAndForth(was, h); err != nil {
		return err
	}
	if take == TakeBoth {
		return before.lost(now, "")
	}
	// What the user gives up is what stood there, and nothing else.
	return before.lost(now, h.BaseText)
}

// with is a shot as if it had n more hunks.
func (s shot) with(n int) shot {
	s.hunks = append(slices.Clone(s.hunks), make([]Hunk, n)...)
	return s
}

func (w *world) addConflict(before shot, open []Hunk) error {
	n := w.d.Text().LineCount()
	from := w.r.IntN(n + 1)
	to := from + w.r.IntN(min(3, n-from)+1)
	if len(open) > 0 && w.r.IntN(2) == 0 { // the agent tries once more
		h := open[w.r.IntN(len(open))]
		from, to = max(0, h.StartLine-w.r.IntN(2)), min(n, h.EndLine+w.r.IntN(2))
	}
	theirs := w.join([]string{w.line("a"), w.line("a")}[:w.r.IntN(3)])
	o := w.origin(AuthorAgent)
	w.logf("conflict [%d,%d) %q", from, to, theirs)
	id := w.d.AddConflict(o, from, to, "", theirs)
	var instead []string
	for _, h := range open {
		within := func(a, b, from, to int) bool { // all of [a, b) is in [from, to)
			if a == b && from < to {
				return from < a && a < to
			}
			return from <= a && b <= to
		}
		if h.Origins[0].Session == o.Session && h.ID != id &&
			(within(h.StartLine, h.EndLine, from, to) || within(from, to, h.StartLine, h.EndLine)) {
			instead = append(instead, h.ID)
		}
	}
	w.o.addConflict(id, instead)
	for _, x := range append(instead, id) {
		if !w.d.Disputed(x) {
			return fmt.Errorf("conflict %s, or the one in its place, is not open", x)
		}
	}
	now := w.shot()
	if before.text != now.text || before.base != now.base {
		return fmt.Errorf("a conflict moved the text or the baseline")
	}
	return nil
}

// declined checks that a conflict in which mine was taken is rejected, and can be opened again.
func (w *world) declined(before, now shot, id string) error {
	if before.text != now.text || before.base != now.base {
		return fmt.Errorf("taking mine moved the text or the baseline")
	}
	if !slices.Contains(ids(w.d.Hunks(StateRejected)), id) || w.d.Disputed(id) {
		return fmt.Errorf("conflict %s is not listed as rejected", id)
	}
	c := w.d.Clone()
	if done, _ := c.Restore([]string{id}); len(done) != 1 || !slices.Contains(ids(c.Hunks(StateConflict)), id) {
		return fmt.Errorf("rejected conflict %s cannot be opened again", id)
	}
	return nil
}

// backAndForth undoes what settled a conflict, redoes it and undoes it again: it is open,
// settled and open.
func (w *world) backAndForth(was *Doc, h Hunk) error {
	c := w.d.Clone()
	now, then := c.Text().String(), was.Text().String()
	if now == then {
		return nil
	}
	for i, s := range []string{then, now, then, now} {
		a, b := commonEnds(c.Text().String(), s)
		if w.r.IntN(2) == 0 {
			a, b = 0, 0
		}
		c.UserEdit(a, c.Text().Len()-b, s[a:len(s)-b])
		if w.r.IntN(2) == 0 {
			c.settled()
		}
		if got, want := slices.Contains(ids(c.Hunks(StateConflict)), h.ID), i%2 == 0; got != want {
			return fmt.Errorf("after %d steps back and forth a settled conflict is open: %v", i+1, got)
		}
		if got := c.Text().String(); got != s {
			return fmt.Errorf("back and forth: text %q, want %q", got, s)
		}
	}
	return nil
}
