package buffers

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"acp-ls/buffers/text"
)

// Document is a text the editor has open, as it was after one of the editor's messages. It never changes; the Store has
// the next one.
type Document struct {
	URI        string // as the editor spells it
	LanguageID string
	Version    int32
	Text       text.Text

	seq   uint64       // orders the changes of all documents of a store
	file  *file        // shared by all snapshots from open to close; nil without a file
	saved *lazyHash    // what the editor last read or wrote
	eol   EOL          // of the text when the editor last read or wrote it
	disk  *observation // what the file held when last looked at; nil if not looked at since it was opened

	encoded bool // its editor reads the file in another encoding than UTF-8, as far as is known
}

// Path returns the file of the document, or "" for a document without one (untitled: and other schemes). The first call
// looks at the disk, to resolve links; all snapshots of a document share the answer.
func (d *Document) Path() Path {
	if d.file == nil {
		return ""
	}
	return d.file.path()
}

// State says how a document relates to its file.
type State uint8

const (
	Clean  State = iota // nothing is unsaved
	Dirty               // the user has something that the file has not
	Behind              // nothing is unsaved, and the file has moved on: the editor has not reloaded
)

func (s State) String() string { return [...]string{"clean", "dirty", "behind"}[s] }

// State returns the state of d as far as the disk has been looked at: until Checked, what the editor opened is taken for
// what the file holds. A document without a file is dirty unless empty. The first call on a large document reads it
// all, later ones what has changed.
func (d *Document) State() State {
	norm := NormHashText(d.Text)
	switch saved := d.saved.hash(); {
	case norm != saved:
		return Dirty
	case d.disk != nil && d.disk.norm.hash() != saved:
		return Behind
	}
	return Clean
}

// Turned reports whether all line ends of a document have become of another kind since its editor has read or written it,
// and of another one than the file has. That says nothing of its state, but it is the user's and unsaved: to save the
// document would give the file those line ends.
func (d *Document) Turned() bool {
	now := EndsOf(d.Text)
	return Ends{EOL: d.eol}.Turned(now) && (d.disk == nil || d.disk.ends.EOL != now.EOL)
}

// Checked reports whether the file has been looked at since the document was opened.
func (d *Document) Checked() bool { return d.disk != nil }

// Encoded reports whether the editor reads the file of the document in another encoding than UTF-8, as far as is known.
func (d *Document) Encoded() bool { return d.encoded }

// Held reports whether content, as far as NormHash tells, is what the file held when it was last looked at.
func (d *Document) Held(content text.Text) bool {
	return d.disk != nil && d.disk.norm.hash() == NormHashText(content)
}

// observation is what a file held at one time.
type observation struct {
	ticket uint64 // orders observations by when they began
	norm   *lazyHash
	ends   Ends
	sum    string      // if it was not UTF-8, see EncodedError
	info   fs.FileInfo // nil if unknown or if there was no file
	at     time.Time
}

// lazyHash is a NormHash computed when first needed, away from the loop that reads from the editor.
type lazyHash struct{ hash func() text.Hash }

func hashLater(t text.Text) *lazyHash {
	return &lazyHash{sync.OnceValue(func() text.Hash { return NormHashText(t) })}
}

// file is what a document is opened from.
type file struct{ path func() Path }

// fileOf returns the file that uri names, or nil.
func fileOf(uri string) *file {
	name, ok := URIPath(uri)
	if !ok || !filepath.IsAbs(name) {
		return nil
	}
	return &file{sync.OnceValue(func() Path {
		path, err := Resolve(name)
		if err != nil {
			return Path(filepath.Clean(name)) // not allowed to look: the name is the best there is
		}
		return path
	})}
}

// Clash is the error for a file that two documents claim with different unsaved texts: whoever writes to one takes
// something away from the other.
type Clash struct {
	Path Path
	URIs []string // the document that reads are served from first
}

func (c *Clash) Error() string {
	return fmt.Sprintf("file %s is open with different unsaved texts as %q: save or close one of them", c.Path, c.URIs)
}
