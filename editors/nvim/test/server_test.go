package nvim_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"acp-ls/internal/nvimtest"
)

type arg = json.RawMessage

// server is an acp-ls whose words the test puts in its mouth. It answers
// initialize and the commands the test has named, keeps the documents it is
// sent, and remembers everything else for expect.
type server struct {
	t        testing.TB
	addr     string
	listener net.Listener
	done     chan struct{}

	writeMu sync.Mutex // guards writes to conn

	mu        sync.Mutex // guards what follows
	changed   chan struct{}
	conn      net.Conn
	encoding  string
	init      json.RawMessage
	commands  map[string]func(arg) any
	standing  map[string]any // answers to requests, by method
	received  []message      // not yet expected
	answering bool           // a command
	documents map[string]*document
	replies   map[string]chan message
	lastID    int
}

// message is a command, request or notification of the editor's, or a reply.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

type document struct {
	language string
	version  int
	text     string
	opened   int // how often
}

func newServer(t testing.TB) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{
		t: t, addr: l.Addr().String(), listener: l, done: make(chan struct{}),
		changed: make(chan struct{}), commands: map[string]func(arg) any{}, standing: map[string]any{},
		documents: map[string]*document{}, replies: map[string]chan message{},
	}
	go s.serve()
	t.Cleanup(func() {
		_ = l.Close()
		s.drop()
		<-s.done
	})
	return s
}

// drop ends the connection, as an acp-ls that dies does.
func (s *server) drop() {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
	}
}

func (s *server) serve() {
	defer close(s.done)
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conn = conn
		s.documents = map[string]*document{}
		s.wake()
		s.mu.Unlock()
		s.read(conn)
		_ = conn.Close()
	}
}

// wake lets those who wait look again. The caller holds mu.
func (s *server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *server) read(conn net.Conn) {
	r := bufio.NewReader(conn)
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			s.t.Errorf("the editor sent %s: %v", body, err)
			return
		}
		s.handle(m)
	}
}

func (s *server) handle(m message) {
	switch {
	case m.Method == "":
		s.mu.Lock()
		reply := s.replies[string(m.ID)]
		delete(s.replies, string(m.ID))
		s.mu.Unlock()
		if reply != nil {
			reply <- m
		}
	case m.Method == "initialize":
		s.initialize(m)
	case m.Method == "shutdown":
		s.write(map[string]any{"id": m.ID, "result": nil})
	case m.Method == "exit":
		s.drop()
	case m.Method == "workspace/executeCommand":
		s.execute(m)
	default:
		s.mu.Lock()
		s.sync(m)
		answer := s.standing[m.Method]
		s.received = append(s.received, m)
		s.wake()
		s.mu.Unlock()
		if m.ID != nil {
			s.write(map[string]any{"id": m.ID, "result": answer})
		}
	}
}

func (s *server) initialize(m message) {
	var params struct {
		Capabilities struct {
			General struct {
				PositionEncodings []string `json:"positionEncodings"`
			} `json:"general"`
		} `json:"capabilities"`
	}
	_ = json.Unmarshal(m.Params, &params)
	encoding := "utf-16"
	if slices.Contains(params.Capabilities.General.PositionEncodings, "utf-8") {
		encoding = "utf-8"
	}
	s.mu.Lock()
	s.encoding, s.init = encoding, m.Params
	refusal := s.standing[m.Method]
	s.wake()
	s.mu.Unlock()
	if refusal != nil {
		s.write(map[string]any{"id": m.ID, "error": refusal})
		return
	}
	s.write(map[string]any{"id": m.ID, "result": map[string]any{"capabilities": map[string]any{
		"positionEncoding":       encoding,
		"textDocumentSync":       map[string]any{"openClose": true, "change": 2, "save": true},
		"hoverProvider":          true,
		"completionProvider":     map[string]any{"triggerCharacters": []string{"@", "/"}},
		"codeActionProvider":     map[string]any{"resolveProvider": true},
		"executeCommandProvider": map[string]any{"commands": []string{"acp.prompt"}},
		"experimental":           map[string]any{"acp": map[string]any{"version": 1}},
	}}})
}

// on says how a command is answered: with what f returns, or an *rpcError.
// Commands nobody has named are answered with {}.
func (s *server) on(command string, f func(arg) any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands[command] = f
}

// answers says how a request is answered that is no command: null, unless it is said; initialize
// with that error.
func (s *server) answers(method string, result any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standing[method] = result
}

func (s *server) execute(m message) {
	var params struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil || len(params.Arguments) != 1 {
		s.t.Errorf("executeCommand of %s: want one argument", m.Params)
		return
	}
	s.mu.Lock()
	f := s.commands[params.Command]
	s.received = append(s.received, message{Method: params.Command, Params: params.Arguments[0]})
	s.answering = true
	s.wake()
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.answering = false
		s.wake()
		s.mu.Unlock()
	}()
	var result any = map[string]any{}
	if f != nil {
		result = f(params.Arguments[0])
	}
	switch r := result.(type) {
	case *rpcError:
		s.write(map[string]any{"id": m.ID, "error": r})
	case later:
		go func() {
			select {
			case result := <-r:
				s.write(map[string]any{"id": m.ID, "result": result})
			case <-s.done:
			}
		}()
	default:
		s.write(map[string]any{"id": m.ID, "result": result})
	}
}

