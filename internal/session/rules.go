package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/internal/policy"
)

// request is what the user's rules are asked about: every request of a session is made here, so
// that a rule means the same wherever it is looked up.
func (s *session) request(kind, command string, paths []string) policy.Request {
	r := policy.Request{Agent: s.agentName, Kind: kind, Command: command, Roots: s.roots(), Home: homeFolder()}
	for _, path := range paths {
		named := absolutePath(underHome(path), s.cwd)
		is := named
		if p, err := buffers.Resolve(named); err == nil {
			is = string(p)
		}
		if !slices.Contains(r.Paths, is) {
			r.Paths = append(r.Paths, is)
		}
		if is != named && !slices.Contains(r.Named, named) {
			r.Named = append(r.Named, named)
		}
	}
	return r
}

// homeFolder is what ~/ in a rule stands for, as paths are resolved; empty if nobody knows.
func homeFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if p, err := buffers.Resolve(home); err == nil {
		return string(p)
	}
	return home
}

// underHome spells out a path that begins with ~/, as many an agent's tools do.
func underHome(path string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/"); ok && homeFolder() != "" {
		return filepath.Join(homeFolder(), rest)
	}
	return path
}

// requestOf is the request of a tool call, of which raw is the raw input: with every file that
// it is known to be about.
func (s *session) requestOf(call ToolCall, raw []byte) policy.Request {
	var paths []string
	for _, l := range call.Locations {
		paths = append(paths, l.Path)
	}
	for _, t := range call.Content {
		if t.Type == "diff" {
			paths = append(paths, t.Path)
		}
	}
	r := s.request(call.Kind, call.Command, paths)
	_, r.Readings = commandsOf(raw)
	return r
}

// ruled applies the user's permission rules: allow takes the once-option, so that the rule
// stays the user's and the agent remembers nothing; without one the user is asked.
//
// What a rule denies is never asked about. If the agent does not offer to be refused once it
// is refused for good, which errs to the safe side of what the rule says anyhow, and the user is told;
// if it offers no refusal at all, ACP leaves only "cancelled".
func (c *Core) ruled(s *session, r policy.Request, options []PermissionOption) (o PermissionOutcome, ok bool) {
	switch decision, _ := policy.Decide(c.settings().Permissions, r); decision {
	case policy.Allow:
		o.OptionID = optionOf(options, "allow_once")
		return o, o.OptionID != ""
	case policy.Deny:
		if o.OptionID = optionOf(options, "reject_once"); o.OptionID != "" {
			return o, true
		}
		if o.OptionID = optionOf(options, "reject_always"); o.OptionID == "" {
			return PermissionOutcome{Cancelled: true}, true
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tellOnce(fmt.Sprintf("A rule of yours denies what %s has asked for, and it offers no way to refuse that once: it may refuse the like by itself from now on, until its session ends.", s.agentName))
		return o, true
	}
	return o, false
}
