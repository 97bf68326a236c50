package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"pgregory.net/rapid"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

var question = session.Question{
	ID: "q1", Session: "s1", Agent: "demo", Message: "Run rm -rf build?",
	ToolCall: session.ToolCall{ID: "t1", Title: "rm -rf build", Kind: "execute", Status: "pending"},
	Options: []session.PermissionOption{
		{OptionID: "yes", Name: "Allow", Kind: "allow_once"},
		{OptionID: "always", Name: "Allow", Kind: "allow_always"},
		{OptionID: "later", Name: "Decide later", Kind: "reject_once"},
		{OptionID: "no", Name: "No,\x1b[2J\nnever\u202e", Kind: ""},
		{OptionID: "bare", Name: "", Kind: "reject_always"},
		{OptionID: "bare2", Name: "Allow", Kind: "allow_always"},
	},
}

type answerFunc = func(context.Context, json.RawMessage) (any, error)

func withAnswer(method string, f answerFunc, acp ...string) rigOptions {
	return rigOptions{Options: fakeeditor.Options{ACP: acp, Answer: map[string]func(context.Context, json.RawMessage) (any, error){method: f}}}
}

func TestPopUp(t *testing.T) {
	r := start(t, withAnswer("window/showMessageRequest", func(context.Context, json.RawMessage) (any, error) {
		return map[string]any{"title": "Allow (allow always)"}, nil
	}))
	option, err := r.editor.Permission(limit(t), question)
	if option != "always" || err != nil {
		t.Errorf("%q, %v", option, err)
	}
	want := `{"type":3,"message":"Run rm -rf build?","actions":[{"title":"Decide later"},{"title":"Allow","optionId":"yes"},` +
		`{"title":"Allow (allow always)","optionId":"always"},{"title":"Decide later (reject once)","optionId":"later"},` +
		`{"title":"No,[2J never","optionId":"no"},{"title":"bare","optionId":"bare"},{"title":"Allow (allow always) 2","optionId":"bare2"}],` +
		`"acp":{"id":"q1","session":"s1","toolCall":{"id":"t1","title":"rm -rf build","kind":"execute","status":"pending"},"options":` + optionsJSON(t) + `}}`
	if got := r.client.Received("window/showMessageRequest"); len(got) != 1 || string(got[0]) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func optionsJSON(t *testing.T) string {
	raw, err := codec{}.Marshal(question.Options)
	must(t, err)
	return string(raw)
}

// What is none of the options, in any form an editor may give it, is no answer:
// neither yes nor no.
func TestWhatIsNoAnswer(t *testing.T) {
	for name, f := range map[string]answerFunc{
		"null":         func(context.Context, json.RawMessage) (any, error) { return nil, nil },
		"empty string": func(context.Context, json.RawMessage) (any, error) { return "", nil },
		"a string":     func(context.Context, json.RawMessage) (any, error) { return "Allow", nil },
		"decide later": func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"title": "Decide later"}, nil
		},
		"unknown title": func(context.Context, json.RawMessage) (any, error) { return map[string]any{"title": "Allow "}, nil },
		"no title":      func(context.Context, json.RawMessage) (any, error) { return map[string]any{"optionId": "yes"}, nil },
		"a number":      func(context.Context, json.RawMessage) (any, error) { return map[string]any{"title": 1}, nil },
		"a list": func(context.Context, json.RawMessage) (any, error) {
			return []any{map[string]any{"title": "Allow"}}, nil
		},
		"an error": func(context.Context, json.RawMessage) (any, error) {
			return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "no")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, withAnswer("window/showMessageRequest", f))
			if option, err := r.editor.Permission(limit(t), question); option != "" || !errors.Is(err, session.ErrUnanswered) {
				t.Errorf("%q, %v", option, err)
			}
		})
	}
	for name, f := range map[string]answerFunc{
		"null":           func(context.Context, json.RawMessage) (any, error) { return nil, nil },
		"no option":      func(context.Context, json.RawMessage) (any, error) { return map[string]any{}, nil },
		"null option":    func(context.Context, json.RawMessage) (any, error) { return map[string]any{"optionId": nil}, nil },
		"unknown option": func(context.Context, json.RawMessage) (any, error) { return map[string]any{"optionId": "maybe"}, nil },
		"wrong type":     func(context.Context, json.RawMessage) (any, error) { return map[string]any{"optionId": 1}, nil },
		"a string":       func(context.Context, json.RawMessage) (any, error) { return "yes", nil },
		"an error":       func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("closed") },
	} {
		t.Run("acp/permission "+name, func(t *testing.T) {
			r := start(t, withAnswer("acp/permission", f, "permission"))
			if option, err := r.editor.Permission(limit(t), question); option != "" || !errors.Is(err, session.ErrUnanswered) {
				t.Errorf("%q, %v", option, err)
			}
		})
	}
}

