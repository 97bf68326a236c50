package checkpoint

import (
	"context"
	"encoding/binary"
	"iter"

	"acp-ls/buffers"
)

// A checkpoint can outlive its process: Pins and CopiesSince say what is to be kept, and
// Again makes one of it that is compared with the folder as the first one would have been.

// Pins are what a checkpoint needs beside its copies, in a form that Again reads: the commit
// of each work tree, and whether all files were looked at. Nil: it covers nothing.
func (c *Checkpoint) Pins() []byte {
	if c.src == nil {
		return nil
	}
	b := []byte{0}
	if c.cut {
		b[0] = 1
	}
	if g := c.git(); g != nil {
		b = g.appendPins(b)
	}
	return b
}

func (g *git) appendPins(b []byte) []byte {
	for _, s := range []string{g.root, g.commit} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	for _, in := range g.inner {
		b = in.appendPins(b)
	}
	return b
}

// Copied is the copy of a file, if there is one.
func (c *Checkpoint) Copied(path string) (State, bool) {
	k := c.copied(path)
	if k == nil {
		return State{}, false
	}
	return k.State, true
}

// CopiesSince are the copies that another checkpoint of the folder, which may be nil, has
// not, and the names of those that it has besides.
func (c *Checkpoint) CopiesSince(other *Checkpoint) (more map[string]State, gone []string) {
	had := map[string]*kept{}
	for p, k := range other.all() {
		had[p] = k
	}
	more = map[string]State{}
	for p, k := range c.all() {
		if had[p] != k {
			more[p] = k.State
		}
		delete(had, p)
	}
	for p := range had {
		gone = append(gone, p)
	}
	return more, gone
}

func (c *Checkpoint) all() iter.Seq2[string, *kept] {
	return func(yield func(string, *kept) bool) {
		if c == nil {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for p, k := range c.copies {
			if !yield(p, k) {
				return
			}
		}
	}
}

// Again makes a checkpoint of what Pins and CopiesSince, without another checkpoint, have
// said.
func Again(ctx context.Context, root buffers.Path, pins []byte, copies map[string]State, opt Options) (*Checkpoint, error) {
	if len(pins) == 0 {
		return nil, errCopy
	}
	commits, cut, err := readPins(pins)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{root: string(root), opt: opt.withDefaults(), cut: cut, copies: map[string]*kept{}, found: map[string]State{}}
	if commits == nil {
		w, _ := newWalk(c.root, c.opt)
		if w == nil {
			return nil, ErrNoCopy
		}
		c.src = w
	} else {
		g, err := openGit(ctx, c.root, c.opt.MaxFile, nil)
		if err != nil {
			return nil, err
		}
		if g == nil { // its repository is gone
			g = &git{root: c.root, top: c.root, gone: true}
		} else if _, err := g.start(ctx); err != nil {
			return nil, err
		}
		g.pin(commits)
		c.src = g
	}
	for p, s := range copies {
		c.copies[p] = &kept{State: s}
	}
	return c, nil
}

// pin makes commits, by the folders of their work trees, those of before. A work tree that
// was not known then is left alone.
func (g *git) pin(commits map[string]string) {
	g.commit = commits[g.root]
	var known []*git
	for _, in := range g.inner {
		if _, ok := commits[in.root]; ok {
			in.pin(commits)
			known = append(known, in)
		}
	}
	g.inner = known
}

func readPins(b []byte) (commits map[string]string, cut bool, err error) {
	cut, b = b[0] != 0, b[1:]
	var root string
	for i := 0; len(b) > 0; i++ {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, false, errCopy
		}
		s := string(b[size:][:n])
		if b = b[size+int(n):]; i%2 == 0 {
			root = s
			continue
		}
		if commits == nil {
			commits = map[string]string{}
		}
		commits[root] = s
	}
	return commits, cut, nil
}
