package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/buffers/linediff"
	"acp-ls/internal/session"
)

type editArgs struct {
	Path    string   `json:"path"`
	Version string   `json:"version"`
	Edits   editList `json:"edits"`
}

type editArg struct {
	OldText    *string `json:"oldText"`
	NewText    *string `json:"newText"`
	StartLine  *number `json:"startLine"`
	EndLine    *number `json:"endLine"`
	ReplaceAll flag    `json:"replaceAll"`
}

// edit says what an argument means, or what is wrong with it.
func (a editArg) edit() (session.BufferEdit, error) {
	e := session.BufferEdit{All: bool(a.ReplaceAll)}
	if a.NewText == nil {
		return e, fmt.Errorf("newText is missing; give \"\" to delete")
	}
	e.New = *a.NewText
	if a.StartLine != nil {
		e.First, e.Last = int(*a.StartLine), int(*a.StartLine)
	}
	switch {
	case a.OldText != nil && a.EndLine != nil:
		return e, fmt.Errorf("oldText and endLine are both given: replace a text, or lines")
	case a.OldText != nil:
		e.ByText, e.Old = true, *a.OldText
		return e, nil
	case a.StartLine == nil:
		return e, fmt.Errorf("neither oldText nor startLine says what is to be replaced")
	}
	if a.EndLine != nil {
		e.Last = int(*a.EndLine)
	}
	return e, nil
}

func editBuffer(ctx context.Context, t *session.Tools, raw jsontext.Value) ([]string, error) {
	var in editArgs
	if err := decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Path == "" {
		return nil, errNoPath
	}
	edits := make([]session.BufferEdit, len(in.Edits))
	for i, a := range in.Edits {
		var err error
		if edits[i], err = a.edit(); err != nil {
			return nil, fmt.Errorf("edit %d: %w; nothing was written", i+1, err)
		}
	}
	e, err := t.Edit(ctx, in.Path, in.Version, edits)
	if err != nil {
		return nil, err
	}
	return []string{edited(e)}, nil
}

// edited tells the model all that it has to know of an edit that was made.
func edited(e session.Edited) string {
	switch {
	case e.Waiting:
		return fmt.Sprintf("Waiting: the user has not decided on this edit of %s yet, and nothing is written. When they allow it, it is made and merged with what is there then. "+
			"Do not send it again and do not write the file in another way: go on with something that does not need it, or end your turn and say that it waits. "+
			"review_status tells what has become of it, and so does the next prompt.", e.Path)
	case !e.Changed:
		return fmt.Sprintf("Nothing to do: %s has this text already (version %s).", e.Path, e.Version)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Applied to %s: %s. It has %s now; version %s.", e.Path, places(e.Lines), count(e.Total, "line"), e.Version)
	if len(e.Merged) > 0 {
		fmt.Fprintf(&out, "\nMerged: the user has changed the file since the version you edited (%s). Their text is kept beside yours; read those lines again before you go on there.", places(e.Merged))
	}
	switch {
	case e.OnDisk:
		out.WriteString("\nThe file is not open; it is written to disk.")
	case e.SaveErr == nil:
		out.WriteString("\nThe document is saved.")
	default:
		fmt.Fprintf(&out, "\nThe document is not saved: %v. Until then the disk has the older text: use read_buffer, not the disk.", e.SaveErr)
	}
	out.WriteString("\nThe user will review the change.")
	return out.String()
}

// places names the lines of a change.
func places(list [][2]int) string {
	var out []string
	for _, l := range list {
		switch {
		case l[1] >= l[0]:
			out = append(out, lineRange(l[0], l[1]))
		default:
			out = append(out, fmt.Sprintf("lines removed above line %d", l[0]))
		}
	}
	return strings.Join(out, ", ")
}

// stateWords are the states of hunks as the model is told of them.
var stateWords = map[string]string{
	"pending":  "waits for review",
	"proposed": "waits for review and is not applied yet",
	"conflict": "conflict with the user's own edit, not applied",
	"rejected": "rejected by the user, taken back",
}

// maxDiff bounds the diff of one hunk, in bytes.
const maxDiff = 16 << 10

func reviewStatus(ctx context.Context, t *session.Tools, raw jsontext.Value) ([]string, error) {
	if err := decode(raw, &struct{}{}); err != nil {
		return nil, err
	}
	files, err := t.Reviews()
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	for _, l := range t.Late() {
		switch {
		case !l.Done:
			fmt.Fprintf(&out, "Your edit of %s waits for the user's answer and is not made.\n", l.Path)
		case l.Err != nil:
			fmt.Fprintf(&out, "Your edit of %s that waited was not made: %v\n", l.Path, l.Err)
		default:
			fmt.Fprintf(&out, "Your edit that waited: %s\n", edited(l.Edited))
		}
	}
	late := out.Len()
	left := 0
	for _, f := range files {
		for _, h := range f.Hunks {
			if out.Len() > maxText/4 {
				left++
				continue
			}
			state := string(h.State)
			fmt.Fprintf(&out, "%s, %s: %s\n", f.Path, hunkLines(h.StartLine, h.EndLine), stateWords[state])
			if f.Secret {
				out.WriteString("(not shown, as the file may hold secrets)\n")
				continue
			}
			out.WriteString(diff(h.BaseText, h.Text))
		}
	}
	switch {
	case left > 0:
		fmt.Fprintf(&out, "... and %d more\n", left)
	case out.Len() == late:
		if late > 0 {
			return []string{out.String() + "Nothing else waits, and nothing else was rejected."}, nil
		}
		return []string{"Nothing waits and nothing was rejected: the user has accepted all that this session has changed."}, nil
	}
	return []string{out.String()}, nil
}

// diff shows all rows of a hunk, with what is gone and what is new.
func diff(from, to string) string {
	a, b := linediff.Split(from), linediff.Split(to)
	_, body, _ := strings.Cut(linediff.Unified("", a, b, len(a)+len(b)), "\n") // without its numbers, which are not the file's
	if len(body) > maxDiff {
		body = body[:strings.LastIndexByte(body[:maxDiff], '\n')+1] + "...\n"
	}
	return body
}

// hunkLines names the 0-based rows [start, end) of a hunk.
func hunkLines(start, end int) string {
	if end <= start {
		return fmt.Sprintf("above line %d", start+1)
	}
	return lineRange(start+1, end)
}
