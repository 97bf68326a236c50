package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers/text"
)

// Record is what is known of one file at one time.
type Record struct {
	Path string    // absolute, links resolved
	Time time.Time // of writing

	// Before is what the file held, or its document, before the edit that this record is
	// written for; nil for a record of what is already so.
	Before *Seen
	// Text is the hash of the text after it, as State has it.
	Text text.Hash

	Created, Deleted bool   // what an agent did to the file as a whole, mostly undecided
	Opaque, OpaqueOp string // why it has no hunks, and what was done to it
	From             string // the path it had before an agent renamed it, undecided
	Mode             string // what an agent did to its mode, undecided: +x or -x
	Pending          int    // undecided hunks
	// OnDisk says that the file has, or is about to have, this very text: of such records the
	// last one is kept too, for an editor that is killed goes back to it.
	OnDisk bool
	Told   bool // the user knows that the file has another text now

	// State is the tracked state or, of a file that is no text, what there is of what it was; nil if there is none, or if it is not stored because the
	// file holds secrets (Secret). A record without any of these ends the file's story.
	State  []byte
	Secret bool

	Beside []byte // what the caller knows beside the state; nil: nothing
}

// Seen is a text by its hash, or that there was no file.
type Seen struct {
	Missing bool
	Text    text.Hash
}

const accepted = "\x00accepted"

// AcceptedOf is the path of the record of what was accepted of a file, which is beside that of its state.
func AcceptedOf(path string) string { return path + accepted }

// AcceptedIn reports whether it is a record of what was accepted of a file, and of which.
func (r Record) AcceptedIn() (path string, ok bool) { return strings.CutSuffix(r.Path, accepted) }

// End reports whether nothing is left to be known of the file.
func (r Record) End() bool {
	return r.State == nil && r.Opaque == "" && !r.Secret && r.Beside == nil
}

// Undecided reports whether there is anything for the user to decide, as far as that is known.
func (r Record) Undecided() bool {
	return r.Pending > 0 || r.Created || r.Deleted || r.Opaque != "" || r.From != "" || r.Mode != "" || r.Secret
}

const (
	magic     = "acp-ls journal\x00\x02"
	headBytes = 8 // length and checksum

	kindWorkspace = 'w'
	kindRecord    = 'r'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame returns a payload with its head.
func frame(payload []byte) []byte {
	b := append(make([]byte, headBytes, headBytes+len(payload)), payload...)
	putHead(b)
	return b
}

// putHead fills the head of a frame.
func putHead(b []byte) {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-headBytes))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[headBytes:], castagnoli))
}

func appendString[S ~string | ~[]byte](b []byte, s S) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func workspaceFrame(workspace string) []byte {
	return frame(appendString([]byte{kindWorkspace}, workspace))
}

// What a record has, as bits.
const (
	hasBefore = 1 << iota
	beforeMissing
	hasCreated
	hasDeleted
	hasState
	hasSecret
	hasOnDisk
	hasTold
)

func (r Record) frame() []byte { return r.appendFrame(nil) }

// appendFrame appends the record with its head to b.
func (r Record) appendFrame(b []byte) []byte {
	flags := byte(0)
	set := func(is bool, bit byte) {
		if is {
			flags |= bit
		}
	}
	set(r.Before != nil, hasBefore)
	set(r.Before != nil && r.Before.Missing, beforeMissing)
	set(r.Created, hasCreated)
	set(r.Deleted, hasDeleted)
	set(r.State != nil, hasState)
	set(r.Secret, hasSecret)
	set(r.OnDisk, hasOnDisk)
	set(r.Told, hasTold)
	start := len(b)
	b = slices.Grow(b, headBytes+len(r.Path)+len(r.State)+128)[:start+headBytes]
	b = append(b, kindRecord, flags)
	b = appendString(b, r.Path)
	b = binary.AppendVarint(b, r.Time.UnixMilli())
	if r.Before != nil {
		b = append(b, r.Before.Text[:]...)
	}
	b = append(b, r.Text[:]...)
	b = appendString(b, r.Opaque)
	b = appendString(b, r.OpaqueOp)
	b = appendString(b, r.From)
	b = appendString(b, r.Mode)
	b = binary.AppendUvarint(b, uint64(r.Pending))
	if r.State != nil {
		b = appendString(b, r.State)
	}
	if r.Beside != nil {
		b = appendString(b, r.Beside)
	}
	putHead(b[start:])
	return b
}

var errPayload = errors.New("a record that does not read as one")

// payload reads what a frame holds, field by field.
type payload struct {
	b   []byte
	bad bool
}

func (p *payload) take(n uint64) []byte {
	if p.bad || n > uint64(len(p.b)) {
		p.bad = true
		return nil
	}
	out := p.b[:n:n]
	p.b = p.b[n:]
	return out
}

