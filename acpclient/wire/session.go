package wire

import "github.com/go-json-experiment/json/jsontext"

// NewSessionRequest begins a conversation (method session/new). Cwd is absolute.
type NewSessionRequest struct {
	Cwd                   string         `json:"cwd"`
	MCPServers            []MCPServer    `json:"mcpServers"`
	AdditionalDirectories []string       `json:"additionalDirectories,omitempty"`
	Meta                  jsontext.Value `json:"_meta,omitzero"`
}

// NewSessionResponse names the session.
type NewSessionResponse struct {
	SessionID     string         `json:"sessionId"`
	Modes         *SessionModes  `json:"modes,omitzero"`
	ConfigOptions []ConfigOption `json:"configOptions,omitzero"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

func (r *NewSessionResponse) check() ([]error, error) {
	if r.SessionID == "" {
		return nil, missing("session response", "sessionId")
	}
	return checkItems("configOptions", &r.ConfigOptions, nil), nil
}

// LoadSessionRequest opens an old session and has its history replayed (method
// session/load). The same members make a ResumeSessionRequest and a
// ForkSessionRequest.
type LoadSessionRequest struct {
	SessionID             string         `json:"sessionId"`
	Cwd                   string         `json:"cwd"`
	MCPServers            []MCPServer    `json:"mcpServers"`
	AdditionalDirectories []string       `json:"additionalDirectories,omitempty"`
	Meta                  jsontext.Value `json:"_meta,omitzero"`
}

// ResumeSessionRequest opens an old session without replay (method session/resume).
type ResumeSessionRequest = LoadSessionRequest

// ForkSessionRequest copies a session (method session/fork, not in the stable
// protocol); the answer is a [NewSessionResponse].
type ForkSessionRequest = LoadSessionRequest

// LoadSessionResponse answers session/load and session/resume. Some agents
// answer null.
type LoadSessionResponse struct {
	Modes         *SessionModes  `json:"modes,omitzero"`
	ConfigOptions []ConfigOption `json:"configOptions,omitzero"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

func (r *LoadSessionResponse) check() ([]error, error) {
	return checkItems("configOptions", &r.ConfigOptions, nil), nil
}

// ListSessionsRequest asks for old sessions (method session/list).
type ListSessionsRequest struct {
	Cwd    string         `json:"cwd,omitzero"`
	Cursor string         `json:"cursor,omitzero"` // opaque; from the last response
	Meta   jsontext.Value `json:"_meta,omitzero"`
}

// ListSessionsResponse is one page of sessions. No NextCursor: the last one.
type ListSessionsResponse struct {
	Sessions   []SessionInfo  `json:"sessions" acp:"tolerant"`
	NextCursor string         `json:"nextCursor,omitzero"`
	Meta       jsontext.Value `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

func (r *ListSessionsResponse) check() ([]error, error) {
	return checkItems("sessions", &r.Sessions, nil), nil
}

// SessionInfo is an old session as listed.
type SessionInfo struct {
	SessionID             string         `json:"sessionId"`
	Cwd                   string         `json:"cwd"`
	AdditionalDirectories []string       `json:"additionalDirectories,omitzero"`
	Title                 string         `json:"title,omitzero"`
	UpdatedAt             string         `json:"updatedAt,omitzero"` // RFC 3339
	Meta                  jsontext.Value `json:"_meta,omitzero"`
	Extra                 jsontext.Value `json:",embed"`
}

func (s *SessionInfo) check() ([]error, error) {
	if s.SessionID == "" {
		return nil, missing("session", "sessionId")
	}
	return nil, nil
}

// SessionRequest names a session and nothing more: the params of session/close,
// session/delete and of the notification session/cancel.
type SessionRequest struct {
	SessionID string         `json:"sessionId"`
	Meta      jsontext.Value `json:"_meta,omitzero"`
}

// SetModeRequest chooses a mode (method session/set_mode). Prefer config options.
type SetModeRequest struct {
	SessionID string         `json:"sessionId"`
	ModeID    string         `json:"modeId"`
	Meta      jsontext.Value `json:"_meta,omitzero"`
}

// SessionModes are the modes of a session, superseded by config options.
type SessionModes struct {
	CurrentModeID  string         `json:"currentModeId"`
	AvailableModes []SessionMode  `json:"availableModes" acp:"tolerant"`
	Meta           jsontext.Value `json:"_meta,omitzero"`
	Extra          jsontext.Value `json:",embed"`
}

// SessionMode is one mode.
type SessionMode struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Meta        jsontext.Value `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// PromptRequest begins a turn (method session/prompt).
type PromptRequest struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
	Meta      jsontext.Value `json:"_meta,omitzero"`
}

// Reasons why a turn ended. Agents may send others.
const (
	StopEndTurn         = "end_turn"
	StopMaxTokens       = "max_tokens"
	StopMaxTurnRequests = "max_turn_requests"
	StopRefusal         = "refusal"
	StopCancelled       = "cancelled"
)

// PromptResponse ends a turn. Usage is not part of the stable protocol.
type PromptResponse struct {
	StopReason string         `json:"stopReason"`
	Usage      *PromptUsage   `json:"usage,omitzero"`
	Meta       jsontext.Value `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

func (r *PromptResponse) check() ([]error, error) {
	if r.StopReason == "" {
		return nil, missing("prompt response", "stopReason")
	}
	return nil, nil
}

// PromptUsage is what a turn cost, in tokens.
type PromptUsage struct {
	TotalTokens       int64          `json:"totalTokens" acp:"tolerant"`
	InputTokens       int64          `json:"inputTokens" acp:"tolerant"`
	OutputTokens      int64          `json:"outputTokens" acp:"tolerant"`
	ThoughtTokens     *int64         `json:"thoughtTokens,omitzero"`
	CachedReadTokens  *int64         `json:"cachedReadTokens,omitzero"`
	CachedWriteTokens *int64         `json:"cachedWriteTokens,omitzero"`
	Extra             jsontext.Value `json:",embed"`
}
