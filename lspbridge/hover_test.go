package lspbridge

import (
	"strings"
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
		"demo would change 1 line: Rename \\`x\\`\n\n```diff\n-package a\n+package b\n```",
		"demo added 1 line: Rename \\`x\\`\n\n````diff\n+```\n````",
		"demo added 1 line: Rename \\`x\\`\n\n```diff\n+\tvar 😀 = 1\n```",
		"demo changed 1 line \\(edited by you\\): Rename \\`x\\`\n\n```diff\n-func g() {}\n+func f() {}\n```",
		"demo and you changed the same place\n\n```diff\n-end\n\\ No newline at end of file\n+END\n\\ No newline at end of file\n```\n\n" +
			"demo removed 2 lines: Rename \\`x\\`\n\n```diff\n-tail\n-of it\n```",
		"",
	} {
		got, kind := r.hover(t, line)
		if got != want || want != "" && kind != "markdown" {
			t.Errorf("line %d: %s\ngot  %q\nwant %q", line, kind, got, want)
		}
	}
	r = opened(t, rigOptions{Options: fakeeditor.Options{Capabilities: func(caps map[string]any) { delete(caps, "textDocument") }}})
	if got, kind := r.hover(t, 3); kind != "plaintext" || got != "demo changed 1 line (edited by you): Rename `x`\n\n-func g() {}\n+func f() {}\n" {
		t.Errorf("%s: %q", kind, got)
	}
}

// Parts of a hunk that are far apart are told apart, and a row that reads like a header is none.
func TestHoverOfPartsFarApart(t *testing.T) {
	r := opened(t, rigOptions{})
	rev := reviewA()
	same := "1\n2\n3\n4\n5\n6\n7\n8\n"
	rev.Hunks = []review.Hunk{hunk("h", review.StatePending, 0, 10, "@@ -1 +1 @@\n"+same+"old\n", "new\n"+same+"@@\n")}
	r.core.setReviews(rev)
	got, _ := r.hover(t, 0)
	_, got, _ = strings.Cut(got, "```diff\n")
	if want := "-@@ -1 +1 @@\n+new\n 1\n 2\n 3\n...\n 6\n 7\n 8\n-old\n+@@\n```"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
