package lspbridge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

const (
	// maxFrame is the longest message body that is read.
	maxFrame = 1 << 30
	// maxKept is the largest buffer kept between messages: one large didOpen must
	// not cost its size for the rest of the process.
	maxKept = 1 << 20
	// maxHeader is the longest header of a message.
	maxHeader = 8 << 10
)

// errStreamClosed is what writes return after the stream was closed.
var errStreamClosed = errors.New("the connection to the editor is closed")

// stream frames JSON-RPC messages with LSP headers. It differs from the
// library's own in three ways.
//
// A body that is no JSON-RPC message costs that message (it is answered with a
// null id), not the connection.
//
// Messages are written by one goroutine in the order of the calls of Write, so
// that what is queued first arrives first, whoever sends it. Responses are only
// queued: a handler on the read loop never waits for an editor that does not
// read. Calls and notifications return when they have been written, or when
// their context ends; one whose writing had not begun is then withdrawn.
//
// Close lets what is queued out before it closes the connection; abort does not.
type stream struct {
	rwc  io.ReadWriteCloser
	log  *slog.Logger
	in   *bufio.Reader
	body []byte
	// onRead is called on the read loop with every message; onEnd once, with the
	// error that ended reading.
	onRead func(jsonrpc2.Message)
	onEnd  func(error)

	mu      sync.Mutex
	queue   []*outgoing
	closing bool
	err     error // why nothing can be written any more

	closed sync.Once
	wake   chan struct{} // capacity 1
	done   chan struct{} // closed when the writer has ended
}

// outgoing is one framed message on its way. done is nil if nobody waits.
type outgoing struct {
	frame  []byte
	done   chan error // capacity 1
	queued func()     // see withQueued
}

var _ jsonrpc2.Stream = (*stream)(nil)

func newStream(rwc io.ReadWriteCloser, log *slog.Logger) *stream {
	s := &stream{
		rwc: rwc, log: log, in: bufio.NewReaderSize(rwc, 64<<10),
		onRead: func(jsonrpc2.Message) {}, onEnd: func(error) {},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go s.write()
	return s
}

// Read returns the next message. Its params are valid until the next Read.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			s.onEnd(err)
			return nil, 0, err
		}
		body, err := s.readFrame()
		if err != nil {
			s.onEnd(err)
			return nil, 0, err
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			msg, err = decodeLoose(body, err)
		}
		if err != nil {
			s.log.Warn("message from the editor is left out", "error", err, "bytes", len(body))
			s.refuse(err)
			continue
		}
		s.onRead(msg)
		return msg, int64(len(body)), nil
	}
}

// refuse answers a message that could not be read (JSON-RPC 2.0, section 5.1).
func (s *stream) refuse(err error) {
	code := jsonrpc2.InvalidRequest
	if errors.Is(err, jsonrpc2.ErrParse) {
		code = jsonrpc2.ParseError
	}
	framed, _ := frame(jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, jsonrpc2.NewError(code, err.Error())))
	_ = s.enqueue(&outgoing{frame: framed}) // fails only when reading ends too
}

func (s *stream) readFrame() ([]byte, error) {
	length, err := s.readHeader()
	if err != nil {
		return nil, err
	}
	if cap(s.body) > maxKept && length <= maxKept {
		s.body = nil
	}
	if cap(s.body) < length {
		s.body = make([]byte, length)
	}
	body := s.body[:length]
	if _, err := io.ReadFull(s.in, body); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return body, nil
}

// readHeader reads the header of a message and returns the length of its body.
// Lines may end in LF alone; fields other than Content-Length are ignored.
func (s *stream) readHeader() (int, error) {
	length, size := -1, 0
	for {
		line, err := s.in.ReadSlice('\n')
		if err == io.EOF && size == 0 && len(line) == 0 {
			return 0, io.EOF
		}
		if err == io.EOF {
			return 0, io.ErrUnexpectedEOF
		}
		if size += len(line); err == bufio.ErrBufferFull || size > maxHeader {
			return 0, fmt.Errorf("%w: longer than %d bytes", jsonrpc2.ErrInvalidHeader, maxHeader)
		}
		if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if length < 0 && size <= 2 {
				size = 0 // an empty line between messages
				continue
			}
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if !bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			continue
		}
		n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
		if err != nil || n < 0 || n > maxFrame {
			return 0, fmt.Errorf("%w: Content-Length %q", jsonrpc2.ErrInvalidHeader, value)
		}
		length = n
	}
	if length < 0 {
		return 0, fmt.Errorf("%w: no Content-Length", jsonrpc2.ErrInvalidHeader)
	}
	return length, nil
}

