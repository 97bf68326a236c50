package lspbridge

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"acp-ls/internal/review"
	"acp-ls/internal/session"
)

// The kinds of our code actions.
const (
	kindAccept      protocol.CodeActionKind = "quickfix.acp.accept"
	kindReject      protocol.CodeActionKind = "quickfix.acp.reject"
	kindApply       protocol.CodeActionKind = "quickfix.acp.apply"
	kindDiscard     protocol.CodeActionKind = "quickfix.acp.discard"
	kindMine        protocol.CodeActionKind = "quickfix.acp.mine"
	kindTheirs      protocol.CodeActionKind = "quickfix.acp.theirs"
	kindBoth        protocol.CodeActionKind = "quickfix.acp.both"
	kindAcceptFile  protocol.CodeActionKind = "quickfix.acp.accept.file"
	kindRejectFile  protocol.CodeActionKind = "quickfix.acp.reject.file"
	kindApplyFile   protocol.CodeActionKind = "quickfix.acp.apply.file"
	kindDiscardFile protocol.CodeActionKind = "quickfix.acp.discard.file"
	kindFix         protocol.CodeActionKind = "quickfix.acp.fix"
)

var actionKinds = []protocol.CodeActionKind{
	kindAccept, kindReject, kindApply, kindDiscard, kindMine, kindTheirs, kindBoth, kindAcceptFile, kindRejectFile, kindApplyFile, kindDiscardFile, kindFix,
}

type codeActionParams struct {
	documentParams
	Range   Range `json:"range"`
	Context struct {
		Only        []string          `json:"only"`
		Diagnostics []contextDiagnose `json:"diagnostics"`
	} `json:"context"`
}

type contextDiagnose struct {
	Range   Range          `json:"range"`
	Source  loose[string]  `json:"source"`
	Message jsontext.Value `json:"message"`
}

// codeAction lists what can be done about the hunks on the lines of a range. No
// action is disabled, and each has a kind and a command: editors exist that show
// disabled ones like others, or hide those without a kind.
func (e *editor) codeAction(_ context.Context, p *codeActionParams) (any, error) {
	actions := []protocol.CodeAction{}
	add := func(kind protocol.CodeActionKind, c protocol.Command) {
		if wanted(kind, p.Context.Only) {
			actions = append(actions, protocol.CodeAction{Title: c.Title, Kind: &kind, Command: c})
		}
	}
	documentURI := p.TextDocument.URI
	file, hunks := e.hunks(documentURI)
	for _, h := range hunks {
		if h.touches(p.Range) {
			for _, c := range choices(h.Hunk, "hunk") {
				add(c.kind, c.command)
			}
		}
	}
	for _, c := range fileChoices(documentURI, file, "all in file") {
		add(c.kind, c.command)
	}
	agent := e.core.PromptAgent()
	for _, d := range p.Context.Diagnostics {
		if message := diagnosticText(d.Message); message != "" && d.Source.v != diagnosticSource {
			r := d.Range
			add(kindFix, newCommand("Fix with "+agent, "acp.prompt", promptParams{
				Agent:   agent, // the title has said so, whatever sessions there are when it is chosen
				Text:    "Fix this problem: " + message,
				Context: []spanParams{{URI: documentURI, Range: &r}},
			}))
		}
	}
	return actions, nil
}

// choice is one way to decide on a hunk.
type choice struct {
	kind    protocol.CodeActionKind
	command protocol.Command
}

type decideHunks struct {
	Hunks []string `json:"hunks"`
}

type decideFile struct {
	URI string `json:"uri"`
	Rev string `json:"rev"`
}

// choices are the ways to decide on a hunk; noun follows the verb in the title,
// if it is given.
func choices(h review.Hunk, noun string) []choice {
	title := func(verb string) string { return strings.TrimSpace(verb + " " + noun) }
	one := decideHunks{[]string{h.ID}}
	switch h.State {
	case review.StateConflict:
		return []choice{
			{kindMine, newCommand("Take mine", "acp.review.resolve", resolveParams{h.ID, "mine"})},
			{kindTheirs, newCommand("Take theirs", "acp.review.resolve", resolveParams{h.ID, "theirs"})},
			{kindBoth, newCommand("Take both", "acp.review.resolve", resolveParams{h.ID, "both"})},
		}
	case review.StateProposed:
		return []choice{
			{kindApply, newCommand(title("Apply"), "acp.review.accept", one)},
			{kindDiscard, newCommand(title("Discard"), "acp.review.reject", one)},
		}
	}
	return []choice{
		{kindAccept, newCommand(title("Accept"), "acp.review.accept", one)},
		{kindReject, newCommand(title("Reject"), "acp.review.reject", one)},
	}
}

// fileChoices are the ways to decide on all that is undecided in a file; what follows the
// verb in the title.
func fileChoices(uri string, file session.Review, what string) []choice {
	all := decideFile{URI: uri, Rev: file.Rev}
	has := func(state review.State) bool {
		return slices.ContainsFunc(file.Hunks, func(h review.Hunk) bool { return h.State == state })
	}
	switch {
	case has(review.StatePending) || file.File != nil && file.File.State == "":
		return []choice{
			{kindAcceptFile, newCommand("Accept "+what, "acp.review.accept", all)},
			{kindRejectFile, newCommand("Reject "+what, "acp.review.reject", all)},
		}
	case has(review.StateProposed) || file.File != nil:
		return []choice{
			{kindApplyFile, newCommand("Apply "+what, "acp.review.accept", all)},
			{kindDiscardFile, newCommand("Discard "+what, "acp.review.reject", all)},
		}
	}
	return nil
}

func newCommand(title, name string, argument any) protocol.Command {
	return protocol.Command{Title: title, Command: name, Arguments: []protocol.LSPAny{mustJSON(argument)}}
}

// mustJSON encodes a string or one of our own structs.
func mustJSON(v any) protocol.LSPAny {
	raw, err := json.Marshal(v, ownJSON)
	if err != nil {
		panic(err)
	}
	return raw
}

// wanted says whether a kind is one of those asked for, or below one.
func wanted(kind protocol.CodeActionKind, only []string) bool {
	if len(only) == 0 {
		return true
	}
	for _, o := range only {
		if string(kind) == o || o == "" || strings.HasPrefix(string(kind), o+".") {
			return true
		}
	}
	return false
}

// diagnosticText is the message of a diagnostic, which may be marked up.
func diagnosticText(raw jsontext.Value) string {
	var s string
	if json.Unmarshal(raw, &s, looseJSON) == nil {
		return s
	}
	var markup struct {
		Value string `json:"value"`
	}
	if json.Unmarshal(raw, &markup, looseJSON) == nil {
		return markup.Value
	}
	return ""
}
