package acpclient

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/session"
)

// toUpdate turns an update into the core's word for it; ok is false for one the
// core has none for.
func toUpdate(u wire.Update) (out session.Update, ok bool) {
	switch u := u.(type) {
	case *wire.MessageChunk:
		role := "agent"
		switch u.Kind {
		case wire.UserMessageChunk:
			role = "user"
		case wire.AgentThoughtChunk:
			role = "thought"
		}
		return session.ContentChunk{Role: role, MessageID: u.MessageID, Content: toBlock(u.Content)}, true
	case *wire.ToolCall:
		return toolPatch(u), true
	case *wire.ToolCallUpdate:
		return toolUpdate(u), true
	case *wire.Plan:
		items := make([]session.PlanItem, len(u.Entries))
		for i, e := range u.Entries {
			items[i] = session.PlanItem{Content: e.Content, Priority: e.Priority, Status: e.Status}
		}
		return session.PlanUpdate{Items: items}, true
	case *wire.AvailableCommands:
		cmds := make([]session.Command, len(u.Commands))
		for i, c := range u.Commands {
			cmds[i] = session.Command{Name: c.Name, Description: c.Description}
			if c.Input != nil {
				cmds[i].Hint = c.Input.Hint
			}
		}
		return session.CommandsUpdate{Commands: cmds}, true
	case *wire.CurrentMode:
		return session.ModeUpdate{ModeID: u.CurrentModeID}, true
	case *wire.ConfigOptions:
		return session.OptionsUpdate{Options: toOptions(u.Options, nil)}, true
	case *wire.SessionInfoUpdate:
		if !u.Title.Set {
			return nil, false
		}
		title := u.Title.Value
		return session.InfoUpdate{Title: &title}, true
	case *wire.Usage:
		usage := session.Usage{Used: u.Used, Size: u.Size}
		if u.Cost != nil {
			usage.Cost, usage.Currency = u.Cost.Amount, u.Cost.Currency
		}
		return session.UsageUpdate{Usage: usage}, true
	case *wire.Notice:
		return session.Notice{Severity: u.Severity, Title: u.Title, Description: u.Description}, true
	case *wire.Compaction:
		c := session.Compaction{ID: u.CompactionID, Status: u.Status, Error: u.Error.Value}
		var b strings.Builder
		for _, s := range u.Summary.Value {
			b.WriteString(s.Text)
		}
		c.Summary = b.String()
		return c, true
	}
	return nil, false
}

func toolPatch(u *wire.ToolCall) session.ToolPatch {
	p := session.ToolPatch{ID: u.ToolCallID, RawInput: u.RawInput, RawOutput: u.RawOutput,
		Title: notEmpty(u.Title), Name: notEmpty(u.Name), Kind: notEmpty(u.Kind), Status: notEmpty(u.Status)}
	if u.Content != nil {
		p.Content = toContent(u.Content)
	}
	if u.Locations != nil {
		p.Locations = toLocations(u.Locations)
	}
	return p
}

func toolUpdate(u *wire.ToolCallUpdate) session.ToolPatch {
	p := session.ToolPatch{ID: u.ToolCallID, RawInput: u.RawInput, RawOutput: u.RawOutput,
		Title: u.Title, Name: u.Name, Kind: notEmpty(u.Kind), Status: notEmpty(u.Status)}
	if u.Content != nil {
		p.Content = toContent(u.Content)
	}
	if u.Locations != nil {
		p.Locations = toLocations(u.Locations)
	}
	return p
}

func notEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func toContent(in []wire.ToolCallContent) *[]session.ToolContent {
	out := make([]session.ToolContent, 0, len(in))
	for _, c := range in {
		switch c.Type {
		case wire.ToolContent:
			b := toBlock(*c.Content)
			out = append(out, session.ToolContent{Type: "content", Text: b.Text, URI: b.URI})
		case wire.ToolDiff:
			out = append(out, session.ToolContent{Type: "diff", Path: c.Path, OldText: c.OldText, NewText: *c.NewText})
		case wire.ToolTerminal:
			out = append(out, session.ToolContent{Type: "terminal", Terminal: c.TerminalID})
		}
	}
	return &out
}

func toLocations(in []wire.Location) *[]session.Location {
	out := make([]session.Location, len(in))
	for i, l := range in {
		out[i] = session.Location{Path: l.Path}
		if l.Line != nil {
			out[i].Line = int(*l.Line)
		}
	}
	return &out
}

func toBlock(b wire.ContentBlock) session.Block {
	out := session.Block{Type: b.Type, Text: b.Text, Data: b.Data, MimeType: b.MimeType, URI: b.URI, Name: b.Name, Title: b.Title}
	switch b.Type {
	case wire.ContentResourceLink:
		out.Type = "link"
	case wire.ContentResource:
		if b.Resource != nil {
			out.URI, out.MimeType = b.Resource.URI, b.Resource.MimeType
			if b.Resource.Text != nil {
				out.Text = *b.Resource.Text
			}
			if b.Resource.Blob != nil {
				out.Data = *b.Resource.Blob
			}
		}
	}
	return out
}

func fromBlocks(in []session.Block) []wire.ContentBlock {
	out := make([]wire.ContentBlock, 0, len(in))
	for _, b := range in {
		switch b.Type {
		case "link":
			l := wire.LinkBlock(b.URI, b.Name)
			l.MimeType, l.Title = b.MimeType, b.Title
			out = append(out, l)
		case "resource":
			out = append(out, wire.ResourceBlock(b.URI, b.Text, b.MimeType))
		case "image", "audio":
			out = append(out, wire.ContentBlock{Type: b.Type, Data: b.Data, MimeType: b.MimeType, URI: b.URI})
		default:
			out = append(out, wire.TextBlock(b.Text))
		}
	}
	return out
}