type queuedKey struct{}

// withQueued returns a context for a call or notification; f is called in the
// moment its message gets its place in the queue: nothing queued later, and
// nobody who reads the message, comes before f. It must not wait, nor write.
func withQueued(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, queuedKey{}, f)
}

// Write queues a message and, unless it is a response, waits for it to be written.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	framed, isRequest := frame(msg)
	size := int64(len(framed))
	if !isRequest {
		return size, s.enqueue(&outgoing{frame: framed})
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	out := &outgoing{frame: framed, done: make(chan error, 1)}
	out.queued, _ = ctx.Value(queuedKey{}).(func())
	if err := s.enqueue(out); err != nil {
		return 0, err
	}
	select {
	case err := <-out.done:
		return size, err
	case <-ctx.Done():
		s.withdraw(out)
		return 0, ctx.Err()
	}
}

// requestPrefix is how the library begins calls and notifications, and only
// those. (The connection hands over values of unexported types.)
var requestPrefix = []byte(`{"jsonrpc":"2.0","method":`)

func frame(msg jsonrpc2.Message) (framed []byte, isRequest bool) {
	const reserve = len("Content-Length: ") + 10 + len("\r\n\r\n")
	buf := jsonrpc2.AppendMessage(make([]byte, reserve, 512), msg)
	header := append(make([]byte, 0, 64), "Content-Length: "...)
	header = strconv.AppendInt(header, int64(len(buf)-reserve), 10)
	header = append(header, "\r\n\r\n"...)
	start := reserve - len(header)
	copy(buf[start:], header)
	return buf[start:], bytes.HasPrefix(buf[reserve:], requestPrefix)
}

func (s *stream) enqueue(out *outgoing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return s.err
	case s.closing:
		return errStreamClosed
	}
	if out.queued != nil {
		out.queued()
	}
	s.queue = append(s.queue, out)
	s.kick()
	return nil
}

// withdraw takes a message back whose writing has not begun.
func (s *stream) withdraw(out *outgoing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.queue, out); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	}
}

func (s *stream) kick() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// write is the writer's goroutine.
func (s *stream) write() {
	defer close(s.done)
	for {
		out, closing := s.next()
		switch {
		case out == nil && closing:
			s.fail(errStreamClosed)
			return
		case out == nil:
			<-s.wake
			continue
		}
		_, err := s.rwc.Write(out.frame)
		if out.done != nil {
			out.done <- err
		}
		if err != nil {
			s.fail(fmt.Errorf("write to the editor: %w", err))
			return
		}
	}
}

func (s *stream) next() (out *outgoing, closing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.queue = nil
		return nil, s.closing
	}
	out, s.queue[0] = s.queue[0], nil
	s.queue = s.queue[1:]
	return out, s.closing
}

// fail ends the stream in both directions: an editor that cannot be answered is
// as good as gone.
func (s *stream) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	rest := s.queue
	s.queue = nil
	s.mu.Unlock()
	for _, out := range rest {
		if out.done != nil {
			out.done <- err
		}
	}
	s.closed.Do(func() { _ = s.rwc.Close() }) // the error that matters is err
}

// broken is why nothing can be written any more, if that is so.
func (s *stream) broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close writes what is queued, then closes the connection. It does not wait for
// either: done tells.
func (s *stream) Close() error {
	s.mu.Lock()
	s.closing = true
	s.kick()
	s.mu.Unlock()
	return nil
}

// abort closes the connection at once. A write that is stuck in the operating
// system may outlive it where closing does not interrupt it.
func (s *stream) abort() {
	s.fail(errStreamClosed)
	_ = s.Close() // ends a writer that sleeps
}
