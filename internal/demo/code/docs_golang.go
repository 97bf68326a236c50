package code

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

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
