package acpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"acp-ls/acpclient/proc"
	"acp-ls/acpclient/wire"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// Launcher starts agents. It implements [session.Launcher].
type Launcher struct {
	settings func() *config.Settings
	self     string // this program, for the demonstration agent
	version  string
	log      *slog.Logger

	// terminals counts those of all agents: one that was started anew goes on with sessions
	// whose tool calls show terminals of the process before it.
	terminals atomic.Int64

	// InitializeWait is how long an agent may take to answer initialize; npx
	// may have to fetch it first. It is not changed once an agent was started.
	InitializeWait time.Duration
}

var _ session.Launcher = (*Launcher)(nil)

// NewLauncher returns a launcher. self is the path of this program and version
// what it tells agents it is.
func NewLauncher(settings func() *config.Settings, self, version string, log *slog.Logger) *Launcher {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Launcher{settings: settings, self: self, version: version, log: log, InitializeWait: 90 * time.Second}
}

// Start runs the agent and initializes it. Every error is a message a user can
// act on.
func (l *Launcher) Start(ctx context.Context, name, cwd string, host session.Host) (session.Agent, error) {
	k, set, ok := l.entryOf(name)
	switch {
	case !ok:
		return nil, session.UnknownAgent(name, "", l.Catalog())
	case set.URL != "":
		return nil, session.Errorf(session.KindInvalid, "agent %s: agents at a url cannot be used yet; set its command", name)
	case k.command == "":
		return nil, session.Errorf(session.KindInvalid, "agent %s has no command: set agents.%s.command", name, name)
	}
	if st, err := os.Stat(cwd); cwd != "" && (err != nil || !st.IsDir()) {
		return nil, session.Errorf(session.KindInvalid, "folder %s does not exist", cwd)
	}
	cmd := proc.Command{Path: k.command, Args: k.args, Dir: cwd, Stdin: true, AddEnv: map[string]string{},
		StderrLine: func(line string) { l.log.Info("agent stderr", "agent", name, "line", line) }}
	for key, value := range set.Env {
		if value == nil {
			cmd.RemoveEnv = append(cmd.RemoveEnv, key)
		} else {
			cmd.AddEnv[key] = *value
		}
	}
	p, err := proc.Start(cmd)
	if err != nil {
		return nil, notStarted(name, k, set, err)
	}

	a := &agent{name: name, host: host, process: p, configured: set, done: make(chan struct{}), modes: map[string]bool{}}
	a.closing, a.stop = context.WithCancel(context.Background())
	a.terminals = newTerminals(&l.terminals, host.TerminalOutput)
	opt := wire.StreamOptions{MaxLine: l.settings().Limits.Message << 20, Report: func(r wire.Report) { host.Trace(name, r.String()) }}
	if l.settings().Trace == config.TraceMessages {
		opt.Trace = func(out bool, line []byte) {
			dir := "<-"
			if out {
				dir = "->"
			}
			l.log.Info("acp", "agent", name, "dir", dir, "line", string(wire.Redact(line)))
		}
	}
	a.conn = wire.NewConn(p.Stdout, p.Stdin, opt)
	a.conn.Start(&handler{a: a})
	go a.watch()

	if err := l.initialize(ctx, a, cmd); err != nil {
		_ = a.Close(context.Background())
		return nil, err
	}
	return a, nil
}

// initialize agrees on the protocol (ACP initialization).
func (l *Launcher) initialize(ctx context.Context, a *agent, cmd proc.Command) error {
	began := time.Now()
	waiting, cancel := context.WithTimeout(ctx, l.InitializeWait)
	defer cancel()
	yes := &wire.Capability{}
	req := wire.InitializeRequest{
		ProtocolVersion: wire.ProtocolVersion,
		ClientInfo:      &wire.Implementation{Name: "acp-ls", Title: "acp-ls", Version: l.version},
		ClientCapabilities: wire.ClientCapabilities{
			FS:       wire.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
			Terminal: l.settings().Terminal,
			Session: &wire.ClientSessionCapabilities{
				ConfigOptions: &wire.ConfigOptionsCapabilities{Boolean: yes},
				Notices:       yes, Compaction: yes,
			},
			Auth:        &wire.ClientAuthCapabilities{Terminal: true},
			Elicitation: &wire.ElicitationCapabilities{Form: yes},
		},
	}
	res, err := wire.Call[wire.InitializeResponse](waiting, a.conn, wire.MethodInitialize, req)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case waiting.Err() != nil:
		return session.Errorf(session.KindAgentFailed,
			"agent %s did not answer in %s: is %q an ACP agent, and does it need a flag such as --acp?%s",
			a.name, time.Since(began).Round(time.Second), strings.Join(append([]string{cmd.Path}, cmd.Args...), " "),
			said(a.process.StderrTail()))
	case wire.ErrorCode(err) == 0:
		// It could not be written to: mostly the agent is gone, and why is to be
		// told rather than that.
		_ = a.process.Stop(ctx)
		<-a.done
		if gone := a.Err(); gone != nil {
			return gone
		}
		return a.fromWireError(err)
	default:
		return a.fromWireError(err)
	}
	if res.ProtocolVersion != wire.ProtocolVersion {
		return session.Errorf(session.KindAgentFailed,
			"agent %s speaks version %d of the Agent Client Protocol and acp-ls version %d: use a version of the agent that knows %d",
			a.name, res.ProtocolVersion, wire.ProtocolVersion, wire.ProtocolVersion)
	}
	reported := ""
	if res.AgentInfo != nil {
		reported = res.AgentInfo.Name
	}
	a.info = describe(a.name, res, quirksOf(reported, cmd.Path), cmd)
	return nil
}

// notStarted says why an agent's program does not run, and how to get it.
func notStarted(name string, k known, set config.Agent, err error) error {
	var missing *proc.NotFoundError
	switch {
	case !errors.As(err, &missing) || k.install == "":
		return session.Errorf(session.KindAgentFailed, "agent %s could not be started: %w", name, err)
	case set.Command != "":
		return session.Errorf(session.KindAgentFailed, "agent %s could not be started: %w (agents.%s.command; without that setting %s is run: %s)",
			name, err, name, catalog[name].command, k.install)
	}
	return session.Errorf(session.KindAgentFailed, "agent %s is not installed: there is no program %q. To install it: %s", name, k.command, k.install)
}

func said(stderr string) string {
	if tail := lastLines(stderr, 12); tail != "" {
		return fmt.Sprintf(" It last said:\n%s", tail)
	}
	return ""
}
