package session

import (
	"encoding/json"
	"strings"
)

// commandOf finds the command line in a tool call's raw input. ACP does not
// define the raw input; agents use one of a few names for it, as a string or as
// a list of words (see acpclient/testdata/transcripts).
func commandOf(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return ""
	}
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
	return ""
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
