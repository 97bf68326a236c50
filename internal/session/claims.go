package session

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"acp-ls/buffers"
)

// What a question is about is told in one of three ways, and by some agents in
// two: as diffs of the tool call (fragments or whole files), as a replacement in
// the raw input, or as a patch in the raw input. acpclient/testdata/transcripts
// has them; tools/agents has Cline, which gives nothing but the raw input.

// A claim is what an agent says it would do to one file.
type claim struct {
	path string  // absolute
	old  *string // what it would replace; nil: the whole file, whatever that has
	new  string
	all  bool        // wherever old occurs
	rows []patchHunk // instead, from a patch
	move string      // the path it would have then; with no rows, nothing else changes
}

// patchHunk is a hunk of a patch: old rows, which begin at the 0-based row at, and
// new ones. Rows have no terminator.
type patchHunk struct {
	at       int
	old, new []string
}

// claimsOf lists what a question is about by file, the way that is preferred
// first, and the files that would be renamed, with what they would become.
func claimsOf(call ToolCall, raw []byte, cwd string) (paths []string, ways map[string][][]claim, moves map[string]string) {
	ways, moves = map[string][][]claim{}, map[string]string{}
	add := func(claims []claim) {
		by := map[string][]claim{}
		for _, c := range claims {
			c.path = absolutePath(c.path, cwd)
			if c.path == "" {
				continue
			}
			if !slices.Contains(paths, c.path) {
				paths = append(paths, c.path)
			}
			if to := absolutePath(c.move, cwd); to != "" && to != c.path {
				moves[c.path] = to
				if c.rows == nil {
					continue
				}
			}
			by[c.path] = append(by[c.path], c)
		}
		for p, c := range by {
			ways[p] = append(ways[p], c)
		}
	}
	in := rawMembers(raw)
	switch call.Kind {
	case "read", "search", "execute", "fetch", "think":
		return nil, nil, nil
	case "move":
		add(rawMove(in, append(rawMoves, looseMoves...)))
		return paths, ways, moves
	}
	all := rawBool(in, "replace_all", "replaceAll")
	var diffs []claim
	for _, t := range call.Content {
		if t.Type == "diff" {
			diffs = append(diffs, claim{path: t.Path, old: t.OldText, new: t.NewText, all: all})
		}
	}
	add(diffs)
	add(rawReplacements(in))
	named := ""
	if ps := pathsOf(raw); len(ps) == 1 {
		named = ps[0]
	} else if len(call.Locations) == 1 {
		named = call.Locations[0].Path
	} else if len(paths) == 1 {
		named = paths[0]
	}
	add(rawPatches(in, named))
	add(rawMove(in, rawMoves))
	for from, to := range moves { // whose diffs may be told of either name
		if ways[to] != nil {
			ways[from] = append(ways[to], ways[from]...)
			delete(ways, to)
			paths = slices.DeleteFunc(paths, func(p string) bool { return p == to })
		}
	}
	return paths, ways, moves
}

