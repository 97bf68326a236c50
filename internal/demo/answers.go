package demo

import (
	"fmt"
	"path/filepath"
	"strings"

	"acp-ls/internal/demo/code"
)

// phrase is the verb in a sentence.
func (v verb) phrase() string {
	switch v {
	case help:
		return "say what I can do"
	case greet:
		return "greet"
	case rename:
		return "rename"
	case sortImports:
		return "sort the imports"
	case addDocs:
		return "add missing doc comments"
	case trim:
		return "remove trailing blanks"
	case tidy:
		return "tidy up"
	case replace:
		return "replace"
	case insertLine:
		return "insert a line"
	case deleteLines:
		return "delete lines"
	case runCommand:
		return "run a command"
	case find:
		return "find"
	case outline:
		return "list what is declared"
	case count:
		return "count"
	case marks:
		return "look for marks like TODO"
	case explain:
		return "say what is there"
	case show:
		return "show the text"
	}
	return "something I do not know"
}

func (r request) describe() string {
	switch r.verb {
	case rename, replace:
		return fmt.Sprintf("%s %q to %q", r.verb.phrase(), r.a, r.b)
	case find, runCommand:
		return fmt.Sprintf("%s: %s", r.verb.phrase(), r.a)
	}
	return r.verb.phrase()
}

const whichFile = "Which file? Point at it with @, as in \"@main.go\", or select some text."

// answer does a request that changes no file.
func (t *turn) answer(r request, targets []target) error {
	switch r.verb {
	case help:
		return t.say(canDo)
	case greet:
		return t.say("Hello! Ask me about a file with @, or say \"help\" to see what I can do.")
	case runCommand:
		return t.command(r.a)
	case find:
		return t.find(r, targets)
	case unknown:
		if strings.HasPrefix(r.text, "/") {
			return t.say(r.text + ".")
		}
		if len(t.prompt.named(r.text, t.session.cwd)) == 0 {
			return t.say("I do not understand that. " + canDo)
		}
		// Not understood but for the file: say what can be said of it.
	}
	if len(targets) == 0 {
		return t.say(whichFile)
	}
	for i, target := range targets {
		if i > 0 {
			if err := t.say("\n\n"); err != nil {
				return err
			}
		}
		text, ok, err := t.textOf(target)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := t.say(tell(r, target, text)); err != nil {
			return err
		}
	}
	return nil
}

// textOf is the text of a target: as the client gave it along, else as it reads.
func (t *turn) textOf(file target) (text string, ok bool, err error) {
	if file.text != nil {
		return *file.text, true, nil
	}
	if file.path == "" {
		return "", false, t.sayf("I cannot read `%s`: it is no file, and its text was not given along.", file.name)
	}
	text, ok, err = t.readShown(file)
	if !ok || err != nil || file.lines.Whole() {
		return text, ok, err
	}
	lines := strings.SplitAfter(text, "\n")
	if file.lines.First > len(lines) {
		return "", false, t.sayf("`%s` has no line %d.", file.name, file.lines.First)
	}
	return strings.Join(lines[file.lines.First-1:min(file.lines.Last, len(lines))], ""), true, nil
}

// tell answers a question about a text. Only what can be read off is said.
func tell(r request, t target, text string) string {
	l := t.language()
	first := max(t.lines.First, 1)
	switch r.verb {
	case outline:
		return tellOutline(t, code.Outline(text, l), first)
	case marks:
		return tellMarks(t, code.FactsOf(text, l), first)
	case count:
		f := code.FactsOf(text, l)
		s := fmt.Sprintf("`%s` has %s", t.title(), counted(f.Lines, "line"))
		if f.Comment > 0 {
			s += fmt.Sprintf(" (%d blank, %d of comments only)", f.Blank, f.Comment)
		}
		return s + fmt.Sprintf(", %s and %s.", counted(f.Words, "word"), counted(len(text), "byte")) + tellKinds(code.Outline(text, l))
	case show:
		return fmt.Sprintf("`%s`:\n\n%s", t.title(), fence(text, t.name))
	}
	return tellAbout(t, text, l, first)
}

