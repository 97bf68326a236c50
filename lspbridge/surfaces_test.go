package lspbridge

import (
	"encoding/json"
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
	want := `{"uri":"file:///work/a.go","rev":"7","seq":0,"version":1,"hunks":[` +
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
	if got := string(r.client.Received("acp/review")[1]); got != `{"uri":"file:///new","rev":"","seq":0,"version":null,"file":{"id":"f1","op":"create"},"hunks":[]}` {
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
			{at(4, 0, 3), 1, "conflict", "acp", "demo and you changed the same place", "h3"},
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
