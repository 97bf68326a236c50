package lspbridge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/config"
	"acp-ls/internal/review"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

const fileA = "file:///work/a.go"

var agentOrigin = review.Origin{Change: "c1", Session: "s1", Agent: "demo", Turn: "t1", ToolCall: "w1", Title: "Rename `x`", Author: review.AuthorAgent, Sure: true}

func hunk(id string, state review.State, start, end int, base, text string) review.Hunk {
	return review.Hunk{ID: id, State: state, Origins: []review.Origin{agentOrigin}, StartLine: start, EndLine: end, BaseText: base, Text: text}
}

// The text has an astral character, an indented line and a last line without end.
const textA = "package a\n\n\tvar 😀 = 1\nfunc f() {}\nend"

func reviewA() session.Review {
	version := int32(1)
	mixed := hunk("h2", review.StatePending, 3, 4, "func g() {}\n", "func f() {}\n")
	mixed.Mixed, mixed.Committed = true, true
	return session.Review{
		URI: fileA, Path: "/work/a.go", Rev: "7", Version: &version,
		Hunks: []review.Hunk{
			hunk("h1", review.StatePending, 2, 3, "", "\tvar 😀 = 1\n"),
			mixed,
			hunk("h3", review.StateConflict, 4, 5, "end", "END"),
			hunk("h4", review.StatePending, 5, 5, "tail\nof it\n", ""),
			hunk("h5", review.StateProposed, 0, 1, "package a\n", "package b\n"),
		},
	}
}

// opened is a rig whose editor has a.go open and has been told its review.
func opened(t *testing.T, o rigOptions) *rig {
	t.Helper()
	r := start(t, o)
	must(t, r.client.Open(fileA, "go", textA))
	r.settledAt(t, fileA, textA)
	r.core.setReviews(reviewA())
	return r
}

func compact(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	must(t, err)
	return string(raw)
}

