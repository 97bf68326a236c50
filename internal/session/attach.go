package session

import (
	"path/filepath"
	"slices"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Attachment is one editor with its documents. Apply and Settle are called by
// the one goroutine that reads from the editor, in wire order; where no message
// follows a didClose, Settle is called by another.
type Attachment struct {
	core   *Core
	editor Editor
	store  *buffers.Store // set before the first document
	enc    position.Encoding

	// step is held while a notification is taken in: the documents are ahead of the files
	// that follow them then. It is taken before the mutex of any file.
	step sync.Mutex

	closes int // how often a document was closed; step guards it

	// left is what was tracked in documents that were just closed, by URI: one with such a
	// text that is opened next may be a copy. step guards it.
	left map[string]*review.Doc

	// saved is what documents were when they were opened or saved last, by URI. step
	// guards it.
	saved map[string]text.Text

	// spared is when documents were said to be saved of which the files were not written: they
	// were, under another name. By URI; step guards it.
	spared map[string]time.Time

	asked queues // where a question is until the editor has got it, or puts it behind others

	mu    sync.Mutex
	roots []string
}

// Attach adds an editor. roots are the absolute paths of its workspace folders.
func (c *Core) Attach(e Editor, roots []string) *Attachment {
	a := &Attachment{core: c, editor: e}
	a.SetEncoding(position.UTF16)
	a.SetRoots(roots)
	c.mu.Lock()
	defer c.mu.Unlock()
	all := append(slices.Clone(c.attached()), a)
	c.editors.Store(&all)
	c.durable.start(a.rootsNow())
	return a
}

// SetEncoding sets how positions of this editor count characters, before it
// opens its first document. UTF-16 is what counts until then.
func (a *Attachment) SetEncoding(e position.Encoding) {
	a.enc = e
	a.store = buffers.NewStore(buffers.Options{Encoding: e, Now: a.core.now})
}

// SetRoots replaces the workspace folders.
func (a *Attachment) SetRoots(roots []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roots = nil
	for _, r := range roots {
		if filepath.IsAbs(r) {
			a.roots = append(a.roots, filepath.Clean(r))
		}
	}
}

func (a *Attachment) rootsNow() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.roots)
}

// nameOf is how the user of an editor calls a file, or a folder.
func (a *Attachment) nameOf(path string) string {
	for _, root := range a.rootsNow() {
		if rel, err := filepath.Rel(root, path); err == nil && rel == "." {
			return filepath.Base(path)
		} else if err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// Document returns an open document as it is now.
func (a *Attachment) Document(uri string) (*buffers.Document, bool) {
	d := a.store.Get(uri)
	return d, d != nil
}

// Apply takes in one document notification. It never blocks and has no error:
// what is odd is logged (an error would end the connection).
func (a *Attachment) Apply(m buffers.Modification) {
	a.step.Lock()
	defer a.step.Unlock()
	if s, ok := m.(buffers.Save); ok && s.Text != nil && a.store.Get(s.URI) == nil {
		a.savedClosed(s.URI, *s.Text)
		return
	}
	events, err := a.store.Apply(m, "editor")
	if err != nil {
		a.core.log.Warn("document notification ignored", "err", err)
	}
	for _, ev := range events {
		a.dispatch(ev)
	}
	if _, ok := m.(buffers.Close); !ok {
		clear(a.left)
		return
	}
	a.closes++
	n := a.closes
	a.core.spawn(func() {
		if pause(a.core.ctx, a.core.waits.Reopening) == nil {
			a.settle(func() bool { return a.closes == n })
		}
	})
}

// maxLeft bounds how many documents are closed at once and remembered.
const maxLeft = 64

// Settle ends a didClose that no didOpen of the same file has followed
// (rule 14). It is called before any other message is handled.
func (a *Attachment) Settle() { a.settle(func() bool { return true }) }

// settle is Settle if that is due when no notification is taken in.
func (a *Attachment) settle(due func() bool) {
	a.step.Lock()
	defer a.step.Unlock()
	if !due() {
		return
	}
	for _, ev := range a.store.Settle("editor") {
		a.dispatch(ev)
	}
}

func (a *Attachment) dispatch(ev buffers.Event) {
	d := ev.After
	if d == nil {
		d = ev.Before
	}
	a.core.marks.follow(a, ev)
	p := d.Path()
	if p == "" {
		return // a document that is no file is for mentions only
	}
	f, copied := a.core.file(p), a.savedAs(ev)
	switch ev.Kind {
	case buffers.Opened:
		a.core.spawn(a.arrived(f, ev))
		if old := ev.RenameOf; old == nil || old.Path() == p {
			a.core.spawn(func() { a.core.turnedUp(f, d.Text) })
		} else {
			was := a.left[old.URI]
			a.core.spawn(func() {
				if !isThere(old.Path()) {
					a.core.renamed(old.Path(), f, d.Text)
				} else if was != nil {
					f.copyOf(was, d.Text)
				}
			})
		}
	case buffers.Reloaded:
		// At once: until it is known the document is taken for clean, and could be read anew.
		if f.asksFor(d.Text) {
			a.store.Loaded(d, false)
		}
		disk, err := a.store.Look(p)
		f.reloaded(a, ev, disk, err)
		a.core.spawn(func() { a.core.file(p).looked(a.core.ctx, disk, err, arrival{text: d.Text}) })
	case buffers.Changed:
		f.changed(a, ev)
	case buffers.Saved:
		f.saved(a, ev)
		a.noteSpared(ev)
		if copied != nil {
			a.core.spawn(func() { f.takeCopy(copied, ev.After.Text, true) })
		}
	case buffers.Closed:
		if was := f.closed(a, d.URI); was != nil && len(a.left) < maxLeft {
			if a.left == nil {
				a.left = map[string]*review.Doc{}
			}
			a.left[d.URI] = was
		}
	}
}

// arrived takes in a document that was opened. What it returns compares it with its file: off the read
// loop, but where it may have to be told from what an agent does at this moment.
func (a *Attachment) arrived(f *file, ev buffers.Event) (compare func()) {
	d := ev.After
	ar := f.opened(a, d)
	look := func() (buffers.Disk, error) {
		disk, err := a.store.Look(f.path)
		if err != nil {
			a.core.log.Debug("look at file", "path", f.path, "err", err)
		}
		return disk, err
	}
	if ar.then.Author != review.AuthorUser || ar.held {
		disk, err := look()
		f.openedWith(&ar, openDoc{a, d.URI}, disk, err, a.writtenAs(ev.RenameOf))
		if err == nil && disk.Exists {
			f.readBeside(ar)
		}
		look = func() (buffers.Disk, error) { return disk, err }
	}
	return func() {
		disk, err := look()
		f.looked(a.core.ctx, disk, err, ar)
	}
}

// Detach removes the editor; its documents count as closed.
func (a *Attachment) Detach() {
	a.Settle()
	c := a.core
	c.mu.Lock()
	all := slices.DeleteFunc(slices.Clone(c.attached()), func(o *Attachment) bool { return o == a })
	c.editors.Store(&all)
	c.mu.Unlock()
	for _, d := range a.store.All() {
		if p := d.Path(); p != "" {
			c.file(p).rest()
			c.file(p).closed(a, d.URI)
		}
	}
}
