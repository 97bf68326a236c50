package code

import (
	"strings"
	"unicode"

	"acp-ls/internal/demo/lazyre"
)

var (
	jsHead = lazyre.New(`(?m)^(?:export[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?(function[ \t]*\*?|class)[ \t]*([\w$]+)`)
	jsBase = lazyre.New(`^[ \t]*(?:<[^>{]*>)?[ \t]+extends[ \t]+([\w$.]+)`)
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
