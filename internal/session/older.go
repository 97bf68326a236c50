package session

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// An editor that is closed, killed or loaded anew with unsaved text opens that again from a copy of its
// own, which may be from before what agents have put on disk under it came into it: VS Code makes one a
// second after the text has changed, Neovim writes its swap file as seldom. The file has what the agents
// wrote, and the text has not. So it comes into the text again, as it was decided on by then: what was
// undecided is that, what was accepted is the user's, and what was rejected, undone or deleted stays away.
//
// That a text is an older one is known where an earlier run has had it in the document. Else the user may
// have made it of the last one in the moment before the end, and not even acp-ls has written that down:
// then what it has not is undecided, also where it was accepted. Nothing is undecided again that they
// have taken out of a text which acp-ls knew, nor in an editor that lives, whose text is the newest one.

// maxHad bounds how many texts are known that a document had before.
const maxHad = 64

// olderText is what there is to bring into a document that was opened after a restart.
type olderText struct {
	last  *review.Doc // as it was when acp-ls ended; nil: it is open with the text that it had then
	under *keptUnder
	sure  bool // the document had this text before
}

// hadText stands for a text that a document had.
func hadText(t text.Text) string {
	h := buffers.NormHashText(t)
	return hex.EncodeToString(h[:8])
}

// noteHad notes the texts that the document had before what t has come under it, of which was has noted
// those before; mu is held.
func (f *file) noteHad(t, was *taken) {
	if t.from == nil {
		return
	}
	had := slices.Clone(t.had)
	if was != nil {
		had = append(slices.Clone(was.had), had...)
	}
	for _, l := range f.lately {
		had = append(had, hadText(l))
	}
	slices.Reverse(had) // the newest first, each once
	seen := map[string]bool{}
	had = slices.DeleteFunc(had, func(h string) bool { again := seen[h]; seen[h] = true; return again })
	had = had[:min(len(had), maxHad)]
	slices.Reverse(had)
	t.had = had
}

// isUnder reports whether agents have put something on disk under the unsaved text of doc; mu is held.
func (f *file) isUnder(doc *review.Doc) bool {
	return doc == f.doc && len(f.open) > 0 && f.before != nil && f.before.from != nil && !f.before.Equal(doc.Text())
}

// under has a version have what an operation takes in.
func (op operation) under(v *version) {
	if op.takes == nil {
		return
	}
	if t := op.takes(); t.from != nil || len(t.disputes) > 0 {
		v.under = t
	}
}

// passOn notes in an entry of which nobody has opened the file yet that it is of another editor, if it is.
func passOn(e *journal.Entry) {
	if x, ok := besideIn(e.Last); ok && x.Disputed != nil && !e.Here {
		x.Passed = true
		e.Last.Beside = x.encode()
	}
}

// mayBeOlder reports whether a document is open with the text found that may be older than the one which
// an entry has of it: then it is to be found out what the disk has of that; mu is held.
func (f *file) mayBeOlder(e *journal.Entry, found text.Text) bool {
	x, ok := besideIn(e.Last)
	if !ok || x.Disputed == nil || x.Disputed.FromBy == nil || e.Here && !x.Passed || len(f.open) == 0 {
		return false
	}
	if e.Last.State == nil || e.Last.Opaque != "" || e.Last.Deleted || diskHash(found) == x.Disputed.Disk {
		return false // or it has all that the disk has, and may be decided on before anybody has looked
	}
	o := &olderText{under: x.Disputed}
	if !isState(&e.Last, found, false) {
		last, err := review.UnmarshalState(e.Last.State, f.core.now)
		if err != nil {
			return false
		}
		o.last, o.sure = last, slices.Contains(x.Disputed.Had, hadText(found))
	}
	f.older, f.recalled = o, x.Disputed // whichever record it came from, this is of the disk
	return true
}

