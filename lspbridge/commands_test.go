package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"acp-ls/internal/review"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// listener is a core that writes down what it is asked, and answers with err.
type listener struct {
	*fakeCore
	mu   sync.Mutex
	said []string
	err  error
}

func (l *listener) say(format string, args ...any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, fmt.Sprintf(format, args...))
	return l.err
}

func (l *listener) info() session.Info { return session.Info{Session: "s1", State: session.StateIdle} }

func (l *listener) NewSession(_ context.Context, n session.NewSession) (session.Info, error) {
	return l.info(), l.say("new %+v", n)
}
func (l *listener) LoadSession(_ context.Context, agent, id, cwd string) (session.Info, error) {
	return l.info(), l.say("load %s %s %s", agent, id, cwd)
}
func (l *listener) ListSessions(_ context.Context, r session.ListSessions) ([]session.Info, error) {
	also := ""
	if r.Also != nil {
		also = fmt.Sprintf(" and %q", *r.Also)
	}
	return []session.Info{l.info()}, l.say("list %s %s%s", r.Agent, r.Cwd, also)
}
func (l *listener) Entries(s string, from int) ([]session.Entry, error) {
	return []session.Entry{{ID: "e1", Kind: session.EntryUser, Text: "<hi>"}}, l.say("entries %s %d", s, from)
}
func (l *listener) CloseSession(_ context.Context, s string) error  { return l.say("close %s", s) }
func (l *listener) DeleteSession(_ context.Context, s string) error { return l.say("delete %s", s) }
func (l *listener) ForkSession(_ context.Context, s string) (session.Info, error) {
	return l.info(), l.say("fork %s", s)
}
func (l *listener) SetOption(_ context.Context, s, o string, v any) (session.Info, error) {
	return l.info(), l.say("option %s %s %#v", s, o, v)
}
func (l *listener) Transcript(s string) (string, error) { return "# x", l.say("transcript %s", s) }
func (l *listener) Prompt(_ context.Context, p session.Prompt) (session.PromptResult, error) {
	var spans []string
	for _, c := range p.Context {
		spans = append(spans, fmt.Sprint(c.URI, c.Range))
	}
	if p.Selection != nil {
		spans = append(spans, fmt.Sprint("selection ", p.Selection.URI, *p.Selection.Range))
	}
	return session.PromptResult{Session: "s1", Turn: "t1"}, l.say("prompt %s%s %q %v %v %q %v", p.Session, p.Agent, p.Text, spans, p.Images, p.When, p.Wait)
}
func (l *listener) Queue(s string) ([]session.Queued, error) { return nil, l.say("queue %s", s) }
func (l *listener) EditQueued(s, id, text string) error      { return l.say("edit %s %s %q", s, id, text) }
func (l *listener) RemoveQueued(s, id string) error          { return l.say("remove %s %s", s, id) }
func (l *listener) Cancel(_ context.Context, s string) error { return l.say("cancel %s", s) }
func (l *listener) Agents() []session.AgentEntry {
	_ = l.say("agents") // has no error
	return []session.AgentEntry{{Name: "demo", Installed: true, How: "demo"}}
}
func (l *listener) Authenticate(_ context.Context, a, m string) error {
	return l.say("authenticate %s %s", a, m)
}
func (l *listener) Logout(_ context.Context, a string) error       { return l.say("logout %s", a) }
func (l *listener) RestartAgent(_ context.Context, a string) error { return l.say("restart %s", a) }
func (l *listener) Questions() []session.Question {
	_ = l.say("questions") // has no error
	return nil
}
func (l *listener) Answer(id, option string) error { return l.say("answer %s %q", id, option) }
func (l *listener) ShowQuestion(id string) error   { return l.say("show %s", id) }
func (l *listener) Rules() []session.RememberedRule {
	_ = l.say("rules") // has no error
	return nil
}
func (l *listener) ForgetRule(id string) error          { return l.say("forget %s", id) }
func (l *listener) Discarded(string) *session.Discarded { return nil }

func (l *listener) Reviews(uri, s string, states ...review.State) []session.Review {
	_ = l.say("reviews %s %s %v", uri, s, states) // has no error
	return []session.Review{{URI: "file:///a", Rev: "3"}}
}
func (l *listener) decided(verb string, d session.Decide) (session.Decision, error) {
	return session.Decision{Decided: []string{"h1"}, Files: []session.Review{{URI: "file:///a", Rev: "4"}}},
		l.say("%s %v %s %s %s %s", verb, d.Hunks, d.URI, d.Session, d.Turn, d.Rev)
}
func (l *listener) Accept(_ context.Context, d session.Decide) (session.Decision, error) {
	return l.decided("accept", d)
}
func (l *listener) Reject(_ context.Context, d session.Decide) (session.Decision, error) {
	return l.decided("reject", d)
}
func (l *listener) Undo(_ context.Context, id, turn string) (session.Decision, error) {
	l.say("undo %s %s", id, turn)
	return session.Decision{Decided: []string{}}, nil
}

