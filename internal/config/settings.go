package config

import "acp-ls/internal/policy"

// Settings is everything a user can set, complete: what nobody set has its
// default. A *Settings is immutable; nothing it refers to may be changed.
type Settings struct {
	DefaultAgent string
	// Agents holds what the user said of each agent, to be merged over the
	// built-in catalogue, which belongs to package acpclient.
	Agents      map[string]Agent
	MCPServers  []MCPServer // for every session
	EditorTools bool        // offer our own MCP server
	Review      Review
	Permissions []policy.Rule // the first that matches decides
	Files       Files
	Terminal    bool // offer agents terminals
	Limits      Limits
	Trace       Trace
}

// Agent is what the user set of one agent. Empty members are not set.
type Agent struct {
	Command string
	Args    []string           // nil: not set; empty: none
	Env     map[string]*string // nil value: removed from the environment
	// AuthMethod is the id of the login method to use without asking.
	AuthMethod string
	Options    map[string]any // options of a new session: string or bool
	URL        string         // ws, wss, http or https; instead of Command
}

// MCPServer is an MCP server in ACP's own shape: http and sse servers have a
// URL and headers, one without a type is a program that speaks on stdio.
type MCPServer struct {
	Type    string // "", "http" or "sse"
	Name    string
	Command string
	Args    []string
	Env     []NameValue
	URL     string
	Headers []NameValue
}

// NameValue is an environment variable or a header.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Review says how changes are reviewed and shown in plain LSP.
type Review struct {
	Mode        ReviewMode
	CodeLens    bool
	Diagnostics bool
	Tell        bool // say with the next prompt what was rejected and what the user changed
	OutOfBand   bool // look for changes agents make behind the editor's back
}

// Before says that a change waits for the user before it lands.
func (r Review) Before() bool { return r.Mode == ReviewBefore }

// Files says what agents may do with files.
type Files struct {
	Outside Outside
	Save    Save
	Dirty   Dirty
}

// Limits bound what is taken from others.
type Limits struct {
	Message int // the longest message of an agent, in MiB
}

// ReviewMode says whether a change is reviewed after or before it lands.
type ReviewMode string

const (
	ReviewAfter  ReviewMode = "after"
	ReviewBefore ReviewMode = "before"
)

// Outside says what happens to files outside a session's roots.
type Outside string

const (
	OutsideAsk   Outside = "ask"
	OutsideAllow Outside = "allow"
	OutsideDeny  Outside = "deny"
)

// Save says which documents are saved after an agent wrote them.
type Save string

const (
	SaveClean  Save = "clean" // those that were clean before
	SaveAlways Save = "always"
	SaveNever  Save = "never"
)

// Dirty says what a prompt does about unsaved documents that an agent may read
// from the disk.
type Dirty string

const (
	DirtyEmbed  Dirty = "embed"
	DirtySave   Dirty = "save"
	DirtyIgnore Dirty = "ignore"
)

// Trace says what of the traffic with agents is logged.
type Trace string

const (
	TraceOff      Trace = "off"
	TraceMessages Trace = "messages"
)

// Default returns the settings of a user who has set nothing.
func Default() *Settings {
	return &Settings{
		DefaultAgent: "demo",
		Agents:       map[string]Agent{},
		EditorTools:  true,
		Review:       Review{Mode: ReviewAfter, CodeLens: true, Diagnostics: true, OutOfBand: true, Tell: true},
		Files:        Files{Outside: OutsideAsk, Save: SaveClean, Dirty: DirtyEmbed},
		Terminal:     true,
		Limits:       Limits{Message: 64},
		Trace:        TraceOff,
	}
}
