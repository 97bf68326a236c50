package lspbridge

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
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
	URI         string       `json:"uri"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is what is read of LSP's Diagnostic. A member of another shape
// counts as absent: servers are many.
type Diagnostic struct {
	Range    Range          `json:"range"`
	Severity int            `json:"severity,omitzero"`
	Code     jsontext.Value `json:"code,omitzero"` // a string or a number
	Source   string         `json:"source,omitzero"`
	Message  string         `json:"message"`
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (d *Diagnostic) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var in loose[struct {
		Range    loose[Range]   `json:"range"`
		Severity loose[int]     `json:"severity"`
		Code     jsontext.Value `json:"code"`
		Source   loose[string]  `json:"source"`
		Message  loose[string]  `json:"message"`
	}]
	if err := json.UnmarshalDecode(dec, &in); err != nil {
		return err
	}
	*d = Diagnostic{in.v.Range.v, in.v.Severity.v, in.v.Code, in.v.Source.v, in.v.Message.v}
	return nil
}

// Diagnostics implements [session.Editor].
func (e *editor) Diagnostics(ctx context.Context, uri string) ([]session.Diagnostic, error) {
	var r diagnosticsResult
	if err := e.ask(ctx, "acp/diagnostics", diagnosticsParams{uri}, &r); err != nil {
		return nil, err
	}
	var out []session.Diagnostic
	for _, d := range r.Items {
		for _, g := range d.Diagnostics {
			if g.Message == "" {
				continue
			}
			out = append(out, session.Diagnostic{
				URI: d.URI, Range: g.Range.position(), Severity: g.Severity,
				Message: g.Message, Source: g.Source, Code: codeText(g.Code),
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
