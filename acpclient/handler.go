package acpclient

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/session"
)

// handler gives what an agent asks to the core and to its terminals.
type handler struct {
	wire.Unimplemented // what is not below
	a                  *agent
}

var _ wire.Handler = (*handler)(nil)

func (h *handler) SessionUpdate(_ context.Context, sessionID string, u wire.Update) {
	if out, ok := toUpdate(u); ok {
		h.a.host.Update(sessionID, out)
		return
	}
	if u, ok := u.(*wire.UnknownUpdate); ok {
		h.a.host.Trace(h.a.name, "update "+u.Kind+" is not known and was skipped")
	}
}

func (h *handler) RequestPermission(ctx context.Context, r *wire.RequestPermissionRequest) (wire.RequestPermissionResponse, error) {
	ctx = session.Ordered(ctx, func() { wire.Release(ctx) })
	req := session.PermissionRequest{ToolCall: toolUpdate(&r.ToolCall)}
	for _, o := range r.Options {
		req.Options = append(req.Options, session.PermissionOption{OptionID: o.OptionID, Name: o.Name, Kind: o.Kind})
	}
	out, err := h.a.host.RequestPermission(ctx, r.SessionID, req)
	if err != nil {
		return wire.RequestPermissionResponse{}, toWireError(err)
	}
	return wire.RequestPermissionResponse{OptionID: out.OptionID, Cancelled: out.Cancelled}, nil
}

func (h *handler) ReadTextFile(ctx context.Context, r *wire.ReadTextFileRequest) (wire.ReadTextFileResponse, error) {
	wire.Release(ctx)
	content, err := h.a.host.ReadTextFile(ctx, r.SessionID, r.Path, r.Line, r.Limit)
	return wire.ReadTextFileResponse{Content: content}, toWireError(err)
}

func (h *handler) WriteTextFile(ctx context.Context, r *wire.WriteTextFileRequest) (wire.WriteTextFileResponse, error) {
	ctx = session.Ordered(ctx, func() { wire.Release(ctx) })
	var w session.Wrote
	err := h.a.host.WriteTextFile(session.Telling(ctx, &w), r.SessionID, r.Path, r.Content)
	return wire.WriteTextFileResponse{Meta: fromWrote(w)}, toWireError(err)
}

func (h *handler) TerminalCreate(ctx context.Context, r *wire.CreateTerminalRequest) (wire.CreateTerminalResponse, error) {
	wire.Release(ctx)
	program := session.Program{Command: r.Command, Args: r.Args, Cwd: r.Cwd}
	dir, err := h.a.host.AllowTerminal(ctx, r.SessionID, program)
	if err != nil {
		return wire.CreateTerminalResponse{}, toWireError(err)
	}
	id, err := h.a.terminals.Create(r.SessionID, dir, r)
	if err == nil {
		h.a.host.TerminalCreated(r.SessionID, id, program)
	}
	return wire.CreateTerminalResponse{TerminalID: id}, err
}

func (h *handler) TerminalOutput(_ context.Context, r *wire.TerminalRequest) (wire.TerminalOutputResponse, error) {
	return h.a.terminals.Output(r)
}

func (h *handler) TerminalWaitForExit(ctx context.Context, r *wire.TerminalRequest) (wire.TerminalExitStatus, error) {
	wire.Release(ctx)
	return h.a.terminals.WaitForExit(ctx, r)
}

func (h *handler) TerminalKill(ctx context.Context, r *wire.TerminalRequest) error {
	wire.Release(ctx)
	return h.a.terminals.Kill(ctx, r)
}

func (h *handler) TerminalRelease(ctx context.Context, r *wire.TerminalRequest) error {
	wire.Release(ctx)
	return h.a.terminals.Release(ctx, r)
}

func (h *handler) ElicitationCreate(ctx context.Context, r *wire.ElicitationRequest) (wire.ElicitationResponse, error) {
	wire.Release(ctx)
	form, tolerated, ok := toForm(h.a.name, r)
	for _, t := range tolerated {
		h.a.host.Trace(h.a.name, "form: "+t.Error())
	}
	if !ok {
		return wire.ElicitationResponse{Action: wire.ElicitCancel}, nil
	}
	ans, err := h.a.host.Elicit(ctx, r.SessionID, form)
	if err != nil {
		return wire.ElicitationResponse{}, toWireError(err)
	}
	out := wire.ElicitationResponse{Action: ans.Action}
	if ans.Action == wire.ElicitAccept {
		out.Content = ans.Answers
	}
	return out, nil
}

func (h *handler) ExtNotification(_ context.Context, method string, _ jsontext.Value) {
	h.a.host.Trace(h.a.name, "notification "+method+" is not known and was ignored")
}
