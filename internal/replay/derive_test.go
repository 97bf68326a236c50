package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "derive the recordings in testdata anew")

const transcripts = "../../acpclient/testdata/transcripts"

// The recordings here are what the transcripts say, and nothing else.
func TestDerived(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(transcripts, "*.jsonl"))
	if err != nil || len(files) < 30 {
		t.Fatalf("transcripts: %d, %v", len(files), err)
	}
	names := map[string]bool{}
	for _, file := range files {
		name := filepath.Base(file)
		names[name] = true
		r, err := derive(t, file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its transcript says (go test ./internal/replay -update)", path)
		}
		if strings.Contains(name, "protocol-v2") {
			continue // without file changes, and in another protocol
		}
		read, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := read.encode(); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s read and written again is another: %v", path, err)
		}
	}
	here, err := filepath.Glob("testdata/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range here {
		if !names[filepath.Base(path)] {
			t.Errorf("%s has no transcript", path)
		}
	}
}

// What nobody of those who recorded has written down: the workspace as it was.
// The transcripts that read the files, or have them put back, agree.
const mainGo = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n\nfunc helper() int {\n\treturn 1\n}\n"

func notes() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// deriver makes a Recording of a transcript.
type deriver struct {
	t       *testing.T
	r       *Recording
	session string
	mirrors bool // the agent writes the disk after it has had the client write it

	clientAsked map[string]string // methods by id
	agentAsked  map[string]line
	dropped     map[string]bool   // requests of the client by id that are left out
	now         map[string]string // the files at this point, as all writes should leave them
	read        map[string]string // what the client has last answered to a read
	unnoted     map[string]string // written by the client, and not yet noted as such
	putBack     map[string]bool
	named       map[string]string
	loads       bool // the agent has said that it loads sessions
	history     bool // session/load: what comes happened before
	run         string
	runLength   int
}

type line struct {
	Dir string `json:"dir"`
	Msg struct {
		Message
		Raw json.RawMessage `json:"-"`
	} `json:"-"`
	Raw json.RawMessage `json:"msg"`
}

