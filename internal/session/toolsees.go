package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/review"
)

// Selection is what the user has selected, or where the cursor is: then Text is
// empty and First is Last. Lines are 1-based.
type Selection struct {
	Path    string // or the URI of a document that is no file
	Unsaved bool
	Ranges  []SelectedRange
}

// SelectedRange is one of several selections.
type SelectedRange struct {
	First, Last int
	Text        string
}

// Selection asks the editor in which the user typed last.
func (t *Tools) Selection(ctx context.Context) (Selection, error) {
	if err := t.usable(); err != nil {
		return Selection{}, err
	}
	var from *Attachment
	var state EditorState
	err := error(ErrUnsupported)
	for _, a := range t.s.core.attached() {
		st, e := a.editor.State(ctx)
		if e != nil {
			if !errors.Is(e, ErrUnsupported) {
				err = e
			}
			continue
		}
		if from == nil || st.Active != "" && (state.Active == "" || st.LastTyped < state.LastTyped) {
			from, state = a, st
		}
	}
	switch {
	case from == nil && errors.Is(err, ErrUnsupported):
		return Selection{}, Errorf(KindInvalid, "this editor does not tell what is selected; ask the user, or read the buffers that list_buffers names")
	case from == nil:
		return Selection{}, Errorf(KindInvalid, "the editor did not tell what is selected: %w", err)
	}
	d, ok := from.Document(state.Active)
	if !ok || ours(d) {
		return Selection{}, Errorf(KindNotFound, "the user is in no file now; list_buffers names the open ones")
	}
	sel := Selection{Path: d.URI, Unsaved: true}
	if p := d.Path(); p != "" {
		if p, err = t.s.core.admitRead(ctx, t.s, string(p)); err != nil {
			return Selection{}, err
		}
		sel.Path, sel.Unsaved = string(p), !clean(d)
	} else if err := t.s.admitDocument(ctx, d); err != nil {
		return Selection{}, err
	}
	for _, r := range state.Ranges {
		start, end := position.RangeOffsets(d.Text, r, from.enc)
		first, last := d.Text.LineOf(start), d.Text.LineOf(max(start, end))
		if end > start && last > first && end == d.Text.LineStart(last) {
			last-- // it ends before the first character of its last row
		}
		sel.Ranges = append(sel.Ranges, SelectedRange{First: first + 1, Last: last + 1, Text: d.Text.Slice(start, max(start, end))})
	}
	return sel, nil
}

// FileDiagnostic is a Diagnostic in the agent's terms: 1-based line, and column
// in characters.
type FileDiagnostic struct {
	Path                  string
	Line, Column          int
	Severity              int
	Message, Source, Code string
}

// Diagnostics are those of one file, or if path is empty of all files in the
// session's folder, by file and line. Our own marks of hunks are no diagnostics.
func (t *Tools) Diagnostics(ctx context.Context, path string) ([]FileDiagnostic, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	var only buffers.Path
	if path != "" {
		p, err := t.s.core.admitRead(ctx, t.s, t.absolute(path))
		if err != nil {
			return nil, err
		}
		only = p
	}
	var out []FileDiagnostic
	offered := false
	for _, a := range t.s.core.attached() {
		if !a.editor.Can("diagnostics") {
			continue
		}
		offered = true
		uri := ""
		if only != "" {
			uri = a.spelling(only)
		}
		list, err := a.editor.Diagnostics(ctx, uri)
		if err != nil {
			return nil, Errorf(KindInvalid, "the editor did not give its diagnostics: %w", err)
		}
		for _, g := range list {
			f, ok := t.diagnostic(a, g)
			if !ok || only == "" && !inRoots(t.s.roots(), f.Path) || only != "" && f.Path != string(only) {
				continue
			}
			if only == "" && !t.s.tells(buffers.Path(f.Path)) { // which may quote it
				f.Message, f.Code = "(not shown, as the file may hold secrets: ask for this one by its path)", ""
			}
			out = append(out, f)
		}
	}
	if !offered {
		return nil, Errorf(KindInvalid, "this editor does not share its diagnostics; run the project's compiler or linter instead")
	}
	slices.SortStableFunc(out, func(a, b FileDiagnostic) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return slices.Compact(out), nil
}

// spelling is the URI by which an editor has a file open, or would have.
func (a *Attachment) spelling(p buffers.Path) string {
	if d, _ := a.store.Live(p); d != nil {
		return d.URI
	}
	return buffers.PathURI(string(p))
}

func (t *Tools) diagnostic(a *Attachment, g Diagnostic) (FileDiagnostic, bool) {
	name, ok := buffers.URIPath(g.URI)
	if !ok || g.Source == "acp" {
		return FileDiagnostic{}, false
	}
	p, err := buffers.Resolve(name)
	if err != nil {
		return FileDiagnostic{}, false
	}
	f := FileDiagnostic{Path: string(p), Line: int(g.Range.Start.Line) + 1, Column: int(g.Range.Start.Character) + 1,
		Severity: g.Severity, Message: g.Message, Source: g.Source, Code: g.Code}
	if d, ok := a.Document(g.URI); ok {
		at := position.PositionOffset(d.Text, g.Range.Start, a.enc)
		f.Column = position.Units(d.Text.Slice(d.Text.LineStart(d.Text.LineOf(at)), at), position.UTF32) + 1
	}
	return f, true
}

// Show brings a file before the user, at a 1-based line if that is not 0.
func (t *Tools) Show(ctx context.Context, path string, line int) (string, error) {
	if err := t.usable(); err != nil {
		return "", err
	}
	p, err := t.s.core.admit(ctx, t.s, t.absolute(path), false)
	if err != nil {
		return "", err
	}
	if _, err := t.s.core.readText(p); err != nil {
		if isMissing(err) {
			return "", Errorf(KindNotFound, "%s does not exist", path)
		}
		return "", Errorf(KindInvalid, "%w", err)
	}
	err = fmt.Errorf("no editor is there")
	for _, a := range t.s.core.attached() {
		if err = a.editor.ShowDocument(ctx, a.spelling(p), line-1); err == nil {
			return string(p), nil
		}
	}
	if errors.Is(err, ErrUnsupported) {
		return "", Errorf(KindInvalid, "this editor opens no files when asked to; name the file and line to the user instead")
	}
	return "", Errorf(KindInvalid, "%s was not shown: %w", path, err)
}

// Reviews are the session's own changes that the user has not accepted: what
// waits, what is in conflict, what was rejected.
// Of one that may hold secrets the hunks have no texts.
func (t *Tools) Reviews() ([]ToolReview, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	var out []ToolReview
	for _, r := range t.s.core.Reviews("", t.s.id, review.StatePending, review.StateProposed, review.StateConflict, review.StateRejected) {
		tr := ToolReview{Review: r, Secret: r.Path != "" && !t.s.tells(buffers.Path(r.Path))}
		if tr.Secret {
			tr.Hunks = slices.Clone(r.Hunks)
			for i := range tr.Hunks {
				h := &tr.Hunks[i]
				h.BaseText, h.Text, h.Gone = "", "", ""
			}
		}
		out = append(out, tr)
	}
	return out, nil
}

// ToolReview is a review as the agent is told of it.
type ToolReview struct {
	Review
	Secret bool // what its hunks hold is left out
}
