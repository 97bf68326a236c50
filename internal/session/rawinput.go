package session

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-ls/buffers"
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

// commandOf is the whole command of a tool call's raw input, as one would type it: it is
// what the user is shown and what rules are asked about, so nothing that runs is left out.
// What says one command in several ways is several lines, which no pattern allows.
func commandOf(raw []byte) string {
	line, _ := commandsOf(raw)
	return line
}

// commandsOf is commandOf, and other readings of the same: without variables that are set,
// and with the shell that runs it.
func commandsOf(raw []byte) (line string, readings []string) {
	in := rawMembers(raw)
	args := argListsOf(in)
	var lines []string
	add := func(words []string, list bool) {
		if len(words) == 0 {
			return
		}
		for _, more := range args { // whoever's they are
			readings = append(readings, readingsOf(append(slices.Clip(words), more...))...)
		}
		if list {
			readings = append(readings, readingsOf(words)...)
		}
		switch {
		case len(args) > 0 && len(lines) == 0: // they are of the first
			for _, more := range args {
				lines = append(lines, joinWords(append(slices.Clip(words), more...)))
			}
		case list:
			lines = append(lines, joinWords(words))
		default:
			lines = append(lines, words...)
		}
	}
	for _, key := range []string{"command", "cmd", "commandLine", "program", "script"} {
		add(wordsOf(in[key]))
	}
	var several []json.RawMessage
	if json.Unmarshal(in["commands"], &several) == nil {
		for _, one := range several {
			add(wordsOf(one))
		}
	}
	var distinct []string
	for _, l := range lines {
		if !slices.Contains(distinct, l) {
			distinct = append(distinct, l)
		}
	}
	line = strings.Join(distinct, "\n")
	if set := settingsOf(in["env"]) + settingsOf(in["environment"]); set != "" && line != "" {
		readings = append(readings, line)
		line = set + line
	}
	return line, readings
}

// wordsOf reads a command: a line, which is one word, or a list of words. What is neither is
// taken as it is written, for what cannot be read is not to be left out.
func wordsOf(v json.RawMessage) (words []string, list bool) {
	var several []json.RawMessage
	switch v = bytes.TrimSpace(v); {
	case len(v) == 0:
		return nil, false
	case v[0] == '[' && json.Unmarshal(v, &several) == nil:
		for _, one := range several {
			word, _ := wordOf(one)
			words = append(words, word)
		}
		return words, true
	case v[0] == '"' || v[0] == '{':
		word, _ := wordOf(v)
		return []string{word}, false
	}
	return nil, false // a number or the like is no command
}

func wordOf(v json.RawMessage) (word string, plain bool) {
	if json.Unmarshal(v, &word) == nil && len(v) > 0 && v[0] == '"' {
		return word, true
	}
	return string(v), false
}

// argsOf reads the arguments of a command: a list of words or, in one line, several.
func argsOf(v json.RawMessage) []string {
	words, list := wordsOf(v)
	if list || len(words) == 0 {
		return words
	}
	return strings.Fields(words[0])
}

// argListsOf are the arguments that a raw input has beside its commands: mostly one list of them.
func argListsOf(in map[string]json.RawMessage) (lists [][]string) {
	for _, key := range []string{"args", "arguments", "argv"} {
		args := argsOf(in[key])
		if len(args) > 0 && !slices.ContainsFunc(lists, func(had []string) bool { return slices.Equal(had, args) }) {
			lists = append(lists, args)
		}
	}
	return lists
}

// settingsOf writes the variables that a command is run with in front of it, as a shell has it.
// What cannot be read as one is not to be left out, nor taken for the command: it stands in quotes.
func settingsOf(v json.RawMessage) string {
	v = bytes.TrimSpace(v)
	if len(v) == 0 || string(v) == "null" {
		return ""
	}
	var b strings.Builder
	var set map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case json.Unmarshal(v, &set) == nil:
		for _, name := range slices.Sorted(maps.Keys(set)) {
			value, _ := wordOf(set[name])
			b.WriteString(setting(name, value) + " ")
		}
	case json.Unmarshal(v, &list) == nil:
		for _, one := range list {
			b.WriteString(settingIn(one) + " ")
		}
	default:
		b.WriteString(settingIn(v) + " ")
	}
	return b.String()
}

// settingIn is one of a list of variables: an object of a name and a value, or NAME=VALUE.
func settingIn(v json.RawMessage) string {
	var of struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(v, &of) == nil && of.Name != "" {
		value, _ := wordOf(of.Value)
		return setting(of.Name, value)
	}
	word, _ := wordOf(v)
	if name, value, ok := strings.Cut(word, "="); ok {
		return setting(name, value)
	}
	return quoted(word)
}

// setting writes a variable. A name that no shell takes would otherwise be words of the command.
func setting(name, value string) string {
	plain := func(c rune) bool { return c == '_' || c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) }
	if strings.IndexFunc(name, func(c rune) bool { return !plain(c) }) >= 0 || name == "" {
		return "'" + strings.ReplaceAll(name+"="+value, "'", `'\''`) + "'"
	}
	return name + "=" + quoted(value)
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

