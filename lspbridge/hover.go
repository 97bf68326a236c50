package lspbridge

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"acp-ls/buffers/linediff"
	"acp-ls/internal/review"
)

// hoverContext is how many rows around a difference are shown.
const hoverContext = 3

// hover shows what was there before the hunks at a line, as a diff.
func (e *editor) hover(_ context.Context, p *positionParams) (any, error) {
	var parts []string
	var where *protocol.Range
	_, hunks := e.hunks(p.TextDocument.URI)
	for _, h := range hunks {
		if !h.touches(Range{p.Position, p.Position}) {
			continue
		}
		parts = append(parts, e.hoverText(h.Hunk))
		if where == nil {
			r := protocolRange(wholeLines(h.first, h.last+1).position())
			where = &r
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	kind := protocol.MarkupKindPlainText
	if e.client.markdown {
		kind = protocol.MarkupKindMarkdown
	}
	return &protocol.Hover{
		Contents: &protocol.MarkupContent{Kind: kind, Value: strings.Join(parts, "\n\n")},
		Range:    where,
	}, nil
}

func (e *editor) hoverText(h review.Hunk) string {
	diff := unnumbered(linediff.Unified("", linediff.Split(h.BaseText), linediff.Split(h.Text), hoverContext))
	if !e.client.markdown {
		return describe(h) + "\n\n" + diff
	}
	fence := "```"
	for strings.Contains(diff, fence) {
		fence += "`"
	}
	return escapeMarkdown(describe(h)) + "\n\n" + fence + "diff\n" + diff + fence
}

// unnumbered is a unified diff without its numbers of lines: they would count from the
// beginning of the hunk, and who reads them takes them for those of the file.
func unnumbered(diff string) string {
	var out strings.Builder
	for line := range strings.Lines(diff) {
		switch {
		case !strings.HasPrefix(line, "@@"):
			out.WriteString(line)
		case out.Len() > 0:
			out.WriteString("...\n")
		}
	}
	return out.String()
}

var markdownEscapes = func() *strings.Replacer {
	var pairs []string
	for _, c := range "\\`*_{}[]()<>#+-!|~" {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return strings.NewReplacer(pairs...)
}()

// escapeMarkdown makes a text that an agent may have written show as it is.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }
