package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"acp-ls/internal/policy"
)

// settings reads a whole layer. The keys are those of docs/editor-contract.md.
func (r reader) settings(s *Settings, raw json.RawMessage) {
	if isNull(raw) {
		return
	}
	r.object("", raw, map[string]member{
		"defaultAgent": {read: into(r, &s.DefaultAgent, text)},
		"agents":       {user: true, read: func(key string, raw json.RawMessage) { r.agents(key, raw, s) }},
		"mcpServers":   {user: true, read: func(key string, raw json.RawMessage) { r.mcpServers(key, raw, s) }},
		"editorTools":  {read: into(r, &s.EditorTools, boolean)},
		"review": {read: func(key string, raw json.RawMessage) {
			r.object(key, raw, map[string]member{
				"mode":        {read: into(r, &s.Review.Mode, word(ReviewAfter, ReviewBefore))},
				"codeLens":    {read: into(r, &s.Review.CodeLens, boolean)},
				"diagnostics": {read: into(r, &s.Review.Diagnostics, boolean)},
				"outOfBand":   {read: into(r, &s.Review.OutOfBand, boolean)},
				"tell":        {read: into(r, &s.Review.Tell, boolean)},
			})
		}},
		"permissions": {user: true, read: into(r, &s.Permissions, rules)},
		"files": {read: func(key string, raw json.RawMessage) {
			r.object(key, raw, map[string]member{
				"outside": {user: true, read: into(r, &s.Files.Outside, word(OutsideAsk, OutsideAllow, OutsideDeny))},
				"save":    {read: into(r, &s.Files.Save, word(SaveClean, SaveAlways, SaveNever))},
				"dirty":   {read: into(r, &s.Files.Dirty, word(DirtyEmbed, DirtySave, DirtyIgnore))},
			})
		}},
		"terminal": {read: into(r, &s.Terminal, boolean)},
		"limits": {user: true, read: func(key string, raw json.RawMessage) {
			r.object(key, raw, map[string]member{
				"message": {user: true, read: into(r, &s.Limits.Message, mebibytes)},
			})
		}},
		"trace": {user: true, read: into(r, &s.Trace, word(TraceOff, TraceMessages))},
	})
}

func (r reader) agents(key string, raw json.RawMessage, s *Settings) {
	entries, ok := r.members(key, raw)
	if !ok {
		return
	}
	all := maps.Clone(s.Agents)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if isNull(entries[name]) {
			continue
		}
		if name == "" {
			r.wrong(key, "an agent needs a name")
			continue
		}
		a := all[name]
		a.Env, a.Options = maps.Clone(a.Env), maps.Clone(a.Options)
		r.object(key+"."+name, entries[name], map[string]member{
			"command":    {read: into(r, &a.Command, text)},
			"args":       {read: into(r, &a.Args, texts)},
			"env":        {read: func(key string, raw json.RawMessage) { r.env(key, raw, &a) }},
			"authMethod": {read: into(r, &a.AuthMethod, text)},
			"options":    {read: func(key string, raw json.RawMessage) { r.options(key, raw, &a) }},
			"url":        {read: into(r, &a.URL, address)},
		})
		if below := all[name]; a.URL != below.URL && a.Command == below.Command {
			a.Command = "" // an address laid over a command replaces it
		} else if a.Command != below.Command && a.URL == below.URL {
			a.URL = ""
		}
		all[name] = a
	}
	s.Agents = all
}

// env is the one place where null is a value: it takes a variable away.
func (r reader) env(key string, raw json.RawMessage, a *Agent) {
	entries, ok := r.members(key, raw)
	if !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var value *string
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			r.wrong(key, "%q is not the name of a variable", name)
			continue
		case json.Unmarshal(entries[name], &value) != nil:
			r.wrong(key+"."+name, "%s is neither a string nor null", short(entries[name]))
			continue
		}
		if a.Env == nil {
			a.Env = map[string]*string{}
		}
		a.Env[name] = value
	}
}

func (r reader) options(key string, raw json.RawMessage, a *Agent) {
	entries, ok := r.members(key, raw)
	if !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var value any
		_ = json.Unmarshal(entries[name], &value) // it is valid JSON, being part of a valid text
		switch value.(type) {
		case nil:
			continue
		case string, bool:
		default:
			r.wrong(key+"."+name, "%s is neither a string nor true or false", short(entries[name]))
			continue
		}
		if a.Options == nil {
			a.Options = map[string]any{}
		}
		a.Options[name] = value
	}
}

