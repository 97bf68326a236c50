package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Options change what is the same in almost every use; the zero value has the defaults.
type Options struct {
	Now func() time.Time
	// Limit is the size in bytes of all journals together above which nothing is written.
	// What the others have is looked at once. 1 GiB.
	Limit int64
	// CompactAt is the size below which a journal is never rewritten. 1 MiB.
	CompactAt int64
	// MaxAge is how long undecided changes are kept. The constant of that name.
	MaxAge time.Duration
	// Editor is the process that has started this one, as Parent says. What another process has left
	// whose editor lives is not taken over, but by one with the same. Empty: it is not known.
	Editor string
}

// MaxAge is how long undecided changes are kept if nothing else is said.
const MaxAge = 90 * 24 * time.Hour

func (o Options) orDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limit == 0 {
		o.Limit = 1 << 30
	}
	if o.CompactAt == 0 {
		o.CompactAt = 1 << 20
	}
	if o.MaxAge == 0 {
		o.MaxAge = MaxAge
	}
	return o
}

// ErrFull is the error for a journal that has reached its limit.
var ErrFull = errors.New("the journal is full: decide on changes, or see `acp-ls store`")

// Journal is the journal of this process for one workspace.
type Journal struct {
	workspace, folder string
	opts              Options

	mu     sync.Mutex // guards what follows; held while writing
	lock   *os.File   // nil until the first record
	file   *os.File
	name   string // of file and lock, without extension
	size   int64  // of the file, up to the last whole record
	live   int64  // bytes of the records that count
	index  map[string]*story
	closed bool
	// inherited is how many bytes were taken over, and will be removed.
	inherited int64
	broken    error           // why nothing can be written any more
	tried     map[string]bool // journals of dead processes that TakeOver has seen
	notes     notes
}

// story is where the records of a path are that count; a size of 0 is none.
type story struct {
	prev, last place
	disk       place // the last that is OnDisk; perhaps one of these two
}

type place struct{ at, n int64 }

// add takes in a record that comes behind the others.
func (s *story) add(at place, onDisk bool) {
	s.prev, s.last = s.last, at
	if onDisk {
		s.disk = at
	}
}

