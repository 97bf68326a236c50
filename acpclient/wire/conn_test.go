package wire

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestCall(t *testing.T) {
	a := startPeer(t, Unimplemented{}, StreamOptions{})
	type outcome struct {
		res *PromptResponse
		err error
	}
	done := make(chan outcome, 1)
	ask := func() {
		res, err := Call[PromptResponse](context.Background(), a.conn, MethodPrompt,
			&PromptRequest{SessionID: "s1", Prompt: []ContentBlock{TextBlock("hi <&>")}})
		done <- outcome{res, err}
	}
	go ask()
	a.expect(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"hi <&>"}]}}`)
	a.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","usage":{"totalTokens":1.5,"inputTokens":7}}}`)
	o := receive(t, done)
	if o.err != nil || o.res.StopReason != StopEndTurn || o.res.Usage.InputTokens != 7 || o.res.Usage.TotalTokens != 0 {
		t.Fatalf("got %+v, %v", o.res, o.err)
	}
	go ask()
	a.next()
	a.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}`)
	if o := receive(t, done); ErrorCode(o.err) != CodeAuthRequired {
		t.Fatalf("got %v, want auth required", o.err)
	}
	go ask()
	a.next()
	a.out.Close()
	if o := receive(t, done); !errors.Is(o.err, ErrClosed) {
		t.Fatalf("got %v, want closed", o.err)
	}
	<-a.conn.Done()
	if err := a.conn.Err(); err != nil {
		t.Fatalf("err after a clean end: %v", err)
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
