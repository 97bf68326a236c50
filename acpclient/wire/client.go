package wire

import (
	"fmt"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kinds of a [PermissionOption].
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
)

// RequestPermissionRequest asks whether a tool call may go on (method
// session/request_permission). ToolCall may be the first that is heard of it.
type RequestPermissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCallUpdate     `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
	Meta      jsontext.Value     `json:"_meta,omitzero"`
	Extra     jsontext.Value     `json:",embed"`
}

func (r *RequestPermissionRequest) check() (tolerated []error, err error) {
	if r.SessionID == "" {
		return nil, missing("permission request", "sessionId")
	}
	if tolerated, err = r.ToolCall.check(); err != nil {
		return tolerated, err
	}
	if len(r.Options) == 0 {
		return tolerated, missing("permission request", "options")
	}
	for i, o := range r.Options {
		if o.OptionID == "" {
			return tolerated, fmt.Errorf("options[%d]: %w", i, missing("permission option", "optionId"))
		}
	}
	return tolerated, nil
}

// PermissionOption is one answer the agent offers.
type PermissionOption struct {
	OptionID string         `json:"optionId"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Meta     jsontext.Value `json:"_meta,omitzero"`
	Extra    jsontext.Value `json:",embed"`
}

// RequestPermissionResponse is the answer: the option that was selected or, if
// Cancelled, that the turn is being cancelled. The zero value is neither and can
// not be sent: a question nobody answered is never an answer.
type RequestPermissionResponse struct {
	OptionID  string
	Cancelled bool
	Meta      jsontext.Value
}

type permissionOutcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitzero"`
}

type wirePermissionResponse struct {
	Outcome permissionOutcome `json:"outcome"`
	Meta    jsontext.Value    `json:"_meta,omitzero"`
}

// MarshalJSONTo implements [json.MarshalerTo].
func (r RequestPermissionResponse) MarshalJSONTo(enc *jsontext.Encoder) error {
	out := wirePermissionResponse{permissionOutcome{"selected", r.OptionID}, r.Meta}
	switch {
	case r.Cancelled:
		out.Outcome = permissionOutcome{Outcome: "cancelled"}
	case r.OptionID == "":
		return fmt.Errorf("permission response with neither an option nor cancelled")
	}
	return json.MarshalEncode(enc, &out)
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (r *RequestPermissionResponse) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var in wirePermissionResponse
	if err := json.UnmarshalDecode(dec, &in); err != nil {
		return err
	}
	*r = RequestPermissionResponse{in.Outcome.OptionID, in.Outcome.Outcome == "cancelled", in.Meta}
	return nil
}

// ReadTextFileRequest asks for a text as the user sees it (method
// fs/read_text_file). Line is 1-based; nil means from the first, Limit nil to
// the last line.
type ReadTextFileRequest struct {
	SessionID string         `json:"sessionId"`
	Path      string         `json:"path"`
	Line      *uint32        `json:"line,omitzero" acp:"strict"`
	Limit     *uint32        `json:"limit,omitzero" acp:"strict"`
	Meta      jsontext.Value `json:"_meta,omitzero"`
}

func (r *ReadTextFileRequest) check() ([]error, error) {
	if r.SessionID == "" || r.Path == "" {
		return nil, missing("fs/read_text_file", "sessionId or path")
	}
	return nil, nil
}

// ReadTextFileResponse is the text.
type ReadTextFileResponse struct {
	Content string         `json:"content"`
	Meta    jsontext.Value `json:"_meta,omitzero"`
}

// WriteTextFileRequest gives a file a new text, whole (method fs/write_text_file).
type WriteTextFileRequest struct {
	SessionID string         `json:"sessionId"`
	Path      string         `json:"path"`
	Content   string         `json:"content"`
	Meta      jsontext.Value `json:"_meta,omitzero"`
}

// decodeWriteTextFile reads the params of fs/write_text_file. The content may be
// megabytes, so it is unquoted in one pass and nothing else is built. A request
// without content is refused: it would empty the file.
func decodeWriteTextFile(data []byte) (*WriteTextFileRequest, error) {
	r := new(WriteTextFileRequest)
	hasContent := false
	m := scanObject(data, 0)
	for {
		name, value, more := m.next()
		if !more {
			break
		}
		ok := true
		switch string(name) {
		case "sessionId":
			r.SessionID, ok = unquote(value)
		case "path":
			r.Path, ok = unquote(value)
		case "content":
			r.Content, ok = unquote(value)
			hasContent = true
		case "_meta":
			if isValid(value) {
				r.Meta = append(jsontext.Value(nil), value...)
			}
		}
		if !ok {
			return nil, fmt.Errorf("fs/write_text_file: %s is not a string", name)
		}
	}
	switch {
	case !m.ok():
		return nil, fmt.Errorf("fs/write_text_file: params are not an object")
	case r.SessionID == "" || r.Path == "":
		return nil, missing("fs/write_text_file", "sessionId or path")
	case !hasContent:
		return nil, missing("fs/write_text_file", "content")
	}
	return r, nil
}

