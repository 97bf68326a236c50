package lspbridge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"acp-ls/buffers/position"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// edit is an edit of a document that replaces bytes, in the editor's encoding.
func edit(r *rig, uri string, start, end int, s string) session.DocumentEdit {
	d, _ := r.core.docs.Document(uri)
	return session.DocumentEdit{URI: uri, Version: d.Version, Label: "demo: edit", Edits: []session.TextEdit{{
		Start: start, End: end, NewText: s, Range: position.OffsetsRange(d.Text, start, end, r.bridge.client.encoding),
	}}}
}

func TestApplyEdit(t *testing.T) {
	const text = "a 😀 b\r\nc"
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		for _, documentChanges := range []bool{true, false} {
			r := start(t, rigOptions{Options: fakeeditor.Options{Encodings: []string{encoding}, Capabilities: func(caps map[string]any) {
				caps["workspace"].(map[string]any)["workspaceEdit"] = map[string]any{"documentChanges": documentChanges}
			}}})
			must(t, r.client.Open(fileA, "go", text))
			r.settledAt(t, fileA, text)
			d := edit(r, fileA, strings.Index(text, "b"), strings.Index(text, "c"), "B\r\n")
			if err := r.editor.ApplyEdit(limit(t), d); err != nil {
				t.Fatal(err)
			}
			want := "a 😀 B\r\nc"
			if got, _ := r.client.Text(fileA); got != want {
				t.Errorf("%s, %v: %q", encoding, documentChanges, got)
			}
			r.settledAt(t, fileA, want)
			raw := string(r.client.Received("workspace/applyEdit")[0])
			if strings.Contains(raw, `"documentChanges":[{"textDocument":{"uri":"file:///work/a.go","version":1},`) != documentChanges || strings.Contains(raw, `"changes":{`) == documentChanges || !strings.Contains(raw, `"label":"demo: edit"`) {
				t.Errorf("%v: %s", documentChanges, raw)
			}
		}
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	r := start(t, rigOptions{})
	must(t, r.client.Open(fileA, "go", "text"))
	r.settledAt(t, fileA, "text")
	good := edit(r, fileA, 0, 1, "T")
	stale := good
	stale.Version = 77
	closed := good
	closed.URI = "file:///closed"
	for name, tt := range map[string]struct {
		vices  fakeeditor.Vices
		edit   session.DocumentEdit
		reason string
	}{
		"stale":   {fakeeditor.Vices{}, stale, "of 77"},
		"closed":  {fakeeditor.Vices{}, closed, "not open"},
		"refused": {fakeeditor.Vices{RefuseEdits: true}, good, ""},
		"failed":  {fakeeditor.Vices{FailEdits: true}, good, "does not want"},
	} {
		r.client.SetVices(tt.vices)
		err := r.editor.ApplyEdit(limit(t), tt.edit)
		if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.client.SetVices(fakeeditor.Vices{ReadOnly: true})
	if err := r.editor.ApplyEdit(limit(t), good); !errors.Is(err, session.ErrReadOnly) || !strings.Contains(err.Error(), "it is held") {
		t.Errorf("read-only: %v", err)
	}
	r.client.SetVices(fakeeditor.Vices{DropEdits: true})
	if err := r.editor.ApplyEdit(limit(t), good); err != nil {
		t.Errorf("a lie is taken for what it is: a hint; got %v", err)
	}
	unable := start(t, rigOptions{Options: fakeeditor.Options{Capabilities: func(caps map[string]any) {
		delete(caps["workspace"].(map[string]any), "applyEdit")
	}}})
	if err := unable.editor.ApplyEdit(limit(t), good); !errors.Is(err, session.ErrUnsupported) {
		t.Error(err)
	}
	if got := len(unable.client.Received("workspace/applyEdit")); got > 0 {
		t.Error("asked all the same")
	}
}

// One edit in flight for each document, others beside it, and none held up by
// one that was given up.
func TestOneEditInFlight(t *testing.T) {
	r := start(t, rigOptions{Options: fakeeditor.Options{Vices: fakeeditor.Vices{HoldEdits: true}}})
	uris := []string{"file:///a", "file:///b"}
	for _, uri := range uris {
		must(t, r.client.Open(uri, "go", "x"))
		r.settledAt(t, uri, "x")
	}
	begin := func(ctx context.Context, uri string) chan error {
		done := make(chan error, 1)
		d := edit(r, uri, 0, 0, "y")
		go func() { done <- r.editor.ApplyEdit(ctx, d) }()
		return done
	}
	first := begin(t.Context(), uris[0])
	r.await(t, "the first edit", fakeeditor.Received("workspace/applyEdit", 1))
	ctx, giveUp := context.WithCancel(t.Context())
	second, third := begin(ctx, uris[0]), begin(t.Context(), uris[0])
	other := begin(t.Context(), uris[1])
	r.await(t, "the edit of the other document", fakeeditor.Received("workspace/applyEdit", 2))
	giveUp()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := len(r.client.Received("workspace/applyEdit")); got != 2 {
		t.Errorf("%d edits", got)
	}
	r.client.Release()
	for _, done := range []chan error{first, other} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	r.await(t, "the next edit", fakeeditor.Received("workspace/applyEdit", 3))
	r.client.Release()
	if err := <-third; !errors.Is(err, session.ErrRefused) { // made at a version of before
		t.Error(err)
	}
	if n := len(r.bridge.edits.busy); n > 0 {
		t.Errorf("%d documents are still busy", n)
	}
}
