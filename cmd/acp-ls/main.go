// Command acp-ls is a language server that puts agents of the Agent Client
// Protocol into any editor that speaks LSP. It only builds the parts and
// connects them; see docs/architecture.md for what they are.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"acp-ls/acpclient/proc"
)

const unknownVersion = "unknown"

// version is set when the program is built (Makefile); else it is what Go has noted.
var version = unknownVersion

func main() {
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		os.Exit(proc.GuardMain(os.Args[2:])) // before anything else: see GuardMain
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		version = versionOf(version, info)
	}
	signal.Ignore(syscall.SIGPIPE) // an editor that is gone is noticed by the write
	// An editor that closes its window sends SIGHUP, or just goes away.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// versionOf is the version that was set or, if none was, the one that Go has made of the
// commit. It makes none without git, nor if it is told not to look (-buildvcs=false).
func versionOf(set string, info *debug.BuildInfo) string {
	if v := info.Main.Version; set == unknownVersion && v != "" && v != "(devel)" {
		return v
	}
	return set
}

// program is what a command gets of the world.
type program struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	understood bool // what the arguments say
}

// run does what the arguments say and returns the exit code: 1 for a failure, 2
// for arguments that make no sense.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}
	root := commands(p)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	var code exitCode
	switch {
	case errors.As(err, &code):
		return int(code)
	case err != nil && !p.understood:
		fmt.Fprintf(stderr, "acp-ls: %v\nTry `%s --help`.\n", err, c.CommandPath())
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "acp-ls: %v\n", err)
		return 1
	}
	return 0
}

// exitCode is an error that has said all it has to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }
