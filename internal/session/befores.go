package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/internal/policy"
	"acp-ls/internal/review/journal"
)

// What files held before an agent could touch them is noted beside the journal: the
// copies of the checkpoint while the session is idle, what has changed since when a turn
// begins, and during the turn what is known of files that change. If this process is
// killed, what the disk has and is not noted is what nobody has looked at: see leftover.go.

// befores are those notes. One folder has them once, however many sessions work in it.
type befores struct {
	d     *durable
	turns atomic.Int32 // that run

	mu    sync.Mutex // guards what follows; held while writing, for the last note counts
	roots map[string]*beforeRoot
	done  bool // they cannot be written any more
}

// beforeRoot is what is noted of a folder.
type beforeRoot struct {
	point   *checkpoint.Checkpoint // whose copies are noted, save those in since
	pins    []byte
	since   map[string]string             // what is noted of files that have changed since, by a hash
	running map[string]context.CancelFunc // the sessions in which a turn runs, and what ends their signs of life
}

// Keys begin with what they are of.
const (
	notePins = "p" // the folder
	noteTurn = "t" // the folder, 0, the session: a turn runs there, since that time
	noteCopy = "c" // the folder, 0, the path: a checkpoint.Copy
	noteText = "x" // as noteCopy, but as a document has it: line ends may be others
	noteLife = "l" // a sign of life
)

// signOfLife is how often a process with a turn gives one: an agent cannot have written
// much later than the last of them.
const signOfLife = 15 * time.Second

func (b *befores) usable() bool { return b != nil && b.d.usable() }

func (b *befores) root(root string) *beforeRoot {
	r := b.roots[root]
	if r == nil {
		r = &beforeRoot{since: map[string]string{}, running: map[string]context.CancelFunc{}}
		if b.roots == nil {
			b.roots = map[string]*beforeRoot{}
		}
		b.roots[root] = r
	}
	return r
}

// save notes the copies of checkpoints.
func (b *befores) save(p *points) {
	if !b.usable() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, root := range p.roots {
		b.write(true, b.news(root, p.of[i])...)
	}
}

// begin notes the copies of the checkpoints of a turn, and that it runs. It returns when
// all of that is on the disk.
func (b *befores) begin(s *session, p *points) {
	if !b.usable() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, root := range p.roots {
		b.beginIn(root, s, p.of[i])
	}
}

// beginIn is begin for one of the folders; mu is held.
func (b *befores) beginIn(root string, s *session, point *checkpoint.Checkpoint) {
	notes := b.news(root, point)
	if notes == nil && b.root(root).pins == nil {
		return // nothing is covered
	}
	if !b.write(true, append(notes, journal.Note{Key: noteTurn + root + "\x00" + s.id, Value: beginsNow(b.d.core.now())})...) {
		return
	}
	ctx, cancel := context.WithCancel(b.d.core.ctx)
	b.root(root).running[s.id] = cancel
	b.turns.Add(1)
	b.d.core.spawn(func() { b.live(ctx) })
}

// live gives signs of life.
func (b *befores) live(ctx context.Context) {
	t := time.NewTicker(signOfLife)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			b.mu.Lock()
			b.write(false, journal.Note{Key: noteLife, Value: []byte{}})
			b.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// end notes that a turn has ended, and all that it has done is known.
func (b *befores) end(s *session) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.d.core.ctx.Err() != nil {
		return // the core is closed, and nobody has looked
	}
	for root, r := range b.roots {
		if r.running[s.id] == nil {
			continue
		}
		r.running[s.id]()
		delete(r.running, s.id)
		b.turns.Add(-1)
		b.write(false, journal.Note{Key: noteTurn + root + "\x00" + s.id})
	}
}

// close lets go of the notes, unless a turn ran when the core was closed.
func (b *befores) close(j Journal) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.roots {
		if len(r.running) > 0 {
			return nil
		}
	}
	return j.DropNotes()
}

// news is what makes the notes those of a checkpoint. If there are many they are written,
// and what is returned is the rest. Where a turn runs the notes stay those of when it began: the
// checkpoint may have what its agent has written and nobody has looked at. mu is held.
func (b *befores) news(root string, point *checkpoint.Checkpoint) (notes []journal.Note) {
	pins, r := point.Pins(), b.root(root)
	if pins == nil || b.done || len(r.running) > 0 {
		return nil
	}
	more, gone := point.CopiesSince(r.point)
	for p := range r.since {
		if st, ok := point.Copied(p); ok {
			more[p] = st
		} else {
			gone = append(gone, p)
		}
		notes = append(notes, journal.Note{Key: noteText + root + "\x00" + p})
	}
	size := 0
	for p, st := range more {
		notes = append(notes, journal.Note{Key: noteCopy + root + "\x00" + p, Value: copyNote(p, st)})
		if size += len(st.Content); size > maxNotesAtOnce {
			b.write(false, notes...)
			notes, size = nil, 0
		}
	}
	for _, p := range gone {
		notes = append(notes, journal.Note{Key: noteCopy + root + "\x00" + p})
	}
	if !bytes.Equal(pins, r.pins) {
		notes = append(notes, journal.Note{Key: notePins + root, Value: pins})
	}
	r.point, r.pins = point, pins
	clear(r.since)
	return notes
}

const maxNotesAtOnce = 4 << 20

// copyNote is a state as it is noted: of what may hold secrets without its content.
func copyNote(path string, st checkpoint.State) []byte {
	if policy.Secret(path) {
		st = st.Forget()
	}
	b, _ := checkpoint.Copy{State: st}.AppendBinary(nil) // it cannot fail
	return b
}

