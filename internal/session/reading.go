package session

import (
	"context"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// quietFor is how long a file must have been left alone to be taken for
// complete: most programs empty a file before they write it anew. One that was
// emptied must have stayed so for emptyFor reads: a busy machine may take its time
// to go on, and an empty text contradicts all that the user has typed. One that has the
// beginning of what the user has typed must have stayed so for halfFor reads: an editor
// that writes a large file in many parts (VS Code, over a network) takes seconds. What
// differs whenever it is read, and is none of that, is believed after mostReads.
const (
	quietFor  = 50 * time.Millisecond
	emptyFor  = 10
	halfFor   = 40
	mostReads = 20
)

// whole reads a file that may be in the middle of being written: what differs
// from what was there before must be read twice, a while apart, to be believed.
// Time stamps do not tell; where a file is emptied they may stay as they were.
func (f *file) whole(ctx context.Context, read func(buffers.Path) (buffers.Disk, error)) (buffers.Disk, error) {
	return f.wholeAfter(ctx, read, nil)
}

// wholeAfter is whole for a file that was read a while ago, as last; nil if it was not.
func (f *file) wholeAfter(ctx context.Context, read func(buffers.Path) (buffers.Disk, error), last *buffers.Disk) (buffers.Disk, error) {
	f.mu.Lock()
	before, gone := f.before, f.before != nil && f.missing
	_, d, open := f.live()
	held := before != nil && before.Len() > 0 || before == nil && open && d.Text.Len() > 0
	f.mu.Unlock()
	for tries, alike := 0, 0; ; tries++ {
		disk, err := read(f.path)
		if last != nil && last.Exists == disk.Exists && last.Content == disk.Content {
			alike++
		} else {
			alike = 0
		}
		enough, most := 1, mostReads
		switch {
		case held && disk.Exists && disk.Content == "":
			enough = emptyFor
		case f.halfTyped(disk):
			enough, most = halfFor, mostReads*halfFor
		}
		switch {
		case err != nil, tries >= most, alike >= enough, gone && !disk.Exists,
			before != nil && disk.Exists && before.Equal(text.New(disk.Content)):
			return disk, err
		}
		last = &disk
		if err := pause(ctx, quietFor); err != nil {
			return disk, err
		}
	}
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// halfTyped reports whether a file has the beginning of a text that the user has typed, and of no other: their
// editor is writing it, which may take a busy machine longer than anybody waits who only looks twice.
func (f *file) halfTyped(disk buffers.Disk) bool {
	f.mu.Lock()
	lately, before := slices.Clone(f.lately), f.before
	f.mu.Unlock()
	const first = 4096 // most texts differ in that
	begins := func(t text.Text) bool {
		n := len(disk.Content)
		few := min(n, first)
		return n < t.Len() && t.Slice(0, few) == disk.Content[:few] && t.Slice(0, n) == disk.Content
	}
	return before != nil && disk.Content != "" && slices.ContainsFunc(lately, begins) && !begins(before.Text)
}
