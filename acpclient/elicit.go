package acpclient

import (
	"maps"
	"slices"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/session"
)

// property is what a form's schema says of one field (ACP elicitation).
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	OneOf       []choice `json:"oneOf"`
	Default     any      `json:"default"`
	Items       *struct {
		Enum  []string `json:"enum"`
		AnyOf []choice `json:"anyOf"`
	} `json:"items"`
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// toForm turns a form into the core's. Fields of unknown types are asked for as
// text. URLs are not asked here: an agent is not told we could open them.
func toForm(agent string, r *wire.ElicitationRequest) (session.Form, bool) {
	if r.Mode != wire.ElicitForm {
		return session.Form{}, false
	}
	var schema struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if _, err := wire.Decode(r.RequestedSchema, &schema); err != nil {
		return session.Form{}, false
	}
	f := session.Form{Title: agent + ": " + r.Message}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p := schema.Properties[name]
		q := session.FormQuestion{ID: name, Prompt: p.Title, Type: p.Type, Default: p.Default,
			Required: slices.Contains(schema.Required, name)}
		if q.Prompt == "" {
			q.Prompt = name
		}
		if p.Description != "" {
			q.Prompt += ": " + p.Description
		}
		enum, oneOf := p.Enum, p.OneOf
		if p.Type == "array" && p.Items != nil {
			enum, oneOf, q.Multiple = p.Items.Enum, p.Items.AnyOf, true
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
			q.Type = "choice"
		case q.Type != "number" && q.Type != "integer" && q.Type != "boolean":
			q.Type = "string"
		}
		f.Questions = append(f.Questions, q)
	}
	return f, true
}
