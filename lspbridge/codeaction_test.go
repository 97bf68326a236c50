package lspbridge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

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
	r.core.promptAgent = "claude" // has the newest session; demo is the default
	got := r.actions(t, at(0, 0), at(0, 0), map[string]any{"diagnostics": []any{
		map[string]any{"range": fakeeditor.Range{End: at(0, 3)}, "message": "no such thing", "source": "gopls", "data": map[string]any{"x": 1}},
		map[string]any{"range": fakeeditor.Range{}, "message": map[string]any{"kind": "markdown", "value": "also *this*"}},
		map[string]any{"range": fakeeditor.Range{}, "message": "ours", "source": "acp"},
	}})
	want := []string{
		`fix: Fix with claude: acp.prompt {"agent":"claude","text":"Fix this problem: no such thing","context":[{"uri":"file:///work/a.go","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}}}]}`,
		`fix: Fix with claude: acp.prompt {"agent":"claude","text":"Fix this problem: also *this*","context":[{"uri":"file:///work/a.go","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}]}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Each lens has a code action that does the same, and its line is the hunk's.
func TestCodeLenses(t *testing.T) {
	r := opened(t, rigOptions{})
	got := r.lenses(t)
	want := []string{
		"2 Accept", "2 Reject", "2 1/5 demo added 1 line: Rename `x`",
		"3 Accept", "3 Reject", "3 2/5 demo changed 1 line (edited by you): Rename `x`",
		"4 Take mine", "4 Take theirs", "4 Take both", "4 3/5 demo and you changed the same place",
		"4 Accept", "4 Reject", "4 4/5 demo removed 2 lines: Rename `x`",
		"0 Apply", "0 Discard", "0 5/5 demo would change 1 line: Rename `x`",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// lenses are the lines and titles of the code lenses of fileA.
func (r *rig) lenses(t *testing.T) []string {
	t.Helper()
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
	return got
}

// A change of the file as a whole has lenses where no hunk has any.
func TestCodeLensesOfAFileAsAWhole(t *testing.T) {
	r := opened(t, rigOptions{})
	for _, test := range []struct {
		change session.FileChange
		want   []string
	}{
		{session.FileChange{Op: "rename", From: "/work/b.go"}, []string{"0 Accept file", "0 Reject file", "0 rename from /work/b.go"}},
		{session.FileChange{Op: "rename", To: "/work/b.go"}, []string{"0 Accept file", "0 Reject file", "0 rename to /work/b.go"}},
		{session.FileChange{Op: "modify", Mode: "+x"}, []string{"0 Accept file", "0 Reject file", "0 modify, it may be run now"}},
		{session.FileChange{Op: "delete", State: "proposed"}, []string{"0 Apply file", "0 Discard file", "0 delete"}},
	} {
		r.core.setReviews(session.Review{URI: fileA, File: &test.change})
		if got := r.lenses(t); !slices.Equal(got, test.want) {
			t.Errorf("%+v\ngot  %q\nwant %q", test.change, got, test.want)
		}
		with := reviewA()
		r.core.setReviews(with)
		want := r.lenses(t)
		with.File = &test.change
		r.core.setReviews(with)
		if got := r.lenses(t); !slices.Equal(got, want) {
			t.Errorf("%+v and hunks\ngot  %q\nwant %q", test.change, got, want)
		}
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
