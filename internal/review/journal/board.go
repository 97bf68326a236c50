package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Working is what a process tells the others on this machine while it lives: which agents are at
// work, and what it has written itself.
type Working struct {
	Turns  []WorkingTurn  `json:",omitempty"`
	Writes []WorkingWrite `json:",omitempty"`
}

// WorkingTurn is a turn of an agent.
type WorkingTurn struct {
	Agent, Session string
	Roots          []string  // the folders in which it may have changed anything, absolute
	Began, Ended   time.Time // Ended is zero while it runs
}

// WorkingWrite is what was made of a file.
type WorkingWrite struct {
	Path  string
	Text  string `json:",omitempty"` // its hash, if it was written as text
	State string `json:",omitempty"` // else what stands for all that the file is; "none": there is none
	At    time.Time
}

// Board is where the processes tell that, each in a file of its own in the state directory. It is
// for now alone: nothing of it outlives the process, and nothing is synced.
type Board struct {
	folder string

	mu   sync.Mutex // guards what follows; held while reading and writing
	lock *os.File   // nil until something is told
	name string     // of the files, without extension
}

const boardExt = ".json"

// OpenBoard returns the board in a state directory. Nothing is created before Put.
func OpenBoard(state string) *Board { return &Board{folder: filepath.Join(state, "working", "now")} }

// Put tells the others w, in the place of what was told before.
func (b *Board) Put(w Working) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.put(w); err != nil {
		return fmt.Errorf("tell other processes: %w", err)
	}
	return nil
}

func (b *Board) put(w Working) error {
	if b.lock == nil {
		if err := b.create(); err != nil {
			return err
		}
	}
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.name+newExt, data, 0o600); err != nil {
		return err
	}
	return os.Rename(b.name+newExt, b.name+boardExt)
}

// create makes the lock: what is told without one is a dead process's.
func (b *Board) create() error {
	for range 8 {
		if err := makeFolders(b.folder); err != nil {
			return err
		}
		name := filepath.Join(b.folder, strconv.FormatInt(time.Now().UnixNano(), 36)+"-"+strconv.Itoa(os.Getpid()))
		lock, err := os.OpenFile(name+lockExt, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		} else if err != nil {
			return err
		}
		ok, err := tryLock(lock)
		if ok && err == nil {
			if _, err := os.Stat(name + lockExt); err == nil { // else another process has taken it for a dead one's
				b.lock, b.name = lock, name
				return nil
			}
		}
		unlock(lock)
		if err != nil {
			os.Remove(name + lockExt)
			return err
		}
	}
	return errors.New("no name is free")
}

// Others is what the other processes that live tell. What those have left that do not is removed.
func (b *Board) Others() (out []Working) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, err := os.ReadDir(b.folder)
	if err != nil {
		return nil
	}
	for _, e := range list {
		name, is := strings.CutSuffix(filepath.Join(b.folder, e.Name()), lockExt)
		if !is || name == b.name {
			continue
		}
		if removeDead(name) {
			continue
		}
		var w Working
		if data, err := os.ReadFile(name + boardExt); err == nil && json.Unmarshal(data, &w) == nil {
			out = append(out, w)
		}
	}
	return out
}

// removeDead removes what a process has told that does not live any more.
func removeDead(name string) bool {
	lock, err := os.OpenFile(name+lockExt, os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	ok, err := tryLock(lock)
	if err != nil || !ok {
		unlock(lock)
		return false
	}
	removeBoard(name)
	unlock(lock)
	_ = os.Remove(name + lockExt) // where it could not be while it was open
	return true
}

func removeBoard(name string) {
	for _, ext := range []string{newExt, boardExt, lockExt} {
		_ = os.Remove(name + ext)
	}
}

// Close takes back what was told.
func (b *Board) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lock == nil {
		return nil
	}
	removeBoard(b.name)
	err := unlock(b.lock)
	_ = os.Remove(b.name + lockExt)
	b.lock = nil
	return err
}