func (p *payload) byte() byte {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *payload) uvarint() uint64 {
	n, size := binary.Uvarint(p.b)
	if p.take(uint64(max(size, 0))); size <= 0 {
		p.bad = true
		return 0
	}
	return n
}

func (p *payload) varint() int64 {
	n, size := binary.Varint(p.b)
	if p.take(uint64(max(size, 0))); size <= 0 {
		p.bad = true
		return 0
	}
	return n
}

func (p *payload) string() string { return string(p.take(p.uvarint())) }

func (p *payload) hash() (h text.Hash) {
	copy(h[:], p.take(uint64(len(h))))
	return h
}

func parseRecord(b []byte) (Record, error) {
	p := payload{b: b}
	p.byte() // the kind
	flags := p.byte()
	r := Record{Path: p.string(), Time: time.UnixMilli(p.varint())}
	if flags&hasBefore != 0 {
		r.Before = &Seen{Missing: flags&beforeMissing != 0, Text: p.hash()}
	}
	r.Text = p.hash()
	r.Created, r.Deleted, r.Secret = flags&hasCreated != 0, flags&hasDeleted != 0, flags&hasSecret != 0
	r.OnDisk, r.Told = flags&hasOnDisk != 0, flags&hasTold != 0
	r.Opaque, r.OpaqueOp = p.string(), p.string()
	r.From, r.Mode = p.string(), p.string()
	r.Pending = int(min(p.uvarint(), 1<<30))
	if flags&hasState != 0 {
		if r.State = p.take(p.uvarint()); r.State == nil {
			r.State = []byte{}
		}
	}
	if len(p.b) > 0 {
		r.Beside = p.take(p.uvarint())
	}
	if p.bad || len(p.b) > 0 || r.Path == "" {
		return Record{}, errPayload
	}
	return r, nil
}

// ErrForeign is the error for a file that is no journal, or one of another version.
var ErrForeign = errors.New("not a journal of this version of acp-ls")

// A damage says from where on a journal cannot be read.
type damage struct {
	at, size int64
	torn     bool // only the last record is concerned: the end of its process cut it off
}

func (d damage) String() string {
	return fmt.Sprintf("%d of %d bytes cannot be read", d.size-d.at, d.size)
}

// scan reads a journal of size bytes and calls each for every record, with where its frame
// lies. It returns the workspace and, if a part cannot be read, which.
func scan(f io.ReaderAt, size int64, each func(r Record, at, n int64)) (workspace string, bad *damage, err error) {
	head := make([]byte, len(magic))
	if _, err := f.ReadAt(head, 0); errors.Is(err, io.EOF) && size < int64(len(magic)) && magic[:size] == string(head[:size]) {
		return "", &damage{0, size, true}, nil // cut off in the first write
	} else if err != nil && !errors.Is(err, io.EOF) {
		return "", nil, err
	}
	if string(head) != magic {
		return "", nil, ErrForeign
	}
	at := int64(len(magic))
	for at < size {
		b, err := readFrame(f, at, size)
		if err != nil {
			return workspace, nil, err
		}
		var r Record
		ok := len(b) > 0
		switch {
		case !ok:
		case b[0] == kindWorkspace:
			p := payload{b: b[1:]}
			workspace = p.string()
		case b[0] == kindRecord:
			r, err = parseRecord(b)
			ok = err == nil
		default:
			ok = false
		}
		if !ok {
			whole, err := wholeAfter(f, at+1, size)
			return workspace, &damage{at, size, !whole}, err
		}
		n := int64(headBytes + len(b))
		if b[0] == kindRecord {
			each(r, at, n)
		}
		at += n
	}
	return workspace, nil, nil
}

// readFrame returns the payload of the frame at at; nil if it is cut off or damaged.
func readFrame(f io.ReaderAt, at, size int64) ([]byte, error) {
	if size-at < headBytes {
		return nil, nil
	}
	h := make([]byte, headBytes)
	if _, err := f.ReadAt(h, at); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(h))
	if n > size-at-headBytes {
		return nil, nil
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, at+headBytes); err != nil {
		return nil, err
	}
	if crc32.Checksum(b, castagnoli) != binary.LittleEndian.Uint32(h[4:]) {
		return nil, nil
	}
	return b, nil
}

// wholeAfter reports whether a whole record lies behind a damaged one, which the end of a
// process cannot explain.
func wholeAfter(f io.ReaderAt, at, size int64) (bool, error) {
	const enough = 64 << 20
	b := make([]byte, min(max(size-at, 0), enough))
	if _, err := f.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	for i := 0; i+headBytes < len(b); i++ {
		n := int(binary.LittleEndian.Uint32(b[i:]))
		if b[i+headBytes] != kindRecord || n <= 0 || n > len(b)-i-headBytes {
			continue
		}
		if p := b[i+headBytes:][:n]; crc32.Checksum(p, castagnoli) == binary.LittleEndian.Uint32(b[i+4:]) {
			return true, nil
		}
	}
	return false, nil
}
