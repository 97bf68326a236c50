package session

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review/journal"
)

// Commits that were made while an agent was at work accept nothing, whenever HEAD comes there. So
// the journal has them, in a record of the folder of the work tree, as long as something is
// undecided; and of a turn whose end was not seen the log of HEAD tells which they were.

// maxAgents bounds how many commits of agents the journal has of a work tree: the last ones.
const maxAgents = 512

// isAgents notes that commits were made while an agent was at work; mu is held. It reports whether
// that is news.
func (r *repo) isAgents(commits ...string) (news bool) {
	for _, commit := range commits {
		if !r.agents[commit] {
			r.agents[commit], news = true, true
			r.order = append(r.order, commit)
		}
	}
	return news
}

// recall is what earlier runs knew of the commits of a work tree; it is told once.
func (rs *repos) recall(top string) []string {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	commits := rs.recalled[top]
	delete(rs.recalled, top)
	return commits
}

// remember keeps what an earlier run knew until the work tree is looked at.
func (rs *repos) remember(top string, commits []string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.recalled == nil {
		rs.recalled = map[string][]string{}
	}
	for _, commit := range commits {
		if !slices.Contains(rs.recalled[top], commit) {
			rs.recalled[top] = append(rs.recalled[top], commit)
		}
	}
}

// keepAgents writes down which commits of a work tree are agents'.
func (d *durable) keepAgents(top string, commits []string) {
	if len(commits) == 0 || !d.usable() {
		return
	}
	commits = commits[max(len(commits)-maxAgents, 0):]
	d.write(true, journal.Record{Path: top, Time: d.core.now(), Beside: beside{Commits: commits}.encode()})
}

// takeAgents takes up which commits dead processes knew to be agents', and which ones were made in
// turns whose end they did not see. It returns the entries that are of files.
func (d *durable) takeAgents(ctx context.Context, found *journal.Found) (files []journal.Entry) {
	repos := &d.core.repos
	for _, e := range found.Entries {
		if x, ok := besideIn(e.Last); ok && len(x.Commits) > 0 {
			repos.remember(e.Last.Path, x.Commits)
			continue
		}
		files = append(files, e)
	}
	for _, left := range found.Left {
		for root, since := range begunIn(left) {
			r, err := d.core.repoOf(ctx, buffers.Path(filepath.Join(root, "x")))
			if r == nil || err != nil {
				continue // what is said of that elsewhere
			}
			made, err := r.git.MadeIn(since, left.Last.Add(afterLife))
			if err != nil {
				d.core.log.Warn("look for commits of a turn that was not seen to end", "folder", root, "err", err)
			}
			repos.remember(r.git.Top(), made)
		}
	}
	repos.mu.Lock()
	known := map[string][]string{}
	for top, commits := range repos.recalled {
		if slices.ContainsFunc(files, func(e journal.Entry) bool { return inRoots([]string{top}, e.Last.Path) }) || len(found.Left) > 0 {
			known[top] = slices.Clone(commits)
		}
	}
	repos.mu.Unlock()
	for top, commits := range known {
		d.keepAgents(top, commits)
	}
	return files
}

// begunIn is when turns began in folders, the first of each.
func begunIn(left journal.Left) map[string]time.Time {
	out := map[string]time.Time{}
	for key, value := range left.Notes {
		rest, ok := strings.CutPrefix(key, noteTurn)
		if !ok || len(value) != 8 {
			continue
		}
		root, _, _ := strings.Cut(rest, "\x00")
		at := time.UnixMilli(int64(binary.LittleEndian.Uint64(value)))
		if had, ok := out[root]; !ok || at.Before(had) {
			out[root] = at
		}
	}
	return out
}

// beginsNow is what is noted of a turn that begins.
func beginsNow(now time.Time) []byte {
	return binary.LittleEndian.AppendUint64(nil, uint64(now.UnixMilli()))
}
