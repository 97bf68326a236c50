package lspbridge

import (
	"context"

	"go.lsp.dev/protocol"

	"acp-ls/buffers/position"
)

// completion completes mentions and slash commands where prompts are written.
func (e *editor) completion(_ context.Context, p *positionParams) (any, error) {
	list := &protocol.CompletionList{IsIncomplete: true, Items: []protocol.CompletionItem{}}
	d, ok := e.docs.Document(p.TextDocument.URI)
	if !ok || d.LanguageID != "acp-prompt" && d.LanguageID != "acp-chat" {
		list.IsIncomplete = false
		return list, nil
	}
	at := position.PositionOffset(d.Text, position.Position(p.Position), e.client.encoding)
	row := d.Text.LineOf(at)
	start := d.Text.LineStart(row)
	for _, c := range e.core.Complete("", d.Text.Line(row), at-start) {
		where := position.OffsetsRange(d.Text, start+c.Start, start+c.End, e.client.encoding)
		item := protocol.CompletionItem{
			Label:      c.Label,
			Kind:       completionKind(c.Kind),
			FilterText: protocol.NewOptional(c.InsertText),
			TextEdit:   &protocol.TextEdit{Range: protocolRange(where), NewText: c.InsertText},
		}
		if c.Detail != "" {
			item.Detail = protocol.NewOptional(c.Detail)
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

func completionKind(kind string) protocol.CompletionItemKind {
	switch kind {
	case "file":
		return protocol.CompletionItemKindFile
	case "folder":
		return protocol.CompletionItemKindFolder
	case "command":
		return protocol.CompletionItemKindFunction
	}
	return protocol.CompletionItemKindKeyword
}
