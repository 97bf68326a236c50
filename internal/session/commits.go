package session

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What the user does with git says something about undecided changes (rule 8). What
// they stage or commit they have accepted, as it stands. What git takes out of files
// goes to the rejected hunks, and comes back with its text. While a turn runs nobody
// can tell whose git it is, and agents commit: then nothing is accepted, and hunks
// that are in HEAD are marked as committed; what git takes away is seen where files
// are compared with the disk.
//
// HEAD and the index are looked at for the files with something undecided alone,
// when the folder of git stirs, when turns begin and at their points, and when a
// document is reloaded or saved. Nothing of git's is written, and no lock is taken.

// repo is a work tree with undecided changes in it.
type repo struct {
	git *checkpoint.Repo // nil: the folder is in no work tree

	mu    sync.Mutex // held while HEAD and index are looked at
	stamp string     // of git, when that was done last
	log   int64      // where the log of HEAD ended then

	read   int64           // to where it was read; below zero: it was not
	head   string          // the commit that HEAD was at
	agents map[string]bool // commits that were made while an agent was at work: they accept nothing
	order  []string        // as they became known
}

// repos are the work trees of folders, as far as they were asked for.
type repos struct {
	mu sync.Mutex
	in map[string]*repo // by folder

	recalled map[string][]string // commits of agents that earlier runs knew, by work tree
}

// ingit is what git had of a file when it was looked at last.
type ingit struct {
	known     bool
	entry     checkpoint.Entry
	committed map[string]bool // hunks that are in HEAD, where that decided nothing
	undecided *undecided      // what the last look has accepted; nil if nothing, or long ago
	seen      string          // the stamp of git when it last took something away; "" if that is unknown
	hand      bool            // git has had a hand in its text: hunks may come back that are in HEAD
	marked    uint64          // the revision of the text in which hunks were marked as committed
}

// undecided is what there was to decide on in a file before git was believed.
type undecided struct {
	entry            checkpoint.Entry // what git had
	until            time.Time
	doc              *review.Doc
	created, deleted bool
	opaque           checkpoint.Opaque
	opaqueOp         string
	entire           entire
}

// doubt is how long it may turn out that what git had was not meant: to bring back
// a stash it stages all of it, and takes that back at once.
const doubt = 3 * time.Second

// repoOf finds the work tree of a file; nil if it is in none.
func (c *Core) repoOf(ctx context.Context, p buffers.Path) (*repo, error) {
	folder := existing(filepath.Dir(string(p)))
	c.repos.mu.Lock()
	defer c.repos.mu.Unlock()
	if r := c.repos.in[folder]; r != nil {
		return r.orNil(), nil
	}
	g, err := checkpoint.OpenRepo(ctx, folder)
	if err != nil {
		return nil, err
	}
	if c.repos.in == nil {
		c.repos.in = map[string]*repo{}
	}
	r := &repo{git: g, read: -1, agents: map[string]bool{}}
	if g != nil {
		for _, other := range c.repos.in {
			if other.git != nil && other.git.Top() == g.Top() {
				r = other
			}
		}
	}
	c.repos.in[folder] = r
	return r.orNil(), nil
}

func (r *repo) orNil() *repo {
	if r.git == nil {
		return nil
	}
	return r
}

// lookAtGit finds out what has become of the undecided changes of files in git.
func (c *Core) lookAtGit(ctx context.Context) {
	byRepo := map[*repo][]*file{}
	for _, f := range c.allFiles() {
		if !f.undecided() {
			continue
		}
		c.watchFolder(string(f.path))
		r, err := c.repoOf(ctx, f.path)
		if err != nil && ctx.Err() == nil {
			c.log.Warn("look for the repository of a file", "path", f.path, "err", err)
		}
		if r != nil {
			byRepo[r] = append(byRepo[r], f)
		}
	}
	for r, files := range byRepo {
		if err := c.lookAtRepo(ctx, r, files); err != nil && ctx.Err() == nil {
			c.log.Warn("look at git", "top", r.git.Top(), "err", err)
		}
	}
}

// undecided tells whether there is something in the file that the user may decide
// on, or that may come back; if not, it does not matter what git has of it.
func (f *file) undecided() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc != nil && f.doc.Tracking() || f.fileChange() != nil {
		return true
	}
	if u := f.ingit.undecided; u != nil && f.core.now().Before(u.until) {
		return true
	}
	f.ingit = ingit{}
	return false
}