func tellOutline(t target, items []code.Item, first int) string {
	if len(items) == 0 {
		return fmt.Sprintf("I see no declarations in `%s` (as %s).", t.title(), t.language().Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` has %s:\n", t.title(), counted(len(items), "declaration"))
	const limit = 60
	for i, it := range items {
		if i == limit {
			fmt.Fprintf(&b, "\n- and %d more", len(items)-limit)
			break
		}
		fmt.Fprintf(&b, "\n%s- %s `%s`, line %d", strings.Repeat("  ", it.Depth), it.Kind, it.Name, it.Line+first-1)
	}
	return b.String()
}

func tellMarks(t target, f code.Facts, first int) string {
	if len(f.Marks) == 0 {
		return fmt.Sprintf("There is no TODO, FIXME, XXX or HACK in `%s`.", t.title())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in `%s`:\n", capital(counted(len(f.Marks), "mark")), t.title())
	for _, h := range f.Marks {
		fmt.Fprintf(&b, "\n- line %d: `%s`", h.Line+first-1, clip(h.Text))
	}
	return b.String()
}

func tellKinds(items []code.Item) string {
	counts := map[string]int{}
	var kinds []string
	for _, it := range items {
		if counts[it.Kind] == 0 {
			kinds = append(kinds, it.Kind)
		}
		counts[it.Kind]++
	}
	var words []string
	for _, k := range kinds {
		words = append(words, plural(counts[k], k))
	}
	if len(words) == 0 {
		return ""
	}
	return " It declares " + listed(words, 8) + "."
}

func plural(n int, what string) string {
	if n > 1 && strings.HasSuffix(what, "s") {
		return fmt.Sprintf("%d %ses", n, what)
	}
	return counted(n, what)
}

// tellAbout says what a file, or some lines, can be seen to be.
func tellAbout(t target, text string, l *code.Language, first int) string {
	f := code.FactsOf(text, l)
	items := code.Outline(text, l)
	var s []string
	what := l.Name
	if what == "text" {
		what = "plain text"
	}
	head := fmt.Sprintf("`%s` is %s, %s", t.title(), what, counted(f.Lines, "line"))
	if f.Package != "" {
		head += fmt.Sprintf(", of package `%s`", f.Package)
	}
	s = append(s, head+".")
	if f.Doc != "" && t.lines.Whole() {
		s = append(s, fmt.Sprintf("It says of itself: %q.", clip(f.Doc)))
	}
	if len(items) > 0 {
		var names []string
		for _, it := range items {
			names = append(names, fmt.Sprintf("%s `%s` (line %d)", it.Kind, it.Name, it.Line+first-1))
		}
		s = append(s, "It has "+listed(names, 8)+".")
	}
	if len(f.Imports) > 0 {
		s = append(s, "It imports "+listed(quotedNames(f.Imports), 8)+".")
	}
	if len(f.Calls) > 0 {
		s = append(s, "It calls "+listed(quotedNames(f.Calls), 8)+".")
	}
	var flow []string
	for _, c := range []struct {
		n    int
		what string
	}{{f.Loops, "loop"}, {f.Branches, "branch"}, {f.Returns, "return"}} {
		if c.n > 0 {
			word := counted(c.n, c.what)
			if c.what == "branch" && c.n > 1 {
				word = fmt.Sprintf("%d branches", c.n)
			}
			flow = append(flow, word)
		}
	}
	if len(flow) > 0 {
		s = append(s, "I count "+listed(flow, 3)+".")
	}
	if len(f.Marks) > 0 {
		s = append(s, fmt.Sprintf("There is something to do on line %d: `%s`.", f.Marks[0].Line+first-1, clip(f.Marks[0].Text)))
	}
	s = append(s, "That is what can be read off; what it is meant for I cannot know.")
	return strings.Join(s, " ")
}

func quotedNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + n + "`"
	}
	return out
}

func clip(s string) string {
	const limit = 160
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// fence puts a text in a code block that it cannot end.
func fence(text, name string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return marks + strings.TrimPrefix(filepath.Ext(name), ".") + "\n" + text + marks
}
