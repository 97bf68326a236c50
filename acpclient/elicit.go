package acpclient

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/session"
)

// property is what a form's schema says of one field (ACP elicitation). What of it is
// bad costs itself alone: the field is asked for all the same.
type property struct {
	Type        string   `json:"type,omitzero"`
	Title       string   `json:"title,omitzero"`
	Description string   `json:"description,omitzero"`
	Enum        []string `json:"enum,omitzero"`
	OneOf       []choice `json:"oneOf,omitzero"`
	Default     any      `json:"default,omitzero"`
	Items       struct {
		Enum  []string `json:"enum,omitzero"`
		AnyOf []choice `json:"anyOf,omitzero"`
	} `json:"items,omitzero"`
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title,omitzero"`
}

// properties are the fields of a form as the agent has ordered them: it asks first for
// what it asks first.
type properties struct {
	names     []string
	byName    map[string]property
	tolerated []error
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (p *properties) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = properties{byName: map[string]property{}}
	if dec.PeekKind() == 'n' {
		return dec.SkipValue()
	}
	if begin, err := dec.ReadToken(); err != nil {
		return err
	} else if begin.Kind() != '{' {
		return errors.New("the fields of a form are not an object")
	}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		var field property
		tolerated, err := wire.Decode(value, &field)
		if err != nil {
			tolerated = []error{err}
		}
		for _, t := range tolerated {
			p.tolerated = append(p.tolerated, fmt.Errorf("%s: %w", name, t))
		}
		if _, again := p.byName[name]; !again {
			p.names = append(p.names, name)
		}
		p.byName[name] = field
	}
	_, err := dec.ReadToken()
	return err
}

// toForm turns a form into the core's, and says what was bad in it and left out. Fields of
// unknown types are asked for as text. URLs are not asked here: an agent is not told we
// could open them.
func toForm(agent string, r *wire.ElicitationRequest) (form session.Form, tolerated []error, ok bool) {
	if r.Mode != wire.ElicitForm {
		return session.Form{}, nil, false
	}
	var schema struct {
		Properties properties `json:"properties"`
		Required   []string   `json:"required,omitzero"`
	}
	tolerated, err := wire.Decode(r.RequestedSchema, &schema)
	if err != nil {
		return session.Form{}, []error{err}, false
	}
	tolerated = append(tolerated, schema.Properties.tolerated...)
	form.Title = agent + ": " + r.Message
	for _, name := range schema.Properties.names {
		q, err := toQuestion(name, schema.Properties.byName[name])
		if err != nil {
			tolerated = append(tolerated, fmt.Errorf("%s: %w", name, err))
		}
		q.Required = slices.Contains(schema.Required, name)
		form.Questions = append(form.Questions, q)
	}
	return form, tolerated, true
}

// toQuestion is what is asked of one field. An error says what was left out of it.
func toQuestion(name string, p property) (session.FormQuestion, error) {
	q := session.FormQuestion{ID: name, Prompt: p.Title, Type: p.Type}
	if q.Prompt == "" {
		q.Prompt = name
	}
	if p.Description != "" {
		q.Prompt += ": " + p.Description
	}
	enum, oneOf := p.Enum, p.OneOf
	if p.Type == "array" {
		enum, oneOf = p.Items.Enum, p.Items.AnyOf
	}
	for _, e := range enum {
		q.Options = append(q.Options, session.FormOption{ID: e, Label: e})
	}
	for _, o := range oneOf {
		label := o.Title
		if label == "" {
			label = o.Const
		}
		q.Options = append(q.Options, session.FormOption{ID: o.Const, Label: label})
	}
	switch {
	case len(q.Options) > 0:
		q.Type, q.Multiple = "choice", p.Type == "array"
	case q.Type != "number" && q.Type != "integer" && q.Type != "boolean":
		q.Type = "string"
	}
	var err error
	q.Default, err = defaultOf(q, p.Default)
	return q, err
}

// defaultOf is what stands in a field at first: v, as far as it can stand there.
func defaultOf(q session.FormQuestion, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	fits := false
	switch v := v.(type) {
	case bool:
		fits = q.Type == "boolean"
	case float64:
		fits = q.Type == "number" || q.Type == "integer" && v == math.Trunc(v)
	case string:
		fits = q.Type == "string" || q.Type == "choice" && !q.Multiple
	case []any:
		if !q.Multiple {
			break
		}
		chosen := slices.DeleteFunc(slices.Clone(v), func(id any) bool { _, ok := id.(string); return !ok })
		if len(chosen) == len(v) {
			return chosen, nil
		}
		return chosen, errors.New("default: not all of it are names of choices")
	}
	if !fits {
		return nil, fmt.Errorf("default: %v is no %s", v, q.Type)
	}
	return v, nil
}
