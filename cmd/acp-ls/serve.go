package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"acp-ls/acpclient"
	"acp-ls/internal/config"
	"acp-ls/internal/review/journal"
	"acp-ls/internal/session"
	"acp-ls/lspbridge"
)

// closeWait bounds the goodbye to agents when the editor is gone.
const closeWait = 10 * time.Second

type serveCmd struct {
	Log                     string
	Debug, NoJournal, Stdio bool
}

func (c *serveCmd) run(p *program) error {
	out := p.stderr
	if c.Log != "" {
		var err error
		if c.Log, err = absolute(c.Log); err != nil {
			return err
		}
		f, err := os.OpenFile(c.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		out = f
	}
	level := slog.LevelInfo
	if c.Debug {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level}))

	user, err := userLayer()
	if err != nil {
		return err
	}
	settings, problems := config.Load(user)
	for _, pr := range problems {
		log.Warn("settings", "problem", pr.Error())
	}
	if f, ok := p.stdin.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintln(p.stderr, "acp-ls: waiting for an editor on standard input; `acp-ls --help` says more")
		}
	}
	var current atomic.Pointer[config.Settings]
	current.Store(settings)

	tools := editorTools(log)
	options := session.Options{Launcher: launcher(current.Load, log), Settings: current.Load, Log: log, EditorTools: tools}
	if state, err := journal.StateDir(); err == nil {
		options.Own = append(options.Own, state)
	}
	if c.Log != "" {
		options.Own = append(options.Own, c.Log)
	}
	if !c.NoJournal {
		options.Journal = openJournal
		if state, err := journal.StateDir(); err == nil {
			options.Board = journal.OpenBoard(state)
		}
	}
	core := session.New(options)
	err = lspbridge.Serve(p.ctx, stdio{p.stdin, p.stdout}, core, lspbridge.Options{
		Settings: current.Load,
		Configure: func(layers ...config.Layer) []config.Problem {
			st, problems := config.Load(append([]config.Layer{user}, layers...)...)
			current.Store(st)
			return problems
		},
		Log: log, Name: "acp-ls", Version: version,
	})
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	closeErr := errors.Join(tools.Close(), core.Close(ctx))
	if errors.Is(err, lspbridge.ErrNoShutdown) {
		return exitCode(1) // LSP wants it so, and nobody is there to read more
	}
	return errors.Join(err, closeErr)
}

// absolute is the absolute path of one that a user gave. An editor that starts programs
// without a shell leaves the ~ to us.
func absolute(path string) (string, error) {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(home, below)
	}
	return filepath.Abs(path)
}

// launcher starts agents; the demonstration agent is this very program.
func launcher(settings func() *config.Settings, log *slog.Logger) *acpclient.Launcher {
	return acpclient.NewLauncher(settings, self(), version, log)
}

type stdio struct {
	io.Reader
	io.Writer
}

// Close ends a Read that waits, where the input can be closed.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
