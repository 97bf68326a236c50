package code

import (
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"acp-ls/internal/demo/lazyre"
)

// ErrNoImports says that a language has no imports this package knows to sort.
var ErrNoImports = errors.New("imports are sorted in Go, Python, JavaScript and TypeScript only")

// SortImports sorts each block of imports that has no blank line in it, and
// takes away those that stand there twice. What comes with an import, a comment
// above it or behind it, moves along.
func SortImports(text string, l *Language) ([]Edit, error) {
	switch l.id {
	case "go":
		return goImports(text)
	case "python":
		return sortBlocks(text, pythonImports(text)), nil
	case "js", "ts":
		return sortBlocks(text, jsImports(text, l)), nil
	}
	return nil, ErrNoImports
}

// unit is an import with the lines that belong to it: [start, end) in whole
// lines. Units of a block are next to each other.
type unit struct {
	start, end int
	key        string // what is sorted by
	same       string // equal for imports of which one is too many; "" for none
}

// sortBlocks sorts the units of each block.
func sortBlocks(text string, blocks [][]unit) []Edit {
	var edits []Edit
	for _, units := range blocks {
		if len(units) < 2 {
			continue
		}
		start, end := units[0].start, units[len(units)-1].end
		sorted := slices.Clone(units)
		slices.SortStableFunc(sorted, func(a, b unit) int { return cmp.Compare(a.key, b.key) })
		sorted = slices.CompactFunc(sorted, func(a, b unit) bool { return a.same != "" && a.same == b.same })
		var b strings.Builder
		for i, u := range sorted {
			piece := text[u.start:u.end]
			if !strings.HasSuffix(piece, "\n") && i < len(sorted)-1 {
				piece += lineEnding(text) // the file's last line has come further up
			}
			b.WriteString(piece)
		}
		out := b.String()
		if !strings.HasSuffix(text[start:end], "\n") {
			out = strings.TrimRight(out, "\r\n")
		}
		if out != text[start:end] {
			edits = append(edits, Edit{start, end, out})
		}
	}
	return edits
}

// goImports works on the imports that have lines of their own, where the parser
// found them.
func goImports(text string) ([]Edit, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid Go up to its imports: %w", err)
	}
	starts := append(lineStarts(text), len(text))
	blank := func(from, to int) bool {
		return strings.TrimSpace(codeOnly(text[from:to], languages["go"])) == ""
	}
	var blocks [][]unit
	var block []unit
	last := 0 // the line of the import before
	for _, spec := range file.Imports {
		pos, end := fset.Position(spec.Pos()), fset.Position(spec.End())
		first, lineStart, lineEnd := pos.Line, starts[pos.Line-1], starts[pos.Line]
		clean := strings.TrimSpace(text[lineStart:pos.Offset]) == "" && blank(end.Offset, lineEnd)
		if spec.Comment != nil {
			clean = clean && fset.Position(spec.Comment.End()).Line == pos.Line
		}
		if spec.Doc != nil {
			first = fset.Position(spec.Doc.Pos()).Line
			clean = clean && blank(starts[first-1], lineStart)
		}
		if first != last+1 || !clean {
			blocks, block = append(blocks, block), nil
		}
		last = pos.Line
		if !clean {
			continue
		}
		u := unit{start: starts[first-1], end: lineEnd, key: strings.Trim(spec.Path.Value, "\"`")}
		if spec.Name != nil {
			u.key += " " + spec.Name.Name
		}
		if spec.Doc == nil && spec.Comment == nil {
			u.same = u.key
		}
		block = append(block, u)
	}
	return sortBlocks(text, append(blocks, block)), nil
}

var (
	pyPlain = lazyre.New(`^import\s+([\w.]+)`)
	pyFrom  = lazyre.New(`^from\s+([\w.]+)\s+import\b`)
)

// pythonImports finds blocks of imports at the left margin: plain ones sort
// before "from" ones, and __future__ stays first.
func pythonImports(text string) [][]unit {
	code := codeOnly(text, languages["python"])
	return importBlocks(text, code, func(rest string) (unit, bool) {
		var u unit
		if m := pyPlain.FindStringSubmatch(rest); m != nil {
			u.key = "1" + strings.ToLower(m[1])
		} else if m := pyFrom.FindStringSubmatch(rest); m != nil {
			u.key = "2" + strings.ToLower(m[1])
			if m[1] == "__future__" {
				u.key = "0"
			}
		} else {
			return u, false
		}
		u.end = pythonStatement(rest)
		return u, strings.IndexByte(rest[:u.end], ';') < 0
	})
}

// pythonStatement is the length of the first logical line of code, with its end.
func pythonStatement(code string) int {
	depth := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\\':
			if rest := code[i+1:]; strings.HasPrefix(rest, "\r\n") {
				i += 2
			} else if strings.HasPrefix(rest, "\n") {
				i++
			}
		case '\n':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return len(code)
}

var (
	jsFrom = lazyre.New(`^import\b[^'";]*\bfrom\s*(['"])`)
	jsLine = lazyre.New(`^[ \t]*;?[ \t]*\r?(\n|$)`)
)

// jsImports finds blocks of imports with names. One without (import './x') runs
// something and stays where it is, and so do its neighbours: order matters there.
func jsImports(text string, l *Language) [][]unit {
	code := codeOnly(text, l)
	return importBlocks(text, code, func(rest string) (unit, bool) {
		var u unit
		m := jsFrom.FindStringSubmatchIndex(rest)
		if m == nil {
			return u, false
		}
		open := m[2]
		closing := strings.IndexByte(rest[open+1:], rest[open])
		if closing < 0 {
			return u, false
		}
		after := open + 1 + closing + 1
		tail := jsLine.FindStringIndex(rest[after:])
		if tail == nil {
			return u, false
		}
		at := len(code) - len(rest)
		from := text[at+open+1 : at+after-1]
		u.end = after + tail[1]
		u.key = "0" + strings.ToLower(from)
		if strings.HasPrefix(from, ".") {
			u.key = "1" + strings.ToLower(from) // the package's own files last
		}
		return u, true
	})
}

// importBlocks goes through the top of a file. parse reads the import at the
// beginning of its argument and sets the key and, relative to it, the end. A
// comment line above an import belongs to it, unless it begins the block: then
// it may be about the file.
func importBlocks(text, code string, parse func(rest string) (unit, bool)) [][]unit {
	var blocks [][]unit
	var block []unit
	comment := -1 // where the comments above the next import begin
	flush := func() {
		if block != nil {
			blocks = append(blocks, block)
		}
		block, comment = nil, -1
	}
	for at := 0; at < len(text); {
		if u, ok := parse(code[at:]); ok {
			u.start, u.end = at, at+u.end
			if comment >= 0 && block != nil {
				u.start = comment
			}
			comment = -1
			u.same = strings.TrimSpace(text[u.start:u.end])
			u.key += "\x00" + u.same
			block = append(block, u)
			at = u.end
			continue
		}
		n := lineLength(text[at:])
		line := text[at : at+n]
		switch {
		case strings.TrimSpace(line) != "" && strings.TrimSpace(code[at:at+n]) == "":
			if comment < 0 {
				comment = at
			}
		default:
			flush()
		}
		at += n
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			at += i + 1
		} else {
			at = len(text)
		}
	}
	flush()
	return blocks
}