// takeOlder has a document take in what the disk has that an older text of it has not, if what that has
// is known; mu is held.
func (f *file) takeOlder() {
	o, t := f.older, f.before
	if o == nil || t == nil || t.from == nil {
		return
	}
	f.older = nil
	f.core.spawn(func() { f.bringOlder(f.core.ctx, o, t) })
}

// endOlder ends that it is to be found out what the disk has of an older text of a document, if it has
// moved on meanwhile: then that is not known.
func (f *file) endOlder() {
	f.mu.Lock()
	o := f.older
	if o != nil && f.before == nil {
		o = nil // not looked yet
	}
	if o != nil {
		f.older = nil
	}
	f.mu.Unlock()
	f.tellOlder(o)
}

// tellOlder tells of what an older text has lost and did not get.
func (f *file) tellOlder(o *olderText) {
	if o == nil || o.last == nil {
		return
	}
	f.mu.Lock()
	var lost []review.Hunk
	if f.doc != nil {
		known := append(o.last.Hunks(review.StateRejected), f.doc.Hunks(review.StateConflict)...)
		for _, h := range f.doc.Hunks(review.StateRejected) {
			if h.Lost && !slices.ContainsFunc(known, func(k review.Hunk) bool {
				return k.ID == h.ID || k.State == review.StateConflict && shareRow(rowsOf(h.Text), rowsOf(k.Text))
			}) {
				lost = append(lost, h)
			}
		}
	}
	f.mu.Unlock()
	if len(lost) > 0 {
		f.core.durable.report(resumed{lost: []string{lostOf(f.path, lost)}})
	}
}

// bringOlder brings what t has into a document with an older text, and has the editor know that the
// document contains it.
func (f *file) bringOlder(ctx context.Context, o *olderText, t *taken) {
	if err := f.bringOlderHeld(ctx, o, t); err != nil && ctx.Err() == nil {
		f.core.log.Warn("bring document up to date", "path", f.path, "err", err)
	}
	f.tellOlder(o)
	f.keep(true)
}

func (f *file) bringOlderHeld(ctx context.Context, o *olderText, t *taken) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	disk, err := f.whole(ctx, f.read)
	f.mu.Lock()
	_, d, open := f.live()
	saves, known := f.saves, f.before == t && open && buffers.NormHashText(d.Text) != buffers.NormHashText(t.Text)
	f.mu.Unlock()
	if err != nil || !known {
		return err
	}
	same := disk.Exists && t.Equal(text.New(disk.Content))
	if o.last == nil {
		if !same {
			return nil
		}
		return f.takeSame(ctx, disk, saves)
	}
	accepted, kept := o.of(t)
	by := *t.fromBy
	by.Change = f.core.changeID()
	bring := operation{
		label: "changed on disk",
		apply: func(doc *review.Doc) error {
			merged := func(theirs text.Text) (text.Text, merge.TextResult) {
				base := partIn(*t.from, theirs, doc.Text(), nil) // it may have some of it
				m := merge.TextsWith(base.String(), doc.Text().String(), theirs.String(), merge.Options{WhitespaceYields: true})
				return base, m
			}
			if o.sure {
				_, m := merged(accepted)
				doc.Follow(text.New(m.Text), review.AuthorUser)
			}
			base, m := merged(kept)
			now := text.New(m.Text)
			// Where the user has typed in what the agents have written there is no conflict.
			m.Conflicts = slices.DeleteFunc(m.Conflicts, func(k merge.Conflict) bool { return !o.lacks(doc, k.Ours, kept.Lines(k.Theirs[0], k.Theirs[1])) })
			f.core.untouched.addConflicts(doc, func(string) review.Origin { return by }, m, base.String(), kept.String())
			doc.BringBack(now)
			if !doc.Text().Equal(now) {
				doc.AgentEdit(now, by)
			}
			return nil
		},
		takes: func() *taken { now := *t; return &now },
		stale: func() bool { return f.saves != saves || f.unsure() },
	}
	if same {
		err = f.adoptOrChangeHeld(ctx, disk, bring)
	} else {
		_, err = f.changeHeld(ctx, bring) // the rest comes from the disk
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc != nil && f.doc.Tracking() {
		f.findSteps(f.doc, f.created)
		f.shownRev = notShown
	}
	f.publish()
	return nil
}

