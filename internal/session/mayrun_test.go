package session

import (
	"context"
	"strings"
	"testing"
)

// A command that its agent leaves open when its turn is cancelled may go on, and
// that is said, by its name: of one that may have begun, and that nobody has seen end.
func TestStoppedCommandMayGoOn(t *testing.T) {
	t.Parallel()
	options := []PermissionOption{{OptionID: "y", Name: "Yes", Kind: "allow_once"}, {OptionID: "n", Name: "No", Kind: "reject_once"}}
	run := ToolPatch{ID: "t", Title: str("Run"), Kind: str("execute"), Status: str("in_progress"), RawInput: []byte(`{"command":"sleep 300\necho x"}`)}
	tests := []struct {
		name   string
		answer string // of the user, when they are asked; empty: they are not
		keep   bool   // the question stays open
		does   func(h Host, sid string)
		stop   StopReason
		says   string // the command; empty: nothing
	}{
		{name: "begun", says: "`sleep 300`", stop: StopCancelled},
		{name: "allowed", answer: "y", says: "`sleep 300`", stop: StopCancelled},
		{name: "refused", answer: "n", stop: StopCancelled},
		{name: "asked about", keep: true, stop: StopCancelled},
		{name: "a title alone", does: func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "u", Title: str("Build"), Kind: str("execute"), Status: str("in_progress")})
		}, says: "`sleep 300`, `Build`", stop: StopCancelled},
		{name: "said to have failed", does: func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "t", Status: str("failed")})
		}, stop: StopCancelled},
		{name: "not begun", does: func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "t", Status: str("pending")})
		}, stop: StopCancelled},
		{name: "no command", does: func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "t", Kind: str("edit")})
		}, stop: StopCancelled},
		{name: "in a terminal of ours that has ended", does: func(h Host, sid string) {
			h.TerminalCreated(sid, "m1", Program{Command: "sleep", Args: []string{"300"}})
			h.Update(sid, ToolPatch{ID: "t", Content: &[]ToolContent{{Type: "terminal", Terminal: "m1"}}})
			h.TerminalOutput(sid, TerminalOutput{Terminal: "m1", Exit: &TerminalExit{}})
		}, stop: StopCancelled},
		{name: "in a terminal of ours that has not", does: func(h Host, sid string) {
			h.TerminalCreated(sid, "m1", Program{Command: "sleep", Args: []string{"300"}})
			h.Update(sid, ToolPatch{ID: "t", Content: &[]ToolContent{{Type: "terminal", Terminal: "m1"}}})
		}, says: "`sleep 300`", stop: StopCancelled},
		{name: "in a terminal of ours that ended before it was shown", does: func(h Host, sid string) {
			h.TerminalCreated(sid, "m1", Program{Command: "sleep", Args: []string{"300"}})
			h.TerminalOutput(sid, TerminalOutput{Terminal: "m1", Exit: &TerminalExit{}})
			h.Update(sid, ToolPatch{ID: "t", Content: &[]ToolContent{{Type: "terminal", Terminal: "m1"}}})
		}, stop: StopCancelled},
		{name: "in a terminal of the agent's", does: func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "t", Content: &[]ToolContent{{Type: "terminal", Terminal: "own"}}})
		}, says: "`sleep 300`", stop: StopCancelled},
		{name: "in a terminal of the agent's that has ended", does: func(h Host, sid string) {
			h.Update(sid, ToolPatch{ID: "t", Content: &[]ToolContent{{Type: "terminal", Terminal: "own"}}})
			h.TerminalOutput(sid, TerminalOutput{Terminal: "own", Exit: &TerminalExit{}})
		}, stop: StopCancelled},
		{name: "a turn that ends of itself", stop: "end_turn"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, _ := setup(t, l)
			e.onPermission = func(Question) (string, error) { return test.answer, nil }
			if test.keep {
				e.onPermission = func(Question) (string, error) { return "", ErrUnanswered }
			}
			asking := make(chan struct{})
			l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
				a.host.Update(sid, run)
				if test.answer != "" {
					if _, err := a.host.RequestPermission(context.Background(), sid, PermissionRequest{ToolCall: ToolPatch{ID: "t"}, Options: options}); err != nil {
						return "", err
					}
				}
				if test.does != nil {
					test.does(a.host, sid)
				}
				close(asking)
				if test.keep {
					_, err := a.host.RequestPermission(context.Background(), sid, PermissionRequest{ToolCall: ToolPatch{ID: "t"}, Options: options})
					return test.stop, err
				}
				if test.stop == StopCancelled {
					<-ctx.Done()
				}
				return test.stop, nil
			}
			res, err := c.Prompt(t.Context(), Prompt{Text: "x"})
			if err != nil {
				t.Fatal(err)
			}
			<-asking
			if test.keep {
				e.await("the question", func() bool { return e.infos[res.Session].State == StateWaiting })
			}
			if test.stop == StopCancelled {
				if err := c.Cancel(t.Context(), res.Session); err != nil {
					t.Fatal(err)
				}
			}
			e.await("the end", func() bool { return e.infos[res.Session].StopReason == test.stop })
			e.mu.Lock()
			defer e.mu.Unlock()
			var said string
			for _, it := range e.entries[res.Session] {
				if it.Kind == EntryNotice && strings.Contains(it.Text, "may go on") {
					said = it.Text
				}
			}
			want := ""
			if test.says != "" {
				want = "fake has not said that " + test.says + " ended, and it may go on: restarting fake ends it for good"
			}
			if said != want {
				t.Errorf("said %q, not %q", said, want)
			}
		})
	}
}
