package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/internal/session"
)

// talk is a peer at the other end of a pipe whose one tool is do.
func talk(t *testing.T, do func(context.Context) ([]string, error)) (send func(string), lines *bufio.Reader) {
	ours, theirs := net.Pipe()
	p := newPeer(ours, ours, nil, "1", slog.New(slog.DiscardHandler))
	p.named = func(name string) *tool {
		if name != "do" {
			return nil
		}
		return &tool{Name: name, run: func(ctx context.Context, _ *session.Tools, _ jsontext.Value) ([]string, error) { return do(ctx) }}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(context.Background())
	}()
	t.Cleanup(func() {
		theirs.Close()
		<-ended
	})
	send = func(s string) {
		t.Helper()
		if _, err := io.WriteString(theirs, s+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	return send, bufio.NewReader(theirs)
}

func next(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

func doCall(id int, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"do"%s}}`, id, meta)
}

// A client that asked for it is told that a call goes on, until its answer.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send, lines := talk(t, func(ctx context.Context) ([]string, error) {
			time.Sleep(2*progressEvery + progressEvery/2)
			return []string{"done"}, nil
		})
		send(doCall(1, `,"_meta":{"progressToken":"t\u2028"}`))
		for n := 1; n <= 2; n++ {
			want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t\u2028","progress":%d,`, n)
			if got := next(t, lines); !strings.HasPrefix(got, want) {
				t.Errorf("%s", got)
			}
		}
		want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`
		if got := next(t, lines); got != want {
			t.Errorf("%s", got)
		}
	})
}

// A client that has given a call up gets no answer to it; its id is free again.
func TestCancelIsNotAnswered(t *testing.T) {
	began := make(chan struct{})
	send, lines := talk(t, func(ctx context.Context) ([]string, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for range 2 {
		send(doCall(1, ""))
		<-began
		send(doCall(1, "")) // while the first runs
		if got := next(t, lines); !strings.Contains(got, `"id":1,"error"`) {
			t.Errorf("%s", got)
		}
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no"}}`)
		// The call ends by itself; what comes first is the answer to the next one.
		for id := 2; ; id++ {
			send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
			if got, want := next(t, lines), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id); got != want {
				t.Fatalf("%s", got)
			}
			if id > 5 {
				break
			}
		}
		send(`{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"do"}}`)
		<-began
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
	}
}

func TestCallsAreBounded(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	send, lines := talk(t, func(ctx context.Context) ([]string, error) {
		began <- struct{}{}
		<-end
		return []string{""}, nil
	})
	for i := range maxCalls {
		send(doCall(i, ""))
		<-began
	}
	send(doCall(maxCalls, ""))
	if got := next(t, lines); !strings.Contains(got, fmt.Sprintf(`"id":%d,"error"`, maxCalls)) {
		t.Errorf("%s", got)
	}
	close(end)
	for range maxCalls {
		if got := next(t, lines); !strings.Contains(got, `"result"`) {
			t.Errorf("%s", got)
		}
	}
}

// A fault costs its call, and is told without what only we know.
func TestPanicIsContained(t *testing.T) {
	send, lines := talk(t, func(context.Context) ([]string, error) { panic("secret") })
	send(doCall(1, ""))
	if got := next(t, lines); !strings.Contains(got, `"isError":true`) || strings.Contains(got, "secret") {
		t.Errorf("%s", got)
	}
	send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	next(t, lines)
}

// Calls that run when the connection ends are cancelled.
func TestEndCancelsCalls(t *testing.T) {
	ours, theirs := net.Pipe()
	p := newPeer(ours, ours, nil, "1", slog.New(slog.DiscardHandler))
	began, ended := make(chan struct{}), make(chan struct{})
	p.named = func(string) *tool {
		return &tool{run: func(ctx context.Context, _ *session.Tools, _ jsontext.Value) ([]string, error) {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		}}
	}
	go func() {
		defer close(ended)
		p.run(t.Context())
	}()
	if _, err := io.WriteString(theirs, doCall(1, "")+"\n"); err != nil {
		t.Fatal(err)
	}
	<-began
	theirs.Close()
	<-ended
}

func TestLongLineEndsTheConnection(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), io.LimitReader(filler{}, maxLine+1), strings.NewReader("\"}\n"))
	var out bytes.Buffer
	newPeer(in, &out, nil, "1", slog.New(slog.DiscardHandler)).run(t.Context())
	if out.Len() > 0 {
		t.Errorf("answered %q", out.String())
	}
}

type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
