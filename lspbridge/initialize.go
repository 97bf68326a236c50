package lspbridge

import (
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/config"
)

// contractVersion is the version of docs/editor-contract.md.
const contractVersion = 1

// initialize reads what the editor can do and answers what we can. Nothing is
// started here.
func (e *editor) initialize(params jsonrpc2.RawMessage) (any, error) {
	var p initializeParams
	if err := decode(params, &p); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	e.client = newClient(&p)
	e.folders = p.WorkspaceFolders.v
	if len(e.folders) == 0 && p.RootURI.v != "" {
		e.folders = []workspaceFolder{{p.RootURI.v}}
	}
	if len(e.folders) == 0 && p.RootPath.v != "" {
		e.folders = []workspaceFolder{{buffers.PathURI(p.RootPath.v)}}
	}
	if !isNull(p.InitializationOptions) {
		e.settings.setInitial(config.EditorLayer(p.InitializationOptions.Clone()))
	}
	for _, w := range p.ACP.v.Written {
		if w.Text != nil {
			e.core.WroteAway(w.URI, *w.Text, w.Read)
		}
	}
	if !e.attach(e.roots()) {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is ending")
	}
	e.lifecycle = running
	e.configure()
	e.log.Info("editor attached", "name", e.client.name, "version", p.ClientInfo.v.Version.v, "encoding", e.client.encoding.String())

	result := &protocol.InitializeResult{
		Capabilities: e.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: e.opts.Name},
	}
	if e.opts.Version != "" {
		result.ServerInfo.Version = protocol.NewOptional(e.opts.Version)
	}
	return result, nil
}

func (e *editor) capabilities() protocol.ServerCapabilities {
	sync := protocol.TextDocumentSyncKindIncremental
	yes := func() *bool { t := true; return &t }
	caps := protocol.ServerCapabilities{
		PositionEncoding: protocol.PositionEncodingKind((e.client.encoding &^ position.LFRows).String()),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: yes(), Change: &sync, Save: &protocol.SaveOptions{IncludeText: yes()},
		},
		CodeActionProvider:     &protocol.CodeActionOptions{CodeActionKinds: actionKinds, ResolveProvider: yes()},
		CodeLensProvider:       &protocol.CodeLensOptions{ResolveProvider: yes()},
		HoverProvider:          protocol.Boolean(true),
		CompletionProvider:     &protocol.CompletionOptions{TriggerCharacters: []string{"@", "/"}},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: commandNames()},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: yes(), ChangeNotifications: protocol.Boolean(true),
			},
		},
		Experimental: fmt.Appendf(nil, `{"acp":{"version":%d}}`, contractVersion),
	}
	if e.client.fileOperations {
		every := protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{{
			Scheme: new("file"), Pattern: protocol.FileOperationPattern{Glob: "**"},
		}}}
		caps.Workspace.FileOperations = &protocol.FileOperationOptions{DidCreate: every, DidRename: every, DidDelete: every}
	}
	if e.client.textDocumentContent {
		caps.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{baseScheme}}
	}
	return caps
}

// initialized asks for the settings. Commands that come meanwhile wait for them,
// but not for long.
func (e *editor) initialized(jsonrpc2.RawMessage) error {
	if e.client.configuration && e.settings.pulled == nil {
		pulled := make(chan struct{})
		e.settings.pulled = pulled
		done := sync.OnceFunc(func() { close(pulled) })
		e.spawn(func() {
			defer e.opts.after(settingsWait, done)()
			defer done()
			e.pullSettings()
		})
	}
	if e.client.dynamicSettings {
		e.spawn(e.registerSettings)
	}
	if e.client.watchesFiles {
		e.spawn(e.watchFiles)
	}
	return nil
}

// settingsWait is how long commands wait for an editor to tell its settings.
const settingsWait = 2 * time.Second

type foldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

func (e *editor) didChangeWorkspaceFolders(p *foldersParams) error {
	var left []workspaceFolder
	gone := map[string]bool{}
	for _, f := range p.Event.Removed {
		gone[f.URI] = true
	}
	for _, f := range append(e.folders, p.Event.Added...) {
		if !gone[f.URI] {
			left = append(left, f)
		}
	}
	e.folders = left
	e.docs.SetRoots(e.roots())
	return nil
}

// roots are the workspace folders that are on this machine's disk.
func (e *editor) roots() []string {
	var paths []string
	for _, f := range e.folders {
		if path, ok := buffers.URIPath(f.URI); ok {
			paths = append(paths, path)
		}
	}
	return paths
}