func TestReviewMessage(t *testing.T) {
	r := opened(t, rigOptions{Options: fakeeditor.Options{ACP: []string{"review"}}})
	r.editor.ReviewChanged(reviewA())
	r.await(t, "acp/review", fakeeditor.Received("acp/review", 1))
	origins := `"origins":[{"session":"s1","agent":"demo","turn":"t1","toolCall":"w1","title":"Rename ` + "`x`" + `","author":"agent","sure":true}]`
	lines := func(a, b string) string {
		return `"range":{"start":{"line":` + a + `,"character":0},"end":{"line":` + b + `,"character":0}}`
	}
	want := `{"uri":"file:///work/a.go","rev":"7","version":1,"hunks":[` +
		`{"id":"h1","state":"pending",` + origins + `,` + lines("2", "3") + `,"baseText":"","text":"\tvar 😀 = 1\n","mixed":false},` +
		`{"id":"h2","state":"pending",` + origins + `,` + lines("3", "4") + `,"baseText":"func g() {}\n","text":"func f() {}\n","mixed":true,"committed":true},` +
		`{"id":"h3","state":"conflict",` + origins + `,` + lines("4", "5") + `,"baseText":"end","text":"END","mixed":false},` +
		`{"id":"h4","state":"pending",` + origins + `,` + lines("5", "5") + `,"baseText":"tail\nof it\n","text":"","mixed":false},` +
		`{"id":"h5","state":"proposed",` + origins + `,` + lines("0", "1") + `,"baseText":"package a\n","text":"package b\n","mixed":false}]}`
	if got := string(r.client.Received("acp/review")[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	closed := session.Review{URI: "file:///new", File: &session.FileChange{ID: "f1", Op: "create"}}
	r.editor.ReviewChanged(closed)
	r.await(t, "another", fakeeditor.Received("acp/review", 2))
	if got := string(r.client.Received("acp/review")[1]); got != `{"uri":"file:///new","rev":"","version":null,"file":{"id":"f1","op":"create"},"hunks":[]}` {
		t.Error(got)
	}
}

// In an editor that does not count a lone CR, rows have other numbers.
func TestRowsOfNeovim(t *testing.T) {
	const text = "a\rb\nc\nd"
	r := start(t, rigOptions{Options: fakeeditor.Options{Name: "Neovim", ACP: []string{"review"}}})
	must(t, r.client.Open(fileA, "go", text))
	r.settledAt(t, fileA, text)
	r.editor.ReviewChanged(session.Review{URI: fileA, Hunks: []review.Hunk{hunk("h", review.StatePending, 2, 4, "", "c\nd")}})
	r.await(t, "acp/review", fakeeditor.Received("acp/review", 1))
	if got := string(r.client.Received("acp/review")[0]); !strings.Contains(got, `"range":{"start":{"line":1,"character":0},"end":{"line":3,"character":0}}`) {
		t.Error(got)
	}
	if r.client.Encoding != "utf-8" {
		t.Error(r.client.Encoding)
	}
}

type diagnostic struct {
	Range    fakeeditor.Range
	Severity int
	Code     string
	Source   string
	Message  string
	Data     string
}

type published struct {
	URI         string
	Diagnostics []diagnostic
}

func (r *rig) published(t *testing.T) []published {
	t.Helper()
	var out []published
	for _, raw := range r.client.Received("textDocument/publishDiagnostics") {
		var p published
		must(t, json.Unmarshal(raw, &p))
		out = append(out, p)
	}
	return out
}

func TestDiagnostics(t *testing.T) {
	for encoding, end := range map[string]int{"utf-8": 13, "utf-16": 11} {
		r := opened(t, rigOptions{Options: fakeeditor.Options{Encodings: []string{encoding}}})
		rev := reviewA()
		rev.File = &session.FileChange{ID: "f1", Op: "create"}
		r.editor.ReviewChanged(rev)
		r.await(t, "diagnostics", fakeeditor.Received("textDocument/publishDiagnostics", 1))
		at := func(line, from, to int) fakeeditor.Range {
			return fakeeditor.Range{Start: fakeeditor.Position{Line: line, Character: from}, End: fakeeditor.Position{Line: line, Character: to}}
		}
		want := published{fileA, []diagnostic{
			{at(0, 0, 9), 4, "file", "acp", "an agent's change of the whole file: create", "f1"},
			{at(2, 1, end), 4, "pending", "acp", "demo added 1 line: Rename `x`", "h1"},
			{at(3, 0, 11), 4, "pending", "acp", "demo changed 1 line (edited by you): Rename `x`", "h2"},
			{at(4, 0, 3), 1, "conflict", "acp", "demo and you changed the same line", "h3"},
			{at(4, 0, 3), 4, "pending", "acp", "demo removed 2 lines: Rename `x`", "h4"},
			{at(0, 0, 9), 4, "proposed", "acp", "demo would change 1 line: Rename `x`", "h5"},
		}}
		if got := r.published(t)[0]; compact(t, got) != compact(t, want) {
			t.Errorf("%s\ngot  %s\nwant %s", encoding, compact(t, got), compact(t, want))
		}
		// An empty list clears, once.
		r.editor.ReviewChanged(session.Review{URI: fileA})
		r.await(t, "none", fakeeditor.Received("textDocument/publishDiagnostics", 2))
		r.editor.ReviewChanged(session.Review{URI: fileA})
		r.editor.ShowMessage(session.LevelInfo, "end")
		r.await(t, "the end", fakeeditor.Received("window/showMessage", 1))
		if got := r.published(t); len(got) != 2 || len(got[1].Diagnostics) != 0 {
			t.Errorf("published %v", got)
		}
	}
}

func TestSettingsOfReview(t *testing.T) {
	settings := config.Default()
	settings.Review.Diagnostics, settings.Review.CodeLens = false, false
	r := opened(t, rigOptions{settings: settings})
	r.editor.ReviewChanged(reviewA())
	r.editor.ShowMessage(session.LevelInfo, "end")
	r.await(t, "the end", fakeeditor.Received("window/showMessage", 1))
	if got := r.published(t); len(got) > 0 {
		t.Errorf("published %v", got)
	}
	var lenses []any
	must(t, r.client.Request(limit(t), "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": fileA}}, &lenses))
	if len(lenses) > 0 {
		t.Errorf("lenses %v", lenses)
	}
}

type lspCommand struct {
	Title     string
	Command   string
	Arguments []json.RawMessage
}

type action struct {
	Title   string
	Kind    string
	Command lspCommand
}

