package session

import (
	"slices"
	"strings"
	"time"

	"acp-ls/internal/policy"
)

// What agents run here is seen: mostly a tool call of theirs shows the terminal. A command
// that none shows gets an entry of its own, with its output.

// unshownFor is how long a command waits for a tool call that shows it.
const unshownFor = time.Second

// Program is what an agent wants to run in a terminal.
type Program struct {
	Command string
	Args    []string // none: Command is perhaps a shell line
	Cwd     string   // absolute; empty: the session's
}

// line is the command as one would type it, without shells that only run it.
func (p Program) line() string {
	if len(p.Args) == 0 {
		return p.Command
	}
	return joinWords(append([]string{p.Command}, p.Args...))
}

// lines are those that rules are asked about: the command itself and, where a shell runs it,
// what that is given.
func (p Program) lines() []string { return readingsOf(append([]string{p.Command}, p.Args...)) }

// denied reports whether the user's rules deny that the session runs it. That a rule asks is
// the agent's business, before: it can run programs without us too.
func (c *Core) denied(s *session, p Program) bool {
	return slices.ContainsFunc(p.lines(), func(line string) bool {
		d, _ := policy.Decide(c.settings().Permissions, s.request("execute", line, nil))
		return d == policy.Deny
	})
}

// ran is a command in a terminal of the session.
type ran struct {
	line  string
	turn  string        // in which it was begun
	exit  *TerminalExit // nil: it runs
	timer *time.Timer   // to its entry; nil if that is there, or a tool call shows it
}

// entryOf is the id of the tool call by which a terminal is shown.
func entryOf(terminal string) string { return "terminal:" + terminal }

// TerminalCreated is called when a program that was allowed has been started.
func (h *host) TerminalCreated(sessionID, terminal string, p Program) {
	s := h.proc.session(sessionID)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.ranIn(terminal)
	r.line, r.turn = p.line(), s.turnNow()
	if !s.toolShows(terminal) && s.state != StateClosed {
		r.timer = time.AfterFunc(unshownFor, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.showRan(terminal)
		})
	}
}

// ranIn is the command of a terminal; mu is held.
func (s *session) ranIn(terminal string) *ran {
	r := s.ran[terminal]
	if r == nil {
		r = &ran{}
		if s.ran == nil {
			s.ran = map[string]*ran{}
		}
		s.ran[terminal] = r
	}
	return r
}

func (s *session) turnNow() string {
	if s.running == nil {
		return ""
	}
	return s.running.id
}

// toolShows reports whether a tool call shows the terminal; mu is held.
func (s *session) toolShows(terminal string) bool {
	return slices.ContainsFunc(s.log.items, shows(terminal))
}

// shows reports of an item whether it is a tool call that shows the terminal.
func shows(terminal string) func(*item) bool {
	return func(it *item) bool {
		return it.Tool != nil && slices.ContainsFunc(it.Tool.Content, func(c ToolContent) bool { return c.Terminal == terminal })
	}
}

// shownBy takes note of a tool call that shows terminals; mu is held.
func (s *session) shownBy(p ToolPatch) {
	if p.Content == nil {
		return
	}
	for _, c := range *p.Content {
		if r := s.ran[c.Terminal]; r != nil && r.timer != nil {
			r.timer.Stop()
			r.timer = nil
		}
	}
}

// showRan makes the entry of a command that nothing shows, if that is still so; mu is held.
func (s *session) showRan(terminal string) {
	r := s.ran[terminal]
	if r == nil || r.timer == nil || s.state == StateClosed {
		return
	}
	r.timer.Stop()
	r.timer = nil
	if s.toolShows(terminal) {
		return
	}
	title, kind, status := r.line, "execute", r.status()
	content := []ToolContent{{Type: "terminal", Terminal: terminal}}
	it := s.log.tool(r.turn, ToolPatch{ID: entryOf(terminal), Title: &title, Kind: &kind, Status: &status, Content: &content})
	it.Tool.Command = r.line
	s.entryChanged(it)
}

func (r *ran) status() string {
	switch {
	case r.exit == nil:
		return "in_progress"
	case r.exit.ExitCode != nil && *r.exit.ExitCode == 0:
		return "completed"
	}
	return "failed"
}

// showAllRan makes the entries that are still owed, as the turn ends; mu is held.
func (s *session) showAllRan() {
	var owed []string
	for terminal, r := range s.ran {
		if r.timer != nil {
			owed = append(owed, terminal)
		}
	}
	slices.Sort(owed)
	for _, terminal := range owed {
		s.showRan(terminal)
	}
}

// ranEnded takes in how a command has ended.
func (s *session) ranEnded(terminal string, exit *TerminalExit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.ranIn(terminal)
	r.exit = exit
	it := s.log.tools[entryOf(terminal)]
	if it == nil {
		if r.line != "" && r.timer == nil {
			delete(s.ran, terminal) // a tool call shows it
			if i := slices.IndexFunc(s.log.items, shows(terminal)); i >= 0 {
				s.log.items[i].exited = true
			}
		}
		return
	}
	status := r.status()
	p := ToolPatch{ID: entryOf(terminal), Status: &status}
	it.Tool.Status = status
	s.entryChanged(it)
	s.touched(p)
}

// runsYet reports whether a tool call is a command that has not ended; mu is held.
func (s *session) runsYet(call string) bool {
	terminal, ok := strings.CutPrefix(call, entryOf(""))
	r := s.ran[terminal]
	return ok && r != nil && r.line != "" && r.exit == nil
}
