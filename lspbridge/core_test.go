package lspbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// scripted is an agent whose turns are what the test says.
type scripted struct {
	host session.Host
	turn func(ctx context.Context, h session.Host, id string) (session.StopReason, error)
	done chan struct{}
}

func (a *scripted) Catalog() []session.AgentEntry {
	return []session.AgentEntry{{Name: "demo", Installed: true}}
}

func (a *scripted) Start(_ context.Context, _, _ string, h session.Host) (session.Agent, error) {
	a.host, a.done = h, make(chan struct{})
	return a, nil
}

func (a *scripted) Info() session.AgentInfo {
	return session.AgentInfo{Name: "demo", EmbeddedContext: true}
}

func (a *scripted) NewSession(context.Context, session.SessionParams) (session.SessionState, error) {
	return session.SessionState{SessionID: "agent-1"}, nil
}

func (a *scripted) LoadSession(context.Context, string, session.SessionParams) (session.SessionState, error) {
	return session.SessionState{}, session.ErrUnsupported
}

func (a *scripted) ListSessions(context.Context, string) ([]session.RemoteSession, error) {
	return nil, nil
}

func (a *scripted) CloseSession(context.Context, string) error  { return nil }
func (a *scripted) DeleteSession(context.Context, string) error { return nil }

func (a *scripted) ForkSession(context.Context, string, session.SessionParams) (session.SessionState, error) {
	return session.SessionState{}, session.ErrUnsupported
}

func (a *scripted) Prompt(ctx context.Context, id string, _ []session.Block) (session.StopReason, error) {
	return a.turn(ctx, a.host, id)
}

func (a *scripted) Cancel(string) error { return nil }

func (a *scripted) SetOption(context.Context, string, string, any) ([]session.Option, error) {
	return nil, nil
}

func (a *scripted) Authenticate(context.Context, string) error { return nil }
func (a *scripted) Logout(context.Context) error               { return nil }
func (a *scripted) Done() <-chan struct{}                      { return a.done }
func (a *scripted) Err() error                                 { return nil }

func (a *scripted) Close(context.Context) error {
	close(a.done)
	return nil
}

// A whole turn with the real core, in an editor of every kind of vice: the agent
// reads what was never saved, asks, and writes; the user types meanwhile, accepts
// one hunk and rejects the other.
func TestTurnWithTheRealCore(t *testing.T) {
	for name, vices := range map[string]fakeeditor.Vices{
		"none":           {},
		"whole texts":    {WholeTexts: true},
		"change by edit": {ChangePerEdit: true},
	} {
		for _, acp := range [][]string{nil, {"session", "review", "permission", "dismiss", "save"}} {
			t.Run(fmt.Sprintf("%s, %d capabilities", name, len(acp)), func(t *testing.T) { turnWithTheRealCore(t, vices, acp) })
		}
	}
}

