package session

import (
	"errors"
	"fmt"

	"acp-ls/internal/review"
)

// Info describes a session to an editor. The JSON names are those of
// docs/editor-contract.md (SessionInfo).
type Info struct {
	Session    string     `json:"session"`
	Agent      string     `json:"agent"`
	SessionID  string     `json:"sessionId"`
	Cwd        string     `json:"cwd"`
	Title      string     `json:"title"`
	State      State      `json:"state"`
	Turn       string     `json:"turn,omitempty"`
	Stopping   bool       `json:"stopping,omitempty"` // the turn was cancelled, and the agent has not ended it
	StopReason StopReason `json:"stopReason,omitempty"`
	Options    []Option   `json:"options"`
	Commands   []Command  `json:"commands"`
	Usage      *Usage     `json:"usage,omitempty"`
	Queue      []Queued   `json:"queue"`
	Unsent     []Queued   `json:"unsent,omitempty"` // prompts that were in the queue when the agent failed, or the session was closed
	Questions  []string   `json:"questions"`        // ids of open permission questions
	Pending    Pending    `json:"pending"`
	Error      string     `json:"error,omitempty"`
	ErrorKind  Kind       `json:"errorKind,omitempty"` // what can be done about Error
	Loads      bool       `json:"loads,omitempty"`     // its agent can open it again when it has ended
}

// State is where a session stands.
type State string

const (
	StateStarting State = "starting"
	StateIdle     State = "idle"
	StateRunning  State = "running"
	StateWaiting  State = "waiting" // running, and a question is open
	StateClosed   State = "closed"
	StateFailed   State = "failed"
)

// Pending counts what the user has not decided on.
type Pending struct {
	Files int `json:"files"`
	Hunks int `json:"hunks"`
}

// Queued is a prompt that waits for the running turn to end.
type Queued struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Option is a setting of a session that the agent offers; modes are the option
// "mode". Type is select or boolean; Value is a string or a bool.
type Option struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Category    string         `json:"category,omitempty"`
	Type        string         `json:"type"`
	Value       any            `json:"value"`
	Choices     []OptionChoice `json:"choices,omitempty"`
}

// OptionChoice is one value of a select option.
type OptionChoice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Group       string `json:"group,omitempty"`
}

// Command is a slash command of the agent.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Hint        string `json:"hint,omitempty"`
}

// Usage is how much of the agent's context is used, in tokens.
type Usage struct {
	Used     uint64  `json:"used"`
	Size     uint64  `json:"size"`
	Cost     float64 `json:"cost,omitempty"`
	Currency string  `json:"currency,omitempty"`
}

// EntryKind says what an item of a transcript is.
type EntryKind string

const (
	EntryUser       EntryKind = "user"
	EntryAgent      EntryKind = "agent"
	EntryThought    EntryKind = "thought"
	EntryTool       EntryKind = "tool"
	EntryPlan       EntryKind = "plan"
	EntryPermission EntryKind = "permission"
	EntryNotice     EntryKind = "notice"
	EntryError      EntryKind = "error"
)

// Entry is one item of a session's transcript.
type Entry struct {
	ID       string     `json:"id"`
	Kind     EntryKind  `json:"kind"`
	Turn     string     `json:"turn,omitempty"`
	Text     string     `json:"text,omitempty"` // Markdown; of user, agent, thought, notice, error
	Tool     *ToolCall  `json:"tool,omitempty"`
	Plan     []PlanItem `json:"plan,omitempty"`
	Question *Question  `json:"question,omitempty"`
	Answer   string     `json:"answer,omitempty"`  // of a permission: the option's name, or "cancelled"
	Restart  string     `json:"restart,omitempty"` // of a notice: the agent that has to be restarted to end what it tells of
}

// ToolCall is one tool call of an agent. Kind and Status are ACP's words.
type ToolCall struct {
	ID        string        `json:"id"`
	Name      string        `json:"name,omitempty"`
	Title     string        `json:"title"`
	Kind      string        `json:"kind"`
	Status    string        `json:"status"`
	Command   string        `json:"command,omitempty"` // what an execute call runs, where it can be told
	Content   []ToolContent `json:"content,omitempty"`
	Locations []Location    `json:"locations,omitempty"`
}