// believe notes what there is to decide on, as some of it is about to be accepted
// because of what git has; mu is held.
func (f *file) believe(was checkpoint.Entry) {
	if u := f.ingit.undecided; u != nil && f.core.now().Before(u.until) || f.doc == nil {
		return
	}
	f.ingit.undecided = &undecided{
		entry: was, until: f.core.now().Add(doubt), doc: f.doc.Clone(),
		created: f.created, deleted: f.deleted, opaque: f.opaque, opaqueOp: f.opaqueOp, entire: f.entire,
	}
}

// doubts takes back what was accepted because of git, if git has what it had before
// after all and nothing else has happened. A commit is meant, also where another one is
// checked out at once; mu is held.
func (f *file) doubts(now checkpoint.Entry) {
	u := f.ingit.undecided
	if u == nil || now != u.entry || f.ingit.entry.Head != u.entry.Head || !f.core.now().Before(u.until) || f.flight != nil {
		return
	}
	f.ingit.undecided = nil
	same := f.doc != nil && f.doc.Text().Equal(u.doc.Text()) || f.doc == nil && f.before != nil && f.before.Equal(u.doc.Text())
	if u.opaque == "" && !same {
		return
	}
	f.doc, f.created, f.deleted, f.opaque, f.opaqueOp, f.entire = u.doc, u.created, u.deleted, u.opaque, u.opaqueOp, u.entire
	f.shownRev = notShown
	f.publish()
}

func (c *Core) lookAtRepo(ctx context.Context, r *repo, files []*file) error {
	if w := c.folders(); w != nil {
		for _, folder := range r.git.Folders() {
			w.Add(folder)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	stamp := r.git.Stamp()
	moved := stamp != r.stamp
	if !moved && !slices.ContainsFunc(files, func(f *file) bool { return !f.knownToGit() }) {
		return nil
	}
	if moved {
		c.elsewhere.look() // one of theirs may have begun since, and have done it
	}
	others := c.elsewhere.turnsIn(r.git.Top())
	users := !c.worked(r.git.Top()) && !slices.ContainsFunc(others, func(t journal.WorkingTurn) bool { return t.Ended.IsZero() })
	if moved && users {
		var err error
		if stamp, err = r.atRest(ctx); err != nil {
			return err
		}
	}
	if r.stamp == "" {
		r.log = -1
	}
	passed, next, end, err := r.git.Passed(r.log)
	if err != nil {
		return err
	}
	news := r.isAgents(c.repos.recall(r.git.Top())...)
	made, err := r.noteMade(c.workedSince(r.git.Top()))
	if err != nil {
		return err
	}
	for _, t := range others {
		if !moved {
			break
		}
		theirs, err := r.git.MadeIn(t.Began, cmp.Or(t.Ended, c.now()))
		if err != nil {
			return err
		}
		made = r.isAgents(theirs...) || made
	}
	if news || made {
		c.durable.keepAgents(r.git.Top(), r.order)
	}
	if moved && users {
		for _, f := range files {
			f.followGit()
		}
		if err := c.acceptPassed(ctx, r, files, passed); err != nil {
			return err
		}
	}
	var paths []buffers.Path
	for _, f := range files {
		paths = append(paths, f.path)
		if from := f.renamedFrom(); from != "" {
			paths = append(paths, from)
		}
	}
	entries, err := r.git.Entries(ctx, paths)
	if err != nil {
		return err
	}
	for _, f := range files {
		f.seenGit(stamp, users)
		if err := c.inGit(ctx, r, f, entries, users); err != nil {
			return err
		}
	}
	if r.stamp, r.log = stamp, next; !users {
		r.log = end // what an agent commits is not accepted when HEAD leaves it
	}
	return nil
}

// gitRest is how long git must have been left alone for what it has to be what
// somebody wants: to bring back a stash it stages all of it for a moment.
const gitRest = 100 * time.Millisecond

// atRest waits until git has been left alone, and returns its stamp.
func (r *repo) atRest(ctx context.Context) (string, error) {
	stamp := r.git.Stamp()
	for tries := 0; ; tries++ {
		if err := pause(ctx, gitRest); err != nil {
			return "", err
		}
		now := r.git.Stamp()
		if now == stamp && !r.git.Busy() || tries == 20 {
			return now, nil
		}
		stamp = now
	}
}

func (f *file) knownToGit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ingit.known && !f.unmarked()
}

// lookedAtInGit tells that it is known what git had of the file, whatever has become of its rows since.
func (f *file) lookedAtInGit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ingit.known
}

