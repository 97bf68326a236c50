package fakeeditor

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// Vices are what real editors do wrong with workspace/applyEdit and with
// changes. Each has been seen.
type Vices struct {
	DropEdits      bool // says applied and does nothing (Neovim, of a stale edit)
	RefuseEdits    bool // says not applied (VS Code, Helix)
	FailEdits      bool // answers with an error (eglot)
	ReadOnly       bool // says not applied, and that the document is read-only (our plugins)
	IgnoreVersions bool // applies stale edits too (Vim)
	ChangePerEdit  bool // tells each TextEdit in a didChange of its own
	WholeTexts     bool // tells the whole text with every change (Vim, Kate)
	LateChanges    bool // tells changes, in order, when Idle is called; the version grows only then (eglot)
	TurnLineEnds   bool // makes all line ends of what it inserts those of the document (VS Code)
	EndsApart      bool // the same, and if all are to be of the other kind it turns those of the document in a change of its own (our VS Code extension)
	SavesNothing   bool // says it has saved what it has not written: the write was refused, has failed, or went to a copy (Neovim)
	// HoldEdits answers applyEdit only when Release is called.
	HoldEdits bool
	// BeforeEdit is called before an edit is looked at, with the document's URI;
	// what it returns is typed at the document's start, told before the edit.
	BeforeEdit func(uri string) string
}

// SetVices changes how the editor behaves from now on.
func (e *Editor) SetVices(v Vices) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.vices = v
}

// Release handles the edits that were held.
func (e *Editor) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.held {
		f()
	}
	e.held = nil
}

// asked handles a request of the server. What the editor does itself it does at
// once, in the order of the wire.
func (e *Editor) asked(id jsonrpc2.ID, method string, params json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.record(Message{Method: method, ID: idString(id), Params: params})
	if f := e.opts.Answer[method]; f != nil {
		e.wg.Go(func() {
			result, err := f(e.ctx, params)
			e.mu.Lock()
			defer e.mu.Unlock()
			e.answer(id, method, result, err)
		})
		return
	}
	if method == "workspace/applyEdit" {
		apply := func() {
			result, err := e.applyEdit(params)
			e.answer(id, method, result, err)
		}
		if e.vices.HoldEdits {
			e.held = append(e.held, apply)
			return
		}
		apply()
		return
	}
	result, err := e.do(method, params)
	e.answer(id, method, result, err)
}

// answer sends a response; mu is held.
func (e *Editor) answer(id jsonrpc2.ID, method string, result any, err error) {
	m := Message{FromEditor: true, Method: method, ID: idString(id)}
	if err != nil {
		var wire *jsonrpc2.Error
		if !errors.As(err, &wire) {
			wire = jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
		}
		m.Error = wire.Message
		_ = e.send(m, jsonrpc2.NewResponse(id, nil, wire)) // the reader tells of the end
		return
	}
	raw, err := json.Marshal(result)
	if err != nil {
		panic(fmt.Sprintf("answer to %s: %v", method, err)) // a mistake in the test
	}
	m.Result = raw
	_ = e.send(m, jsonrpc2.NewResponse(id, raw, nil)) // the reader tells of the end
}

type obj = map[string]any

// do is what the editor does of itself; mu is held.
func (e *Editor) do(method string, params json.RawMessage) (any, error) {
	var p struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
		Items   []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
	}
	switch method {
	case "workspace/configuration":
		out := make([]any, len(p.Items))
		for i, item := range p.Items {
			if item.Section == "acp" {
				out[i] = e.opts.Settings
			}
		}
		return out, nil
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create",
		"workspace/codeLens/refresh", "workspace/textDocumentContent/refresh", "window/showMessageRequest", "acp/permission":
		return nil, nil
	case "acp/save":
		if b := e.buffers[p.URI]; b != nil && p.Version != 0 && p.Version != b.version {
			return obj{"saved": false}, nil
		}
		err := e.save(p.URI)
		return obj{"saved": err == nil}, nil
	case "acp/reload":
		b := e.buffers[p.URI]
		if b == nil || b.text != b.saved {
			return obj{"reloaded": false}, nil
		}
		err := e.reload(p.URI)
		return obj{"reloaded": err == nil}, nil
	case "acp/editor":
		visible := []string{}
		for uri := range e.buffers {
			visible = append(visible, uri)
		}
		return obj{"visible": visible, "lastTyped": 0}, nil
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "no method %q", method)
}

