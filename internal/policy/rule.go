package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Decision is what becomes of a request. None is not an answer of a user but
// says that no rule speaks of the request.
type Decision string

const (
	None  Decision = ""
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// kinds are the words of ACP for what a tool call does.
var kinds = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

// Rule is one entry of the setting `permissions`. An empty member limits nothing.
type Rule struct {
	Agent   string   // glob over the agent's name
	Kinds   []string // ACP's tool kinds
	Path    string   // glob; see [Decide]
	Command string   // glob over the whole command line; see [Decide]
	Decide  Decision
}

// ParseRule reads a rule as settings spell it. Its errors name the member and
// the value.
func ParseRule(raw []byte) (Rule, error) {
	var in struct {
		Agent   string          `json:"agent"`
		Kind    json.RawMessage `json:"kind"`
		Path    string          `json:"path"`
		Command string          `json:"command"`
		Decide  Decision        `json:"decide"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return Rule{}, fmt.Errorf("%s is not a rule: %w", raw, err)
	}
	r := Rule{Agent: in.Agent, Path: in.Path, Command: in.Command, Decide: in.Decide}
	if len(in.Kind) > 0 && !bytes.Equal(in.Kind, []byte("null")) {
		var one string
		if err := json.Unmarshal(in.Kind, &one); err == nil {
			r.Kinds = []string{one}
		} else if err := json.Unmarshal(in.Kind, &r.Kinds); err != nil {
			return Rule{}, fmt.Errorf("kind: %s is neither a word nor a list of words", in.Kind)
		}
		if slices.Equal(r.Kinds, []string{"*"}) {
			r.Kinds = nil
		} else if len(r.Kinds) == 0 {
			return Rule{}, fmt.Errorf("kind: an empty list matches nothing; leave it out to match every kind")
		}
	}
	return r, r.check()
}

func (r Rule) check() error {
	switch r.Decide {
	case Allow, Ask, Deny:
	case None:
		return fmt.Errorf(`decide: missing; it is one of "allow", "ask", "deny"`)
	default:
		return fmt.Errorf(`decide: %q is not one of "allow", "ask", "deny"`, r.Decide)
	}
	for _, k := range r.Kinds {
		if !slices.Contains(kinds, k) {
			return fmt.Errorf("kind: %q is not one of %s", k, strings.Join(kinds, ", "))
		}
	}
	for _, g := range []struct{ member, pattern string }{{"agent", r.Agent}, {"path", r.Path}} {
		if !doublestar.ValidatePattern(g.pattern) {
			return fmt.Errorf("%s: %q is not a valid pattern", g.member, g.pattern)
		}
	}
	return nil
}
