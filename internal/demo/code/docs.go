package code

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"unicode"
)

// ErrNoDocs says that a language has no doc comments this package can write.
var ErrNoDocs = errors.New("doc comments are written in Go, Python, JavaScript and TypeScript only")

// Doc is a doc comment that is missing.
type Doc struct {
	Edit
	Name string // what it is about
}

// AddDocs writes a doc comment for each declaration that others see and that
// has none. A comment says what the declaration itself says, in words; what the
// code is for is not to be known from it.
func AddDocs(text string, l *Language) ([]Doc, error) {
	switch l.id {
	case "go":
		return goDocs(text)
	case "python":
		return pythonDocs(text), nil
	case "js", "ts":
		return jsDocs(text, l), nil
	}
	return nil, ErrNoDocs
}

// goDocs documents exported declarations. A file that does not parse is left
// alone: the parser's guess where a declaration begins could be wrong.
func goDocs(text string) ([]Doc, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid Go: %w", err)
	}
	eol := lineEnding(text)
	var docs []Doc
	add := func(at token.Pos, name, sentence string) {
		offset := fset.Position(at).Offset
		indent := text[strings.LastIndexByte(text[:offset], '\n')+1 : offset]
		if strings.TrimSpace(indent) != "" {
			return // something stands before it on its line
		}
		docs = append(docs, Doc{Edit{offset, offset, "// " + sentence + eol + indent}, name})
	}
	expr := func(e ast.Expr) string { return exprText(text, fset, e) }
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv))) {
				add(d.Pos(), d.Name.Name, d.Name.Name+" "+goSignature(d.Type, expr)+".")
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT || d.Doc != nil {
				continue
			}
			for _, spec := range d.Specs {
				at := spec.Pos()
				if !d.Lparen.IsValid() {
					at = d.Pos()
				}
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
						add(at, s.Name.Name, s.Name.Name+" is "+goType(s, expr)+".")
					}
				case *ast.ValueSpec:
					if s.Doc == nil && s.Comment == nil && len(s.Names) == 1 && s.Names[0].IsExported() {
						add(at, s.Names[0].Name, s.Names[0].Name+" is "+goValue(d.Tok, s, expr)+".")
					}
				}
			}
		}
	}
	return docs, nil
}

