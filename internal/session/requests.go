package session

import "acp-ls/buffers/position"

// Span is a range of a document that the user points at. A nil Range is the
// whole document. Positions are in the editor's encoding, as documents are.
//
// Mark, if not empty, is a range kept by [Core.Mark]: what that has become counts, and Range
// only if the mark is not known (any more).
type Span struct {
	URI   string
	Range *position.Range
	Mark  string

	text        *string // what the range held when the prompt was sent
	first, last int     // its 1-based lines then
	gone        bool    // nothing is left of what was marked
}

// Image is a picture that goes with a prompt. Data is base64.
type Image struct {
	MimeType, Data, URI string
}

// NewSession asks for a session. Empty members mean: the default agent, the
// workspace's first folder, no options.
type NewSession struct {
	Agent   string
	Cwd     string
	Options map[string]any
	NoWait  bool // until its agent is ready for prompts
}

// ListSessions asks for sessions: those of an agent, of a directory, or all. Also is an agent that is
// asked besides those that run, and started if it does not (empty: the default one).
type ListSessions struct {
	Agent string
	Cwd   string
	Also  *string
}

// Prompt asks for a turn. An empty Session is the newest one of the workspace,
// or a new one; of Agent, if that is named. When is "queue" (default) or "now", which cancels what runs.
type Prompt struct {
	Session   string
	Agent     string
	Text      string
	Context   []Span
	Selection *Span
	Images    []Image
	When      string
	Wait      bool
}

// PromptResult names the turn; StopReason is set if the prompt was waited for.
type PromptResult struct {
	Session    string     `json:"session"`
	Turn       string     `json:"turn"`
	StopReason StopReason `json:"stopReason,omitempty"`
}

// Decide names hunks to accept, reject or restore: by id, or by file, session
// and turn. Rev is the revision that was seen, of a file that is named. An empty Decide
// means everything pending.
type Decide struct {
	Hunks   []string
	URI     string
	Session string
	Turn    string
	Rev     string

	undoes bool // it is the first half of an undo
}

// Decision is what became of a Decide.
type Decision struct {
	Decided []string
	Refused []Refusal
	Files   []Review

	elsewhere []string // the files of changes that were rejected and may be those of another acp-ls's agent
}

// Refusal says why a hunk was not decided.
type Refusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}
