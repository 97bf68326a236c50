package lspbridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

func TestHeaders(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":7,"method":"unknown"}`
	for _, header := range []string{
		"Content-Length: 43\r\n\r\n",
		"content-length:43\r\n\r\n",
		"Content-Length: 43\n\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length:  43 \r\n\r\n",
		"X\r\nContent-Length: 43\r\nY: 1\r\n\r\n",
		"\r\n\nContent-Length: 43\r\n\r\n",
	} {
		c := newRaw(t)
		c.initialize()
		c.write(header + body)
		if got := c.receive(); !strings.Contains(got, `"id":7,"error":{"code":-32601`) {
			t.Errorf("%q: %s", header, got)
		}
	}
	for _, header := range []string{
		"\r\n\r\nX: 1\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n",
		"Content-Length: 99999999999\r\n\r\n", strings.Repeat("X: y\r\n", 2000), strings.Repeat("x", 70<<10),
	} {
		c := newRaw(t)
		c.initialize()
		_, _ = io.WriteString(c.conn, header) // fails when the other side has had enough
		if err := <-c.served; !errors.Is(err, jsonrpc2.ErrInvalidHeader) {
			t.Errorf("%.20q: %v", header, err)
		}
	}
}

func TestTruncatedMessageEndsWithAnError(t *testing.T) {
	for _, s := range []string{"Content-Le", "Content-Length: 10\r\n", "Content-Length: 10\r\n\r\n", "Content-Length: 10\r\n\r\n{}"} {
		c := newRaw(t)
		c.initialize()
		c.write(s)
		_ = c.conn.Close()
		if err := <-c.served; !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestBodiesThatAreNoMessage(t *testing.T) {
	c := newRaw(t)
	c.initialize()
	for body, code := range map[string]string{
		`{`: "-32700", ``: "-32700", `nonsense`: "-32700", `[]`: "-32600", `[{"jsonrpc":"2.0","id":1,"method":"x"}]`: "-32600",
		`1`: "-32700", `{"jsonrpc":"2.0"}`: "-32600", `{"jsonrpc":"2.0","id":{},"method":"x"} `: "",
	} {
		c.send(body)
		if code == "" { // an id that is none makes it a notification
			continue
		}
		if got := c.receive(); !strings.Contains(got, `"id":null,"error":{"code":`+code) {
			t.Errorf("%q: %s", body, got)
		}
	}
	c.send(`{"jsonrpc":"2.0","id":"still here","method":"unknown"}`)
	if got := c.receive(); !strings.Contains(got, `"still here"`) {
		t.Error(got)
	}
}

// What editors get wrong around a message must not cost the message.
func TestLooseMessages(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":1,"method":"unknown"}`:                                  `"id":1,`,
		`{"jsonrpc":"2.0","id":1.0,"method":"unknown"}`:                `"id":1,`,
		`{"jsonrpc":"2.0","id":"a","method":"unknown","params":null}`:  `"id":"a",`,
		`{"jsonrpc":"2.0","id":"","method":"unknown","error":null}`:    `"id":"",`,
		`{"jsonrpc":"1.0","id":-5,"method":"unknown","params":[1,2]}`:  `"id":-5,`,
		`{"jsonrpc":"2.0","id":4,"method":"unknown","id":5} ` + "\r\n": `"id":5,`,
	} {
		c := newRaw(t)
		c.initialize()
		c.send(body)
		if got := c.receive(); !strings.Contains(got, want) || !strings.Contains(got, "-32601") {
			t.Errorf("%q: %s", body, got)
		}
	}
}

func TestLooseAnswers(t *testing.T) {
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"x":1},"error":null}`:                      "<nil>",
		`{"id":1,"result":null}`:                                                      "<nil>",
		`{"jsonrpc":"2.0","id":1.0,"result":[]}`:                                      "<nil>",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603.0,"message":"no","data":{}}}`: "no",
		`{"jsonrpc":"2.0","id":1,"error":"no"}`:                                       `error "no"`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":"x"},"result":null}`:                 `error {"code":"x"}`,
		`{"jsonrpc":"2.0","id":1}`:                                                    "<nil>",
	} {
		server, client := pipes()
		s := newStream(server, slog.New(slog.DiscardHandler))
		conn := jsonrpc2.NewConn(s, jsonrpc2.WithCodec(codec{}))
		conn.Go(context.Background(), func(context.Context, *jsonrpc2.Request) (any, error) { return nil, nil })
		answered := make(chan error, 1)
		go func() {
			_, err := conn.Call(context.Background(), "x", nil, nil)
			answered <- err
		}()
		r := &raw{t: t, conn: client}
		buf := make([]byte, 1000)
		if _, err := client.Read(buf); err != nil {
			t.Fatal(err)
		}
		r.send(body)
		if err := <-answered; fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
		_ = client.Close()
		<-conn.Done()
	}
}

