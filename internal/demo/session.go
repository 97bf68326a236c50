package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"acp-ls/acpclient/wire"
)

// The modes of a session: whether changes of files are asked about. Commands
// always are.
const (
	modeAsk  = "ask"
	modeAuto = "auto"

	optionMode = "mode"
)

// session is one conversation.
type session struct {
	id, cwd string

	mu      sync.Mutex // guards what follows
	mode    string
	edits   bool            // all edits of this session are allowed
	allowed map[string]bool // command lines that are
	cancel  context.CancelCauseFunc
	focus   []target // what the last turn was about
	tools   int      // tool calls so far
}

func (s *session) nextTool() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools++
	return s.tools
}

var errCancelled = errors.New("turn cancelled")

// beginTurn returns the context of a turn, which ends when the client cancels
// the turn or goes away.
func (s *session) beginTurn(ctx context.Context) (context.Context, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return nil, nil, wire.NewError(wire.CodeInvalidRequest, "a turn of this session is still running: cancel it or wait for its end")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.cancel = cancel
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cancel = nil
		cancel(nil)
	}, nil
}

func (s *session) cancelTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(errCancelled)
	}
}

func (s *session) setMode(mode string) error {
	if mode != modeAsk && mode != modeAuto {
		return wire.NewError(wire.CodeInvalidParams, fmt.Sprintf("there is no mode %q: it is %q or %q", mode, modeAsk, modeAuto))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
	if mode == modeAsk {
		s.edits = false // who goes back to being asked wants to be asked
	}
	return nil
}

func (s *session) asksForEdits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode == modeAsk && !s.edits
}

func (s *session) allowEdits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edits = true
}

func (s *session) commandAllowed(line string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed[line]
}

func (s *session) allowCommand(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed[line] = true
}

func (s *session) lastFocus() []target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.focus
}

func (s *session) setFocus(targets []target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.focus = targets
}

// options are the settings a client can show; the older modes say the same to
// clients that know only those.
func (s *session) options() []wire.ConfigOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []wire.ConfigOption{{
		Type: wire.ConfigSelect, ID: optionMode, Name: "Mode", Category: "mode", Current: s.mode,
		Description: "Whether changes of files are asked about. Commands always are.",
		Choices: []wire.ConfigGroup{{Choices: []wire.ConfigChoice{
			{Value: modeAsk, Name: "Ask", Description: "Ask before changing a file"},
			{Value: modeAuto, Name: "Auto", Description: "Change files without asking"},
		}}},
	}}
}

func (s *session) modes() *wire.SessionModes {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &wire.SessionModes{CurrentModeID: s.mode, AvailableModes: []wire.SessionMode{
		{ID: modeAsk, Name: "Ask", Description: "Ask before changing a file"},
		{ID: modeAuto, Name: "Auto", Description: "Change files without asking"},
	}}
}
