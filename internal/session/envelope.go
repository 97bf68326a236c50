package session

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Models of OpenAI write patches in an envelope of their own, which says what to add,
// delete, update and rename, and finds its places by context and not by number.

// rawEnvelope are the members of raw inputs that may hold such a patch.
var rawEnvelope = []string{"patch", "patchText", "patch_text", "input", "diff"}

var errEnvelope = errors.New("not a patch between *** Begin Patch and *** End Patch")

// parseEnvelope reads such a patch.
func parseEnvelope(text string) ([]claim, error) {
	_, text, ok := strings.Cut(text, "*** Begin Patch")
	if !ok {
		return nil, errEnvelope
	}
	var out []claim
	var file *claim // to which lines belong
	adds := false
	hunk := func() *patchHunk {
		if len(file.rows) == 0 {
			file.rows = append(file.rows, patchHunk{at: -1})
		}
		return &file.rows[len(file.rows)-1]
	}
	begin := func(c claim) {
		out = append(out, c)
		file = &out[len(out)-1]
		adds = c.old != nil
	}
	_, text, _ = strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		word, path, _ := strings.Cut(line, ": ")
		path = strings.TrimSpace(path)
		switch {
		case line == "*** End Patch":
			return tidied(out), nil
		case line == "*** End of File":
		case word == "*** Add File":
			empty := ""
			begin(claim{path: path, old: &empty})
		case word == "*** Delete File":
			begin(claim{path: path})
			file = nil
		case word == "*** Update File":
			begin(claim{path: path, rows: []patchHunk{}})
		case file == nil:
			return nil, errEnvelope
		case word == "*** Move to":
			file.move = path
		case adds && strings.HasPrefix(line, "+"):
			file.new += line[1:] + "\n"
		case adds:
			return nil, errEnvelope
		case strings.HasPrefix(line, "@@"):
			file.rows = append(file.rows, patchHunk{at: -1})
		case line == "" || line[0] == ' ':
			h, row := hunk(), strings.TrimPrefix(line, " ")
			h.old, h.new = append(h.old, row), append(h.new, row)
		case line[0] == '-':
			h := hunk()
			h.old = append(h.old, line[1:])
		case line[0] == '+':
			h := hunk()
			h.new = append(h.new, line[1:])
		default:
			return nil, errEnvelope
		}
	}
	return nil, errEnvelope
}

// tidied leaves out hunks without a row, as two headers may stand for one place, and
// updates that change nothing.
func tidied(claims []claim) []claim {
	var out []claim
	for _, c := range claims {
		updates := c.rows != nil
		c.rows = slices.DeleteFunc(c.rows, func(h patchHunk) bool { return len(h.old)+len(h.new) == 0 })
		if len(c.rows) == 0 {
			c.rows = nil
		}
		if !updates || c.rows != nil || c.move != "" {
			out = append(out, c)
		}
	}
	return out
}

// rawMoves are members that name what a file is called and what it is to be called;
// looseMoves mean that only in a tool call that moves something.
var (
	rawMoves   = [][2]string{{"old_path", "new_path"}, {"oldPath", "newPath"}, {"source_path", "destination_path"}, {"sourcePath", "destinationPath"}}
	looseMoves = [][2]string{{"source", "destination"}, {"from", "to"}, {"src", "dst"}, {"path", "new_path"}, {"path", "newPath"}}
)

func rawMove(in map[string]json.RawMessage, names [][2]string) []claim {
	for _, n := range names {
		from, a := rawString(in, n[0])
		to, b := rawString(in, n[1])
		if a && b {
			return []claim{{path: from, move: to}}
		}
	}
	return nil
}
