package wire

import "github.com/go-json-experiment/json/jsontext"

// Update is what an agent tells of a session while it works, the payload of the
// notification session/update. It is one of
//
//	*MessageChunk, *ToolCall, *ToolCallUpdate, *Plan, *AvailableCommands,
//	*CurrentMode, *ConfigOptions, *SessionInfoUpdate, *Usage, *Notice,
//	*Compaction, *CompactionChunk, *UnknownUpdate.
type Update interface {
	// UpdateKind returns the discriminator, the member sessionUpdate.
	UpdateKind() string
	update()
}

// The kinds of a [MessageChunk].
const (
	UserMessageChunk  = "user_message_chunk"
	AgentMessageChunk = "agent_message_chunk"
	AgentThoughtChunk = "agent_thought_chunk"
)

// MessageChunk is a piece of a message or of a thought. Chunks with the same
// MessageID belong to one message; the id may be absent.
type MessageChunk struct {
	Kind      string         `json:"sessionUpdate"`
	Content   ContentBlock   `json:"content"`
	MessageID string         `json:"messageId,omitzero"`
	Meta      jsontext.Value `json:"_meta,omitzero"`
	Extra     jsontext.Value `json:",embed"`
}

// What a tool call does, and how far it is. Agents may send others.
const (
	ToolRead       = "read"
	ToolEdit       = "edit"
	ToolDelete     = "delete"
	ToolMove       = "move"
	ToolSearch     = "search"
	ToolExecute    = "execute"
	ToolThink      = "think"
	ToolFetch      = "fetch"
	ToolSwitchMode = "switch_mode"
	ToolOther      = "other"

	ToolPending    = "pending"
	ToolInProgress = "in_progress"
	ToolCompleted  = "completed"
	ToolFailed     = "failed"
)

// ToolCall announces a tool call. Some agents send it twice for one id, some
// send only updates: both are an upsert.
type ToolCall struct {
	SessionUpdate string            `json:"sessionUpdate"`
	ToolCallID    string            `json:"toolCallId"`
	Title         string            `json:"title" acp:"tolerant"`
	Name          string            `json:"name,omitzero"`   // of the tool, for programs
	Kind          string            `json:"kind,omitzero"`   // "": ToolOther
	Status        string            `json:"status,omitzero"` // "": ToolPending
	Content       []ToolCallContent `json:"content,omitzero"`
	Locations     []Location        `json:"locations,omitzero"`
	RawInput      jsontext.Value    `json:"rawInput,omitzero"`
	RawOutput     jsontext.Value    `json:"rawOutput,omitzero"`
	Meta          jsontext.Value    `json:"_meta,omitzero"`
	Extra         jsontext.Value    `json:",embed"`
}

