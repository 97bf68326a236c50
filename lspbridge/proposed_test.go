package lspbridge

import (
	"strings"
	"testing"

	"acp-ls/internal/review"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// What would be there is told apart from what is, and how it was marked.
func TestProposedHunks(t *testing.T) {
	r := opened(t, rigOptions{Options: fakeeditor.Options{ACP: []string{"review"}}})
	rev := reviewA()
	rev.Hunks = []review.Hunk{
		hunk("h1", review.StateProposed, 0, 1, "package a\n", "package b\n"),
		hunk("h2", review.StateProposed, 2, 2, "", "one\ntwo\n"),
		hunk("h3", review.StateProposed, 3, 4, "func f() {}\n", ""),
		hunk("h4", review.StateConflict, 4, 5, "end", "END"),
	}
	for i, take := range []review.Take{review.TakeTheirs, "", review.TakeMine, review.TakeBoth} {
		rev.Hunks[i].Marked = take
	}
	r.core.setReviews(rev)
	r.editor.ReviewChanged(rev)
	r.await(t, "acp/review", fakeeditor.Received("acp/review", 1))
	shown := string(r.client.Received("acp/review")[0])
	for i, want := range []string{`"marked":"apply"`, `"mixed":false}`, `"marked":"discard"`, `"marked":"both"`} {
		if one := strings.Split(shown, `{"id":"h`)[i+1]; !strings.Contains(one, want) {
			t.Errorf("hunk %d has no %s: %s", i+1, want, one)
		}
	}
	for i, want := range []string{
		"demo would change 1 line: Rename `x` (applied, when all is decided)",
		"demo would add 2 lines: Rename `x`",
		"demo would remove 1 line: Rename `x` (discarded, when all is decided)",
		"demo and you changed the same place (both, when all is decided)",
	} {
		if got := describe(rev.Hunks[i]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	at := fakeeditor.Position{Line: 0}
	want := []string{
		`apply: Apply hunk: acp.review.accept {"hunks":["h1"]}`,
		`discard: Discard hunk: acp.review.reject {"hunks":["h1"]}`,
		`apply.file: Apply all in file: acp.review.accept {"uri":"file:///work/a.go","rev":"7"}`,
		`discard.file: Discard all in file: acp.review.reject {"uri":"file:///work/a.go","rev":"7"}`,
	}
	if got := r.actions(t, at, at, map[string]any{}); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	rev.File = &session.FileChange{ID: "file:a", Op: "create"} // the file is there, and undecided too
	r.core.setReviews(rev)
	if got := r.actions(t, at, at, map[string]any{}); !strings.HasPrefix(got[2], "accept.file: ") {
		t.Errorf("got %q", got)
	}
}