// later is the answer to a command that others may overtake: it is sent when the test has it.
type later chan any

// write sends a message. That the editor is gone is no fault of the test's.
func (s *server) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		s.t.Errorf("marshal %v: %v", m, err)
		return
	}
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	_, _ = fmt.Fprintf(conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (s *server) notify(method string, params any) {
	s.write(map[string]any{"method": method, "params": params})
}

// ask sends a request; the reply comes on the channel.
func (s *server) ask(method string, params any) <-chan message {
	s.mu.Lock()
	s.lastID++
	id := fmt.Sprintf("%q", "t"+strconv.Itoa(s.lastID))
	reply := make(chan message, 1)
	s.replies[id] = reply
	s.mu.Unlock()
	s.write(map[string]any{"id": json.RawMessage(id), "method": method, "params": params})
	return reply
}

// call sends a request and decodes the result of the reply.
func (s *server) call(method string, params, result any) {
	s.t.Helper()
	s.result(s.ask(method, params), result)
}

// result waits for a reply and decodes its result.
func (s *server) result(reply <-chan message, result any) {
	s.t.Helper()
	select {
	case m := <-reply:
		if m.Error != nil {
			s.t.Fatalf("the editor answered with an error: %+v", *m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				s.t.Fatalf("result %s: %v", m.Result, err)
			}
		}
	case <-time.After(nvimtest.Patience):
		s.t.Fatalf("no reply in %v", nvimtest.Patience)
	}
}

// until waits until f, called with mu held, is true.
func (s *server) until(what string, f func() bool) {
	s.t.Helper()
	limit := time.NewTimer(nvimtest.Patience)
	defer limit.Stop()
	for {
		s.mu.Lock()
		ok, changed := f(), s.changed
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			s.t.Fatalf("waited %v for %s", nvimtest.Patience, what)
		}
	}
}

// expect waits for a command or notification and takes it. Others stay.
func (s *server) expect(method string) json.RawMessage {
	s.t.Helper()
	var params json.RawMessage
	s.until(method, func() bool {
		for i, m := range s.received {
			if m.Method == method {
				params = m.Params
				s.received = slices.Delete(s.received, i, i+1)
				return true
			}
		}
		return false
	})
	return params
}

// answered waits until the last command that has come is answered. Who waited for that command
// only may break the connection before.
func (s *server) answered() {
	s.t.Helper()
	s.until("the answer to a command", func() bool { return !s.answering })
}

// none says that a command or notification has not come so far.
func (s *server) none(method string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.received {
		if m.Method == method {
			s.t.Fatalf("%s came: %s", method, m.Params)
		}
	}
}

// awaitText waits until a document's text is as wanted, and returns its version.
func (s *server) awaitText(uri, text string) int {
	s.t.Helper()
	version := 0
	s.until(fmt.Sprintf("%s to be %q", uri, text), func() bool {
		d := s.documents[uri]
		if d == nil || d.text != text {
			return false
		}
		version = d.version
		return true
	})
	return version
}

// sync keeps the documents. The caller holds mu.
func (s *server) sync(m message) {
	var p struct {
		TextDocument struct {
			URI, LanguageID, Text string
			Version               int
		} `json:"textDocument"`
		ContentChanges []struct {
			Range *struct {
				Start, End struct{ Line, Character int }
			}
			Text string
		} `json:"contentChanges"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return
	}
	uri := p.TextDocument.URI
	switch m.Method {
	case "textDocument/didOpen":
		opened := 1
		if d := s.documents[uri]; d != nil {
			opened = d.opened + 1
		}
		s.documents[uri] = &document{p.TextDocument.LanguageID, p.TextDocument.Version, p.TextDocument.Text, opened}
	case "textDocument/didClose":
		delete(s.documents, uri)
	case "textDocument/didChange":
		d := s.documents[uri]
		if d == nil {
			s.t.Errorf("a change of %s, which is not open", uri)
			return
		}
		for _, c := range p.ContentChanges {
			if c.Range == nil {
				d.text = c.Text
				continue
			}
			from := s.offset(d.text, c.Range.Start.Line, c.Range.Start.Character)
			to := s.offset(d.text, c.Range.End.Line, c.Range.End.Character)
			d.text = d.text[:from] + c.Text + d.text[to:]
		}
		d.version = p.TextDocument.Version
	}
}

// offset is where a position is in a text, in bytes.
func (s *server) offset(text string, line, character int) int {
	at := 0
	for ; line > 0; line-- {
		i := at
		for i < len(text) && text[i] != '\n' {
			i++
		}
		if i == len(text) {
			return i
		}
		at = i + 1
	}
	for character > 0 && at < len(text) && text[at] != '\n' {
		r, size := utf8.DecodeRuneInString(text[at:])
		if s.encoding == "utf-8" {
			character -= size
		} else {
			character -= utf16.RuneLen(r)
		}
		at += size
	}
	return at
}
