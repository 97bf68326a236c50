package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"acp-ls/buffers"
)

// Options limit what is copied. The zero value means the defaults.
type Options struct {
	MaxFile  int64 // bytes of a file whose text is kept; default 1 MiB
	MaxFiles int   // files looked at in a folder without git, or not known to git; default 20,000
	Budget   int64 // bytes of all copies; default 64 MiB
	// Skip are absolute paths, links resolved, of files and folders that are no part of it.
	Skip []string
}

func (o Options) withDefaults() Options {
	o.MaxFile = cmp.Or(o.MaxFile, 1<<20)
	o.MaxFiles = cmp.Or(o.MaxFiles, 20000)
	o.Budget = cmp.Or(o.Budget, 64<<20)
	return o
}

// skips reports whether a file or folder is no part of the checkpoint. What is there while a file is
// written, by this process or another, is none: it would be a file that was made, and then renamed.
func (o *Options) skips(path string) bool {
	return buffers.IsTemp(path) || slices.ContainsFunc(o.Skip, func(s string) bool { return within(path, s) })
}

// within reports whether path is folder, or in it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// Change is a file that is not as it was.
type Change struct {
	Path          buffers.Path
	Before, After State

	was, is fs.FileInfo // nil where there was no file, or none was looked at
}

// Became reports whether the file that c has seen go is the one that now is made, as far as the file
// system tells: not where git alone knows what was there. A file that is made may have the number of one that is
// gone, so this is a reason to choose among files that are alike, and no more. What holds what it held
// has the time it had, unless it is another.
func (c Change) Became(now Change) bool {
	if c.was == nil || now.is == nil || !os.SameFile(c.was, now.is) {
		return false
	}
	return c.was.ModTime().Equal(now.is.ModTime()) || !c.Before.SameContent(now.After)
}

// A source knows what a folder held.
type source interface {
	// candidates names the files that may have changed.
	candidates(ctx context.Context) ([]string, error)
	// before is what files held that are not among the copies. A file that it does
	// not name was not there.
	before(ctx context.Context, paths []string) (map[string]State, error)
}

// Checkpoint is what a folder held when it was taken. It is safe for concurrent use.
type Checkpoint struct {
	root  string
	opt   Options
	src   source
	notes []string

	mu     sync.Mutex
	copies map[string]*kept
	found  map[string]State // what the source has told of files before
	used   int64            // bytes of both
	cut    bool             // not all files were looked at
}

// kept is a copy with what tells whether it still is one.
type kept struct {
	State
	info fs.FileInfo // nil if there was no file, or it is one of an earlier process
	at   time.Time   // when it was looked at
}

// current: the file has not been written since, as far as can be told without
// reading it. One that was written just before it was looked at may have been
// written again within the same tick of its time stamp.
func (k *kept) current(info fs.FileInfo) bool {
	return (k.info != nil || !k.Exists) && sameInfo(k.info, info) && (info == nil || k.at.Sub(info.ModTime()) > racy)
}

// Take makes a checkpoint of a folder. An earlier one of the same folder makes it
// cheaper: what has not moved since is not read again. Note says what, if
// anything, is left out.
func Take(ctx context.Context, root buffers.Path, earlier *Checkpoint, opt Options) (*Checkpoint, error) {
	c := &Checkpoint{root: string(root), opt: opt.withDefaults(), copies: map[string]*kept{}, found: map[string]State{}}
	git, err := openGit(ctx, c.root, c.opt.MaxFile, earlier.git())
	if err != nil {
		return nil, err
	}
	var paths []string
	if git != nil {
		c.src = git
		if paths, err = git.start(ctx); err != nil {
			return nil, err
		}
		c.notes = append(c.notes, git.notes...)
		paths = slices.DeleteFunc(paths, c.opt.skips)
		if c.cut = len(paths) > c.opt.MaxFiles; c.cut {
			paths = paths[:c.opt.MaxFiles] // git names what it knows first
			c.notes = append(c.notes, fmt.Sprintf("%s has more than %d files that git does not know: changes are looked for in the first %d", c.root, c.opt.MaxFiles, c.opt.MaxFiles))
		}
	} else {
		w, why := newWalk(c.root, c.opt)
		if why != "" {
			c.notes = append(c.notes, why)
			return c, nil
		}
		c.src = w
		if paths, c.cut, err = w.list(ctx); err != nil {
			return nil, err
		}
		if c.cut {
			c.notes = append(c.notes, fmt.Sprintf("%s has more than %d files and no git: changes are looked for in the first %d", c.root, c.opt.MaxFiles, c.opt.MaxFiles))
		}
	}
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.keep(p, earlier)
	}
	return c, nil
}

func (c *Checkpoint) git() *git {
	if c == nil {
		return nil
	}
	g, _ := c.src.(*git)
	return g
}

// Note says what the checkpoint does not cover; empty if nothing.
func (c *Checkpoint) Note() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.notes, "\n")
}

// note adds to what Note says, once.
func (c *Checkpoint) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.notes, what) {
		c.notes = append(c.notes, what)
	}
}

// keep copies a file, or takes the copy of an earlier checkpoint.
func (c *Checkpoint) keep(path string, earlier *Checkpoint) {
	info, err := os.Lstat(path)
	if err != nil {
		info = nil
	}
	if info != nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return // a nested repository, a submodule
	}
	if k := earlier.copied(path); k != nil && k.current(info) {
		c.add(path, k)
		return
	}
	now := time.Now()
	c.add(path, &kept{look(path, c.opt.MaxFile), info, now})
}

