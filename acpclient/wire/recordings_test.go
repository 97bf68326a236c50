package wire

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// The recordings are of eleven real agents: see the note in their folder.
const recordings = "../testdata/transcripts"

// recorded is one line of a recording.
type recorded struct {
	file string
	n    int
	Dir  string         `json:"dir"` // c2a, a2c, err, note
	Msg  jsontext.Value `json:"msg"`
}

func readRecordings(t testing.TB) map[string][]recorded {
	files, err := filepath.Glob(filepath.Join(recordings, "*.jsonl"))
	if err != nil || len(files) < 30 {
		t.Fatalf("recordings: %d files, %v", len(files), err)
	}
	all := make(map[string][]recorded)
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 4<<20)
		for n := 1; lines.Scan(); n++ {
			r := recorded{file: filepath.Base(name), n: n}
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
			all[r.file] = append(all[r.file], r)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// params and results by method, as typed values.
var paramTypes = map[string]func() any{
	MethodInitialize:          func() any { return new(InitializeRequest) },
	MethodAuthenticate:        func() any { return new(AuthenticateRequest) },
	MethodNewSession:          func() any { return new(NewSessionRequest) },
	MethodLoadSession:         func() any { return new(LoadSessionRequest) },
	MethodResumeSession:       func() any { return new(ResumeSessionRequest) },
	MethodForkSession:         func() any { return new(ForkSessionRequest) },
	MethodListSessions:        func() any { return new(ListSessionsRequest) },
	MethodCloseSession:        func() any { return new(SessionRequest) },
	MethodDeleteSession:       func() any { return new(SessionRequest) },
	MethodCancel:              func() any { return new(SessionRequest) },
	MethodPrompt:              func() any { return new(PromptRequest) },
	MethodSetMode:             func() any { return new(SetModeRequest) },
	MethodRequestPermission:   func() any { return new(RequestPermissionRequest) },
	MethodReadTextFile:        func() any { return new(ReadTextFileRequest) },
	MethodWriteTextFile:       func() any { return new(WriteTextFileRequest) },
	MethodTerminalCreate:      func() any { return new(CreateTerminalRequest) },
	MethodTerminalOutput:      func() any { return new(TerminalRequest) },
	MethodTerminalWaitForExit: func() any { return new(TerminalRequest) },
	MethodTerminalRelease:     func() any { return new(TerminalRequest) },
}

var resultTypes = map[string]func() any{
	MethodInitialize:          func() any { return new(InitializeResponse) },
	MethodAuthenticate:        func() any { return new(Empty) },
	MethodNewSession:          func() any { return new(NewSessionResponse) },
	MethodLoadSession:         func() any { return new(LoadSessionResponse) },
	MethodResumeSession:       func() any { return new(LoadSessionResponse) },
	MethodForkSession:         func() any { return new(NewSessionResponse) },
	MethodListSessions:        func() any { return new(ListSessionsResponse) },
	MethodCloseSession:        func() any { return new(Empty) },
	MethodDeleteSession:       func() any { return new(Empty) },
	MethodPrompt:              func() any { return new(PromptResponse) },
	MethodSetMode:             func() any { return new(Empty) },
	MethodRequestPermission:   func() any { return new(RequestPermissionResponse) },
	MethodReadTextFile:        func() any { return new(ReadTextFileResponse) },
	MethodWriteTextFile:       func() any { return new(WriteTextFileResponse) },
	MethodTerminalCreate:      func() any { return new(CreateTerminalResponse) },
	MethodTerminalOutput:      func() any { return new(TerminalOutputResponse) },
	MethodTerminalWaitForExit: func() any { return new(TerminalExitStatus) },
	MethodTerminalRelease:     func() any { return new(Empty) },
}

// extensions are the methods of agents' own that occur.
var extensions = map[string]bool{
	"_auth/status_update": true, "qwen/notify/session/mode-update": true, "craft/drainMidTurnQueue": true,
}

// Every message of every recording passes the stream, decodes into its type, and
// is the same when it is encoded again: nothing is lost, and what we send is
// what the agents were sent when they were recorded.
func TestRecordings(t *testing.T) {
	seen := map[string]int{}
	for file, lines := range readRecordings(t) {
		if strings.Contains(file, "protocol-v2") {
			continue
		}
		method := map[string]string{} // by direction and id
		for _, l := range lines {
			if l.Dir != "c2a" && l.Dir != "a2c" {
				continue
			}
			back := map[string]string{"c2a": "a2c", "a2c": "c2a"}[l.Dir]
			switch m := throughStream(t, l).(type) {
			case *jsonrpc2.Call:
				method[back+canonicalID(l.Msg)] = m.Method()
				checkParams(t, l, m.Method(), m.Params())
				seen[l.Dir+" "+m.Method()]++
			case *jsonrpc2.Notification:
				checkParams(t, l, m.Method(), m.Params())
				seen[l.Dir+" "+m.Method()]++
			case *jsonrpc2.Response:
				if m.Err() != nil {
					checkError(t, l, m.Err())
					break
				}
				name := method[l.Dir+canonicalID(l.Msg)]
				if newResult := resultTypes[name]; newResult != nil {
					checkValue(t, l, name+" result", m.Result(), newResult())
				} else if !extensions[name] {
					t.Errorf("%s:%d: result of %q", l.file, l.n, name)
				}
				seen[l.Dir+" result of "+name]++
			}
		}
	}
	for _, want := range []string{"a2c session/update", "a2c result of session/prompt", "c2a result of terminal/output", "c2a session/cancel"} {
		if seen[want] == 0 {
			t.Errorf("no %s in the recordings", want)
		}
	}
}

func throughStream(t *testing.T, l recorded) jsonrpc2.Message {
	t.Helper()
	s := NewStream(io.NopCloser(strings.NewReader(string(l.Msg)+"\n")), nopWriter{}, StreamOptions{
		Report: func(r Report) { t.Errorf("%s:%d: %v", l.file, l.n, r) },
	})
	msg, _, err := s.Read(context.Background())
	if err != nil {
		t.Fatalf("%s:%d: %v", l.file, l.n, err)
	}
	return msg
}

func canonicalID(msg jsontext.Value) string { return string(member(msg, "id")) }

func checkParams(t *testing.T, l recorded, method string, params []byte) {
	t.Helper()
	switch {
	case method == MethodUpdate:
		u, tolerated := DecodeUpdate(member(params, "update"))
		if _, unknown := u.(*UnknownUpdate); unknown || len(tolerated) > 0 {
			t.Errorf("%s:%d: update %q is %T, tolerated %v", l.file, l.n, u.UpdateKind(), u, tolerated)
			return
		}
		checkSame(t, l, u.UpdateKind(), member(params, "update"), u)
	case method == MethodCancelRequest:
		if id, ok := parseID(member(params, "requestId")); !ok || !id.IsValid() {
			t.Errorf("%s:%d: cancels nothing", l.file, l.n)
		}
	case paramTypes[method] != nil:
		checkValue(t, l, method, params, paramTypes[method]())
		if method == MethodWriteTextFile {
			r, err := decodeWriteTextFile(params)
			if err != nil {
				t.Errorf("%s:%d: %v", l.file, l.n, err)
				return
			}
			checkSame(t, l, method, params, r)
		}
	case !extensions[method]:
		t.Errorf("%s:%d: method %q", l.file, l.n, method)
	}
}

func checkValue(t *testing.T, l recorded, what string, raw []byte, v any) {
	t.Helper()
	tolerated, err := Decode(raw, v)
	if err != nil || len(tolerated) > 0 {
		t.Errorf("%s:%d: %s: %v %v", l.file, l.n, what, err, tolerated)
		return
	}
	if isNull(raw) {
		return // an agent that says null for {}
	}
	checkSame(t, l, what, raw, v)
}

// checkSame compares what was read with what is written again, but for members
// that are null, an empty description or, in capabilities, false or empty: those
// mean the same as none.
func checkSame(t *testing.T, l recorded, what string, raw []byte, v any) {
	t.Helper()
	again, err := Encode(v)
	if err != nil {
		t.Errorf("%s:%d: %s: encode: %v", l.file, l.n, what, err)
		return
	}
	caps := strings.HasPrefix(what, MethodInitialize)
	var a, b any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal(again, &b) != nil {
		t.Fatalf("%s:%d: %s: no JSON: %s", l.file, l.n, what, again)
	}
	if a, b = meaning(a, caps), meaning(b, caps); !reflect.DeepEqual(a, b) {
		t.Errorf("%s:%d: %s\n read  %s\n again %s", l.file, l.n, what, raw, again)
	}
}

func meaning(v any, caps bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			v[name] = meaning(m, caps)
			if m := v[name]; m == nil || name == "description" && m == "" || caps && m == false || caps && capabilityGroups[name] && len(m.(map[string]any)) == 0 {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = meaning(v[i], caps)
		}
	}
	return v
}

// capabilityGroups are the objects in which {} is not a yes.
var capabilityGroups = map[string]bool{
	"agentCapabilities": true, "promptCapabilities": true, "mcpCapabilities": true, "sessionCapabilities": true, "auth": true,
}

func checkError(t *testing.T, l recorded, err error) {
	t.Helper()
	raw := jsonrpc2.AppendResponse(nil, jsonrpc2.ID{}, nil, err)
	if got, want := string(member(raw, "error")), string(member(l.Msg, "error")); !sameJSON(got, want) {
		t.Errorf("%s:%d: error %s, want %s", l.file, l.n, got, want)
	}
}

type nopWriter struct{}

func (nopWriter) Write(p []byte) (int, error) { return len(p), nil }
func (nopWriter) Close() error                { return nil }