func (l *listener) Undoable(context.Context) ([]session.Undoable, error) {
	l.say("undoable")
	return []session.Undoable{{Session: "s0", Agent: "claude", Title: "fix it", Time: 5, Files: 2, Ended: true}}, nil
}

func (l *listener) Restore(_ context.Context, d session.Decide) (session.Decision, error) {
	return l.decided("restore", d)
}
func (l *listener) Resolve(_ context.Context, h, take string) (session.Decision, error) {
	return session.Decision{}, l.say("resolve %s %s", h, take)
}
func (l *listener) Baseline(uri string) (string, error) { return "base", l.say("baseline %s", uri) }
func (l *listener) Mark(s session.Span) (string, error) {
	return "m1", l.say("mark %s %v", s.URI, *s.Range)
}
func (l *listener) Complete(s, text string, offset int) []session.Completion {
	_ = l.say("complete %s %q %d", s, text, offset) // has no error
	return nil
}

// calling runs a command on a bridge that has no connection's other end.
func calling(l *listener) func(command, argument string) (string, error) {
	e := &editor{core: l, client: client{acp: map[string]bool{"session": true}}, out: newOutbox(nil)}
	e.out.close() // nothing is flushed
	return func(command, argument string) (string, error) {
		p := &executeCommandParams{Command: command}
		if argument != "" {
			p.Arguments = append(p.Arguments, []byte(argument))
		}
		result, err := e.executeCommand(context.Background(), p)
		if err != nil {
			return "", wireError(context.Background(), err)
		}
		raw, err := codec{}.Marshal(result)
		return string(raw), err
	}
}

const infoJSON = `{"session":"s1","agent":"","sessionId":"","cwd":"","title":"","state":"idle","options":[],"commands":[],"queue":[],"questions":[],"pending":{"files":0,"hunks":0}}`

