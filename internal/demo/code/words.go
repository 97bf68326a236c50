package code

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWordRune says whether r can be part of an identifier. A $ is one in
// JavaScript only; elsewhere it stands before names.
func (l *Language) isWordRune(r rune) bool {
	return r == '_' || r == '$' && (l.id == "js" || l.id == "ts") || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// wordsAt returns the offsets at which word stands in s as a whole word.
func (l *Language) wordsAt(s, word string) []int {
	var all []int
	for i := 0; word != ""; {
		n := strings.Index(s[i:], word)
		if n < 0 {
			break
		}
		start, end := i+n, i+n+len(word)
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !l.isWordRune(before) && !l.isWordRune(after) {
			all = append(all, start)
			i = end
		} else {
			_, size := utf8.DecodeRuneInString(s[start:])
			i = start + size
		}
	}
	return all
}

// Renaming is what renaming a word comes to.
type Renaming struct {
	Edits     []Edit
	InComment int // edits that are in comments
	InStrings int // whole words left alone, as they are in strings
	// Taken is the first line on which the new name already stands, 0 if none:
	// the two may be confused after the change.
	Taken int
}

// Rename changes an identifier wherever it stands as a whole word, in code and
// in comments. It knows no scopes.
func Rename(text string, l *Language, from, to string) Renaming {
	var r Renaming
	for _, p := range l.parts(text) {
		at := l.wordsAt(text[p.start:p.end], from)
		switch p.kind {
		case inString:
			r.InStrings += len(at)
			continue
		case inComment:
			r.InComment += len(at)
		default:
			if taken := l.wordsAt(text[p.start:p.end], to); r.Taken == 0 && len(taken) > 0 {
				r.Taken = LineOf(text, p.start+taken[0])
			}
		}
		for _, i := range at {
			r.Edits = append(r.Edits, Edit{p.start + i, p.start + i + len(from), to})
		}
	}
	return r
}

var keywords = map[string][]string{
	"python": strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield"),
	"js":     strings.Fields("await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof let new null return super switch this throw true try typeof var void while with yield"),
	"c":      strings.Fields("auto break case char const continue default do double else enum extern float for goto if int long register return short signed sizeof static struct switch typedef union unsigned void volatile while"),
	"rust":   strings.Fields("as break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while"),
	"lua":    strings.Fields("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"),
}

// CheckName says why a word cannot be the name of something in a language, or
// nil.
func CheckName(l *Language, name string) error {
	first, _ := utf8.DecodeRuneInString(name)
	if name == "" || unicode.IsDigit(first) || strings.IndexFunc(name, func(r rune) bool { return !l.isWordRune(r) }) >= 0 {
		return fmt.Errorf("%q is not a name", name)
	}
	id := l.id
	switch id {
	case "ts":
		id = "js"
	case "cpp", "java":
		id = "c"
	}
	if id == "go" && token.IsKeyword(name) || slices.Contains(keywords[id], name) {
		return fmt.Errorf("%q is a keyword of %s", name, l.Name)
	}
	return nil
}

// Replace changes every occurrence of a text, in code, comments and strings.
func Replace(text, from, to string) []Edit {
	var all []Edit
	for i := 0; from != ""; {
		n := strings.Index(text[i:], from)
		if n < 0 {
			break
		}
		all = append(all, Edit{i + n, i + n + len(from), to})
		i += n + len(from)
	}
	return all
}

// Hit is a line with something that was looked for.
type Hit struct {
	Line int
	Text string // of the line, without blanks around it
}

// Find returns the lines that hold a text; lower-case letters stand for both.
func Find(text, what string) []Hit {
	fold := what == strings.ToLower(what)
	var hits []Hit
	for i, line := range strings.Split(text, "\n") {
		in := line
		if fold {
			in = strings.ToLower(line)
		}
		if strings.Contains(in, what) {
			hits = append(hits, Hit{i + 1, strings.TrimSpace(line)})
		}
	}
	return hits
}
