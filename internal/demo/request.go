package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/demo/lazyre"
)

type verb int

const (
	unknown verb = iota
	help
	greet
	rename
	sortImports
	addDocs
	trim
	tidy
	replace
	insertLine
	deleteLines
	runCommand
	find
	outline
	count
	marks
	explain
	show
)

// edits says whether the verb changes files.
func (v verb) edits() bool { return rename <= v && v <= deleteLines }

// request is one thing the user wants.
type request struct {
	verb        verb
	text        string // as the user said it
	a, b        string // what, and what it becomes
	line, until int    // 1-based; 0: not said
	everywhere  bool
}

var slashCommands = []wire.Command{
	{Name: "help", Description: "What this agent can do"},
	{Name: "outline", Description: "List functions, types or headings", Input: &wire.CommandInput{Hint: "[@file]"}},
	{Name: "find", Description: "Find a text in the files named, or in the folder", Input: &wire.CommandInput{Hint: "text [@file]"}},
	{Name: "rename", Description: "Rename an identifier, as a whole word", Input: &wire.CommandInput{Hint: "old new [@file]"}},
	{Name: "replace", Description: "Replace a text", Input: &wire.CommandInput{Hint: `"old" "new" [@file]`}},
	{Name: "sort-imports", Description: "Sort imports (Go, Python, JavaScript, TypeScript)", Input: &wire.CommandInput{Hint: "[@file]"}},
	{Name: "doc", Description: "Add missing doc comments (Go, Python, JavaScript, TypeScript)", Input: &wire.CommandInput{Hint: "[@file]"}},
	{Name: "trim", Description: "Remove blanks at the ends of lines", Input: &wire.CommandInput{Hint: "[@file]"}},
	{Name: "run", Description: "Run a command in a terminal, after asking", Input: &wire.CommandInput{Hint: "command"}},
}

// arg matches a quoted text or a word; its first group that is not empty is
// the value.
const arg = "(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`|“([^”]*)”|([^\\s\"'`“]\\S*))"

const noun = `(?:(?:the|all|every)\s+)?(?:(?:function|func|method|variable|var|constant|const|type|class|struct|interface|identifier|symbol|field|argument|parameter|name|word|text|string)s?\s+)?`

type rule struct {
	verb verb
	re   *lazyre.Regexp
}

// rules are tried in this order: changes before questions, the particular
// before the general.
var rules = []rule{
	{rename, lazyre.New(`(?i)\brename\s+` + noun + arg + `\s+(?:to|into|as|->|=>)\s+` + arg)},
	{insertLine, lazyre.New(`(?i)\b(?:insert|add|put)\s+(?:(?:the|a)\s+)?(?:line\s+)?` + arg + `\s+(?:at|on|before|after|above|below|behind)\s+(?:the\s+)?line\s+(\d+)`)},
	{insertLine, lazyre.New(`(?i)\b(?:append|add|put)\s+(?:the\s+)?(?:line\s+)?` + arg + `\s+(?:at|to)\s+the\s+end\b`)},
	{insertLine, lazyre.New(`(?i)\bappend\s+(?:the\s+)?(?:line\s+)?` + arg)},
	{deleteLines, lazyre.New(`(?i)\b(?:delete|remove|drop|cut)\s+(?:the\s+)?lines?\s+(\d+)(?:\s*(?:-|–|to|through|until|and)\s*(\d+))?`)},
	{replace, lazyre.New(`(?i)\b(?:replace|substitute|change)\s+` + noun + arg + `\s+(?:with|by|to|for|into)\s+` + arg)},
	{sortImports, lazyre.New(`(?i)\b(?:sort|order|organi[sz]e|arrange|tidy)\b.*\bimports?\b`)},
	{addDocs, lazyre.New(`(?i)\b(?:add|write|insert|create|generate|put)\b.*\b(?:doc(?:ument(?:ation)?)?s?|docstrings?|jsdoc|comments?)\b|^\W*document\b`)},
	{trim, lazyre.New(`(?i)\btrailing\b.*\b(?:white\s?-?spaces?|spaces?|blanks?|tabs?)\b|\b(?:trim|strip)\b`)},
	{tidy, lazyre.New(`(?i)\b(?:tidy|clean)(?:\s+\S+){0,3}?\s*\bup\b|^\W*(?:tidy|clean)\b`)},
	{runCommand, lazyre.New("(?i)^\\W*(?:(?:please|now|can you|could you)\\s+)?(?:run|execute)\\s+(?:the\\s+(?:command|shell)\\s+)?(?:`([^`]+)`|\"([^\"]+)\"|(.+))$")},
	{runCommand, lazyre.New(`(?i)^\W*(?:please\s+)?((?:run\s+)?(?:all\s+)?(?:the\s+)?tests?)\W*$`)},
	{find, lazyre.New(`(?i)\b(?:find|search(?:\s+for)?|look\s+for|grep(?:\s+for)?|where\s+(?:is|are|do|does))\s+` + noun + arg)},
	{outline, lazyre.New(`(?i)\boutline\b|\bstructure\b|\b(?:list|which|what|show)\b.*\b(?:functions?|types?|classes|methods?|headings?|symbols?|declarations?)\b`)},
	{marks, lazyre.New(`(?i)\b(?:todos?|fixmes?)\b`)},
	{count, lazyre.New(`(?i)\bhow\s+(?:many|long|big|large)\b|\bcount\b`)},
	{explain, lazyre.New(`(?i)\b(?:what|explain|describe|summari[sz]e|summary|tell\s+me|about|overview)\b`)},
	{show, lazyre.New(`(?i)\b(?:show|read|print|display|open|cat)\b`)},
	{help, lazyre.New(`(?i)^\W*(?:help|\?|what\s+can\s+you)\b`)},
	{greet, lazyre.New(`(?i)^\W*(?:hi|hello|hey|good\s+\w+|thanks?|thank\s+you|bye)\b`)},
}