var commandTests = []struct{ command, argument, said, result string }{
	{"acp.session.new", ``, `new {Agent: Cwd: Options:map[] NoWait:false}`, infoJSON},
	{"acp.session.new", `{"agent":"a","cwd":"/x","options":{"model":"m","fast":true},"later":1}`, `new {Agent:a Cwd:/x Options:map[fast:true model:m] NoWait:false}`, infoJSON},
	{"acp.session.new", `{"wait":false}`, `new {Agent: Cwd: Options:map[] NoWait:true}`, infoJSON},
	{"acp.session.load", `{"agent":"a","sessionId":"x","cwd":"/c"}`, `load a x /c`, infoJSON},
	{"acp.session.list", `null`, `list  `, `{"sessions":[` + infoJSON + `]}`},
	{"acp.session.list", `{"agent":"a","cwd":"/c"}`, `list a /c`, `{"sessions":[` + infoJSON + `]}`},
	{"acp.session.list", `{"also":""}`, `list   and ""`, `{"sessions":[` + infoJSON + `]}`},
	{"acp.session.entries", `{"session":"s"}`, `entries s 0`, `{"entries":[{"id":"e1","kind":"user","text":"<hi>"}]}`},
	{"acp.session.entries", `{"session":"s","from":3}`, `entries s 3`, `{"entries":[{"id":"e1","kind":"user","text":"<hi>"}]}`},
	{"acp.session.close", `{"session":"s"}`, `close s`, `{}`},
	{"acp.session.delete", `{"session":"s"}`, `delete s`, `{}`},
	{"acp.session.fork", `{"session":"s"}`, `fork s`, infoJSON},
	{"acp.session.setOption", `{"session":"s","option":"mode","value":"plan"}`, `option s mode "plan"`, infoJSON},
	{"acp.session.setOption", `{"session":"s","option":"fast","value":false}`, `option s fast false`, infoJSON},
	{"acp.session.transcript", `{"session":"s"}`, `transcript s`, `{"markdown":"# x"}`},
	{"acp.prompt", `{"agent":"b","text":"x"}`, `prompt b "x" [] [] "" false`, `{"session":"s1","turn":"t1"}`},
	{"acp.prompt", `{"text":""}`, `prompt  "" [] [] "" false`, `{"session":"s1","turn":"t1"}`},
	{"acp.prompt", `{"session":"s","text":"hi","when":"now","wait":true,"context":[{"uri":"file:///a"},{"uri":"file:///b","range":{"start":{"line":1,"character":2},"end":{"line":3,"character":4}}}],
		"selection":{"uri":"file:///c","range":{"start":{"line":5,"character":6},"end":{"line":7,"character":8}}},"images":[{"mimeType":"image/png","data":"AA=="}]}`,
		`prompt s "hi" [file:///a<nil> file:///b&{{1 2} {3 4}} selection file:///c{{5 6} {7 8}}] [{image/png AA== }] "now" true`, `{"session":"s1","turn":"t1"}`},
	{"acp.prompt.list", `{"session":"s"}`, `queue s`, `{"queue":[]}`},
	{"acp.prompt.edit", `{"session":"s","id":"q","text":"new"}`, `edit s q "new"`, `{}`},
	{"acp.mark", `{"uri":"file:///a","range":{"start":{"line":1,"character":0},"end":{"line":2,"character":3}}}`, `mark file:///a {{1 0} {2 3}}`, `{"mark":"m1"}`},
	{"acp.prompt.remove", `{"session":"s","id":"q"}`, `remove s q`, `{}`},
	{"acp.cancel", `{"session":"s"}`, `cancel s`, `{}`},
	{"acp.agent.list", `{}`, `agents`, `{"agents":[{"name":"demo","installed":true,"how":"demo","running":false}]}`},
	{"acp.agent.authenticate", `{"agent":"a","method":"m"}`, `authenticate a m`, `{}`},
	{"acp.agent.logout", `{"agent":"a"}`, `logout a`, `{}`},
	{"acp.agent.restart", `{"agent":"a"}`, `restart a`, `{}`},
	{"acp.permission.list", ``, `questions`, `{"questions":[]}`},
	{"acp.permission.answer", `{"id":"q","optionId":"yes"}`, `answer q "yes"`, `{}`},
	{"acp.permission.answer", `{"id":"q"}`, `answer q ""`, `{}`},
	{"acp.permission.show", `{"id":"q"}`, `show q`, `{}`},
	{"acp.permission.rules", ``, `rules`, `{"rules":[]}`},
	{"acp.permission.forget", `{"id":"r"}`, `forget r`, `{}`},
	{"acp.review.list", `{}`, `reviews   []`, `{"files":[{"uri":"file:///a","rev":"3","seq":0,"version":null,"hunks":[]}]}`},
	{"acp.review.list", `{"uri":"u","session":"s","state":"rejected"}`, `reviews u s [rejected]`, `{"files":[{"uri":"file:///a","rev":"3","seq":0,"version":null,"hunks":[]}]}`},
	{"acp.review.accept", ``, `accept []    `, decidedJSON},
	{"acp.review.accept", `{}`, `accept []    `, decidedJSON},
	{"acp.review.accept", `{"hunks":["a","b"]}`, `accept [a b]    `, decidedJSON},
	{"acp.review.accept", `{"hunks":[]}`, ``, `{"decided":[],"refused":[],"files":[]}`},
	{"acp.review.reject", `{"uri":"u","rev":"3"}`, `reject [] u   3`, decidedJSON},
	{"acp.review.restore", `{"session":"s","turn":"t"}`, `restore []  s t `, decidedJSON},
	{"acp.review.undo", `{"session":"s","turn":"t"}`, `undo s t`, `{"decided":[],"refused":[],"files":[]}`},
	{"acp.review.undoable", ``, `undoable`, `{"sessions":[{"session":"s0","agent":"claude","title":"fix it","time":5,"files":2,"ended":true}]}`},
	{"acp.review.resolve", `{"hunk":"h","take":"both"}`, `resolve h both`, `{"decided":[],"refused":[],"files":[]}`},
	{"acp.review.baseline", `{"uri":"u"}`, `baseline u`, `{"text":"base"}`},
	{"acp.complete", `{"text":"@a","offset":2}`, `complete  "@a" 2`, `{"items":[]}`},
	{"acp.complete", `{"session":"s","text":"","offset":0}`, `complete s "" 0`, `{"items":[]}`},
}

const decidedJSON = `{"decided":["h1"],"refused":[],"files":[{"uri":"file:///a","rev":"4","seq":0,"version":null,"hunks":[]}]}`

