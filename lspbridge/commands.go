package lspbridge

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"acp-ls/internal/session"
)

type executeCommandParams struct {
	Command   string           `json:"command"`
	Arguments []jsontext.Value `json:"arguments"`
}

// executeCommand runs a command of the table.
func (e *editor) executeCommand(ctx context.Context, p *executeCommandParams) (any, error) {
	m := commands[p.Command]
	if m == nil {
		return nil, e.commandFailed(ctx, session.Errorf(session.KindInvalid, "there is no command %q", p.Command))
	}
	var argument jsonrpc2.RawMessage
	switch len(p.Arguments) {
	case 0:
	case 1:
		argument = jsonrpc2.RawMessage(p.Arguments[0])
	default:
		return nil, e.commandFailed(ctx, session.Errorf(session.KindInvalid, "%s takes one object as its only argument, not %d", m.name, len(p.Arguments)))
	}
	if e.settings.pulled != nil {
		select {
		case <-e.settings.pulled:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	place, ok := ctx.Value(placeKey{}).(*place)
	if !ok { // it has not come over the wire
		place = e.commands.join()
	}
	defer place.leave()
	if err := place.wait(ctx); err != nil {
		return nil, err
	}
	if !m.inOrder {
		place.leave()
	}
	result, err := m.run(e, session.Ordered(ctx, place.leave), argument)
	if err != nil {
		return nil, e.commandFailed(ctx, err)
	}
	return result, nil
}

// commandFailed shows an error to the user of an editor that may hide it: many
// write the error of a command to a log at best.
func (e *editor) commandFailed(ctx context.Context, err error) error {
	cancelled := errors.Is(err, context.Canceled) && ctx.Err() != nil
	if !cancelled && !e.Can("session") {
		message := err.Error()
		if session.KindOf(err) == session.KindAuthRequired { // what others have ways of their own for
			message += " (acp.agent.authenticate, acp.agent.restart)"
		}
		e.ShowMessage(session.LevelError, message)
	}
	var own *session.Error
	if !cancelled && !errors.As(err, &own) {
		return session.Errorf(session.KindInvalid, "%w", err)
	}
	return err
}

// decodeArgument reads a command's argument. Members whose tag has no omitzero
// must be there; what is unknown is ignored.
func decodeArgument(raw jsonrpc2.RawMessage, v any) error {
	if err := decode(raw, v); err != nil {
		return err
	}
	given := map[string]jsontext.Value{}
	if !isNull(raw) {
		if err := json.Unmarshal(raw, &given, looseJSON); err != nil {
			return err
		}
	}
	for _, f := range members(reflect.TypeOf(v).Elem()) {
		if !f.optional && isNull(given[f.name]) {
			return fmt.Errorf("member %s is missing", f.name)
		}
	}
	return nil
}

// wireMember is one member of an object of the contract.
type wireMember struct {
	name     string
	optional bool
	typ      reflect.Type
}

// members are the members of a struct as JSON has them.
func members(t reflect.Type) []wireMember {
	var out []wireMember
	for i := range t.NumField() {
		f := t.Field(i)
		tag, ok := f.Tag.Lookup("json")
		if f.Anonymous && !ok {
			out = append(out, members(f.Type)...)
			continue
		}
		name, rest, _ := strings.Cut(tag, ",")
		if name == "-" || name == "" {
			continue
		}
		optional := strings.Contains(rest, "omitzero") || strings.Contains(rest, "omitempty")
		out = append(out, wireMember{name, optional, f.Type})
	}
	return out
}

type sessionParams struct {
	Session string `json:"session"`
}

type sessionNewParams struct {
	Agent   string         `json:"agent,omitzero"`
	Cwd     string         `json:"cwd,omitzero"`
	Options map[string]any `json:"options,omitzero"`
	Wait    *bool          `json:"wait,omitzero"`
}

func (e *editor) sessionNew(ctx context.Context, p *sessionNewParams) (session.Info, error) {
	return e.told(ctx)(e.core.NewSession(ctx, session.NewSession{
		Agent: p.Agent, Cwd: p.Cwd, Options: p.Options, NoWait: p.Wait != nil && !*p.Wait,
	}))
}

// told returns a function that passes a session, or why there is none, on once
// what was said of it before has been written: an editor that shows both can tell
// that they are the same, and none is shown what was before it changed.
func (e *editor) told(ctx context.Context) func(session.Info, error) (session.Info, error) {
	return func(i session.Info, err error) (session.Info, error) {
		if i.Session != "" {
			e.out.flush(ctx, i.Session)
		}
		return i, err
	}
}

type sessionLoadParams struct {
	Agent     string `json:"agent"`
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd,omitzero"`
}

func (e *editor) sessionLoad(ctx context.Context, p *sessionLoadParams) (session.Info, error) {
	return e.told(ctx)(e.core.LoadSession(ctx, p.Agent, p.SessionID, p.Cwd))
}

type sessionListParams struct {
	Agent string  `json:"agent,omitzero"`
	Cwd   string  `json:"cwd,omitzero"`
	Also  *string `json:"also,omitzero"`
}

type sessionListResult struct {
	Sessions []session.Info `json:"sessions"`
}

func (e *editor) sessionList(ctx context.Context, p *sessionListParams) (sessionListResult, error) {
	sessions, err := e.core.ListSessions(ctx, session.ListSessions(*p))
	return sessionListResult{sessions}, err
}

type sessionEntriesParams struct {
	Session string `json:"session"`
	From    int    `json:"from,omitzero"`
}

type sessionEntriesResult struct {
	Entries []session.Entry `json:"entries"`
}

func (e *editor) sessionEntries(_ context.Context, p *sessionEntriesParams) (sessionEntriesResult, error) {
	entries, err := e.core.Entries(p.Session, p.From)
	return sessionEntriesResult{entries}, err
}

func (e *editor) sessionClose(ctx context.Context, p *sessionParams) (none, error) {
	err := e.core.CloseSession(ctx, p.Session)
	e.out.flush(ctx, p.Session)
	return none{}, err
}

func (e *editor) sessionDelete(ctx context.Context, p *sessionParams) (none, error) {
	err := e.core.DeleteSession(ctx, p.Session)
	e.out.flush(ctx, p.Session)
	return none{}, err
}

func (e *editor) sessionFork(ctx context.Context, p *sessionParams) (session.Info, error) {
	return e.told(ctx)(e.core.ForkSession(ctx, p.Session))
}

type sessionSetOptionParams struct {
	Session string `json:"session"`
	Option  string `json:"option"`
	Value   any    `json:"value"`
}

func (e *editor) sessionSetOption(ctx context.Context, p *sessionSetOptionParams) (session.Info, error) {
	switch p.Value.(type) {
	case string, bool:
		return e.told(ctx)(e.core.SetOption(ctx, p.Session, p.Option, p.Value))
	}
	return session.Info{}, session.Errorf(session.KindInvalid, "acp.session.setOption: member value must be a string, or true or false")
}

type transcriptResult struct {
	Markdown string `json:"markdown"`
	URI      string `json:"uri,omitzero"`
}

func (e *editor) sessionTranscript(_ context.Context, p *sessionParams) (transcriptResult, error) {
	markdown, err := e.core.Transcript(p.Session)
	return transcriptResult{Markdown: markdown}, err
}

type promptParams struct {
	Session   string        `json:"session,omitzero"`
	Agent     string        `json:"agent,omitzero"`
	Text      string        `json:"text"`
	Context   []spanParams  `json:"context,omitzero"`
	Selection *spanParams   `json:"selection,omitzero"`
	Images    []imageParams `json:"images,omitzero"`
	When      string        `json:"when,omitzero"`
	Wait      bool          `json:"wait,omitzero"`
}

type spanParams struct {
	URI   string `json:"uri"`
	Range *Range `json:"range,omitzero"`
	Mark  string `json:"mark,omitzero"`
}

type markParams struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

type markResult struct {
	Mark string `json:"mark"`
}

func (e *editor) mark(_ context.Context, p *markParams) (markResult, error) {
	r := p.Range.position()
	id, err := e.core.Mark(session.Span{URI: p.URI, Range: &r})
	return markResult{id}, err
}

func (s spanParams) span() session.Span {
	out := session.Span{URI: s.URI, Mark: s.Mark}
	if s.Range != nil {
		r := s.Range.position()
		out.Range = &r
	}
	return out
}

type imageParams struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"` // base64
	URI      string `json:"uri,omitzero"`
}

func (e *editor) prompt(ctx context.Context, p *promptParams) (session.PromptResult, error) {
	in := session.Prompt{Session: p.Session, Agent: p.Agent, Text: p.Text, When: p.When, Wait: p.Wait}
	switch p.When {
	case "", "queue", "now":
	default:
		return session.PromptResult{}, session.Errorf(session.KindInvalid, `acp.prompt: member when is %q, and must be "queue" or "now"`, p.When)
	}
	for _, c := range p.Context {
		in.Context = append(in.Context, c.span())
	}
	if p.Selection != nil {
		s := p.Selection.span()
		in.Selection = &s
	}
	for _, i := range p.Images {
		in.Images = append(in.Images, session.Image{MimeType: i.MimeType, Data: i.Data, URI: i.URI})
	}
	result, err := e.core.Prompt(ctx, in)
	if err == nil && p.Wait {
		e.out.flush(context.WithoutCancel(ctx), result.Session)
	}
	return result, err
}

type promptListResult struct {
	Queue []session.Queued `json:"queue"`
}

func (e *editor) promptList(_ context.Context, p *sessionParams) (promptListResult, error) {
	queue, err := e.core.Queue(p.Session)
	return promptListResult{queue}, err
}

type promptEditParams struct {
	Session string `json:"session"`
	ID      string `json:"id"`
	Text    string `json:"text"`
}

func (e *editor) promptEdit(_ context.Context, p *promptEditParams) (none, error) {
	return none{}, e.core.EditQueued(p.Session, p.ID, p.Text)
}

type promptRemoveParams struct {
	Session string `json:"session"`
	ID      string `json:"id"`
}

func (e *editor) promptRemove(_ context.Context, p *promptRemoveParams) (none, error) {
	return none{}, e.core.RemoveQueued(p.Session, p.ID)
}

func (e *editor) cancelTurn(ctx context.Context, p *sessionParams) (none, error) {
	return none{}, e.core.Cancel(ctx, p.Session)
}

type agentListResult struct {
	Agents   []session.AgentEntry `json:"agents"`
	Problems []string             `json:"problems,omitzero"` // with the settings
}

func (e *editor) agentList(context.Context, *none) (agentListResult, error) {
	return agentListResult{e.core.Agents(), e.settings.problems()}, nil
}

type authenticateParams struct {
	Agent  string `json:"agent"`
	Method string `json:"method,omitzero"`
}

func (e *editor) agentAuthenticate(ctx context.Context, p *authenticateParams) (none, error) {
	return none{}, e.core.Authenticate(ctx, p.Agent, p.Method)
}

type agentParams struct {
	Agent string `json:"agent"`
}

func (e *editor) agentLogout(ctx context.Context, p *agentParams) (none, error) {
	return none{}, e.core.Logout(ctx, p.Agent)
}

func (e *editor) agentRestart(ctx context.Context, p *agentParams) (none, error) {
	return none{}, e.core.RestartAgent(ctx, p.Agent)
}

type permissionListResult struct {
	Questions []session.Question `json:"questions"`
}

func (e *editor) permissionList(context.Context, *none) (permissionListResult, error) {
	return permissionListResult{e.core.Questions()}, nil
}

type permissionAnswerParams struct {
	ID       string `json:"id"`
	OptionID string `json:"optionId,omitzero"`
}

func (e *editor) permissionAnswer(_ context.Context, p *permissionAnswerParams) (none, error) {
	return none{}, e.core.Answer(p.ID, p.OptionID)
}

type idParams struct {
	ID string `json:"id"`
}

func (e *editor) permissionShow(_ context.Context, p *idParams) (none, error) {
	return none{}, e.core.ShowQuestion(p.ID)
}

type permissionRulesResult struct {
	Rules []session.RememberedRule `json:"rules"`
}

func (e *editor) permissionRules(context.Context, *none) (permissionRulesResult, error) {
	return permissionRulesResult{e.core.Rules()}, nil
}

func (e *editor) permissionForget(_ context.Context, p *idParams) (none, error) {
	return none{}, e.core.ForgetRule(p.ID)
}

type completeParams struct {
	Session string `json:"session,omitzero"`
	Text    string `json:"text"`
	Offset  int    `json:"offset"`
}

type completeResult struct {
	Items []session.Completion `json:"items"`
}

func (e *editor) complete(_ context.Context, p *completeParams) (completeResult, error) {
	if p.Offset < 0 || p.Offset > len(p.Text) {
		return completeResult{}, session.Errorf(session.KindInvalid, "acp.complete: member offset is %d, and must be between 0 and %d, the length of the text in bytes", p.Offset, len(p.Text))
	}
	return completeResult{e.core.Complete(p.Session, p.Text, p.Offset)}, nil
}
