package session

import (
	"context"
	"fmt"
	"strings"
)

// Launcher starts agents. Package acpclient implements it.
type Launcher interface {
	// Catalog lists the agents that can be named, configured and built in.
	Catalog() []AgentEntry
	// Start runs the agent of that name and initializes it. The returned agent
	// calls host until its Done channel is closed. Errors are messages a user
	// can act on (*Error with KindUnknownAgent, KindAgentFailed, KindAuthRequired).
	Start(ctx context.Context, name, cwd string, host Host) (Agent, error)
}

// AgentEntry is one line of the catalog.
type AgentEntry struct {
	Name      string `json:"name"`
	Title     string `json:"title,omitempty"`
	Installed bool   `json:"installed"`
	How       string `json:"how"` // the command, or how to install it
	Running   bool   `json:"running"`
	Default   bool   `json:"default,omitempty"` // of sessions that name none
	// Methods are its ways to log in, to choose from. Known of one that runs.
	Methods []LoginMethod `json:"methods,omitempty"`
}

// LoginMethod is an [AuthMethod] as the user sees it.
type LoginMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// AgentInfo is what a running agent said of itself at initialize.
type AgentInfo struct {
	Name, Title, Version string
	LoadSession          bool
	Resume, List, Close  bool
	Delete, Fork         bool
	Image, Audio         bool
	MoreRoots            bool // it can work in more than one folder
	EmbeddedContext      bool
	AuthMethods          []AuthMethod
	// MissingReadsEmpty: a missing file must read as empty text, not as an
	// error (a quirk; see acpclient's table).
	MissingReadsEmpty bool
	// MirrorsWrites: what it writes through us it writes to the disk as well, and
	// waits for no answer (a quirk).
	MirrorsWrites bool
}

// Reopens reports whether the agent can take up a session that it has stored: by session/load, or at
// least by session/resume, which tells nothing of what was said before.
func (i AgentInfo) Reopens() bool { return i.LoadSession || i.Resume }

// AuthMethod is one way to log in. Terminal methods run Command in a terminal.
type AuthMethod struct {
	ID, Name, Description string
	Terminal              *RunRequest
}

// Login finds a login method of the agent, the only one if none is named. by says who
// has named it, if that was not the user just now.
func (i AgentInfo) Login(method, by string) (AuthMethod, error) {
	names := make([]string, len(i.AuthMethods))
	for n, m := range i.AuthMethods {
		if names[n] = fmt.Sprintf("%s (%s)", m.Name, m.ID); m.ID == method {
			return m, nil
		}
	}
	all := strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		return AuthMethod{}, Errorf(KindInvalid, "agent %s offers no way to log in", i.Name)
	case method != "":
		return AuthMethod{}, Errorf(KindInvalid, "agent %s has no login method %q%s; it has %s", i.Name, method, by, all)
	case len(names) > 1: // which account is used is not ours to choose
		return AuthMethod{}, Errorf(KindInvalid, "agent %s has several login methods: name one, or set agents.%s.authMethod to its id: %s", i.Name, i.Name, all)
	}
	return i.AuthMethods[0], nil
}

// methods are the ways to log in that a user can choose from.
func (i AgentInfo) methods() []LoginMethod {
	var all []LoginMethod
	for _, m := range i.AuthMethods {
		all = append(all, LoginMethod{m.ID, m.Name, m.Description})
	}
	return all
}

// Agent is a running agent. All methods may be called from any goroutine and
// return when the agent answered, died, or ctx ended. SessionID is the agent's.
type Agent interface {
	Info() AgentInfo
	NewSession(ctx context.Context, p SessionParams) (SessionState, error)
	// LoadSession takes up a stored session, as [AgentInfo.Reopens] says.
	LoadSession(ctx context.Context, sessionID string, p SessionParams) (SessionState, error)
	ListSessions(ctx context.Context, cwd string) ([]RemoteSession, error)
	// CloseSession ends what runs in a session's terminals, and tells the agent, if
	// it wants to know.
	CloseSession(ctx context.Context, sessionID string) error
	DeleteSession(ctx context.Context, sessionID string) error
	ForkSession(ctx context.Context, sessionID string, p SessionParams) (SessionState, error)
	// Prompt runs one turn. It returns after every update of the turn has been
	// handed to the host. Cancelling ctx gives up waiting and does not cancel
	// the turn: use Cancel for that.
	Prompt(ctx context.Context, sessionID string, blocks []Block) (StopReason, error)
	Cancel(sessionID string) error
	// SetOption returns the options as they are then; nil: the others are as before.
	SetOption(ctx context.Context, sessionID, option string, value any) ([]Option, error)
	Authenticate(ctx context.Context, method string) error
	Logout(ctx context.Context) error
	// Done is closed when the agent is gone; Err then says why, with the tail
	// of its stderr, or nil after Close.
	Done() <-chan struct{}
	Err() error
	// Close ends the process and everything it started.
	Close(ctx context.Context) error
}

