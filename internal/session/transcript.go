package session

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// transcript is what a session shows: entries in the order they began. It is
// guarded by its session's mutex. Text grows in a buffer, so that a long answer
// of many chunks costs its length, not its square.
type transcript struct {
	items  []*item
	tools  map[string]*item // by tool call id
	nextID int

	outputs outputs
}

type item struct {
	Entry
	text    []byte
	message string    // the agent's messageId of a streamed text
	closed  bool      // no further chunk joins it
	raw     []byte    // of a tool call that has not ended: its raw input
	ended   time.Time // of a tool call: when that was heard; zero if it has not, or nobody knows
	asked   int       // of a tool call: how many questions about it are open
	refused bool      // of a tool call: the last one was answered with no, or with nothing
	exited  bool      // of a tool call: a command in a terminal that it shows has ended
}

func (it *item) entry() Entry {
	e := it.Entry
	if len(it.text) > 0 {
		e.Text = string(it.text)
	}
	if e.Tool != nil {
		t := *e.Tool
		t.Content = slices.Clone(t.Content)
		t.Locations = slices.Clone(t.Locations)
		e.Tool = &t
	}
	return e
}

func (t *transcript) add(kind EntryKind, turn, text string) *item {
	t.nextID++
	it := &item{Entry: Entry{ID: fmt.Sprintf("e%d", t.nextID), Kind: kind, Turn: turn}, text: []byte(text)}
	if n := len(t.items); n > 0 {
		t.items[n-1].closed = true
	}
	t.items = append(t.items, it)
	return it
}

// endsIn reports whether nothing has come of all prompts since an error: the same one
// need not be said again.
func (t *transcript) endsIn(err string) bool {
	for _, it := range slices.Backward(t.items) {
		switch it.Kind {
		case EntryUser, EntryNotice:
		case EntryError:
			return string(it.text) == err
		default:
			return false
		}
	}
	return false
}

// appendText joins text to the streamed entry it belongs to. A chunk continues
// the last entry if that is of the same kind and message; fresh tells that a
// new entry was begun.
func (t *transcript) appendText(kind EntryKind, turn, message, text string) (it *item, fresh bool) {
	if n := len(t.items); n > 0 {
		last := t.items[n-1]
		same := last.message == message || last.message == "" || message == ""
		if last.Kind == kind && last.Turn == turn && !last.closed && same {
			last.text = append(last.text, text...)
			return last, false
		}
	}
	it = t.add(kind, turn, text)
	it.message = message
	return it, true
}

// tool inserts or changes a tool call (ACP tool-calls: an update may be the
// first word of its id, and members it lacks stay).
func (t *transcript) tool(turn string, p ToolPatch) *item {
	it := t.tools[p.ID]
	if it == nil {
		it = t.add(EntryTool, turn, "")
		it.Tool = &ToolCall{ID: p.ID, Kind: "other", Status: "pending"}
		if t.tools == nil {
			t.tools = map[string]*item{}
		}
		t.tools[p.ID] = it
	}
	if it.Turn != turn && toolEnded(it.Tool.Status) && p.Status != nil && !toolEnded(*p.Status) {
		p.Status = nil // late news of a turn that is over: the call is too
	}
	applyToolPatch(it.Tool, p)
	switch {
	case toolEnded(it.Tool.Status):
		it.raw = nil
	case len(p.RawInput) > 0:
		it.raw = slices.Clone(p.RawInput)
	}
	return it
}

func applyToolPatch(c *ToolCall, p ToolPatch) {
	set := func(dst *string, src *string) {
		if src != nil && *src != "" {
			*dst = *src
		}
	}
	set(&c.Title, p.Title)
	set(&c.Name, p.Name)
	set(&c.Kind, p.Kind)
	set(&c.Status, p.Status)
	if p.Content != nil {
		c.Content = slices.Clone(*p.Content)
	}
	if p.Locations != nil {
		c.Locations = slices.Clone(*p.Locations)
	}
	if cmd := commandOf(p.RawInput); cmd != "" {
		c.Command = cmd
	}
	if len(c.Locations) == 0 && !slices.ContainsFunc(c.Content, func(t ToolContent) bool { return t.Type == "diff" }) {
		for _, path := range pathsOf(p.RawInput) {
			c.Locations = append(c.Locations, Location{Path: path})
		}
	}
	if c.Title == "" {
		c.Title = c.Name
	}
}

// openTools are the tool calls that have not ended.
func (t *transcript) openTools() []*item {
	var open []*item
	for _, it := range t.items {
		if it.Tool != nil && !toolEnded(it.Tool.Status) {
			open = append(open, it)
		}
	}
	return open
}

func toolEnded(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func (t *transcript) entries(from int) []Entry {
	from = min(max(from, 0), len(t.items))
	out := make([]Entry, 0, len(t.items)-from)
	for _, it := range t.items[from:] {
		out = append(out, it.entry())
	}
	return out
}

// markdown writes the transcript as a document.
func (t *transcript) markdown(title string) string {
	var b strings.Builder
	if title != "" {
		fmt.Fprintf(&b, "# %s\n\n", title)
	}
	heading := EntryKind("")
	section := func(kind EntryKind, h string) {
		if heading != kind {
			heading = kind
			fmt.Fprintf(&b, "## %s\n\n", h)
		}
	}
	for _, it := range t.items {
		e := it.entry()
		switch e.Kind {
		case EntryUser:
			heading = ""
			section(EntryUser, "You")
			fmt.Fprintf(&b, "%s\n\n", strings.TrimRight(e.Text, "\n"))
		case EntryAgent:
			section(EntryAgent, "Agent")
			fmt.Fprintf(&b, "%s\n\n", strings.TrimRight(e.Text, "\n"))
		case EntryThought:
			section(EntryAgent, "Agent")
			fmt.Fprintf(&b, "> %s\n\n", strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "\n> "))
		case EntryTool:
			section(EntryAgent, "Agent")
			fmt.Fprintf(&b, "- **%s** (%s)", e.Tool.Title, e.Tool.Status)
			for _, l := range e.Tool.Locations {
				fmt.Fprintf(&b, " `%s`", l.Path)
			}
			b.WriteString("\n\n")
			for _, c := range e.Tool.Content {
				if o := t.outputs.of(c.Terminal); o != nil {
					o.markdown(&b)
				}
			}
		case EntryPlan:
			section(EntryAgent, "Agent")
			for _, p := range e.Plan {
				mark := " "
				if p.Status == "completed" {
					mark = "x"
				}
				fmt.Fprintf(&b, "- [%s] %s\n", mark, p.Content)
			}
			b.WriteString("\n")
		case EntryPermission:
			section(EntryAgent, "Agent")
			if e.Question != nil {
				fmt.Fprintf(&b, "- Permission: %s: %s\n\n", firstLine(e.Question.Message), e.Answer)
			}
		case EntryNotice, EntryError:
			section(EntryAgent, "Agent")
			fmt.Fprintf(&b, "*%s: %s*\n\n", e.Kind, strings.TrimRight(e.Text, "\n"))
		}
	}
	return b.String()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