// blocking is a connection whose writes wait until they are allowed.
type blocking struct {
	io.Reader
	allow  chan int
	got    strings.Builder
	closed chan struct{}
}

func (b *blocking) Write(p []byte) (int, error) {
	select {
	case <-b.allow:
	case <-b.closed:
		return 0, io.ErrClosedPipe
	}
	b.got.Write(p)
	return len(p), nil
}

func (b *blocking) Close() error {
	close(b.closed)
	return nil
}

func newBlocking() *blocking {
	return &blocking{Reader: strings.NewReader(""), allow: make(chan int, 100), closed: make(chan struct{})}
}

func newNotification(method string) jsonrpc2.Message { return jsonrpc2.NewNotification(method, nil) }

// A call gives up with its context although the editor does not read; what was
// not begun is never written, and the order of the rest is that of the calls.
func TestWritesGiveUpWithTheirContext(t *testing.T) {
	b := newBlocking()
	s := newStream(b, slog.New(slog.DiscardHandler))
	errs := make(chan error)
	write := func(ctx context.Context, method string) {
		queued := make(chan bool)
		go func() {
			_, err := s.Write(withQueued(ctx, func() { close(queued) }), newNotification(method))
			errs <- err
		}()
		<-queued
	}
	write(context.Background(), "one")
	ctx, cancel := context.WithCancel(context.Background())
	write(ctx, "two")
	write(context.Background(), "three")
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := s.Write(context.Background(), jsonrpc2.NewResponse(jsonrpc2.NewNumberID(1), nil, nil)); err != nil {
		t.Fatal(err) // at once: nobody waits for an answer to be read
	}
	_ = s.Close()
	b.allow <- 1
	b.allow <- 1
	b.allow <- 1
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	<-s.done
	got := b.got.String()
	if strings.Contains(got, "two") || !(strings.Index(got, "one") < strings.Index(got, "three") && strings.Index(got, "three") < strings.Index(got, `"result"`)) {
		t.Errorf("written: %q", got)
	}
	if _, err := s.Write(context.Background(), newNotification("late")); !errors.Is(err, errStreamClosed) {
		t.Error(err)
	}
}

func TestAbortEndsStuckWrites(t *testing.T) {
	b := newBlocking()
	s := newStream(b, slog.New(slog.DiscardHandler))
	errs := make(chan error, 2)
	for range 2 {
		queued := make(chan bool)
		go func() {
			_, err := s.Write(withQueued(context.Background(), func() { close(queued) }), newNotification("x"))
			errs <- err
		}()
		<-queued
	}
	s.abort()
	for range 2 {
		if err := <-errs; err == nil {
			t.Error("written")
		}
	}
	<-s.done
}

// What one stream writes the other reads, whatever the sizes, and large messages
// do not stay in memory.
func TestFramesRoundTrip(t *testing.T) {
	sizes := []int{0, 10, maxKept + 1, 1, 3 * maxKept, maxKept - 2, 99, 64 << 10, 0}
	server, client := pipes()
	in, out := newStream(server, slog.New(slog.DiscardHandler)), newStream(client, slog.New(slog.DiscardHandler))
	go func() {
		for i, n := range sizes {
			params := jsonrpc2.RawMessage(`"` + strings.Repeat(string(rune('a'+i)), n) + `"`)
			_, _ = out.Write(context.Background(), jsonrpc2.NewNotification("m", params)) // the reader would notice
		}
		_ = out.Close()
	}()
	for i, n := range sizes {
		msg, _, err := in.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := string(msg.(*jsonrpc2.Notification).Params())
		if want := `"` + strings.Repeat(string(rune('a'+i)), n) + `"`; got != want {
			t.Fatalf("message %d has %d bytes, want %d", i, len(got), len(want))
		}
		if n < maxKept-100 && cap(in.body) > maxKept {
			t.Errorf("%d bytes are kept", cap(in.body))
		}
	}
	if _, _, err := in.Read(context.Background()); err != io.EOF {
		t.Fatal(err)
	}
	in.abort()
	<-in.done
	<-out.done
}

// Whoever reads a message comes after it was noted that the message is on its
// way.
func TestQueuedComesBeforeTheReader(t *testing.T) {
	server, client := pipes()
	in, out := newStream(server, slog.New(slog.DiscardHandler)), newStream(client, slog.New(slog.DiscardHandler))
	var noted atomic.Int64
	go func() {
		for range 2000 {
			ctx := withQueued(context.Background(), func() { noted.Add(1) })
			_, _ = out.Write(ctx, newNotification("x")) // the reader would notice
		}
	}()
	for i := range int64(2000) {
		if _, _, err := in.Read(context.Background()); err != nil {
			t.Fatal(err)
		}
		if noted.Load() <= i {
			t.Fatalf("message %d was read before it was noted", i)
		}
	}
	in.abort()
	out.abort()
	<-in.done
	<-out.done
}
