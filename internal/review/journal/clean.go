package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// keepAside is how long what could not be read is kept.
const keepAside = 30 * 24 * time.Hour

// clean removes what nobody needs any more, in all workspaces: what was set aside long ago,
// what processes have left that ended in the middle of something, and journals of workspaces
// that nobody has opened for so long that all in them is too old, which it reports. What is
// undecided and younger stays.
func (j *Journal) clean(found *Found) {
	root := filepath.Dir(j.folder)
	folders, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, d := range folders {
		folder := filepath.Join(root, d.Name())
		list, err := os.ReadDir(folder)
		if err != nil {
			continue // not one of ours
		}
		for _, e := range list {
			info, err := e.Info()
			if err != nil {
				continue // gone meanwhile
			}
			file, age := filepath.Join(folder, e.Name()), j.opts.Now().Sub(info.ModTime())
			switch filepath.Ext(strings.TrimRight(e.Name(), "0123456789")) {
			case asideExt:
				if age > keepAside {
					_ = os.RemoveAll(file) // it may be a folder
				}
			case journalExt:
				if age > j.opts.MaxAge && folder != j.folder {
					found.cleanOld(strings.TrimSuffix(file, journalExt), j.opts.Now().Add(-j.opts.MaxAge))
				}
			case lockExt, newExt, notesExt:
				name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(file, lockExt), newExt), notesExt)
				if _, err := os.Lstat(name + journalExt); errors.Is(err, fs.ErrNotExist) && age > keepAside && folder != j.folder {
					cleanLock(name)
				}
			}
		}
		if folder != j.folder {
			_ = os.Remove(folder) // if it is empty
		}
	}
}

// cleanOld removes a journal in which everything is older than oldest.
func (found *Found) cleanOld(name string, oldest time.Time) {
	lock, free := lockOf(name)
	if !free {
		return
	}
	defer unlock(lock)
	c, err := read(name+journalExt, false)
	for _, e := range c.entries {
		if !e.Last.Time.Before(oldest) {
			return
		}
	}
	if err := remove(name); err != nil {
		return
	}
	if err != nil {
		found.Reports = append(found.Reports, fmt.Sprintf("the journal %s could not be read (%v); it was too old and is removed", name+journalExt, err))
	}
	for _, e := range c.entries {
		found.tooOld(e)
	}
}

func (found *Found) tooOld(e Entry) {
	if !e.Last.Undecided() {
		return
	}
	found.Reports = append(found.Reports, fmt.Sprintf("undecided changes of %s in %s are too old and were dropped", e.Last.Time.Format(time.DateOnly), e.Last.Path))
}

// cleanLock removes what is left of a journal that is gone.
func cleanLock(name string) {
	lock, free := lockOf(name)
	if !free {
		return
	}
	defer unlock(lock)
	_ = remove(name)
}

// lockOf takes the lock of a journal, if nobody has it.
func lockOf(name string) (lock *os.File, free bool) {
	lock, err := os.OpenFile(name+lockExt, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false
	}
	if free, err := tryLock(lock); err != nil || !free {
		unlock(lock)
		return nil, false
	}
	return lock, true
}

// stored is how many bytes there are in the store.
func stored(root string) (n int64) {
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what is gone, or not ours, counts nothing
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