// mcpServers replaces the list. A server that is wrong is left out, the others
// are still of use.
func (r reader) mcpServers(key string, raw json.RawMessage, s *Settings) {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		r.wrong(key, "%s is not a list", short(raw))
		return
	}
	servers := make([]MCPServer, 0, len(entries))
	for i, entry := range entries {
		var m MCPServer
		key := fmt.Sprintf("%s[%d]", key, i)
		before := len(*r.problems)
		r.object(key, entry, map[string]member{
			"type":    {read: into(r, &m.Type, word("", "stdio", "http", "sse"))},
			"name":    {read: into(r, &m.Name, text)},
			"command": {read: into(r, &m.Command, text)},
			"args":    {read: into(r, &m.Args, texts)},
			"env":     {read: into(r, &m.Env, nameValues)},
			"url":     {read: into(r, &m.URL, address)},
			"headers": {read: into(r, &m.Headers, nameValues)},
			"_meta":   {read: func(string, json.RawMessage) {}},
		})
		if slices.ContainsFunc((*r.problems)[before:], func(p Problem) bool { return !p.Warning }) {
			continue
		}
		if m.Type == "stdio" {
			m.Type = ""
		}
		switch {
		case m.Name == "":
			r.wrong(key, "a server needs a name")
		case m.Type == "" && m.Command == "":
			r.wrong(key, "%q needs a command, or a type (http or sse) and a url", m.Name)
		case m.Type != "" && m.URL == "":
			r.wrong(key, "%q is of type %s and needs a url", m.Name, m.Type)
		default:
			servers = append(servers, m)
		}
	}
	s.MCPServers = servers
}

// rules refuses the whole list for one bad rule: without it, a later rule could
// allow what it was written to deny.
func rules(raw json.RawMessage) ([]policy.Rule, error) {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		return nil, fmt.Errorf("%s is not a list of rules", short(raw))
	}
	list := make([]policy.Rule, len(entries))
	for i, entry := range entries {
		var err error
		if list[i], err = policy.ParseRule(entry); err != nil {
			return nil, fmt.Errorf("none of these rules is used: rule %d: %w", i+1, err)
		}
	}
	return list, nil
}

// into makes a member that stores what parse makes of the value, or reports
// why it cannot.
func into[T any](r reader, to *T, parse func(json.RawMessage) (T, error)) func(string, json.RawMessage) {
	return func(key string, raw json.RawMessage) {
		v, err := parse(raw)
		if err != nil {
			r.wrong(key, "%s", err)
			return
		}
		*to = v
	}
}

func text(raw json.RawMessage) (string, error) {
	var v string
	if json.Unmarshal(raw, &v) != nil {
		return "", fmt.Errorf("%s is not a string", short(raw))
	}
	if strings.TrimSpace(v) == "" {
		return "", fmt.Errorf("%s is empty", short(raw))
	}
	return v, nil
}

func boolean(raw json.RawMessage) (v bool, err error) {
	if json.Unmarshal(raw, &v) != nil {
		return false, fmt.Errorf("%s is neither true nor false", short(raw))
	}
	return v, nil
}

// mebibytes are what one message may have: at least what an ordinary file needs, and no
// more than the memory of most machines.
func mebibytes(raw json.RawMessage) (v int, err error) {
	if json.Unmarshal(raw, &v) != nil || v < 1 || v > 1024 {
		return 0, fmt.Errorf("%s is not a whole number of MiB from 1 to 1024", short(raw))
	}
	return v, nil
}

func texts(raw json.RawMessage) ([]string, error) {
	var v []*string
	if json.Unmarshal(raw, &v) != nil || slices.Contains(v, nil) {
		return nil, fmt.Errorf("%s is not a list of strings", short(raw))
	}
	out := make([]string, len(v))
	for i, s := range v {
		out[i] = *s
	}
	return out, nil
}

func nameValues(raw json.RawMessage) ([]NameValue, error) {
	var v []NameValue
	if json.Unmarshal(raw, &v) != nil || slices.ContainsFunc(v, func(n NameValue) bool { return n.Name == "" }) {
		return nil, fmt.Errorf(`%s is not a list of {"name", "value"}`, short(raw))
	}
	return v, nil
}

func address(raw json.RawMessage) (string, error) {
	v, err := text(raw)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(v)
	if err != nil || u.Host == "" || !slices.Contains([]string{"ws", "wss", "http", "https"}, u.Scheme) {
		return "", fmt.Errorf("%s is not an address that starts with ws://, wss://, http:// or https://", short(raw))
	}
	return v, nil
}

// word makes a parser of one of a few words.
func word[T ~string](words ...T) func(json.RawMessage) (T, error) {
	return func(raw json.RawMessage) (T, error) {
		var v T
		if json.Unmarshal(raw, &v) == nil && slices.Contains(words, v) {
			return v, nil
		}
		quoted := make([]string, 0, len(words))
		for _, w := range words {
			if w != "" {
				quoted = append(quoted, fmt.Sprintf("%q", w))
			}
		}
		return "", fmt.Errorf("%s is not one of %s", short(raw), strings.Join(quoted, ", "))
	}
}
