package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"acp-ls/internal/editorlog"
)

// A replayer is the plainest possible server: it holds each open document as a
// string and applies what the editor sent. It shares no code with the product, so
// that a recording checked by it can serve as a judge of the product.
type replayer struct {
	encoding string
	docs     map[string]string // URI -> text
}

// replay applies a recording's messages and calls at for each checkpoint with what
// they give: the text, and whether the document is open. A message that cannot be
// applied, or a recording without checkpoints, is an error.
func replay(log *editorlog.Log, at func(e *editorlog.Event, text string, open bool) error) error {
	r := &replayer{encoding: log.Encoding, docs: map[string]string{}}
	checkpoints := 0
	for i := range log.Events {
		e := &log.Events[i]
		line := i + 2 // in the file: the header is line 1
		switch {
		case e.Dir == editorlog.In:
			if err := r.receive(e.Method, e.Params); err != nil {
				return fmt.Errorf("line %d: %s: %w", line, e.Method, err)
			}
		case e.Text != nil:
			uri := e.URI
			if uri == "" {
				uri = log.URI
			}
			text, open := r.docs[uri]
			if err := at(e, text, open); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			checkpoints++
		}
	}
	if checkpoints == 0 {
		return fmt.Errorf("recording has no checkpoint")
	}
	return nil
}

// check reports the first checkpoint at which the messages do not give what the
// recording says.
func check(log *editorlog.Log) error {
	return replay(log, func(e *editorlog.Event, text string, open bool) error {
		want := *e.Text
		if e.Told != nil {
			want = *e.Told
		}
		switch {
		case open == e.Untold:
			return fmt.Errorf("document is open: %t", open)
		case open && text != want:
			return fmt.Errorf("text is\n%q, not\n%q", text, want)
		case e.Told != nil && *e.Told == *e.Text:
			return fmt.Errorf("told is the text: the editor told the truth")
		}
		return nil
	})
}

// annotate notes at each checkpoint what the messages give where that is not the
// editor's text, and says how many such checkpoints there are.
func annotate(log *editorlog.Log) (lies int, err error) {
	err = replay(log, func(e *editorlog.Event, text string, open bool) error {
		switch {
		case !open:
			e.Untold = true
			lies++
		case text != *e.Text:
			e.Told = &text
			lies++
		}
		return nil
	})
	return lies, err
}

type position struct{ Line, Character int }

type contentChange struct {
	Range *struct{ Start, End position }
	Text  string
}

func (r *replayer) receive(method string, params json.RawMessage) error {
	var p struct {
		TextDocument struct {
			URI  string
			Text string
		}
		ContentChanges []contentChange
	}
	switch method {
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose":
	default:
		return nil
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	uri := p.TextDocument.URI
	text, open := r.docs[uri]
	switch method {
	case "textDocument/didOpen":
		if open {
			return fmt.Errorf("%s is open already", uri)
		}
		r.docs[uri] = p.TextDocument.Text
	case "textDocument/didClose":
		if !open {
			return fmt.Errorf("%s is not open", uri)
		}
		delete(r.docs, uri)
	case "textDocument/didChange":
		if !open {
			return nil // Neovim, after :file: there is nothing to apply it to
		}
		for i, c := range p.ContentChanges {
			if c.Range == nil {
				text = c.Text
				continue
			}
			start, err := offset(text, c.Range.Start, r.encoding)
			if err != nil {
				return fmt.Errorf("change %d: start: %w", i+1, err)
			}
			end, err := offset(text, c.Range.End, r.encoding)
			if err != nil {
				return fmt.Errorf("change %d: end: %w", i+1, err)
			}
			if end < start {
				return fmt.Errorf("change %d: end is before start", i+1)
			}
			text = text[:start] + c.Text + text[end:]
		}
		r.docs[uri] = text
	}
	return nil
}

// offset is the byte offset of a position. Only "\n" ends a line, and a "\r" before
// it counts as one character of the line: that is how the editors count. A position
// past the end of its line, or inside a character, is an error here. One line past
// the last, at character 0, is the end of the text.
func offset(text string, p position, encoding string) (int, error) {
	rest := text
	for range p.Line {
		_, after, found := strings.Cut(rest, "\n")
		if !found {
			if p.Character == 0 && p.Line == strings.Count(text, "\n")+1 {
				return len(text), nil
			}
			return 0, fmt.Errorf("%d:%d: the text has %d lines", p.Line, p.Character, strings.Count(text, "\n")+1)
		}
		rest = after
	}
	line, _, _ := strings.Cut(rest, "\n")
	at := len(text) - len(rest)
	units := 0
	for i, c := range line {
		if units == p.Character {
			return at + i, nil
		}
		if encoding == "utf-8" {
			units += utf8.RuneLen(c)
		} else {
			units += utf16Len(c)
		}
		if units > p.Character {
			return 0, fmt.Errorf("%d:%d: inside a character", p.Line, p.Character)
		}
	}
	if units != p.Character {
		return 0, fmt.Errorf("%d:%d: the line has %d characters", p.Line, p.Character, units)
	}
	return at + len(line), nil
}

func utf16Len(c rune) int {
	if c >= 0x10000 {
		return 2
	}
	return 1
}
