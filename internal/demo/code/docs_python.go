package code

import (
	"strings"

	"acp-ls/internal/demo/lazyre"
)

var (
	pyHead   = lazyre.New(`(?m)^([ \t]*)(async[ \t]+)?(def|class)[ \t]+(\w+)[ \t]*`)
	pyReturn = lazyre.New(`(?m)^[ \t]*return[ \t]+\S`)
	pyYield  = lazyre.New(`\byield\b`)
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

var rawDocstring = lazyre.New(`^[rRuUbBfF]{1,2}["']`)

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
