package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A permission comes after the tool call it is about, a prompt's response after
// the last update of its turn, however slow the handler is.
func TestOrder(t *testing.T) {
	var seen atomic.Int64
	h := &asker{
		update: func(context.Context, Update) { seen.Add(1) },
		permission: func(ctx context.Context, r *RequestPermissionRequest) (RequestPermissionResponse, error) {
			n := seen.Load()
			Release(ctx)
			return RequestPermissionResponse{OptionID: fmt.Sprint(n)}, nil
		},
	}
	a := startPeer(t, h, StreamOptions{})
	for i := range 200 {
		seen.Store(0)
		done := a.prompt(context.Background())
		a.next()
		a.send(chunkLine(1), chunkLine(2), permissionLine, chunkLine(3), chunkLine(4),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`, i+1))
		if o := receive(t, done); o.err != nil || seen.Load() != 4 {
			t.Fatalf("turn ended after %d updates, %v", seen.Load(), o.err)
		}
		if got := a.next(); !strings.Contains(got, `"optionId":"2"`) {
			t.Fatalf("permission asked at %s", got)
		}
	}
}

// Requests start in the order they were sent, though each takes its time.
func TestRequestsStartInOrder(t *testing.T) {
	started := make(chan string, 100)
	h := &asker{read: func(ctx context.Context, r *ReadTextFileRequest) (ReadTextFileResponse, error) {
		started <- r.Path
		Release(ctx)
		return ReadTextFileResponse{Content: r.Path}, nil
	}}
	a := startPeer(t, h, StreamOptions{})
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/read_text_file","params":{"sessionId":"s1","path":"/%d"}}`, i, i))
	}
	a.send(lines...)
	for i := range 100 {
		if got := receive(t, started); got != fmt.Sprintf("/%d", i) {
			t.Fatalf("request %d is %s", i, got)
		}
		a.next()
	}
}

func TestBurstKeepsOrder(t *testing.T) {
	const n = 10_000
	h := newUpdates(n)
	a := startPeer(t, h, StreamOptions{})
	go func() {
		for i := range n {
			a.send(chunkLine(i))
		}
	}()
	for i := range n {
		c, ok := receive(t, h.got).(*MessageChunk)
		if want := fmt.Sprintf("chunk %d, forty bytes of text or so.", i); !ok || c.Content.Text != want {
			t.Fatalf("update %d is %+v", i, c)
		}
	}
}

// An agent whose updates are not taken has to wait; nothing is lost and nothing
// piles up here.
func TestBackPressure(t *testing.T) {
	h := newUpdates(0) // takes an update only when the test does
	a := startPeer(t, h, StreamOptions{})
	const n = 5000 // more than the pipe and the read buffer hold
	var sent atomic.Int64
	finished := make(chan bool, 1)
	go func() {
		for i := range n {
			a.send(chunkLine(i))
			sent.Store(int64(i + 1))
		}
		finished <- true
	}()
	receive(t, h.got)
	// What has been sent but not taken is in the pipe and in our read buffer.
	held := (64<<10+readStart)/len(chunkLine(0)) + 10
	for i := 1; i < n; i++ {
		if ahead := int(sent.Load()) - i; ahead > held {
			t.Fatalf("agent is %d updates ahead", ahead)
		}
		if c := receive(t, h.got).(*MessageChunk); !strings.HasPrefix(c.Content.Text, fmt.Sprintf("chunk %d,", i)) {
			t.Fatalf("update %d is %q", i, c.Content.Text)
		}
	}
	receive(t, finished)
}

// Calls made inside handlers.
func TestReentrantCalls(t *testing.T) {
	var c *Conn
	got := make(chan error, 1)
	h := &asker{
		ext: func(ctx context.Context, method string, _ jsontext.Value) (any, error) {
			_, err := Call[Empty](ctx, c, "inner", nil) // releases by itself
			return Empty{}, err
		},
		update: func(ctx context.Context, _ Update) {
			_, err := Call[Empty](ctx, c, "inner", nil)
			got <- err
		},
	}
	a := startPeer(t, h, StreamOptions{})
	c = a.conn
	a.send(`{"jsonrpc":"2.0","id":1,"method":"_outer"}`)
	a.expect(`{"jsonrpc":"2.0","id":1,"method":"inner"}`)
	a.send(`{"jsonrpc":"2.0","id":1,"result":null}`)
	a.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	a.send(chunkLine(1))
	if err := receive(t, got); !errors.Is(err, ErrInNotification) {
		t.Errorf("call in a notification: %v", err)
	}
}