// Where nobody would answer, nothing is asked.
func TestEditorsThatCannotAsk(t *testing.T) {
	without := func(caps map[string]any) { caps["window"] = map[string]any{} }
	r := start(t, rigOptions{Options: fakeeditor.Options{Capabilities: without}})
	if _, err := r.editor.Permission(limit(t), question); !errors.Is(err, session.ErrUnanswered) {
		t.Error(err)
	}
	if got := r.client.Received("window/showMessageRequest"); len(got) > 0 {
		t.Error("asked")
	}
	o := withAnswer("window/showMessageRequest", func(context.Context, json.RawMessage) (any, error) {
		return map[string]any{"title": "Allow"}, nil
	})
	o.Name, o.Capabilities = "Emacs", without // which answers all the same
	r = start(t, o)
	if option, err := r.editor.Permission(limit(t), question); option != "yes" || err != nil {
		t.Errorf("%q, %v", option, err)
	}
}

// asker answers questions by their id when the test says so.
type asker struct{ answers map[string]chan any }

func newAsker(ids ...string) *asker {
	a := &asker{answers: map[string]chan any{}}
	for _, id := range ids {
		a.answers[id] = make(chan any, 1)
	}
	return a
}

func (a *asker) answer(ctx context.Context, raw json.RawMessage) (any, error) {
	var p struct {
		ID  string
		ACP struct{ ID string }
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	select {
	case v := <-a.answers[p.ID+p.ACP.ID]:
		return v, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type asked struct {
	option string
	err    error
}

// ask asks question id on a goroutine.
func (r *rig) ask(ctx context.Context, id string) chan asked {
	out := make(chan asked, 1)
	q := question
	q.ID = id
	go func() {
		option, err := r.editor.Permission(ctx, q)
		out <- asked{option, err}
	}()
	return out
}

// alarms are what was to happen later.
type alarms chan func()

func (a alarms) after(d time.Duration, f func()) func() bool {
	if d != 60*time.Second {
		panic(d)
	}
	a <- f
	return func() bool { return true }
}

// One pop-up at a time, in the order of the questions; one that is unanswered
// for a minute, or withdrawn, lets the next one be shown.
func TestPopUpsAreShownOneByOne(t *testing.T) {
	a := newAsker("1", "2", "3", "4")
	minute := make(alarms, 4)
	o := withAnswer("window/showMessageRequest", a.answer)
	o.after = minute.after
	r := start(t, o)
	shown := func(want string) {
		t.Helper()
		var got string
		r.await(t, "pop-ups "+want, func(s fakeeditor.State) bool {
			var ids []string
			for _, m := range s.Received("window/showMessageRequest") {
				var p struct{ ACP struct{ ID string } }
				_ = json.Unmarshal(m.Params, &p)
				ids = append(ids, p.ACP.ID)
			}
			got = strings.Join(ids, " ")
			return len(got) >= len(want)
		})
		if got != want {
			t.Fatalf("shown %s, want %s", got, want)
		}
	}
	waiting := func(n int) {
		turn := &r.bridge.questions.turn
		eventually(t, func() bool {
			turn.mu.Lock()
			defer turn.mu.Unlock()
			return len(turn.line) == 1+n // one is through
		})
	}
	one := r.ask(t.Context(), "1")
	shown("1")
	ctx2, withdraw := context.WithCancel(t.Context())
	two := r.ask(ctx2, "2")
	waiting(1)
	three := r.ask(t.Context(), "3")
	waiting(2)
	four := r.ask(t.Context(), "4")
	waiting(3)
	(<-minute)()
	shown("1 2")
	withdraw()
	if got := <-two; !errors.Is(got.err, context.Canceled) {
		t.Errorf("withdrawn: %v", got)
	}
	shown("1 2 3")
	a.answers["2"] <- map[string]any{"title": "Allow"} // too late, and nobody minds
	a.answers["1"] <- map[string]any{"title": "Allow"} // late, and still an answer
	if got := <-one; got.option != "yes" {
		t.Errorf("late answer: %v", got)
	}
	waiting(1) // a late answer lets nobody by: the third is still shown
	a.answers["3"] <- nil
	if got := <-three; !errors.Is(got.err, session.ErrUnanswered) {
		t.Errorf("dismissed: %v", got)
	}
	shown("1 2 3 4")
	r.await(t, "the second to be cancelled", fakeeditor.Received("$/cancelRequest", 1))
	must(t, r.client.Kill())
	if got := <-four; got.err == nil {
		t.Error("answered by nobody")
	}
}

// Any number of acp/permission may be open, and each is answered for itself.
func TestPermissionsAtOnce(t *testing.T) {
	a := newAsker("1", "2", "3")
	r := start(t, withAnswer("acp/permission", a.answer, "permission", "dismiss", "session"))
	r.editor.Chunk("s1", "e", "about this: ")
	r.editor.Chunk("s1", "e", "rm")
	one := r.ask(t.Context(), "1")
	r.await(t, "1", fakeeditor.Received("acp/permission", 1))
	two := r.ask(t.Context(), "2")
	r.await(t, "2", fakeeditor.Received("acp/permission", 2))
	ctx, withdraw := context.WithCancel(t.Context())
	three := r.ask(ctx, "3")
	r.await(t, "3", fakeeditor.Received("acp/permission", 3))
	a.answers["2"] <- map[string]any{"optionId": "no"}
	if got := <-two; got.option != "no" {
		t.Errorf("%v", got)
	}
	withdraw()
	r.editor.Dismiss("3")
	<-three
	a.answers["1"] <- map[string]any{"optionId": "yes", "more": 1}
	if got := <-one; got.option != "yes" {
		t.Errorf("%v", got)
	}
	r.editor.Dismiss("1")
	r.editor.Dismiss("1")         // twice
	r.editor.Dismiss("never met") // was shown to others
	r.editor.ShowMessage(session.LevelInfo, "end")
	r.await(t, "the end", fakeeditor.Received("window/showMessage", 1))
	var order []string
	text := ""
	for _, m := range r.client.Log() {
		var p struct{ ID, Text string }
		if m.FromEditor || m.Response() || json.Unmarshal(m.Params, &p) != nil || !strings.HasPrefix(m.Method, "acp/") {
			continue
		}
		if text += p.Text; p.Text == "" {
			order = append(order, strings.TrimPrefix(m.Method, "acp/")+" "+p.ID)
		} else if len(order) > 0 {
			t.Errorf("%s comes after the question about it", p.Text)
		}
	}
	want := "permission 1, permission 2, permission 3, dismiss 3, dismiss 1"
	if got := strings.Join(order, ", "); got != want || text != "about this: rm" {
		t.Errorf("got  %s, text %q\nwant %s", got, text, want)
	}
}

// Questions of a session do not keep those waiting that the editor cannot be
// asked any more.
func TestPermissionEndsWhenTheEditorStalls(t *testing.T) {
	r := start(t, rigOptions{Options: fakeeditor.Options{ACP: []string{"permission"}}})
	resume := r.client.Stall()
	defer resume()
	for range 3 { // those beyond what the pipe holds are never written
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.editor.Permission(ctx, question)
			done <- err
		}()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// However asking and withdrawing interleave, the editor is told that a question
// it has got is withdrawn, never of one it has not got, and nothing of the
// question stays behind.
func TestQuestionsAreWithdrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s questions
		var unsent, sent, begun int
		dismissed, open := false, false
		tell := func(yes bool) {
			if yes && !open {
				t.Fatal("told of a question that the editor has not got")
			}
			open = open && !yes
		}
		for !dismissed || unsent+sent > 0 {
			switch rapid.SampledFrom([]string{"begin", "queue", "end", "end unsent", "dismiss"}).Draw(t, "step") {
			case "begin":
				if !dismissed && begun < 3 { // the core asks nothing that it has withdrawn
					s.begin("q")
					unsent, begun = unsent+1, begun+1
				}
			case "queue":
				if unsent > 0 {
					s.queued("q")
					unsent, sent, open = unsent-1, sent+1, true
				}
			case "end":
				if sent > 0 {
					sent--
					tell(s.end("q"))
				}
			case "end unsent":
				if unsent > 0 {
					unsent--
					tell(s.end("q"))
				}
			case "dismiss":
				dismissed = true
				tell(s.dismiss("q"))
			}
		}
		if open || len(s.sent) > 0 {
			t.Fatalf("the editor still shows it: %v; %d left", open, len(s.sent))
		}
	})
	for name, tt := range map[string]struct {
		steps string
		told  int
	}{
		"answered":                     {"b q e d", 1},
		"withdrawn while shown":        {"b q d e", 1},
		"withdrawn before it was sent": {"b d e", 0},
		"withdrawn, and sent after":    {"b d q e", 1},
		"never sent":                   {"b e d", 0},
		"shown twice":                  {"b q e b q e d", 1},
		"unknown":                      {"d", 0},
		"twice":                        {"b q e d d", 1},
	} {
		var s questions
		told := 0
		for _, step := range strings.Fields(tt.steps) {
			yes := false
			switch step {
			case "b":
				s.begin("x")
			case "q":
				s.queued("x")
			case "e":
				yes = s.end("x")
			case "d":
				yes = s.dismiss("x")
			}
			if yes {
				told++
			}
		}
		if told != tt.told || len(s.sent) > 0 {
			t.Errorf("%s: told %d times, %d left", name, told, len(s.sent))
		}
	}
}
