package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// earth is what outlives a core: a workspace and a state directory.
type earth struct {
	opening     time.Duration // how long is waited for documents to be opened; a moment by default
	t           *testing.T
	root, state string
	runs        int

	c *Core
	e *fakeEditor
	l *fakeLauncher

	editor string // as journal.Options have it

	left    time.Duration // how long what is left of a write must stay as it is; a while by default
	later   time.Duration // that the clock of what is started next is ahead
	wrote   chan struct{} // has a value when something was written
	failing bool          // nothing can be written

	records func([]journal.Record) // changes what is written; nil: not

	prepare   func(*fakeEditor) // called with an editor before it opens anything; nil: nothing is done
	meanwhile func()            // done between a crash and the next start; nil: nothing
	opens     map[string]string // what the editor opens before the journal is read, by URI; nil: nothing
	away      map[string]string // what the editor says then that it has written
	readAway  map[string]string // and had read before

	sized        sync.Mutex
	sure, before int64             // size of the journal when it was last synced, and the time before
	written      func()            // called behind every synced record: its edit is not made yet
	behind       func(path string) // the same, of whose record
}

func newEarth(t *testing.T) *earth {
	root := t.TempDir()
	if p, err := buffers.Resolve(root); err == nil {
		root = string(p)
	}
	w := &earth{t: t, root: root, state: t.TempDir(), wrote: make(chan struct{}, 1)}
	t.Cleanup(func() { w.close() })
	return w
}

// journalSize is the size of the newest journal.
func (w *earth) journalSize() (n int64) {
	files, _ := filepath.Glob(filepath.Join(w.state, "journal", "*", "*.journal"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			n = info.Size()
		}
	}
	return n
}

type tellingJournal struct {
	*journal.Journal
	w *earth
}

func (j tellingJournal) Write(synced bool, records ...journal.Record) error {
	if j.w.failing && len(records) > 0 {
		return errors.New("no space left on device")
	}
	if j.w.records != nil {
		j.w.records(records)
	}
	err := j.Journal.Write(synced, records...)
	if synced && len(records) > 0 {
		j.w.sized.Lock()
		j.w.before, j.w.sure = j.w.sure, j.w.journalSize()
		j.w.sized.Unlock()
	}
	if synced && len(records) > 0 && j.w.written != nil {
		j.w.written()
	}
	if synced && len(records) > 0 && j.w.behind != nil {
		j.w.behind(records[0].Path)
	}
	select {
	case j.w.wrote <- struct{}{}:
	default:
	}
	return err
}

// start starts a core with an editor, and waits until it has taken up what there is.
func (w *earth) start() {
	w.t.Helper()
	w.runs++
	run := w.runs
	st := config.Default()
	st.DefaultAgent = "fake"
	st.Files.Save = config.SaveNever
	w.l = &fakeLauncher{}
	var mu sync.Mutex
	n := 0
	later := w.later
	opened := make(chan struct{})
	now := func() time.Time { return time.Now().Add(later) }
	w.c = New(Options{Launcher: w.l, Now: now, Waits: Waits{Opening: cmp.Or(w.opening, time.Millisecond), Left: w.left}, Settings: func() *config.Settings { return st },
		NewID: func(p string) string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("%s%d.%d", p, run, n)
		},
		Journal: func(workspace string) (Journal, error) {
			if workspace != w.root {
				w.t.Errorf("journal of %q, want %q", workspace, w.root)
			}
			<-opened
			return tellingJournal{journal.Open(w.state, workspace, journal.Options{Now: now, Editor: w.editor}), w}, nil
		},
	})
	for name, content := range w.away {
		var read *string
		if s, ok := w.readAway[name]; ok {
			read = &s
		}
		w.c.WroteAway(w.uri(name), content, read)
	}
	w.away, w.readAway = nil, nil
	w.c.unwatched = true // nothing may wait for the system in virtual time
	w.e = newFakeEditor(w.t, w.c, w.root)
	if w.prepare != nil {
		w.prepare(w.e)
	}
	for uri, s := range w.opens {
		w.e.open(uri, s)
	}
	w.opens = nil
	close(opened)
	if err := w.c.durable.wait(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *earth) close() {
	if w.c == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.c.Close(ctx); err != nil {
		w.t.Error(err)
	}
	w.c = nil
}