// Location is a place a tool call is about. Line is 1-based.
type Location struct {
	Path  string         `json:"path"`
	Line  *uint32        `json:"line,omitzero"`
	Meta  jsontext.Value `json:"_meta,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// ToolCallUpdate changes a tool call, or is the first that is heard of it. A nil
// or empty member means unchanged; Content and Locations that are not nil
// replace the whole list.
//
// In a permission request SessionUpdate is empty.
type ToolCallUpdate struct {
	SessionUpdate string            `json:"sessionUpdate,omitzero"`
	ToolCallID    string            `json:"toolCallId"`
	Title         *string           `json:"title,omitzero"`
	Name          *string           `json:"name,omitzero"`
	Kind          string            `json:"kind,omitzero"`
	Status        string            `json:"status,omitzero"`
	Content       []ToolCallContent `json:"content,omitzero"`
	Locations     []Location        `json:"locations,omitzero"`
	RawInput      jsontext.Value    `json:"rawInput,omitzero"`
	RawOutput     jsontext.Value    `json:"rawOutput,omitzero"`
	Meta          jsontext.Value    `json:"_meta,omitzero"`
	Extra         jsontext.Value    `json:",embed"`
}

// Plan is the whole of the agent's plan; it replaces the one before.
type Plan struct {
	SessionUpdate string         `json:"sessionUpdate"`
	Entries       []PlanEntry    `json:"entries" acp:"tolerant"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// PlanEntry is one step. Priority is "high", "medium" or "low"; Status
// "pending", "in_progress" or "completed".
type PlanEntry struct {
	Content  string         `json:"content"`
	Priority string         `json:"priority"`
	Status   string         `json:"status"`
	Meta     jsontext.Value `json:"_meta,omitzero"`
	Extra    jsontext.Value `json:",embed"`
}

// AvailableCommands is the complete list of the session's slash commands.
type AvailableCommands struct {
	SessionUpdate string         `json:"sessionUpdate"`
	Commands      []Command      `json:"availableCommands" acp:"tolerant"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// Command is a slash command; Name has no slash. Input nil: it takes none.
type Command struct {
	Name        string         `json:"name"`
	Description string         `json:"description" acp:"tolerant"`
	Input       *CommandInput  `json:"input,omitzero"`
	Meta        jsontext.Value `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// CommandInput says what may be typed after a command.
type CommandInput struct {
	Hint  string         `json:"hint"`
	Meta  jsontext.Value `json:"_meta,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// CurrentMode says that the session's mode is another now.
type CurrentMode struct {
	SessionUpdate string         `json:"sessionUpdate"`
	CurrentModeID string         `json:"currentModeId"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// ConfigOptions is the complete state of the session's config options.
type ConfigOptions struct {
	SessionUpdate string         `json:"sessionUpdate"`
	Options       []ConfigOption `json:"configOptions" acp:"tolerant"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// SessionInfoUpdate changes what is known of the session; null clears.
type SessionInfoUpdate struct {
	SessionUpdate string           `json:"sessionUpdate"`
	Title         Optional[string] `json:"title,omitzero"`
	UpdatedAt     Optional[string] `json:"updatedAt,omitzero"`
	Meta          jsontext.Value   `json:"_meta,omitzero"`
	Extra         jsontext.Value   `json:",embed"`
}

// Usage says how full the context window is, in tokens.
type Usage struct {
	SessionUpdate string         `json:"sessionUpdate"`
	Used          uint64         `json:"used"`
	Size          uint64         `json:"size"`
	Cost          *Cost          `json:"cost,omitzero"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// Cost is an amount of money; Currency is an ISO 4217 code.
type Cost struct {
	Amount   float64        `json:"amount"`
	Currency string         `json:"currency"`
	Extra    jsontext.Value `json:",embed"`
}

// Notice is something the user should see now; it is no part of the history.
// Severity is "info", "warning", "error" or another.
type Notice struct {
	SessionUpdate string         `json:"sessionUpdate"`
	Severity      string         `json:"severity"`
	Title         string         `json:"title"`
	Description   string         `json:"description,omitzero"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// Compaction is the state of a compaction of the context. Absent members keep
// what is known, null clears it.
type Compaction struct {
	SessionUpdate string                   `json:"sessionUpdate"`
	CompactionID  string                   `json:"compactionId"`
	Status        string                   `json:"status"`
	Summary       Optional[[]ContentBlock] `json:"summary,omitzero"`
	Error         Optional[string]         `json:"error,omitzero"`
	Meta          jsontext.Value           `json:"_meta,omitzero"`
	Extra         jsontext.Value           `json:",embed"`
}

// CompactionChunk is appended to the summary of a compaction.
type CompactionChunk struct {
	SessionUpdate string         `json:"sessionUpdate"`
	CompactionID  string         `json:"compactionId"`
	Content       ContentBlock   `json:"content"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// UnknownUpdate is an update of a kind this package does not know (Err is nil),
// or one of a known kind that could not be read.
type UnknownUpdate struct {
	Kind string
	Raw  jsontext.Value
	Err  error
}

// UpdateKind returns one of the three kinds of chunks.
func (u *MessageChunk) UpdateKind() string { return u.Kind }

// UpdateKind implements [Update].
func (u *ToolCall) UpdateKind() string { return kindToolCall }

// UpdateKind implements [Update].
func (u *ToolCallUpdate) UpdateKind() string { return kindToolCallUpdate }

// UpdateKind implements [Update].
func (u *Plan) UpdateKind() string { return kindPlan }

// UpdateKind implements [Update].
func (u *AvailableCommands) UpdateKind() string { return kindAvailableCommands }

// UpdateKind implements [Update].
func (u *CurrentMode) UpdateKind() string { return kindCurrentMode }

// UpdateKind implements [Update].
func (u *ConfigOptions) UpdateKind() string { return kindConfigOptions }

// UpdateKind implements [Update].
func (u *SessionInfoUpdate) UpdateKind() string { return kindSessionInfo }

// UpdateKind implements [Update].
func (u *Usage) UpdateKind() string { return kindUsage }

// UpdateKind implements [Update].
func (u *Notice) UpdateKind() string { return kindNotice }

// UpdateKind implements [Update].
func (u *Compaction) UpdateKind() string { return kindCompaction }

// UpdateKind implements [Update].
func (u *CompactionChunk) UpdateKind() string { return kindCompactionChunk }

// UpdateKind implements [Update].
func (u *UnknownUpdate) UpdateKind() string { return u.Kind }

func (*MessageChunk) update()      {}
func (*ToolCall) update()          {}
func (*ToolCallUpdate) update()    {}
func (*Plan) update()              {}
func (*AvailableCommands) update() {}
func (*CurrentMode) update()       {}
func (*ConfigOptions) update()     {}
func (*SessionInfoUpdate) update() {}
func (*Usage) update()             {}
func (*Notice) update()            {}
func (*Compaction) update()        {}
func (*CompactionChunk) update()   {}
func (*UnknownUpdate) update()     {}
