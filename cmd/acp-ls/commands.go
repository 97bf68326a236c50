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

// doctor starts the agent that is named, or else the default agent.
func doctor(p *program, name string) error {
	st, problems, err := userSettings(p.stderr)
	if err != nil {
		return err
	}
	l := launcher(func() *config.Settings { return st }, nil)
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
		{i.EmbeddedContext, "takes text along with a prompt"}, {i.Image, "takes images"}, {i.Reopens(), "can load stored sessions"},
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
