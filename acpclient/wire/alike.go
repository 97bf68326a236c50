package wire

import (
	"bytes"

	"go.lsp.dev/jsonrpc2"
)

// chunkFrame is a line that held a chunk of plain text, without that text. An agent
// streams an answer in lines that differ in nothing else, thousands of them: a
// line with the same bytes before and after its text says the same of another
// text, and need not be read member by member.
//
// It is owned by the goroutine that reads.
type chunkFrame struct {
	head, tail []byte // head ends, and tail begins, with a quote of the text
	session    string
	chunk      MessageChunk // as it is but for its text
}

// set makes f the frame of line, in which text, a slice of line's array, is the
// JSON string that chunk's text was read from.
func (f *chunkFrame) set(line, text []byte, session string, chunk *MessageChunk) {
	begin := cap(line) - cap(text)
	end := begin + len(text)
	f.head = append(f.head[:0], line[:begin+1]...)
	f.tail = append(f.tail[:0], line[end-1:]...)
	f.session = session
	f.chunk = *chunk
	f.chunk.Content.Text = ""
}

// read returns the chunk in line if the frame fits it, else nil.
func (f *chunkFrame) read(line []byte) *MessageChunk {
	n := len(f.head)
	if n == 0 || !bytes.HasPrefix(line, f.head) || !bytes.HasSuffix(line[n:], f.tail) {
		return nil
	}
	// The first quote that is not escaped ends the text, and must be the tail's.
	if end := len(line) - len(f.tail) + 1; skipString(line, n-1) == end {
		if text, ok := unquote(line[n-1 : end]); ok {
			chunk := f.chunk
			chunk.Content.Text = text
			return &chunk
		}
	}
	return nil
}

// alike hands on the chunk of a line that is like the last one that held a chunk.
// It reports false if the line is anything else.
func (d *dispatcher) alike(line []byte) (handed bool) {
	chunk := d.lastChunk.read(line)
	if chunk == nil {
		return false
	}
	handed = true // also if the handler panics
	defer func() {
		if p := recover(); p != nil {
			d.panicked(MethodUpdate, jsonrpc2.ID{}, p)
		}
	}()
	d.h.SessionUpdate(d.notifyCtx, d.lastChunk.session, chunk)
	return handed
}