// receiver is the name of a method's type.
func receiver(list *ast.FieldList) string {
	if len(list.List) != 1 {
		return ""
	}
	for e := list.List[0].Type; ; {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

func goSignature(f *ast.FuncType, expr func(ast.Expr) string) string {
	takes := goFields(f.Params, expr)
	returns := goFields(f.Results, expr)
	switch {
	case len(takes) == 0 && len(returns) == 0:
		return "takes and returns nothing"
	case len(returns) == 0:
		return "takes " + join(takes)
	case len(takes) == 0:
		return "returns " + join(returns)
	}
	return "takes " + join(takes) + " and returns " + join(returns)
}

func goFields(list *ast.FieldList, expr func(ast.Expr) string) []string {
	if list == nil {
		return nil
	}
	var all []string
	for _, f := range list.List {
		t := goTypeName(expr(f.Type))
		if len(f.Names) == 0 {
			all = append(all, t)
		}
		for _, n := range f.Names {
			if n.Name == "_" {
				all = append(all, t)
			} else {
				all = append(all, n.Name+" ("+t+")")
			}
		}
	}
	if len(all) > 1 { // with several, names are enough
		for i, s := range all {
			all[i], _, _ = strings.Cut(s, " (")
		}
	}
	return all
}

// goTypeName is a type with its article.
func goTypeName(t string) string {
	switch {
	case t == "error":
		return "an error"
	case strings.HasPrefix(t, "..."):
		return "any number of values of type " + t[3:]
	case strings.HasPrefix(t, "[]") && !strings.ContainsAny(t[2:], "[](){} "):
		return "a slice of " + t[2:]
	case strings.ContainsAny(t, "[](){} "):
		return "a value of type " + t
	case t == "":
		return "a value"
	}
	return article(strings.TrimLeft(t, "*")) + " " + t
}

func article(word string) string {
	if word != "" && strings.ContainsRune("aeioAEIO", rune(word[0])) {
		return "an"
	}
	return "a"
}

func goType(s *ast.TypeSpec, expr func(ast.Expr) string) string {
	if s.Assign.IsValid() {
		return "another name for " + expr(s.Type)
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		return "a struct" + members("field", exportedNames(t.Fields))
	case *ast.InterfaceType:
		return "an interface" + members("method", exportedNames(t.Methods))
	case *ast.FuncType:
		return "a function type that " + goSignature(t, expr)
	}
	return "a type based on " + expr(s.Type)
}

func exportedNames(list *ast.FieldList) []string {
	var names []string
	for _, f := range list.List {
		for _, n := range f.Names {
			if n.IsExported() {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// members says which members something has, if they are few.
func members(what string, names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return " with the " + what + " " + names[0]
	case len(names) <= 5:
		return " with the " + what + "s " + join(names)
	}
	return fmt.Sprintf(" with %d exported %ss", len(names), what)
}

func goValue(tok token.Token, s *ast.ValueSpec, expr func(ast.Expr) string) string {
	what := "a variable"
	if tok == token.CONST {
		what = "a constant"
	}
	if s.Type != nil {
		return what + " of type " + expr(s.Type)
	}
	if len(s.Values) == 1 {
		if lit, ok := s.Values[0].(*ast.BasicLit); ok && len(lit.Value) <= 40 && !strings.Contains(lit.Value, "\n") {
			if tok == token.CONST {
				return "the constant " + lit.Value
			}
			return what + " that starts as " + lit.Value
		}
	}
	return what
}

// join makes "a, b and c".
func join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

var (
	pyHead   = regexp.MustCompile(`(?m)^([ \t]*)(async[ \t]+)?(def|class)[ \t]+(\w+)[ \t]*`)
	pyReturn = regexp.MustCompile(`(?m)^[ \t]*return[ \t]+\S`)
	pyYield  = regexp.MustCompile(`\byield\b`)
)

// pythonDocs documents what has no underscore in front of its name and a body
// on lines of its own.
func pythonDocs(text string) []Doc {
	l := languages["python"]
	code := codeOnly(text, l)
	eol := lineEnding(text)
	items := pythonOutline(text)
	starts := append(lineStarts(text), len(text))
	var docs []Doc
	for _, it := range items {
		if strings.HasPrefix(it.Name, "_") {
			continue
		}
		start := starts[it.Line-1]
		m := pyHead.FindStringSubmatchIndex(code[start:])
		if m == nil {
			continue
		}
		head := start + m[1]
		end, arguments := pythonHead(code, head)
		if end < 0 {
			continue
		}
		body := end + len(code[end:]) - len(strings.TrimLeft(code[end:], " \t\r\n"))
		if body == len(code) || !strings.Contains(code[end:body], "\n") || strings.ContainsAny(code[body:body+1], `"'`) || isRawDocstring(code[body:]) {
			continue
		}
		lineStart := strings.LastIndexByte(text[:body], '\n') + 1
		indent := text[lineStart:body]
		if strings.TrimSpace(indent) != "" || indentOf(indent) <= indentOf(text[start:]) {
			continue
		}
		last := max(body, starts[min(it.Last, len(starts)-1)])
		sentence := pythonSentence(it, arguments, code[body:last], text[head:end])
		insertAt := end + lineLength(text[end:])
		if insertAt < len(text) { // behind the line's end
			insertAt += strings.IndexByte(text[insertAt:], '\n') + 1
		}
		docs = append(docs, Doc{Edit{insertAt, insertAt, indent + `"""` + sentence + `"""` + eol}, it.Name})
	}
	return docs
}

var rawDocstring = regexp.MustCompile(`^[rRuUbBfF]{1,2}["']`)

func isRawDocstring(s string) bool { return rawDocstring.MatchString(s) }

// pythonHead goes from behind a name to behind its colon, and returns the names
// in the parentheses: arguments, or the classes a class is based on.
func pythonHead(code string, at int) (end int, names []string) {
	depth, start, seen := 0, -1, false // start of the name; parentheses were there
	name := func(to int) {
		s := strings.TrimLeft(strings.TrimSpace(code[start:to]), "*")
		if i := strings.IndexAny(s, ":= \t\n\r"); i >= 0 {
			s = s[:i]
		}
		if s != "" && s != "/" && s != "self" && s != "cls" && s != "metaclass" {
			names = append(names, s)
		}
		start = -1
	}
	for i := at; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			if depth++; depth == 1 && code[i] == '(' && !seen {
				start, seen = i+1, true
			}
		case ')', ']', '}':
			if depth--; depth == 0 && start >= 0 {
				name(i)
			}
		case ',':
			if depth == 1 && start >= 0 {
				name(i)
				start = i + 1
			}
		case ':':
			if depth == 0 {
				return i + 1, names
			}
		case '\n':
			if depth == 0 && (i == 0 || code[i-1] != '\\') {
				return -1, nil
			}
		}
	}
	return -1, nil
}

func pythonSentence(it Item, arguments []string, body, head string) string {
	if it.Kind == "class" {
		if len(arguments) > 0 {
			return "A class based on " + join(arguments) + "."
		}
		return "A class."
	}
	result := ""
	switch {
	case pyYield.MatchString(body):
		result = "yields values"
	case pyReturn.MatchString(body):
		result = "returns a value"
	}
	if _, annotation, ok := strings.Cut(head, "->"); ok && result == "returns a value" {
		annotation = strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(annotation), ":")), " ")
		if annotation != "" && annotation != "None" && !strings.ContainsAny(annotation, `"\`) {
			result = "returns " + annotation
		}
	}
	switch {
	case len(arguments) > 0 && result != "":
		return "Takes " + join(arguments) + " and " + result + "."
	case len(arguments) > 0:
		return "Takes " + join(arguments) + "."
	case result != "":
		return "Takes no arguments and " + result + "."
	}
	return "Takes no arguments."
}

var (
	jsHead = regexp.MustCompile(`(?m)^(?:export[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?(function[ \t]*\*?|class)[ \t]*([\w$]+)`)
	jsBase = regexp.MustCompile(`^[ \t]*(?:<[^>{]*>)?[ \t]+extends[ \t]+([\w$.]+)`)
)

// jsDocs documents functions and classes at the left margin that have no
// comment right above them.
func jsDocs(text string, l *Language) []Doc {
	code := codeOnly(text, l)
	eol := lineEnding(text)
	var docs []Doc
	for _, m := range jsHead.FindAllStringSubmatchIndex(code, -1) {
		start, name, kind := m[0], code[m[4]:m[5]], code[m[2]:m[3]]
		above := strings.TrimRight(text[:start], " \t\r\n")
		if strings.HasSuffix(above, "*/") || strings.HasPrefix(lastLine(above), "//") || strings.HasPrefix(lastLine(above), "@") {
			continue
		}
		sentence := "A class."
		if kind == "class" {
			if b := jsBase.FindStringSubmatch(code[m[1]:]); b != nil {
				sentence = "A class based on " + b[1] + "."
			}
		} else {
			arguments, ok := jsArguments(code[m[1]:])
			if !ok {
				continue // overloads, patterns: nothing simple to say
			}
			sentence = "Takes no arguments."
			if len(arguments) > 0 {
				sentence = "Takes " + join(arguments) + "."
			}
		}
		docs = append(docs, Doc{Edit{start, start, "/** " + sentence + " */" + eol}, name})
	}
	return docs
}

func lastLine(s string) string { return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]) }

// jsArguments reads the names in the parentheses at the beginning of code.
func jsArguments(code string) (names []string, ok bool) {
	open := strings.IndexByte(code, '(')
	if open < 0 || strings.ContainsAny(code[:open], "{};") {
		return nil, false
	}
	depth, start := 0, open+1
	argument := func(to int) bool {
		name := strings.TrimLeft(strings.TrimSpace(code[start:to]), ".")
		if i := strings.IndexFunc(name, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
			if name = name[:i]; name == "" {
				return false
			}
		}
		if name != "" && name != "this" {
			names = append(names, name)
		}
		return true
	}
	for i := open; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{', '<':
			depth++
		case '>':
			if i > 0 && code[i-1] != '=' {
				depth--
			}
		case ']', '}':
			depth--
		case ')':
			if depth--; depth == 0 {
				return names, argument(i)
			}
		case ',':
			if depth == 1 {
				if !argument(i) {
					return nil, false
				}
				start = i + 1
			}
		}
	}
	return nil, false
}
