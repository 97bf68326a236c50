package code

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"acp-ls/internal/demo/lazyre"
)

// Item is something a text declares: a function, a type, a heading.
type Item struct {
	Kind  string
	Name  string
	Line  int
	Last  int // its last line, 0 if that is not known
	Depth int // of nesting
}

// Outline lists what a text declares, in its order.
func Outline(text string, l *Language) []Item {
	switch l.id {
	case "go":
		return goOutline(text)
	case "md":
		return headings(text)
	case "python":
		return pythonOutline(text)
	}
	return patternOutline(text, l)
}

// goOutline takes what the parser could make of the text, if it is not whole.
func goOutline(text string) []Item {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	var items []Item
	add := func(kind, name string, node ast.Node) {
		if name == "_" {
			return // nothing anybody could name, or what the parser made up
		}
		items = append(items, Item{Kind: kind, Name: name, Line: fset.Position(node.Pos()).Line, Last: fset.Position(node.End()).Line})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) == 1 {
				add("method", "("+exprText(text, fset, d.Recv.List[0].Type)+")."+d.Name.Name, d)
			} else {
				add("function", d.Name.Name, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(typeKind(s.Type), s.Name.Name, s)
				case *ast.ValueSpec:
					kind := "variable"
					if d.Tok == token.CONST {
						kind = "constant"
					}
					for _, n := range s.Names {
						add(kind, n.Name, n)
					}
				}
			}
		}
	}
	return items
}

func typeKind(t ast.Expr) string {
	switch t.(type) {
	case *ast.StructType:
		return "struct"
	case *ast.InterfaceType:
		return "interface"
	}
	return "type"
}

// exprText is an expression as it stands in the text.
func exprText(text string, fset *token.FileSet, e ast.Expr) string {
	from, to := fset.Position(e.Pos()).Offset, fset.Position(e.End()).Offset
	if from < 0 || to > len(text) || from > to {
		return ""
	}
	return strings.Join(strings.Fields(text[from:to]), " ")
}

func headings(text string) []Item {
	var items []Item
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r \t")
		trimmed := strings.TrimLeft(line, " ")
		if len(trimmed) >= 3 && (trimmed[:3] == "```" || trimmed[:3] == "~~~") {
			switch fence {
			case "":
				fence = trimmed[:3]
			case trimmed[:3]:
				fence = ""
			}
			continue
		}
		marks := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
		if fence == "" && len(line)-len(trimmed) < 4 && 0 < marks && marks <= 6 && marks < len(trimmed) && trimmed[marks] == ' ' {
			name := strings.TrimSpace(strings.TrimRight(trimmed[marks:], "#"))
			items = append(items, Item{Kind: "heading", Name: name, Line: i + 1, Depth: marks - 1})
		}
	}
	return items
}

var pythonDef = lazyre.New(`^([ \t]*)(?:async\s+)?(def|class)\s+(\w+)`)

