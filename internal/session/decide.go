package session

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
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
	return c.decideOrMark(ctx, d, review.TakeMine, review.StatePending, decision{
		label: "reject", rejects: true, entire: true, conflicts: review.TakeMine,
		apply:   func(doc *review.Doc, ids []string) ([]string, []review.Refusal) { return doc.Reject(ids) },
		changes: func(doc *review.Doc, of []review.ChangeID) []string { return doc.RejectChanges(of...) },
	})
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
// agent's, both puts the agent's below the user's.
func (c *Core) Resolve(ctx context.Context, hunk, take string) (Decision, error) {
	switch take {
	case "mine", "theirs", "both":
	default:
		return Decision{}, Errorf(KindInvalid, `take is %q; it is "mine", "theirs" or "both"`, take)
	}
	return c.decideOrMark(ctx, Decide{Hunks: []string{hunk}}, review.Take(take), review.StateConflict, decision{
		label: "resolve conflict",
		apply: func(doc *review.Doc, ids []string) (done []string, refused []review.Refusal) {
			for _, id := range ids {
				if err := doc.Resolve(id, review.Take(take)); err != nil {
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

	restores bool
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
	if how.restores {
		c.restoreWholes(ctx, d, only, &out)
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
			rev, hunks = strconv.FormatUint(f.doc.Revision(), 10), f.doc.Hunks(state)
			if how.conflicts != "" {
				conflicts = slices.DeleteFunc(f.doc.Hunks(review.StateConflict), func(h review.Hunk) bool { return f.doc.Proposes(h.Origins[0].Change) })
			}
		}
		change, by, withRows := f.fileChange(), f.entire.by, f.withRows(how.rejects)
		f.mu.Unlock()
		if len(d.Hunks) == 0 && d.Rev != "" && d.Rev != rev {
			return out, Errorf(KindStale, "%s has changed since revision %s was shown: look again and decide then", f.path, d.Rev)
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
		if d.Session+d.Turn != "" && how.changes != nil {
			about = about.of(changes)
		}
		if err := f.decide(ctx, ids, whole, about, &out); err != nil {
			for _, id := range append(ids, about.contested...) {
				out.Refused = append(out.Refused, Refusal{ID: id, Reason: err.Error()})
			}
		}
		f.mu.Lock()
		out.Files = append(out.Files, f.review(f.hunks()))
		f.mu.Unlock()
	}
	for _, id := range left {
		out.Refused = append(out.Refused, Refusal{ID: id, Reason: c.whyNot(id, state)})
	}
	if out.Decided == nil {
		out.Decided = []string{}
	}
	if len(out.Decided) == 0 && len(out.Refused) > 0 && len(d.Hunks) > 0 {
		return out, nil
	}
	return out, nil
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

func (f *file) decide(ctx context.Context, ids []string, whole bool, how decision, out *Decision) error {
	defer f.keep(true)
	var done []string
	var refused []review.Refusal
	f.mu.Lock()
	change, withRows, made, deleted, ran := f.fileChange(), f.withRows(how.rejects), f.created, f.deleted, f.entire.ran
	by := f.entire.by
	f.mu.Unlock()
	if whole && change != nil {
		f.decideWhole(ctx, change, how.rejects, out)
	}
	f.mu.Lock()
	var shown []review.Hunk
	if f.doc != nil {
		shown = f.doc.Hunks(review.StatePending)
	}
	f.mu.Unlock()
	if len(ids)+len(how.contested) == 0 && !(whole && withRows) {
		if whole && change != nil {
			f.moveBackRejected(ctx, change, how.rejects, out)
		}
		return nil
	}
	res, err := f.change(ctx, operation{
		label: how.label, rejects: how.rejects, restores: how.restores,
		apply: func(d *review.Doc) error {
			done, refused = how.do(d, ids)
			return nil
		},
	})
	if err != nil {
		return err
	}
	out.Decided = append(out.Decided, done...)
	if how.rejects {
		is := make(map[string]bool, len(done))
		for _, id := range done {
			is[id] = true
		}
		f.core.noteRejected(f.path, slices.DeleteFunc(shown, func(h review.Hunk) bool { return !is[h.ID] }))
	} else {
		f.core.noteRestored(f.path, done)
	}
	for _, r := range refused {
		out.Refused = append(out.Refused, Refusal{ID: r.ID, Reason: r.Reason})
	}
	f.mu.Lock()
	pending := len(f.hunks())
	created := f.created
	var now text.Text
	if f.doc != nil {
		now = f.doc.Text()
	}
	if f.deleted && !how.rejects && (whole || pending == 0) {
		f.deleted = false
		f.shownRev = notShown
		f.publish()
	}
	if created && (whole || pending == 0) {
		// Accepted as a whole, or rejected down to what the user wrote in it
		// (rule 7); tryOnDisk has removed it if nothing was left.
		f.created = false
		f.shownRev = notShown
		f.publish()
	}
	putBack := deleted && !f.deleted && how.rejects
	f.entire.goneBack = f.entire.goneBack && f.deleted || putBack
	if whole && withRows && len(done) == 0 && (deleted || made) {
		out.Decided = append(out.Decided, change.ID) // of an empty file
		switch {
		case !how.rejects:
		case made && !deleted:
			f.entire.refused, f.kept.rested = &by, time.Time{}
		case deleted && !made:
			f.undone, f.kept.rested = &undone{change: *change, entire: entire{by: by, ran: ran}, emptied: true}, time.Time{}
		}
	}
	f.mu.Unlock()
	if putBack && ran {
		if err := checkpoint.SetExec(f.path, true); err != nil {
			return err
		}
	}
	absent := ran && how.restores && !isThere(f.path)
	switch {
	case how.rejects && created && pending == 0 && blank(now) && !res.onDisk && (res.changed || whole && withRows):
		return f.removeUnderDocument()
	case res.onDisk || !res.changed:
	default:
		f.saveDecided(ctx, res)
	}
	if absent && isThere(f.path) { // the file that was made is there again
		if err := checkpoint.SetExec(f.path, true); err != nil {
			return err
		}
	}
	if whole && change != nil {
		f.moveBackRejected(ctx, change, how.rejects, out)
	}
	return nil
}

// decideWhole decides on the file as a whole, as far as its rows do not say it.
func (f *file) decideWhole(ctx context.Context, change *FileChange, rejects bool, out *Decision) {
	done, reason := false, ""
	if rejects {
		done, reason = f.rejectWhole(ctx)
	} else {
		done = f.acceptWhole()
	}
	if done {
		out.Decided = append(out.Decided, change.ID)
	}
	if reason != "" {
		out.Refused = append(out.Refused, Refusal{ID: change.ID, Reason: reason})
	}
}

// moveBackRejected gives a file its old name, if that is what was decided.
func (f *file) moveBackRejected(ctx context.Context, change *FileChange, rejects bool, out *Decision) {
	if !rejects || change.Op != "rename" {
		return
	}
	if err := f.moveBack(ctx); err != nil {
		out.Refused = append(out.Refused, Refusal{ID: change.ID, Reason: err.Error()})
		return
	}
	out.Decided = append(out.Decided, change.ID)
}

// saveDecided saves a document after a decision, if nothing was unsaved before it.
func (f *file) saveDecided(ctx context.Context, out outcome) {
	if !out.wasClean || f.core.settings().Files.Save == config.SaveNever {
		return
	}
	f.mu.Lock()
	garbled := f.encoded != nil && f.doc != nil && isGarbled(f.doc.Text())
	f.mu.Unlock()
	if garbled {
		return // that is for the user to do, who sees it
	}
	if err := out.doc.at.editor.Save(ctx, out.doc.uri); err != nil && !errors.Is(err, ErrUnsupported) {
		f.core.log.Warn("save after decision", "path", f.path, "err", err)
	}
}

// removeUnderDocument removes a file an agent had made and whose document the
// rejection has left blank, unless somebody has written it since.
func (f *file) removeUnderDocument() error {
	disk, err := buffers.ReadDisk(f.path)
	if err != nil || !disk.Exists {
		return err
	}
	f.mu.Lock()
	f.noteRan()
	by := f.entire.by
	had, missing := f.before, f.missing
	f.keepBefore(text.Text{})
	f.missing = true // by the user's will: no agent has taken it away
	f.mu.Unlock()
	if err = buffers.RemoveFile(f.path, disk.Seen()); err != nil {
		f.mu.Lock()
		f.before, f.missing = had, missing
		f.mu.Unlock()
		return err
	}
	f.core.removeFolders(f.path, by)
	return nil
}

// pathOf is the file of a URI, as an open document or as a name.
func (c *Core) pathOf(uri string) (buffers.Path, bool) {
	for _, a := range c.attached() {
		if d, ok := a.Document(uri); ok && d.Path() != "" {
			return d.Path(), true
		}
	}
	name, ok := buffers.URIPath(uri)
	if !ok {
		return "", false
	}
	if p, ok := c.becameLink(name); ok {
		return p, true
	}
	p, err := buffers.Resolve(name)
	return p, err == nil
}

// Reviews lists what there is to review, of one file, one session, or of all,
// in the states named (by default those that are not decided).
func (c *Core) Reviews(uri, session string, states ...review.State) []Review {
	if len(states) == 0 {
		states = []review.State{review.StatePending, review.StateProposed, review.StateConflict}
	}
	_ = c.durable.wait(c.ctx) // an editor that asks at its start is not told there is nothing
	c.durable.neighbours(c.ctx)
	var only buffers.Path
	if uri != "" {
		p, ok := c.pathOf(uri)
		if !ok {
			return nil
		}
		only = p
	}
	var out []Review
	for _, f := range c.allFiles() {
		if only != "" && f.path != only {
			continue
		}
		f.mu.Lock()
		if f.doc != nil || f.moving != nil || (f.refusedChange() != nil || f.rejectedChange() != nil) && slices.Contains(states, review.StateRejected) {
			var hunks []review.Hunk
			if f.doc != nil {
				hunks = f.committed(visible(f.doc.Hunks(states...)))
			}
			if session != "" {
				hunks = slices.DeleteFunc(hunks, func(h review.Hunk) bool {
					return !slices.ContainsFunc(h.Origins, func(o review.Origin) bool { return o.Session == session })
				})
			}
			if len(hunks) > 0 || f.shownChange() != nil && (session == "" || f.changeBy() == session) || only != "" {
				out = append(out, f.review(hunks))
			}
			if c := f.rejectedChange(); c != nil && slices.Contains(states, review.StateRejected) && (session == "" || f.undone.entire.by.Session == session) {
				r := f.review(hunks)
				r.File = c
				out = append(slices.DeleteFunc(out, func(o Review) bool { return o.Path == r.Path }), r)
			}
			if c := f.refusedChange(); c != nil && slices.Contains(states, review.StateRejected) && (session == "" || f.entire.refused.Session == session) {
				r := f.review(hunks)
				r.File = c
				out = append(slices.DeleteFunc(out, func(o Review) bool { return o.Path == r.Path }), r)
			}
		}
		f.mu.Unlock()
	}
	return out
}

// HunkAt returns the undecided hunk at a row (0-based) of a document.
func (c *Core) HunkAt(uri string, line int) (review.Hunk, bool) {
	for _, r := range c.Reviews(uri, "") {
		for _, h := range r.Hunks {
			if line >= h.StartLine && (line < h.EndLine || line == h.StartLine) {
				return h, true
			}
		}
	}
	return review.Hunk{}, false
}

// Baseline is the text a document would have if everything undecided were
// rejected.
func (c *Core) Baseline(uri string) (string, error) {
	_ = c.durable.wait(c.ctx)
	p, ok := c.pathOf(uri)
	if !ok {
		return "", Errorf(KindInvalid, "%s is no file", uri)
	}
	f := c.file(p)
	f.mu.Lock()
	if f.doc != nil {
		defer f.mu.Unlock()
		return f.doc.Baseline().String(), nil
	}
	f.mu.Unlock()
	t, err := c.readText(p)
	if err != nil {
		return "", Errorf(KindInvalid, "read %s: %w", p, err)
	}
	return t.String(), nil
}
