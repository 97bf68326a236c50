package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/internal/editorlog"
)

// A scripted editor over the real socket: everything it sends about text is logged,
// in order, with the disk's state before the message that tells of it.
func TestServerLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "t.txt")
	if err := os.WriteFile(file, []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	log := &editorlog.Log{Header: editorlog.Header{Editor: "e", Version: "1", Scenario: "s", URI: editorlog.Root + "t.txt", Initial: "a\n"}}
	socket := filepath.Join(filepath.Dir(dir), "s")
	s, err := serve(dir, socket, []string{"utf-8", "utf-16"}, log)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := bufio.NewReader(conn)
	send := func(m message) {
		t.Helper()
		if err := writeFrame(conn, m); err != nil {
			t.Fatal(err)
		}
	}
	receive := func() (m message) {
		t.Helper()
		body, err := readFrame(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	sync := func() { // an answered request: all before it has been logged
		t.Helper()
		send(message{ID: json.RawMessage("9"), Method: "shutdown"})
		if m := receive(); string(m.ID) != "9" {
			t.Fatalf("answer to %s, want to 9", m.ID)
		}
	}
	uri := strings.ReplaceAll(s.uri("t.txt"), "/", `\/`) // as Neovim 0.10 writes it

	send(message{ID: json.RawMessage("1"), Method: "initialize", Params: json.RawMessage(`{"capabilities":{"general":{"positionEncodings":["utf-16","utf-8"]}}}`)})
	if m := receive(); !bytes.Contains(m.Result, []byte(`"positionEncoding":"utf-8"`)) {
		t.Errorf("initialize answered %s", m.Result)
	}
	send(message{Method: "initialized", Params: json.RawMessage(`{}`)})
	send(message{Method: "textDocument/didOpen", Params: json.RawMessage(`{"textDocument":{"uri":"file:///elsewhere/settings.json","version":1,"text":"{}"}}`)})
	send(message{Method: "textDocument/didOpen", Params: json.RawMessage(`{"textDocument":{"uri":"` + uri + `","version":4,"text":"a\n"}}`)})
	sync()
	s.act("save")
	if err := os.WriteFile(file, []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	send(message{Method: "textDocument/didSave", Params: json.RawMessage(`{"textDocument":{"uri":"` + uri + `"}}`)})
	sync()
	answer, err := s.applyEdit("t.txt", "", []textEdit{edit(0, 0, 1, 0, "<c>\n")})
	if err != nil {
		t.Fatal(err)
	}
	m := receive()
	if !bytes.Contains(m.Params, []byte(`"version":4`)) {
		t.Errorf("edit is of another version than the newest: %s", m.Params)
	}
	send(message{ID: m.ID, Result: json.RawMessage(`{"applied":true}`)})
	if got := <-answer; string(got.Result) != `{"applied":true}` {
		t.Errorf("answer %s", got.Result)
	}
	if err := s.checkpoint(s.uri("t.txt"), "a\n"); err != nil {
		t.Fatal(err)
	}
	s.finish()
	send(message{Method: "textDocument/didClose", Params: json.RawMessage(`{"textDocument":{"uri":"` + uri + `"}}`)})
	sync()
	if err := s.close(); err != nil {
		t.Fatal(err)
	}

	for i := range log.Events {
		log.Events[i].T = 0
	}
	var b bytes.Buffer
	if err := log.Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `{"editor":"e","version":"1","scenario":"s","encoding":"utf-8","uri":"file:///w/t.txt","initial":"a\n"}
{"dir":"in","method":"textDocument/didOpen","params":{"textDocument":{"text":"a\n","uri":"file:///w/t.txt","version":4}}}
{"act":"save"}
{"disk":"b\n"}
{"dir":"in","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///w/t.txt"}}}
{"dir":"out","method":"workspace/applyEdit","id":1,"params":{"edit":{"documentChanges":[{"edits":[{"newText":"<c>\n","range":{"end":{"character":0,"line":1},"start":{"character":0,"line":0}}}],"textDocument":{"uri":"file:///w/t.txt","version":4}}]},"label":"agent"}}
{"dir":"in","method":"workspace/applyEdit","id":1,"result":{"applied":true}}
{"text":"a\n"}
`
	if b.String() != want {
		t.Errorf("logged\n%s\nwant\n%s", b.String(), want)
	}
}