func TestCommands(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range commandTests {
		tested[tt.command] = true
		l := &listener{fakeCore: newFakeCore()}
		result, err := calling(l)(tt.command, tt.argument)
		if err != nil || strings.Join(l.said, "; ") != tt.said || result != tt.result {
			t.Errorf("%s %s\nsaid   %q\nwant   %q\nresult %s\nwant   %s\nerror  %v", tt.command, tt.argument, l.said, tt.said, result, tt.result, err)
		}
	}
	for _, name := range commandNames() {
		if !tested[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	for _, tt := range []struct{ command, argument, message string }{
		{"acp.nothing", `{}`, `there is no command "acp.nothing"`},
		{"acp.cancel", ``, `acp.cancel: member session is missing`},
		{"acp.cancel", `{"session":null}`, `acp.cancel: member session is missing`},
		{"acp.cancel", `{"Session":"s"}`, `acp.cancel: member session is missing`},
		{"acp.cancel", `{"session":1}`, `acp.cancel: member session is a number, and must be a string`},
		{"acp.cancel", `{"session":["s"]}`, `acp.cancel: member session is a list, and must be a string`},
		{"acp.cancel", `"s"`, `acp.cancel: the argument is a string, and must be an object`},
		{"acp.cancel", `["s"]`, `acp.cancel: the argument is a list, and must be an object`},
		{"acp.prompt", `{"text":"x","wait":"yes"}`, `acp.prompt: member wait is a string, and must be true or false`},
		{"acp.prompt", `{"text":"x","context":{}}`, `acp.prompt: member context is an object, and must be a list`},
		{"acp.prompt", `{"text":"x","context":[{"uri":"a"},{"uri":"b","range":{"start":{"line":"1"}}}]}`, `acp.prompt: member context.1.range.start.line is a string, and must be a whole number from 0 on`},
		{"acp.prompt", `{"text":"x","context":[{"uri":"b","range":{"start":{"line":-1}}}]}`, `acp.prompt: member context.0.range.start.line is not a whole number from 0 on`},
		{"acp.prompt", `{"text":"x","when":"later"}`, `acp.prompt: member when is "later", and must be "queue" or "now"`},
		{"acp.session.entries", `{"session":"s","from":1.5}`, `acp.session.entries: member from is not a whole number`},
		{"acp.session.setOption", `{"session":"s","option":"o","value":1}`, `acp.session.setOption: member value must be a string, or true or false`},
		{"acp.session.setOption", `{"session":"s","option":"o"}`, `acp.session.setOption: member value is missing`},
		{"acp.review.list", `{"state":"open"}`, `acp.review.list: member state is "open", and must be pending, proposed, conflict or rejected`},
		{"acp.review.accept", `{"hunk":"h"}`, `name hunks, uri, session or turn; an argument without any member means everything`},
		{"acp.review.reject", `{"rev":"3"}`, `name hunks, uri, session or turn; an argument without any member means everything`},
		{"acp.review.reject", `{"hunks":"h"}`, `acp.review.reject: member hunks is a string, and must be a list`},
		{"acp.review.reject", `{"uri":""}`, `name hunks, uri, session or turn; an argument without any member means everything`},
		{"acp.review.resolve", `{"hunk":"h","take":"all"}`, `acp.review.resolve: member take is "all", and must be mine, theirs or both`},
		{"acp.complete", `{"text":"x","offset":2}`, `acp.complete: member offset is 2, and must be between 0 and 1, the length of the text in bytes`},
	} {
		l := &listener{fakeCore: newFakeCore()}
		_, err := calling(l)(tt.command, tt.argument)
		if err == nil || err.Error() != tt.message || codeOf(err) != jsonrpc2.InvalidParams || kindOf(err) != "invalid" || len(l.said) > 0 {
			t.Errorf("%s %s: %v (code %d, kind %q), want %s; said %q", tt.command, tt.argument, err, codeOf(err), kindOf(err), tt.message, l.said)
		}
	}
}

func TestKindsOfErrors(t *testing.T) {
	for kind, want := range map[session.Kind]string{
		session.KindUnknownSession: "unknownSession", session.KindUnknownAgent: "unknownAgent",
		session.KindAgentFailed: "agentFailed", session.KindStopped: "stopped", session.KindAuthRequired: "authRequired", session.KindStale: "stale",
		session.KindBusy: "busy", session.KindOutside: "outside", session.KindInvalid: "invalid",
		session.KindNotFound: "invalid", session.KindConflict: "stale",
	} {
		l := &listener{fakeCore: newFakeCore(), err: fmt.Errorf("wrapped: %w", session.Errorf(kind, "do this"))}
		_, err := calling(l)("acp.cancel", `{"session":"s"}`)
		if kindOf(err) != want || err.Error() != "do this" {
			t.Errorf("%s: %v, kind %q", kind, err, kindOf(err))
		}
	}
	l := &listener{fakeCore: newFakeCore(), err: errors.New("plain")}
	if _, err := calling(l)("acp.cancel", `{"session":"s"}`); kindOf(err) != "invalid" || err.Error() != "plain" {
		t.Errorf("%v, kind %q", err, kindOf(err))
	}
}

func TestErrorsAreShownInPlainEditors(t *testing.T) {
	for _, acp := range [][]string{nil, {"session"}} {
		r := start(t, rigOptions{Options: fakeeditor.Options{ACP: acp}})
		if err := r.client.Command(limit(t), "acp.cancel", map[string]any{}, nil); kindOf(err) != "invalid" {
			t.Fatal(err)
		}
		r.editor.ShowMessage(session.LevelInfo, "end")
		r.await(t, "the end", fakeeditor.Matching("window/showMessage", func(p struct{ Message string }) bool { return p.Message == "end" }))
		var shown []string
		for _, raw := range r.client.Received("window/showMessage") {
			shown = append(shown, string(raw))
		}
		want := []string{`{"type":1,"message":"acp.cancel: member session is missing"}`, `{"type":3,"message":"end"}`}
		if acp != nil {
			want = want[1:]
		}
		if !slices.Equal(shown, want) {
			t.Errorf("with %v: %s", acp, shown)
		}
	}
}

// Every type of the contract encodes with lists that are lists, and decodes.
func TestWireTypesAreComplete(t *testing.T) {
	for _, m := range table {
		for _, typ := range []reflect.Type{m.params, m.result} {
			if typ == nil {
				continue
			}
			raw, err := codec{}.Marshal(reflect.New(typ).Elem().Interface())
			if err != nil || !json.Valid(raw) {
				t.Errorf("%s: %v: %s %v", m.name, typ, raw, err)
			}
			for _, f := range members(typ) {
				if f.typ.Kind() == reflect.Slice && !f.optional && !strings.Contains(string(raw), `"`+f.name+`":[]`) {
					t.Errorf("%s: member %s of an empty %v is no list: %s", m.name, f.name, typ, raw)
				}
			}
		}
	}
}

// Prompts reach the core in the order in which they were sent, however many come at
// once, and also where they had to wait for the editor's settings; what takes its
// time once it has its place holds nobody back.
func TestCommandsKeepTheirOrder(t *testing.T) {
	const n = 200
	var mu sync.Mutex
	var got []string
	release := make(chan struct{})
	r := start(t, rigOptions{core: func(c *fakeCore) {
		c.prompt = func(ctx context.Context, p session.Prompt) (session.PromptResult, error) {
			mu.Lock()
			got = append(got, p.Text)
			mu.Unlock()
			if p.Wait {
				select {
				case <-release:
				case <-ctx.Done():
				}
			}
			return session.PromptResult{}, nil
		}
		c.complete = func(string, int) []session.Completion {
			<-release
			return nil
		}
		c.cancel = func(string) error {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, "cancel")
			return nil
		}
	}})
	var want []string
	var quick, slow []*fakeeditor.Call
	for i := range n {
		text := fmt.Sprint(i)
		c, err := r.client.BeginCommand("acp.prompt", map[string]any{"text": text, "wait": i == 7})
		must(t, err)
		if want = append(want, text); i == 7 {
			slow = append(slow, c)
			c, err := r.client.BeginCommand("acp.complete", map[string]any{"text": "", "offset": 0})
			must(t, err)
			slow = append(slow, c)
			continue
		}
		quick = append(quick, c)
		if i%10 == 0 {
			c, err := r.client.BeginCommand("acp.cancel", map[string]any{"session": "s1"})
			must(t, err)
			quick, want = append(quick, c), append(want, "cancel")
		}
		if i == 50 { // one that is taken back while it waits leaves its place to the next
			c, err := r.client.BeginCommand("acp.complete", map[string]any{"text": "", "offset": 0})
			must(t, err)
			must(t, c.Cancel())
			slow = append(slow, c)
		}
	}
	for _, c := range quick {
		must(t, c.Wait(limit(t), nil))
	}
	close(release)
	for _, c := range slow {
		_ = c.Wait(limit(t), nil) // one of them was cancelled
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
