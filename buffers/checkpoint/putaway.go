package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"acp-ls/buffers"
)

// What git has put away: texts that files had, and have no more, as they were stashed, or committed
// where HEAD was and is no more. git brings them back when the user likes.

// Away is what one stash, or one commit, has of files.
type Away struct {
	ID    string // the commit that keeps it
	stash bool
}

// awayLogs are the logs in which it stands what is put away.
func (r *Repo) awayLogs() (head, stash string) {
	return filepath.Join(r.dir, "logs", "HEAD"), filepath.Join(r.common, "logs", "refs", "stash")
}

// AwayStamp differs from an earlier one if something may have been put away since. It runs no program.
func (r *Repo) AwayStamp() string {
	var b strings.Builder
	head, stash := r.awayLogs()
	for _, name := range []string{head, stash} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprint(&b, info.Size(), info.ModTime().UnixNano(), fileID(info))
		}
		b.WriteByte(';')
	}
	return b.String()
}

// PutAway names what is put away now, the oldest first, as far as the logs of git tell: a repository
// may keep none, or in another form. A commit that HEAD has left need be of no use any more: see Files.
func (r *Repo) PutAway() ([]Away, error) {
	head, stash := r.awayLogs()
	var all []Away
	steps, _, err := readLog(head, -1)
	if err != nil {
		return nil, err
	}
	for i, s := range steps {
		if s.commits() && i < len(steps)-1 { // what HEAD is at the disk has
			all = append(all, Away{ID: s.to})
		}
	}
	if steps, _, err = readLog(stash, -1); err != nil {
		return nil, err
	}
	for _, s := range steps {
		all = append(all, Away{s.to, true})
	}
	return all, nil
}

// isAway reports whether what was committed is in a branch, and not in the one that HEAD is on: what an
// amended commit had was given up.
func (r *Repo) isAway(ctx context.Context, a Away) (bool, error) {
	if a.stash {
		return true, nil
	}
	out, err := r.g.run(ctx, nil, "for-each-ref", "--format=%(HEAD)", "--contains", a.ID, "refs/heads")
	return len(out) > 0 && !strings.Contains(string(out), "*"), err
}

// Moved is a file that was put away: what it was, and what git has put in its place, as
// checkout would write it.
type Moved struct {
	Path     buffers.Path
	Was, Now State
}

// Files reads what was put away of the files for which wanted is true, at most so many: more reports
// whether there are others. Nothing is away of a commit that is in no branch, or in that of HEAD.
func (r *Repo) Files(ctx context.Context, a Away, most int, wanted func(buffers.Path) bool) (files []Moved, more bool, err error) {
	if away, err := r.isAway(ctx, a); !away || err != nil {
		return nil, false, err
	}
	parent := a.ID + "^1"
	if _, err := r.g.run(ctx, nil, "rev-parse", "-q", "--verify", parent+"^{commit}"); err != nil {
		if ctx.Err() != nil {
			return nil, false, err
		}
		return nil, false, nil // the first commit: what it had was in no file that is left
	}
	names := map[string][]buffers.Path{} // by the commit that has them
	list := func(commit string, args ...string) error {
		out, err := r.g.run(ctx, nil, append([]string{"-C", r.g.top}, args...)...)
		for rel := range strings.SplitSeq(string(out), "\x00") {
			p := buffers.Path(filepath.Join(r.g.top, filepath.FromSlash(rel)))
			switch {
			case rel == "" || !wanted(p):
			case len(names[a.ID])+len(names[commit]) >= most:
				more = true
			default:
				names[commit] = append(names[commit], p)
			}
		}
		return err
	}
	if err := list(a.ID, "diff-tree", "-r", "-z", "--no-commit-id", "--no-renames", "--name-only", parent, a.ID); err != nil {
		return nil, false, err
	}
	untracked := a.ID + "^3"
	if a.stash {
		if _, err := r.g.run(ctx, nil, "rev-parse", "-q", "--verify", untracked+"^{commit}"); err == nil {
			if err := list(untracked, "ls-tree", "-r", "-z", "--full-tree", "--name-only", untracked); err != nil {
				return nil, false, err
			}
		}
	}
	for commit, paths := range names {
		was, err := r.statesIn(ctx, commit, paths)
		if err != nil {
			return nil, false, err
		}
		now := map[buffers.Path]State{}
		if commit == a.ID {
			if now, err = r.statesIn(ctx, parent, paths); err != nil {
				return nil, false, err
			}
		}
		for _, p := range paths {
			files = append(files, Moved{p, was[p], now[p]})
		}
	}
	return files, more, nil
}

// statesIn are files as checkout of a commit would write them.
func (r *Repo) statesIn(ctx context.Context, commit string, paths []buffers.Path) (map[buffers.Path]State, error) {
	out := map[buffers.Path]State{}
	const atOnce = 500 // names in one command line
	for len(paths) > 0 {
		n := min(len(paths), atOnce)
		names := make([]string, n)
		for i, p := range paths[:n] {
			names[i] = string(p)
		}
		blobs, err := r.g.tree(ctx, commit, names)
		if err != nil {
			return nil, err
		}
		states := map[string]State{}
		if err := r.g.states(ctx, blobs, states); err != nil {
			return nil, err
		}
		for name, st := range states {
			out[buffers.Path(name)] = st
		}
		paths = paths[n:]
	}
	return out, nil
}