func (f *file) renamedFrom() buffers.Path {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.entire.from
}

// worked tells whether an agent may have done what was done in a folder: a turn runs
// there, and its agent has the prompt.
func (c *Core) worked(folder string) bool { return !c.workedSince(folder).IsZero() }

// workedSince is when the first turn began of those whose agents may have done what was done in a
// folder; zero if there is none.
func (c *Core) workedSince(folder string) (since time.Time) {
	for _, s := range c.allSessions() {
		if !s.atWork() || !s.worksIn(folder) {
			continue
		}
		s.mu.Lock()
		if t := s.running; t != nil && (since.IsZero() || s.began[t.id].Before(since)) {
			since = s.began[t.id]
		}
		s.mu.Unlock()
	}
	return since
}

// followGit takes in what git has made of a file that no editor has open.
func (f *file) followGit() { f.followUnopened(review.AuthorGit, func() bool { return false }) }

// followUnopened takes in what somebody, for the user, has made of a file that no
// editor has open.
func (f *file) followUnopened(by review.Author, over func() bool) {
	if f.lockOps(f.core.ctx) != nil {
		return
	}
	defer f.unlockOps()
	f.mu.Lock()
	open, noText, was := len(f.open) > 0, f.entire.copy != nil, f.entire.was
	f.mu.Unlock()
	if open {
		return // its editor sees to it
	}
	if noText {
		if was.Opaque != checkpoint.Filtered { // nobody knows what that was
			f.takeBack(checkpoint.CopyOf(f.path).State)
		}
		return
	}
	disk, err := f.whole(f.core.ctx, f.core.read)
	for tries := 0; err == nil && !disk.Exists && tries < maxTries && f.thereAgain(f.core.ctx); tries++ {
		disk, err = f.whole(f.core.ctx, f.core.read)
	}
	if err != nil || over() {
		return // it is no text any more, or may be somebody else's by now
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) == 0 {
		f.takeUsers(disk, by)
	}
}

// inGit takes in what HEAD and the index have of a file now.
func (c *Core) inGit(ctx context.Context, r *repo, f *file, entries map[buffers.Path]checkpoint.Entry, users bool) error {
	now := entries[f.path]
	f.mu.Lock()
	f.doubts(now)
	was := f.ingit
	f.ingit.known, f.ingit.entry = true, now
	from, unmarked := f.entire.from, f.unmarked()
	f.mu.Unlock()
	if was.known && was.entry == now && !unmarked {
		return nil
	}
	agents := users && was.known && was.entry.Head != now.Head && r.agents[r.head]
	if agents { // the user has gone there, if HEAD was there when it was looked at
		has, err := r.git.At(ctx, r.head, []buffers.Path{f.path})
		if err != nil {
			return err
		}
		agents = has[f.path] == now.Head
	}
	if !users || !was.known || was.entry == now {
		if was.known && was.entry.Head == now.Head && !unmarked {
			return nil // it is staged, which says nothing
		}
		st, err := r.git.Read(ctx, f.path, now.Head)
		if err == nil {
			f.markCommitted(st)
		}
		return err
	}
	for _, b := range []struct{ was, now checkpoint.Blob }{{was.entry.Index, now.Index}, {was.entry.Head, now.Head}} {
		if b.was == b.now || agents && b.now == now.Head {
			continue
		}
		st, err := r.git.Read(ctx, f.path, b.now)
		if err != nil {
			return err
		}
		if b.now == now.Head {
			f.acceptLost(st) // HEAD was here when the files were not any more
		}
		if err := f.acceptInGit(ctx, was.entry, b.was, b.now, st, from == "" || !entries[from].Index.Exists()); err != nil {
			return err
		}
	}
	if agents {
		st, err := r.git.Read(ctx, f.path, now.Head)
		if err == nil {
			f.markCommitted(st)
		}
		return err
	}
	return nil
}

// noteMade reads on in the log of HEAD. What has been made since an agent began to work is its
// own; nothing is if that is no time. It reports whether any is. mu is held.
func (r *repo) noteMade(since time.Time) (news bool, err error) {
	made, head, end, err := r.git.Made(r.read, since)
	if err != nil {
		return false, err
	}
	if r.read = end; head != "" {
		r.head = head
	}
	if since.IsZero() {
		return false, nil
	}
	return r.isAgents(made...), nil
}

