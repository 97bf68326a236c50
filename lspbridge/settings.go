package lspbridge

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// editorSettings are the layers an editor has given.
type editorSettings struct {
	// pulled is closed when the editor has told its settings, or has been waited
	// for long enough; nil if it is not asked. Written on the read loop.
	pulled chan struct{}

	mu      sync.Mutex // also keeps configure and what it calls in order
	initial *config.Layer
	section *config.Layer
	shown   map[string]bool // problems that were shown already
	wrong   []string        // what is wrong with the settings in force, and unknown in them
}

// problems are what is wrong with the settings in force, a line each.
func (s *editorSettings) problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrong
}

func (s *editorSettings) setInitial(l config.Layer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initial = &l
}

func (s *editorSettings) setSection(l *config.Layer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.section = l
}

// configure puts in force what the editor has said, and shows what is wrong.
func (e *editor) configure() {
	if e.opts.Configure == nil {
		return
	}
	s := &e.settings
	s.mu.Lock()
	lenses := e.opts.Settings().Review.CodeLens
	var layers []config.Layer
	for _, l := range []*config.Layer{s.initial, s.section} {
		if l != nil {
			layers = append(layers, *l)
		}
	}
	var wrong, all []string
	problems := e.opts.Configure(layers...)
	slices.SortStableFunc(problems, func(a, b config.Problem) int { return protects(b) - protects(a) })
	for _, p := range problems {
		if !slices.Contains(all, p.Error()) { // both layers may say the same
			all = append(all, p.Error())
		}
		if p.Warning {
			e.log.Warn("settings", "problem", p.Error())
			if p.Source != config.Editor { // a file may be of another release, and is read by each
				continue
			}
		}
		if !s.shown[p.Error()] {
			wrong = append(wrong, p.Error())
			if s.shown == nil {
				s.shown = map[string]bool{}
			}
			s.shown[p.Error()] = true
		}
	}
	s.wrong = all
	s.mu.Unlock()
	if len(wrong) > 0 {
		e.ShowMessage(session.LevelWarning, "Settings: "+strings.Join(wrong, "; "))
	}
	e.core.SettingsChanged()
	if e.opts.Settings().Review.CodeLens != lenses {
		e.lenses.refresh(e)
	}
}

// protects is 1 for a problem by which a user may be less safe than they think: it is said first,
// as editors cut what is long.
func protects(p config.Problem) int {
	if p.Key == "permissions" || strings.HasPrefix(p.Key, "files.") {
		return 1
	}
	return 0
}

type configurationParams struct {
	Items []configurationItem `json:"items"`
}

type configurationItem struct {
	Section string `json:"section"`
}

// pullSettings asks the editor for the section acp.
func (e *editor) pullSettings() {
	var answer []jsontext.Value
	err := e.call(e.ctx, protocol.MethodWorkspaceConfiguration, configurationParams{[]configurationItem{{"acp"}}}, &answer)
	if err != nil || len(answer) == 0 {
		if err != nil && !errors.Is(err, errGone) {
			e.log.Warn("settings: the editor did not answer", "error", err)
		}
		return
	}
	var section *config.Layer
	if !isNull(answer[0]) {
		l := config.EditorLayer(answer[0])
		section = &l
	}
	e.settings.setSection(section)
	e.configure()
}

func (e *editor) registerSettings() {
	err := e.call(e.ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{
		Registrations: []protocol.Registration{{
			ID: "acp-settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: protocol.LSPAny(`{"section":"acp"}`),
		}},
	}, nil)
	if err != nil && !errors.Is(err, errGone) {
		e.log.Warn("settings: the editor will not tell of changes", "error", err)
	}
}

type didChangeConfigurationParams struct {
	Settings jsontext.Value `json:"settings"`
}

// didChangeConfiguration takes the settings that were sent, or asks for them if
// the editor can be asked (LSP's pull model, in which what is sent means nothing).
func (e *editor) didChangeConfiguration(p *didChangeConfigurationParams) error {
	if e.client.configuration {
		e.spawn(e.pullSettings)
		return nil
	}
	var section *config.Layer
	if raw, ok := acpSection(p.Settings); ok {
		l := config.EditorLayer(raw)
		section = &l
	}
	e.settings.setSection(section)
	e.spawn(e.configure)
	return nil
}

// acpSection finds our section in settings that may hold those of others.
func acpSection(settings jsontext.Value) (jsontext.Value, bool) {
	if isNull(settings) {
		return nil, false
	}
	var all struct {
		ACP jsontext.Value `json:"acp"`
	}
	if decode(jsonrpc2.RawMessage(settings), &all) == nil && !isNull(all.ACP) {
		return all.ACP, true
	}
	return settings.Clone(), true
}
