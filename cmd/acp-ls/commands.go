package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"acp-ls/internal/config"
	"acp-ls/internal/demo"
	"acp-ls/internal/session"
)

const description = `Puts agents of the Agent Client Protocol (Claude, Codex, Gemini, OpenCode, ...) into any editor that speaks LSP.

Editors start "acp-ls" without arguments. The commands are for people.`

// commands are the program's arguments.
func commands() *command {
	var serve serveCmd
	var doctor doctorCmd
	var purge storePurgeCmd
	demo := demoAgentCmd{Pace: 15 * time.Millisecond}
	return &command{name: "acp-ls", help: description, examples: examples, parts: []*command{
		{
			name: "serve", within: "acp-ls", run: serve.run,
			help: "Serve one editor on standard input and output. This is what editors run, and what is done without a command.",
			options: []option{
				{name: "log", value: "FILE", text: &serve.Log, help: "Append the log to this file (default: standard error)."},
				{name: "debug", on: &serve.Debug, help: "Log more, among other things what agents said that was no message."},
				{name: "no-journal", on: &serve.NoJournal, help: "Keep nothing of undecided changes for the next start: they end with the program."},
				{name: "stdio", on: &serve.Stdio, help: "Accepted because many editors give it; standard input and output are all there is."},
			},
		},
		{name: "agents", within: "acp-ls", run: listAgents, help: "List the agents, and how to install those that are missing."},
		{
			name: "doctor", within: "acp-ls", run: doctor.run,
			help:    "Start an agent and say what it can do, or what is wrong.",
			operand: &operand{name: "agent", text: &doctor.Agent, help: "The agent; the default agent if none is named."},
			examples: `Examples:
  acp-ls doctor            the default agent
  acp-ls doctor opencode   another
`,
		},
		{
			name: "demo-agent", within: "acp-ls", run: demo.run,
			help:    "Be the built-in demonstration agent (ACP on standard input and output).",
			options: []option{{name: "pace", value: demo.Pace.String(), time: &demo.Pace, help: "Time between two pieces of an answer."}},
			examples: `Examples:
  acp-ls demo-agent             with the pace of a model
  acp-ls demo-agent --pace=0s   at once, for tests
`,
		},
		{name: "mcp", within: "acp-ls", hidden: true, run: relayTools, help: "Bring the editor's tools to an agent. Agents start it."},
		{name: "store", within: "acp-ls", help: "Show, or clean up, what is kept of undecided changes for the next start.", parts: []*command{
			{name: "list", within: "acp-ls store", run: listStored, help: "List what is undecided, by workspace."},
			{
				name: "purge", within: "acp-ls store", run: purge.run,
				help:    "Remove journals in which nothing is undecided any more, or nothing younger than 90 days.",
				options: []option{{name: "all", on: &purge.All, help: "Remove also what is undecided, and what could not be read. The files themselves stay as they are."}},
			},
		}},
		{name: "version", within: "acp-ls", run: printVersion, help: "Print the version."},
	}}
}

// examples are shown below the help.
const examples = `Examples:
  acp-ls agents                         what there is, and what is the default
  acp-ls doctor                         is the default agent well?
  acp-ls doctor claude                  is this one?
  acp-ls --debug --log=/tmp/acp-ls.log  serve an editor, with a log of what happens

Settings are read from the file acp-ls/config.json in the user's configuration
directory (on Linux ~/.config), which may have comments, and from the editor. As in:
  { "defaultAgent": "claude", "agents": { "claude": { "env": { "KEY": "value" } } } }
`

func printVersion(p *program) error {
	_, err := fmt.Fprintln(p.stdout, "acp-ls", version)
	return err
}

type demoAgentCmd struct{ Pace time.Duration }