func (c *Checkpoint) add(path string, k *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.room(k.State) {
		k = &kept{k.State.Forget(), k.info, k.at}
		c.overBudget()
	}
	c.copies[path] = k
}

// room takes what a content needs from the budget; mu is held.
func (c *Checkpoint) room(s State) bool {
	if c.used+int64(len(s.Content)) > c.opt.Budget {
		return false
	}
	c.used += int64(len(s.Content))
	return true
}

func (c *Checkpoint) overBudget() {
	note := fmt.Sprintf("more than %d MiB of changed files in %s: some are known by hash only", c.opt.Budget>>20, c.root)
	if !slices.Contains(c.notes, note) {
		c.notes = append(c.notes, note)
	}
}

func (c *Checkpoint) copied(path string) *kept {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.copies[path]
}

// sameInfo: the file has not been written between two looks, as far as its time,
// size and identity tell.
func sameInfo(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

// Before is what a file held when the checkpoint was taken.
func (c *Checkpoint) Before(ctx context.Context, p buffers.Path) (State, error) {
	states, err := c.before(ctx, []string{string(p)})
	return states[string(p)], err
}

// Look is what a file is now, as Changes would say.
func (c *Checkpoint) Look(p buffers.Path) State { return look(string(p), c.opt.MaxFile) }

// before is Before for many files. Those that were not there are not named.
func (c *Checkpoint) before(ctx context.Context, paths []string) (map[string]State, error) {
	out := map[string]State{}
	var ask []string
	c.mu.Lock()
	for _, p := range paths {
		if k := c.copies[p]; k != nil {
			out[p] = k.State
		} else if s, ok := c.found[p]; ok {
			out[p] = s
		} else {
			ask = append(ask, p)
		}
	}
	c.mu.Unlock()
	if len(ask) == 0 || c.src == nil {
		return out, nil
	}
	told, err := c.src.before(ctx, ask)
	if err != nil {
		return out, err
	}
	ask = slices.DeleteFunc(ask, c.unknown) // nobody can tell
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range ask {
		s := told[p]
		out[p] = s
		if c.room(s) {
			c.found[p] = s
		}
	}
	return out, nil
}

// Changes compares the folder with the checkpoint, by path.
func (c *Checkpoint) Changes(ctx context.Context) ([]Change, error) {
	if c.src == nil {
		return nil, nil
	}
	paths, err := c.src.candidates(ctx)
	if err != nil {
		return nil, err
	}
	more, err := c.newlyIgnored(ctx, paths)
	if err != nil {
		return nil, err
	}
	paths = append(paths, more...)
	c.mu.Lock()
	for p := range c.copies {
		paths = append(paths, p)
	}
	if g := c.git(); g != nil && g.anyGone() {
		for p := range c.found {
			paths = append(paths, p)
		}
		if !slices.Contains(c.notes, c.goneNote()) {
			c.notes = append(c.notes, c.goneNote())
		}
	}
	c.mu.Unlock()
	slices.Sort(paths)
	paths = slices.DeleteFunc(slices.Compact(paths), c.opt.skips)
	infos := make(map[string]fs.FileInfo, len(paths))
	real := realFolders{c.root: true}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		info, err := os.Lstat(p)
		if err == nil && real.holds(c.root, p) {
			infos[p] = info
		}
		k := c.copied(p)
		return k != nil && k.current(infos[p])
	})
	states, err := c.before(ctx, paths)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before, known := states[p]
		if !known && c.unknown(p) {
			continue
		}
		info := infos[p]
		if !before.Exists && (c.cut && c.copied(p) == nil || info != nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0) {
			continue // who knows what was there; or a nested repository, a submodule
		}
		var after State
		if info != nil { // else what is there is somewhere else, behind a link
			after = look(p, c.opt.MaxFile)
		}
		if before.Opaque == Filtered && after.Exists && !after.IsNoFile() {
			// What git has of it is no copy of the file; but git says it differs.
			after = State{Exists: true, Opaque: Filtered, Exec: after.Exec, hash: after.Sum()}
		}
		if before.anyMode || after.IsNoFile() {
			before.Exec = after.Exec
		}
		if !before.Same(after) {
			ch := Change{Path: buffers.Path(p), Before: before, After: after, is: info}
			if k := c.copied(p); k != nil {
				ch.was = k.info
			}
			out = append(out, ch)
		}
	}
	return out, nil
}

// realFolders knows of folders whether they are what their name says: not reached through a
// link, as when one was put in the place of a folder.
type realFolders map[string]bool

// holds reports whether a file is in such a folder.
func (r realFolders) holds(root, path string) bool {
	dir := filepath.Dir(path)
	is, known := r[dir]
	if known || dir == path {
		return is || dir == path
	}
	if is = !strings.HasPrefix(path, root+string(filepath.Separator)); !is { // what is outside is not asked
		info, err := os.Lstat(dir)
		is = (err != nil || info.Mode()&fs.ModeSymlink == 0) && r.holds(root, dir)
	}
	r[dir] = is
	return is
}

// unknown reports whether nobody can tell any more what a file held: it was not copied,
// and its repository is gone.
func (c *Checkpoint) unknown(p string) bool {
	g := c.git()
	if g == nil || !g.of(p).isGone() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, found := c.found[p]
	return !found && c.copies[p] == nil
}

// IsGone reports whether a line of Note is the one which says that the repository is gone.
func (c *Checkpoint) IsGone(note string) bool { return note == c.goneNote() }

func (c *Checkpoint) goneNote() string {
	return fmt.Sprintf("the git repository of %s is gone, or another is in its place: what git had of its files cannot be brought back, and changes of those are not shown", c.root)
}
