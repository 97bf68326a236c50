package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Entry is what a journal says of one file: the last record, the one before it, and the last
// one that was on the disk.
type Entry struct {
	Last  Record
	Prev  *Record // nil if the last was the first
	saved *Record // nil if it is one of these, or there is none

	// Here says that it is of an earlier process of the editor that has started this one: that has had its
	// documents open ever since.
	Here bool
}

// WithSaved is the entry with another record as that of what the disk had last.
func (e Entry) WithSaved(r Record) Entry {
	last := e.Last
	if last.OnDisk {
		return Entry{Last: r, Prev: &last, Here: e.Here}
	}
	if e.Prev != nil {
		prev := *e.Prev
		prev.OnDisk = false
		e.Prev = &prev
	}
	e.saved = &r
	return e
}

// Saved is the last record of a state that was on the disk; nil if there is none.
func (e *Entry) Saved() *Record {
	switch {
	case e.Last.OnDisk:
		return &e.Last
	case e.Prev != nil && e.Prev.OnDisk:
		return e.Prev
	}
	return e.saved
}

// Records are those of the entry, in the order in which they were written.
func (e *Entry) Records() []Record {
	var out []Record
	for _, r := range []*Record{e.saved, e.Prev, &e.Last} {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out
}

// Found is what other processes have left. Its entries are the caller's, who writes what
// becomes of them into its own journal and then calls Release.
type Found struct {
	Entries []Entry  // of dead processes; of several with one path the newest comes first
	Left    []Left   // what dead processes have noted
	Live    []Other  // what live processes have not decided, and dead ones whose editors live
	Reports []string // what could not be read, or was too old; for the user

	held []held
}

// Other names the undecided files of another process. It may have none, yet.
type Other struct {
	Paths []string
	Ended bool // the process has, and what it has left is for the next one of its editor
}

// held is a dead process's journal that is ours until Release.
type held struct {
	name string
	lock *os.File
}

// TakeOver reads what other processes have left of the workspace. A journal of a dead process
// is locked, so that nobody else takes it too; one that cannot be read is set aside.
func (j *Journal) TakeOver() (*Found, error) {
	found := &Found{}
	names, err := journals(j.folder)
	if err != nil {
		return found, fmt.Errorf("journal: %w", err)
	}
	j.mu.Lock()
	own := j.name
	j.mu.Unlock()
	oldest := j.opts.Now().Add(-j.opts.MaxAge)
	for _, name := range names {
		if name == own {
			continue
		}
		dead, err := found.take(j, name, oldest)
		if dead {
			j.mu.Lock()
			j.tried[name] = true
			j.mu.Unlock()
		}
		if err != nil {
			found.Reports = append(found.Reports, fmt.Sprintf("the journal %s of an earlier run could not be taken over: %v", name+journalExt, err))
		}
	}
	j.clean(found)
	j.mu.Lock()
	for _, h := range found.held {
		if info, err := os.Stat(h.name + journalExt); err == nil {
			j.inherited += info.Size()
		}
	}
	j.mu.Unlock()
	slices.SortStableFunc(found.Entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Last.Path, b.Last.Path), b.Last.Time.Compare(a.Last.Time))
	})
	return found, nil
}

