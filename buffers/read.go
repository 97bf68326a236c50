package buffers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"acp-ls/buffers/text"
)

var (
	// ErrNotUTF8 is the error for a file whose bytes are no UTF-8: only an editor that knows its encoding can show it as
	// text, and it is never written. Where the file has been read it is an *EncodedError.
	ErrNotUTF8 = errors.New("not UTF-8 text")
	// ErrNotRegular is the error for a folder, a device and whatever else has no content to read or replace.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge is the error for a file above MaxFileSize.
	ErrTooLarge = errors.New("file is too large")
)

// MaxFileSize is the largest file that is read, in bytes.
const MaxFileSize = 256 << 20

// Disk is what a file held when it was looked at. The zero value is that of a file which does not exist.
type Disk struct {
	Exists  bool
	Content string
	Info    fs.FileInfo // nil if there is no file
}

// ReadDisk reads a file. A missing one is no error but a Disk that does not exist; a folder, a special file, one that is
// too large or not UTF-8 is an error that wraps ErrNotRegular, ErrTooLarge or ErrNotUTF8.
func ReadDisk(p Path) (Disk, error) {
	disk, err := readDisk(string(p))
	if err != nil {
		return Disk{}, fmt.Errorf("read %s: %w", p, err)
	}
	return disk, nil
}

func readDisk(name string) (Disk, error) {
	if _, err := statRegular(name); err != nil { // before opening: a pipe would block
		if missing(err) {
			return Disk{}, nil
		}
		return Disk{}, err
	}
	f, err := openShared(name)
	if err != nil {
		if missing(err) {
			return Disk{}, nil
		}
		return Disk{}, bare(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Disk{}, bare(err)
	}
	content, err := readText(f, info.Size())
	if e := Encoded(err); e != nil {
		e.Info = info
	}
	if err != nil {
		return Disk{}, err
	}
	return Disk{true, content, info}, nil
}

// readText reads r, expected to hold size bytes, as text.
func readText(r io.Reader, size int64) (string, error) {
	if size > MaxFileSize {
		return "", fmt.Errorf("%w: %d bytes, at most %d are read", ErrTooLarge, size, MaxFileSize)
	}
	var buf []byte
	buf = slices.Grow(buf, int(size)+1)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case err == io.EOF:
			if !isText(buf) {
				return "", Disk{Content: string(buf)}.AsEncoded()
			}
			return string(buf), nil
		case err != nil:
			return "", bare(err)
		case len(buf) > MaxFileSize:
			return "", fmt.Errorf("%w: at most %d bytes are read", ErrTooLarge, MaxFileSize)
		}
		buf = slices.Grow(buf, 1)
	}
}

func isText(b []byte) bool { return utf8.Valid(b) && !isWide(b) }

// isWide reports whether bytes that are valid UTF-8 are UTF-16 all the same, without a byte order mark: the same one
// of the two bytes of a character is zero, in three of four at least, and never the other. Only text in Latin letters is recognised.
func isWide(b []byte) bool {
	first := bytes.IndexByte(b, 0)
	if first < 0 || len(b)%2 != 0 {
		return false
	}
	zeros := bytes.Count(b, []byte{0})
	if zeros*8 < len(b)*3 {
		return false
	}
	for i := first&1 ^ 1; i < len(b); i += 2 {
		if b[i] == 0 {
			return false
		}
	}
	return true
}

func statRegular(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, bare(err)
	case info.IsDir():
		return nil, fmt.Errorf("%w: it is a folder", ErrNotRegular)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: mode %v", ErrNotRegular, info.Mode())
	}
	return info, nil
}

// missing reports whether err says that there is no such file, also because a folder of its name is a file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) }

// bare takes the operation and name off an error of package os: our callers name them.
func bare(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	if linkErr := (*os.LinkError)(nil); errors.As(err, &linkErr) {
		return linkErr.Err
	}
	return err
}

