package agenttest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"acp-ls/lspbridge/fakeeditor"
)

// What the user does, and sees.

// open opens a file of the workspace as it is on disk.
func (w *world) open(name string) {
	w.t.Helper()
	if err := w.editor.Open(w.uri(name), "plaintext", w.read(w.path(name))); err != nil {
		w.t.Fatal(err)
	}
}

// text is a document as the user sees it.
func (w *world) text(name string) string {
	w.t.Helper()
	text, open := w.editor.Text(w.uri(name))
	if !open {
		w.t.Fatalf("%s is not open", name)
	}
	return text
}

// typeOver replaces a text in a document, which it occurs in once.
func (w *world) typeOver(name, old, text string) {
	w.t.Helper()
	have := w.text(name)
	if strings.Count(have, old) != 1 {
		w.t.Fatalf("%s has %q %d times:\n%s", name, old, strings.Count(have, old), have)
	}
	at := strings.Index(have, old)
	if err := w.editor.Type(w.uri(name), at, at+len(old), text); err != nil {
		w.t.Fatal(err)
	}
}

// wantText checks what the user sees.
func (w *world) wantText(name, want string) {
	w.t.Helper()
	if got := w.text(name); got != want {
		w.t.Fatalf("document %s is\n%s\nand should be\n%s", name, got, want)
	}
}

// wantDisk checks what is on disk; an empty text means that there is no file.
func (w *world) wantDisk(name, want string) {
	w.t.Helper()
	got, err := os.ReadFile(w.path(name))
	switch {
	case want == "" && !os.IsNotExist(err):
		w.t.Fatalf("file %s exists (error %v):\n%s", name, err, got)
	case string(got) != want:
		w.t.Fatalf("file %s is\n%s\nand should be\n%s\n(%v)", name, got, want, err)
	}
}

// answers says how the user answers from now on; the questions so far are
// forgotten.
func (w *world) answers(decide func(question) string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.decide, w.asked = decide, nil
}

// questions are those that were asked since answers.
func (w *world) questions() []question {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]question(nil), w.asked...)
}

// answer answers acp/permission.
func (w *world) answer(ctx context.Context, params json.RawMessage) (any, error) {
	var q question
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, err
	}
	if id := w.choose(ctx, q); id != "" {
		return map[string]any{"optionId": id}, nil
	}
	return nil, nil
}