// lacks reports whether one of the rows was undecided when acp-ls ended, and nothing that is so stands in those of
// doc that are there instead.
func (o *olderText) lacks(doc *review.Doc, instead [2]int, rows []string) bool {
	in := func(d *review.Doc, rows []string) bool {
		return slices.ContainsFunc(d.Hunks(review.StatePending), func(h review.Hunk) bool { return shareRow(rowsOf(h.Text), rows) })
	}
	ours := doc.Text().Lines(instead[0], instead[1])
	return in(o.last, rows) && !in(doc, ours)
}

// shareRow reports whether a row that says something is in both.
func shareRow(a, b []string) bool {
	return slices.ContainsFunc(a, func(row string) bool { return !isBlank(row) && slices.Contains(b, row) })
}

// of are what the disk would have of what t has with only what was accepted when acp-ls ended, and with
// what was undecided too.
func (o *olderText) of(t *taken) (accepted, kept text.Text) {
	disputes, _ := o.under.disputes(t.Text, o.last)
	in := (&taken{Text: t.Text, disputes: disputes}).in(o.last)
	accepted = partIn(*t.from, in, o.last.Baseline(), func([2]int) bool { return false })
	kept = partIn(*t.from, in, o.last.Text(), func(rows [2]int) bool {
		return slices.ContainsFunc(o.last.Hunks(review.StatePending), func(h review.Hunk) bool {
			return h.StartLine <= rows[1] && rows[0] <= h.EndLine
		})
	})
	return accepted, kept
}

// partIn is before with those rows of now, by which that differs from it, that has, which was made of both, has
// too, and without those of before that neither has. mixed tells of rows of has whether they have something of rows
// that are not in it as they were, and is nil if only rows as they were count.
func partIn(before, now, has text.Text, mixed func(rows [2]int) bool) text.Text {
	was, is := rowsWithEnds(before), rowsWithEnds(now)
	hadIn, isIn := kept(linesOf(before), linesOf(has)), kept(linesOf(now), linesOf(has))
	out := before
	for _, e := range slices.Backward(linediff.Diff(was, is)) {
		var rows []string
		for i := range max(e.A1-e.A0, e.B1-e.B0) {
			if at := e.A0 + i; at < e.A1 && hadIn[at] {
				rows = append(rows, was[at])
			}
			if at := e.B0 + i; at < e.B1 && isIn[at] {
				rows = append(rows, is[at])
			}
		}
		all := is[e.B0:e.B1]
		if mixed != nil && len(all) > 0 && !slices.Contains(isIn[e.B0:e.B1], true) {
			with := withRows(before, [2]int{e.A0, e.A1}, strings.Join(all, ""))
			m := merge.TextsWith(before.String(), has.String(), with.String(), merge.Options{WhitespaceYields: true})
			touched := slices.IndexFunc(m.Conflicts, func(k merge.Conflict) bool { return mixed(k.Ours) })
			rows = was[e.A0:e.A1] // nothing of it is there
			if touched >= 0 {
				rows = all
				left := rowsWithEnds(has)[m.Conflicts[touched].Ours[0]:m.Conflicts[touched].Ours[1]]
				if isPartOf(left, append(slices.Clone(all), was[e.A0:e.A1]...)) { // the user has only taken rows out
					rows = left
				}
			}
		}
		out = withRows(out, [2]int{e.A0, e.A1}, strings.Join(rows, ""))
	}
	return out
}

// isPartOf reports whether all rows of part are in all.
func isPartOf(part, all []string) bool {
	return !slices.ContainsFunc(part, func(row string) bool { return !slices.Contains(all, row) })
}
