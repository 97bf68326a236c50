package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"acp-ls/internal/editorlog"
)

// A server is a language server that does nothing but write down what it is sent.
// It is in the same process as the code that drives the editor, so that one lock
// gives all events one order.
type server struct {
	dir      string // the folder the editor works in
	listener net.Listener
	encodes  []string // position encodings it takes, best first

	mu      sync.Mutex
	log     *editorlog.Log
	conn    net.Conn
	start   time.Time                  // of the first message
	last    time.Time                  // of the last event
	disk    map[string]*string         // file name -> content as last logged; nil: gone
	version map[string]json.RawMessage // URI -> version in the last didOpen or didChange
	ids     int64
	waiting map[int64]chan message
	failed  error
	over    bool // the scenario is over: what the editor sends as it ends is not logged
	closed  bool

	// handle answers requests of the editor that are no part of a recording, such
	// as a checkpoint asked for by code inside VS Code. Called without the lock, on
	// its own goroutine.
	handle func(method string, params json.RawMessage) (result any, err error)

	done sync.WaitGroup
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// serve starts a server for one recording on a socket in a folder of its own.
func serve(dir, socket string, encodings []string, log *editorlog.Log) (*server, error) {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	s := &server{
		dir: dir, listener: l, encodes: encodings, log: log,
		disk: map[string]*string{}, version: map[string]json.RawMessage{}, waiting: map[int64]chan message{},
	}
	if err := s.snapshot(); err != nil {
		l.Close()
		return nil, err
	}
	s.done.Add(1)
	go s.accept()
	return s, nil
}

// close ends the server; what went wrong on the connection meanwhile is its result.
func (s *server) close() error {
	s.mu.Lock()
	s.closed = true
	if s.conn != nil {
		s.conn.Close()
	}
	s.mu.Unlock()
	s.listener.Close()
	s.done.Wait()
	return s.failed
}

// finish ends the recording; the editor can be closed now.
func (s *server) finish() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
}

func (s *server) accept() {
	defer s.done.Done()
	conn, err := s.listener.Accept()
	if err != nil {
		return // closed
	}
	s.mu.Lock()
	s.conn = conn
	s.mu.Unlock()
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		body, err := readFrame(r)
		if err == nil {
			err = s.receive(body)
		}
		if err != nil {
			s.mu.Lock()
			if !s.closed && !s.over && !errors.Is(err, io.EOF) {
				s.failed = err
			}
			for id, c := range s.waiting {
				close(c)
				delete(s.waiting, id)
			}
			s.mu.Unlock()
			return
		}
	}
}

// readFrame reads one message of the base protocol.
func readFrame(r *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "content-length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return nil, fmt.Errorf("header %q: %w", line, err)
			}
		}
	}
	if length < 0 {
		return nil, errors.New("message without Content-Length")
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}

