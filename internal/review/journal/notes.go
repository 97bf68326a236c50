package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// Beside a journal lie notes, in a file of their own: values by keys, of which the last of
// each counts. They may be many and large (copies of what files held before an agent could
// touch them), and are nobody's decision: they only serve the next process if this one is
// killed. The file has the journal's form, with frames of another kind.

const (
	notesExt   = ".before"
	notesMagic = "acp-ls notes\x00\x01"
	kindNote   = 'n'

	// notesSlack is how many bytes of old news a file of notes may have, beside as many as
	// there are that count.
	notesSlack = 16 << 20
)

// Note is a value under a key. A nil Value takes the key away.
type Note struct {
	Key   string
	Value []byte
}

// Left is what a process that is gone has noted, and when it wrote the last note, by the
// clock of the file system.
type Left struct {
	Notes map[string][]byte
	Last  time.Time
}

// notes is the file of notes; the Journal's mu guards it.
type notes struct {
	file  *os.File
	size  int64
	live  int64
	index map[string]place
}

// Note writes notes down, and with sync returns when they, and those before, are on the disk.
// It fails with ErrFull if they would take a quarter of the limit.
func (j *Journal) Note(sync bool, list ...Note) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return os.ErrClosed
	case j.broken != nil:
		return j.broken
	case len(list) == 0 && j.notes.file == nil:
		return nil
	}
	if err := j.writeNotes(sync, list); err != nil {
		return fmt.Errorf("journal: notes: %w", err)
	}
	return nil
}

func (j *Journal) writeNotes(sync bool, list []Note) error {
	n := &j.notes
	if n.file == nil {
		if j.file == nil {
			if err := j.create(); err != nil { // and with it the lock
				return err
			}
		}
		f, err := createNotes(j.name + notesExt)
		if err != nil {
			return err
		}
		j.notes = notes{file: f, size: int64(len(notesMagic)), index: map[string]place{}}
	}
	var b []byte
	places := make([]place, len(list))
	live := n.live
	for i, x := range list {
		start := int64(len(b))
		b = x.appendFrame(b)
		places[i] = place{n.size + start, int64(len(b)) - start}
		if x.Value != nil {
			live += places[i].n
		}
	}
	if live > j.opts.Limit/4 {
		return ErrFull
	}
	if _, err := n.file.WriteAt(b, n.size); err != nil {
		return errors.Join(err, n.file.Truncate(n.size)) // half a note would hide those behind it
	}
	n.size += int64(len(b))
	for i, x := range list {
		n.take(x.Key, x.Value != nil, places[i])
	}
	if n.size > 2*n.live+notesSlack {
		return j.compactNotes() // which syncs
	}
	if sync {
		return n.file.Sync()
	}
	return nil
}

func (n *notes) take(key string, there bool, at place) {
	n.live -= n.index[key].n
	delete(n.index, key)
	if there {
		n.index[key] = at
		n.live += at.n
	}
}

// DropNotes takes all notes away.
func (j *Journal) DropNotes() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.dropNotes()
}

func (j *Journal) dropNotes() error {
	n := &j.notes
	if n.file == nil {
		return nil
	}
	err := errors.Join(n.file.Close(), os.Remove(j.name+notesExt))
	*n = notes{}
	return err
}

// compactNotes rewrites the file of notes with those that count; mu is held.
func (j *Journal) compactNotes() error {
	n := &j.notes
	frames := slices.Collect(maps.Values(n.index))
	f, to, size, err := rewrite(n.file, j.name+notesExt, j.name+notesExt+newExt, createNotes, frames)
	if f == nil {
		*n = notes{} // they are begun anew
		return err
	}
	if n.file = f; err != nil {
		return err
	}
	n.size, n.live = size, size-int64(len(notesMagic))
	for key, at := range n.index {
		n.index[key] = to[at]
	}
	return nil
}

func createNotes(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteString(notesMagic); err != nil {
		f.Close()
		os.Remove(name)
		return nil, err
	}
	return f, nil
}

func (x Note) appendFrame(b []byte) []byte {
	start := len(b)
	b = slices.Grow(b, headBytes+len(x.Key)+len(x.Value)+16)[:start+headBytes]
	there := byte(0)
	if x.Value != nil {
		there = 1
	}
	b = append(b, kindNote, there)
	b = appendString(b, x.Key)
	b = append(b, x.Value...)
	putHead(b[start:])
	return b
}

// readNotes reads what is noted in a file. What comes behind a damaged note is lost.
func readNotes(name string) (Left, error) {
	f, err := os.Open(name)
	if err != nil {
		return Left{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Left{}, err
	}
	head := make([]byte, len(notesMagic))
	if _, err := f.ReadAt(head, 0); err != nil || string(head) != notesMagic {
		return Left{}, ErrForeign
	}
	left := Left{Notes: map[string][]byte{}, Last: info.ModTime()}
	for at := int64(len(notesMagic)); ; {
		b, err := readFrame(f, at, info.Size())
		if err != nil {
			return left, err
		}
		if len(b) < 2 || b[0] != kindNote {
			return left, nil
		}
		at += headBytes + int64(len(b))
		n, size := binary.Uvarint(b[2:])
		if size <= 0 || n > uint64(len(b)-2-size) {
			return left, nil
		}
		key, value := string(b[2+size:][:n]), b[2+size+int(n):]
		if b[1] == 0 {
			delete(left.Notes, key)
			continue
		}
		left.Notes[key] = value
	}
}

// takeNotes reads the notes of a process that is gone, if it has left any.
func (found *Found) takeNotes(name string, oldest time.Time) {
	left, err := readNotes(name + notesExt)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		found.Reports = append(found.Reports, fmt.Sprintf("what an earlier run had noted could not be read: %v", err))
	case len(left.Notes) > 0 && left.Last.After(oldest):
		found.Left = append(found.Left, left)
	}
}
