package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/config"
)

func kinds(entries []Entry) []EntryKind {
	var out []EntryKind
	for _, e := range entries {
		out = append(out, e.Kind)
	}
	return out
}

func str(s string) *string { return &s }

// What the editor is shown of a turn is what the core keeps of it, however
// chunks, tool calls and messages follow one another.
func TestTranscript(t *testing.T) {
	l := &fakeLauncher{}
	c, e, _ := setup(t, l)
	l.prompt = func(_ context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		say := func(role, id, s string) {
			a.host.Update(sid, ContentChunk{Role: role, MessageID: id, Content: Block{Type: "text", Text: s}})
		}
		say("user", "", "the echo of the prompt")
		say("thought", "", "hm")
		say("thought", "", "m.")
		say("agent", "m1", "Hel")
		say("agent", "m1", "lo")
		say("agent", "m2", "Another")
		a.host.Update(sid, ToolPatch{ID: "t1", Title: str("Read a"), Kind: str("read"), Status: str("in_progress")})
		say("agent", "m2", "After the tool")
		a.host.Update(sid, ToolPatch{ID: "t1", Status: str("completed")})
		a.host.Update(sid, ToolPatch{ID: "t2", RawInput: []byte(`{"command":["bash","-lc","ls -l"]}`), Kind: str("execute")})
		a.host.Update(sid, PlanUpdate{Items: []PlanItem{{Content: "one", Status: "pending"}}})
		a.host.Update(sid, PlanUpdate{Items: []PlanItem{{Content: "one", Status: "completed"}}})
		a.host.Update(sid, Notice{Severity: "warning", Title: "careful"})
		a.host.Update("unknown", ContentChunk{Role: "agent", Content: Block{Type: "text", Text: "lost"}})
		return "max_tokens", nil
	}
	res, err := c.Prompt(t.Context(), Prompt{Text: "hello", Wait: true})
	if err != nil || res.StopReason != "max_tokens" {
		t.Fatalf("%+v %v", res, err)
	}
	entries, err := c.Entries(res.Session, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []EntryKind{EntryUser, EntryThought, EntryAgent, EntryAgent, EntryTool, EntryAgent, EntryTool, EntryPlan, EntryNotice, EntryNotice}
	if got := kinds(entries); !slices.Equal(got, want) {
		t.Errorf("kinds %v", got)
	}
	if entries[1].Text != "hmm." || entries[2].Text != "Hello" || entries[4].Tool.Status != "completed" {
		t.Errorf("entries %+v", entries)
	}
	if entries[6].Tool.Command != "ls -l" || entries[6].Tool.Status != "failed" {
		t.Errorf("the call left open: %+v", entries[6].Tool)
	}
	if entries[7].Plan[0].Status != "completed" {
		t.Errorf("plan %+v", entries[7].Plan)
	}
	e.await("the end of the turn", func() bool { return e.infos[res.Session].State == StateIdle })
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, en := range e.entries[res.Session] {
		if en.Text != entries[i].Text || en.Kind != entries[i].Kind {
			t.Errorf("entry %d: editor has %+v, core %+v", i, en, entries[i])
		}
	}
	if md, _ := c.Transcript(res.Session); !strings.Contains(md, "Hello") || !strings.Contains(md, "## You") {
		t.Errorf("transcript %s", md)
	}
}

// Prompts given while a turn runs wait their turn; they can be changed and taken
// back meanwhile.
func TestQueue(t *testing.T) {
	l := &fakeLauncher{}
	c, _, _ := setup(t, l)
	started, release := make(chan string, 10), make(chan struct{})
	l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
		started <- b[0].Text
		<-release
		return "end_turn", nil
	}
	first, err := c.Prompt(t.Context(), Prompt{Text: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-started; got != "1" {
		t.Fatal(got)
	}
	for _, s := range []string{"2", "3", "4"} {
		if _, err := c.Prompt(t.Context(), Prompt{Session: first.Session, Text: s}); err != nil {
			t.Fatal(err)
		}
	}
	q, _ := c.Queue(first.Session)
	if len(q) != 3 {
		t.Fatalf("queue %+v", q)
	}
	if err := c.EditQueued(first.Session, q[1].ID, "3b"); err != nil {
		t.Fatal(err)
	}
	if err := c.RemoveQueued(first.Session, q[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := c.RemoveQueued(first.Session, q[0].ID); KindOf(err) != KindStale {
		t.Errorf("removed twice: %v", err)
	}
	release <- struct{}{}
	if got := <-started; got != "3b" {
		t.Errorf("second turn %q", got)
	}
	release <- struct{}{}
	if got := <-started; got != "4" {
		t.Errorf("third turn %q", got)
	}
	close(release)
}

// A cancelled turn: open questions are answered cancelled, updates are taken
// until the agent's answer, whose stop reason is the turn's.
func TestCancel(t *testing.T) {
	l := &fakeLauncher{}
	c, e, _ := setup(t, l)
	asked := make(chan PermissionOutcome, 1)
	l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		o, err := a.host.RequestPermission(context.Background(), sid, PermissionRequest{
			ToolCall: ToolPatch{ID: "t", Title: str("Run"), Kind: str("execute"), RawInput: []byte(`{"command":"rm -rf /"}`)},
			Options:  []PermissionOption{{OptionID: "y", Name: "Yes", Kind: "allow_once"}, {OptionID: "n", Name: "No", Kind: "reject_once"}},
		})
		if err != nil {
			return "", err
		}
		asked <- o
		<-ctx.Done()
		a.host.Update(sid, ContentChunk{Role: "agent", Content: Block{Type: "text", Text: "last words"}})
		return "", errors.New("some agents answer with an error")
	}
	res, err := c.Prompt(t.Context(), Prompt{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	e.await("the question", func() bool { return e.infos[res.Session].State == StateWaiting })
	qs := c.Questions()
	if len(qs) != 1 || qs[0].Message != "Run\nrm -rf /" {
		t.Fatalf("questions %+v", qs)
	}
	if err := c.Cancel(t.Context(), res.Session); err != nil {
		t.Fatal(err)
	}
	if o := <-asked; !o.Cancelled {
		t.Errorf("outcome %+v", o)
	}
	e.await("the end", func() bool {
		i := e.infos[res.Session]
		return i.State == StateIdle && i.StopReason == StopCancelled && len(i.Questions) == 0
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.dismiss, qs[0].ID) {
		t.Error("the question was not withdrawn")
	}
	es := e.entries[res.Session]
	if words, last := es[len(es)-2], es[len(es)-1]; words.Text != "last words" || last.Kind != EntryNotice || last.Text != "stopped: you cancelled the turn" {
		t.Errorf("last entries %+v, %+v", words, last)
	}
	if err := c.Answer(qs[0].ID, "y"); KindOf(err) != KindStale {
		t.Errorf("late answer: %v", err)
	}
}

// A crash names the sessions it hit, and the next prompt takes the session up
// again with a new process.
func TestCrashAndRevival(t *testing.T) {
	l := &fakeLauncher{}
	c, e, _ := setup(t, l)
	l.prompt = func(_ context.Context, a *fakeAgent, _ string, _ []Block) (StopReason, error) {
		a.die(Errorf(KindAgentFailed, "agent fake has ended (exit code 3); it last said:\nboom"))
		return "", errors.New("connection closed")
	}
	a, err := c.NewSession(t.Context(), NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.NewSession(t.Context(), NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Prompt(t.Context(), Prompt{Session: a.Session, Text: "x", Wait: true}); err == nil {
		t.Error("the prompt has no error")
	}
	e.await("both sessions to have failed", func() bool {
		return e.infos[a.Session].State == StateFailed && e.infos[b.Session].State == StateFailed
	})
	e.mu.Lock()
	if i := e.infos[b.Session]; !strings.Contains(i.Error, "boom") || i.ErrorKind != KindAgentFailed {
		t.Errorf("error %q of kind %q", i.Error, i.ErrorKind)
	}
	e.mu.Unlock()
	l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) { return "end_turn", nil }
	if res, err := c.Prompt(t.Context(), Prompt{Session: b.Session, Text: "again", Wait: true}); err != nil || res.StopReason != "end_turn" {
		t.Errorf("%+v %v", res, err)
	}
	e.await("the error to be gone", func() bool {
		i := e.infos[b.Session]
		return i.Error == "" && i.ErrorKind == ""
	})
	if len(l.agents) != 2 {
		t.Errorf("%d processes were started", len(l.agents))
	}
}

func TestPermission(t *testing.T) {
	t.Parallel()
	options := []PermissionOption{
		{OptionID: "a", Name: "Always", Kind: "allow_always"}, {OptionID: "y", Name: "Yes", Kind: "allow_once"}, {OptionID: "n", Name: "No", Kind: "reject_once"},
	}
	ask := func(h Host, sid, id string) PermissionOutcome {
		o, err := h.RequestPermission(t.Context(), sid, PermissionRequest{ToolCall: ToolPatch{ID: id, Title: str("Do\x1b[2Jit\u202e"), Kind: str("execute")}, Options: options})
		if err != nil {
			t.Error(err)
		}
		return o
	}
	t.Run("dismissed is no answer", func(t *testing.T) {
		l := &fakeLauncher{}
		c, e, _ := setup(t, l)
		shown := make(chan Question, 5)
		e.onPermission = func(q Question) (string, error) { shown <- q; return "", ErrUnanswered }
		var got PermissionOutcome
		done := make(chan struct{})
		go func() {
			defer close(done)
			turnOf(t, c, l, func(h Host, sid string) { got = ask(h, sid, "t") })
		}()
		q := <-shown
		if q.Message != "Do[2Jit" {
			t.Errorf("message %q", q.Message)
		}
		<-shown // once more
		if len(c.Questions()) != 1 {
			t.Error("the question is gone")
		}
		if err := c.Answer(q.ID, "nonsense"); KindOf(err) != KindInvalid {
			t.Errorf("answer with an unknown option: %v", err)
		}
		if err := c.Answer(q.ID, ""); err != nil {
			t.Error(err)
		}
		<-done
		if got.OptionID != "n" || got.Cancelled {
			t.Errorf("outcome %+v", got)
		}
	})
	t.Run("always is remembered for the very same question", func(t *testing.T) {
		l := &fakeLauncher{}
		c, e, _ := setup(t, l)
		n := 0
		e.onPermission = func(Question) (string, error) { n++; return "a", nil }
		turnOf(t, c, l, func(h Host, sid string) {
			for _, id := range []string{"t1", "t2", "t3"} {
				if o := ask(h, sid, id); o.OptionID != "a" {
					t.Errorf("outcome %+v", o)
				}
			}
		})
		if n != 1 {
			t.Errorf("asked %d times", n)
		}
		rules := c.Rules()
		if len(rules) != 1 {
			t.Fatalf("rules %+v", rules)
		}
		if err := c.ForgetRule(rules[0].ID); err != nil {
			t.Error(err)
		}
		turnOf(t, c, l, func(h Host, sid string) { ask(h, sid, "t4") })
		if n != 2 {
			t.Errorf("asked %d times after forgetting", n)
		}
	})
}

// Updates that come before the answer that names their session are not lost.
func TestEarlyUpdates(t *testing.T) {
	l := &earlyLauncher{}
	c := New(Options{Launcher: l, Settings: (&fakeSettings{}).get})
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	e := newFakeEditor(t, c, t.TempDir())
	i, err := c.NewSession(t.Context(), NewSession{Agent: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	e.await("the early commands", func() bool { return len(e.infos[i.Session].Commands) == 1 })
}

// What a prompt points at goes along with the live text and exact lines.
func TestBlocks(t *testing.T) {
	l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	writeFile(t, filepath.Join(root, "b.txt"), "on disk\n")
	e.open(uri, ten)
	e.replace(uri, "2\n", "two\n")
	r := &position.Range{Start: position.Position{Line: 1}, End: position.Position{Line: 3}}
	turnOf(t, c, l, func(Host, string) {})
	if _, err := c.Prompt(t.Context(), Prompt{Text: "see @b.txt and @nothing.txt", Selection: &Span{URI: uri, Range: r}, Wait: true}); err != nil {
		t.Fatal(err)
	}
	a := l.agents[0]
	got := a.blocks[1]
	if got[0].Text != "see @b.txt and @nothing.txt" {
		t.Errorf("text %q", got[0].Text)
	}
	var uris []string
	for _, b := range got[1:] {
		uris = append(uris, b.Type+" "+strings.TrimPrefix(b.URI, buffers.PathURI(root))+" "+b.Text)
	}
	if uris[0] != "resource /b.txt on disk\n" || uris[1] != "resource /a.txt#L2-L3 two\n3\n" {
		t.Errorf("blocks %q", uris)
	}
	if !strings.HasPrefix(uris[2], "resource /a.txt 1\ntwo\n") || !strings.Contains(got[len(got)-1].Text, "not saved") {
		t.Errorf("the unsaved document is missing: %q", uris)
	}
}

// With files.dirty "save" unsaved documents are saved before a prompt, and go
// along only where that fails.
func TestDirtySave(t *testing.T) {
	for _, saves := range []bool{true, false} {
		l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
		c, e, root := setup(t, l, func(s *config.Settings) { s.Files.Dirty = config.DirtySave })
		path := filepath.Join(root, "a.txt")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		e.replace(uri, "2\n", "two\n")
		e.onSave = func(uri string) error {
			if !saves {
				return ErrUnsupported
			}
			writeFile(t, path, e.text(uri))
			e.send(buffers.Save{URI: uri})
			return nil
		}
		turnOf(t, c, l, func(Host, string) {})
		carried := slices.ContainsFunc(l.agents[0].blocks[0], func(b Block) bool { return b.URI == uri })
		if saved := strings.Contains(readFile(t, path), "two"); saved != saves || carried == saves {
			t.Errorf("saves %v: saved %v, carried %v", saves, saved, carried)
		}
	}
}

// The list of agents has what a user can log in to one by, as soon as it has said so.
func TestAgentsTellHowToLogIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLauncher{info: AgentInfo{AuthMethods: []AuthMethod{
			{ID: "key", Name: "API key"}, {ID: "account", Name: "Account", Description: "in the browser", Terminal: &RunRequest{}},
		}}, before: make(chan struct{})}
		c, _, _ := setup(t, l)
		entry := func() AgentEntry {
			entries := c.Agents()
			return entries[slices.IndexFunc(entries, func(e AgentEntry) bool { return e.Name == "fake" })]
		}
		if e := entry(); e.Running || e.Methods != nil {
			t.Errorf("before it runs: %+v", e)
		}
		failed := make(chan error)
		go func() { failed <- c.Authenticate(t.Context(), "fake", "") }()
		synctest.Wait()
		if e := entry(); !e.Running || e.Methods != nil {
			t.Errorf("while it starts: %+v", e)
		}
		close(l.before)
		if err := <-failed; KindOf(err) != KindInvalid {
			t.Errorf("a login by none of several: %v", err)
		}
		if got, want := entry().Methods, []LoginMethod{{"key", "API key", ""}, {"account", "Account", "in the browser"}}; !slices.Equal(got, want) {
			t.Errorf("it runs, and has %+v, want %+v", got, want)
		}
	})
}

// The list of agents says which one is that of sessions that name none.
func TestAgentsTellTheDefault(t *testing.T) {
	for _, name := range []string{"fake", "other", "nobody"} {
		c, _, _ := setup(t, &fakeLauncher{}, func(s *config.Settings) { s.DefaultAgent = name })
		for _, a := range c.Agents() {
			if a.Default != (a.Name == name) {
				t.Errorf("%s is the default: %+v", name, a)
			}
		}
	}
}