func writeFrame(w io.Writer, m message) error {
	m.Version = "2.0"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return err
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	_, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (s *server) receive(body []byte) error {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return fmt.Errorf("message %.200q: %w", body, err)
	}
	switch {
	case m.Method == "":
		return s.answered(m)
	case m.ID != nil:
		return s.request(m)
	}
	switch m.Method {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose":
		s.mu.Lock()
		defer s.mu.Unlock()
		var p struct {
			TextDocument struct {
				URI     string
				Version json.RawMessage
			}
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		if !strings.HasPrefix(p.TextDocument.URI, s.uri("")) {
			return nil // a document of the editor's own, such as its settings
		}
		if p.TextDocument.Version != nil {
			s.version[p.TextDocument.URI] = p.TextDocument.Version
		}
		return s.message(editorlog.Event{Dir: editorlog.In, Method: m.Method, Params: m.Params})
	}
	return nil
}

func (s *server) request(m message) error {
	switch m.Method {
	case "initialize":
		var p struct {
			Capabilities struct {
				General struct {
					PositionEncodings []string
				}
			}
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		encoding := "utf-16"
		for _, e := range s.encodes {
			if slices.Contains(p.Capabilities.General.PositionEncodings, e) {
				encoding = e
				break
			}
		}
		s.mu.Lock()
		s.log.Encoding = encoding
		s.mu.Unlock()
		return s.reply(m.ID, map[string]any{"capabilities": map[string]any{
			"positionEncoding": encoding,
			"textDocumentSync": map[string]any{"openClose": true, "change": 2, "save": true},
		}}, nil)
	case "shutdown":
		return s.reply(m.ID, nil, nil)
	}
	if s.handle == nil {
		return s.reply(m.ID, nil, errors.New("method not found"))
	}
	s.done.Add(1)
	go func() {
		defer s.done.Done()
		result, err := s.handle(m.Method, m.Params)
		if err := s.reply(m.ID, result, err); err != nil {
			fmt.Fprintln(os.Stderr, "record: answer:", err)
		}
	}()
	return nil
}

func (s *server) reply(id json.RawMessage, result any, failure error) error {
	m := message{ID: id}
	if failure != nil {
		m.Error, _ = json.Marshal(map[string]any{"code": -32603, "message": failure.Error()})
	} else {
		var err error
		if m.Result, err = json.Marshal(result); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return writeFrame(s.conn, m)
}

func (s *server) answered(m message) error {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return fmt.Errorf("answer with id %s: %w", m.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.waiting[id]
	if c == nil {
		return fmt.Errorf("answer to request %d, which nobody sent", id)
	}
	delete(s.waiting, id)
	e := editorlog.Event{Dir: editorlog.In, Method: "workspace/applyEdit", ID: id, Result: m.Result, Error: m.Error}
	if e.Result == nil && e.Error == nil {
		e.Result = json.RawMessage("null")
	}
	if err := s.message(e); err != nil {
		return err
	}
	c <- m
	return nil
}

// A textEdit replaces a range, in the recording's encoding.
type textEdit struct {
	Range struct {
		Start pos `json:"start"`
		End   pos `json:"end"`
	} `json:"range"`
	NewText string `json:"newText"`
}

type pos struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

func edit(startLine, startChar, endLine, endChar int, text string) textEdit {
	var e textEdit
	e.Range.Start, e.Range.End = pos{startLine, startChar}, pos{endLine, endChar}
	e.NewText = text
	return e
}

// applyEdit sends workspace/applyEdit for one document and returns a channel that
// gets the answer. version is a JSON value, "null" for none; "" is the newest known.
func (s *server) applyEdit(file, version string, edits []textEdit) (<-chan message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uri := s.uri(file)
	v := json.RawMessage(version)
	if version == "" {
		if v = s.version[uri]; v == nil {
			return nil, fmt.Errorf("applyEdit: %s was never opened", file)
		}
	}
	params, err := json.Marshal(map[string]any{"label": "agent", "edit": map[string]any{"documentChanges": []any{map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": v},
		"edits":        edits,
	}}}})
	if err != nil {
		return nil, err
	}
	s.ids++
	c := make(chan message, 1)
	s.waiting[s.ids] = c
	if err := s.message(editorlog.Event{Dir: editorlog.Out, Method: "workspace/applyEdit", ID: s.ids, Params: params}); err != nil {
		return nil, err
	}
	return c, writeFrame(s.conn, message{ID: json.RawMessage(strconv.FormatInt(s.ids, 10)), Method: "workspace/applyEdit", Params: params})
}

func (s *server) knownVersion(file string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.version[s.uri(file)])
}

// message logs a message, after what has become of the disk if the message can tell
// of it; a didChange can come while the editor is writing the file. The lock is held.
func (s *server) message(e editorlog.Event) error {
	switch e.Method {
	case "textDocument/didOpen", "textDocument/didSave", "textDocument/didClose":
		if err := s.diff(); err != nil {
			return err
		}
	}
	now := time.Now()
	if s.start.IsZero() {
		s.start = now
	}
	e.T = now.Sub(s.start).Milliseconds()
	for _, raw := range []*json.RawMessage{&e.Params, &e.Result, &e.Error} {
		if *raw == nil {
			continue
		}
		var err error
		if *raw, err = s.portable(*raw); err != nil {
			return err
		}
	}
	s.add(e)
	return nil
}

// add logs an event. The lock is held.
func (s *server) add(e editorlog.Event) {
	if s.over {
		return
	}
	s.log.Events = append(s.log.Events, e)
	s.last = time.Now()
}

// write is another program that writes a file.
func (s *server) write(file, text string) error {
	s.act("another program writes " + file)
	if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o644); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.diff()
}

// program is another program that changes the folder, such as git.
func (s *server) program(name string, arg ...string) error {
	s.act("$ " + strings.Join(append([]string{name}, arg...), " "))
	cmd := exec.Command(name, arg...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.diff()
}

func (s *server) act(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(editorlog.Event{Act: what})
}

// checkpoint logs the text of the editor's buffer, after what has become of the disk.
func (s *server) checkpoint(uri, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.diff(); err != nil {
		return err
	}
	e := editorlog.Event{Text: &text, URI: strings.Replace(uri, s.uri(""), editorlog.Root, 1)}
	if e.URI == s.log.URI {
		e.URI = ""
	}
	s.add(e)
	return nil
}

// settle waits until nothing has crossed the wire for a while that is longer than
// any editor's debounce.
func (s *server) settle() {
	const quiet = 350 * time.Millisecond
	from := time.Now()
	for {
		s.mu.Lock()
		last := s.last
		s.mu.Unlock()
		if last.Before(from) {
			last = from
		}
		left := quiet - time.Since(last)
		if left <= 0 {
			return
		}
		time.Sleep(left)
	}
}

// until waits until f, called with the log locked, is true.
func (s *server) until(what string, f func() bool) error {
	deadline := time.Now().Add(20 * time.Second)
	for {
		s.mu.Lock()
		ok, failed := f(), s.failed
		s.mu.Unlock()
		switch {
		case ok:
			return nil
		case failed != nil:
			return failed
		case time.Now().After(deadline):
			return fmt.Errorf("waited 20 s for %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// opened says whether the file has been opened. The lock is held.
func (s *server) opened(file string) bool { return s.version[s.uri(file)] != nil }

func (s *server) uri(file string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(s.dir) + "/" + file}
	return u.String()
}

// portable is a JSON value with the folder's URI replaced by editorlog.Root. Editors
// write "/" in strings in more than one way, hence by way of a decoded value.
func (s *server) portable(raw json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return strings.Replace(v, s.uri(""), editorlog.Root, 1)
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		}
		return v
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(walk(v))
	return bytes.TrimSpace(b.Bytes()), err
}

// files reads all files of the folder, its hidden ones excepted.
func (s *server) files() (map[string]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), "~") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // being replaced
		}
		if err != nil {
			return nil, err
		}
		files[e.Name()] = string(data)
	}
	return files, nil
}

func (s *server) snapshot() error {
	files, err := s.files()
	for name, text := range files {
		s.disk[name] = &text
	}
	return err
}

// diff logs what has changed on disk since it last looked. The lock is held.
func (s *server) diff() error {
	files, err := s.files()
	if err != nil {
		return err
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	for name := range s.disk {
		if _, there := files[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		e := editorlog.Event{URI: editorlog.Root + name}
		if e.URI == s.log.URI {
			e.URI = ""
		}
		text, there := files[name]
		old := s.disk[name]
		switch {
		case there && (old == nil || *old != text):
			e.Disk, s.disk[name] = &text, &text
		case !there && old != nil:
			e.Gone, s.disk[name] = true, nil
		default:
			continue
		}
		s.add(e)
	}
	return nil
}
