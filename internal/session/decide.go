package session

import (
	"context"
	"slices"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Accept keeps hunks: the baseline moves, no text changes. Proposed ones are
// marked to be applied. In a conflict it takes theirs if the conflict is the only
// hunk that is named; among others it is refused, as text of the user's would go
// that they may not have looked at.
func (c *Core) Accept(ctx context.Context, d Decide) (Decision, error) {
	how := acceptance
	how.conflicts = review.TakeTheirs
	how.sole = c.soleHunk(d.Hunks)
	return c.decideOrMark(ctx, d, review.TakeTheirs, review.StatePending, how)
}

var acceptance = decision{
	label: "accept", entire: true,
	apply:   func(doc *review.Doc, ids []string) ([]string, []review.Refusal) { return doc.Accept(ids) },
	changes: func(doc *review.Doc, of []review.ChangeID) []string { return doc.AcceptChanges(of...) },
}

// Reject takes hunks back: where a document is open by an edit of it, which is
// saved if the document was clean, else on disk. Proposed ones are marked to be
// discarded. In conflicts it takes mine, which changes no text.
func (c *Core) Reject(ctx context.Context, d Decide) (Decision, error) {
	var decided int64
	if !d.undoes {
		decided = c.rejections.begin(c.now())
	}
	placed(ctx)
	out, err := c.decideOrMark(ctx, d, review.TakeMine, review.StatePending, decision{
		number: decided,
		label:  "reject", rejects: true, undoes: d.undoes, entire: true, conflicts: review.TakeMine,
		apply:   func(doc *review.Doc, ids []string) ([]string, []review.Refusal) { return doc.Reject(ids) },
		changes: func(doc *review.Doc, of []review.ChangeID) []string { return doc.RejectChanges(of...) },
	})
	if len(d.Hunks) == 0 {
		c.warnElsewhere(out.elsewhere)
	}
	return out, err
}

// Restore brings rejected hunks back as pending ones, and opens conflicts again in
// which mine was taken.
func (c *Core) Restore(ctx context.Context, d Decide) (Decision, error) {
	return c.decide(ctx, d, review.StateRejected, decision{
		label: "restore", restores: true,
		apply: func(doc *review.Doc, ids []string) ([]string, []review.Refusal) { return doc.Restore(ids) },
	})
}

// Resolve settles a conflict hunk: mine keeps the user's text, theirs takes the
// agent's, both puts the agent's below the user's, if the user has changed those lines.
func (c *Core) Resolve(ctx context.Context, hunk, take string) (Decision, error) {
	switch take {
	case "mine", "theirs", "both":
	default:
		return Decision{}, Errorf(KindInvalid, `take is %q; it is "mine", "theirs" or "both"`, take)
	}
	var decided int64
	if take == "mine" {
		decided = c.rejections.begin(c.now())
	}
	placed(ctx)
	return c.decideOrMark(ctx, Decide{Hunks: []string{hunk}}, review.Take(take), review.StateConflict, decision{
		number: decided,
		label:  "resolve conflict",
		apply: func(doc *review.Doc, ids []string) (done []string, refused []review.Refusal) {
			for _, id := range ids {
				if err := c.untouched.resolve(doc, id, review.Take(take)); err != nil {
					refused = append(refused, review.Refusal{ID: id, Reason: err.Error()})
				} else {
					done = append(done, id)
				}
			}
			return done, refused
		},
	})
}

type decision struct {
	label   string
	rejects bool
	entire  bool // it is about files as a whole too

	number   int64 // that rejections note, if it is not 0
	undoes   bool  // what agents have done goes with it, also what was accepted
	restores bool
	git      bool // the user has decided with git
	apply    func(*review.Doc, []string) ([]string, []review.Refusal)
	// changes decides what some changes did, and leaves alone what others did in
	// the same hunks; nil if hunks can only be decided whole.
	changes func(*review.Doc, []review.ChangeID) []string

	conflicts review.Take // what is taken in those that are meant, "" if none are
	sole      bool        // only one hunk is meant, and named
	contested []string    // the conflicts that are meant in the file
}

// of is the decision about these changes.
func (how decision) of(changes []review.ChangeID) decision {
	how.apply = func(d *review.Doc, _ []string) ([]string, []review.Refusal) { return how.changes(d, changes), nil }
	return how
}

// decide finds the hunks that are meant, in the files that have them, and
// applies the decision file by file.
func (c *Core) decide(ctx context.Context, d Decide, state review.State, how decision) (Decision, error) {
	if err := c.durable.wait(ctx); err != nil { // what earlier runs have left is meant too
		return Decision{}, err
	}
	c.durable.neighbours(ctx)
	if err := c.followClosed(ctx); err != nil {
		return Decision{}, err
	}
	for _, f := range c.allFiles() {
		c.endRename(ctx, f) // or it would be decided on what is no rename any more
	}
	var out Decision
	d.Hunks = uniq(d.Hunks)
	left := slices.Clone(d.Hunks)
	var only buffers.Path
	if d.URI != "" {
		p, ok := c.pathOf(d.URI)
		if !ok {
			return out, Errorf(KindInvalid, "%s is no file", d.URI)
		}
		only = p
		if to := c.file(p).movedTo(); to != "" && how.entire { // there it is decided
			only, d.Rev = to, ""
		}
	}
	if err := c.asShown(d, how); err != nil {
		return out, err
	}
	if how.restores {
		c.restoreWholes(ctx, d, only, &out)
		d.Rev = "" // it has just been looked at, and may be another one by what was restored
		left = slices.DeleteFunc(left, func(id string) bool { return out.tells(id) })
		if len(d.Hunks) > 0 && len(left) == 0 {
			return out, nil
		}
	}
	files := c.allFiles()
	if how.rejects {
		slices.SortStableFunc(files, func(a, b *file) int { return a.inTheWay() - b.inTheWay() })
	}
	for _, f := range files {
		if only != "" && f.path != only {
			continue
		}
		f.mu.Lock()
		refused := how.restores && f.refusedChange() != nil && (slices.Contains(d.Hunks, f.refusedChange().ID) ||
			len(d.Hunks) == 0 && (d.Session == "" || f.entire.refused.Session == d.Session) && (d.Turn == "" || f.entire.refused.Turn == d.Turn))
		if f.doc == nil && !refused {
			f.mu.Unlock()
			continue
		}
		rev := ""
		var hunks, conflicts []review.Hunk
		if f.doc != nil {
			rev, hunks = f.revision(), f.doc.Hunks(state)
			if how.conflicts != "" {
				conflicts = slices.DeleteFunc(f.doc.Hunks(review.StateConflict), func(h review.Hunk) bool { return f.doc.Proposes(h.Origins[0].Change) })
			}
		}
		change, by, withRows := f.fileChange(), f.entire.by, f.withRows(how.rejects)
		f.mu.Unlock()
		if len(d.Hunks) == 0 && d.Rev != "" && d.Rev != rev {
			return out, f.stale(d.Rev) // the user has typed in this moment
		}
		var ids []string
		var changes []review.ChangeID // that are meant, where a session or turn is
		mine := func(o review.Origin) bool {
			return (d.Session == "" || o.Session == d.Session) && (d.Turn == "" || o.Turn == d.Turn)
		}
		whole := false
		for _, h := range hunks {
			switch {
			case len(d.Hunks) > 0:
				if i := slices.Index(left, h.ID); i >= 0 {
					left = slices.Delete(left, i, i+1)
					ids = append(ids, h.ID)
				}
			case slices.ContainsFunc(h.Origins, mine):
				ids = append(ids, h.ID)
				for _, o := range h.Origins {
					if mine(o) {
						changes = append(changes, o.Change)
					}
				}
			}
		}
		about := how
		for _, h := range conflicts {
			if i := slices.Index(left, h.ID); i >= 0 {
				left = slices.Delete(left, i, i+1)
				about.conflict(h.ID, &out)
			} else if len(d.Hunks) == 0 && slices.ContainsFunc(h.Origins, mine) {
				about.conflict(h.ID, &out)
			}
		}
		if change != nil && how.entire {
			if i := slices.Index(left, change.ID); i >= 0 {
				left = slices.Delete(left, i, i+1)
				whole = true
				for _, h := range hunks {
					if withRows && !slices.Contains(ids, h.ID) { // the file is decided with all that is in it
						ids = append(ids, h.ID)
					}
				}
				for _, h := range conflicts {
					if withRows && how.rejects && !slices.Contains(about.contested, h.ID) {
						about.contested = append(about.contested, h.ID)
					}
				}
			}
			whole = whole || len(d.Hunks) == 0 && mine(by)
		}
		if refused {
			left = f.restoreMade(ctx, left, &out)
		}
		if len(ids)+len(about.contested) == 0 && !whole {
			continue
		}
		if whole && how.number != 0 {
			c.rejections.note(change.ID, how.number)
		}
		if d.Session+d.Turn != "" && how.changes != nil {
			about = about.of(changes)
		}
		if err := f.decide(ctx, ids, whole, about, &out); err != nil {
			for _, id := range append(ids, about.contested...) {
				out.Refused = append(out.Refused, Refusal{ID: id, Reason: err.Error()})
			}
		}
		f.mu.Lock()
		out.Files = append(out.Files, f.answer(f.hunks()))
		f.mu.Unlock()
	}
	for _, id := range left {
		out.Refused = append(out.Refused, Refusal{ID: id, Reason: c.whyNot(id, state)})
	}
	if out.Decided == nil {
		out.Decided = []string{}
	}
	if !how.undoes { // which goes on
		c.forgetSteps()
	}
	return out, nil
}

// asShown says before anything is decided whether the file is what it was when the
// user saw it. A revision is one file's: with several it could only be told file by file,
// when some are decided already.
func (c *Core) asShown(d Decide, how decision) error {
	switch {
	case d.Rev == "" || len(d.Hunks) > 0: // what has changed of hunks with a name has another one
		return nil
	case d.URI == "":
		return Errorf(KindInvalid, "rev is the revision of one file: name its uri too, or leave rev out")
	}
	p, ok := c.pathOf(d.URI)
	if !ok {
		return Errorf(KindInvalid, "%s is no file", d.URI)
	}
	f := c.file(p)
	if how.entire && f.movedTo() != "" { // decided where it is now
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.revision() != d.Rev {
		return f.stale(d.Rev)
	}
	return nil
}

func (f *file) stale(rev string) error {
	return Errorf(KindStale, "%s has changed since revision %s was shown: look again and decide then", f.path, rev)
}

// uniq leaves out what was named before.
func uniq(names []string) (out []string) {
	seen := map[string]bool{}
	for _, n := range names {
		if !seen[n] {
			out = append(out, n)
		}
		seen[n] = true
	}
	return out
}

// inTheWay sorts files to be rejected: first those that will be gone, as they may be in
// what was a file, or be where a folder was.
func (f *file) inTheWay() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.fileChange(); c != nil && c.Op == "create" {
		return 0
	}
	return 1
}

// hunks are those a user may decide on; mu is held.
func (f *file) hunks() []review.Hunk {
	if f.doc == nil {
		return nil
	}
	return f.committed(visible(f.doc.Hunks(review.StatePending, review.StateProposed, review.StateConflict)))
}

// visible leaves out hunks that would change nothing, whatever is decided: rows
// that one change put in and another took out again.
func visible(hunks []review.Hunk) []review.Hunk {
	return slices.DeleteFunc(slices.Clone(hunks), func(h review.Hunk) bool {
		return h.State == review.StatePending && h.BaseText == "" && h.Text == ""
	})
}

// committed marks the pending ones that are in a commit which decided nothing; mu is held.
func (f *file) committed(hunks []review.Hunk) []review.Hunk {
	for i := range hunks {
		hunks[i].Committed = hunks[i].State == review.StatePending && f.ingit.committed[hunks[i].ID]
	}
	return hunks
}
