package lspbridge

import (
	"go.lsp.dev/protocol"

	"acp-ls/buffers/position"
)

// Position is a place in a document: 0-based line, and characters counted in the
// position encoding of the connection.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is from Start up to but excluding End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

func (r Range) position() position.Range {
	return position.Range{Start: position.Position(r.Start), End: position.Position(r.End)}
}

func protocolRange(r position.Range) protocol.Range {
	return protocol.Range{Start: protocol.Position(r.Start), End: protocol.Position(r.End)}
}

// wholeLines is the range of the lines [start, end).
func wholeLines(start, end int) Range {
	return Range{Start: Position{Line: uint32(start)}, End: Position{Line: uint32(end)}}
}

type documentParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

type positionParams struct {
	documentParams
	Position Position `json:"position"`
}