// markCommitted marks the hunks that are in HEAD.
func (f *file) markCommitted(head checkpoint.State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ingit.committed = nil
	if f.doc != nil {
		f.ingit.marked = f.doc.Revision()
	}
	if f.doc != nil && head.Opaque == "" {
		for _, id := range contained(f.doc, head.Content, head.Exists) {
			if f.ingit.committed == nil {
				f.ingit.committed = map[string]bool{}
			}
			f.ingit.committed[id] = true
		}
	}
	f.shownRev = notShown
	f.publish()
}

// acceptInGit accepts what a blob has that the user has staged or committed.
// renamed says that the old name is gone there too. Meanwhile git may take the file away, and
// bring it back: it is accepted all the same.
func (f *file) acceptInGit(ctx context.Context, before checkpoint.Entry, was, blob checkpoint.Blob, has checkpoint.State, renamed bool) error {
	for range maxTries {
		refused, err := f.acceptNow(ctx, before, was, blob, has, renamed)
		if err != nil || !refused {
			return err
		}
		f.acceptLost(has)
	}
	return nil
}

// acceptNow is acceptInGit for what is undecided now. It reports whether something of it was
// not any more when it was to be accepted.
func (f *file) acceptNow(ctx context.Context, before checkpoint.Entry, was, blob checkpoint.Blob, has checkpoint.State, renamed bool) (refused bool, err error) {
	var ids []string
	whole := false
	f.mu.Lock()
	change, opaque := f.fileChange(), f.opaque
	if f.doc != nil && opaque == "" && has.Opaque == "" {
		ids = contained(f.doc, has.Content, has.Exists)
	}
	if change != nil {
		exec := f.entire.exec != nil && *f.entire.exec
		switch change.Op {
		case "delete":
			whole = was.Exists() && !blob.Exists()
		case "rename":
			whole = blob.Exists() && renamed
		case "create":
			whole = blob.Exists() && len(ids) == len(visible(f.doc.Hunks(review.StatePending)))
		case "modify":
			mark := f.entire.wasMark
			whole = blob.Exists() && (blob.Exec == exec || mark != nil && f.entire.wasExec == nil) &&
				(mark == nil || has.Opaque == "" && buffers.EndsOf(text.New(has.Content)).BOM != *mark)
		}
		if opaque != "" && has.Exists && has.Opaque != checkpoint.Filtered {
			whole = whole && has.SameContent(f.entire.now)
		}
	}
	if len(ids) > 0 || whole {
		f.believe(before)
	}
	f.mu.Unlock()
	if len(ids) == 0 && !whole {
		return false, nil
	}
	var out Decision
	how := acceptance
	how.git = true
	err = f.decide(ctx, ids, whole, how, &out)
	return len(out.Refused) > 0, err
}

// contained names the pending hunks that a text of git's has as they stand: their
// rows are in it, and what they took out is not.
func contained(doc *review.Doc, has string, exists bool) []string {
	hunks := visible(doc.Hunks(review.StatePending))
	if len(hunks) == 0 || !exists && doc.Text().Len() > 0 {
		return nil
	}
	mine, theirs := plainRows(doc.Text()), plainRows(text.New(has))
	edits := linediff.Diff(mine, theirs)
	var ids []string
	for _, h := range hunks {
		taken := plainRows(text.New(h.BaseText))
		missing := slices.ContainsFunc(edits, func(e linediff.Edit) bool {
			if e.A1 < h.StartLine || e.A0 > h.EndLine {
				return false
			}
			if e.A0 < h.EndLine && e.A1 > h.StartLine || e.A0 == e.A1 {
				return true
			}
			// It is next to the hunk: unless what the hunk took out is there, it is another's.
			return slices.ContainsFunc(theirs[e.B0:e.B1], func(row string) bool { return row != "" && slices.Contains(taken, row) })
		})
		if !missing {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// plainRows are the rows of a text, without a byte order mark.
func plainRows(t text.Text) []string {
	rows := t.Lines(0, t.LineCount())
	if len(rows) > 0 {
		rows[0] = strings.TrimPrefix(rows[0], "\uFEFF")
	}
	return rows
}

// gitStirred looks at the work trees whose folders in git have changed.
func (c *Core) gitStirred(folders []string) {
	c.repos.mu.Lock()
	stirred := slices.ContainsFunc(slices.Collect(maps.Values(c.repos.in)), func(r *repo) bool {
		return r.git != nil && slices.ContainsFunc(r.git.Folders(), func(f string) bool { return slices.Contains(folders, f) })
	})
	c.repos.mu.Unlock()
	if stirred {
		c.spawn(func() { c.lookAtGit(c.ctx) })
	}
}