func turnWithTheRealCore(t *testing.T, vices fakeeditor.Vices, acp []string) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	must(t, os.WriteFile(path, []byte("on disk\n"), 0o600))
	uri := buffers.PathURI(path)
	const unsaved = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n"

	agent := &scripted{turn: func(ctx context.Context, h session.Host, id string) (session.StopReason, error) {
		text, err := h.ReadTextFile(ctx, id, path, nil, nil)
		if err != nil || text != unsaved {
			return "", fmt.Errorf("read %q: %w", text, err)
		}
		answer := session.Block{Type: "text", Text: "Reading. "}
		h.Update(id, session.ContentChunk{Role: "agent", Content: answer})
		title, kind := "Edit a.txt", "edit"
		outcome, err := h.RequestPermission(ctx, id, session.PermissionRequest{
			ToolCall: session.ToolPatch{ID: "w1", Title: &title, Kind: &kind},
			Options:  []session.PermissionOption{{OptionID: "yes", Name: "Allow", Kind: "allow_once"}, {OptionID: "no", Name: "Reject", Kind: "reject_once"}},
		})
		if err != nil || outcome.OptionID != "yes" {
			return "", fmt.Errorf("permission %+v: %w", outcome, err)
		}
		text = strings.Replace(strings.Replace(text, "two", "TWO", 1), "eleven", "ELEVEN", 1)
		if err := h.WriteTextFile(ctx, id, path, text); err != nil {
			return "", err
		}
		answer.Text = "Done."
		h.Update(id, session.ContentChunk{Role: "agent", Content: answer})
		return "end_turn", nil
	}}
	c := session.New(session.Options{Launcher: agent, Settings: config.Default})
	defer func() { must(t, c.Close(context.Background())) }()
	server, client := pipes()
	served := make(chan error, 1)
	go func() {
		served <- Serve(context.Background(), server, c, Options{Settings: config.Default})
	}()
	allow := func(context.Context, json.RawMessage) (any, error) {
		return map[string]any{"title": "Allow", "optionId": "yes"}, nil
	}
	ctx := limit(t)
	e, err := fakeeditor.Start(ctx, client, fakeeditor.Options{
		Folder: buffers.PathURI(folder), ACP: acp, Vices: vices,
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){"acp/permission": allow, "window/showMessageRequest": allow},
	})
	must(t, err)
	r := &rig{client: e}
	must(t, e.Open(uri, "text", "on disk\n"))
	must(t, e.SetText(uri, unsaved))

	var turn session.PromptResult
	must(t, e.Command(ctx, "acp.prompt", map[string]any{"text": "shout", "wait": true}, &turn))
	if turn.StopReason != "end_turn" {
		t.Fatalf("%+v\n%s", turn, e.Dump())
	}
	want := strings.NewReplacer("two", "TWO", "eleven", "ELEVEN").Replace(unsaved)
	if got, _ := e.Text(uri); got != want {
		t.Fatalf("after the turn: %q", got)
	}
	must(t, e.Type(uri, 0, 0, "zero\n"))
	var list reviewListResult
	hunks := func(n int) []Hunk {
		t.Helper()
		must(t, e.Command(ctx, "acp.review.list", map[string]any{"uri": uri}, &list))
		if len(list.Files) != 1 || len(list.Files[0].Hunks) != n {
			t.Fatalf("files %+v\n%s", list.Files, e.Dump())
		}
		return list.Files[0].Hunks
	}
	two := hunks(2)
	if two[0].Range != wholeLines(2, 3) || two[0].BaseText != "two\n" || two[0].Text != "TWO\n" || two[1].Range != wholeLines(11, 12) {
		t.Errorf("hunks %+v", two)
	}
	var decision decisionResult
	must(t, e.Command(ctx, "acp.review.accept", map[string]any{"hunks": []string{two[0].ID}}, &decision))
	must(t, e.Command(ctx, "acp.review.reject", map[string]any{"hunks": []string{two[1].ID, "gone"}}, &decision))
	if len(decision.Decided) != 1 || len(decision.Refused) != 1 || decision.Refused[0].ID != "gone" {
		t.Errorf("decision %+v", decision)
	}
	want = "zero\n" + strings.Replace(unsaved, "two", "TWO", 1)
	if got, _ := e.Text(uri); got != want {
		t.Errorf("after the decisions: %q", got)
	}
	hunks(0)
	if acp == nil {
		r.await(t, "the diagnostics to go", func(s fakeeditor.State) bool {
			all := s.Received("textDocument/publishDiagnostics")
			return len(all) > 0 && strings.Contains(string(all[len(all)-1].Params), `"diagnostics":[]`)
		})
	} else {
		text := ""
		for _, raw := range e.Received("acp/chunk") {
			var p chunkParams
			must(t, decode(raw, &p))
			text += p.Text
		}
		var entries sessionEntriesResult
		must(t, e.Command(ctx, "acp.session.entries", map[string]any{"session": turn.Session}, &entries))
		if !strings.Contains(fmt.Sprint(entries), "Done.") {
			t.Errorf("entries %+v, chunks %q", entries, text)
		}
		r.await(t, "the review to go", func(s fakeeditor.State) bool {
			all := s.Received("acp/review")
			return len(all) > 0 && strings.Contains(string(all[len(all)-1].Params), `"hunks":[]`)
		})
	}
	must(t, e.Exit(ctx))
	must(t, <-served)
}
