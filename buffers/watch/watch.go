// Package watch notices that files in a few folders have changed. It only makes
// prompt what is found anyway by comparing: an event that is missed, an operating
// system without room for another watch, or a file system that tells nothing
// costs time and nothing else. So folders are watched one by one, never trees,
// and errors are for a log.
package watch

import (
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// MaxFolders bounds the folders watched at once; the one asked for longest ago
// gives way. Watches are a limit that all of a user's programs share.
const MaxFolders = 512

// Options of a Watcher.
type Options struct {
	// Changed is told of folders in which something has changed, each once, when
	// they have been quiet for Quiet. It is called on one goroutine. Required.
	Changed func(folders []string)
	// Ignore says of a file's name (not its path) that its changes do not matter.
	Ignore func(name string) bool
	// Quiet is how long a burst of events is gathered; default 100 ms.
	Quiet time.Duration
	// Error is told what went wrong. May be nil.
	Error func(error)
}

// Watcher watches folders. Its methods are safe for concurrent use.
type Watcher struct {
	opt  Options
	fs   *fsnotify.Watcher
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	folders []string // by the time they were asked for
	closed  bool
}

// New returns a watcher of nothing. An error means that nothing can be watched.
func New(opt Options) (*Watcher, error) {
	if opt.Quiet == 0 {
		opt.Quiet = 100 * time.Millisecond
	}
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &Watcher{opt: opt, fs: fs, done: make(chan struct{})}
	go w.run()
	return w, nil
}

// Add watches a folder, which must be absolute, not what is below it.
func (w *Watcher) Add(folder string) {
	folder = filepath.Clean(folder)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	for i, f := range w.folders {
		if f == folder {
			w.folders = append(append(w.folders[:i:i], w.folders[i+1:]...), folder)
			return
		}
	}
	if len(w.folders) >= MaxFolders {
		_ = w.fs.Remove(w.folders[0]) // it may be gone already
		w.folders = w.folders[1:]
	}
	if err := w.fs.Add(folder); err != nil {
		w.report(err)
		return
	}
	w.folders = append(w.folders, folder)
}

func (w *Watcher) report(err error) {
	if w.opt.Error != nil {
		w.opt.Error(err)
	}
}

// Close ends the watching. Changed is not called after it has returned.
func (w *Watcher) Close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	err := w.fs.Close()
	<-w.done
	return err
}

func (w *Watcher) run() {
	defer close(w.done)
	changed := map[string]bool{}
	timer := time.NewTimer(w.opt.Quiet)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case ev, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if ev.Op == fsnotify.Chmod || w.ignored(ev.Name) {
				continue
			}
			w.forgetIfGone(ev)
			changed[filepath.Dir(ev.Name)] = true
			timer.Reset(w.opt.Quiet)
		case err, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			w.report(err) // an overflow, mostly: comparing finds what was missed
		case <-timer.C:
			folders := make([]string, 0, len(changed))
			for f := range changed {
				folders = append(folders, f)
			}
			clear(changed)
			w.opt.Changed(folders)
		}
	}
}

func (w *Watcher) ignored(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, "~") || w.opt.Ignore != nil && w.opt.Ignore(name)
}

// forgetIfGone makes a folder that was removed one that can be added again.
func (w *Watcher) forgetIfGone(ev fsnotify.Event) {
	if !ev.Has(fsnotify.Remove) && !ev.Has(fsnotify.Rename) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, f := range w.folders {
		if f == filepath.Clean(ev.Name) {
			w.folders = append(w.folders[:i:i], w.folders[i+1:]...)
			return
		}
	}
}
