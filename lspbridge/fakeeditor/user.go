package fakeeditor

import (
	"encoding/json"
	"fmt"
	"os"

	"acp-ls/buffers"

	"go.lsp.dev/jsonrpc2"
)

// Open opens a document.
func (e *Editor) Open(uri, language, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open(&buffer{uri: uri, language: language, version: 1, text: text, saved: text})
}

func (e *Editor) open(b *buffer) error {
	e.buffers[b.uri] = b
	return e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": b.uri, "languageId": b.language, "version": b.version, "text": b.text,
	}})
}

// tell sends a notification; mu is held.
func (e *Editor) tell(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return e.send(Message{FromEditor: true, Method: method, Params: raw}, jsonrpc2.NewNotification(method, raw))
}

func (e *Editor) buffer(uri string) (*buffer, error) {
	if b := e.buffers[uri]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("%s is not open", uri)
}

// Type replaces the bytes [start, end) of a document, as a user does.
func (e *Editor) Type(uri string, start, end int, s string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.typed(uri, start, end, s)
}

func (e *Editor) typed(uri string, start, end int, s string) error {
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	r := Range{position(b.text, start, e.Encoding), position(b.text, end, e.Encoding)}
	return e.replace(b, b.text[:start]+s+b.text[end:], []change{{Range: &r, Text: s}})
}

// Append types at the end of a document.
func (e *Editor) Append(uri, s string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	return e.typed(uri, len(b.text), len(b.text), s)
}

// SetText replaces a document's text with one change of the whole.
func (e *Editor) SetText(uri, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	return e.replace(b, text, []change{{Text: text}})
}

// Format makes what a formatter has made of a document its text, and says that saving it did so.
func (e *Editor) Format(uri, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	if err := e.tellChanges(b); err != nil {
		return err
	}
	b.undo = append(b.undo, b.text)
	b.text = text
	b.version++
	return e.tell("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": b.uri, "version": b.version},
		"contentChanges": []change{{Text: text}}, "acp": map[string]any{"save": true},
	})
}

// Undo brings back the text before the last change.
func (e *Editor) Undo(uri string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.buffer(uri)
	if err != nil || len(b.undo) == 0 {
		return err
	}
	text, undo := b.undo[len(b.undo)-1], b.undo[:len(b.undo)-1]
	all := Range{End: position(b.text, len(b.text), e.Encoding)}
	err = e.replace(b, text, []change{{Range: &all, Text: text}})
	b.undo = undo
	return err
}

type change struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// replace gives a buffer another text and tells the server the changes that led
// there; mu is held.
func (e *Editor) replace(b *buffer, text string, changes []change) error {
	b.undo = append(b.undo, b.text)
	b.text = text
	if e.vices.WholeTexts {
		changes = []change{{Text: text}}
	}
	b.untold = append(b.untold, changes...)
	if e.vices.LateChanges {
		return nil
	}
	return e.tellChanges(b)
}

func (e *Editor) tellChanges(b *buffer) error {
	if len(b.untold) == 0 {
		return nil
	}
	changes := b.untold
	b.untold = nil
	b.version++
	return e.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": b.uri, "version": b.version}, "contentChanges": changes,
	})
}

// Idle tells the changes of a document that were not told yet (LateChanges).
func (e *Editor) Idle(uri string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	return e.tellChanges(b)
}

// Save writes a document's file, if it has one, and tells so.
func (e *Editor) Save(uri string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.save(uri)
}

func (e *Editor) save(uri string) error {
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	if path, ok := buffers.URIPath(uri); ok && !e.vices.SavesNothing {
		if err := os.WriteFile(path, []byte(b.text), 0o644); err != nil {
			return err
		}
	}
	if !e.vices.SavesNothing {
		b.saved = b.text
	}
	if err := e.tellChanges(b); err != nil {
		return err
	}
	return e.tell("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// Close closes a document.
func (e *Editor) Close(uri string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.close(uri)
}

func (e *Editor) close(uri string) error {
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	if err := e.tellChanges(b); err != nil {
		return err
	}
	delete(e.buffers, uri)
	return e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
}

// Reload reads a document's file again, the way Neovim tells it: closed, and
// opened anew with version 0.
func (e *Editor) Reload(uri string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reload(uri)
}

func (e *Editor) reload(uri string) error {
	b, err := e.buffer(uri)
	if err != nil {
		return err
	}
	path, ok := buffers.URIPath(uri)
	if !ok {
		return fmt.Errorf("%s has no file", uri)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := e.close(uri); err != nil {
		return err
	}
	return e.open(&buffer{uri: uri, language: b.language, text: string(text), saved: string(text), undo: append(b.undo, b.text)})
}

// Adopt makes what the disk has now a document's saved text, and text its own, in
// one step, if it is still at that version: what acp/adopt asks for. Without an
// entry in Options.Answer the editor does not know the request.
func (e *Editor) Adopt(uri string, version int, text string) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.buffer(uri)
	if err != nil || b.version != version {
		return false, err
	}
	path, ok := buffers.URIPath(uri)
	if !ok {
		return false, fmt.Errorf("%s has no file", uri)
	}
	disk, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	b.saved = string(disk)
	all := Range{End: position(b.text, len(b.text), e.Encoding)}
	return true, e.replace(b, text, []change{{Range: &all, Text: text}})
}

// Text returns a document's text as the user sees it, and whether it is open.
func (e *Editor) Text(uri string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.buffers[uri]
	if b == nil {
		return "", false
	}
	return b.text, true
}

// Version returns the version of a document last told, or -1.
func (e *Editor) Version(uri string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.buffers[uri]; b != nil {
		return b.version
	}
	return -1
}
