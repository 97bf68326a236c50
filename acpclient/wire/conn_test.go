package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// outcome is what a call came to.
type outcome struct {
	res *PromptResponse
	err error
}

// prompt calls session/prompt in the background.
func (a *agent) prompt(ctx context.Context) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		res, err := Call[PromptResponse](ctx, a.conn, MethodPrompt,
			&PromptRequest{SessionID: "s1", Prompt: []ContentBlock{TextBlock("hi <&>")}})
		done <- outcome{res, err}
	}()
	return done
}

func TestCall(t *testing.T) {
	a := startPeer(t, Unimplemented{}, StreamOptions{})
	done := a.prompt(context.Background())
	a.expect(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"hi <&>"}]}}`)
	a.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","usage":{"totalTokens":1.5,"inputTokens":7}}}`)
	if o := receive(t, done); o.err != nil || o.res.StopReason != StopEndTurn || o.res.Usage.InputTokens != 7 || o.res.Usage.TotalTokens != 0 {
		t.Fatalf("got %+v, %v", o.res, o.err)
	}
	if r := a.report(); r.Problem != BadMember || !strings.Contains(r.String(), "usage.totalTokens") {
		t.Errorf("report %v", r)
	}

	done = a.prompt(context.Background())
	a.next()
	a.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}`)
	if o := receive(t, done); ErrorCode(o.err) != CodeAuthRequired || !strings.HasPrefix(o.err.Error(), "session/prompt: ") {
		t.Errorf("got %v, want auth required", o.err)
	}

	done = a.prompt(context.Background())
	a.next()
	a.send(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	if o := receive(t, done); o.err == nil || !strings.Contains(o.err.Error(), "without stopReason") {
		t.Errorf("got %+v, %v, want no stop reason", o.res, o.err)
	}

	done = a.prompt(context.Background())
	a.next()
	a.out.Close()
	if o := receive(t, done); !errors.Is(o.err, ErrClosed) {
		t.Errorf("got %v, want closed", o.err)
	}
	receive(t, done2(a.conn.Done()))
	if err := a.conn.Err(); err != nil {
		t.Errorf("err after a clean end: %v", err)
	}
	if _, err := Call[Empty](context.Background(), a.conn, "m", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("call after the end: %v", err)
	}
}

// done2 makes a channel that is closed one that is sent to.
func done2(c <-chan struct{}) <-chan bool {
	out := make(chan bool, 1)
	go func() {
		<-c
		out <- true
	}()
	return out
}

func TestCallUnencodable(t *testing.T) {
	a := startPeer(t, Unimplemented{}, StreamOptions{})
	if _, err := Call[Empty](context.Background(), a.conn, "m", func() {}); err == nil || !strings.Contains(err.Error(), "encode params") {
		t.Errorf("got %v", err)
	}
	if err := a.conn.Notify(context.Background(), "n", func() {}); err == nil || !strings.Contains(err.Error(), "encode params") {
		t.Errorf("got %v", err)
	}
	if err := a.conn.Notify(context.Background(), MethodCancel, &SessionRequest{SessionID: "s1"}); err != nil {
		t.Error(err)
	}
	a.expect(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
}

// A response that is too long, or stands in for one, fails its call.
func TestCallAnswerTooLong(t *testing.T) {
	a := startPeer(t, Unimplemented{}, StreamOptions{MaxLine: 1000})
	done := a.prompt(context.Background())
	a.next()
	a.send(`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 2000) + `"}`)
	if o := receive(t, done); o.err == nil || !strings.Contains(o.err.Error(), "longer than the limit of 1000 bytes") {
		t.Errorf("got %v", o.err)
	}
	a.send(`{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":"` + strings.Repeat("x", 2000) + `"}`)
	if got := a.next(); !strings.Contains(got, `"id":7,"error":{"code":-32600,"message":"message of `) {
		t.Errorf("answer %s", got)
	}
}

func TestStrayResponses(t *testing.T) {
	a := startPeer(t, Unimplemented{}, StreamOptions{})
	a.send(`{"jsonrpc":"2.0","id":9,"result":{}}`, `{"jsonrpc":"2.0","id":"x","result":{}}`)
	for range 2 {
		if r := a.report(); r.Problem != StrayResponse {
			t.Errorf("report %v", r)
		}
	}
}