func absolutePath(path, cwd string) string {
	if u, ok := buffers.URIPath(path); ok {
		path = u
	}
	switch {
	case path == "":
		return ""
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}

func rawString(in map[string]json.RawMessage, keys ...string) (string, bool) {
	for _, k := range keys {
		var s *string
		if v, ok := in[k]; ok && json.Unmarshal(v, &s) == nil && s != nil {
			return *s, true
		}
	}
	return "", false
}

func rawBool(in map[string]json.RawMessage, keys ...string) bool {
	for _, k := range keys {
		var b bool
		if json.Unmarshal(in[k], &b) == nil && b {
			return true
		}
	}
	return false
}

var (
	rawPath = []string{"path", "file_path", "filePath", "filepath", "absolute_path", "fileName"}
	rawOld  = []string{"old_string", "old_text", "old_str", "oldString", "oldText", "oldStr"}
	rawNew  = []string{"new_string", "new_text", "new_str", "newString", "newText", "newStr"}
	rawText = []string{"content", "file_text", "contents"}
)

// rawReplacements are those of raw inputs that name a file and what to put into
// it: the whole of it, a replacement, or several.
func rawReplacements(in map[string]json.RawMessage) []claim {
	path, ok := rawString(in, rawPath...)
	if !ok {
		return nil
	}
	one := func(in map[string]json.RawMessage) []claim {
		c := claim{path: path, all: rawBool(in, "replace_all", "replaceAll")}
		var ok bool
		if c.new, ok = rawString(in, append(rawNew, rawText...)...); !ok {
			return nil
		}
		if old, ok := rawString(in, rawOld...); ok {
			c.old = &old
		}
		return []claim{c}
	}
	var edits []map[string]json.RawMessage
	if json.Unmarshal(in["edits"], &edits) != nil || len(edits) == 0 {
		return one(in)
	}
	var out []claim
	for _, e := range edits {
		c := one(e)
		if c == nil || c[0].old == nil { // by line numbers, or in a way nobody here knows
			return nil
		}
		out = append(out, c...)
	}
	return out
}

// rawPatches are those of raw inputs with patches: Codex's changes, by file, and
// one in diff, of the file that is named elsewhere.
func rawPatches(in map[string]json.RawMessage, named string) []claim {
	var changes map[string]struct {
		Type    string `json:"type"`
		Content string `json:"content"`
		Diff    string `json:"unified_diff"`
		Move    string `json:"move_path"`
	}
	if json.Unmarshal(in["changes"], &changes) == nil && len(changes) > 0 {
		var out []claim
		for path, c := range changes {
			switch {
			case c.Type == "add":
				empty := ""
				out = append(out, claim{path: path, old: &empty, new: c.Content})
			case c.Type == "delete":
				out = append(out, claim{path: path})
			default:
				if rows, err := parsePatch(c.Diff); err == nil || c.Move != "" && strings.TrimSpace(c.Diff) == "" {
					out = append(out, claim{path: path, rows: rows, move: c.Move})
				}
			}
		}
		slices.SortStableFunc(out, func(a, b claim) int { return strings.Compare(a.path, b.path) })
		return out
	}
	if text, ok := rawString(in, rawEnvelope...); ok {
		if claims, err := parseEnvelope(text); err == nil {
			return claims
		}
	}
	diff, ok := rawString(in, "diff", "patch")
	if !ok || named == "" {
		return nil
	}
	rows, err := parsePatch(diff)
	if err != nil {
		return nil
	}
	return []claim{{path: named, rows: rows}}
}

var errPatch = errors.New("not a unified diff of one file")

// parsePatch reads the hunks of a unified diff of one file. What stands in front
// of them, by whatever program, is of no interest.
func parsePatch(diff string) ([]patchHunk, error) {
	var out []patchHunk
	oldLeft, newLeft, files := 0, 0, 0
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if oldLeft == 0 && newLeft == 0 {
			switch {
			case strings.HasPrefix(line, "@@ "):
				at, old, new, ok := hunkHeader(line)
				if !ok {
					return nil, errPatch
				}
				oldLeft, newLeft = old, new
				if old > 0 {
					at--
				}
				out = append(out, patchHunk{at: at})
			case strings.HasPrefix(line, "+++ "):
				if files++; files > 1 {
					return nil, errPatch
				}
			}
			continue
		}
		h := &out[len(out)-1]
		mark, row := byte(' '), ""
		if line != "" {
			mark, row = line[0], line[1:]
		}
		switch mark {
		case ' ':
			h.old, h.new = append(h.old, row), append(h.new, row)
			oldLeft, newLeft = oldLeft-1, newLeft-1
		case '-':
			h.old = append(h.old, row)
			oldLeft--
		case '+':
			h.new = append(h.new, row)
			newLeft--
		case '\\':
		default:
			return nil, errPatch
		}
		if oldLeft < 0 || newLeft < 0 {
			return nil, errPatch
		}
	}
	if len(out) == 0 || oldLeft > 0 || newLeft > 0 {
		return nil, errPatch
	}
	return out, nil
}

// hunkHeader reads "@@ -1,2 +3,4 @@".
func hunkHeader(line string) (at, old, new int, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[3] != "@@" {
		return 0, 0, 0, false
	}
	number := func(s, sign string) (at, n int, ok bool) {
		s, ok = strings.CutPrefix(s, sign)
		first, count, some := strings.Cut(s, ",")
		at, err := strconv.Atoi(first)
		n = 1
		if some && err == nil {
			n, err = strconv.Atoi(count)
		}
		return at, n, ok && err == nil && at >= 0 && n >= 0
	}
	at, old, a := number(fields[1], "-")
	_, new, b := number(fields[2], "+")
	return at, old, new, a && b
}
