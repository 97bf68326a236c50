package code

import (
	"path"
	"strings"
)

// Language is how a kind of file is written.
type Language struct {
	Name string // for people
	id   string
	// line and block begin comments.
	line   []string
	block  [][2]string
	quotes []quote
}

// quote is a kind of string literal.
type quote struct {
	open, close string
	escapes     bool // a backslash hides the next character
	lines       bool // may go over several lines
}

var (
	double      = quote{`"`, `"`, true, false}
	single      = quote{`'`, `'`, true, false}
	backquote   = quote{"`", "`", false, true}
	template    = quote{"`", "`", true, true}
	longDouble  = quote{`"""`, `"""`, true, true}
	longSingle  = quote{`'''`, `'''`, true, true}
	shellDouble = quote{`"`, `"`, true, true}
	shellSingle = quote{`'`, `'`, false, true}
	cComments   = [][2]string{{"/*", "*/"}}
)

var languages = map[string]*Language{
	"go":     {Name: "Go", line: []string{"//"}, block: cComments, quotes: []quote{double, single, backquote}},
	"python": {Name: "Python", line: []string{"#"}, quotes: []quote{longDouble, longSingle, double, single}},
	"js":     {Name: "JavaScript", line: []string{"//"}, block: cComments, quotes: []quote{double, single, template}},
	"ts":     {Name: "TypeScript", line: []string{"//"}, block: cComments, quotes: []quote{double, single, template}},
	"c":      {Name: "C", line: []string{"//"}, block: cComments, quotes: []quote{double, single}},
	"cpp":    {Name: "C++", line: []string{"//"}, block: cComments, quotes: []quote{double, single}},
	"java":   {Name: "Java", line: []string{"//"}, block: cComments, quotes: []quote{longDouble, double, single}},
	"rust":   {Name: "Rust", line: []string{"//"}, block: cComments, quotes: []quote{{`"`, `"`, true, true}}},
	"lua":    {Name: "Lua", line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, quotes: []quote{double, single, {"[[", "]]", false, true}}},
	"sh":     {Name: "shell", line: []string{"#"}, quotes: []quote{shellDouble, shellSingle}},
	"make":   {Name: "Makefile", line: []string{"#"}},
	"yaml":   {Name: "YAML", line: []string{"#"}, quotes: []quote{double, single}},
	"toml":   {Name: "TOML", line: []string{"#"}, quotes: []quote{longDouble, longSingle, double, single}},
	"json":   {Name: "JSON", quotes: []quote{double}},
	"md":     {Name: "Markdown"},
	"text":   {Name: "text"},
}

var extensions = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python",
	".js": "js", ".mjs": "js", ".cjs": "js", ".jsx": "js", ".ts": "ts", ".mts": "ts", ".cts": "ts", ".tsx": "ts",
	".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cxx": "cpp",
	".java": "java", ".kt": "java", ".cs": "java", ".rs": "rust", ".lua": "lua",
	".sh": "sh", ".bash": "sh", ".zsh": "sh", ".mk": "make", ".yml": "yaml", ".yaml": "yaml", ".toml": "toml", ".json": "json",
	".md": "md", ".markdown": "md",
}

func init() {
	for id, l := range languages {
		l.id = id
	}
}

// LanguageOf tells the language by a file's name.
func LanguageOf(name string) *Language {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if base == "Makefile" || base == "GNUmakefile" {
		return languages["make"]
	}
	if id, ok := extensions[strings.ToLower(path.Ext(base))]; ok {
		return languages[id]
	}
	return languages["text"]
}

// part is a piece of a text of one kind. Parts cover the text.
type part struct {
	kind       partKind
	start, end int
}

type partKind int

const (
	inCode partKind = iota
	inComment
	inString
)

// parts cuts a text into code, comments and strings. A string that does not end
// where it must is taken to end at its line's end.
func (l *Language) parts(text string) []part {
	var all []part
	codeStart := 0
	add := func(kind partKind, start, end int) {
		if start > codeStart {
			all = append(all, part{inCode, codeStart, start})
		}
		all = append(all, part{kind, start, end})
		codeStart = end
	}
	for i := 0; i < len(text); {
		if n := l.commentAt(text, i); n > 0 {
			add(inComment, i, i+n)
			i += n
		} else if n := l.stringAt(text, i); n > 0 {
			add(inString, i, i+n)
			i += n
		} else {
			i++
		}
	}
	if codeStart < len(text) {
		all = append(all, part{inCode, codeStart, len(text)})
	}
	return all
}

func (l *Language) commentAt(text string, i int) int {
	rest := text[i:]
	for _, b := range l.block {
		if strings.HasPrefix(rest, b[0]) {
			if n := strings.Index(rest[len(b[0]):], b[1]); n >= 0 {
				return len(b[0]) + n + len(b[1])
			}
			return len(rest)
		}
	}
	for _, mark := range l.line {
		if !strings.HasPrefix(rest, mark) {
			continue
		}
		// In shells and YAML a # inside a word is a # (as in $#, a#b).
		if mark == "#" && l.id != "python" && i > 0 && !strings.ContainsRune(" \t\n;&|(", rune(text[i-1])) {
			continue
		}
		return lineLength(rest)
	}
	return 0
}

func (l *Language) stringAt(text string, i int) int {
	rest := text[i:]
	for _, q := range l.quotes {
		if !strings.HasPrefix(rest, q.open) {
			continue
		}
		for n := len(q.open); ; n++ {
			switch {
			case n >= len(rest):
				return len(rest)
			case q.escapes && rest[n] == '\\' && n+1 < len(rest):
				n++
			case strings.HasPrefix(rest[n:], q.close):
				return n + len(q.close)
			case rest[n] == '\n' && !q.lines:
				return n
			}
		}
	}
	return 0
}

// lineLength is the length of the first line of s without its end.
func lineLength(s string) int {
	n := strings.IndexByte(s, '\n')
	if n < 0 {
		return len(s)
	}
	if n > 0 && s[n-1] == '\r' {
		n--
	}
	return n
}
