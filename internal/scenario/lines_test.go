package scenario

import (
	"encoding/json"
	"fmt"
	"strings"

	"acp-ls/internal/session"
)

func infoLines(i session.Info) []string {
	head := fmt.Sprintf("%s %s", i.Session, i.State)
	if i.StopReason != "" {
		head += " " + string(i.StopReason)
	}
	if n := len(i.Questions); n > 0 {
		head += fmt.Sprintf(", %d questions", n)
	}
	if i.Pending.Hunks > 0 {
		head += fmt.Sprintf(", %d hunks in %d files", i.Pending.Hunks, i.Pending.Files)
	}
	if n := len(i.Queue); n > 0 {
		head += fmt.Sprintf(", %d queued", n)
	}
	out := []string{head}
	for _, o := range i.Options {
		out = append(out, fmt.Sprintf("  option %s = %v", o.ID, o.Value))
	}
	for _, c := range i.Commands {
		out = append(out, "  command /"+c.Name)
	}
	if i.Usage != nil {
		out = append(out, fmt.Sprintf("  usage %d of %d", i.Usage.Used, i.Usage.Size))
	}
	if i.Error != "" {
		out = append(out, prose(i.Error)...)
	}
	return out
}

// entryLines says what an entry of a transcript is.
func entryLines(e session.Entry) []string {
	head := string(e.Kind)
	switch {
	case e.Tool != nil:
		t := e.Tool
		out := []string{strings.TrimSpace(fmt.Sprintf("%s %s %s %s %q %s", head, t.ID, t.Kind, t.Status, t.Title, t.Command))}
		for _, l := range t.Locations {
			out = append(out, "  at "+l.Path)
		}
		for _, c := range t.Content {
			switch c.Type {
			case "diff":
				out = append(out, "  diff of "+c.Path)
			case "terminal":
				out = append(out, "  a terminal")
			default:
				out = append(out, prose(c.Text)...)
			}
		}
		return out
	case e.Question != nil:
		return []string{fmt.Sprintf("%s %s %q: %s", head, e.Question.ID, e.Question.Message, e.Answer)}
	case e.Plan != nil:
		out := []string{head}
		for _, p := range e.Plan {
			out = append(out, fmt.Sprintf("  %s: %s", p.Status, p.Content))
		}
		return out
	}
	return append([]string{head}, prose(e.Text)...)
}

// promptLines says what a prompt has, block by block.
func (w *world) promptLines(params json.RawMessage) ([]string, error) {
	var p struct {
		Prompt []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			URI      string `json:"uri"`
			Name     string `json:"name"`
			MimeType string `json:"mimeType"`
			Resource struct {
				URI  string `json:"uri"`
				Text string `json:"text"`
			} `json:"resource"`
		} `json:"prompt"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	var out []string
	for _, b := range p.Prompt {
		switch b.Type {
		case "text":
			out = append(out, "text")
			out = append(out, indent(b.Text)...)
		case "resource_link":
			out = append(out, fmt.Sprintf("link %s to %s", b.Name, w.shorten(b.URI)))
		case "resource":
			out = append(out, "resource "+w.shorten(b.Resource.URI))
			out = append(out, indent(b.Resource.Text)...)
		default:
			out = append(out, b.Type+" "+b.MimeType)
		}
	}
	return out, nil
}

func indent(text string) []string {
	out := rows(text)
	for i, l := range out {
		out[i] = "  " + l
	}
	return out
}
