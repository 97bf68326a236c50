package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// writer writes messages one after another, each with one Write to the pipe.
//
// A writer that waits on a full pipe can not be interrupted without tearing the
// message apart. So for callers who may lose patience the writing is done by a
// goroutine that lives while there is something to write, and they can give up:
// a message that was not begun is then not sent, one that was begun is sent to
// its end. The queue holds one message for each waiting caller and no more.
type writer struct {
	out   io.WriteCloser
	trace func(outgoing bool, line []byte)
	done  sync.WaitGroup // whoever is writing

	mu      sync.Mutex
	queue   []*frame
	running bool
	err     error // the first write error: nothing can be written after it
}

type frame struct {
	line []byte        // with its newline
	done chan struct{} // capacity 1: sent to once, when it was written or not
	err  error         // valid after that
}

// frames spares small messages the making of a frame.
var frames = sync.Pool{New: func() any { return &frame{done: make(chan struct{}, 1)} }}

// frameKept is the longest line whose memory is used again.
const frameKept = 64 << 10

func newFrame(msg jsonrpc2.Message) *frame {
	f := frames.Get().(*frame)
	f.line = appendMessage(f.line[:0], msg)
	return f
}

// free gives back a frame nobody holds any more.
func (f *frame) free() {
	if cap(f.line) <= frameKept {
		f.err = nil
		frames.Put(f)
	}
}

// Write sends msg and returns when it has been handed to the operating system,
// or ctx has ended. The count is the message's length with its newline.
func (w *writer) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	f := newFrame(msg)
	w.mu.Lock()
	switch {
	case w.err != nil:
		defer w.mu.Unlock()
		f.free()
		return 0, w.err
	case w.running:
		w.queue = append(w.queue, f)
	case ctx.Done() == nil: // it can not be given up: no need for another goroutine
		w.running = true
		w.done.Add(1)
		w.mu.Unlock()
		w.write(f)
		<-f.done
		n, err := int64(len(f.line)), f.err
		f.free()
		w.handOver()
		return n, err
	default:
		w.running = true
		w.queue = append(w.queue, f)
		w.done.Go(w.run)
	}
	w.mu.Unlock()

	select {
	case <-f.done:
		n, err := int64(len(f.line)), f.err
		f.free()
		return n, err
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.queue, f); i >= 0 {
		w.queue = slices.Delete(w.queue, i, i+1)
		return 0, ctx.Err()
	}
	return 0, errBegun{ctx.Err()}
}

// handOver ends a write of the caller's own: what has queued up meanwhile is
// left to a goroutine.
func (w *writer) handOver() {
	w.mu.Lock()
	if len(w.queue) > 0 {
		w.done.Go(w.run)
	} else {
		w.running = false
	}
	w.mu.Unlock()
	w.done.Done()
}

// errBegun says that ctx ended while a message was being written. It will be
// written to its end.
type errBegun struct{ error }

func (e errBegun) Unwrap() error { return e.error }

// close makes every write fail, and returns when none is under way any more.
func (w *writer) close() error {
	w.mu.Lock()
	if w.err == nil {
		w.err = io.ErrClosedPipe
	}
	w.mu.Unlock()
	err := w.out.Close()
	w.done.Wait()
	return err
}

func (w *writer) run() {
	for {
		w.mu.Lock()
		if len(w.queue) == 0 {
			w.running, w.queue = false, nil
			w.mu.Unlock()
			return
		}
		f := w.queue[0]
		w.queue = slices.Delete(w.queue, 0, 1)
		w.mu.Unlock()
		w.write(f)
	}
}

// write writes one frame. Only one goroutine is here at a time.
func (w *writer) write(f *frame) {
	w.mu.Lock()
	f.err = w.err
	w.mu.Unlock()
	if f.err == nil {
		if w.trace != nil {
			w.trace(true, f.line[:len(f.line)-1])
		}
		if _, err := w.out.Write(f.line); err != nil {
			f.err = fmt.Errorf("%w: %w", ErrWrite, err)
			w.mu.Lock()
			if w.err == nil {
				w.err = f.err
			}
			w.mu.Unlock()
		}
	}
	f.done <- struct{}{}
}

var rawIDInReply = []byte(`{"jsonrpc":"2.0","id":"\u0000`)

// appendMessage appends msg as one line with its newline.
func appendMessage(dst []byte, msg jsonrpc2.Message) []byte {
	line := jsonrpc2.AppendMessage(dst, msg)
	if bytes.HasPrefix(line, rawIDInReply) {
		line = restoreID(line)
	}
	// Inside JSON a bare newline can only be white space between tokens: a server
	// configuration the user has written over several lines.
	for i := 0; ; {
		k := bytes.IndexByte(line[i:], '\n')
		if k < 0 {
			return append(line, '\n')
		}
		i += k
		line[i] = ' '
	}
}

// restoreID puts the id of a response back to the JSON text the agent sent.
func restoreID(line []byte) []byte {
	start := len(rawIDInReply) - len(`"\u0000`)
	end := skipString(line, start)
	id, ok := unquote(line[start:end])
	if !ok {
		return line
	}
	return slices.Replace(line, start, end, []byte(id[len(rawID):])...)
}
