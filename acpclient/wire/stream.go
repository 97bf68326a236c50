package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

const (
	// DefaultMaxLine is the length in bytes from which on a line costs its
	// message. Agents have been seen to send 30 MB in one.
	DefaultMaxLine = 64 << 20

	readStart    = 64 << 10 // the first read buffer
	readRetained = 1 << 20  // a read buffer of this size is kept for ever
	readPatience = 256      // a bigger one for so many lines that did not need it
)

// StreamOptions configure a [Stream]. The zero value is usable.
type StreamOptions struct {
	// MaxLine is the longest line in bytes; 0 means [DefaultMaxLine].
	MaxLine int

	// Report is told of everything that was skipped. It is called on the
	// reading goroutine and must not block. May be nil.
	Report func(Report)

	// Trace is given every message and every line of noise, without its
	// newline; outgoing says which way it went. It may be called concurrently
	// for the two ways, and must not retain line. [Redact] takes the secrets out.
	Trace func(outgoing bool, line []byte)
}

// Stream is a [jsonrpc2.Stream] of newline-delimited JSON that gets over
// everything agents write to their stdout. Lines end at byte 0x0A and nowhere
// else; the last one need not end.
//
// What is no message is reported and skipped; what is nearly one is read as it
// was meant: byte order marks, CR, text before or after the message on its line,
// a missing "jsonrpc", null beside what is meant, ids of any JSON type (they are
// answered byte for byte as they came).
//
// A line above the limit is skipped and costs its message alone: if it was a
// response, the stream delivers an error response in its place; if it was a
// request, it delivers a call of the method [methodTooLong], to be answered with
// "invalid request".
//
// Read must be called from one goroutine at a time; a request it returns borrows
// the read buffer until the next Read, a response owns its bytes. Write and
// Close are safe for concurrent use.
type Stream struct {
	in  io.ReadCloser
	opt StreamOptions

	// Owned by the goroutine that reads.
	buf     []byte
	r, w    int    // unread bytes: buf[r:w]
	readErr error  // after which only buf[r:w] is left
	small   int    // lines in a row that would have fit readRetained
	message []byte // the one that was read last, as it stood on its line

	// known, if set, is given each line before it is read, and reports whether that
	// was all that was to be done with it. The line is borrowed.
	known func(line []byte) bool

	writer
	closeOnce sync.Once
	closeErr  error
}

// NewStream returns a stream that reads from in and writes to out, and closes
// both. Closing in must end a Read that waits in it.
func NewStream(in io.ReadCloser, out io.WriteCloser, opt StreamOptions) *Stream {
	if opt.MaxLine <= 0 {
		opt.MaxLine = DefaultMaxLine
	}
	s := &Stream{in: in, opt: opt}
	s.writer.out, s.writer.trace = out, opt.Trace
	return s
}

// Read returns the next message. The errors are those of the reader beneath,
// io.EOF at the end; no content of a line makes one.
func (s *Stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		line, over, err := s.readLine()
		if err != nil {
			return nil, 0, err
		}
		if over != nil {
			if msg := s.tooLong(over); msg != nil {
				return msg, over.size, nil
			}
			continue
		}
		if msg := s.parseLine(line); msg != nil {
			return msg, int64(len(line)), nil
		}
	}
}

// readLine returns the next line without its newline, or what could be learned
// of one that was too long. The line is valid until the next call.
func (s *Stream) readLine() (line []byte, over *overlong, err error) {
	s.shrink()
	for from := s.r; ; {
		if i := bytes.IndexByte(s.buf[from:s.w], '\n'); i >= 0 {
			line = s.buf[s.r : from+i]
			s.r = from + i + 1
			if len(line) > s.opt.MaxLine {
				over = new(overlong)
				over.feed(line)
				return nil, over, nil
			}
			return line, nil, nil
		}
		if s.w-s.r > s.opt.MaxLine {
			over, err = s.skipLine()
			return nil, over, err
		}
		if s.readErr != nil {
			if s.r == s.w {
				return nil, nil, s.readErr
			}
			line = s.buf[s.r:s.w] // the last line, unterminated
			s.r = s.w
			return line, nil, nil
		}
		s.makeRoom()
		from = s.w
		s.fill()
	}
}

// skipLine passes the rest of a line that is already longer than allowed.
func (s *Stream) skipLine() (*overlong, error) {
	over := new(overlong)
	for {
		end := bytes.IndexByte(s.buf[s.r:s.w], '\n')
		if end >= 0 {
			over.feed(s.buf[s.r : s.r+end])
			s.r += end + 1
			return over, nil
		}
		over.feed(s.buf[s.r:s.w])
		s.r, s.w = 0, 0
		if s.readErr != nil {
			return over, nil
		}
		s.fill()
	}
}

// fill reads once. Errors are kept until the bytes before them are used.
func (s *Stream) fill() {
	for range 100 {
		n, err := s.in.Read(s.buf[s.w:])
		s.w += n
		s.readErr = err
		if n > 0 || err != nil {
			return
		}
	}
	s.readErr = io.ErrNoProgress
}

// makeRoom provides for at least one byte after buf[r:w].
func (s *Stream) makeRoom() {
	if s.r > 0 && s.r == s.w {
		s.r, s.w = 0, 0
	}
	if s.w < len(s.buf) {
		return
	}
	if s.r > 0 {
		s.w = copy(s.buf, s.buf[s.r:s.w])
		s.r = 0
		if s.w < len(s.buf)/2 {
			return
		}
	}
	size := max(2*len(s.buf), min(readStart, s.opt.MaxLine+1))
	grown := make([]byte, min(size, s.opt.MaxLine+1+readStart))
	copy(grown, s.buf[:s.w])
	s.buf = grown
}

// shrink gives a big read buffer back when it has not been needed for a while.
func (s *Stream) shrink() {
	if len(s.buf) <= readRetained {
		return
	}
	if s.w-s.r > readRetained {
		s.small = 0
		return
	}
	if s.small++; s.small < readPatience {
		return
	}
	kept := make([]byte, readRetained)
	s.w = copy(kept, s.buf[s.r:s.w])
	s.r, s.buf, s.small = 0, kept, 0
}

// tooLong reports a skipped line and returns what stands in for it, if anybody
// waits for an answer.
func (s *Stream) tooLong(o *overlong) jsonrpc2.Message {
	err := fmt.Errorf("message of %d bytes is longer than the limit of %d bytes", o.size, s.opt.MaxLine)
	method, _ := unquote(o.method)
	s.report(Report{Problem: TooLong, Method: method, ID: string(o.id), Size: o.size, Err: err})
	id, ok := parseID(o.id)
	switch {
	case !ok || !id.IsValid():
		return nil
	case len(o.method) > 0 && !o.result && !o.error:
		params := quote(err.Error())
		return jsonrpc2.NewCall(id, methodTooLong, params)
	default:
		return jsonrpc2.NewResponse(responseID(id), nil, jsonrpc2.NewError(jsonrpc2.InternalError, err.Error()))
	}
}

func (s *Stream) report(r Report) {
	if s.opt.Report != nil {
		s.opt.Report(r)
	}
}

// Close closes both directions. Reads and writes that wait return.
func (s *Stream) Close() error {
	s.closeOnce.Do(func() {
		// The writing side first: an agent that ends at the end of its input does
		// so before its output is torn away.
		s.closeErr = errors.Join(s.writer.close(), s.in.Close())
	})
	return s.closeErr
}