func TestCancelOutgoing(t *testing.T) {
	a := startPeer(t, Unimplemented{}, StreamOptions{})
	ctx, cancel := context.WithCancelCause(context.Background())
	done := a.prompt(ctx)
	a.next()
	cause := errors.New("the user has closed the window")
	cancel(cause)
	if o := receive(t, done); !errors.Is(o.err, cause) {
		t.Errorf("got %v", o.err)
	}
	a.expect(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
	a.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`) // late: dropped
	if r := a.report(); r.Problem != StrayResponse {
		t.Errorf("report %v", r)
	}
	// One that never was sent is not cancelled either.
	if o := receive(t, a.prompt(ctx)); !errors.Is(o.err, context.Canceled) {
		t.Errorf("got %v", o.err)
	}
	if err := a.conn.Notify(context.Background(), "n", Empty{}); err != nil {
		t.Fatal(err)
	}
	a.expect(`{"jsonrpc":"2.0","method":"n","params":{}}`)
}

// asker answers permissions and file requests as the test says.
type asker struct {
	updates
	permission func(context.Context, *RequestPermissionRequest) (RequestPermissionResponse, error)
	read       func(context.Context, *ReadTextFileRequest) (ReadTextFileResponse, error)
	ext        func(context.Context, string, jsontext.Value) (any, error)
	update     func(context.Context, Update)
}

func (h *asker) SessionUpdate(ctx context.Context, session string, u Update) {
	if h.update != nil {
		h.update(ctx, u)
		return
	}
	h.updates.SessionUpdate(ctx, session, u)
}

func (h *asker) RequestPermission(ctx context.Context, r *RequestPermissionRequest) (RequestPermissionResponse, error) {
	return h.permission(ctx, r)
}

func (h *asker) ReadTextFile(ctx context.Context, r *ReadTextFileRequest) (ReadTextFileResponse, error) {
	return h.read(ctx, r)
}

func (h *asker) ExtRequest(ctx context.Context, method string, params jsontext.Value) (any, error) {
	if h.ext == nil {
		return h.Unimplemented.ExtRequest(ctx, method, params)
	}
	return h.ext(ctx, method, params)
}

const (
	permissionLine = `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}`
	readLine       = `{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s1","path":"/p"}}`
)

func TestPermission(t *testing.T) {
	h := &asker{permission: func(ctx context.Context, r *RequestPermissionRequest) (RequestPermissionResponse, error) {
		Release(ctx)
		Release(ctx) // again does nothing
		switch r.SessionID {
		case "zero":
			return RequestPermissionResponse{}, nil
		case "cancel":
			return RequestPermissionResponse{Cancelled: true}, nil
		}
		return RequestPermissionResponse{OptionID: r.Options[0].OptionID}, nil
	}}
	a := startPeer(t, h, StreamOptions{})
	a.send(permissionLine)
	a.expect(`{"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`)
	a.send(strings.Replace(permissionLine, `"s1"`, `"cancel"`, 1))
	a.expect(`{"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"cancelled"}}}`)
	// No answer is not an answer.
	a.send(strings.Replace(permissionLine, `"s1"`, `"zero"`, 1))
	if got := a.next(); !strings.Contains(got, `"code":-32603`) {
		t.Errorf("got %s", got)
	}
	for _, bad := range []string{`"options":[]`, `"options":[{"name":"Yes","kind":"allow_once"}]`, `"options":[{"optionId":5,"name":"Yes","kind":"allow_once"}]`} {
		i := strings.Index(permissionLine, `"options"`)
		a.send(permissionLine[:i] + bad + "}}")
		if got := a.next(); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%s: %s", bad, got)
		}
	}
}

func TestUnknownAndBad(t *testing.T) {
	a := startPeer(t, newUpdates(10), StreamOptions{})
	for _, c := range []struct{ in, answer string }{
		{`{"jsonrpc":"2.0","id":1,"method":"craft/drainMidTurnQueue","params":{}}`, `-32601`},
		{`{"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":[]}`, `-32602`},
		{`{"jsonrpc":"2.0","id":3,"method":"fs/read_text_file","params":{"sessionId":"s"}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/p","line":-1}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":5,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/p"}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":6,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/p","content":null}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":7,"method":"fs/write_text_file"}`, `-32602`},
		{`{"jsonrpc":"2.0","id":8,"method":"terminal/create","params":{"sessionId":"s","command":"ls","args":["a",1]}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":9,"method":"terminal/output","params":{"sessionId":"s"}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":10,"method":"terminal/kill","params":{"sessionId":"s","terminalId":"t"}}`, `-32601`},
		{`{"jsonrpc":"2.0","id":11,"method":"elicitation/create","params":{"message":"m","mode":"form"}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":12,"method":"elicitation/create","params":{"message":"m","mode":"url","url":"u"}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":13,"method":"elicitation/create","params":{"message":"m","mode":"form","requestedSchema":{},"sessionId":"s"}}`, `-32601`},
	} {
		a.send(c.in)
		if got := a.next(); !strings.Contains(got, `"code":`+c.answer) || !strings.Contains(got, c.in[15:24]) {
			t.Errorf("%s\n answered %s", c.in, got)
		}
	}
	for _, in := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan","entries":[]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":5,"update":{}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":[]}`,
		`{"jsonrpc":"2.0","method":"session/update"}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"}}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request"}`,
		`{"jsonrpc":"2.0","method":"elicitation/complete","params":{}}`,
	} {
		a.send(in)
		if r := a.report(); r.Problem != BadParams {
			t.Errorf("%s\n reported %v", in, r)
		}
	}
	a.send(`{"jsonrpc":"2.0","method":"qwen/notify/session/mode-update","params":{}}`, `{"jsonrpc":"2.0","id":14,"method":"_x"}`)
	if got := a.next(); !strings.Contains(got, `"id":14,"error":{"code":-32601`) {
		t.Errorf("after an unknown notification: %s", got)
	}
}

