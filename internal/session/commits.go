package session

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
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

	away putAway
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
	before           *taken // what the disk was known to have
	created, deleted bool
	opaque           checkpoint.Opaque
	opaqueOp         string
	entire           entire
}

// doubt is how long it may turn out that what git had was not meant: to bring back
// a stash it stages all of it, and takes that back at once.
const doubt = 10 * time.Second

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
		entry: was, until: f.core.now().Add(doubt), doc: f.doc.Clone(), before: f.before,
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
	var same bool
	if f.doc != nil {
		same = f.doc.Text().Equal(u.doc.Text())
	} else { // nothing was left to decide on
		same = f.before == u.before || f.before != nil && f.before.Equal(u.doc.Text())
	}
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