// SessionParams are the parameters of a new, loaded or forked session. Cwd and
// the roots are absolute paths.
type SessionParams struct {
	Cwd        string
	MoreRoots  []string
	MCPServers []MCPServer
}

// MCPServer is an MCP server for the agent to use, in ACP's own shape.
type MCPServer struct {
	Type    string // "", "http" or "sse"
	Name    string
	Command string
	Args    []string
	Env     []NameValue
	URL     string
	Headers []NameValue
}

// NameValue is one environment variable or header.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SessionState is what the agent answered to a new, loaded or forked session.
type SessionState struct {
	SessionID string
	Options   []Option
}

// RemoteSession is a session the agent has stored.
type RemoteSession struct {
	SessionID, Cwd, Title, UpdatedAt string
}

// StopReason says why a turn ended: end_turn, max_tokens, max_turn_requests,
// refusal, cancelled, or another word of a newer agent.
type StopReason string

// StopCancelled ends a turn that was cancelled.
const StopCancelled StopReason = "cancelled"

// Block is one piece of a prompt or of a message. Type is text, image, audio,
// link or resource.
type Block struct {
	Type     string
	Text     string // text; or the text of an embedded resource
	Data     string // image, audio, binary resource: base64
	MimeType string
	URI      string // link, resource, image
	Name     string // link
	Title    string
}

// Host is what a running agent may ask of the core. Update is called in wire
// order and must not wait for anything; the others may block, each on its own
// goroutine, started in wire order: what must keep that order they do before they
// call what [Ordered] put into their context. Errors are *Error where the kind
// matters.
type Host interface {
	Update(sessionID string, u Update)
	RequestPermission(ctx context.Context, sessionID string, r PermissionRequest) (PermissionOutcome, error)
	ReadTextFile(ctx context.Context, sessionID, path string, line, limit *uint32) (string, error)
	// WriteTextFile makes the writes of one file one after the other, in order.
	WriteTextFile(ctx context.Context, sessionID, path, content string) error
	// AllowTerminal is asked before a terminal is created: may this session run this
	// program here. It returns the directory to use, also where none was named.
	AllowTerminal(ctx context.Context, sessionID string, p Program) (dir string, err error)
	// TerminalCreated is called when it runs, perhaps after its first output.
	TerminalCreated(sessionID, terminal string, p Program)
	TerminalOutput(sessionID string, o TerminalOutput)
	Elicit(ctx context.Context, sessionID string, f Form) (FormAnswer, error)
	// Trace records one line about traffic that was skipped or odd.
	Trace(agent, line string)
}

// PermissionRequest is an agent's question (session/request_permission).
type PermissionRequest struct {
	ToolCall ToolPatch
	Options  []PermissionOption
}

// PermissionOption is one answer the agent offers. Kind is allow_once,
// allow_always, reject_once or reject_always, or another word.
type PermissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

// PermissionOutcome is the answer: an option, or Cancelled.
type PermissionOutcome struct {
	OptionID  string
	Cancelled bool
}

// Update is one session/update: ContentChunk, ToolPatch, PlanUpdate,
// CommandsUpdate, OptionsUpdate, ModeUpdate, InfoUpdate, UsageUpdate, Notice
// or Compaction. Variants the core does not know never get here.
type Update interface{ update() }

// ContentChunk is a piece of a message. Role is user, agent or thought. Chunks
// of one MessageID are one message; without one, consecutive chunks of one
// role are.
type ContentChunk struct {
	Role, MessageID string
	Content         Block
}

// ToolPatch inserts or changes a tool call; nil and empty members leave what
// was there, Content and Locations replace the whole list (ACP tool-calls).
type ToolPatch struct {
	ID        string
	Title     *string
	Name      *string
	Kind      *string
	Status    *string
	Content   *[]ToolContent
	Locations *[]Location
	RawInput  []byte // JSON
	RawOutput []byte // JSON
}

// PlanUpdate replaces the plan.
type PlanUpdate struct{ Items []PlanItem }

// CommandsUpdate replaces the agent's slash commands.
type CommandsUpdate struct{ Commands []Command }

// OptionsUpdate replaces the session's options.
type OptionsUpdate struct{ Options []Option }

// ModeUpdate tells of a changed mode where modes are no option of their own.
type ModeUpdate struct{ ModeID string }

// InfoUpdate changes the session's title; nil leaves it.
type InfoUpdate struct{ Title *string }

// UsageUpdate tells how full the context is.
type UsageUpdate struct{ Usage Usage }

// Notice is a message to the user. Severity is info, warning or error.
type Notice struct{ Severity, Title, Description string }

// Compaction tells that the agent shortens its context.
type Compaction struct{ ID, Status, Summary, Error string }

func (ContentChunk) update()   {}
func (ToolPatch) update()      {}
func (PlanUpdate) update()     {}
func (CommandsUpdate) update() {}
func (OptionsUpdate) update()  {}
func (ModeUpdate) update()     {}
func (InfoUpdate) update()     {}
func (UsageUpdate) update()    {}
func (Notice) update()         {}
func (Compaction) update()     {}
