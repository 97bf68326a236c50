package session

import (
	"context"
	"fmt"
	"slices"
)

// setWanted sets the options the user configured for the agent or asked for.
// One the agent does not have is a notice, not a failure.
func (s *session) setWanted(ctx context.Context, p *agentProcess) error {
	wanted := map[string]any{}
	if a, ok := s.core.settings().Agents[s.agentName]; ok {
		for k, v := range a.Options {
			wanted[k] = v
		}
	}
	for k, v := range s.wanted {
		wanted[k] = v
	}
	keys := make([]string, 0, len(wanted))
	for k := range wanted {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if err := s.setOption(ctx, p, k, wanted[k]); err != nil {
			s.notice("", EntryNotice, fmt.Sprintf("option %s was not set: %v", k, err))
		}
	}
	return nil
}

func (s *session) setOption(ctx context.Context, p *agentProcess, option string, value any) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.options, func(o Option) bool { return o.ID == option })
	remote := s.remote
	s.mu.Unlock()
	if i < 0 {
		return Errorf(KindInvalid, "agent %s has no option %q", s.agentName, option)
	}
	options, err := p.agent.SetOption(ctx, remote, option, value)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if options == nil { // it has no more to say than that it did
		s.setValue(option, value)
	} else {
		s.options = options
	}
	s.changed()
	return nil
}

// setValue notes an option's new value; mu is held.
func (s *session) setValue(option string, value any) {
	if i := slices.IndexFunc(s.options, func(o Option) bool { return o.ID == option }); i >= 0 {
		s.options = slices.Clone(s.options)
		s.options[i].Value = value
	}
}

// SetOption sets an option of a session.
func (c *Core) SetOption(ctx context.Context, id, option string, value any) (Info, error) {
	s, err := c.findSession(id)
	if err != nil {
		return Info{}, err
	}
	p, err := s.process()
	if err != nil {
		return Info{}, err
	}
	if err := s.setOption(ctx, p, option, value); err != nil {
		return Info{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info(), nil
}
