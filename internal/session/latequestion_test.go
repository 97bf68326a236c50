package session

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"acp-ls/buffers"
)

// A question is made ready in a while: what it is about is shown in place first.
// If its turn is cancelled meanwhile, or ends, it is answered so, and nobody is
// asked.
func TestQuestionOfATurnThatEndsMeanwhile(t *testing.T) {
	for _, how := range []string{"cancelled", "over"} {
		t.Run(how, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			e.onPermission = func(q Question) (string, error) {
				t.Errorf("the user is asked %s", q.Message)
				return "yes", nil
			}
			path := filepath.Join(root, "a.txt")
			writeFile(t, path, ten)
			p, err := buffers.Resolve(path)
			if err != nil {
				t.Fatal(err)
			}
			f := c.file(p)
			if err := f.lockOps(t.Context()); err != nil { // nothing can be shown in it
				t.Fatal(err)
			}
			answered := make(chan PermissionOutcome, 1)
			l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
				old := "2\n"
				go func() {
					o, err := a.host.RequestPermission(t.Context(), sid, PermissionRequest{
						ToolCall: ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"),
							Content: &[]ToolContent{{Type: "diff", Path: path, OldText: &old, NewText: "TWO\n"}}},
						Options: []PermissionOption{{OptionID: "yes", Kind: "allow_once"}, {OptionID: "no", Kind: "reject_once"}},
					})
					if err != nil {
						t.Error(err)
					}
					answered <- o
				}()
				s := c.allSessions()[0]
				e.await("the tool call", func() bool {
					return slices.ContainsFunc(e.entries[s.id], func(en Entry) bool { return en.Kind == EntryTool })
				})
				if how == "cancelled" {
					if err := c.Cancel(ctx, s.id); err != nil {
						t.Error(err)
					}
				}
				return StopCancelled, nil
			}
			if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
				t.Fatal(err)
			}
			f.unlockOps()
			if o := <-answered; !o.Cancelled {
				t.Errorf("answered %+v", o)
			}
			if q := c.Questions(); len(q) > 0 {
				t.Errorf("still asked: %+v", q)
			}
			if left := c.Reviews("", ""); len(left) > 0 {
				t.Errorf("still shown: %+v", left)
			}
		})
	}
}

// What a question shows in place is gone when its turn is: whether it was being made
// ready, was shown, or was just answered with the turn's end.
func TestNothingOfAQuestionIsShownAfterItsTurn(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	e.onPermission = func(Question) (string, error) { return "", ErrUnanswered }
	path := filepath.Join(root, "a.txt")
	writeFile(t, path, ten)
	old := "2\n"
	for i := range 60 {
		l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
			asked := make(chan struct{})
			go func() {
				placed := Ordered(t.Context(), func() { close(asked) })
				if _, err := a.host.RequestPermission(placed, sid, PermissionRequest{
					ToolCall: ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"),
						Content: &[]ToolContent{{Type: "diff", Path: path, OldText: &old, NewText: "TWO\n"}}},
					Options: []PermissionOption{{OptionID: "yes", Kind: "allow_once"}, {OptionID: "no", Kind: "reject_once"}},
				}); err != nil {
					t.Error(err)
				}
			}()
			<-asked
			for range i % 20 {
				runtime.Gosched()
			}
			if i%2 == 0 {
				return "end_turn", nil
			}
			if err := c.Cancel(ctx, c.allSessions()[0].id); err != nil {
				t.Error(err)
			}
			return StopCancelled, nil
		}
		if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
			t.Fatal(err)
		}
		if left := c.Reviews("", ""); len(left) > 0 {
			t.Fatalf("after turn %d still shown: %+v", i, left)
		}
		if q := c.Questions(); len(q) > 0 {
			t.Fatalf("after turn %d still asked: %+v", i, q)
		}
	}
}