// known notes what a file is now, which is all in the journal, if a turn runs where it
// lies. asText: it is as a document has it.
func (b *befores) known(p buffers.Path, now checkpoint.State, asText bool) {
	if !b.usable() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var notes []journal.Note
	for root, r := range b.roots {
		if len(r.running) == 0 || !inRoots([]string{root}, string(p)) {
			continue
		}
		kind, other, sum := noteCopy, noteText, now.Sum()
		if !now.Exists {
			sum = ""
		}
		if asText {
			kind, other, sum = noteText, noteCopy, "text "+sum
		}
		if had, ok := r.since[string(p)]; ok && (had == sum || had == strings.TrimPrefix(sum, "text ")) {
			continue
		}
		r.since[string(p)] = sum
		key := root + "\x00" + string(p)
		notes = append(notes, journal.Note{Key: other + key}, journal.Note{Key: kind + key, Value: copyNote(string(p), now)})
	}
	if notes != nil {
		b.write(false, notes...)
	}
}

// write writes notes; that it cannot is said once. mu is held.
func (b *befores) write(sync bool, notes ...journal.Note) bool {
	j := b.d.current()
	if j == nil || b.done {
		return false
	}
	err := j.Note(sync, notes...)
	if err != nil && !errors.Is(err, os.ErrClosed) {
		b.done = true
		b.d.core.log.Error("before-copies", "err", err)
		b.d.core.tell(LevelWarning, fmt.Sprintf("After a crash agents' own writes would be taken for yours: %v", err))
	}
	return err == nil
}

// runningAt reports whether a turn runs in a folder that a file lies in.
func (b *befores) runningAt(p buffers.Path) bool {
	if !b.usable() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for root, r := range b.roots {
		if len(r.running) > 0 && inRoots([]string{root}, string(p)) {
			return true
		}
	}
	return false
}

// noteKnown notes what the disk is known to have, when the journal says what became of
// it. Nothing is waited for.
func (f *file) noteKnown() {
	b := f.core.durable.beforeCopies()
	if b == nil || b.turns.Load() == 0 {
		return
	}
	f.core.spawn(func() {
		if !b.runningAt(f.path) {
			return
		}
		f.unkept() // which asks git, and nobody is to wait for that
		f.noteNow(f.core.ctx)
	})
}

// noteNow is noteKnown for whoever can wait.
func (f *file) noteNow(ctx context.Context) {
	if !f.lockNotes(ctx) {
		return
	}
	defer f.unlockOps()
	f.keep(false)
	if st, ok := f.knownOnDisk(); ok {
		f.noteAs(st, true)
	}
}

// longestNotes is how long the end of a process waits for its last notes.
const longestNotes = 500 * time.Millisecond

// noteLast notes what files are known to be that were saved a moment ago where a turn runs, as this
// process ends: that is the user's, to whoever comes next.
func (c *Core) noteLast(ctx context.Context) {
	b := c.durable.beforeCopies()
	if b == nil || b.turns.Load() == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, longestNotes)
	defer cancel()
	for _, f := range c.allFiles() {
		f.mu.Lock()
		lately := f.claimed != nil || c.now().Sub(f.savedAt) < signOfLife
		if _, d, open := f.live(); open {
			f.believeClaim(d.Text)
		}
		f.mu.Unlock()
		if lately && b.runningAt(f.path) {
			f.noteNow(ctx)
		}
	}
}

// lockNotes holds the file's slot of ops: what is noted last is what was known last, and no
// edit is half made. False: the core is closed, or ctx is done.
func (f *file) lockNotes(ctx context.Context) bool {
	select { // not lockOps, which may wait for what earlier runs have left
	case f.ops <- struct{}{}:
		return true
	case <-f.core.ctx.Done():
		return false
	case <-ctx.Done():
		return false
	}
}

// knownOnDisk is what the file is known to be, if the journal is up to date with that.
func (f *file) knownOnDisk() (st checkpoint.State, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.before == nil || f.encoded != nil || f.flight != nil || f.kept.aloud || f.asleep != nil || f.version() != f.kept.last {
		return checkpoint.State{}, false
	}
	if f.missing && !f.before.there || f.entire.gone {
		return checkpoint.State{}, true
	}
	return checkpoint.State{Exists: true, Content: f.before.String()}, true
}

// noteState notes the exact state that was found of a file, if that is what it is known
// to be.
func (f *file) noteState(now checkpoint.State) {
	b := f.core.durable.beforeCopies()
	if b == nil || b.turns.Load() == 0 || !f.lockNotes(f.core.ctx) {
		return
	}
	defer f.unlockOps()
	f.mu.Lock()
	opaque := (f.opaqueSeen != nil && f.opaqueSeen.Same(now) || f.hasBytes(now)) && f.version() == f.kept.last
	f.mu.Unlock()
	st, ok := f.knownOnDisk()
	same := ok && st.Exists == now.Exists && now.Opaque == "" && (!now.Exists || buffers.NormHash(st.Content) == buffers.NormHash(now.Content))
	if opaque || same {
		f.noteAs(now, false)
	}
}

// noteAs notes what the file is known to be. Of one that git ignores a checkpoint knows
// nothing, and no copy is kept.
func (f *file) noteAs(st checkpoint.State, asText bool) {
	if policy.Secret(string(f.path)) {
		st = st.Forget()
	} else if f.unkept() {
		return
	}
	f.core.durable.befores.known(f.path, st, asText)
}
