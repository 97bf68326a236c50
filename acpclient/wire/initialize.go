package wire

import "github.com/go-json-experiment/json/jsontext"

// ProtocolVersion is the version of the protocol this package speaks.
const ProtocolVersion = 1

// InitializeRequest opens a connection (method initialize).
type InitializeRequest struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities"`
	ClientInfo         *Implementation    `json:"clientInfo,omitzero"`
	Meta               jsontext.Value     `json:"_meta,omitzero"`
}

// Implementation names a program.
type Implementation struct {
	Name    string         `json:"name"`
	Title   string         `json:"title,omitzero"` // for people; Name if empty
	Version string         `json:"version" acp:"tolerant"`
	Meta    jsontext.Value `json:"_meta,omitzero"`
}

// Capability is a feature that is there because its member is: {} means yes,
// absent and null mean no.
type Capability struct {
	Meta  jsontext.Value `json:"_meta,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// ClientCapabilities say what an agent may ask of us.
type ClientCapabilities struct {
	FS          FileSystemCapabilities     `json:"fs"`
	Terminal    bool                       `json:"terminal"` // all five terminal methods
	Session     *ClientSessionCapabilities `json:"session,omitzero"`
	Auth        *ClientAuthCapabilities    `json:"auth,omitzero"`
	Elicitation *ElicitationCapabilities   `json:"elicitation,omitzero"`
	Meta        jsontext.Value             `json:"_meta,omitzero"`
	Extra       jsontext.Value             `json:",embed"`
}

// FileSystemCapabilities are the file methods we answer.
type FileSystemCapabilities struct {
	ReadTextFile  bool `json:"readTextFile"`
	WriteTextFile bool `json:"writeTextFile"`
}

// ClientSessionCapabilities are the session features we understand.
type ClientSessionCapabilities struct {
	ConfigOptions *ConfigOptionsCapabilities `json:"configOptions,omitzero"`
	Notices       *Capability                `json:"notices,omitzero"`
	Compaction    *Capability                `json:"compaction,omitzero"`
}

// ConfigOptionsCapabilities are the kinds of config options we show beside selections.
type ConfigOptionsCapabilities struct {
	Boolean *Capability `json:"boolean,omitzero"`
}

// ClientAuthCapabilities are the ways of logging in that we offer.
type ClientAuthCapabilities struct {
	Terminal bool `json:"terminal"`
}

// ElicitationCapabilities are the kinds of questions we can put to the user.
type ElicitationCapabilities struct {
	Form *Capability `json:"form,omitzero"`
	URL  *Capability `json:"url,omitzero"`
}

// InitializeResponse is the agent's half of the opening.
type InitializeResponse struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities,omitzero"`
	AuthMethods       []AuthMethod      `json:"authMethods,omitzero"`
	AgentInfo         *Implementation   `json:"agentInfo,omitzero"`
	Meta              jsontext.Value    `json:"_meta,omitzero"`
	Extra             jsontext.Value    `json:",embed"`
}

func (r *InitializeResponse) check() (tolerated []error, err error) {
	if r.ProtocolVersion == 0 {
		return nil, missing("initialize response", "protocolVersion")
	}
	return checkItems("authMethods", &r.AuthMethods, nil), nil
}

// AgentCapabilities say what the agent can do. What is absent, it can not.
type AgentCapabilities struct {
	LoadSession bool                  `json:"loadSession,omitzero"`
	Prompt      PromptCapabilities    `json:"promptCapabilities,omitzero"`
	MCP         MCPCapabilities       `json:"mcpCapabilities,omitzero"`
	Session     SessionCapabilities   `json:"sessionCapabilities,omitzero"`
	Auth        AgentAuthCapabilities `json:"auth,omitzero"`
	Meta        jsontext.Value        `json:"_meta,omitzero"`
	Extra       jsontext.Value        `json:",embed"`
}

// PromptCapabilities are the content blocks a prompt may have beside text and
// resource links.
type PromptCapabilities struct {
	Image           bool           `json:"image,omitzero"`
	Audio           bool           `json:"audio,omitzero"`
	EmbeddedContext bool           `json:"embeddedContext,omitzero"`
	Meta            jsontext.Value `json:"_meta,omitzero"`
	Extra           jsontext.Value `json:",embed"`
}

// MCPCapabilities are the transports to MCP servers beside stdio.
type MCPCapabilities struct {
	HTTP  bool           `json:"http,omitzero"`
	SSE   bool           `json:"sse,omitzero"`
	Meta  jsontext.Value `json:"_meta,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// SessionCapabilities are the optional session methods. Fork is not part of the
// stable protocol, but many agents have it.
type SessionCapabilities struct {
	List                  *Capability    `json:"list,omitzero"`
	Delete                *Capability    `json:"delete,omitzero"`
	AdditionalDirectories *Capability    `json:"additionalDirectories,omitzero"`
	Resume                *Capability    `json:"resume,omitzero"`
	Close                 *Capability    `json:"close,omitzero"`
	Fork                  *Capability    `json:"fork,omitzero"`
	Meta                  jsontext.Value `json:"_meta,omitzero"`
	Extra                 jsontext.Value `json:",embed"`
}

// AgentAuthCapabilities are the optional methods about logging in.
type AgentAuthCapabilities struct {
	Logout *Capability    `json:"logout,omitzero"`
	Meta   jsontext.Value `json:"_meta,omitzero"`
	Extra  jsontext.Value `json:",embed"`
}

// AuthTerminal is the type of an [AuthMethod] that runs in a terminal.
const AuthTerminal = "terminal"

// AuthMethod is a way to log in. Type "" (or "agent") is done by the agent at an
// authenticate request. Type [AuthTerminal] means: run the agent's own command
// with Args and Env added in a terminal, and connect anew when it exits with 0.
type AuthMethod struct {
	Type        string            `json:"type,omitzero"`
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitzero"`
	Args        []string          `json:"args,omitzero" acp:"strict"`
	Env         map[string]string `json:"env,omitzero" acp:"strict"`
	Meta        jsontext.Value    `json:"_meta,omitzero"`
	Extra       jsontext.Value    `json:",embed"`
}

func (m *AuthMethod) check() ([]error, error) {
	if m.ID == "" {
		return nil, missing("auth method", "id")
	}
	return nil, nil
}

// AuthenticateRequest logs in by a method of type agent (method authenticate).
type AuthenticateRequest struct {
	MethodID string         `json:"methodId"`
	Meta     jsontext.Value `json:"_meta,omitzero"`
}

// LogoutRequest logs out (method logout).
type LogoutRequest struct {
	Meta jsontext.Value `json:"_meta,omitzero"`
}

// Empty is the result of a method that has none.
type Empty struct {
	Meta  jsontext.Value `json:"_meta,omitzero"`
	Extra jsontext.Value `json:",embed"`
}