// journals lists the journals of a folder, by their names without extension.
func journals(folder string) ([]string, error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range list {
		name, ok := strings.CutSuffix(e.Name(), journalExt)
		if !ok {
			// A lock whose journal is gone, or was never made, is a journal of nothing.
			name, ok = strings.CutSuffix(e.Name(), lockExt)
		}
		if name = filepath.Join(folder, name); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// Dead reports whether a process that has ended since has left something of the workspace,
// which TakeOver has not seen and would take over. It is cheap: a folder is listed, and locks are tried.
func (j *Journal) Dead() bool {
	names, err := journals(j.folder)
	if err != nil {
		return false
	}
	j.mu.Lock()
	names = slices.DeleteFunc(names, func(name string) bool { return name == j.name || j.tried[name] })
	j.mu.Unlock()
	return slices.ContainsFunc(names, func(name string) bool {
		if _, err := os.Lstat(name + journalExt); err != nil {
			return false // a lock of nothing
		}
		lock, err := os.OpenFile(name+lockExt, os.O_RDWR, 0)
		if err != nil {
			return errors.Is(err, os.ErrNotExist)
		}
		defer unlock(lock)
		dead, err := tryLock(lock)
		return dead && err == nil && !j.isForAnother(lock)
	})
}

// take reads one journal, if that is a dead process's, and j may take it over.
func (found *Found) take(j *Journal, name string, oldest time.Time) (dead bool, err error) {
	lock, err := os.OpenFile(name+lockExt, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return true, err
	}
	dead, err = tryLock(lock)
	if err != nil {
		unlock(lock)
		return true, fmt.Errorf("lock: %w", err)
	}
	if ended := dead; !dead || j.isForAnother(lock) {
		unlock(lock)
		c, _ := read(name+journalExt, false) // it may have none yet, or is just being rewritten
		found.addLive(c, ended)
		return false, nil
	}
	found.takeNotes(name, oldest)
	c, err := read(name+journalExt, true)
	switch {
	case errors.Is(err, os.ErrNotExist):
		found.held = append(found.held, held{name, lock})
		return true, nil
	case err != nil:
		aside, moved := setAside(name)
		unlock(lock)
		if moved != nil {
			return true, errors.Join(err, moved)
		}
		_ = os.Remove(name + lockExt)
		return true, fmt.Errorf("%w; it is %s now", err, aside)
	}
	if c.bad != nil && c.bad.torn {
		found.Reports = append(found.Reports, fmt.Sprintf("the last record of the journal of an earlier run was cut off, which is as a crash leaves it (%s)", c.bad))
	} else if c.bad != nil {
		aside, err := copyAside(name)
		if err != nil {
			unlock(lock)
			return true, err
		}
		found.Reports = append(found.Reports, fmt.Sprintf("the journal of an earlier run is damaged: %s. What came before is used; a copy is %s", c.bad, aside))
	}
	found.held = append(found.held, held{name, lock})
	here := j.isHere(lock)
	for _, e := range c.entries {
		e.Here = here
		if e.Last.Time.Before(oldest) {
			found.tooOld(e)
			continue
		}
		found.Entries = append(found.Entries, e)
	}
	return true, nil
}

func (found *Found) addLive(c content, ended bool) {
	o := Other{Ended: ended}
	for _, e := range c.entries {
		if e.Last.Undecided() {
			o.Paths = append(o.Paths, e.Last.Path)
		}
	}
	found.Live = append(found.Live, o)
}

// Release removes the journals that were taken over. Without it, as when this process dies
// before, the next one takes them over again.
func (found *Found) Release() error {
	var errs []error
	for _, h := range found.held {
		errs = append(errs, remove(h.name), unlock(h.lock))
		_ = os.Remove(h.name + lockExt) // once more, where an open file is not removed
	}
	found.held = nil
	return errors.Join(errs...)
}

// Keep leaves the journals that were taken over where they are, for another time.
func (found *Found) Keep() {
	for _, h := range found.held {
		unlock(h.lock)
	}
	found.held = nil
}

// content is what a journal says.
type content struct {
	workspace string
	entries   []Entry // by path
	size      int64
	bad       *damage
}

// read reads a journal; without states only what is known beside them.
func read(file string, states bool) (content, error) {
	f, err := os.Open(file)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return content{}, err
	}
	if !info.Mode().IsRegular() {
		return content{}, ErrForeign
	}
	c := content{size: info.Size()}
	index := map[string]*story{}
	last := map[string]Record{}
	c.workspace, c.bad, err = scan(f, c.size, func(r Record, at, n int64) {
		p := index[r.Path]
		switch {
		case r.End():
			delete(index, r.Path)
			return
		case p == nil:
			p = &story{}
			index[r.Path] = p
		}
		p.add(place{at, n}, r.OnDisk)
		if !states {
			r.State = nil
			last[r.Path] = r
		}
	})
	if err != nil {
		return c, err
	}
	for path, p := range index {
		e := Entry{Last: last[path]}
		if states {
			if e, err = readEntry(f, p); err != nil {
				return c, err
			}
		}
		c.entries = append(c.entries, e)
	}
	slices.SortStableFunc(c.entries, func(a, b Entry) int { return strings.Compare(a.Last.Path, b.Last.Path) })
	return c, nil
}

func readEntry(f io.ReaderAt, p *story) (Entry, error) {
	var e Entry
	for _, at := range p.places() {
		r, err := readRecord(f, at)
		if err != nil {
			return e, err
		}
		switch at {
		case p.last:
			e.Last = r
		case p.prev:
			e.Prev = &r
		default:
			e.saved = &r
		}
	}
	return e, nil
}

// setAside gives a journal that cannot be read a name under which nobody looks for it.
func setAside(name string) (string, error) {
	aside, err := freeName(name + journalExt + asideExt)
	if err != nil {
		return "", err
	}
	if err := os.Rename(name+journalExt, aside); err != nil {
		return "", err
	}
	now := time.Now()
	_ = os.Chtimes(aside, now, now) // from when on it is kept for a while
	return aside, nil
}

func copyAside(name string) (string, error) {
	aside, err := freeName(name + journalExt + asideExt)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(name + journalExt)
	if err != nil {
		return "", err
	}
	return aside, os.WriteFile(aside, b, 0o600)
}

func freeName(base string) (string, error) {
	for i := range 1000 {
		name := base
		if i > 0 {
			name = fmt.Sprintf("%s%d", base, i)
		}
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: too many were set aside before; remove some", base)
}
