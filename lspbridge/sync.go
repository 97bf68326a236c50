package lspbridge

import (
	"context"
	"errors"

	"acp-ls/buffers"
)

// The four notifications of document synchronization. They run on the read loop
// and only hand over: what a message does to a text is the business of package
// buffers. The structs hold what is needed of LSP's own and are decoded without
// its generated code, which takes four times as long for a large text; each
// string is an allocation of its own and keeps no message alive.

type didOpenParams struct {
	TextDocument struct {
		URI        string  `json:"uri"`
		LanguageID string  `json:"languageId"`
		Version    int32   `json:"version"`
		Text       *string `json:"text"`
	} `json:"textDocument"`
}

type versionedDocument struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
}

type didChangeParams struct {
	TextDocument   versionedDocument `json:"textDocument"`
	ContentChanges []contentChange   `json:"contentChanges"`

	// ACP is the contract's own member.
	ACP struct {
		Save  bool `json:"save"`  // an acp/save has made the changes, and not the user
		Clean bool `json:"clean"` // nothing is unsaved after them, and acp/read is going to say why
	} `json:"acp"`
}

type contentChange struct {
	Range *Range  `json:"range"`
	Text  *string `json:"text"`
}

type didSaveParams struct {
	documentParams
	Text *string `json:"text"`

	// ACP is the contract's own member.
	ACP struct {
		Earlier bool `json:"earlier"` // what was written is a text that the document had before
	} `json:"acp"`
}

var errNoText = errors.New("member text is missing")

func (e *editor) didOpen(p *didOpenParams) error {
	d := p.TextDocument
	if d.Text == nil {
		return errNoText
	}
	e.docs.Apply(buffers.Open{URI: d.URI, LanguageID: d.LanguageID, Version: d.Version, Text: *d.Text})
	return nil
}

func (e *editor) didChange(p *didChangeParams) error {
	changes := make([]buffers.ContentChange, len(p.ContentChanges))
	for i, c := range p.ContentChanges {
		if c.Text == nil {
			return errNoText
		}
		changes[i].Text = *c.Text
		if c.Range != nil {
			r := c.Range.position()
			changes[i].Range = &r
		}
	}
	e.docs.Apply(buffers.Change{URI: p.TextDocument.URI, Version: p.TextDocument.Version, Changes: changes, Formatted: p.ACP.Save, Clean: p.ACP.Clean})
	return nil
}

// readParams is what an editor says of a didChange after which nothing was unsaved.
type readParams struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
	Read    bool   `json:"read"`
}

func (e *editor) didRead(p *readParams) error {
	e.docs.Read(p.URI, p.Version, p.Read)
	return nil
}

// willSaveWaitUntil brings a document up to date with a disk that has moved, before the editor
// writes over that. What there is to do is asked for by itself (acp/adopt, acp/reload): the
// answer is no edits if what the disk has is in the document by then, and null if not. It is not
// offered, or every save would wait for it; an editor asks that has seen the disk move.
func (e *editor) willSaveWaitUntil(ctx context.Context, p *documentParams) (any, error) {
	if taken, err := e.docs.BeforeSave(ctx, p.TextDocument.URI); err != nil || !taken {
		return nil, err
	}
	return []struct{}{}, nil
}

func (e *editor) didSave(p *didSaveParams) error {
	e.docs.Apply(buffers.Save{URI: p.TextDocument.URI, Text: p.Text, Earlier: p.ACP.Earlier})
	return nil
}

func (e *editor) didClose(p *documentParams) error {
	e.docs.Apply(buffers.Close{URI: p.TextDocument.URI})
	return nil
}