// Ids go back as they came.
func TestIDsAreEchoed(t *testing.T) {
	a := startPeer(t, Unimplemented{}, StreamOptions{})
	for _, id := range []string{`0`, `-7`, `1.0`, `1e3`, `"a\"b"`, `"\u00e9"`, `123456789012345678901234567890`, `"0b5a-uuid"`, `{"a":[1]}`} {
		a.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"_x"}`)
		if got := a.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"error":`) {
			t.Errorf("id %s answered %s", id, got)
		}
	}
}

func TestPanicsAreContained(t *testing.T) {
	h := &asker{
		read:   func(context.Context, *ReadTextFileRequest) (ReadTextFileResponse, error) { panic("boom") },
		update: func(context.Context, Update) { panic("bang") },
	}
	a := startPeer(t, h, StreamOptions{})
	a.send(chunkLine(1), readLine, strings.Replace(readLine, `"id":1`, `"id":2`, 1))
	for _, id := range []string{"1", "2"} {
		got := a.next()
		if !strings.Contains(got, `"code":-32603`) || strings.Contains(got, "boom") {
			t.Errorf("request %s answered %s", id, got)
		}
	}
	for _, want := range []string{"bang", "boom", "boom"} {
		if r := a.report(); r.Problem != Panicked || !strings.Contains(r.String(), want) || !strings.Contains(r.String(), "conn_test.go") {
			t.Errorf("report %v", r)
		}
	}
}

func TestCancelIncoming(t *testing.T) {
	h := &asker{
		permission: func(ctx context.Context, r *RequestPermissionRequest) (RequestPermissionResponse, error) {
			Release(ctx)
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), ErrCancelledByAgent) {
				t.Errorf("cause %v", context.Cause(ctx))
			}
			return RequestPermissionResponse{Cancelled: true}, nil
		},
		read: func(ctx context.Context, r *ReadTextFileRequest) (ReadTextFileResponse, error) {
			Release(ctx)
			<-ctx.Done()
			return ReadTextFileResponse{}, fmt.Errorf("read %s: %w", r.Path, ctx.Err())
		},
	}
	a := startPeer(t, h, StreamOptions{})
	cancel := func(id string) {
		a.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`)
	}
	cancel(`"p"`) // not there yet: nothing happens
	a.send(permissionLine)
	cancel(`"p"`)
	a.expect(`{"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"cancelled"}}}`)
	a.send(readLine)
	cancel(`1`)
	a.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"read /p: context canceled"}}`)
	a.send(strings.Replace(readLine, `"id":1`, `"id":1.0`, 1))
	cancel(`1.0`)
	if got := a.next(); !strings.Contains(got, `"id":1.0,"error":{"code":-32800`) {
		t.Errorf("got %s", got)
	}
}

func TestHandlerErrors(t *testing.T) {
	answers := []error{NewError(CodeNotFound, "no session"), fmt.Errorf("outer: %w", NewError(CodeNotFound, "inner")), errors.New("plain")}
	h := &asker{read: func(context.Context, *ReadTextFileRequest) (ReadTextFileResponse, error) {
		err := answers[0]
		answers = answers[1:]
		return ReadTextFileResponse{}, err
	}}
	a := startPeer(t, h, StreamOptions{})
	for _, want := range []string{`{"code":-32002,"message":"no session"}`, `{"code":-32002,"message":"outer: inner"}`, `{"code":-32603,"message":"plain"}`} {
		a.send(readLine)
		a.expect(`{"jsonrpc":"2.0","id":1,"error":` + want + `}`)
	}
}

func TestTrace(t *testing.T) {
	var mu sync.Mutex
	var got []string
	a := startPeer(t, Unimplemented{}, StreamOptions{Trace: func(out bool, line []byte) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprint(out, " ", string(line)))
	}})
	a.send("a banner", `{"jsonrpc":"2.0","id":1,"method":"_x"}`)
	a.next()
	mu.Lock()
	defer mu.Unlock()
	want := []string{`false a banner`, `false {"jsonrpc":"2.0","id":1,"method":"_x"}`, `true {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method \"_x\" is not available"}}`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("traced %q", got)
	}
}
