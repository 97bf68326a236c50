package wire

import (
	"fmt"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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

// SetConfigOptionRequest sets a config option (method
// session/set_config_option), to a choice or, if Bool is set, to a boolean.
type SetConfigOptionRequest struct {
	SessionID string
	ConfigID  string
	Value     string
	Bool      *bool
	Meta      jsontext.Value
}

// MarshalJSONTo implements [json.MarshalerTo].
func (r SetConfigOptionRequest) MarshalJSONTo(enc *jsontext.Encoder) error {
	if r.Bool != nil {
		return json.MarshalEncode(enc, &struct {
			SessionID string         `json:"sessionId"`
			ConfigID  string         `json:"configId"`
			Type      string         `json:"type"`
			Value     bool           `json:"value"`
			Meta      jsontext.Value `json:"_meta,omitzero"`
		}{r.SessionID, r.ConfigID, ConfigBoolean, *r.Bool, r.Meta})
	}
	return json.MarshalEncode(enc, &struct {
		SessionID string         `json:"sessionId"`
		ConfigID  string         `json:"configId"`
		Value     string         `json:"value"`
		Meta      jsontext.Value `json:"_meta,omitzero"`
	}{r.SessionID, r.ConfigID, r.Value, r.Meta})
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (r *SetConfigOptionRequest) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var in struct {
		SessionID string         `json:"sessionId"`
		ConfigID  string         `json:"configId"`
		Value     jsontext.Value `json:"value"`
		Meta      jsontext.Value `json:"_meta"`
	}
	if err := json.UnmarshalDecode(dec, &in); err != nil {
		return err
	}
	*r = SetConfigOptionRequest{SessionID: in.SessionID, ConfigID: in.ConfigID, Meta: in.Meta}
	var err error
	r.Value, r.Bool, err = configValue(in.Value)
	return err
}

// SetConfigOptionResponse is the complete new state of the options.
type SetConfigOptionResponse struct {
	ConfigOptions []ConfigOption `json:"configOptions" acp:"tolerant"`
	Meta          jsontext.Value `json:"_meta,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

func (r *SetConfigOptionResponse) check() ([]error, error) {
	return checkItems("configOptions", &r.ConfigOptions, nil), nil
}

// Types of a [ConfigOption].
const (
	ConfigSelect  = "select"
	ConfigBoolean = "boolean"
)

// ConfigOption is one setting of a session. Of type "select", Current is one of
// the values in Choices; of type "boolean", On is the state. An option of a type
// that is neither is left out when a message is read.
type ConfigOption struct {
	Type        string
	ID          string
	Name        string
	Description string
	Category    string // "mode", "model", "model_config", "thought_level" or anything
	Current     string
	On          bool
	Choices     []ConfigGroup // an ungrouped list is one group without a name
	Meta        jsontext.Value
	Extra       jsontext.Value
}

// ConfigGroup is a named group of choices.
type ConfigGroup struct {
	Group   string         `json:"group"`
	Name    string         `json:"name"`
	Choices []ConfigChoice `json:"options" acp:"tolerant"`
	Meta    jsontext.Value `json:"_meta,omitzero"`
	Extra   jsontext.Value `json:",embed"`
}

// ConfigChoice is one value to choose.
type ConfigChoice struct {
	Value       string         `json:"value"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Meta        jsontext.Value `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// wireConfigOption is a ConfigOption as it stands on the wire.
type wireConfigOption struct {
	Type        string         `json:"type"`
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Category    string         `json:"category,omitzero"`
	Current     jsontext.Value `json:"currentValue"`
	Options     jsontext.Value `json:"options,omitzero"`
	Meta        jsontext.Value `json:"_meta,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (o *ConfigOption) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var in wireConfigOption
	if _, err := Decode(raw, &in); err != nil {
		return err
	}
	*o = ConfigOption{Type: in.Type, ID: in.ID, Name: in.Name, Description: in.Description,
		Category: in.Category, Meta: in.Meta, Extra: in.Extra}
	switch in.Type {
	case ConfigSelect:
		current, on, err := configValue(in.Current)
		if err != nil || on != nil {
			return fmt.Errorf("config option %q: currentValue is not a string", in.ID)
		}
		o.Current = current
		return o.decodeChoices(in.Options)
	case ConfigBoolean:
		_, on, err := configValue(in.Current)
		if err != nil || on == nil {
			return fmt.Errorf("config option %q: currentValue is not a boolean", in.ID)
		}
		o.On = *on
	}
	return nil
}

func (o *ConfigOption) decodeChoices(raw jsontext.Value) error {
	var items []jsontext.Value
	if err := json.Unmarshal(raw, &items, decodeOptions); err != nil {
		return fmt.Errorf("config option %q: options: %w", o.ID, err)
	}
	flat := -1 // the group without a name
	for _, item := range items {
		if member(item, "group") != nil {
			var g ConfigGroup
			if _, err := Decode(item, &g); err == nil {
				o.Choices = append(o.Choices, g)
			}
			continue
		}
		var c ConfigChoice
		if _, err := Decode(item, &c); err != nil || member(item, "value") == nil {
			continue
		}
		if flat < 0 {
			flat = len(o.Choices)
			o.Choices = append(o.Choices, ConfigGroup{})
		}
		o.Choices[flat].Choices = append(o.Choices[flat].Choices, c)
	}
	return nil
}

// configValue reads a value that is a string or a boolean.
func configValue(raw jsontext.Value) (text string, on *bool, err error) {
	switch raw.Kind() {
	case '"':
		text, _ = unquote(raw)
		return text, nil, nil
	case 't', 'f':
		b := raw.Kind() == 't'
		return "", &b, nil
	}
	return "", nil, fmt.Errorf("value is neither a string nor a boolean: %s", lineHead(raw))
}

// MarshalJSONTo implements [json.MarshalerTo].
func (o ConfigOption) MarshalJSONTo(enc *jsontext.Encoder) error {
	out := wireConfigOption{Type: o.Type, ID: o.ID, Name: o.Name, Description: o.Description,
		Category: o.Category, Current: quote(o.Current), Meta: o.Meta, Extra: o.Extra}
	var err error
	switch {
	case o.Type == ConfigBoolean:
		out.Current = jsontext.Value(fmt.Sprint(o.On))
	case len(o.Choices) == 1 && o.Choices[0].Group == "":
		out.Options, err = Encode(o.Choices[0].Choices)
	default:
		out.Options, err = Encode(o.Choices)
	}
	if err != nil {
		return err
	}
	return json.MarshalEncode(enc, &out)
}

func (o *ConfigOption) check() ([]error, error) {
	switch {
	case o.ID == "":
		return nil, missing("config option", "id")
	case o.Type != ConfigSelect && o.Type != ConfigBoolean:
		return nil, fmt.Errorf("config option %q: unknown type %q", o.ID, o.Type)
	}
	return nil, nil
}

// MCPServer is a server of tools for the agent, over stdio (Type ""), "http" or
// "sse". Where the user gave one in the protocol's own shape, Raw holds it and
// is sent as it is.
type MCPServer struct {
	Type    string
	Name    string
	Command string
	Args    []string
	Env     []EnvVariable
	URL     string
	Headers []EnvVariable
	Raw     jsontext.Value
}

// EnvVariable is a variable of an environment, or a header of a request.
type EnvVariable struct {
	Name  string         `json:"name"`
	Value string         `json:"value"`
	Meta  jsontext.Value `json:"_meta,omitzero"`
}

type (
	stdioServer struct {
		Name    string        `json:"name"`
		Command string        `json:"command"`
		Args    []string      `json:"args"`
		Env     []EnvVariable `json:"env"`
	}
	urlServer struct {
		Type    string        `json:"type"`
		Name    string        `json:"name"`
		URL     string        `json:"url"`
		Headers []EnvVariable `json:"headers"`
	}
)

// MarshalJSONTo implements [json.MarshalerTo].
func (s MCPServer) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch {
	case s.Raw != nil:
		return enc.WriteValue(s.Raw)
	case s.Type != "":
		return json.MarshalEncode(enc, &urlServer{s.Type, s.Name, s.URL, s.Headers})
	}
	return json.MarshalEncode(enc, &stdioServer{s.Name, s.Command, s.Args, s.Env})
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom]. It keeps the whole in Raw.
func (s *MCPServer) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var in struct {
		Type    string        `json:"type"`
		Name    string        `json:"name"`
		Command string        `json:"command"`
		Args    []string      `json:"args"`
		Env     []EnvVariable `json:"env"`
		URL     string        `json:"url"`
		Headers []EnvVariable `json:"headers"`
	}
	if err := json.Unmarshal(raw, &in, decodeOptions); err != nil {
		return err
	}
	*s = MCPServer{in.Type, in.Name, in.Command, in.Args, in.Env, in.URL, in.Headers, raw.Clone()}
	return nil
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
