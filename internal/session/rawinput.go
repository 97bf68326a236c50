package session

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// ACP does not define the raw input of a tool call. Agents use one of a few
// names for what matters to the user (see acpclient/testdata/transcripts, and
// tools/agents for Cline, which gives nothing but the raw input).

func rawMembers(raw []byte) map[string]json.RawMessage {
	var in map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &in) != nil {
		return nil
	}
	return in
}

// commandOf finds the command line in a tool call's raw input: a string, a list
// of words, or a list of lines.
func commandOf(raw []byte) string {
	in := rawMembers(raw)
	for _, key := range []string{"command", "cmd", "commandLine", "script"} {
		v, ok := in[key]
		if !ok {
			continue
		}
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
		var words []string
		if json.Unmarshal(v, &words) == nil {
			return joinWords(words)
		}
	}
	var lines []string
	if json.Unmarshal(in["commands"], &lines) == nil {
		return strings.Join(lines, "\n")
	}
	return ""
}

// pathsOf finds the absolute paths of the files that a tool call's raw input is
// about.
func pathsOf(raw []byte) []string {
	in := rawMembers(raw)
	var out []string
	add := func(in map[string]json.RawMessage) {
		for _, key := range []string{"path", "file_path", "filePath", "absolute_path"} {
			var s string
			if json.Unmarshal(in[key], &s) == nil && filepath.IsAbs(s) && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	add(in)
	var files []map[string]json.RawMessage
	if json.Unmarshal(in["files"], &files) == nil {
		for _, f := range files {
			add(f)
		}
	}
	return out
}

// joinWords writes an argument list so that it can be read as one; a list of a
// shell, its -c flag and a line is that line.
func joinWords(words []string) string {
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	out := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$&|;<>()*?") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}
