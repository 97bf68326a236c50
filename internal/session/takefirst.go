package session

import (
	"context"

	"acp-ls/buffers/checkpoint"
)

// takeInFirst takes in what has been written to a file behind our back before it
// is written through us, or it is shown what would become of it: some agents do both,
// in either order, and go on before anybody has looked.
func (s *session) takeInFirst(ctx context.Context, f *file) error {
	s.mu.Lock()
	point, named := s.point, namedFile{}
	if n := s.named[f.path]; n != nil {
		named.was, named.known = n.was, n.known
	}
	s.mu.Unlock()
	f.mu.Lock()
	known := len(f.open) > 0 || f.doc != nil && !f.onlyProposed() || f.before != nil
	f.mu.Unlock()
	if known || !s.core.settings().Review.OutOfBand {
		return nil
	}
	var was checkpoint.State
	var from copies = point
	covered := false
	if point != nil && s.reviews(f.path) {
		var err error
		if was, err = point.Before(ctx, f.path); err != nil {
			return err
		}
		if covered = was.Exists; !covered { // or the checkpoint does not know
			if covered, err = point.Covers(ctx, f.path); err != nil {
				return err
			}
		}
	}
	if !covered && named.known {
		was, from, covered = named.was.State, named.was, true
	}
	if covered && was.Opaque == checkpoint.Large && !was.SameContent(checkpoint.CopyOf(f.path).State) {
		f.mu.Lock()
		f.entire.unseen = true
		f.mu.Unlock()
	}
	if !covered || was.Opaque != "" { // which is told as changed at the next point
		return nil
	}
	_, err := f.takeIn(ctx, checkpoint.Change{Path: f.path, Before: was, After: checkpoint.State{Exists: true, Exec: was.Exec}}, from, readIn(was))
	return err
}
