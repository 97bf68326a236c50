package wire

import (
	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
