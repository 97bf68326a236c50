package wire

import (
	"fmt"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
