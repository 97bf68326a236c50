package lspbridge

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/buffers/position"
)

// initializeParams is what is read of LSP's InitializeParams. Each member
// stands for itself: a wrong one counts as absent.
type initializeParams struct {
	ClientInfo            loose[clientInfo]         `json:"clientInfo"`
	RootURI               loose[string]             `json:"rootUri"`
	RootPath              loose[string]             `json:"rootPath"`
	WorkspaceFolders      loose[[]workspaceFolder]  `json:"workspaceFolders"`
	InitializationOptions jsontext.Value            `json:"initializationOptions"`
	Capabilities          loose[clientCapabilities] `json:"capabilities"`

	// ACP is the contract's own member.
	ACP loose[struct {
		Written []writtenFile `json:"written"`
	}] `json:"acp"`
}

// writtenFile is a file that the editor has written while no acp-ls ran.
type writtenFile struct {
	URI  string  `json:"uri"`
	Text *string `json:"text"`
	Read *string `json:"read"` // what it had read there before, while none ran either
}

type clientInfo struct {
	Name    loose[string] `json:"name"`
	Version loose[string] `json:"version"`
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

type clientCapabilities struct {
	General      loose[generalCapabilities]      `json:"general"`
	Window       loose[windowCapabilities]       `json:"window"`
	Workspace    loose[workspaceCapabilities]    `json:"workspace"`
	TextDocument loose[textDocumentCapabilities] `json:"textDocument"`
	Experimental loose[experimentalCapabilities] `json:"experimental"`
}

type generalCapabilities struct {
	PositionEncodings loose[[]string] `json:"positionEncodings"`
}

type windowCapabilities struct {
	WorkDoneProgress yes     `json:"workDoneProgress"`
	ShowMessage      present `json:"showMessage"`

	ShowDocument loose[showDocumentCapability] `json:"showDocument"`
}

type showDocumentCapability struct {
	Support yes `json:"support"`
}

type workspaceCapabilities struct {
	ApplyEdit              yes                    `json:"applyEdit"`
	Configuration          yes                    `json:"configuration"`
	WorkspaceEdit          loose[editCapability]  `json:"workspaceEdit"`
	DidChangeConfiguration loose[dynamicCapacity] `json:"didChangeConfiguration"`
	DidChangeWatchedFiles  loose[dynamicCapacity] `json:"didChangeWatchedFiles"`
	CodeLens               loose[refreshCapacity] `json:"codeLens"`
	TextDocumentContent    present                `json:"textDocumentContent"`
	FileOperations         present                `json:"fileOperations"`
}

type editCapability struct {
	DocumentChanges yes `json:"documentChanges"`
}

type dynamicCapacity struct {
	DynamicRegistration yes `json:"dynamicRegistration"`
}

type refreshCapacity struct {
	RefreshSupport yes `json:"refreshSupport"`
}

type textDocumentCapabilities struct {
	Hover loose[hoverCapability] `json:"hover"`
}

type hoverCapability struct {
	ContentFormat loose[[]string] `json:"contentFormat"`
}

type experimentalCapabilities struct {
	ACP loose[map[string]jsontext.Value] `json:"acp"`
}

// loose is a T that is zero if the JSON is something else.
type loose[T any] struct{ v T }

func (l *loose[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var v T
	if json.Unmarshal(raw, &v, looseJSON) == nil {
		l.v = v
	}
	return nil
}

// yes is set by true alone.
type yes bool

func (y *yes) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	*y = yes(raw.Kind() == 't')
	return err
}

// present is set by anything but null and false.
type present bool

func (p *present) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	*p = present(raw.Kind() != 'n' && raw.Kind() != 'f')
	return err
}

// client is what an editor can do. It does not change after initialize.
type client struct {
	name                string
	encoding            position.Encoding
	acp                 map[string]bool
	applyEdit           bool
	documentChanges     bool
	configuration       bool
	dynamicSettings     bool
	watchesFiles        bool
	fileOperations      bool
	workDoneProgress    bool
	asks                bool // answers window/showMessageRequest
	codeLensRefresh     bool
	showDocument        bool
	textDocumentContent bool
	markdown            bool
}

// answering are editors that answer window/showMessageRequest and do not say so.
var answering = []string{"Emacs"}

func newClient(p *initializeParams) client {
	caps := p.Capabilities.v
	window, workspace := caps.Window.v, caps.Workspace.v
	c := client{
		name:                p.ClientInfo.v.Name.v,
		encoding:            position.UTF16,
		acp:                 map[string]bool{},
		applyEdit:           bool(workspace.ApplyEdit),
		documentChanges:     bool(workspace.WorkspaceEdit.v.DocumentChanges),
		configuration:       bool(workspace.Configuration),
		dynamicSettings:     bool(workspace.DidChangeConfiguration.v.DynamicRegistration),
		workDoneProgress:    bool(window.WorkDoneProgress),
		showDocument:        bool(window.ShowDocument.v.Support),
		codeLensRefresh:     bool(workspace.CodeLens.v.RefreshSupport),
		textDocumentContent: bool(workspace.TextDocumentContent),
		markdown:            slices.Contains(caps.TextDocument.v.Hover.v.ContentFormat.v, "markdown"),
	}
	c.fileOperations = bool(workspace.FileOperations)
	c.watchesFiles = bool(workspace.DidChangeWatchedFiles.v.DynamicRegistration) && !c.isNeovim()
	c.asks = bool(window.ShowMessage) || slices.Contains(answering, c.name)
	if slices.Contains(caps.General.v.PositionEncodings.v, position.UTF8.String()) {
		c.encoding = position.UTF8
	}
	if c.isNeovim() {
		c.encoding |= position.LFRows
		c.documentChanges = true // which it takes and does not say
	}
	for name, value := range caps.Experimental.v.ACP.v {
		if value.Kind() == 't' {
			c.acp[name] = true
		}
	}
	return c
}

// isNeovim: what Neovim does beside the letter of LSP is in testdata of package
// review (lone-cr, agent-stale-at-open).
func (c client) isNeovim() bool { return c.name == "Neovim" }
