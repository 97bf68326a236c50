package wire

import (
	"fmt"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The types of a [ContentBlock].
const (
	ContentText         = "text"
	ContentImage        = "image"
	ContentAudio        = "audio"
	ContentResourceLink = "resource_link"
	ContentResource     = "resource"
)

// ContentBlock is one piece of a prompt, a message or a tool's output. Type says
// which of the other members mean something:
//
//	text           Text
//	image, audio   Data (base64), MimeType; an image may have a URI
//	resource_link  URI, Name, Title, Description, MimeType, Size
//	resource       Resource
//
// A block of another type keeps what this package does not know in Extra.
type ContentBlock struct {
	Type        string            `json:"type"`
	Text        string            `json:"text,omitzero" acp:"strict"`
	Data        string            `json:"data,omitzero" acp:"strict"`
	MimeType    string            `json:"mimeType,omitzero"`
	URI         string            `json:"uri,omitzero"`
	Name        string            `json:"name,omitzero"`
	Title       string            `json:"title,omitzero"`
	Description string            `json:"description,omitzero"`
	Size        *int64            `json:"size,omitzero"` // bytes
	Resource    *ResourceContents `json:"resource,omitzero" acp:"strict"`
	Annotations *Annotations      `json:"annotations,omitzero"`
	Meta        jsontext.Value    `json:"_meta,omitzero"`
	Extra       jsontext.Value    `json:",embed"`
}

// ResourceContents are the contents of an embedded resource: Text or, for what
// is not text, Blob in base64.
type ResourceContents struct {
	URI      string         `json:"uri"`
	Text     *string        `json:"text,omitzero" acp:"strict"`
	Blob     *string        `json:"blob,omitzero" acp:"strict"`
	MimeType string         `json:"mimeType,omitzero"`
	Meta     jsontext.Value `json:"_meta,omitzero"`
	Extra    jsontext.Value `json:",embed"`
}

// Annotations say how a block is meant to be used.
type Annotations struct {
	Audience     []string       `json:"audience,omitzero"` // "user", "assistant"
	Priority     *float64       `json:"priority,omitzero"`
	LastModified string         `json:"lastModified,omitzero"`
	Meta         jsontext.Value `json:"_meta,omitzero"`
	Extra        jsontext.Value `json:",embed"`
}

// TextBlock returns a block of plain text or Markdown.
func TextBlock(text string) ContentBlock { return ContentBlock{Type: ContentText, Text: text} }

// LinkBlock returns a link that the agent follows by itself. Every agent takes it.
func LinkBlock(uri, name string) ContentBlock {
	return ContentBlock{Type: ContentResourceLink, URI: uri, Name: name}
}

// ResourceBlock returns a resource with its text in it. It needs the agent's
// prompt capability embeddedContext.
func ResourceBlock(uri, text, mimeType string) ContentBlock {
	return ContentBlock{Type: ContentResource, Resource: &ResourceContents{URI: uri, Text: &text, MimeType: mimeType}}
}

// The blocks as they are sent: the members a type must have are there, empty or not.
type (
	sentText struct {
		Type        string         `json:"type"`
		Text        string         `json:"text"`
		Annotations *Annotations   `json:"annotations,omitzero"`
		Meta        jsontext.Value `json:"_meta,omitzero"`
		Extra       jsontext.Value `json:",embed"`
	}
	sentMedia struct {
		Type        string         `json:"type"`
		Data        string         `json:"data"`
		MimeType    string         `json:"mimeType"`
		URI         string         `json:"uri,omitzero"`
		Annotations *Annotations   `json:"annotations,omitzero"`
		Meta        jsontext.Value `json:"_meta,omitzero"`
		Extra       jsontext.Value `json:",embed"`
	}
	sentLink struct {
		Type        string         `json:"type"`
		URI         string         `json:"uri"`
		Name        string         `json:"name"`
		Title       string         `json:"title,omitzero"`
		Description string         `json:"description,omitzero"`
		MimeType    string         `json:"mimeType,omitzero"`
		Size        *int64         `json:"size,omitzero"`
		Annotations *Annotations   `json:"annotations,omitzero"`
		Meta        jsontext.Value `json:"_meta,omitzero"`
		Extra       jsontext.Value `json:",embed"`
	}
	plainBlock ContentBlock
)

// MarshalJSONTo implements [json.MarshalerTo].
func (b ContentBlock) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch b.Type {
	case ContentText:
		return json.MarshalEncode(enc, &sentText{b.Type, b.Text, b.Annotations, b.Meta, b.Extra})
	case ContentImage, ContentAudio:
		return json.MarshalEncode(enc, &sentMedia{b.Type, b.Data, b.MimeType, b.URI, b.Annotations, b.Meta, b.Extra})
	case ContentResourceLink:
		return json.MarshalEncode(enc, &sentLink{b.Type, b.URI, b.Name, b.Title, b.Description, b.MimeType, b.Size, b.Annotations, b.Meta, b.Extra})
	}
	return json.MarshalEncode(enc, (*plainBlock)(&b))
}

func (b *ContentBlock) check() ([]error, error) {
	switch {
	case b.Type == "":
		return nil, missing("content block", "type")
	case b.Type == ContentResource && (b.Resource == nil || b.Resource.Text == nil && b.Resource.Blob == nil):
		return nil, missing("embedded resource", "text or blob")
	}
	return nil, nil
}

// Tool call content types.
const (
	ToolContent  = "content"
	ToolDiff     = "diff"
	ToolTerminal = "terminal"
)

// ToolCallContent is one piece of what a tool call shows. Type says which
// members mean something: "content" Content; "diff" Path, OldText (nil: the
// file may be new) and NewText, never nil; "terminal" TerminalID. Agents' diffs
// are often fragments of the file.
type ToolCallContent struct {
	Type       string         `json:"type"`
	Content    *ContentBlock  `json:"content,omitzero" acp:"strict"`
	Path       string         `json:"path,omitzero" acp:"strict"`
	OldText    *string        `json:"oldText,omitzero"`
	NewText    *string        `json:"newText,omitzero" acp:"strict"`
	TerminalID string         `json:"terminalId,omitzero" acp:"strict"`
	Meta       jsontext.Value `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

func (c *ToolCallContent) check() ([]error, error) {
	switch c.Type {
	case ToolContent:
		if c.Content == nil {
			return nil, missing("tool call content", "content")
		}
		return c.Content.check()
	case ToolDiff:
		if c.Path == "" || c.NewText == nil {
			return nil, missing("diff", "path or newText")
		}
	case ToolTerminal:
		if c.TerminalID == "" {
			return nil, missing("terminal content", "terminalId")
		}
	case "":
		return nil, missing("tool call content", "type")
	}
	return nil, nil
}

// checkItems removes the items of a tolerant array that do not pass their check.
func checkItems[T any, P interface {
	*T
	checker
}](name string, items *[]T, tolerated []error) []error {
	kept := (*items)[:0]
	for i := range *items {
		item := &(*items)[i]
		bad, err := P(item).check()
		if tolerated = append(tolerated, bad...); err != nil {
			tolerated = append(tolerated, fmt.Errorf("%s[%d]: %w", name, i, err))
			continue
		}
		kept = append(kept, *item)
	}
	if *items != nil {
		clear((*items)[len(kept):])
		*items = kept
	}
	return tolerated
}
