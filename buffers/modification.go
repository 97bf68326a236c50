package buffers

import (
	"errors"

	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
)

// Modification is one message by which the editor changes what is open: Open, Change, Save or Close.
type Modification interface {
	uri() string
	verb() string
}

// Open is textDocument/didOpen.
type Open struct {
	URI        string
	LanguageID string
	Version    int32
	Text       string
}

// Change is textDocument/didChange. The changes apply one after the other.
type Change struct {
	URI       string
	Version   int32
	Changes   []ContentChange
	Formatted bool // the editor says that saving has made them, and not the user
	Clean     bool // the editor takes the document for unchanged after them, and is going to say whether it has read its file anew
}

// ContentChange replaces a range, or the whole text if Range is nil.
type ContentChange struct {
	Range *position.Range
	Text  string
}

// Save is textDocument/didSave. Text is what was saved, if the editor says so.
type Save struct {
	URI     string
	Text    *string
	Earlier bool // the editor says that it has written a text which the document has had before
}

// Close is textDocument/didClose.
type Close struct {
	URI string
}

func (m Open) uri() string   { return m.URI }
func (m Change) uri() string { return m.URI }
func (m Save) uri() string   { return m.URI }
func (m Close) uri() string  { return m.URI }

func (Open) verb() string   { return "open" }
func (Change) verb() string { return "change" }
func (Save) verb() string   { return "save" }
func (Close) verb() string  { return "close" }

// ErrNotOpen is the error for a message about a document that is not open.
var ErrNotOpen = errors.New("document is not open")

// Kind says what an Event is about.
type Kind uint8

const (
	Opened Kind = iota
	Changed
	Saved
	Closed
	Reloaded // closed and opened at once, or opened twice: the same document with, perhaps, another text
)

func (k Kind) String() string {
	return [...]string{"opened", "changed", "saved", "closed", "reloaded"}[k]
}

// Event is what a Modification did to one document.
type Event struct {
	Kind   Kind
	Cause  string    // as given to Apply
	Before *Document // nil if Opened
	After  *Document // nil if Closed
	Steps  []Step    // the texts from Before to After, After's the last: one for each content change, none if nothing was replaced

	// Formatted is set on Changed if the editor says that saving the document has changed it so.
	Formatted bool

	// Clean is set on Changed as it is in Change.
	Clean bool

	// RenameOf is set on Opened if a document that was closed just before had the same text, and one at all. It is a rename if the file
	// of that document is gone, which only a look at the disk can tell.
	RenameOf *Document

	// Mended is set on Saved if the editor saved another text than it had told of. The document has the saved one now.
	Mended bool

	// Unwritten is set on Saved if the file does not hold what the editor says it has saved: Neovim says so of a write that
	// was refused, has failed or went to another file. The document is as unsaved as before then.
	Unwritten bool

	// Earlier is set beside Unwritten if the editor says that the file holds a text which the document has had before.
	Earlier bool

	// Disk and DiskErr are set on Saved: what the file held then, and why it could not be read.
	Disk    Disk
	DiskErr error
}

// Step is one replacement: the bytes from Start to OldEnd of the text before became those from Start to NewEnd of After.
// The range is the editor's where it sent one, and as small as possible where it sent a whole text.
type Step struct {
	After                 text.Text
	Start, OldEnd, NewEnd int
}