func derive(t *testing.T, path string) (*Recording, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	d := &deriver{
		t: t, r: &Recording{Name: name, Files: map[string]string{"notes.txt": notes(), "main.go": mainGo}, After: map[string]string{}},
		mirrors: strings.HasPrefix(name, "opencode"), clientAsked: map[string]string{}, agentAsked: map[string]line{}, dropped: map[string]bool{},
		now: map[string]string{}, read: map[string]string{}, unnoted: map[string]string{}, putBack: map[string]bool{}, named: map[string]string{},
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		_ = json.Unmarshal(l.Raw, &l.Msg.Message) // foreign shapes stay empty
		switch l.Dir {
		case "c2a":
			err = d.client(l)
		case "a2c":
			err = d.agent(l)
		case "note":
			err = d.note(l)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	for path, text := range d.now {
		if before, was := d.r.Files[path]; !was || before != text {
			d.r.After[path] = text
		}
	}
	return d.r, lines.Err()
}

func (d *deriver) step(s Step) { d.r.Steps = append(d.r.Steps, s) }

// client takes what the client said: the agent waits for it.
func (d *deriver) client(l line) error {
	m, id := l.Msg.Message, string(l.Msg.ID)
	switch {
	case m.Method == "session/cancel":
		d.step(Step{Await: m.Method})
	case m.Method != "":
		d.clientAsked[id] = m.Method
		var p struct {
			Params struct {
				ModeID string `json:"modeId"`
				Prompt []struct{ Text string }
			}
		}
		if err := json.Unmarshal(l.Raw, &p); err != nil {
			return err
		}
		s := Step{Await: m.Method, ID: m.ID, Mode: p.Params.ModeID}
		switch m.Method {
		case "session/list", "session/fork", "session/resume", "session/close", "session/delete":
			d.dropped[id] = true
			return nil
		case "session/load":
			if !d.loads { // nobody would ask
				d.dropped[id] = true
				return nil
			}
			d.history = true
		case "session/prompt":
			s.Text = p.Params.Prompt[0].Text
		}
		d.step(s)
	default:
		return d.answer(l)
	}
	return nil
}

// answer takes an answer of the client's to a request of the agent's.
func (d *deriver) answer(l line) error {
	id := string(l.Msg.ID)
	asked, known := d.agentAsked[id]
	if !known {
		return fmt.Errorf("answer to nothing: %s", id)
	}
	delete(d.agentAsked, id)
	var a struct {
		Result struct {
			Content    string
			TerminalID string `json:"terminalId"`
			Outcome    struct {
				OptionID string `json:"optionId"`
			}
		}
	}
	if err := json.Unmarshal(l.Raw, &a); err != nil {
		return err
	}
	d.step(Step{Await: Answer, ID: l.Msg.ID, Text: a.Result.Content, Option: a.Result.Outcome.OptionID, Terminal: a.Result.TerminalID})
	path := Rel(asked.Msg.Params.Path)
	switch asked.Msg.Method {
	case "fs/read_text_file":
		if a.Result.Content == "" {
			return nil // a missing file
		}
		if _, written := d.now[path]; !written {
			d.r.Files[path] = a.Result.Content
		}
		d.read[path] = a.Result.Content
	case "fs/write_text_file":
		if d.mirrors {
			d.step(Step{Write: path, Content: asked.Msg.Params.Content, Call: d.named[path]})
		}
	}
	return nil
}

// agent takes what the agent said.
func (d *deriver) agent(l line) error {
	m, id := l.Msg.Message, string(l.Msg.ID)
	if m.Method == "" {
		if d.dropped[id] {
			return nil
		}
		if m.Result.SessionID != "" && d.session == "" {
			d.session = m.Result.SessionID
		}
		if d.clientAsked[id] == "initialize" {
			var a struct {
				Result struct {
					AgentCapabilities struct{ LoadSession bool }
				}
			}
			if err := json.Unmarshal(l.Raw, &a); err != nil {
				return err
			}
			d.loads = a.Result.AgentCapabilities.LoadSession
		}
		if d.clientAsked[id] == "session/load" {
			d.history = false
			var failed struct{ Error json.RawMessage }
			if err := json.Unmarshal(l.Raw, &failed); err != nil {
				return err
			}
			if failed.Error != nil { // nothing that anybody would ask again
				d.r.Steps = slices.DeleteFunc(d.r.Steps, func(s Step) bool { return s.Await == "session/load" })
				return nil
			}
		}
		return d.say(l, "")
	}
	var p struct {
		Params struct {
			SessionID string `json:"sessionId"`
		}
	}
	if err := json.Unmarshal(l.Raw, &p); err != nil {
		return err
	}
	if m.ID == nil && p.Params.SessionID != "" && d.session != "" && p.Params.SessionID != d.session {
		return nil // of a fork
	}
	if m.ID != nil {
		d.agentAsked[id] = l
	}
	if d.often(m) {
		return nil
	}
	d.name(l)
	path := Rel(m.Params.Path)
	if m.Method == "fs/write_text_file" {
		d.unnoted[path] = m.Params.Content
		if err := d.written(path, m.Params.Content); err != nil {
			return err
		}
		return d.say(l, d.named[path])
	}
	if m.Params.Update.Status == "completed" && !d.history {
		if err := d.shell(m.Params.Update.ToolCallID); err != nil {
			return err
		}
	}
	return d.say(l, "")
}

// often says whether a message is one too many of its kind.
func (d *deriver) often(m Message) bool {
	kind := m.Params.Update.SessionUpdate
	if kind != d.run {
		d.run, d.runLength = kind, 0
	}
	d.runLength++
	switch kind {
	case "agent_message_chunk", "agent_thought_chunk", "usage_update":
		return d.runLength > 2
	}
	return false
}

// name notes which tool call names which file, and what commands it runs.
func (d *deriver) name(l line) {
	id := l.Msg.Params.Update.ToolCallID
	if id == "" {
		id = l.Msg.Params.ToolCall.ToolCallID
	}
	if id == "" {
		return
	}
	text := string(l.Raw)
	for _, path := range []string{"notes.txt", "main.go", "new.txt"} {
		if strings.Contains(text, Workspace+"/"+path) && !strings.Contains(text, `"kind":"read"`) {
			d.named[path] = id
		}
	}
	if strings.Contains(text, "touch made-by-shell") {
		d.named["made-by-shell"] = id
	}
}

// shell has the command write that no agent reports.
func (d *deriver) shell(call string) error {
	const made = "made-by-shell"
	if _, there := d.now[made]; there || call != d.named[made] {
		return nil
	}
	d.step(Step{Write: made, Call: call})
	return d.written(made, "")
}

// say adds a message of the agent, without what is of no use here.
func (d *deriver) say(l line, call string) error {
	var v map[string]any
	if err := json.Unmarshal(l.Raw, &v); err != nil {
		return err
	}
	cut(v)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	d.step(Step{Say: bytes.TrimSpace(b.Bytes()), Call: call})
	return nil
}

// note takes what was seen on disk.
func (d *deriver) note(l line) error {
	var n struct {
		FileChanged, RevertedByProbe, Content string
	}
	if err := json.Unmarshal(l.Raw, &n); err != nil {
		return err
	}
	if n.RevertedByProbe != "" {
		d.putBack[Rel(n.RevertedByProbe)] = true
	}
	if n.FileChanged == "" {
		return nil
	}
	path := Rel(n.FileChanged)
	if by, ok := d.unnoted[path]; ok && by == n.Content {
		delete(d.unnoted, path)
		return nil // that is the client's doing
	}
	s := Step{Write: path, Content: n.Content}
	if !d.putBack[path] {
		s.Call = d.named[path]
	}
	delete(d.putBack, path)
	d.step(s)
	d.now[path] = n.Content
	return nil
}

// written has a text written that the agent has made of what it read.
func (d *deriver) written(path, content string) error {
	base, read := d.read[path]
	now, there := d.now[path]
	if !there {
		now, there = d.r.Files[path]
	}
	if !read || !there {
		d.now[path] = content
		return nil
	}
	adapted, err := Adapt(base, content, now)
	d.now[path] = adapted
	return err
}