// modeOption is the id under which modes appear as an option.
const modeOption = "mode"

// toOptions joins config options and modes; modes that are an option already
// are not shown twice (ACP session-config-options: options replace modes).
func toOptions(in []wire.ConfigOption, modes *wire.SessionModes) []session.Option {
	out := make([]session.Option, 0, len(in)+1)
	hasMode := false
	for _, o := range in {
		hasMode = hasMode || o.ID == modeOption || o.Category == "mode"
		opt := session.Option{ID: o.ID, Name: o.Name, Description: o.Description, Category: o.Category, Type: o.Type}
		if o.Type == wire.ConfigBoolean {
			opt.Value = o.On
		} else {
			opt.Value = o.Current
			for _, g := range o.Choices {
				for _, c := range g.Choices {
					opt.Choices = append(opt.Choices, session.OptionChoice{Value: c.Value, Name: c.Name, Description: c.Description, Group: g.Name})
				}
			}
		}
		out = append(out, opt)
	}
	if modes != nil && !hasMode && len(in) == 0 {
		out = append(out, toModeOption(modes))
	}
	return out
}

func toModeOption(m *wire.SessionModes) session.Option {
	o := session.Option{ID: modeOption, Name: "Mode", Category: "mode", Type: wire.ConfigSelect, Value: m.CurrentModeID}
	for _, x := range m.AvailableModes {
		o.Choices = append(o.Choices, session.OptionChoice{Value: x.ID, Name: x.Name, Description: x.Description})
	}
	return o
}

func fromServers(in []session.MCPServer) []wire.MCPServer {
	out := make([]wire.MCPServer, 0, len(in))
	vars := func(in []session.NameValue) []wire.EnvVariable {
		out := make([]wire.EnvVariable, 0, len(in))
		for _, v := range in {
			out = append(out, wire.EnvVariable{Name: v.Name, Value: v.Value})
		}
		return out
	}
	for _, s := range in {
		m := wire.MCPServer{Type: s.Type, Name: s.Name, Command: s.Command, URL: s.URL, Args: s.Args}
		if s.Type == "" {
			m.Env = vars(s.Env)
			if m.Args == nil {
				m.Args = []string{}
			}
		} else {
			m.Headers = vars(s.Headers)
		}
		out = append(out, m)
	}
	return out
}

// toWireError gives a core's error the code ACP has for its kind.
func toWireError(err error) error {
	var e *session.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Kind {
	case session.KindNotFound, session.KindUnknownSession:
		return wire.NewError(wire.CodeNotFound, e.Message)
	case session.KindInvalid, session.KindOutside:
		return wire.NewError(wire.CodeInvalidParams, e.Message)
	case session.KindAuthRequired:
		return wire.NewError(wire.CodeAuthRequired, e.Message)
	}
	return wire.NewError(wire.CodeInternal, e.Message)
}

// fromWireError says what an agent's error means to a user.
func (a *agent) fromWireError(err error) error {
	if err == nil {
		return nil
	}
	if wire.ErrorCode(err) == wire.CodeAuthRequired {
		return a.authRequired(err)
	}
	if errors.Is(err, wire.ErrWrite) {
		a.process.Stop(context.Background()) // one that takes nothing more is of no use
	}
	if errors.Is(err, wire.ErrClosed) || errors.Is(err, wire.ErrWrite) {
		<-a.done
		if gone := a.Err(); gone != nil {
			return gone
		}
		return session.Errorf(session.KindAgentFailed, "agent %s was closed", a.name)
	}
	var e *wire.Error
	if errors.As(err, &e) {
		return session.Errorf(session.KindAgentFailed, "agent %s: %s%s", a.name, e.Message, detail(e))
	}
	return err
}

// detail is what an error's data adds to its message: many agents say "Internal
// error" and put the reason there.
func detail(e *wire.Error) string {
	data := strings.TrimSpace(string(e.Data))
	if data == "" || data == "null" {
		return ""
	}
	var in struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}
	if _, err := wire.Decode([]byte(data), &in); err == nil {
		for _, s := range []string{in.Details, in.Message} {
			if s != "" && !strings.Contains(e.Message, s) {
				return ": " + s
			}
		}
		if in.Details != "" || in.Message != "" {
			return ""
		}
	}
	if len(data) > 500 {
		data = data[:500] + "…"
	}
	return " (" + data + ")"
}

// wroteMeta is in the _meta of an answered write, under our name: members of others are
// not ours to use there.
type wroteMeta struct {
	Of struct {
		Merged  []lineRange `json:"merged,omitzero"`
		Unsaved string      `json:"unsaved,omitzero"`
	} `json:"acp-ls"`
}

type lineRange struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// fromWrote is what an agent that looks at it is told of its write; nothing if all is as
// it would think.
func fromWrote(w session.Wrote) jsontext.Value {
	if len(w.Merged) == 0 && w.SaveErr == nil {
		return nil
	}
	var m wroteMeta
	for _, l := range w.Merged {
		m.Of.Merged = append(m.Of.Merged, lineRange{l[0], l[1]})
	}
	if w.SaveErr != nil {
		m.Of.Unsaved = w.SaveErr.Error()
	}
	out, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return out
}
