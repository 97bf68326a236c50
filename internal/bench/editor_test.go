package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"acp-ls/acpclient"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge"
)

// editor is a server with its core, and the editor's end of the pipes to it.
type editor struct {
	b      *testing.B
	root   string
	core   *session.Core
	served chan error

	in     *bufio.Reader
	inFile *os.File
	out    *os.File
	server *fenced
	sent   int64
	nextID int

	// An edit that the editor is to make: what the prompt is answered with that it
	// belongs to, and the id of the request.
	prompt []byte
	asked  json.RawMessage
}

// newEditor starts a server over pipes of the operating system, with one agent,
// and initializes it. experimental is what the editor says of itself.
func newEditor(b *testing.B, experimental string) *editor {
	b.Helper()
	root, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	yes := "yes"
	settings := config.Default()
	settings.DefaultAgent = "bench"
	settings.Agents = map[string]config.Agent{"bench": {Command: self, Args: []string{}, Env: map[string]*string{agentVariable: &yes}}}
	get := func() *config.Settings { return settings }

	serverIn, editorOut := pipe(b)
	editorIn, serverOut := pipe(b)
	e := &editor{
		b: b, root: root, served: make(chan error, 1),
		core:   session.New(session.Options{Launcher: acpclient.NewLauncher(get, self, "bench", nil), Settings: get}),
		in:     bufio.NewReaderSize(editorIn, 128<<10),
		inFile: editorIn, out: editorOut,
		server: &fenced{in: serverIn, out: serverOut, moved: make(chan struct{}, 1)},
	}
	go func() {
		e.served <- lspbridge.Serve(context.Background(), e.server, e.core, lspbridge.Options{Settings: get})
	}()
	e.call("initialize", fmt.Sprintf(`{"processId":null,"rootUri":"file://%s","capabilities":{"general":{"positionEncodings":["utf-8"]},"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}},"experimental":{"acp":%s}}}`,
		root, experimental))
	e.notify("initialized", `{}`)
	b.Cleanup(e.close)
	return e
}

// close ends everything that newEditor started.
func (e *editor) close() {
	_ = e.out.Close() // the editor is gone
	_ = e.inFile.Close()
	if err := <-e.served; err != nil {
		e.b.Errorf("serve: %v", err)
	}
	if err := e.core.Close(context.Background()); err != nil {
		e.b.Errorf("close core: %v", err)
	}
}

func pipe(b *testing.B) (r, w *os.File) {
	b.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	return r, w
}

// fenced is the server's end. The server handles notifications on the goroutine
// that reads, so when it comes to read again all that it was given has been
// handled: the texts are visible to everybody. That is how a benchmark notices
// it without any part in the server.
type fenced struct {
	in, out  *os.File
	returned int64
	handled  atomic.Int64 // bytes
	moved    chan struct{}
}

func (f *fenced) Read(p []byte) (int, error) {
	f.handled.Store(f.returned)
	select {
	case f.moved <- struct{}{}:
	default:
	}
	n, err := f.in.Read(p)
	f.returned += int64(n)
	return n, err
}

func (f *fenced) Write(p []byte) (int, error) { return f.out.Write(p) }

func (f *fenced) Close() error { return errors.Join(f.in.Close(), f.out.Close()) }

// await returns when all that was sent has been handled.
func (e *editor) await() {
	for e.server.handled.Load() < e.sent {
		<-e.server.moved
	}
}

func framed(body string) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (e *editor) send(frame []byte) {
	e.sent += int64(len(frame))
	if _, err := e.out.Write(frame); err != nil {
		e.b.Fatal(err)
	}
}

func notification(method, params string) []byte {
	return framed(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`)
}

func (e *editor) notify(method, params string) { e.send(notification(method, params)) }

// message is what the server sends.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// read returns the body of the next message, which is the caller's own.
func (e *editor) read() []byte {
	body, err := readFrame(e.in)
	if err != nil {
		e.b.Fatal(err)
	}
	return body
}

// readFrame returns the body of a message, and allocates nothing else.
func readFrame(r *bufio.Reader) ([]byte, error) {
	n := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		value, ok := bytes.CutPrefix(line, []byte("Content-Length: "))
		switch {
		case ok:
			if n, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return nil, err
			}
		case len(line) == len("\r\n") && n < 0:
			return nil, errors.New("a message without Content-Length")
		case len(line) == len("\r\n"):
			body := make([]byte, n)
			_, err := io.ReadFull(r, body)
			return body, err
		}
	}
}

// request sends a request and returns what its answer begins with.
func (e *editor) request(method, params string) (answer []byte) {
	e.nextID++
	e.send(framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, e.nextID, method, params)))
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,`, e.nextID)
}

// call sends a request and returns its result. What else arrives is passed over,
// but for requests, which are refused.
func (e *editor) call(method, params string) json.RawMessage {
	e.request(method, params)
	id := strconv.Itoa(e.nextID)
	for {
		body := e.read()
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.b.Fatal(err)
		}
		switch {
		case m.Method != "" && m.ID != nil:
			e.refuse(m.ID)
		case string(m.ID) == id && m.Error != nil:
			e.b.Fatalf("%s: %s", method, m.Error)
		case string(m.ID) == id:
			return m.Result
		}
	}
}

func (e *editor) refuse(id json.RawMessage) {
	e.send(framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"not offered"}}`, id)))
}

func (e *editor) command(name, argument string) json.RawMessage {
	return e.call("workspace/executeCommand", fmt.Sprintf(`{"command":"%s","arguments":[%s]}`, name, argument))
}

func quote(s string) string {
	q, _ := json.Marshal(s) // a string can always be encoded
	return string(q)
}
