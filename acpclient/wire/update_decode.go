package wire

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

func (u *MessageChunk) check() ([]error, error) { return u.Content.check() }

func (u *ToolCall) check() ([]error, error) {
	if u.ToolCallID == "" {
		return nil, missing("tool call", "toolCallId")
	}
	return checkLocations(&u.Locations, checkItems("content", &u.Content, nil)), nil
}

func (u *ToolCallUpdate) check() ([]error, error) {
	if u.ToolCallID == "" {
		return nil, missing("tool call", "toolCallId")
	}
	return checkLocations(&u.Locations, checkItems("content", &u.Content, nil)), nil
}

func checkLocations(locations *[]Location, tolerated []error) []error {
	return checkItems("locations", locations, tolerated)
}

func (l *Location) check() ([]error, error) {
	if l.Path == "" {
		return nil, missing("location", "path")
	}
	return nil, nil
}

func (u *AvailableCommands) check() ([]error, error) {
	return checkItems("availableCommands", &u.Commands, nil), nil
}

func (c *Command) check() ([]error, error) {
	if c.Name == "" {
		return nil, missing("command", "name")
	}
	return nil, nil
}

func (u *CurrentMode) check() ([]error, error) {
	if u.CurrentModeID == "" {
		return nil, missing("current mode", "currentModeId")
	}
	return nil, nil
}

func (u *ConfigOptions) check() ([]error, error) {
	return checkItems("configOptions", &u.Options, nil), nil
}

func (u *Notice) check() ([]error, error) {
	if u.Title == "" {
		return nil, missing("notice", "title")
	}
	return nil, nil
}

func (u *Compaction) check() ([]error, error) {
	if u.CompactionID == "" {
		return nil, missing("compaction", "compactionId")
	}
	return checkItems("summary", &u.Summary.Value, nil), nil
}

func (u *CompactionChunk) check() ([]error, error) {
	if u.CompactionID == "" {
		return nil, missing("compaction chunk", "compactionId")
	}
	return u.Content.check()
}

// The discriminators of the updates that are not chunks.
const (
	kindToolCall          = "tool_call"
	kindToolCallUpdate    = "tool_call_update"
	kindPlan              = "plan"
	kindAvailableCommands = "available_commands_update"
	kindCurrentMode       = "current_mode_update"
	kindConfigOptions     = "config_option_update"
	kindSessionInfo       = "session_info_update"
	kindUsage             = "usage_update"
	kindNotice            = "notice"
	kindCompaction        = "compaction_update"
	kindCompactionChunk   = "compaction_summary_chunk"
)

func newUpdate(kind string) Update {
	switch kind {
	case UserMessageChunk, AgentMessageChunk, AgentThoughtChunk:
		return new(MessageChunk)
	case kindToolCall:
		return new(ToolCall)
	case kindToolCallUpdate:
		return new(ToolCallUpdate)
	case kindPlan:
		return new(Plan)
	case kindAvailableCommands:
		return new(AvailableCommands)
	case kindCurrentMode:
		return new(CurrentMode)
	case kindConfigOptions:
		return new(ConfigOptions)
	case kindSessionInfo:
		return new(SessionInfoUpdate)
	case kindUsage:
		return new(Usage)
	case kindNotice:
		return new(Notice)
	case kindCompaction:
		return new(Compaction)
	case kindCompactionChunk:
		return new(CompactionChunk)
	}
	return nil
}

// DecodeUpdate reads an update. It never fails: what can not be read is an
// [UnknownUpdate]. The list names what was tolerated.
func DecodeUpdate(raw []byte) (Update, []error) {
	if u := fastChunk(raw); u != nil {
		return u, nil
	}
	kind, _ := unquote(member(raw, "sessionUpdate"))
	u := newUpdate(kind)
	if u == nil {
		unknown := &UnknownUpdate{Kind: kind, Raw: append(jsontext.Value(nil), raw...)}
		switch {
		case !isValid(raw):
			unknown.Err = errors.New("update is not valid JSON")
		case kind == "":
			unknown.Err = missing("update", "sessionUpdate")
		}
		return unknown, nil
	}
	tolerated, err := Decode(raw, u)
	if err != nil {
		err = fmt.Errorf("update %s: %w", kind, err)
		return &UnknownUpdate{Kind: kind, Raw: append(jsontext.Value(nil), raw...), Err: err}, tolerated
	}
	return u, tolerated
}

// fastChunk reads a chunk of plain text, by far the most frequent message. It
// returns nil for anything else, which is then read the general way.
func fastChunk(raw []byte) *MessageChunk {
	m := scanObject(raw, 0)
	chunk, _ := readChunk(&m)
	return chunk
}

// readChunk is fastChunk for an object that stands in a larger message. If it
// returns a chunk the object was passed to its end. text is the chunk's text as it
// stands there.
func readChunk(m *members) (chunk *MessageChunk, text []byte) {
	var kind string
	var messageID []byte
	isText := false
	for {
		name, more := m.name()
		if !more {
			break
		}
		switch string(name) {
		case "sessionUpdate":
			switch string(m.value()) {
			case `"agent_message_chunk"`:
				kind = AgentMessageChunk
			case `"agent_thought_chunk"`:
				kind = AgentThoughtChunk
			case `"user_message_chunk"`:
				kind = UserMessageChunk
			default:
				return nil, nil
			}
		case "content":
			content := m.enter()
			if text, isText = readText(&content); !isText || !m.leave(&content) {
				return nil, nil
			}
		case "messageId":
			messageID = m.value()
		default:
			return nil, nil
		}
	}
	if !m.ok() || kind == "" || !isText {
		return nil, nil
	}
	u := &MessageChunk{Kind: kind}
	u.Content.Type = ContentText
	var ok bool
	if u.Content.Text, ok = unquote(text); !ok {
		return nil, nil
	}
	if messageID != nil {
		if u.MessageID, ok = unquote(messageID); !ok {
			return nil, nil
		}
	}
	return u, text
}

// readText reads a content block that is text and nothing more.
func readText(m *members) (text []byte, isText bool) {
	for {
		name, value, more := m.next()
		if !more {
			return text, isText
		}
		switch string(name) {
		case "type":
			isText = string(value) == `"text"`
		case "text":
			text = value
		default:
			return nil, false
		}
	}
}