func (c *demoAgentCmd) run(p *program) error {
	return demo.Serve(p.ctx, io.NopCloser(p.stdin), nopCloser{p.stdout}, demo.Options{Pace: c.Pace, Version: version})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func listAgents(p *program) error {
	st, _, err := userSettings(p.stderr)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	catalog := launcher(func() *config.Settings { return st }, nil).Catalog()
	for _, a := range catalog {
		state := "missing"
		if a.Installed {
			state = "installed"
		}
		mark := " "
		if a.Name == st.DefaultAgent {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\n", mark, a.Name, a.Title, state, a.How)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := defaultAgentKnown(st, catalog); err != nil {
		fmt.Fprintln(p.stderr, "acp-ls:", err)
	}
	_, err = fmt.Fprintf(p.stdout, "\n* is the default; the setting defaultAgent names another.\n")
	return err
}

// defaultAgentKnown is an error if the user's default agent is none.
func defaultAgentKnown(st *config.Settings, catalog []session.AgentEntry) error {
	if slices.ContainsFunc(catalog, func(a session.AgentEntry) bool { return a.Name == st.DefaultAgent }) {
		return nil
	}
	return session.UnknownAgent(st.DefaultAgent, "the setting defaultAgent names", catalog)
}

type doctorCmd struct{ Agent string }

func (c *doctorCmd) run(p *program) error {
	st, problems, err := userSettings(p.stderr)
	if err != nil {
		return err
	}
	l := launcher(func() *config.Settings { return st }, nil)
	name := c.Agent
	if name == "" {
		name = st.DefaultAgent
		if err := defaultAgentKnown(st, l.Catalog()); err != nil {
			return err
		}
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "starting agent %s ...\n", name)
	began := time.Now()
	a, err := l.Start(p.ctx, name, cwd, doctorHost{})
	if err != nil {
		return err
	}
	defer closeAgent(a)
	i := a.Info()
	fmt.Fprintf(p.stdout, "it answered in %s: %s %s\n", time.Since(began).Round(time.Millisecond), cmp.Or(i.Title, i.Name, name), i.Version)
	for _, f := range []struct {
		can  bool
		what string
	}{
		{i.EmbeddedContext, "takes text along with a prompt"}, {i.Image, "takes images"}, {i.LoadSession, "can load stored sessions"},
		{i.List, "lists stored sessions"}, {i.Fork, "can fork sessions"},
	} {
		mark := "no"
		if f.can {
			mark = "yes"
		}
		fmt.Fprintf(p.stdout, "  %-3s  %s\n", mark, f.what)
	}
	for _, m := range i.AuthMethods {
		fmt.Fprintf(p.stdout, "  login: %s (%s)\n", m.Name, m.ID)
	}
	s, err := a.NewSession(p.ctx, session.SessionParams{Cwd: cwd})
	if err != nil {
		return fmt.Errorf("agent %s runs, but opens no session: %w", name, err)
	}
	fmt.Fprintln(p.stdout, "a session could be opened")
	for _, o := range s.Options {
		fmt.Fprintf(p.stdout, "  option %s = %v\n", o.ID, o.Value)
	}
	if problems > 0 {
		return fmt.Errorf("the agent works, but the settings are not all understood: see above (%d)", problems)
	}
	fmt.Fprintln(p.stdout, "all is well")
	return nil
}

func closeAgent(a session.Agent) {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	_ = a.Close(ctx)
}

// doctorHost is a host that offers an agent nothing: doctor runs no turn.
type doctorHost struct{ session.Host }

func (doctorHost) Update(string, session.Update)                 {}
func (doctorHost) TerminalOutput(string, session.TerminalOutput) {}
func (doctorHost) Trace(string, string)                          {}

var errNoTurn = errors.New("acp-ls doctor runs no turn")

func (doctorHost) RequestPermission(context.Context, string, session.PermissionRequest) (session.PermissionOutcome, error) {
	return session.PermissionOutcome{}, errNoTurn
}

func (doctorHost) ReadTextFile(context.Context, string, string, *uint32, *uint32) (string, error) {
	return "", errNoTurn
}
func (doctorHost) WriteTextFile(context.Context, string, string, string) error { return errNoTurn }
func (doctorHost) AllowTerminal(context.Context, string, session.Program) (string, error) {
	return "", errNoTurn
}
func (doctorHost) TerminalCreated(string, string, session.Program) {}

func (doctorHost) Elicit(context.Context, string, session.Form) (session.FormAnswer, error) {
	return session.FormAnswer{}, errNoTurn
}

// userSettings are those of the user's file; what is wrong in it is said, and counted.
func userSettings(stderr io.Writer) (st *config.Settings, problems int, err error) {
	layer, err := userLayer()
	if err != nil {
		return nil, 0, err
	}
	st, found := config.Load(layer)
	for _, pr := range found {
		fmt.Fprintln(stderr, "acp-ls:", pr.Error())
	}
	return st, len(found), nil
}

func userLayer() (config.Layer, error) {
	path, err := config.UserFile()
	if err != nil {
		return config.Layer{}, err
	}
	return config.FileLayer(path)
}
