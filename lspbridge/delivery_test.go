package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// Requests of the core end with their context, or with the editor, also while
// the editor reads nothing.
func TestCallsEndWithTheirContext(t *testing.T) {
	r := start(t, withAnswer("acp/editor", func(ctx context.Context, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, "editor"))
	resume := r.client.Stall()
	defer resume()
	var left []chan error
	for range 4 {
		done := make(chan error, 1)
		go func() {
			_, err := r.editor.State(context.Background())
			done <- err
		}()
		left = append(left, done)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := r.editor.State(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	must(t, r.client.Kill())
	for _, done := range left {
		if err := <-done; err == nil {
			t.Error("answered by nobody")
		}
	}
	if _, err := r.editor.State(context.Background()); err == nil { // an editor that is gone
		t.Error("answered by nobody")
	}
	r.editor.SessionChanged(session.Info{})
	r.editor.ShowMessage(session.LevelInfo, "nobody reads this")
}

// The answer of a prompt that was waited for comes after all of its turn.
func TestAnswersDoNotOvertakeChunks(t *testing.T) {
	var r *rig
	r = start(t, rigOptions{
		Options: fakeeditor.Options{ACP: []string{"session"}},
		core: func(c *fakeCore) {
			c.prompt = func(_ context.Context, p session.Prompt) (session.PromptResult, error) {
				for i := range 100 {
					r.editor.Chunk("s", "e"+p.Text, fmt.Sprintf("%d ", i))
				}
				r.editor.SessionChanged(session.Info{Session: "s", State: session.StateIdle, Turn: p.Text})
				return session.PromptResult{Session: "s", Turn: p.Text, StopReason: "end_turn"}, nil
			}
		},
	})
	for i := range 5 {
		turn := fmt.Sprint(i)
		must(t, r.client.Command(limit(t), "acp.prompt", map[string]any{"text": turn, "wait": true}, nil))
		text, state := "", ""
		log := r.client.Log()
		for _, m := range log {
			var p struct{ ID, Text, Turn string }
			_ = json.Unmarshal(m.Params, &p)
			switch {
			case m.FromEditor || m.Response():
			case m.Method == "acp/chunk" && p.ID == "e"+turn:
				text += p.Text
			case m.Method == "acp/session":
				state = p.Turn
			}
		}
		if !strings.HasSuffix(text, " 99 ") || strings.Count(text, " ") != 100 || state != turn {
			t.Fatalf("turn %s was answered after %q, state of %s", turn, text, state)
		}
	}
}

// A command that changes a session is answered after the change was told, however
// much is told before it.
func TestAnswersDoNotOvertakeTheChangeOfASession(t *testing.T) {
	var r *rig
	changes := 0
	r = start(t, rigOptions{
		Options: fakeeditor.Options{ACP: []string{"session"}},
		core: func(c *fakeCore) {
			c.changing = func(id string) session.Info {
				for i := range 100 {
					r.editor.EntryChanged(id, session.Entry{ID: fmt.Sprintf("e%d-%d", changes, i), Kind: "agent"})
				}
				changes++
				i := session.Info{Session: id, State: session.StateClosed, Title: fmt.Sprint(changes)}
				r.editor.SessionChanged(i)
				return i
			}
		},
	})
	for _, command := range []string{"acp.session.setOption", "acp.session.close", "acp.session.delete"} {
		must(t, r.client.Command(limit(t), command, map[string]any{"session": "s", "option": "mode", "value": "x"}, nil))
		told := ""
		for _, m := range r.client.Log() {
			var p struct{ Title string }
			if m.Method == "acp/session" && json.Unmarshal(m.Params, &p) == nil {
				told = p.Title
			}
		}
		if want := fmt.Sprint(changes); told != want {
			t.Errorf("%s was answered after state %q, not %s", command, told, want)
		}
	}
}

// A million chunks for an editor that does not read cost their text, and none is
// lost.
func TestStalledEditorCostsTheText(t *testing.T) {
	r := start(t, rigOptions{Options: fakeeditor.Options{ACP: []string{"session"}}})
	resume := r.client.Stall()
	const n, chunk = 1_000_000, "word "
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		r.editor.Chunk("s", "e", chunk)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2*n*int64(len(chunk)) {
		t.Errorf("%d bytes of text take %d", n*len(chunk), grown)
	}
	resume()
	total := 0
	seen := 0
	r.await(t, "all of the text", func(s fakeeditor.State) bool {
		for ; seen < len(s.Log); seen++ {
			var p struct{ Text string }
			if m := s.Log[seen]; m.Method == "acp/chunk" && json.Unmarshal(m.Params, &p) == nil {
				total += len(p.Text)
			}
		}
		return total == n*len(chunk)
	})
}

// A core that speaks to an editor while it is being attached is not heard before
// initialize is answered, and loses nothing.
func TestNothingIsSaidBeforeInitializeIsAnswered(t *testing.T) {
	c := newRaw(t)
	c.core.whileAttaching = func(e session.Editor) {
		e.ReviewChanged(reviewA())
		e.ShowMessage(session.LevelInfo, "hello")
		go func() {
			_ = e.ApplyEdit(context.Background(), session.DocumentEdit{URI: fileA}) // ends with the editor
		}()
	}
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"workspace":{"applyEdit":true}}}}`)
	if got := c.receive(); !strings.Contains(got, `"id":0,"result"`) {
		t.Fatalf("at first: %s", got)
	}
	c.send(`{"jsonrpc":"2.0","method":"initialized"}`)
	var got []string
	for range 3 {
		got = append(got, c.receive())
	}
	all := strings.Join(got, "\n")
	for _, method := range []string{"textDocument/publishDiagnostics", "window/showMessage", "workspace/applyEdit"} {
		if !strings.Contains(all, `"method":"`+method+`"`) {
			t.Errorf("%s was lost: %s", method, all)
		}
	}
}

// A fault in showing one thing costs that thing.
func TestFaultsInShowingAreSurvived(t *testing.T) {
	broken := true
	settings := config.Default()
	r := start(t, rigOptions{})
	r.bridge.opts.Settings = func() *config.Settings {
		if broken {
			broken = false
			panic("a fault")
		}
		return settings
	}
	r.editor.ReviewChanged(reviewA())
	r.editor.ShowMessage(session.LevelInfo, "still here")
	r.await(t, "the message", fakeeditor.Received("window/showMessage", 1))
	r.editor.ReviewChanged(reviewA())
	r.await(t, "the review", fakeeditor.Received("textDocument/publishDiagnostics", 1))
}
