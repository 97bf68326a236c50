package lspbridge

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"acp-ls/buffers/position"
	"acp-ls/internal/review"
	"acp-ls/internal/session"
)

// diagnosticSource is the source of our diagnostics.
const diagnosticSource = "acp"

// publishDiagnostics shows a file's hunks as diagnostics: every editor can list
// them and go from one to the next. It is called by the outbox only.
func (e *editor) publishDiagnostics(r session.Review) {
	list := []protocol.Diagnostic{}
	if e.opts.Settings().Review.Diagnostics {
		list = e.diagnostics(r)
	}
	if len(list) == 0 && !e.published[r.URI] {
		return
	}
	if len(list) == 0 {
		delete(e.published, r.URI)
	} else {
		e.published[r.URI] = true
	}
	e.notify(protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{URI: uri.URI(r.URI), Diagnostics: list})
}

func (e *editor) diagnostics(r session.Review) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	if r.File != nil {
		what := "an agent's change of the whole file: "
		if r.File.State == string(review.StateProposed) {
			what = "an agent asks to change the whole file: "
		}
		list = append(list, e.diagnostic(r.URI, 0, r.File.ID, what+describeFile(r.File), protocol.DiagnosticSeverityHint, "file"))
	}
	for i, h := range r.Hunks {
		severity := protocol.DiagnosticSeverityHint
		if h.State == review.StateConflict {
			severity = protocol.DiagnosticSeverityError
		}
		s := e.shown(r.URI, h, i, len(r.Hunks))
		list = append(list, e.diagnostic(r.URI, s.first, h.ID, describe(h), severity, string(h.State)))
	}
	return list
}

// describeFile says what has become of a file as a whole.
func describeFile(c *session.FileChange) string {
	switch c.Opaque {
	case "link":
		switch {
		case c.Op == "rename":
		case c.Op == "delete":
			return "the link is gone"
		case c.Op == "create":
			return "a new link to " + c.To
		case c.To == "":
			return "it was a link, and is a file now"
		default:
			return "it is a link to " + c.To + " now"
		}
	case "folder":
		return "it became a folder"
	}
	out := c.Op
	if c.From != "" {
		out += " from " + c.From
	}
	if c.To != "" {
		out += " to " + c.To
	}
	switch c.Mode {
	case "+x":
		out += ", it may be run now"
	case "-x":
		out += ", it may not be run any more"
	case "+bom":
		out += ", it has got a byte order mark"
	case "-bom":
		out += ", it has lost its byte order mark"
	}
	if c.Opaque == "ends" {
		out += ", it has other line ends, which the editor does not show"
	} else if c.Opaque != "" {
		out += " (" + c.Opaque + ", not shown)"
	}
	return out
}

// diagnostic marks a line, without the white space at its start.
func (e *editor) diagnostic(documentURI string, line int, id, message string, severity protocol.DiagnosticSeverity, code string) protocol.Diagnostic {
	at := position.Position{Line: uint32(line)}
	mark := position.Range{Start: at, End: at}
	if d, ok := e.docs.Document(documentURI); ok && line < d.Text.LineCount() {
		row := d.Text.LineOf(position.PositionOffset(d.Text, at, e.client.encoding))
		start, end := d.Text.LineStart(row), d.Text.LineEnd(row)
		for _, c := range []byte(d.Text.Slice(start, min(end, start+maxIndent))) {
			if c != ' ' && c != '\t' {
				break
			}
			start++
		}
		mark = position.OffsetsRange(d.Text, start, end, e.client.encoding)
	}
	return protocol.Diagnostic{
		Range:    protocolRange(mark),
		Severity: severity,
		Code:     protocol.String(code),
		Source:   protocol.NewOptional(diagnosticSource),
		Message:  protocol.String(message),
		Data:     mustJSON(id),
	}
}

// maxIndent is how much of a line is looked at for its indentation.
const maxIndent = 1 << 10
