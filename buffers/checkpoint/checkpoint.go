package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"acp-ls/buffers"
)

// Options limit what is copied. The zero value means the defaults.
type Options struct {
	MaxFile  int64 // bytes of a file whose text is kept; default 1 MiB
	MaxFiles int   // files looked at in a folder without git; default 20,000
	Budget   int64 // bytes of all copies; default 64 MiB
}

func (o Options) withDefaults() Options {
	o.MaxFile = cmp.Or(o.MaxFile, 1<<20)
	o.MaxFiles = cmp.Or(o.MaxFiles, 20000)
	o.Budget = cmp.Or(o.Budget, 64<<20)
	return o
}

// Opaque says why a file's text is not known.
type Opaque string

const (
	Binary   Opaque = "binary"   // not UTF-8
	Large    Opaque = "large"    // above Options.MaxFile
	Filtered Opaque = "filtered" // git keeps something else than the file, as with LFS
)

// State is what stood under a path at one time. The zero value: nothing.
type State struct {
	Exists  bool
	Content string // if Opaque is empty
	Opaque  Opaque
	Exec    bool   // the file may be run
	hash    string // if it is opaque
}

func (s State) same(t State) bool {
	if !s.Exists || !t.Exists {
		return s.Exists == t.Exists
	}
	if s.Opaque == "" && t.Opaque == "" {
		return s.Exec == t.Exec && s.Content == t.Content
	}
	return s.Exec == t.Exec && s.sum() == t.sum()
}

func (s State) sum() string {
	if s.Opaque == "" {
		return hashOf(s.Content)
	}
	return s.hash
}

// Change is a file that is not as it was.
type Change struct {
	Path          buffers.Path
	Before, After State
}

// A source knows what a folder held.
type source interface {
	// candidates names the files that may have changed.
	candidates(ctx context.Context) ([]string, error)
	// before is what a file held that is not among the copies.
	before(ctx context.Context, path string) (State, error)
}

// Checkpoint is what a folder held when it was taken. It is safe for concurrent use.
type Checkpoint struct {
	root string
	opt  Options
	src  source
	note string

	mu     sync.Mutex
	copies map[string]*kept
	used   int64
}

// kept is a copy with what tells whether it still is one.
type kept struct {
	State
	info fs.FileInfo // nil if there was no file
	at   time.Time   // when it was looked at
}

// current: the file has not been written since, as far as can be told without
// reading it. One that was written just before it was looked at may have been
// written again within the same tick of its time stamp.
func (k *kept) current(info fs.FileInfo) bool {
	return sameInfo(k.info, info) && (info == nil || k.at.Sub(info.ModTime()) > racy)
}

// Take makes a checkpoint of a folder. An earlier one of the same folder makes it
// cheaper: what has not moved since is not read again. Note says what, if
// anything, is left out.
func Take(ctx context.Context, root buffers.Path, earlier *Checkpoint, opt Options) (*Checkpoint, error) {
	c := &Checkpoint{root: string(root), opt: opt.withDefaults(), copies: map[string]*kept{}}
	git, err := openGit(ctx, c.root)
	if err != nil {
		return nil, err
	}
	var paths []string
	if git != nil {
		c.src = git
		paths, err = git.candidates(ctx)
	} else {
		w, why := newWalk(c.root, c.opt.MaxFiles)
		c.src = w
		if why != "" {
			c.note = why
			return c, nil
		}
		paths, err = w.candidates(ctx)
		if w.cut {
			c.note = fmt.Sprintf("%s has more than %d files and no git: changes are looked for in the first %d", c.root, c.opt.MaxFiles, c.opt.MaxFiles)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.keep(p, earlier)
	}
	return c, nil
}

// Note says what the checkpoint does not cover; empty if nothing.
func (c *Checkpoint) Note() string { return c.note }

// keep copies a file, or takes the copy of an earlier checkpoint.
func (c *Checkpoint) keep(path string, earlier *Checkpoint) {
	info, err := os.Lstat(path)
	if err != nil {
		info = nil
	}
	if info != nil && !info.Mode().IsRegular() {
		return // a link, a nested repository, a submodule
	}
	if k := earlier.copied(path); k != nil && k.current(info) {
		c.add(path, k)
		return
	}
	now := time.Now()
	c.add(path, &kept{c.look(path), info, now})
}

func (c *Checkpoint) add(path string, k *kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used+int64(len(k.Content)) > c.opt.Budget {
		k = &kept{State{Exists: k.Exists, Opaque: Large, Exec: k.Exec, hash: k.sum()}, k.info, k.at}
		c.note = fmt.Sprintf("more than %d MiB of changed files in %s: some are known by hash only", c.opt.Budget>>20, c.root)
	}
	c.used += int64(len(k.Content))
	c.copies[path] = k
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
	if k := c.copied(string(p)); k != nil {
		return k.State, nil
	}
	return c.src.before(ctx, string(p))
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
	c.mu.Lock()
	for p := range c.copies {
		paths = append(paths, p)
	}
	c.mu.Unlock()
	slices.Sort(paths)
	var out []Change
	for _, p := range slices.Compact(paths) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := os.Lstat(p)
		if err != nil {
			info = nil
		}
		if info != nil && !info.Mode().IsRegular() {
			continue
		}
		k := c.copied(p)
		if k != nil && k.current(info) {
			continue
		}
		var before State
		if k != nil {
			before = k.State
		} else if before, err = c.src.before(ctx, p); err != nil {
			return nil, err
		}
		after := c.look(p)
		if before.Opaque == Filtered && after.Exists {
			// What git has of it is no copy of the file; but git says it differs.
			after = State{Exists: true, Opaque: Filtered, Exec: after.Exec, hash: after.sum()}
		}
		if !before.same(after) {
			out = append(out, Change{Path: buffers.Path(p), Before: before, After: after})
		}
	}
	return out, nil
}

// look reads what stands under a path now.
func (c *Checkpoint) look(path string) State {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return State{}
	}
	st := State{Exists: true, Exec: info.Mode()&0o111 != 0}
	if info.Size() > c.opt.MaxFile {
		st.Opaque, st.hash = Large, hashFile(path, info)
		return st
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return State{}
	}
	return fill(st, b)
}
