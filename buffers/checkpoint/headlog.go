package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxLog bounds what is read of a log, in bytes.
const maxLog = 1 << 20

// step is a line of the log of HEAD, or of the stash.
type step struct {
	to   string // the commit
	what string // how it came there, as git says it
	at   time.Time
	size int64 // of the line
}

// commits reports whether the commit was made then, by `git commit` and its like.
func (s step) commits() bool { return strings.HasPrefix(s.what, "commit") }

// makes reports whether the commit may have been made then, by whatever command.
func (s step) makes() bool {
	for _, of := range []string{"commit", "cherry-pick", "revert", "rebase", "am", "merge", "pull"} {
		if strings.HasPrefix(s.what, of) {
			return !strings.HasSuffix(s.what, ": Fast-forward") && !strings.HasPrefix(s.what, "rebase (start)")
		}
	}
	return false
}

// headLog reads the log of HEAD, as readLog does.
func (r *Repo) headLog(from int64) (steps []step, end int64, err error) {
	return readLog(filepath.Join(r.dir, "logs", "HEAD"), from)
}

// readLog reads a log of a name in git from a place on; below zero, its last part. end is where it
// ends, whole lines only. There may be none: git keeps none, or in another form.
func readLog(name string, from int64) (steps []step, end int64, err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, from, err
	}
	cut := from < 0 && info.Size() > maxLog
	switch {
	case cut:
		from = info.Size() - maxLog
	case from < 0:
		from = 0
	case info.Size() <= from:
		return nil, info.Size(), nil // nothing is new, or the log was cut
	}
	b, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, from, info.Size()-from), maxLog))
	if err != nil {
		return nil, from, err
	}
	whole := b[:bytes.LastIndexByte(b, '\n')+1] // the rest is just being written
	for line := range strings.Lines(string(whole)) {
		// "<old> <new> <name> <<mail>> <time> <zone>\t<what>: <subject>"
		head, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s := step{what: what, size: int64(len(line))}
		if fields := strings.Fields(head); len(fields) > 4 && !cut {
			s.to = fields[1]
			if at, err := strconv.ParseInt(fields[len(fields)-2], 10, 64); err == nil {
				s.at = time.Unix(at, 0)
			}
		}
		cut = false // the first line was
		steps = append(steps, s)
	}
	return steps, from + int64(len(whole)), nil
}

// Passed returns the commits that were made where HEAD was, and that HEAD has left again, by
// what its log has from a place on: below zero, its end. next is the place from which to look
// the next time, so that the commit that HEAD is at is found when it has left that; end is
// where the log ends.
func (r *Repo) Passed(from int64) (commits []string, next, end int64, err error) {
	steps, end, err := r.headLog(from)
	if err != nil || from < 0 {
		return nil, end, end, err
	}
	for i, s := range steps {
		switch {
		case !s.commits():
		case i == len(steps)-1: // HEAD is there yet
			return commits, end - s.size, end, nil
		default:
			commits = append(commits, s.to)
		}
	}
	return commits, end, end, nil
}

// Made returns the commits that have been made where HEAD was, by what its log has from a place
// on: below zero, since a time. head is the commit that HEAD is at; empty, if the log has nothing
// new. end is where it ends.
func (r *Repo) Made(from int64, since time.Time) (commits []string, head string, end int64, err error) {
	steps, end, err := r.headLog(from)
	for _, s := range steps {
		if head = s.to; s.makes() && (from >= 0 || !s.at.Before(since.Truncate(time.Second))) {
			commits = append(commits, s.to)
		}
	}
	return commits, head, end, err
}

// MadeIn returns the commits that were made where HEAD was, from one time to another.
func (r *Repo) MadeIn(from, to time.Time) (commits []string, err error) {
	steps, _, err := r.headLog(-1)
	for _, s := range steps {
		if s.makes() && !s.at.Before(from.Truncate(time.Second)) && !s.at.After(to) {
			commits = append(commits, s.to)
		}
	}
	return commits, err
}
