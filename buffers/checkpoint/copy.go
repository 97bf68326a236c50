package checkpoint

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"acp-ls/buffers"
)

// Copy is what a file held, as far as it can be brought back: its content or, of one
// that is too large to be copied, where git has that. It may be kept on disk, and
// outlives the Checkpoint it comes from.
type Copy struct {
	State
	top, rel, oid string // of git's copy; empty: there is none
}

// Copy is what a file held when the checkpoint was taken, to be brought back later.
func (c *Checkpoint) Copy(ctx context.Context, p buffers.Path) (Copy, error) {
	st, err := c.Before(ctx, p)
	if err != nil || st.Opaque != Large || c.copied(string(p)) != nil || c.git() == nil {
		return Copy{State: st}, err
	}
	g := c.git().of(string(p))
	blobs, err := g.tree(ctx, g.commit, []string{string(p)})
	if err != nil || len(blobs) != 1 {
		return Copy{State: st}, err
	}
	return Copy{State: st, top: g.top, rel: blobs[0].rel, oid: blobs[0].oid}, nil
}

// CopyOf is what stands under a path now. A file that is too large to be copied is not
// Kept.
func CopyOf(p buffers.Path) Copy {
	return Copy{State: lookNow(string(p))}
}

// Copy is the copy itself: it knows what one file was, and a Checkpoint what many were.
func (k Copy) Copy(context.Context, buffers.Path) (Copy, error) { return k, nil }

// Kept reports whether there is a copy, as far as can be told without looking into git.
func (k Copy) Kept() bool {
	return !k.Exists || k.Opaque == "" || k.IsNoFile() || k.Content != "" || k.oid != ""
}

// WithoutContent is what is known of the copy without its content.
func (k Copy) WithoutContent() Copy {
	return Copy{State: k.Forget(), top: k.top, rel: k.rel, oid: k.oid}
}

// content fails with ErrNoCopy if nobody has it.
func (k Copy) content(ctx context.Context) ([]byte, error) {
	switch {
	case !k.Kept():
		return nil, ErrNoCopy
	case k.oid == "":
		return []byte(k.Content), nil
	}
	g := &git{root: k.top, top: k.top}
	b, err := g.checkout(ctx, blob{rel: k.rel, oid: k.oid})
	if err != nil {
		return nil, errors.Join(ErrNoCopy, err)
	}
	if hashOf(string(b)) != k.hash { // it is filtered in another way now
		return nil, ErrNoCopy
	}
	return b, nil
}

// Restore makes a file that is now, a state that was found of it, what the copy is of:
// its content, that it may be run, or that there is none. It fails with ErrMoved or
// ErrNoCopy, before anything is written.
func (k Copy) Restore(ctx context.Context, p buffers.Path, now State) error {
	content, err := k.content(ctx)
	if err == nil {
		err = restore(string(p), content, k.State, now)
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", p, err)
	}
	return nil
}

const (
	copyExists = 1 << iota
	copyExec
	copyAnyMode
)

// AppendBinary appends the copy in a form that ReadCopy reads.
func (k Copy) AppendBinary(b []byte) ([]byte, error) {
	flags := byte(0)
	for bit, is := range map[byte]bool{copyExists: k.Exists, copyExec: k.Exec, copyAnyMode: k.anyMode} {
		if is {
			flags |= bit
		}
	}
	b = append(b, flags)
	for _, s := range []string{string(k.Opaque), k.hash, k.Target, k.top, k.rel, k.oid, k.Content} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b, nil
}

// ReadCopy reads a copy that AppendBinary has written, and returns what comes behind it.
func ReadCopy(b []byte) (k Copy, rest []byte, err error) {
	if len(b) == 0 {
		return Copy{}, nil, errCopy
	}
	flags, b := b[0], b[1:]
	k.Exists, k.Exec, k.anyMode = flags&copyExists != 0, flags&copyExec != 0, flags&copyAnyMode != 0
	var opaque string
	for _, s := range []*string{&opaque, &k.hash, &k.Target, &k.top, &k.rel, &k.oid, &k.Content} {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return Copy{}, nil, errCopy
		}
		*s, b = string(b[size:][:n]), b[size+int(n):]
	}
	k.Opaque = Opaque(opaque)
	return k, b, nil
}

var errCopy = errors.New("a copy of a file that does not read as one")