// WriteTextFileResponse says that the whole text is in the file.
type WriteTextFileResponse struct {
	Meta jsontext.Value `json:"_meta,omitzero"`
}

// CreateTerminalRequest starts a command (method terminal/create).
type CreateTerminalRequest struct {
	SessionID       string         `json:"sessionId"`
	Command         string         `json:"command"`
	Args            []string       `json:"args,omitzero" acp:"strict"`
	Env             []EnvVariable  `json:"env,omitzero" acp:"strict"`
	Cwd             string         `json:"cwd,omitzero" acp:"strict"`             // absolute; "": the session's
	OutputByteLimit *uint64        `json:"outputByteLimit,omitzero" acp:"strict"` // bytes of UTF-8 kept
	Meta            jsontext.Value `json:"_meta,omitzero"`
}

func (r *CreateTerminalRequest) check() ([]error, error) {
	if r.SessionID == "" || r.Command == "" {
		return nil, missing("terminal/create", "sessionId or command")
	}
	return nil, nil
}

// CreateTerminalResponse names the terminal.
type CreateTerminalResponse struct {
	TerminalID string         `json:"terminalId"`
	Meta       jsontext.Value `json:"_meta,omitzero"`
}

// TerminalRequest names a terminal: the params of terminal/output,
// terminal/wait_for_exit, terminal/kill and terminal/release.
type TerminalRequest struct {
	SessionID  string         `json:"sessionId"`
	TerminalID string         `json:"terminalId"`
	Meta       jsontext.Value `json:"_meta,omitzero"`
}

func (r *TerminalRequest) check() ([]error, error) {
	if r.SessionID == "" || r.TerminalID == "" {
		return nil, missing("terminal request", "sessionId or terminalId")
	}
	return nil, nil
}

// TerminalOutputResponse is the output so far, at most its last
// outputByteLimit bytes. ExitStatus is nil while the command runs.
type TerminalOutputResponse struct {
	Output     string              `json:"output"`
	Truncated  bool                `json:"truncated"`
	ExitStatus *TerminalExitStatus `json:"exitStatus,omitzero"`
	Meta       jsontext.Value      `json:"_meta,omitzero"`
}

// TerminalExitStatus says how a command ended: by ExitCode or by Signal.
type TerminalExitStatus struct {
	ExitCode *uint32        `json:"exitCode,omitzero"`
	Signal   string         `json:"signal,omitzero"` // as "SIGKILL"
	Meta     jsontext.Value `json:"_meta,omitzero"`
}

// Modes of an elicitation.
const (
	ElicitForm = "form"
	ElicitURL  = "url"
)

// ElicitationRequest asks the user for something (method elicitation/create), by
// a form of which RequestedSchema is the JSON schema, or by opening URL. It
// belongs to a session, and perhaps to a tool call, or to the request RequestID.
type ElicitationRequest struct {
	Mode            string         `json:"mode"`
	Message         string         `json:"message"`
	SessionID       string         `json:"sessionId,omitzero" acp:"strict"`
	ToolCallID      string         `json:"toolCallId,omitzero"`
	RequestID       jsontext.Value `json:"requestId,omitzero"`
	RequestedSchema jsontext.Value `json:"requestedSchema,omitzero" acp:"strict"`
	ElicitationID   string         `json:"elicitationId,omitzero" acp:"strict"`
	URL             string         `json:"url,omitzero" acp:"strict"`
	Meta            jsontext.Value `json:"_meta,omitzero"`
	Extra           jsontext.Value `json:",embed"`
}

func (r *ElicitationRequest) check() ([]error, error) {
	switch {
	case r.Mode == "":
		return nil, missing("elicitation", "mode")
	case r.Mode == ElicitForm && r.RequestedSchema == nil:
		return nil, missing("elicitation form", "requestedSchema")
	case r.Mode == ElicitURL && (r.URL == "" || r.ElicitationID == ""):
		return nil, missing("elicitation", "url or elicitationId")
	}
	return nil, nil
}

// Actions of an [ElicitationResponse].
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// ElicitationResponse is what the user did. Content goes with ElicitAccept:
// strings, numbers, booleans and lists of strings by the names of the form.
type ElicitationResponse struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content,omitzero"`
	Meta    jsontext.Value `json:"_meta,omitzero"`
}