func pythonOutline(text string) []Item {
	type open struct{ indent, item int }
	var items []Item
	var stack []open
	lastCode := 0
	closeTo := func(indent int) {
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			items[stack[len(stack)-1].item].Last = lastCode
			stack = stack[:len(stack)-1]
		}
	}
	depth, continued := 0, false // inside parentheses, behind a backslash
	for i, line := range strings.Split(codeOnly(text, languages["python"]), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		begins := depth <= 0 && !continued
		for _, c := range line {
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		continued = strings.HasSuffix(strings.TrimRight(line, "\r"), `\`)
		if !begins {
			lastCode = i + 1
			continue
		}
		depth = max(depth, 0)
		closeTo(indentOf(line))
		lastCode = i + 1
		m := pythonDef.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		kind := "class"
		if m[2] == "def" {
			kind = "function"
			if n := len(stack); n > 0 && items[stack[n-1].item].Kind == "class" {
				kind = "method"
			}
		}
		items = append(items, Item{Kind: kind, Name: m[3], Line: i + 1, Depth: len(stack)})
		stack = append(stack, open{indentOf(line), len(items) - 1})
	}
	closeTo(0)
	return items
}

func indentOf(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// codeOnly is the text with comments and strings made blank: offsets stay. The
// first and last byte of a string stay too, so that one is seen to be there.
func codeOnly(text string, l *Language) string {
	return blank(text, l, func(k partKind) bool { return k != inCode })
}

// blank makes the parts of some kinds blank, but for line ends.
func blank(text string, l *Language, kinds func(partKind) bool) string {
	out := []byte(text)
	for _, p := range l.parts(text) {
		if !kinds(p.kind) {
			continue
		}
		for i := p.start; i < p.end; i++ {
			edge := p.kind == inString && (i == p.start || i == p.end-1)
			if out[i] != '\n' && out[i] != '\r' && !edge {
				out[i] = ' '
			}
		}
	}
	return string(out)
}

// patterns find declarations at the beginnings of lines, by what languages
// commonly write there. The last group is the name.
var patterns = map[string][]struct {
	kind string
	re   *lazyre.Regexp
}{
	"js": {
		{"class", lazyre.New(`^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+([\w$]+)`)},
		{"function", lazyre.New(`^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)`)},
		{"function", lazyre.New(`^(?:export\s+)?const\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\([^)]*\)\s*(?::[^=]+)?|[\w$]+\s*)=>`)},
		{"interface", lazyre.New(`^(?:export\s+)?interface\s+([\w$]+)`)},
		{"type", lazyre.New(`^(?:export\s+)?type\s+([\w$]+)`)},
		{"enum", lazyre.New(`^(?:export\s+)?(?:const\s+)?enum\s+([\w$]+)`)},
		{"constant", lazyre.New(`^(?:export\s+)?const\s+([\w$]+)`)},
		{"variable", lazyre.New(`^(?:export\s+)?(?:let|var)\s+([\w$]+)`)},
	},
	"c": {
		{"struct", lazyre.New(`^(?:typedef\s+)?struct\s+(\w+)\s*\{?\s*$`)},
		{"enum", lazyre.New(`^(?:typedef\s+)?enum\s+(?:class\s+)?(\w+)`)},
		{"class", lazyre.New(`^class\s+(\w+)`)},
		{"macro", lazyre.New(`^#\s*define\s+(\w+)`)},
		{"function", lazyre.New(`^[A-Za-z_][\w\s*&:<>,~]*?\b([A-Za-z_]\w*)\s*\([^;]*$`)},
	},
	"java": {
		{"class", lazyre.New(`^\s*(?:(?:public|protected|private|abstract|final|static|sealed|internal)\s+)*class\s+(\w+)`)},
		{"interface", lazyre.New(`^\s*(?:(?:public|protected|private|static|internal)\s+)*interface\s+(\w+)`)},
		{"enum", lazyre.New(`^\s*(?:(?:public|protected|private|static|internal)\s+)*enum\s+(\w+)`)},
		{"record", lazyre.New(`^\s*(?:(?:public|protected|private|static)\s+)*record\s+(\w+)`)},
		{"method", lazyre.New(`^\s+(?:(?:public|protected|private|static|final|abstract|override|virtual|async|synchronized|suspend)\s+)+[\w<>\[\],.? ]*?\b(\w+)\s*\([^;]*$`)},
	},
	"rust": {
		{"function", lazyre.New(`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(\w+)`)},
		{"struct", lazyre.New(`^\s*(?:pub(?:\([^)]*\))?\s+)?struct\s+(\w+)`)},
		{"enum", lazyre.New(`^\s*(?:pub(?:\([^)]*\))?\s+)?enum\s+(\w+)`)},
		{"trait", lazyre.New(`^\s*(?:pub(?:\([^)]*\))?\s+)?trait\s+(\w+)`)},
		{"impl", lazyre.New(`^impl(?:<[^>]*>)?\s+([^{]+?)\s*\{`)},
		{"module", lazyre.New(`^\s*(?:pub\s+)?mod\s+(\w+)`)},
	},
	"lua": {
		{"function", lazyre.New(`^\s*(?:local\s+)?function\s+([\w.:]+)`)},
		{"function", lazyre.New(`^\s*(?:local\s+)?([\w.]+)\s*=\s*function\b`)},
	},
	"sh": {
		{"function", lazyre.New(`^\s*(?:function\s+)?([\w-]+)\s*\(\)`)},
		{"function", lazyre.New(`^\s*function\s+([\w-]+)`)},
	},
	"make": {
		{"target", lazyre.New(`^([\w./-]+)\s*:(?:[^=]|$)`)},
		{"variable", lazyre.New(`^([\w-]+)\s*[:?+]?=`)},
	},
	"yaml": {{"key", lazyre.New(`^([\w./-]+)\s*:`)}},
	"toml": {{"table", lazyre.New(`^\[+([^\]]+)\]`)}},
}

var notFunctions = []string{"if", "for", "while", "switch", "return", "else", "do", "sizeof", "catch"}

func patternOutline(text string, l *Language) []Item {
	id := l.id
	switch id {
	case "ts":
		id = "js"
	case "cpp":
		id = "c"
	}
	var items []Item
	for i, line := range strings.Split(codeOnly(text, l), "\n") {
		line = strings.TrimRight(line, "\r")
		for _, p := range patterns[id] {
			m := p.re.FindStringSubmatch(line)
			if m == nil || slices.Contains(notFunctions, m[len(m)-1]) {
				continue
			}
			items = append(items, Item{Kind: p.kind, Name: m[len(m)-1], Line: i + 1})
			break
		}
	}
	return items
}