// snapshot copies what is on disk: as a process leaves it that is killed now.
func (w *earth) snapshot() (state, root string) {
	state, root = w.t.TempDir(), w.t.TempDir()
	copyTree(w.t, state, w.state)
	copyTree(w.t, root, w.root)
	return state, root
}

func copyTree(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// revert makes the disk what it was at a snapshot.
func (w *earth) revert(state, root string) {
	w.t.Helper()
	w.state = w.t.TempDir()
	copyTree(w.t, w.state, state)
	list, err := os.ReadDir(w.root)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range list {
		if err := os.RemoveAll(filepath.Join(w.root, e.Name())); err != nil {
			w.t.Fatal(err)
		}
	}
	copyTree(w.t, w.root, root)
}

// crash kills acp-ls and starts it again. It returns the texts that the editor had,
// which is another one now.
func (w *earth) crash() map[string]string {
	w.t.Helper()
	texts := w.kill()
	if w.meanwhile != nil {
		w.meanwhile()
		w.meanwhile = nil
	}
	w.start()
	return texts
}

// kill ends acp-ls as if it were killed now. It returns the texts that the editor had.
func (w *earth) kill() map[string]string {
	w.t.Helper()
	state, root := w.snapshot()
	texts := w.e.texts()
	if w.written != nil { // else something may be written just now
		w.written = nil
	}
	w.close()
	w.revert(state, root)
	return texts
}

func (w *earth) path(name string) string { return filepath.Join(w.root, name) }
func (w *earth) uri(name string) string  { return buffers.PathURI(w.path(name)) }

// agent writes a file as an agent does.
func (w *earth) agent(name, content string) {
	w.t.Helper()
	turnOf(w.t, w.c, w.l, func(h Host, sid string) {
		if err := h.WriteTextFile(w.t.Context(), sid, w.path(name), content); err != nil {
			w.t.Errorf("write: %v", err)
		}
	})
}

// hunks shows the hunks of a file as "base>text".
func (w *earth) hunks(name string, states ...review.State) string {
	var out []string
	for _, r := range w.c.Reviews(w.uri(name), "", states...) {
		if r.File != nil {
			out = append(out, r.File.Op)
		}
		for _, h := range r.Hunks {
			out = append(out, strings.ReplaceAll(h.BaseText+">"+h.Text, "\n", "|"))
		}
	}
	return strings.Join(out, " ")
}

func (w *earth) wantHunks(name, want string, states ...review.State) {
	w.t.Helper()
	if got := w.hunks(name, states...); got != want {
		w.t.Errorf("hunks of %s: %q, want %q", name, got, want)
	}
}

// seen is how much of a message is seen where the line that an editor has for it is of 80 columns.
const seen = 48

// inSight is what is seen of a message there.
func inSight(message string) string {
	r := []rune(message)
	return string(r[:min(len(r), seen)])
}

// wantTold awaits a message whose part is in sight.
func (w *earth) wantTold(part string) {
	w.t.Helper()
	w.e.await("a message with "+part, func() bool {
		return slices.ContainsFunc(w.e.messages, func(m string) bool { return strings.Contains(inSight(m), part) })
	})
}

// awaitKept waits until the journal has the file's state as it is on disk.
func (w *earth) awaitKept(f *file) {
	w.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		f.kept.pen <- struct{}{}
		f.mu.Lock()
		kept := f.kept.last == f.version() && f.kept.last.onDisk
		f.mu.Unlock()
		<-f.kept.pen
		if kept {
			return
		}
		select {
		case <-w.wrote:
		case <-limit:
			w.t.Fatal("the save was not written down")
		}
	}
}
