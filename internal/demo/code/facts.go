package code

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"acp-ls/internal/demo/lazyre"
)

// Facts are what can be said of a text without understanding it.
type Facts struct {
	Lines, Blank, Comment int // Comment: lines with nothing but a comment
	Words                 int
	Marks                 []Hit // TODO, FIXME, XXX, HACK in comments, or anywhere in prose
	Package               string
	Doc                   string // the first sentences the file says of itself
	Imports               []string
	Loops, Branches       int
	Returns               int
	Calls                 []string // names called, in the order of their first call
}

var (
	markRE   = lazyre.New(`\b(TODO|FIXME|XXX|HACK)\b`)
	loopRE   = lazyre.New(`\b(for|while|loop|repeat|foreach)\b`)
	branchRE = lazyre.New(`\b(if|elif|elseif|case|catch|except|match|switch)\b`)
	returnRE = lazyre.New(`\breturn\b`)
	callRE   = lazyre.New(`([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*\(`)
)

// notCalls are words that stand before parentheses and are no functions.
var notCalls = strings.Fields("if for while switch catch return func function def class elif except and or not in is await async typeof sizeof else case match with yield lambda import interface struct")

// FactsOf counts and collects.
func FactsOf(text string, l *Language) Facts {
	f := Facts{Words: len(strings.Fields(text))}
	code := codeOnly(text, l)
	lines := strings.Split(text, "\n")
	uncommented := strings.Split(blank(text, l, func(k partKind) bool { return k == inComment }), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	prose := l.id == "md" || l.id == "text"
	f.Lines = len(lines)
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "":
			f.Blank++
		case strings.TrimSpace(uncommented[i]) == "":
			f.Comment++
		}
	}
	for _, p := range l.parts(text) {
		if p.kind != inComment && !prose {
			continue
		}
		for _, m := range markRE.FindAllStringIndex(text[p.start:p.end], -1) {
			line := LineOf(text, p.start+m[0])
			if n := len(f.Marks); n == 0 || f.Marks[n-1].Line != line {
				f.Marks = append(f.Marks, Hit{line, strings.TrimSpace(lines[line-1])})
			}
		}
	}
	if !prose {
		f.Loops = len(loopRE.FindAllString(code, -1))
		f.Branches = len(branchRE.FindAllString(code, -1))
		f.Returns = len(returnRE.FindAllString(code, -1))
		f.Calls = calls(code)
	}
	f.Package, f.Doc, f.Imports = header(text, code, l)
	return f
}

var defBefore = lazyre.New(`\b(func|function|def|class|fn|sub|new)\s*(\([^)]*\)\s*)?$`)

func calls(code string) []string {
	var names []string
	for _, m := range callRE.FindAllStringSubmatchIndex(code, -1) {
		name := code[m[2]:m[3]]
		lineStart := strings.LastIndexByte(code[:m[2]], '\n') + 1
		if before := defBefore.FindStringSubmatch(code[lineStart:m[2]]); before != nil && before[1] != "new" {
			continue
		}
		if !slices.Contains(notCalls, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

var (
	pyImport   = lazyre.New(`(?m)^(?:import\s+([\w.]+)|from\s+([\w.]+)\s+import\b)`)
	jsImport   = lazyre.New(`(?m)^\s*(?:import\b[^'"\n]*|.*\brequire\()\s*['"]([^'"]+)['"]`)
	cInclude   = lazyre.New(`(?m)^\s*#\s*include\s*[<"]([^>"]+)[>"]`)
	rustUse    = lazyre.New(`(?m)^\s*use\s+([\w:]+)`)
	luaRequire = lazyre.New(`\brequire\s*\(?\s*['"]([^'"]+)['"]`)
	javaImport = lazyre.New(`(?m)^\s*(?:import|using)\s+(?:static\s+)?([\w.*]+)`)
)

// header finds what a file says of itself at its top.
func header(text, code string, l *Language) (pkg, doc string, imports []string) {
	collect := func(re *lazyre.Regexp, in string) {
		for _, m := range re.FindAllStringSubmatch(in, -1) {
			for _, name := range m[1:] {
				if name != "" && !slices.Contains(imports, name) {
					imports = append(imports, name)
				}
			}
		}
	}
	switch l.id {
	case "go":
		file, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly|parser.ParseComments)
		if file == nil {
			return "", "", nil
		}
		if file.Name != nil {
			pkg = file.Name.Name
		}
		for _, i := range file.Imports {
			imports = append(imports, strings.Trim(i.Path.Value, "\"`"))
		}
		return pkg, firstParagraph(file.Doc.Text()), imports
	case "md":
		return "", proseStart(text), nil
	case "python":
		collect(pyImport, code)
	case "js", "ts":
		collect(jsImport, text)
	case "c", "cpp":
		collect(cInclude, text)
	case "rust":
		collect(rustUse, code)
	case "lua":
		collect(luaRequire, text)
	case "java":
		collect(javaImport, code)
	}
	return "", leadingComment(text, l), imports
}

func firstParagraph(s string) string {
	p, _, _ := strings.Cut(strings.TrimSpace(s), "\n\n")
	return strings.Join(strings.Fields(p), " ")
}

// proseStart is the first paragraph of a Markdown file that is no heading.
func proseStart(text string) string {
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		p = strings.TrimSpace(p)
		for strings.HasPrefix(p, "#") {
			_, rest, _ := strings.Cut(p, "\n")
			p = strings.TrimSpace(rest)
		}
		if p != "" && !strings.HasPrefix(p, "```") && !strings.HasPrefix(p, "|") {
			return firstParagraph(p)
		}
	}
	return ""
}

// leadingComment is the comment, or Python's docstring, that a file begins with.
func leadingComment(text string, l *Language) string {
	var words []string
	for _, p := range l.parts(text) {
		piece := text[p.start:p.end]
		switch {
		case p.kind == inCode && strings.TrimSpace(piece) == "":
			if strings.Count(piece, "\n") > 1 && len(words) > 0 {
				return strings.Join(words, " ")
			}
		case p.kind == inComment:
			if strings.HasPrefix(piece, "#!") || strings.Contains(piece, "-*-") {
				continue
			}
			words = append(words, strings.Fields(plainComment(piece))...)
		case p.kind == inString && l.id == "python" && len(words) == 0:
			return firstParagraph(strings.Trim(piece, `"'`))
		default:
			return strings.Join(words, " ")
		}
	}
	return strings.Join(words, " ")
}

// plainComment is a comment without its marks.
func plainComment(s string) string {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "/*"), "*/")
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		line = strings.TrimLeft(line, "/*#-")
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