type workspaceEdit struct {
	Edit struct {
		Changes         map[string][]TextEdit `json:"changes"`
		DocumentChanges []struct {
			Kind         string `json:"kind"`
			TextDocument struct {
				URI     string `json:"uri"`
				Version *int   `json:"version"`
			} `json:"textDocument"`
			Edits []TextEdit `json:"edits"`
		} `json:"documentChanges"`
	} `json:"edit"`
}

// applyEdit applies an edit of open documents; mu is held.
func (e *Editor) applyEdit(params json.RawMessage) (any, error) {
	var p workspaceEdit
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	refuse := func(why string) (any, error) { return obj{"applied": false, "failureReason": why}, nil }
	v := e.vices
	type one struct {
		uri     string
		version *int
		edits   []TextEdit
	}
	var all []one
	for uri, edits := range p.Edit.Changes {
		all = append(all, one{uri, nil, edits})
	}
	for _, d := range p.Edit.DocumentChanges {
		if d.Kind != "" {
			return refuse("resource operations are not supported")
		}
		all = append(all, one{d.TextDocument.URI, d.TextDocument.Version, d.Edits})
	}
	if v.BeforeEdit != nil {
		for _, d := range all {
			if s := v.BeforeEdit(d.uri); s != "" {
				if err := e.typed(d.uri, 0, 0, s); err != nil {
					return nil, err
				}
			}
		}
	}
	switch {
	case v.DropEdits:
		return obj{"applied": true}, nil
	case v.RefuseEdits:
		return refuse("")
	case v.ReadOnly:
		return obj{"applied": false, "failureReason": "it is held", "acp": obj{"readOnly": true}}, nil
	case v.FailEdits:
		return nil, jsonrpc2.NewError(jsonrpc2.InternalError, "the buffer does not want to")
	}
	for _, d := range all {
		b := e.buffers[d.uri]
		if b == nil {
			return refuse(d.uri + " is not open")
		}
		if d.version != nil && *d.version != b.version && !v.IgnoreVersions {
			return refuse(fmt.Sprintf("%s has version %d, the edit is of %d", d.uri, b.version, *d.version))
		}
		if err := e.edit(b, d.edits); err != nil {
			return refuse(err.Error())
		}
	}
	return obj{"applied": true}, nil
}

// edit applies edits to one buffer and tells of them, last one first.
func (e *Editor) edit(b *buffer, edits []TextEdit) (failed error) {
	want, err := applyEdits(b.text, edits, e.Encoding)
	if err != nil {
		return err
	}
	if e.vices.TurnLineEnds || e.vices.EndsApart {
		edits = turnLineEnds(b.text, edits)
	}
	text, err := applyEdits(b.text, edits, e.Encoding)
	if err != nil {
		return err
	}
	if e.vices.EndsApart && text != want && !mixedEnds(want) {
		defer func() {
			all := Range{End: position(b.text, len(b.text), e.Encoding)}
			failed = errors.Join(failed, e.replace(b, want, []change{{Range: &all, Text: want}}))
		}()
	}
	ordered := lastFirst(b.text, edits, e.Encoding)
	if e.vices.ChangePerEdit {
		for _, t := range ordered {
			now, err := applyEdits(b.text, []TextEdit{t}, e.Encoding)
			if err != nil {
				return err
			}
			if err := e.replace(b, now, []change{{Range: &t.Range, Text: t.NewText}}); err != nil {
				return err
			}
		}
		return nil
	}
	var changes []change
	for _, t := range ordered {
		changes = append(changes, change{Range: &t.Range, Text: t.NewText})
	}
	return e.replace(b, text, changes)
}

func idString(id jsonrpc2.ID) string {
	if n, ok := id.Number(); ok {
		return fmt.Sprint(n)
	}
	s, _ := id.StringValue()
	return s
}
