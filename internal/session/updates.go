package session

import (
	"fmt"
	"slices"
)

// update takes in one update of the agent.
func (s *session) update(u Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == StateClosed {
		return
	}
	s.heard()
	if s.worksOn(u) {
		s.hasPrompt()
	}
	turnID := ""
	if s.running != nil {
		turnID = s.running.id
	}
	switch u := u.(type) {
	case ContentChunk:
		s.chunk(turnID, u)
	case ToolPatch:
		it := s.log.tool(turnID, u)
		s.entryChanged(it)
		s.tools.called(it)
		s.progress(u)
		s.name(it, u)
		s.touched(u)
		s.shownBy(u)
	case PlanUpdate:
		s.plan(turnID, u.Items)
	case CommandsUpdate:
		s.commands = u.Commands
		s.changed()
	case OptionsUpdate:
		s.options = u.Options
		s.changed()
	case ModeUpdate:
		s.setValue("mode", u.ModeID)
		s.changed()
	case InfoUpdate:
		if u.Title != nil {
			s.title = *u.Title
			s.changed()
		}
	case UsageUpdate:
		usage := u.Usage
		s.usage = &usage
		s.changed()
	case Notice:
		kind := EntryNotice
		if u.Severity == "error" {
			kind = EntryError
		}
		text := u.Title
		if u.Description != "" {
			text += "\n" + u.Description
		}
		s.entryChanged(s.log.add(kind, turnID, text))
	case Compaction:
		switch u.Status {
		case "in_progress":
			s.entryChanged(s.log.add(EntryNotice, turnID, "the agent shortens its context"))
		case "failed":
			s.entryChanged(s.log.add(EntryError, turnID, "the agent could not shorten its context: "+u.Error))
		}
	}
}

// worksOn reports whether an update is a sign that the agent has the prompt of the turn that runs:
// others come at any time, and of what goes on since an earlier turn; mu is held.
func (s *session) worksOn(u Update) bool {
	switch u := u.(type) {
	case ContentChunk:
		return u.Role != "user" // which is an echo, of a program that need not have told its model
	case ToolPatch:
		it := s.log.tools[u.ID]
		return it == nil || s.running != nil && it.Turn == s.running.id
	case PlanUpdate, Compaction:
		return true
	}
	return false
}

func (s *session) chunk(turnID string, u ContentChunk) {
	kind := EntryAgent
	switch u.Role {
	case "user":
		if !s.loading {
			return // the echo of our own prompt
		}
		kind = EntryUser
	case "thought":
		kind = EntryThought
	}
	text := blockText(u.Content)
	if text == "" {
		return
	}
	it, fresh := s.log.appendText(kind, turnID, u.MessageID, text)
	for _, a := range s.core.attached() {
		if fresh {
			a.editor.EntryChanged(s.id, it.entry())
		} else {
			a.editor.Chunk(s.id, it.ID, text)
		}
	}
}

// blockText is how a content block of a message reads in a transcript.
func blockText(b Block) string {
	switch b.Type {
	case "link":
		name := b.Name
		if name == "" {
			name = b.URI
		}
		return fmt.Sprintf("[%s](%s)", name, b.URI)
	case "resource":
		if b.Text == "" {
			return fmt.Sprintf("[%s](%s)", b.URI, b.URI)
		}
		return b.Text
	case "image", "audio":
		return fmt.Sprintf("*[%s, %s]*", b.Type, b.MimeType)
	}
	return b.Text
}

func (s *session) plan(turnID string, items []PlanItem) {
	for _, it := range slices.Backward(s.log.items) {
		if it.Kind == EntryPlan && it.Turn == turnID {
			it.Plan = items
			s.entryChanged(it)
			return
		}
	}
	it := s.log.add(EntryPlan, turnID, "")
	it.Plan = items
	s.entryChanged(it)
}