// Look reads a file from the disk and compares the documents of that file with it, so that their State is right as of
// now. It is to be called, away from the loop that reads from the editor, when a document has been opened or reloaded and
// whenever the file may have changed. Errors are those of ReadDisk; after one the documents are as before, but for what
// bytes a file has that is not UTF-8. Where a document's editor has read the file in another encoding it is taken for one
// that is not UTF-8, whatever it has, until Loaded or a save tells that it reads the same to the editor.
func (s *Store) Look(p Path) (Disk, error) {
	ticket, at := s.tickets.Add(1), s.opts.Now()
	disk, err := s.opts.ReadDisk(p)
	if err != nil {
		if sum, ok := SumOf(err); ok {
			s.lookedEncoded(p, &observation{ticket: ticket, sum: sum, at: at})
		}
		return disk, err
	}
	docs := s.of(p)
	if len(docs) == 0 {
		return disk, nil
	}
	if disk.Content != "" && slices.ContainsFunc(docs, func(d *Document) bool { return d.misreads(disk) }) {
		e := disk.AsEncoded()
		s.lookedEncoded(p, &observation{ticket: ticket, sum: e.Sum, at: at})
		return Disk{}, fmt.Errorf("read %s: %w", p, e)
	}
	now := text.New(disk.Content)
	norm, ends := hashLater(now), EndsOf(now)
	norm.hash() // here, as is State, to have the hashes ready for Apply
	for _, doc := range docs {
		doc.State()
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	for _, seen := range docs {
		key := uriKey(seen.URI)
		doc := s.get(key)
		if doc == nil || doc.file != seen.file || doc.disk != nil && doc.disk.ticket > ticket {
			continue // closed, or saved or looked at since
		}
		after := *doc
		after.disk = &observation{ticket: ticket, norm: norm, ends: ends, info: disk.Info, at: at}
		switch {
		case doc.disk == nil:
			after.saved = norm // what the editor opened was only taken to be this
			after.encoded = doc.encoded && disk.Content == ""
		case doc.saved == seen.saved && doc.saved.hash() == norm.hash():
			after.disk.norm = doc.saved
		}
		after.reconcile()
		s.put(key, &after)
	}
	return disk, nil
}

// lookedEncoded notes what bytes a file has that only its editor can read. What was opened of it is taken for what it
// holds, until it can be read.
func (s *Store) lookedEncoded(p Path, now *observation) {
	docs := s.of(p)
	s.writing.Lock()
	defer s.writing.Unlock()
	for _, seen := range docs {
		key := uriKey(seen.URI)
		doc := s.get(key)
		if doc == nil || doc.file != seen.file || doc.disk != nil && doc.disk.ticket > now.ticket {
			continue
		}
		after, disk := *doc, *now
		if disk.norm = doc.saved; doc.disk != nil {
			disk.norm, disk.ends = doc.disk.norm, doc.disk.ends
		} else {
			after.encoded = true // else it is not known whether its editor has read that
		}
		after.disk = &disk
		s.put(key, &after)
	}
}

// misreads reports whether what disk has, which is UTF-8, is to be taken for bytes that only the editor of d can read: it has
// read something else there.
func (d *Document) misreads(disk Disk) bool {
	if d.Checked() {
		return d.encoded
	}
	return disk.Exists && NormHash(disk.Content) != NormHashText(d.Text) &&
		(d.encoded || encodes([]byte(disk.Content), oneByte, d.Text))
}

// Adopted notes that the editor has made base, which the file had, what a document is compared with to say whether it has
// something unsaved, and has told of no text in which that was so. d is the document as it was; one that was closed and
// opened since says by itself what it was opened with.
func (s *Store) Adopted(d *Document, base text.Text) {
	s.amend(d, func(after *Document) {
		after.saved = hashLater(base)
		after.reconcile()
	})
}

// Wrote notes that the editor of d has written content to the file, which d had before: what d has is unsaved, whatever the
// editor takes it for.
func (s *Store) Wrote(d *Document, content text.Text) {
	s.amend(d, func(after *Document) {
		after.saved, after.eol = hashLater(content), EndsOf(content).EOL
		after.disk = &observation{ticket: s.tickets.Add(1), norm: after.saved, ends: EndsOf(content), at: s.opts.Now()}
	})
}

// amend has change amend what is known of the document that d is of, unless that was closed, or opened anew.
func (s *Store) amend(d *Document, change func(after *Document)) {
	s.writing.Lock()
	defer s.writing.Unlock()
	key := uriKey(d.URI)
	doc := s.get(key)
	if doc == nil || doc.file != d.file {
		return
	}
	after := *doc
	change(&after)
	s.put(key, &after)
}

// Loaded notes that a document has the text that its editor has read from the file, which nobody else can read or which has
// something else by now: d, as it is. encoded: the editor does not read it as UTF-8. It reports whether the document still has
// that text.
func (s *Store) Loaded(d *Document, encoded bool) bool {
	s.writing.Lock()
	defer s.writing.Unlock()
	key := uriKey(d.URI)
	doc := s.get(key)
	if doc == nil || doc.file != d.file || !doc.Text.Equal(d.Text) {
		return false
	}
	after := *doc
	after.saved, after.eol = hashLater(doc.Text), EndsOf(doc.Text).EOL
	disk := observation{ticket: s.tickets.Add(1), norm: after.saved, at: s.opts.Now()}
	if doc.disk != nil {
		disk.sum = doc.disk.sum
	}
	after.disk, after.encoded = &disk, encoded
	s.put(key, &after)
	return true
}

// All is the limit of Read for all rows to the end.
const All = -1

// Reading is the answer to Read.
type Reading struct {
	Text     string    // the rows asked for, byte for byte
	Whole    text.Text // the text they are from
	Document *Document // the document they are from, nil if they are from the disk
}

// Read returns limit rows of a file, from the row line on, which counts from 1 (0 means 1 too): of the document if the file
// is open and not behind, else of the disk. Rows past the end are empty. The error wraps fs.ErrNotExist, ErrNotRegular,
// ErrTooLarge or ErrNotUTF8. A clash between two documents is not Read's business: see Live.
func (s *Store) Read(p Path, line, limit int) (Reading, error) {
	doc, _ := s.Live(p)
	if doc != nil && doc.State() != Dirty && s.moved(p, doc.disk) {
		// An error here is the disk's affair: the document can still be read.
		if _, err := s.Look(p); err == nil {
			doc, _ = s.Live(p)
		}
	}
	if doc != nil && doc.State() != Behind {
		return Reading{rows(doc.Text, line, limit), doc.Text, doc}, nil
	}
	disk, err := s.opts.ReadDisk(p)
	if err != nil {
		return Reading{}, err
	}
	if !disk.Exists {
		return Reading{}, fmt.Errorf("read %s: %w", p, fs.ErrNotExist)
	}
	t := text.New(disk.Content)
	return Reading{rows(t, line, limit), t, nil}, nil
}

// rows returns limit rows of t from the 1-based row line on, with their terminators.
func rows(t text.Text, line, limit int) string {
	from := min(max(line-1, 0), t.LineCount())
	to := t.LineCount()
	if limit >= 0 && limit < to-from {
		to = from + limit
	}
	return t.Slice(t.LineStart(from), t.LineStart(to))
}

// racy is how old a file must have been when looked at for its time stamp to tell whether it was written since: file
// systems have coarse clocks.
const racy = 2 * time.Second

// moved reports whether a file may hold something else than when last seen.
func (s *Store) moved(p Path, seen *observation) bool {
	if seen == nil {
		return true
	}
	info, err := s.opts.Stat(p)
	if err != nil || seen.info == nil {
		return true
	}
	return !os.SameFile(info, seen.info) || info.Size() != seen.info.Size() || !info.ModTime().Equal(seen.info.ModTime()) ||
		seen.at.Sub(info.ModTime()) < racy
}