func (r *rig) actions(t *testing.T, from, to fakeeditor.Position, context map[string]any) []string {
	t.Helper()
	var raw []json.RawMessage
	params := map[string]any{"textDocument": map[string]any{"uri": fileA}, "range": fakeeditor.Range{Start: from, End: to}, "context": context}
	must(t, r.client.Request(limit(t), "textDocument/codeAction", params, &raw))
	var out []string
	for _, one := range raw {
		var a action
		must(t, json.Unmarshal(one, &a))
		if a.Title == "" || a.Kind == "" || a.Command.Title == "" || len(a.Command.Arguments) != 1 || !slices.Contains(commandNames(), a.Command.Command) {
			t.Errorf("action %s", one)
		}
		out = append(out, strings.TrimPrefix(a.Kind, "quickfix.acp.")+": "+a.Title+": "+a.Command.Command+" "+string(a.Command.Arguments[0]))
		var resolved json.RawMessage
		must(t, r.client.Request(limit(t), "codeAction/resolve", one, &resolved))
		if compact(t, resolved) != compact(t, one) {
			t.Errorf("%s resolves to %s", one, resolved)
		}
	}
	return out
}

func TestCodeActions(t *testing.T) {
	r := opened(t, rigOptions{})
	all := []string{
		`accept.file: Accept all in file: acp.review.accept {"uri":"file:///work/a.go","rev":"7"}`,
		`reject.file: Reject all in file: acp.review.reject {"uri":"file:///work/a.go","rev":"7"}`,
	}
	one := func(id string) []string {
		return []string{
			`accept: Accept hunk: acp.review.accept {"hunks":["` + id + `"]}`,
			`reject: Reject hunk: acp.review.reject {"hunks":["` + id + `"]}`,
		}
	}
	conflict := []string{
		`mine: Take mine: acp.review.resolve {"hunk":"h3","take":"mine"}`,
		`theirs: Take theirs: acp.review.resolve {"hunk":"h3","take":"theirs"}`,
		`both: Take both: acp.review.resolve {"hunk":"h3","take":"both"}`,
	}
	proposed := []string{
		`apply: Apply hunk: acp.review.accept {"hunks":["h5"]}`,
		`discard: Discard hunk: acp.review.reject {"hunks":["h5"]}`,
	}
	at := func(line, character int) fakeeditor.Position {
		return fakeeditor.Position{Line: line, Character: character}
	}
	for _, tt := range []struct {
		from, to fakeeditor.Position
		only     []string
		want     []string
	}{
		{at(2, 5), at(2, 5), nil, slices.Concat(one("h1"), all)},
		{at(1, 0), at(1, 0), nil, all},
		{at(2, 0), at(3, 0), nil, slices.Concat(one("h1"), all)}, // the line and its end
		{at(2, 0), at(3, 1), nil, slices.Concat(one("h1"), one("h2"), all)},
		{at(0, 0), at(0, 0), nil, slices.Concat(proposed, all)},
		{at(4, 0), at(4, 3), nil, slices.Concat(conflict, one("h4"), all)},
		{at(2, 5), at(2, 5), []string{"quickfix.acp.accept"}, []string{one("h1")[0], all[0]}},
		{at(2, 5), at(2, 5), []string{"refactor", "quickfix.acp.reject.file"}, all[1:]},
		{at(2, 5), at(2, 5), []string{"quickfix"}, slices.Concat(one("h1"), all)},
		{at(2, 5), at(2, 5), []string{"quick", "source"}, nil},
	} {
		context := map[string]any{"diagnostics": []any{}}
		if tt.only != nil {
			context["only"] = tt.only
		}
		if got := r.actions(t, tt.from, tt.to, context); !slices.Equal(got, tt.want) {
			t.Errorf("%v to %v, only %v\ngot  %q\nwant %q", tt.from, tt.to, tt.only, got, tt.want)
		}
	}
	r.core.setReviews()
	got := r.actions(t, at(0, 0), at(0, 0), map[string]any{"diagnostics": []any{
		map[string]any{"range": fakeeditor.Range{End: at(0, 3)}, "message": "no such thing", "source": "gopls", "data": map[string]any{"x": 1}},
		map[string]any{"range": fakeeditor.Range{}, "message": map[string]any{"kind": "markdown", "value": "also *this*"}},
		map[string]any{"range": fakeeditor.Range{}, "message": "ours", "source": "acp"},
	}})
	want := []string{
		`fix: Fix with demo: acp.prompt {"text":"Fix this problem: no such thing","context":[{"uri":"file:///work/a.go","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}}}]}`,
		`fix: Fix with demo: acp.prompt {"text":"Fix this problem: also *this*","context":[{"uri":"file:///work/a.go","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}]}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Each lens has a code action that does the same, and its line is the hunk's.
func TestCodeLenses(t *testing.T) {
	r := opened(t, rigOptions{})
	var raw []json.RawMessage
	must(t, r.client.Request(limit(t), "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": fileA}}, &raw))
	actions := r.actions(t, fakeeditor.Position{}, fakeeditor.Position{Line: 9}, map[string]any{"diagnostics": []any{}})
	var got []string
	for _, one := range raw {
		var l struct {
			Range   fakeeditor.Range
			Command lspCommand
		}
		must(t, json.Unmarshal(one, &l))
		got = append(got, string(rune('0'+l.Range.Start.Line))+" "+l.Command.Title)
		call := l.Command.Command + " " + string(l.Command.Arguments[0])
		twin := slices.ContainsFunc(actions, func(a string) bool { return strings.HasSuffix(a, call) })
		if !twin && l.Command.Command != "acp.review.list" {
			t.Errorf("lens %s has no action", one)
		}
		var resolved json.RawMessage
		must(t, r.client.Request(limit(t), "codeLens/resolve", one, &resolved))
		if compact(t, resolved) != compact(t, one) {
			t.Errorf("%s resolves to %s", one, resolved)
		}
	}
	want := []string{
		"2 Accept", "2 Reject", "2 1/5 demo added 1 line: Rename `x`",
		"3 Accept", "3 Reject", "3 2/5 demo changed 1 line (edited by you): Rename `x`",
		"4 Take mine", "4 Take theirs", "4 Take both", "4 3/5 demo and you changed the same line",
		"4 Accept", "4 Reject", "4 4/5 demo removed 2 lines: Rename `x`",
		"0 Apply", "0 Discard", "0 5/5 demo would change 1 line: Rename `x`",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// An editor is asked to refresh only if it can, and not more often than it answers.
func TestCodeLensRefresh(t *testing.T) {
	r := opened(t, rigOptions{})
	resume := r.client.Stall()
	for range 50 {
		r.editor.ReviewChanged(reviewA())
	}
	resume()
	r.await(t, "a refresh", fakeeditor.Received("workspace/codeLens/refresh", 1))
	r.editor.ShowMessage(session.LevelInfo, "end")
	r.await(t, "the end", fakeeditor.Received("window/showMessage", 1))
	if got := len(r.client.Received("workspace/codeLens/refresh")); got > 10 {
		t.Errorf("%d refreshes", got)
	}
	r = opened(t, rigOptions{Options: fakeeditor.Options{Capabilities: func(caps map[string]any) {
		delete(caps["workspace"].(map[string]any), "codeLens")
	}}})
	r.editor.ReviewChanged(reviewA())
	r.editor.ShowMessage(session.LevelInfo, "end")
	r.await(t, "the end", fakeeditor.Received("window/showMessage", 1))
	if got := len(r.client.Received("workspace/codeLens/refresh")); got > 0 {
		t.Errorf("%d refreshes", got)
	}
}

func (r *rig) hover(t *testing.T, line int) (value, kind string) {
	t.Helper()
	var got *struct {
		Contents struct{ Kind, Value string }
		Range    fakeeditor.Range
	}
	must(t, r.client.Request(limit(t), "textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": fileA}, "position": fakeeditor.Position{Line: line, Character: 1},
	}, &got))
	if got == nil {
		return "", ""
	}
	return got.Contents.Value, got.Contents.Kind
}

func TestHover(t *testing.T) {
	r := opened(t, rigOptions{})
	fences := hunk("h6", review.StatePending, 1, 2, "", "```\n")
	rev := reviewA()
	rev.Hunks = append(rev.Hunks, fences)
	r.core.setReviews(rev)
	for line, want := range []string{
		"demo would change 1 line: Rename \\`x\\`\n\n```diff\n@@ -1 +1 @@\n-package a\n+package b\n```",
		"demo added 1 line: Rename \\`x\\`\n\n````diff\n@@ -0,0 +1 @@\n+```\n````",
		"demo added 1 line: Rename \\`x\\`\n\n```diff\n@@ -0,0 +1 @@\n+\tvar 😀 = 1\n```",
		"demo changed 1 line \\(edited by you\\): Rename \\`x\\`\n\n```diff\n@@ -1 +1 @@\n-func g() {}\n+func f() {}\n```",
		"demo and you changed the same line\n\n```diff\n@@ -1 +1 @@\n-end\n\\ No newline at end of file\n+END\n\\ No newline at end of file\n```\n\n" +
			"demo removed 2 lines: Rename \\`x\\`\n\n```diff\n@@ -1,2 +0,0 @@\n-tail\n-of it\n```",
		"",
	} {
		got, kind := r.hover(t, line)
		if got != want || want != "" && kind != "markdown" {
			t.Errorf("line %d: %s\ngot  %q\nwant %q", line, kind, got, want)
		}
	}
	r = opened(t, rigOptions{Options: fakeeditor.Options{Capabilities: func(caps map[string]any) { delete(caps, "textDocument") }}})
	if got, kind := r.hover(t, 3); kind != "plaintext" || got != "demo changed 1 line (edited by you): Rename `x`\n\n@@ -1 +1 @@\n-func g() {}\n+func f() {}\n" {
		t.Errorf("%s: %q", kind, got)
	}
}

func TestCompletion(t *testing.T) {
	const doc = "untitled:prompt"
	r := start(t, rigOptions{
		Options: fakeeditor.Options{Encodings: []string{"utf-16"}},
		core: func(c *fakeCore) {
			c.complete = func(text string, offset int) []session.Completion {
				if text != "😀 @fi more" || offset != len("😀 @fi") {
					t.Errorf("complete %q at %d", text, offset)
				}
				return []session.Completion{
					{Label: "file.go", Kind: "file", Detail: "src", InsertText: "@src/file.go", Start: 5, End: 8},
					{Label: "selection", Kind: "word", InsertText: "@selection", Start: 5, End: 8},
				}
			}
		},
	})
	must(t, r.client.Open(doc, "acp-prompt", "first\n😀 @fi more\n"))
	var got json.RawMessage
	params := map[string]any{"textDocument": map[string]any{"uri": doc}, "position": fakeeditor.Position{Line: 1, Character: 6}}
	must(t, r.client.Request(limit(t), "textDocument/completion", params, &got))
	want := `{"isIncomplete":true,"items":[` +
		`{"label":"file.go","kind":17,"detail":"src","filterText":"@src/file.go","textEdit":{"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":6}},"newText":"@src/file.go"}},` +
		`{"label":"selection","kind":14,"filterText":"@selection","textEdit":{"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":6}},"newText":"@selection"}}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	must(t, r.client.Open("file:///x.go", "go", "@fi"))
	for _, uri := range []string{"file:///x.go", "file:///not/open"} {
		params["textDocument"] = map[string]any{"uri": uri}
		must(t, r.client.Request(limit(t), "textDocument/completion", params, &got))
		if string(got) != `{"isIncomplete":false,"items":[]}` {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

func TestBaselineDocuments(t *testing.T) {
	offers := func(caps map[string]any) {
		caps["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{"dynamicRegistration": false}
	}
	var asked []string
	r := start(t, rigOptions{
		Options: fakeeditor.Options{Capabilities: offers},
		core: func(c *fakeCore) {
			c.baseline = func(uri string) (string, error) {
				asked = append(asked, uri)
				return "before", nil
			}
		},
	})
	if !strings.Contains(string(r.client.Initialize), `"textDocumentContent":{"schemes":["acp-base"]}`) {
		t.Errorf("initialize: %s", r.client.Initialize)
	}
	var got json.RawMessage
	must(t, r.client.Request(limit(t), "workspace/textDocumentContent", map[string]any{"uri": "acp-base:///work/a%2Ego"}, &got))
	if string(got) != `{"text":"before"}` || !slices.Equal(asked, []string{fileA}) {
		t.Errorf("%s, asked for %q", got, asked)
	}
	for _, uri := range []string{"file:///work/a.go", "acp-base:untitled", "acp-base", ""} {
		if err := r.client.Request(limit(t), "workspace/textDocumentContent", map[string]any{"uri": uri}, nil); err == nil {
			t.Errorf("%q has content", uri)
		}
	}
	r.editor.ReviewChanged(session.Review{URI: "file:///other"})
	r.editor.ReviewChanged(session.Review{URI: "file:///work/%61.go"})
	r.await(t, "a refresh", fakeeditor.Received("workspace/textDocumentContent/refresh", 1))
	if got := r.client.Received("workspace/textDocumentContent/refresh"); len(got) != 1 || string(got[0]) != `{"uri":"acp-base:///work/a%2Ego"}` {
		t.Errorf("refresh %s", got)
	}

	plain := start(t, rigOptions{})
	if strings.Contains(string(plain.client.Initialize), "textDocumentContent") {
		t.Errorf("initialize: %s", plain.client.Initialize)
	}
}