// answerPopUp answers window/showMessageRequest, as editors do that know nothing
// of acp-ls: with one of the actions.
func (w *world) answerPopUp(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Message string           `json:"message"`
		Actions []map[string]any `json:"actions"`
		ACP     question         `json:"acp"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	p.ACP.Message = p.Message
	id := w.choose(ctx, p.ACP)
	for _, a := range p.Actions {
		if id != "" && a["optionId"] == id {
			return map[string]any{"title": a["title"]}, nil
		}
	}
	return nil, nil
}

// adopt answers acp/adopt.
func (w *world) adopt(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		URI, Text string
		Version   int
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	adopted, err := w.editor.Adopt(p.URI, p.Version, p.Text)
	return map[string]any{"adopted": adopted}, err
}

// choose returns the id of the option that the user takes. A question that is to
// stay open is not answered while the editor lives.
func (w *world) choose(ctx context.Context, q question) string {
	w.mu.Lock()
	w.asked = append(w.asked, q)
	decide := w.decide
	w.mu.Unlock()
	kind := decide(q)
	for _, o := range q.Options {
		if o.Kind == kind {
			return o.OptionID
		}
	}
	if kind != later {
		w.t.Errorf("question %q has no option of kind %s", q.Message, kind)
	}
	<-ctx.Done()
	return ""
}

// command runs a command of acp-ls.
func (w *world) command(name string, argument, result any) {
	w.t.Helper()
	if err := w.editor.Command(w.ctx, name, argument, result); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
}

// newSession makes a session with the agent.
func (w *world) newSession() string {
	w.t.Helper()
	var info struct{ Session string }
	w.command("acp.session.new", map[string]any{}, &info)
	return info.Session
}

// turn is a turn under way.
type turn struct {
	w    *world
	call *fakeeditor.Call
}

func (w *world) begin(text string) turn { return w.beginIn(w.session, text) }

func (w *world) beginIn(session, text string) turn {
	w.t.Helper()
	call, err := w.editor.BeginCommand("acp.prompt", map[string]any{"session": session, "text": text, "wait": true})
	if err != nil {
		w.t.Fatal(err)
	}
	return turn{w, call}
}

// stopped waits for the turn's end and checks why it stopped.
func (t turn) stopped(want string) {
	t.w.t.Helper()
	var result struct{ StopReason string }
	if err := t.call.Wait(t.w.ctx, &result); err != nil {
		t.w.t.Fatalf("turn: %v", err)
	}
	if result.StopReason != want {
		t.w.t.Fatalf("the turn stopped with %q, not %q", result.StopReason, want)
	}
}

// prompt runs a whole turn that ends of itself.
func (w *world) prompt(text string) {
	w.t.Helper()
	w.begin(text).stopped("end_turn")
}

func (w *world) cancel() { w.cancelIn(w.session) }

func (w *world) cancelIn(session string) {
	w.t.Helper()
	w.command("acp.cancel", map[string]any{"session": session}, nil)
}

type review struct {
	URI   string
	Rev   string
	File  *struct{ ID, Op string }
	Hunks []hunk
}

type hunk struct {
	ID, State      string
	BaseText, Text string
	Mixed          bool
	Origins        []struct {
		Session, Agent, Turn, ToolCall, Title, Author string
		Sure                                          bool
	}
}

// review is what there is to decide on in a file.
func (w *world) review(name string) review {
	w.t.Helper()
	var list struct{ Files []review }
	w.command("acp.review.list", map[string]any{"uri": w.uri(name)}, &list)
	if len(list.Files) == 0 {
		return review{URI: w.uri(name)}
	}
	return list.Files[0]
}

// wantHunks checks the hunks of a file, in order: pairs of what was there and
// what is, and that all of them are the agent's.
func (w *world) wantHunks(name string, want ...[2]string) review {
	w.t.Helper()
	r := w.review(name)
	got := [][2]string{}
	for _, h := range r.Hunks {
		got = append(got, [2]string{h.BaseText, h.Text})
		if h.State != "pending" || len(h.Origins) == 0 {
			w.t.Errorf("hunk %+v is not pending, or nobody's", h)
		}
		for _, o := range h.Origins {
			if o.Author != "agent" || o.Agent != w.agent.name || o.Session != w.session {
				w.t.Errorf("hunk %q is of %+v", h.Text, o)
			}
		}
	}
	if g, x := encode(got), encode(want); len(got)+len(want) > 0 && g != x {
		w.t.Fatalf("%s has the hunks\n%s\nand should have\n%s", name, g, x)
	}
	return r
}

// decideOn accepts or rejects the hunk that has a text.
func (w *world) decideOn(how, name, text string) {
	w.t.Helper()
	for _, h := range w.review(name).Hunks {
		if h.Text != text {
			continue
		}
		var result struct{ Decided []string }
		w.command("acp.review."+how, map[string]any{"hunks": []string{h.ID}}, &result)
		if len(result.Decided) != 1 {
			w.t.Fatalf("%s of %q: %+v", how, text, result)
		}
		return
	}
	w.t.Fatalf("%s has no hunk %q", name, text)
}

// await waits for something to come about in the editor.
func (w *world) await(what string, met fakeeditor.Expectation) {
	w.t.Helper()
	if err := w.editor.Await(w.ctx, what, met); err != nil {
		w.t.Fatal(err)
	}
}

// said is what the agent has said in a session.
func (w *world) said(session string) string {
	w.t.Helper()
	var words strings.Builder
	for _, e := range w.entries(session) {
		if e.Kind == "agent" {
			words.WriteString(e.Text)
		}
	}
	return words.String()
}

type entry struct {
	Kind, Text string
	Tool       *struct{ ID, Title, Kind, Status string }
}

func (w *world) entries(session string) []entry {
	w.t.Helper()
	var all struct{ Entries []entry }
	w.command("acp.session.entries", map[string]any{"session": session}, &all)
	return all.Entries
}

// noticed says whether a notice in the session has a text.
func (w *world) noticed(text string) bool {
	w.t.Helper()
	return slices.ContainsFunc(w.entries(w.session), func(e entry) bool { return e.Kind == "notice" && strings.Contains(e.Text, text) })
}

// modelWasTold says whether a request to the model had a text.
func (w *world) modelWasTold(text string) bool {
	w.t.Helper()
	quoted := strings.Trim(encode(text), `"`)
	files, err := filepath.Glob(filepath.Join(w.dump, "*.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(w.read(f), quoted) {
			return true
		}
	}
	return false
}

// saidByAgent is met when the agent's words are on the screen.
func saidByAgent(text string) fakeeditor.Expectation {
	return func(s fakeeditor.State) bool {
		said := map[string]string{} // by entry
		for _, m := range s.Log {
			var p struct {
				ID, Text string
				Entry    struct{ ID, Kind, Text string }
			}
			if m.FromEditor || json.Unmarshal(m.Params, &p) != nil {
				continue
			}
			switch {
			case m.Method == "acp/entry" && p.Entry.Kind == "agent":
				said[p.Entry.ID] = p.Entry.Text
			case m.Method == "acp/chunk":
				said[p.ID] += p.Text
			}
		}
		for _, words := range said {
			if strings.Contains(words, text) {
				return true
			}
		}
		return false
	}
}

// eventually waits for what has no event to wait for.
func (w *world) eventually(what string, met func() bool) {
	w.t.Helper()
	for !met() {
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("await %s: %v", what, w.ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// runs says whether a process of this world has a text in its command line.
func (w *world) runs(command string) bool {
	return slices.ContainsFunc(processesOf(w.t, w.home), func(p string) bool { return strings.Contains(p, command) })
}

// baseline is what a document would be without what is undecided.
func (w *world) baseline(name string) string {
	w.t.Helper()
	var got struct{ Text string }
	w.command("acp.review.baseline", map[string]any{"uri": w.uri(name)}, &got)
	return got.Text
}

func (w *world) wantBaseline(name, want string) {
	w.t.Helper()
	if got := w.baseline(name); got != want {
		w.t.Fatalf("the baseline of %s is\n%s\nand should be\n%s", name, got, want)
	}
}

// noToolCallOpen checks that no tool call is shown as going on.
func (w *world) noToolCallOpen(session string) {
	w.t.Helper()
	for _, e := range w.entries(session) {
		if e.Tool != nil && (e.Tool.Status == "pending" || e.Tool.Status == "in_progress") {
			w.t.Errorf("tool call %s (%s) is %s after its turn", e.Tool.ID, e.Tool.Title, e.Tool.Status)
		}
	}
}

func unmarshal(raw []byte, v any) bool { return json.Unmarshal(raw, v) == nil }
