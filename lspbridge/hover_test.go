package lspbridge

import (
	"testing"

	"acp-ls/internal/review"
	"acp-ls/lspbridge/fakeeditor"
)

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