// knownOf is a tool call as it is asked about: with the files among its locations that only
// its raw input names. Agents tell of a call in both, and what a rule or the user lets go on
// is all of it.
func (s *session) knownOf(call ToolCall, raw []byte) ToolCall {
	known := map[string]bool{}
	for _, l := range call.Locations {
		known[absolutePath(l.Path, s.cwd)] = true
	}
	for _, t := range call.Content {
		if t.Type == "diff" {
			known[absolutePath(t.Path, s.cwd)] = true
		}
	}
	call.Locations = slices.Clip(call.Locations)
	for _, path := range filesIn(rawMembers(raw), call.Kind) {
		if path = absolutePath(underHome(path), s.cwd); path != "" && !known[path] {
			known[path] = true
			call.Locations = append(call.Locations, Location{Path: path})
		}
	}
	return call
}

// filesIn are all files that a raw input names, as it spells them.
func filesIn(in map[string]json.RawMessage, kind string) []string {
	var out []string
	add := func(name string) {
		if _, file := buffers.URIPath(name); name != "" && (file || !strings.Contains(name, "://")) {
			out = append(out, name)
		}
	}
	of := func(in map[string]json.RawMessage) {
		for _, key := range append(slices.Clip(rawPath), "target_file", "targetFile", "notebook_path", "notebookPath", "file", "filename", "uri") {
			if name, ok := rawString(in, key); ok {
				add(name)
			}
		}
	}
	of(in)
	for _, key := range []string{"files", "paths", "file_paths", "filePaths", "edits"} {
		var list []json.RawMessage
		_ = json.Unmarshal(in[key], &list)
		for _, one := range list {
			if name, plain := wordOf(one); plain && key != "edits" {
				add(name)
			} else {
				of(rawMembers(one))
			}
		}
	}
	moves := rawMoves
	if kind == "move" {
		moves = append(slices.Clip(rawMoves), looseMoves...)
	}
	for _, c := range append(rawPatches(in, ""), rawMove(in, moves)...) {
		add(c.path)
		add(c.move)
	}
	var changes map[string]json.RawMessage // also those that are not understood
	_ = json.Unmarshal(in["changes"], &changes)
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		add(name)
		if to, ok := rawString(rawMembers(changes[name]), "move_path"); ok {
			add(to)
		}
	}
	return out
}

// joinWords writes an argument list so that it can be read as one; a list of a shell, its -c
// flag and a line is that line.
func joinWords(words []string) string {
	if line, ok := shellLine(words); ok {
		return line
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return strings.Join(out, " ")
}

func quoted(w string) string {
	if w == "" || strings.ContainsAny(w, " \t\r\n\"'\\$&|;<>()*?`{}[]#~!^%") {
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}

// shellLine is the line that a list of words has a shell run, if that is all it says. Another
// program, for which -c may mean anything, is not to be hidden by what it is given; nor is
// one that is called like a shell and lies where an agent can have put it.
func shellLine(words []string) (line string, ok bool) {
	if len(words) < 3 || !amongPrograms(words[0]) {
		return "", false
	}
	name, rest := programName(words[0]), words[1:]
	flags, before := []string(nil), []string(nil) // that take the line, and that may come first
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish":
		flag, short := strings.CutPrefix(rest[0], "-")
		letters, c := strings.CutSuffix(flag, "c")
		if ok = short && c && len(rest) == 2 && strings.Trim(letters, "lieux") == ""; ok {
			line = rest[1]
		}
		return line, ok
	case "cmd":
		flags, before = []string{"/c"}, []string{"/d", "/q", "/s"}
	case "powershell", "pwsh":
		flags, before = []string{"-command", "-c"}, []string{"-noprofile", "-nologo", "-noninteractive"}
	default:
		return "", false
	}
	for len(rest) > 2 && slices.Contains(before, strings.ToLower(rest[0])) {
		rest = rest[1:]
	}
	if len(rest) != 2 || !slices.Contains(flags, strings.ToLower(rest[0])) {
		return "", false
	}
	return rest[1], true
}

// programFolders are those in which systems have their shells.
var programFolders = []string{
	"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin", "/run/current-system/sw/bin",
	`c:/windows/system32`, `c:/windows/system32/windowspowershell/v1.0`, `c:/program files/powershell/7`, `c:/program files/git/bin`, `c:/program files/git/usr/bin`,
}

// amongPrograms reports whether a program is found by its name alone, or lies with the system's.
func amongPrograms(program string) bool {
	program = strings.ReplaceAll(program, `\`, "/")
	i := strings.LastIndexByte(program, '/')
	return i < 0 || slices.ContainsFunc(programFolders, func(f string) bool {
		return f == program[:i] || f[0] != '/' && strings.EqualFold(f, program[:i])
	})
}

// programName is the name of a program without its folder.
func programName(program string) string {
	name := strings.ReplaceAll(program, `\`, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if n := len(name) - len(".exe"); n > 0 && strings.EqualFold(name[n:], ".exe") {
		return strings.ToLower(name[:n])
	}
	return name
}

// readingsOf are those ways to read a list of words that rules which ask or deny are asked
// about: as it is and, where it may be a shell, what that is given.
func readingsOf(words []string) []string {
	out := []string{strings.Join(words, " ")}
	shells := []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "cmd", "powershell", "pwsh"}
	if len(words) > 0 && slices.Contains(shells, strings.ToLower(programName(words[0]))) {
		out = append(out, words[1:]...)
	}
	return out
}
