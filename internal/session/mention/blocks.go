package mention

import (
	"fmt"
	"path"
	"strings"
)

// Block is a content block: text, link or resource.
type Block struct {
	Type     string
	Text     string
	URI      string // link and resource
	Name     string // link
	MimeType string
}

// Blocks makes the content blocks of a prompt: its text as it is, then each
// source once, those of the mentions before the others. With embedded, a source
// is a resource with its text; without, a link and the text in a fence.
func Blocks(text string, mentions []Mention, others []Source, embedded bool) []Block {
	var blocks []Block
	if text != "" {
		blocks = append(blocks, Block{Type: "text", Text: text})
	}
	seen := map[string]bool{}
	add := func(s Source) {
		uri := s.Reference()
		key := uri + "\x00" + s.Text // a selection may be a part of the lines it names
		if seen[key] {
			return
		}
		seen[key] = true
		switch {
		case s.Link:
			blocks = append(blocks, Block{Type: "link", URI: uri, Name: s.title()})
		case embedded:
			blocks = append(blocks, Block{Type: "resource", URI: uri, Text: s.Text, MimeType: "text/plain"})
		default:
			blocks = append(blocks,
				Block{Type: "link", URI: uri, Name: s.title()},
				Block{Type: "text", Text: s.fencedText()})
		}
	}
	for _, m := range mentions {
		for _, s := range m.Sources {
			add(s)
		}
	}
	for _, s := range others {
		add(s)
	}
	return blocks
}

// Reference is the URI with the lines as its fragment: what the source's block is
// called in the prompt.
func (s Source) Reference() string {
	if s.Lines.Whole() {
		return s.URI
	}
	return fmt.Sprintf("%s#L%d-L%d", s.URI, s.Lines.First, s.Lines.Last)
}

func (s Source) title() string {
	name := s.Name
	if name == "" {
		name = s.URI[strings.LastIndexByte(s.URI, '/')+1:]
	}
	switch {
	case s.Lines.Whole():
		return name
	case s.Lines.First == s.Lines.Last:
		return fmt.Sprintf("%s, line %d", name, s.Lines.First)
	}
	return fmt.Sprintf("%s, lines %d-%d", name, s.Lines.First, s.Lines.Last)
}

// fencedText is the text as Markdown. The fence is longer than any run of
// backticks in the text, so that nothing in it can end it.
func (s Source) fencedText() string {
	fence := strings.Repeat("`", max(3, longestRun(s.Text, '`')+1))
	language := s.Language
	if language == "" {
		language = languageOf(s.Name)
	}
	end := "\n"
	if endsLine(s.Text) {
		end = ""
	}
	return s.title() + ":\n" + fence + language + "\n" + s.Text + end + fence
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == c {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// languageOf is the word after the fence: mostly the name's extension, which is
// what highlighters know; these are the ones they do not.
func languageOf(name string) string {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	switch base := strings.ToLower(path.Base(name)); {
	case base == "makefile" || base == "dockerfile":
		return base
	}
	switch ext {
	case "h":
		return "c"
	case "hpp", "cc", "hh":
		return "cpp"
	case "mjs", "cjs":
		return "js"
	case "mts", "cts":
		return "ts"
	case "yml":
		return "yaml"
	case "markdown":
		return "md"
	}
	if strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789+") != "" {
		return ""
	}
	return ext
}
