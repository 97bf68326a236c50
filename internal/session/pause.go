package session

import (
	"context"
	"time"
)

// An edit is not made into what somebody is typing just then: it waits for a pause, and not for ever.

// Somebody who types leaves 50 to 150 ms between keys, and more between words.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 200 * time.Millisecond
	pauseWait    = 500 * time.Millisecond // for a pause
)

// pauseAfter is how long the user is to have paused before what they have come before a number
// of times is tried anew. Every other time it is not waited for: a key has just come.
func pauseAfter(typed int) time.Duration {
	if typed == 0 {
		return 0
	}
	return min(firstPause<<min(typed/2-1, 8), longestPause)
}

// awaitPause waits until no event of the user is provisional (rule 2), and none has come for a
// while. Who does not pause is not waited for longer than pauseWait, and then until a key has
// just come: there is the most time then until the next.
func (f *file) awaitPause(ctx context.Context, pause time.Duration) error {
	began := time.Now()
	last, seen := began, int32(0)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for first := true; ; first = false {
		f.mu.Lock()
		f.publish()
		_, doc, ok := f.live()
		provisional, moved := f.doc != nil && f.doc.Provisional(), f.moved
		f.mu.Unlock()
		version := seen
		if ok {
			version = doc.Version
		}
		if version != seen && !first {
			last = time.Now()
			timer.Reset(pause)
			if last.Sub(began) >= pauseWait {
				return nil
			}
		}
		seen = version
		if !provisional && time.Since(last) >= pause {
			return nil
		}
		select {
		case <-moved:
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-f.core.ctx.Done():
			return f.core.ctx.Err()
		}
	}
}

// awaitSettled waits until no event of the user is provisional (rule 2).
func (f *file) awaitSettled(ctx context.Context) error {
	for {
		f.mu.Lock()
		f.publish()
		wait := f.doc != nil && f.doc.Provisional()
		moved := f.moved
		f.mu.Unlock()
		if !wait {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
