package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Stored is a journal in the store, as `acp-ls store list` shows it.
type Stored struct {
	Workspace string
	File      string // its name
	Size      int64
	Live      bool     // its process runs
	Files     []Record // undecided, without states
	Err       error    // why it cannot be read
	Aside     bool     // it was set aside because it cannot be read
}

// List lists the journals of all workspaces.
func List(state string) ([]Stored, error) {
	folders, err := os.ReadDir(filepath.Join(state, "journal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var out []Stored
	for _, d := range folders {
		folder := filepath.Join(state, "journal", d.Name())
		list, err := os.ReadDir(folder)
		if err != nil {
			continue // not one of ours
		}
		for _, e := range list {
			file := filepath.Join(folder, e.Name())
			switch name, ok := strings.CutSuffix(file, journalExt); {
			case ok:
				out = append(out, look(name))
			case strings.Contains(e.Name(), journalExt+asideExt):
				s := Stored{File: file, Aside: true}
				if info, err := e.Info(); err == nil {
					s.Size = info.Size()
				}
				out = append(out, s)
			}
		}
	}
	return out, nil
}

func look(name string) Stored {
	s := Stored{File: name + journalExt}
	if lock, err := os.OpenFile(name+lockExt, os.O_RDWR, 0o600); err == nil {
		free, err := tryLock(lock)
		s.Live = err == nil && !free
		unlock(lock)
	}
	c, err := read(s.File, false)
	s.Workspace, s.Size, s.Err = c.workspace, c.size, err
	if info, err := os.Stat(name + notesExt); err == nil {
		s.Size += info.Size()
	}
	for _, e := range c.entries {
		s.Files = append(s.Files, e.Last)
	}
	return s
}

// Purge removes journals of processes that are gone, and what was set aside: those with
// nothing undecided in them that is younger than maxAge, or with all every one. It returns
// what it removed.
func Purge(state string, all bool, maxAge time.Duration, now time.Time) ([]Stored, error) {
	list, err := List(state)
	if err != nil {
		return nil, err
	}
	var removed []Stored
	var errs []error
	for _, s := range list {
		if s.Live {
			continue
		}
		undecided := s.Err != nil || s.Aside // who knows
		if info, err := os.Stat(strings.TrimSuffix(s.File, journalExt) + notesExt); err == nil {
			undecided = undecided || now.Sub(info.ModTime()) < maxAge
		}
		for _, r := range s.Files {
			undecided = undecided || now.Sub(r.Time) < maxAge
		}
		if undecided && !all {
			continue
		}
		gone, err := purge(s)
		if gone {
			removed = append(removed, s)
		}
		errs = append(errs, err)
	}
	return removed, errors.Join(errs...)
}

func purge(s Stored) (bool, error) {
	if s.Aside {
		err := os.Remove(s.File)
		return err == nil, err
	}
	name := strings.TrimSuffix(s.File, journalExt)
	lock, err := os.OpenFile(name+lockExt, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	defer unlock(lock)
	if free, err := tryLock(lock); err != nil || !free {
		return false, err // taken over meanwhile
	}
	return true, remove(name)
}
