package acpclient

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/config"
	"acp-ls/internal/policy"
	"acp-ls/internal/session"
)

// patience only bounds how long a failing test hangs.
const patience = 30 * time.Second

// rawAgent is an agent of whom we write every byte, at the other end of pipes.
type rawAgent struct {
	out     *os.File
	answers chan rawMessage // to what it has asked
	core    *session.Core
	session string
}

type rawMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Error  json.RawMessage `json:"error"`
}

// rawLauncher starts a rawAgent behind the real handler and connection.
type rawLauncher struct {
	raw *rawAgent
	in  *os.File
}

func (l *rawLauncher) Catalog() []session.AgentEntry {
	return []session.AgentEntry{{Name: "raw", Installed: true}}
}

func (l *rawLauncher) Start(_ context.Context, name, _ string, host session.Host) (session.Agent, error) {
	ourIn, agentOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	agentIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l.raw.out, l.in = agentOut, agentIn
	go l.raw.read(agentIn)
	a := &agent{name: name, host: host, done: make(chan struct{}), modes: map[string]bool{}}
	a.closing, a.stop = context.WithCancel(context.Background())
	a.terminals = newTerminals(new(atomic.Int64), host.TerminalOutput)
	a.conn = wire.NewConn(ourIn, ourOut, wire.StreamOptions{})
	a.conn.Start(&handler{a: a})
	return &pipeAgent{a}, nil
}

// pipeAgent is an agent without a process.
type pipeAgent struct{ *agent }

func (a *pipeAgent) Close(context.Context) error {
	a.stop()
	err := a.conn.Close()
	a.terminals.Close()
	close(a.done)
	return err
}

// read answers session/new, and hands on what its own requests are answered with.
func (r *rawAgent) read(in io.Reader) {
	defer close(r.answers)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m rawMessage
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		switch m.Method {
		case "":
			r.answers <- m
		case wire.MethodNewSession:
			fmt.Fprintf(r.out, `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"r1"}}`+"\n", m.ID)
		}
	}
}

func (r *rawAgent) await(t *testing.T, n int) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for range n {
		select {
		case m, ok := <-r.answers:
			if !ok || len(m.Error) > 0 {
				t.Fatalf("answered %+v", m)
			}
		case <-late.C:
			t.Fatal("no answer")
		}
	}
}

// startRaw opens a session with a raw agent in an empty folder.
func startRaw(t *testing.T) (r *rawAgent, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &rawLauncher{raw: &rawAgent{answers: make(chan rawMessage, 1000)}}
	st := config.Default()
	st.DefaultAgent = "raw"
	rule, err := policy.ParseRule([]byte(`{"kind": ["think"], "decide": "allow"}`))
	if err != nil {
		t.Fatal(err)
	}
	st.Permissions = []policy.Rule{rule}
	c := session.New(session.Options{Launcher: l, Settings: func() *config.Settings { return st }})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
		l.raw.out.Close()
		for range l.raw.answers { // until it has read all
		}
		l.in.Close()
	})
	info, err := c.NewSession(t.Context(), session.NewSession{Cwd: dir})
	if err != nil {
		t.Fatal(err)
	}
	l.raw.core, l.raw.session = c, info.Session
	return l.raw, dir
}

// Writes of one file that arrive in one packet are made in the order in which they
// stand there, whichever goroutine is quicker, and however the file is called.
func TestWritesOfOneFileKeepTheirOrder(t *testing.T) {
	r, dir := startRaw(t)
	const rounds = 1000
	for i := range rounds {
		name := fmt.Sprintf("a%d.txt", i)
		path := filepath.Join(dir, name)
		spelled := []string{path, dir + "/./" + name, "file://" + filepath.ToSlash(path)}
		if _, err := fmt.Fprint(r.out, write(2*i, spelled[i%3], fmt.Sprintf("first %d\n", i)), write(2*i+1, spelled[(i/3)%3], fmt.Sprintf("second %d\n", i))); err != nil {
			t.Fatal(err)
		}
		r.await(t, 2)
		got, err := os.ReadFile(path)
		if err != nil || string(got) != fmt.Sprintf("second %d\n", i) {
			t.Fatalf("after two writes the file has %q, %v", got, err)
		}
	}
}

// The tool calls of questions that arrive in one packet stand in the transcript in
// the order of the questions.
func TestQuestionsKeepTheirOrder(t *testing.T) {
	r, _ := startRaw(t)
	const questions = 200
	var packet strings.Builder
	for i := range questions {
		fmt.Fprintf(&packet, `{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"r1","toolCall":{"toolCallId":"t%d","kind":"think"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`+"\n", i, i)
	}
	if _, err := io.WriteString(r.out, packet.String()); err != nil {
		t.Fatal(err)
	}
	r.await(t, questions)
	entries, err := r.core.Entries(r.session, 0)
	if err != nil || len(entries) != questions {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, e := range entries {
		if want := fmt.Sprintf("t%d", i); e.Tool == nil || e.Tool.ID != want {
			t.Fatalf("entry %d is %+v, want that of %s", i, e, want)
		}
	}
}

func write(id int, path, content string) string {
	params, _ := json.Marshal(map[string]any{"sessionId": "r1", "path": path, "content": content}) // strings
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/write_text_file","params":%s}`+"\n", id, params)
}
