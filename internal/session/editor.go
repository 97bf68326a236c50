package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"acp-ls/buffers/position"
)

// Editor is one attached editor. All methods may be called from any goroutine.
// Methods without a context never block: the bridge coalesces and queues what
// they are given and drops nothing but what a later value replaces.
type Editor interface {
	// Can says whether the editor offers the acp capability of that name
	// (the members of capabilities.experimental.acp), e.g. "save".
	Can(capability string) bool

	// SessionChanged shows a session's state (acp/session).
	SessionChanged(Info)
	// EntryChanged inserts or replaces one item of a transcript (acp/entry).
	EntryChanged(session string, e Entry)
	// Chunk appends text to the entry id of a transcript (acp/chunk).
	Chunk(session, id, text string)
	// ReviewChanged replaces what is shown of a file's hunks (acp/review,
	// diagnostics, code lenses). An empty list of hunks clears.
	ReviewChanged(Review)
	// TerminalOutput appends output of an agent's terminal (acp/terminal).
	TerminalOutput(TerminalOutput)
	// Turn reports progress of a turn for editors without the session
	// capability ($/progress).
	Turn(TurnProgress)
	// ShowMessage tells the user something outside any session.
	ShowMessage(Level, string)
	// Dismiss withdraws a question shown by Permission (acp/dismiss).
	Dismiss(question string)

	// Permission shows a question and waits for the answer. ErrUnanswered: the
	// user dismissed it or the editor cannot tell; that is neither yes nor no. The next
	// question comes when this one is [Placed].
	Permission(context.Context, Question) (optionID string, err error)
	// ApplyEdit asks the editor to make an edit of one open document and waits
	// for its reply. The reply is not believed, only used as a hint that the
	// document may be looked at; ErrRefused: the editor says it did not apply;
	// ErrReadOnly: nor will it.
	ApplyEdit(context.Context, DocumentEdit) error
	// Save saves a document (acp/save): as the user would, formatters included, or
	// without format its text as it is, if the editor can ("format"); if it is still at
	// that version, or at any if that is 0. ErrUnsupported without the capability;
	// ErrNotSaved: the editor says it did not.
	Save(ctx context.Context, uri string, version int32, format bool) error
	// Reload asks the editor to reload a document whose file changed on disk
	// if it has no unsaved changes (acp/reload).
	Reload(ctx context.Context, uri string) (reloaded bool, err error)
	// Adopt makes the file on disk the base of an open document and text its
	// content, in one step, if it is still at that version and the file has still what that text
	// contains of it, which is disk (acp/adopt).
	Adopt(ctx context.Context, uri string, version int32, text, disk string) (adopted bool, err error)
	// Base says that an open document has contained, since that version, all that its file had when
	// that was disk: to save it over that is no conflict (acp/base).
	Base(ctx context.Context, uri string, version int32, disk string) (based bool, err error)
	// State asks what the user looks at (acp/editor).
	State(ctx context.Context) (EditorState, error)
	// Run runs an interactive program, such as a login (acp/run).
	Run(context.Context, RunRequest) (exitCode int, err error)
	// Ask shows a form (acp/ask).
	Ask(context.Context, Form) (FormAnswer, error)
	// Diagnostics asks for what all the editor's servers have to say of one
	// document, or of all if uri is empty (acp/diagnostics).
	Diagnostics(ctx context.Context, uri string) ([]Diagnostic, error)
	// ShowDocument brings a document before the user, at a 0-based row if that
	// is not negative, without taking the focus (window/showDocument).
	ShowDocument(ctx context.Context, uri string, row int) error
}

// Errors an Editor answers with.
var (
	ErrUnanswered  = errors.New("not answered")
	ErrRefused     = errors.New("the editor refused the edit")
	ErrReadOnly    = errors.New("it is read-only") // the document, or its file
	ErrNotSaved    = errors.New("the editor did not save it")
	ErrUnsupported = errors.New("the editor does not offer this")
)

// Level is the severity of a message.
type Level int

const (
	LevelInfo Level = iota
	LevelWarning
	LevelError
)

// DocumentEdit is a set of edits of one open document at one version. The
// edits do not overlap, are in ascending order and all refer to the text of
// that version (LSP 3.17, TextDocumentEdit). Positions are zero-based lines
// and byte columns (position.UTF8); the bridge converts to the encoding in use
// with Before.
type DocumentEdit struct {
	URI     string
	Version int32
	Label   string
	Edits   []TextEdit
}

// TextEdit replaces the bytes [Start, End) of the version's text.
type TextEdit struct {
	Start, End int
	NewText    string
	// Range is the same range as positions in the document's own encoding.
	Range position.Range
}

// EditorState is what the user looks at.
type EditorState struct {
	Active    string // URI, empty if none
	Ranges    []position.Range
	Visible   []string
	LastTyped int64 // milliseconds since the last keystroke
}

// Diagnostic is one message about a document. Severity is LSP's number, from 1
// (error) to 4 (hint), or 0. Range is in the editor's encoding.
type Diagnostic struct {
	URI                   string
	Range                 position.Range
	Severity              int
	Message, Source, Code string
}

// RunRequest names an interactive program.
type RunRequest struct {
	Title, Command string
	Args           []string
	Env            map[string]string
	Cwd            string
}

// InTerminal is what to run in a terminal, for a user who has to do it.
func (r RunRequest) InTerminal() string {
	line := joinWords(append([]string{r.Command}, r.Args...))
	if len(r.Env) == 0 {
		return line
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		env = append(env, name+"="+r.Env[name])
	}
	return line + " (with " + strings.Join(env, ", ") + " in the environment)" // in whatever way the shell takes it
}

// Form is a set of questions for the user (elicitation).
type Form struct {
	ID, Session, Title string
	Questions          []FormQuestion
}

// FormQuestion is one field of a form.
type FormQuestion struct {
	ID       string       `json:"id"`
	Prompt   string       `json:"prompt"`
	Type     string       `json:"type"` // string, number, integer, boolean, choice
	Options  []FormOption `json:"options,omitempty"`
	Multiple bool         `json:"multiple,omitempty"`
	Required bool         `json:"required,omitempty"`
	Default  any          `json:"default,omitempty"`
}

// FormOption is one choice of a field.
type FormOption struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// FormAnswer is what the user made of a form. Action is accept, decline or cancel.
type FormAnswer struct {
	Action  string
	Answers map[string]any
}