// places are those of the records that count, each once, in the order of writing.
func (s *story) places() []place {
	var out []place
	for _, p := range []place{s.disk, s.prev, s.last} {
		if p.n > 0 && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	return out
}

func (s *story) bytes() (n int64) {
	for _, p := range s.places() {
		n += p.n
	}
	return n
}

// moved is the story with its records where to says.
func (s *story) moved(to map[place]place) *story {
	return &story{prev: to[s.prev], last: to[s.last], disk: to[s.disk]}
}

// Open returns the journal of this process for a workspace, which is its folder's absolute
// path, or "" if there is none. state is the state directory. Nothing is created before
// something is written.
func Open(state, workspace string, o Options) *Journal {
	return &Journal{workspace: workspace, folder: folderOf(state, workspace), opts: o.orDefaults(), index: map[string]*story{}, tried: map[string]bool{}}
}

// Write appends records, all or none. With sync it returns when they, and those before, are
// on the disk. Of each path, the record written before is kept too, and the last one that is
// OnDisk. A Time that is not set is set to now.
func (j *Journal) Write(sync bool, records ...Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return os.ErrClosed
	case j.broken != nil:
		return j.broken
	}
	if err := j.write(sync, records); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

func (j *Journal) write(sync bool, records []Record) error {
	if j.file == nil {
		if len(records) == 0 {
			return nil
		}
		if err := j.create(); err != nil {
			return err
		}
	}
	var b []byte
	places := make([]place, len(records))
	now := j.opts.Now()
	for i, r := range records {
		if r.Time.IsZero() {
			r.Time = now
		}
		start := int64(len(b))
		b = r.appendFrame(b)
		places[i] = place{j.size + start, int64(len(b)) - start}
	}
	if j.head()+j.live+int64(len(b)) > j.opts.Limit { // also when it is compacted
		return ErrFull
	}
	if j.size+int64(len(b)) > j.opts.Limit {
		if err := j.compact(); err != nil {
			return err
		}
		return j.write(sync, records)
	}
	if _, err := j.file.WriteAt(b, j.size); err != nil {
		// Half a record would hide those behind it.
		if cut := j.file.Truncate(j.size); cut != nil {
			j.broken = fmt.Errorf("journal cannot be written any more: %w", cut)
		}
		return err
	}
	if sync {
		if err := j.file.Sync(); err != nil {
			return err
		}
	}
	j.size += int64(len(b))
	for i, r := range records {
		j.note(r, places[i])
	}
	if j.size > j.opts.CompactAt && j.size > 4*j.live {
		if err := j.compact(); err != nil && j.broken != nil {
			return err
		}
	}
	return nil
}

// head is how much of the file comes before its first record.
func (j *Journal) head() int64 { return int64(len(magic) + len(workspaceFrame(j.workspace))) }

// note takes a record that was written into the index.
func (j *Journal) note(r Record, at place) {
	p := j.index[r.Path]
	switch {
	case p == nil && r.End():
		return
	case p == nil:
		p = &story{}
		j.index[r.Path] = p
	case r.End():
		j.live -= p.bytes()
		delete(j.index, r.Path)
		return
	}
	j.live -= p.bytes()
	p.add(at, r.OnDisk)
	j.live += p.bytes()
}

// create makes the files of the journal, the lock first: an unlocked journal is a dead
// process's.
func (j *Journal) create() error {
	j.opts.Limit = max(j.opts.Limit-stored(filepath.Dir(j.folder))+j.inherited, 0)
	for range 8 {
		if err := makeFolders(j.folder); err != nil {
			return err
		}
		name := filepath.Join(j.folder, strconv.FormatInt(j.opts.Now().UnixNano(), 36)+"-"+strconv.Itoa(os.Getpid()))
		lock, err := os.OpenFile(name+lockExt, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, os.ErrExist) || errors.Is(err, os.ErrNotExist) { // somebody has cleaned up
			continue
		} else if err != nil {
			return err
		}
		if ok, err := tryLock(lock); err != nil || !ok { // another process has taken it for a dead one's
			unlock(lock)
			if err != nil {
				os.Remove(name + lockExt)
				return fmt.Errorf("lock: %w", err)
			}
			continue
		}
		var f *os.File
		if _, err = lock.WriteString(j.opts.Editor); err == nil {
			f, err = createFile(name+journalExt, j.workspace)
		}
		if err != nil {
			os.Remove(name + lockExt)
			unlock(lock)
			return err
		}
		j.lock, j.file, j.name = lock, f, name
		j.size = j.head()
		return syncDir(j.folder)
	}
	return errors.New("no name is free")
}

func createFile(name, workspace string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(append([]byte(magic), workspaceFrame(workspace)...)); err != nil {
		f.Close()
		os.Remove(name)
		return nil, err
	}
	return f, nil
}

// compact rewrites the journal with the records that count; mu is held.
func (j *Journal) compact() error {
	var frames []place
	for _, p := range j.index {
		frames = append(frames, p.places()...)
	}
	create := func(name string) (*os.File, error) { return createFile(name, j.workspace) }
	f, to, size, err := rewrite(j.file, j.name+journalExt, j.name+newExt, create, frames)
	if j.file = f; f == nil {
		j.broken = fmt.Errorf("journal cannot be written any more: %w", err)
		return j.broken
	}
	if err != nil {
		return err
	}
	j.size, j.live = size, 0
	for path, p := range j.index {
		j.index[path] = p.moved(to)
		j.live += j.index[path].bytes()
	}
	return syncDir(j.folder)
}

// Close ends the journal. It stays on disk if anything undecided is in it, or there are notes.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if j.file == nil {
		return nil
	}
	err := j.file.Sync()
	err = errors.Join(err, j.file.Close())
	if len(j.notes.index) == 0 {
		err = errors.Join(err, j.dropNotes())
	} else {
		err = errors.Join(err, j.notes.file.Sync(), j.notes.file.Close())
	}
	if len(j.index) == 0 && j.notes.file == nil {
		err = errors.Join(err, remove(j.name))
	}
	return errors.Join(err, unlock(j.lock))
}

// remove removes a journal that is closed and whose lock is held.
func remove(name string) error {
	err := os.Remove(name + journalExt)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	os.Remove(name + newExt)
	os.Remove(name + notesExt)
	os.Remove(name + notesExt + newExt)
	_ = os.Remove(name + lockExt) // where a file in use cannot be removed, the next scan does it
	return err
}

// readRecord reads one record of a journal.
func readRecord(f io.ReaderAt, at place) (Record, error) {
	b := make([]byte, at.n)
	if _, err := f.ReadAt(b, at.at); err != nil {
		return Record{}, err
	}
	return parseRecord(b[headBytes:])
}
