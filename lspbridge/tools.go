package lspbridge

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"acp-ls/internal/session"
)

type diagnosticsParams struct {
	URI string `json:"uri,omitzero"`
}

type diagnosticsResult struct {
	Items []documentDiagnostics `json:"items"`
}

type documentDiagnostics struct {
	URI         string                 `json:"uri"`
	Diagnostics loose[[]rawDiagnostic] `json:"diagnostics"`
}

// rawDiagnostic is what is read of LSP's Diagnostic.
type rawDiagnostic struct {
	Range    Range          `json:"range"`
	Severity loose[int]     `json:"severity"`
	Code     jsontext.Value `json:"code"` // a string or a number
	Source   loose[string]  `json:"source"`
	Message  string         `json:"message"`
}

// Diagnostics implements [session.Editor].
func (e *editor) Diagnostics(ctx context.Context, uri string) ([]session.Diagnostic, error) {
	var r diagnosticsResult
	if err := e.ask(ctx, "acp/diagnostics", diagnosticsParams{uri}, &r); err != nil {
		return nil, err
	}
	var out []session.Diagnostic
	for _, d := range r.Items {
		for _, g := range d.Diagnostics.v {
			out = append(out, session.Diagnostic{
				URI: d.URI, Range: g.Range.position(), Severity: g.Severity.v,
				Message: g.Message, Source: g.Source.v, Code: codeText(g.Code),
			})
		}
	}
	return out, nil
}

func codeText(raw jsontext.Value) string {
	switch raw.Kind() {
	case '"':
		s, err := jsontext.AppendUnquote(nil, raw)
		if err == nil {
			return string(s)
		}
	case '0':
		return string(raw)
	}
	return ""
}

type showResult struct {
	Success bool `json:"success"`
}

// ShowDocument implements [session.Editor].
func (e *editor) ShowDocument(ctx context.Context, uri string, row int) error {
	const method = protocol.MethodWindowShowDocument
	if !e.client.showDocument {
		return fmt.Errorf("%s: %w", method, session.ErrUnsupported)
	}
	params := map[string]any{"uri": uri, "takeFocus": false}
	if row >= 0 {
		params["selection"] = wholeLines(row, row)
	}
	var r showResult
	if err := e.call(ctx, method, params, &r); err != nil {
		return err
	}
	if !r.Success {
		return fmt.Errorf("show %s: %w", strconv.Quote(uri), session.ErrRefused)
	}
	return nil
}