var (
	canDoRE      = lazyre.New(`(?i)\b(?:what\s+(?:can|could|do)\s+you\s+(?:do|know|offer)|who\s+are\s+you|how\s+do\s+you\s+work)\b|^\W*help\b|^\W*\?\W*$`)
	everywhereRE = lazyre.New(`(?i)\b(?:everywhere|in\s+(?:all|every)\s+files?|in\s+the\s+(?:whole\s+)?(?:project|folder|directory|repo(?:sitory)?))\b`)
	afterRE      = lazyre.New(`(?i)\b(?:after|below|behind)\s+(?:the\s+)?line\b`)
	listMark     = lazyre.New(`(?m)^[ \t]*(?:\d+[.)]|[-*])[ \t]+`)
	connector    = lazyre.New(`(?i)(?:\s*[,;.]\s*|\s+)(?:and\s+then|then|and\s+also|and|also|after\s+that|finally)\s+|\s*;\s*|\s*,\s+|\.\s+|\s*\n\s*`)
	quoted       = lazyre.New("\"[^\"]*\"|`[^`]*`|“[^”]*”|(?:^|\\s)'[^']*'")
)

// parse takes an instruction apart into what is wanted, one after the other.
func parse(text string) []request {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "/") {
		if r, ok := parseSlash(text); ok {
			return []request{r}
		}
	}
	var all []request
	for _, clause := range clauses(listMark.ReplaceAllString(text, "")) {
		if r := parseClause(clause); r.verb != unknown || len(all) == 0 {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		all = []request{{text: text}}
	}
	return all
}

// clauses cuts at words like "then", but only where what follows is something
// this agent knows: "replace a and b with c" is one clause. Nothing is cut
// inside quotes.
func clauses(text string) []string {
	masked := []byte(text)
	for _, q := range quoted.FindAllStringIndex(text, -1) {
		for i := q[0]; i < q[1]; i++ {
			masked[i] = 'x'
		}
	}
	var all []string
	start := 0
	for _, cut := range connector.FindAllStringIndex(string(masked), -1) {
		if cut[0] == 0 || cut[1] >= len(text) || cut[0] < start {
			continue
		}
		rest := text[cut[1]:]
		if next := connector.FindStringIndex(string(masked[cut[1]:])); next != nil {
			rest = text[cut[1] : cut[1]+next[0]]
		}
		if r := parseClause(rest); r.verb.edits() || r.verb == runCommand || r.verb == find || r.verb == outline {
			all = append(all, text[start:cut[0]])
			start = cut[1]
		}
	}
	return append(all, text[start:])
}

