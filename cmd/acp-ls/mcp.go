package main

import (
	"log/slog"
	"os"

	"acp-ls/internal/mcp"
)

// relayTools is what agents start to reach the tools of the editor.
func relayTools(p *program) error {
	return mcp.Relay(p.ctx, p.stdin, p.stdout, os.Getenv)
}

// editorTools serves the tools to the sessions of one acp-ls.
func editorTools(log *slog.Logger) *mcp.Server {
	return mcp.NewServer(mcp.Options{Command: self(), Args: []string{"mcp"}, Version: version, Log: log})
}

// self is the path of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