// ToolContent is what a tool call shows. Type is content, diff or terminal.
type ToolContent struct {
	Type     string  `json:"type"`
	Text     string  `json:"text,omitempty"`
	URI      string  `json:"uri,omitempty"`
	Path     string  `json:"path,omitempty"`
	OldText  *string `json:"oldText,omitempty"`
	NewText  string  `json:"newText,omitempty"`
	Terminal string  `json:"terminal,omitempty"`
}

// Location is a place a tool call works at. Line is 1-based, 0 if unknown.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// PlanItem is one step of the agent's plan.
type PlanItem struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// Question is an open permission question.
type Question struct {
	ID       string             `json:"id"`
	Session  string             `json:"session"`
	Agent    string             `json:"agent"`
	ToolCall ToolCall           `json:"toolCall"`
	Options  []PermissionOption `json:"options"`
	// Message has the tool call's title and the whole command, or the path and
	// the size of the change. Control characters are removed.
	Message string `json:"message"`
}

// TerminalOutput is output that a terminal appended, and its end.
type TerminalOutput struct {
	Session  string        `json:"session"`
	Terminal string        `json:"terminal"`
	Output   string        `json:"output"`
	Exit     *TerminalExit `json:"exit,omitempty"`
}

// TerminalExit is how a terminal's program ended.
type TerminalExit struct {
	ExitCode *int   `json:"exitCode,omitempty"`
	Signal   string `json:"signal,omitempty"`
}

// TurnProgress is the state of a turn for $/progress. Turn is unique.
type TurnProgress struct {
	Session, Turn, Title, Message string
	End                           bool
}

// Review is what the user has to decide on in one file.
type Review struct {
	URI     string
	Path    string
	Rev     string
	Seq     int64  // of two reviews of a file the one with the greater is of later
	Version *int32 // of the open document the rows refer to
	File    *FileChange
	Hunks   []review.Hunk
	Decided map[string]int64 // by the rejected hunks: the decision, as in FileChange
	Deletes string           // the rejected hunk that deletes the file when it is brought back
}

// FileChange is a change of the file as a whole; it is decided like a hunk.
type FileChange struct {
	ID string `json:"id"`
	Op string `json:"op"` // modify, create, delete, rename
	// From is the path that a renamed file had.
	From string `json:"from,omitempty"`
	// To is the path that a file is to have whose rename is asked for, or what a link
	// points at, or the path that the file of a document has now: the id is then that of
	// the change there.
	To string `json:"to,omitempty"`
	// State is "proposed" for what is only asked for, "rejected" for what can be brought
	// back, or empty.
	State string `json:"state,omitempty"`
	// Decided is the number of the decision that has rejected it: the same for all that it has
	// rejected, and greater for a later one. 0: it was none.
	Decided int64 `json:"decided,omitempty"`
	// Mode says that the file may be run now (+x), or may not any more (-x); or, of an open one,
	// that it has got a byte order mark (+bom), or lost it (-bom).
	Mode string `json:"mode,omitempty"`
	// Opaque says why there are no hunks: binary, large, filtered, ends (line ends that the editor does not show), or it is a link or
	// folder now.
	Opaque string `json:"opaque,omitempty"`
}

// Kind classifies an Error for the other side (data.kind in the contract).
type Kind string

const (
	KindUnknownSession Kind = "unknownSession"
	KindUnknownAgent   Kind = "unknownAgent"
	KindAgentFailed    Kind = "agentFailed"
	KindStopped        Kind = "stopped" // by the user, before the agent was ready
	KindAuthRequired   Kind = "authRequired"
	KindStale          Kind = "stale"
	KindBusy           Kind = "busy"
	KindOutside        Kind = "outside"
	KindInvalid        Kind = "invalid"
	KindNotFound       Kind = "notFound" // a file; ACP's -32002
	KindConflict       Kind = "conflict" // a write that met the user's own edit
)

// Error is an error with a message a user, or an agent, can act on.
type Error struct {
	Kind    Kind
	Message string
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a kind.
func Errorf(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Err: errors.Unwrap(err)}
}

// KindOf returns the kind of an error, or KindInvalid.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInvalid
}
