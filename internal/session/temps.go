package session

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// A process that is killed while it writes a file leaves another one beside it, with what it was to
// write or what it has replaced. The journal says which files it was at: what it knows to be no more
// than that is removed, and of anything else the user is told. Another acp-ls may be writing there
// right now, so only what stays as it is for a while counts.

// temp is a file that may have been left.
type temp struct {
	name    string
	info    fs.FileInfo
	entries []journal.Entry // of the files beside it
}

// removeTemps removes what dead processes have left beside the files of entries, after a while.
func (d *durable) removeTemps(entries []journal.Entry) {
	temps := findTemps(entries)
	if len(temps) == 0 {
		return
	}
	d.core.spawn(func() {
		if pause(d.core.ctx, d.core.waits.Left) == nil {
			d.removeLeft(d.core.ctx, temps)
		}
	})
}

func findTemps(entries []journal.Entry) (temps []temp) {
	beside := map[string][]journal.Entry{}
	for _, e := range entries {
		folder := filepath.Dir(e.Last.Path)
		beside[folder] = append(beside[folder], e)
	}
	for folder, entries := range beside {
		list, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, x := range list {
			if !strings.HasPrefix(x.Name(), buffers.TempPrefix) || !x.Type().IsRegular() {
				continue
			}
			if info, err := x.Info(); err == nil {
				temps = append(temps, temp{filepath.Join(folder, x.Name()), info, entries})
			}
		}
	}
	return temps
}

// removeLeft removes those of the temps that are as they were, and that hold nothing else than what
// the journal knows.
func (d *durable) removeLeft(ctx context.Context, temps []temp) {
	var left []string
	for _, t := range temps {
		info, err := os.Lstat(t.name)
		if ctx.Err() != nil {
			return
		}
		if err != nil || !os.SameFile(info, t.info) || info.Size() != t.info.Size() || !info.ModTime().Equal(t.info.ModTime()) {
			continue // somebody is at it
		}
		if !d.knowsTemp(t) {
			left = append(left, t.name)
		} else if err := os.Remove(t.name); err != nil {
			d.core.log.Warn("remove what was left of a write", "path", t.name, "err", err)
		}
	}
	if len(left) > 0 {
		d.core.tellOf(LevelWarning, "Look at %s, and delete it: an acp-ls that was killed while it wrote has left it behind, with something that stands nowhere else", left...)
	}
}

// knowsTemp reports whether a file holds what one of those beside it was to become, or part of that,
// or what stood there before.
func (d *durable) knowsTemp(t temp) bool {
	is := checkpoint.CopyOf(buffers.Path(t.name)).State
	old := strings.HasSuffix(t.name, ".old")
	if is.Exists && t.info.Size() == 0 {
		return true
	}
	return slices.ContainsFunc(t.entries, func(e journal.Entry) bool {
		if old && !isThere(buffers.Path(e.Last.Path)) && !e.Last.Deleted {
			return false // it may be all there is of the file
		}
		return slices.ContainsFunc(e.Records(), func(r journal.Record) bool { return d.knowsIn(r, is, old) })
	})
}

// knowsIn is knowsTemp for one record; old: it is no part of what was to be written.
func (d *durable) knowsIn(r journal.Record, is checkpoint.State, old bool) bool {
	var known []string
	if u := undoneIn(r); u != nil {
		if u, err := u.undone(buffers.Path(r.Path)); err == nil {
			known = append(known, u.agents.Sum(), u.entire.was.Sum())
		}
	}
	if r.Opaque != "" {
		for b := r.State; len(b) > 0; {
			var k checkpoint.Copy
			var err error
			if k, b, err = checkpoint.ReadCopy(b); err != nil {
				break
			}
			known = append(known, k.Sum())
		}
		return slices.Contains(known, is.Sum())
	}
	if slices.Contains(known, is.Sum()) {
		return true
	}
	if is.Opaque != "" {
		return false
	}
	now := text.New(is.Content)
	if r.State != nil && sameText(r.Text, now) || r.Before != nil && !r.Before.Missing && sameText(r.Before.Text, now) {
		return true
	}
	if r.State == nil || old {
		return false
	}
	doc, err := review.UnmarshalState(r.State, d.core.now)
	return err == nil && strings.HasPrefix(buffers.KeepStyle(is.Content, doc.Text().String()), is.Content)
}