func parseClause(clause string) request {
	clause = strings.TrimSpace(clause)
	r := request{text: clause, everywhere: everywhereRE.MatchString(clause)}
	if canDoRE.MatchString(clause) {
		r.verb = help
		return r
	}
	inQuotes := quoted.FindAllStringIndex(clause, -1)
	for _, rule := range rules {
		m := rule.re.FindStringSubmatch(clause)
		if m == nil {
			continue
		}
		start := rule.re.FindStringIndex(clause)[0]
		if slices.ContainsFunc(inQuotes, func(q []int) bool { return q[0] < start && start < q[1] }) {
			continue // the words of a text, not of the user
		}
		r.verb = rule.verb
		switch rule.verb {
		case rename:
			r.a, r.b = word(group(m[1:6])), word(group(m[6:]))
		case replace:
			r.a, r.b = group(m[1:6]), group(m[6:])
			if m[5] != "" { // bare words end with the sentence's punctuation
				r.a = word(r.a)
			}
			if m[10] != "" {
				r.b = word(r.b)
			}
		case insertLine:
			r.a = group(m[1:6])
			if len(m) > 6 {
				r.line = number(m[6])
				if afterRE.MatchString(clause) {
					r.line++
				}
			}
		case deleteLines:
			r.line, r.until = number(m[1]), number(m[2])
			if r.until == 0 {
				r.until = r.line
			}
		case runCommand:
			r.a = commandLine(group(m[1:]))
		case find:
			if r.a = group(m[1:]); m[5] != "" {
				r.a = word(r.a)
			}
		}
		return r
	}
	return r
}

func parseSlash(text string) (request, bool) {
	name, rest, _ := strings.Cut(text[1:], " ")
	rest = strings.TrimSpace(rest)
	r := request{text: rest, everywhere: everywhereRE.MatchString(rest)}
	args := arguments(rest)
	two := func() bool {
		if len(args) < 2 {
			return false
		}
		r.a, r.b = args[0], args[1]
		return true
	}
	switch name {
	case "help":
		r.verb = help
	case "outline":
		r.verb = outline
	case "find":
		if r.verb = find; len(args) > 0 {
			r.a = args[0]
		}
	case "rename":
		if r.verb = rename; !two() {
			return request{verb: unknown, text: "/rename needs two names: /rename old new"}, true
		}
	case "replace":
		if r.verb = replace; !two() {
			return request{verb: unknown, text: `/replace needs two texts: /replace "old" "new"`}, true
		}
	case "sort-imports":
		r.verb = sortImports
	case "doc":
		r.verb = addDocs
	case "trim":
		r.verb = trim
	case "run":
		r.verb, r.a = runCommand, rest
	default:
		return request{}, false
	}
	return r, true
}

var argRE = lazyre.New(arg)

// arguments are the words and quoted texts of a slash command that are no
// mentions.
func arguments(s string) []string {
	var all []string
	for _, m := range argRE.FindAllStringSubmatch(s, -1) {
		if !strings.HasPrefix(m[5], "@") {
			all = append(all, group(m[1:]))
		}
	}
	return all
}

func group(groups []string) string {
	for _, g := range groups {
		if g != "" {
			return g
		}
	}
	return ""
}

// word takes the sentence's punctuation off a bare word.
func word(s string) string { return strings.Trim(s, ".,;:!?()\"'`") }

// commandLine takes off what is politeness. Dots at the end may be a path's.
func commandLine(s string) string {
	s = strings.TrimSpace(s)
	if lower := strings.ToLower(s); strings.HasSuffix(lower, " please") {
		s = strings.TrimRight(s[:len(s)-len(" please")], " ,")
	}
	if strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "..") && !strings.HasSuffix(s, " .") && !strings.HasSuffix(s, "/.") {
		s = s[:len(s)-1]
	}
	return strings.Trim(s, "`")
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

const canDo = `I am a small agent that works by rules, not by a model. I can

- say what is in a file: "what does @main.go do", "outline", "find TODO", "how many lines", "explain the selection"
- rename an identifier: "rename foo to bar in @main.go"
- replace a text: replace "a" with "b"
- sort imports, add missing doc comments, remove trailing blanks, or all three: "tidy up"
- insert and delete lines: insert "x" at line 3, "delete lines 4 to 6"
- run a command in a terminal, after asking: "run go test ./..."

Several at once work too: "rename foo to bar, then run the tests". Point at files with @, or select some text.`

// String shows a request in logs and failing tests.
func (r request) String() string {
	return fmt.Sprintf("{%d %q %q %d-%d %v}", r.verb, r.a, r.b, r.line, r.until, r.everywhere)
}
