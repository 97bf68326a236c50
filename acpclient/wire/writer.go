package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// writer writes messages one after another, each with one Write to the pipe.
//
// A writer that waits on a full pipe can not be interrupted without tearing the
// message apart. So the writing is done by a goroutine that lives while there is
// something to write, and those who wait for it can give up: a message that was
// not begun is then not sent, one that was begun is sent to its end. The queue
// holds one message for each waiting caller and no more.
type writer struct {
	out   io.WriteCloser
	trace func(outgoing bool, line []byte)
	done  sync.WaitGroup // the writing goroutine

	mu      sync.Mutex
	queue   []*frame
	running bool
	err     error // the first write error: nothing can be written after it
}

type frame struct {
	line []byte // with its newline
	done chan struct{}
	err  error // valid when done is closed
}

// Write sends msg and returns when it has been handed to the operating system,
// or ctx has ended. The count is the message's length with its newline.
func (w *writer) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	f := &frame{line: encodeMessage(msg), done: make(chan struct{})}
	w.mu.Lock()
	if w.err != nil {
		defer w.mu.Unlock()
		return 0, w.err
	}
	w.queue = append(w.queue, f)
	if !w.running {
		w.running = true
		w.done.Go(w.run)
	}
	w.mu.Unlock()

	select {
	case <-f.done:
		return int64(len(f.line)), f.err
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, q := range w.queue {
		if q == f {
			w.queue = append(w.queue[:i], w.queue[i+1:]...)
			return 0, ctx.Err()
		}
	}
	return 0, errBegun{ctx.Err()}
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
		w.queue = w.queue[1:]
		err := w.err
		w.mu.Unlock()

		if err == nil {
			if w.trace != nil {
				w.trace(true, f.line[:len(f.line)-1])
			}
			if _, err = w.out.Write(f.line); err != nil {
				err = fmt.Errorf("write to agent: %w", err)
				w.mu.Lock()
				if w.err == nil {
					w.err = err
				}
				w.mu.Unlock()
			}
		}
		f.err = err
		close(f.done)
	}
}

var (
	newline      = []byte("\n")
	rawIDInReply = []byte(`{"jsonrpc":"2.0","id":"\u0000`)
)

// encodeMessage returns msg as one line with its newline.
func encodeMessage(msg jsonrpc2.Message) []byte {
	line := jsonrpc2.AppendMessage(nil, msg)
	if bytes.HasPrefix(line, rawIDInReply) {
		line = restoreID(line)
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		// Inside JSON a bare newline can only be white space between tokens: a
		// server configuration the user has written over several lines.
		line = bytes.ReplaceAll(line, newline, []byte(" "))
	}
	return append(line, '\n')
}

// restoreID puts the id of a response back to the JSON text the agent sent.
func restoreID(line []byte) []byte {
	start := len(rawIDInReply) - len(`"\u0000`)
	end := skipString(line, start)
	id, ok := unquote(line[start:end])
	if !ok {
		return line
	}
	out := make([]byte, 0, len(line))
	out = append(out, line[:start]...)
	out = append(out, id[len(rawID):]...)
	return append(out, line[end:]...)
}
