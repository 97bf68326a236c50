package mcp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/internal/session"
)

// tool is one tool as it is listed, and what it does: run returns the texts of
// the answer.
type tool struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	InputSchema schema      `json:"inputSchema"`
	Annotations annotations `json:"annotations"`
	Meta        toolMeta    `json:"_meta,omitzero"`

	run func(context.Context, *session.Tools, jsontext.Value) ([]string, error)
}

// toolMeta is what only some clients know.
type toolMeta struct {
	// AlwaysLoad keeps Claude from hiding the tool until it searches for one.
	AlwaysLoad bool `json:"anthropic/alwaysLoad,omitzero"`
}

// always says that a model should know of a tool from the beginning.
func always(t *tool) *tool {
	t.Meta.AlwaysLoad = true
	return t
}

// allTools are the tools, in the order in which they are listed.
var allTools = []*tool{
	always(reads("read_buffer", "Read a file as the user sees it",
		"Read a text file as it is in the editor right now, with the user's unsaved changes; a file that is not open is read from disk. "+
			"Prefer this to reading the disk whenever a file may be open (list_buffers tells). "+
			"The answer names the lines, whether there are unsaved changes, and the version, which edit_buffer takes. "+
			"Line numbers are not part of the text unless asked for.",
		`{"type":"object","properties":{`+
			`"path":{"type":"string","description":"Path of the file, absolute or relative to the session's folder; or the URI of an open document without a file, as list_buffers gives it."},`+
			`"startLine":{"type":"integer","minimum":1,"description":"First line to read, from 1. Default: 1."},`+
			`"limit":{"type":"integer","minimum":1,"description":"How many lines to read at most. Default: all, up to a size that the answer names."},`+
			`"lineNumbers":{"type":"boolean","description":"Put the number and a tab before each line. Default: false, the exact text."}},`+
			`"required":["path"],"additionalProperties":false}`,
		readBuffer)),
	always(reads("list_buffers", "List the open files",
		"List what the user has open in the editor: path, language, number of lines, unsaved changes, whether it can be seen and which one the user works in. "+
			"Only files with unsaved changes differ from the disk.",
		`{"type":"object","properties":{},"additionalProperties":false}`,
		listBuffers)),
	{
		Name: "edit_buffer", Title: "Edit a file in the editor",
		Description: "Change a text file in the editor, merged with what the user types meanwhile; a file that is not open is changed on disk. " +
			"Prefer this to writing the disk: it works with unsaved changes and never overwrites the user. " +
			"All edits refer to the same text (not one after the other), must not overlap, and are made together or not at all. Each edit is one of two: " +
			"{oldText, newText} replaces a text that occurs exactly once, copied exactly from read_buffer; " +
			"{startLine, endLine, newText} replaces whole lines of the version that read_buffer gave, both included; endLine = startLine-1 inserts above startLine, newText \"\" deletes. " +
			"The answer tells where the edit is now, what the user changed meanwhile, whether it is saved, and the new version for the next edit. " +
			"If the user changed the same lines, or lines next to them, nothing is written and the answer names them; if the user is asked first it may say that the edit waits. To create a file, give one edit with oldText \"\".",
		InputSchema: schema(`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"Path of the file, absolute or relative to the session's folder."},` +
			`"version":{"type":"string","description":"The version the edits are for, from read_buffer or the last edit_buffer. Needed for line numbers; without it oldText is looked for in the text of this moment."},` +
			`"edits":{"type":"array","minItems":1,"description":"The edits, in any order.","items":{"type":"object","properties":{` +
			`"oldText":{"type":"string","description":"The exact text to replace, with enough lines around it to occur once."},` +
			`"newText":{"type":"string","description":"What stands there afterwards."},` +
			`"startLine":{"type":"integer","minimum":1,"description":"First line to replace, from 1. With oldText: the line on which the occurrence that is meant begins."},` +
			`"endLine":{"type":"integer","minimum":0,"description":"Last line to replace. Default: startLine. Not with oldText."},` +
			`"replaceAll":{"type":"boolean","description":"Replace every occurrence of oldText. Default: false."}},` +
			`"required":["newText"],"additionalProperties":false}}},` +
			`"required":["path","edits"],"additionalProperties":false}`),
		Annotations: annotations{Title: "Edit a file in the editor"},
		Meta:        toolMeta{AlwaysLoad: true},
		run:         editBuffer,
	},
	reads("get_diagnostics", "Get errors and warnings",
		"Errors and warnings that the editor's language servers and linters show right now, for one file or for all files of the session's folder. "+
			"They are about the live text, unsaved changes included, and may lag a moment behind an edit.",
		`{"type":"object","properties":{`+
			`"path":{"type":"string","description":"Path of the file, absolute or relative to the session's folder. Default: all files."}},`+
			`"additionalProperties":false}`,
		getDiagnostics),
	reads("get_selection", "Get the selection",
		"What the user has selected in the editor, or where the cursor is: file, lines and text. Use it when the user speaks of \"this\" or \"here\".",
		`{"type":"object","properties":{},"additionalProperties":false}`,
		getSelection),
	reads("open_file", "Show a file to the user",
		"Show a file to the user in the editor, at a line if one is given. It changes nothing. Use it when the user should look at something, not to read the file.",
		`{"type":"object","properties":{`+
			`"path":{"type":"string","description":"Path of the file, absolute or relative to the session's folder."},`+
			`"line":{"type":"integer","minimum":1,"description":"Line to show, from 1."}},`+
			`"required":["path"],"additionalProperties":false}`,
		openFile),
	reads("review_status", "See what became of the changes",
		"What the user has not accepted of the changes that this session made: what waits for review, what is in conflict, and what was rejected, as diffs. "+
			"What is not listed was accepted. Do not make a rejected change again unless the user asks for it.",
		`{"type":"object","properties":{},"additionalProperties":false}`,
		reviewStatus),
}

