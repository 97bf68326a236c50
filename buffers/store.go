package buffers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
)

// Options are what a Store needs from outside. The zero value is ready for use.
type Options struct {
	Encoding position.Encoding // as agreed with the editor; with position.LFRows if its rows are not LSP's

	// ReadDisk and Stat stand in for the file system in tests.
	ReadDisk func(Path) (Disk, error)
	Stat     func(Path) (fs.FileInfo, error)
	Now      func() time.Time
}

// Store holds the documents one editor has open. Apply is called from one goroutine, the loop that reads from the editor;
// all other methods from any.
type Store struct {
	opts    Options
	tickets atomic.Uint64

	// writing makes one step of what reads a document, then publishes its successor. It is held for computing, never for
	// waiting. It is locked before mu.
	writing    sync.Mutex
	seq        uint64
	closing    string      // key of the document that was closed by the last message, "" if none
	justClosed []*Document // closed last, with no change and no save since; at most maxJustClosed

	mu   sync.RWMutex // guards docs, for moments
	docs map[string]*Document
}

// maxJustClosed bounds the closed documents that an opened one is compared with, to recognise a renamed file.
const maxJustClosed = 8

// NewStore returns an empty Store.
func NewStore(opts Options) *Store {
	if opts.ReadDisk == nil {
		opts.ReadDisk = ReadDisk
	}
	if opts.Stat == nil {
		opts.Stat = func(p Path) (fs.FileInfo, error) { return statRegular(string(p)) }
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Store{opts: opts, docs: make(map[string]*Document)}
}

// Apply does what a message of the editor says and returns what happened, in order: usually one Event, none for a Close
// (see Settle), and first the Closed of a document that an earlier message closed. cause is for the log and for the
// events. The error is about this message alone, to be logged; it wraps ErrNotOpen if the document is not open. The
// events are valid also beside an error.
func (s *Store) Apply(m Modification, cause string) ([]Event, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	var events []Event
	key := uriKey(m.uri())
	if _, opens := m.(Open); !opens || key != s.closing {
		events = s.settle(cause)
	}
	before := s.get(key)
	if open, ok := m.(Open); ok {
		events = append(events, s.open(key, before, open, cause))
		return events, nil
	}
	if _, ok := m.(Close); !ok {
		s.justClosed = nil
	}
	if before == nil {
		return events, fmt.Errorf("%s %s (%s): %w", m.verb(), m.uri(), cause, ErrNotOpen)
	}
	switch m := m.(type) {
	case Change:
		events = append(events, s.change(key, before, m, cause))
	case Save:
		events = append(events, s.save(key, before, m, cause))
	case Close:
		s.closing = key
	}
	return events, nil
}

// Settle takes note that the message after a Close is not an Open of the same document: that document is closed now. Until
// then it is served as if it were open, because an editor that reloads a file closes and opens it. Apply settles by itself;
// Settle is for the messages that are no Modification, and for when none comes for a while. It is cheap when there is
// nothing to settle.
func (s *Store) Settle(cause string) []Event {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.settle(cause)
}

func (s *Store) settle(cause string) []Event {
	if s.closing == "" {
		return nil
	}
	doc := s.get(s.closing)
	s.mu.Lock()
	delete(s.docs, s.closing)
	s.mu.Unlock()
	s.closing = ""
	if len(s.justClosed) == maxJustClosed {
		s.justClosed = slices.Delete(s.justClosed, 0, 1)
	}
	s.justClosed = append(s.justClosed, doc)
	return []Event{{Kind: Closed, Cause: cause, Before: doc}}
}

func (s *Store) open(key string, before *Document, m Open, cause string) Event {
	s.closing = ""
	after := &Document{URI: m.URI, LanguageID: m.LanguageID, Version: m.Version}
	if before != nil {
		step := replaceAll(before.Text, m.Text)
		after.file, after.Text = before.file, step.After
		event := Event{Kind: Reloaded, Cause: cause, Before: before, After: after}
		after.encoded = before.encoded
		if step.Start == step.OldEnd && step.Start == step.NewEnd {
			// A new language for the same text, saved or not.
			after.seq, after.saved, after.eol, after.disk = before.seq, before.saved, before.eol, before.disk
		} else {
			event.Steps = []Step{step}
			after.seq, after.saved, after.eol = s.nextSeq(), savedAtOpen(after), EndsOf(after.Text).EOL
		}
		s.put(key, after)
		return event
	}
	after.Text = text.New(m.Text)
	after.file = fileOf(m.URI)
	after.seq, after.saved, after.eol = s.nextSeq(), savedAtOpen(after), EndsOf(after.Text).EOL
	event := Event{Kind: Opened, Cause: cause, After: after}
	for _, closed := range slices.Backward(s.justClosed) {
		if closed.file != nil && closed.Text.Len() > 0 && closed.Text.Equal(after.Text) { // every new file is empty
			event.RenameOf = closed
			break
		}
	}
	s.put(key, after)
	return event
}

// savedAtOpen is what an opened document is compared with until the disk has been looked at: an editor opens what it has
// read.
func savedAtOpen(d *Document) *lazyHash {
	if d.file == nil {
		return hashLater(text.Text{}) // nothing of it is in a file
	}
	return hashLater(d.Text)
}

func (s *Store) change(key string, before *Document, m Change, cause string) Event {
	after := *before
	after.Version = m.Version
	event := Event{Kind: Changed, Cause: cause, Before: before, After: &after, Formatted: m.Formatted, Clean: m.Clean}
	for _, c := range m.Changes {
		var step Step
		if c.Range == nil {
			step = replaceAll(after.Text, c.Text)
		} else {
			start, end := position.RangeOffsets(after.Text, *c.Range, s.opts.Encoding)
			step = Step{after.Text.Replace(start, end, c.Text), start, end, start + len(c.Text)}
		}
		event.Steps = append(event.Steps, step)
		after.Text = step.After
	}
	if len(m.Changes) > 0 {
		after.seq = s.nextSeq()
		after.reconcile()
	}
	s.put(key, &after)
	return event
}

func (s *Store) save(key string, before *Document, m Save, cause string) Event {
	after := *before
	event := Event{Kind: Saved, Cause: cause, Before: before, After: &after}
	if m.Text != nil {
		if step := replaceAll(after.Text, *m.Text); step.Start != step.OldEnd || step.Start != step.NewEnd {
			event.Mended, event.Steps = true, []Step{step}
			after.Text, after.seq = step.After, s.nextSeq()
		}
	}
	if after.file != nil {
		event.Disk, event.DiskErr = s.opts.ReadDisk(after.Path())
		if d := event.Disk; after.encoded && event.DiskErr == nil && d.Content != "" && NormHash(d.Content) != NormHashText(after.Text) {
			event.Disk, event.DiskErr = Disk{}, d.AsEncoded() // in the encoding of the editor it happens to be UTF-8
		}
		event.Unwritten = !after.written(event.Disk, event.DiskErr)
		event.Earlier = event.Unwritten && m.Earlier
		if !event.Unwritten {
			after.saved, after.eol = hashLater(after.Text), EndsOf(after.Text).EOL
			sum, encoded := SumOf(event.DiskErr)
			after.encoded = encoded
			after.disk = &observation{ticket: s.tickets.Add(1), norm: after.saved, ends: EndsOf(text.New(event.Disk.Content)), sum: sum, at: s.opts.Now()}
		}
	}
	s.put(key, &after)
	return event
}

// written reports whether the file of a document holds its text. It is asked for at a save only, when the file has just
// been written and is read fast. Of one that is there and not to be read as text (in another encoding, for one) the editor
// is believed, unless the bytes are those that somebody has seen already and are not the text in any encoding: a look may
// come between an editor's write and its word of that.
func (d *Document) written(disk Disk, err error) bool {
	if e := Encoded(err); e != nil {
		return d.disk == nil || d.disk.sum != e.Sum || d.State() != Dirty || e.Holds(d.Text)
	}
	if err != nil {
		return errors.Is(err, ErrNotUTF8) || errors.Is(err, ErrTooLarge)
	}
	return disk.Exists && NormHashText(text.New(disk.Content)) == NormHashText(d.Text)
}

// reconcile notes that a document which reads as its file does has nothing unsaved, however it got there: an editor that
// reloads by an ordinary change says no more than that.
func (d *Document) reconcile() {
	if d.disk != nil && d.disk.norm != d.saved && NormHashText(d.Text) == d.disk.norm.hash() {
		d.saved = d.disk.norm
	}
}

// Get returns the document that the editor has open as uri, in any percent-encoding, or nil.
func (s *Store) Get(uri string) *Document { return s.get(uriKey(uri)) }

// All returns the open documents, those changed last first.
func (s *Store) All() []*Document {
	s.mu.RLock()
	docs := slices.Collect(maps.Values(s.docs))
	s.mu.RUnlock()
	slices.SortStableFunc(docs, func(a, b *Document) int { return cmp.Compare(b.seq, a.seq) })
	return docs
}

// Live returns the document that holds the live text of a file, or nil if none is open: of several the dirty one, else the
// one changed last. The clash is not nil if two dirty ones differ; then reads are served from the one changed last, and
// writes should be refused.
func (s *Store) Live(p Path) (*Document, *Clash) {
	docs := s.of(p)
	if len(docs) < 2 {
		if len(docs) == 0 {
			return nil, nil
		}
		return docs[0], nil
	}
	var dirty []*Document
	for _, d := range docs {
		if d.State() == Dirty {
			dirty = append(dirty, d)
		}
	}
	if len(dirty) == 0 {
		return docs[0], nil
	}
	clash := &Clash{Path: p, URIs: []string{dirty[0].URI}}
	for _, d := range dirty[1:] {
		if !d.Text.Equal(dirty[0].Text) {
			clash.URIs = append(clash.URIs, d.URI)
		}
	}
	if len(clash.URIs) == 1 {
		clash = nil
	}
	return dirty[0], clash
}

// of returns the documents of a file, those changed last first.
func (s *Store) of(p Path) []*Document {
	if p == "" {
		return nil
	}
	// Paths are resolved here, outside of any lock, because it may take the disk a while.
	return slices.DeleteFunc(s.All(), func(d *Document) bool { return d.Path() != p })
}

func (s *Store) get(key string) *Document {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.docs[key]
}

func (s *Store) put(key string, d *Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[key] = d
}

func (s *Store) nextSeq() uint64 {
	s.seq++
	return s.seq
}