var toolList = listResult{allTools}

func reads(name, title, description, input string, run func(context.Context, *session.Tools, jsontext.Value) ([]string, error)) *tool {
	return &tool{
		Name: name, Title: title, Description: description, InputSchema: schema(input),
		Annotations: annotations{Title: title, ReadOnlyHint: true, IdempotentHint: true}, run: run,
	}
}

func toolNamed(name string) *tool {
	for _, t := range allTools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// maxText bounds the text of one answer, in bytes.
const maxText = 200 << 10

func readBuffer(ctx context.Context, t *session.Tools, raw jsontext.Value) ([]string, error) {
	var in struct {
		Path        string `json:"path"`
		StartLine   number `json:"startLine"`
		Limit       number `json:"limit"`
		LineNumbers flag   `json:"lineNumbers"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Path == "" {
		return nil, errNoPath
	}
	b, err := t.Read(ctx, in.Path, int(in.StartLine), int(in.Limit))
	if err != nil {
		return nil, err
	}
	text, cut := shorten(b.Text)
	last, rest := b.Last, ""
	if cut {
		last = b.First + strings.Count(text, "\n") - 1
		if last < b.First { // within one line
			last = b.First
			rest = fmt.Sprintf(" Line %d is longer than an answer may be and is cut.", last)
		}
		if last < b.Total {
			rest += fmt.Sprintf(" That is all that fits: go on with startLine %d.", last+1)
		}
	}
	var head strings.Builder
	switch {
	case b.Total == 0:
		fmt.Fprintf(&head, "%s is empty", b.Path)
	case b.First > b.Last:
		fmt.Fprintf(&head, "%s has only %s", b.Path, count(b.Total, "line"))
	case b.First == 1 && last == b.Total:
		fmt.Fprintf(&head, "%s, all %s", b.Path, count(b.Total, "line"))
	default:
		fmt.Fprintf(&head, "%s, %s of %d", b.Path, lineRange(b.First, last), b.Total)
	}
	if b.Version != "" {
		fmt.Fprintf(&head, ", version %s", b.Version)
	}
	switch {
	case b.Version == "":
		head.WriteString(", a document of the editor without a file")
	case b.Unsaved:
		head.WriteString(", open with unsaved changes (the disk has an older text)")
	case b.Open:
		head.WriteString(", open in the editor, saved")
	default:
		head.WriteString(", not open, read from disk")
	}
	head.WriteString("." + rest)
	if text == "" {
		return []string{head.String()}, nil
	}
	if in.LineNumbers {
		text = numbered(text, b.First)
	}
	return []string{head.String(), text}, nil
}

// shorten cuts a text that is too long for an answer, behind a line if it can.
func shorten(s string) (string, bool) {
	if len(s) <= maxText {
		return s, false
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexByte(s[:n], '\n'); i >= 0 {
		n = i + 1
	}
	return s[:n], true
}

func numbered(s string, first int) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		fmt.Fprintf(&out, "%d\t%s", first, line)
		first++
	}
	return out.String()
}

func listBuffers(ctx context.Context, t *session.Tools, raw jsontext.Value) ([]string, error) {
	if err := decode(raw, &struct{}{}); err != nil {
		return nil, err
	}
	list, err := t.Buffers(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return []string{"No file is open in the editor."}, nil
	}
	var out strings.Builder
	for _, b := range list {
		notes := []string{count(b.Lines, "line")}
		if b.Language != "" {
			notes = append([]string{b.Language}, notes...)
		}
		if b.Unsaved {
			notes = append(notes, "unsaved changes")
		}
		if b.Active {
			notes = append(notes, "the user works here")
		} else if b.Visible != nil && *b.Visible {
			notes = append(notes, "visible")
		}
		if b.Outside {
			notes = append(notes, "outside the session's folder")
		}
		fmt.Fprintf(&out, "%s (%s)\n", b.Path, strings.Join(notes, ", "))
	}
	return []string{out.String()}, nil
}

// severities are LSP's numbers in words.
var severities = map[int]string{1: "error", 2: "warning", 3: "information", 4: "hint"}

const maxDiagnostics = 200

func getDiagnostics(ctx context.Context, t *session.Tools, raw jsontext.Value) ([]string, error) {
	var in struct {
		Path string `json:"path"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	list, err := t.Diagnostics(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return []string{"The editor shows no errors or warnings."}, nil
	}
	var out strings.Builder
	for _, d := range list[:min(len(list), maxDiagnostics)] {
		word := severities[d.Severity]
		if word == "" {
			word = "message"
		}
		fmt.Fprintf(&out, "%s:%d:%d: %s: %s", d.Path, d.Line, d.Column, word, d.Message)
		if by := strings.TrimSpace(d.Source + " " + d.Code); by != "" {
			fmt.Fprintf(&out, " [%s]", by)
		}
		out.WriteString("\n")
	}
	if more := len(list) - maxDiagnostics; more > 0 {
		fmt.Fprintf(&out, "... and %d more; name a path to see those of one file\n", more)
	}
	return []string{out.String()}, nil
}

func getSelection(ctx context.Context, t *session.Tools, raw jsontext.Value) ([]string, error) {
	if err := decode(raw, &struct{}{}); err != nil {
		return nil, err
	}
	sel, err := t.Selection(ctx)
	if err != nil {
		return nil, err
	}
	out := []string{"The user is in " + sel.Path}
	if sel.Unsaved {
		out[0] += " (with unsaved changes)"
	}
	for _, r := range sel.Ranges {
		if r.Text == "" {
			out = append(out, fmt.Sprintf("Nothing is selected; the cursor is on line %d.", r.First))
			continue
		}
		text, cut := shorten(r.Text)
		head := "Selected, " + lineRange(r.First, r.Last)
		if cut {
			head += " (cut: it is longer than an answer may be; use read_buffer)"
		}
		out = append(out, head+":", text)
	}
	return out, nil
}

func openFile(ctx context.Context, t *session.Tools, raw jsontext.Value) ([]string, error) {
	var in struct {
		Path string `json:"path"`
		Line number `json:"line"`
	}
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Path == "" {
		return nil, errNoPath
	}
	path, err := t.Show(ctx, in.Path, int(in.Line))
	if err != nil {
		return nil, err
	}
	return []string{"The editor shows " + path + "."}, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// lineRange names 1-based lines, both included.
func lineRange(first, last int) string {
	if last <= first {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}
