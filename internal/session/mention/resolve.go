package mention

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Source is something a prompt points at.
type Source struct {
	URI   string // without a fragment
	Name  string // for people: the path relative to the session's folder
	Text  string // the live text of Lines, exactly
	Lines Lines
	// Link: too large, not text, or a folder; it is named and not embedded.
	Link bool
	// Size is that of the whole in bytes if it is too large: then nothing of it is in
	// Text, and it is a Link, or only its beginning.
	Size     int
	Language string // of Text, if the name does not tell
}

// Resolver says what mentions stand for. A false result means that the
// mention names nothing.
type Resolver interface {
	// File finds a file or folder by a path as the user wrote it. lines are
	// those of the mention; a range that lies past the end of the file names
	// nothing. Source.Lines is what the text has of them.
	File(path string, lines Lines) (Source, bool)
	Selection() (Source, bool)
	Buffer() (Source, bool)
	Open() []Source
	Diff() (Source, bool)
}

// Mention is a mention that names something.
type Mention struct {
	Token
	Sources []Source
}

// Resolve returns the mentions in text in their order; they do not overlap.
// nothing are those of the words that stand in it and name nothing, each once: a
// user who wrote one of them meant something. What looks like a path and is none
// may have been meant as anything.
func Resolve(text string, r Resolver) (all []Mention, nothing []Kind) {
	fences := fenced(text)
	for i := 0; i < len(text); {
		at := strings.IndexByte(text[i:], '@')
		if at < 0 {
			break
		}
		at += i
		i = at + 1
		for len(fences) > 0 && fences[0][1] <= at {
			fences = fences[1:]
		}
		if len(fences) > 0 && fences[0][0] <= at {
			i = fences[0][1]
			continue
		}
		if before, size := utf8.DecodeLastRuneInString(text[:at]); size > 0 && !startsMention(before) {
			continue
		}
		i = candidates(text, at, func(t Token) bool {
			sources := resolve(t, r)
			if len(sources) > 0 {
				all = append(all, Mention{t, sources})
			} else if t.Kind != File && !slices.Contains(nothing, t.Kind) {
				nothing = append(nothing, t.Kind)
			}
			return len(sources) > 0
		})
	}
	return all, nothing
}

func resolve(t Token, r Resolver) []Source {
	one := func(s Source, ok bool) []Source {
		if !ok {
			return nil
		}
		return []Source{s}
	}
	switch t.Kind {
	case Selection:
		return one(r.Selection())
	case Buffer:
		return one(r.Buffer())
	case Open:
		return r.Open()
	case Diff:
		return one(r.Diff())
	default:
		return one(r.File(t.Path, t.Lines))
	}
}

// Cut returns lines of a text, with their ends, and which there are of them.
// Lines end with LF, CRLF or CR. ok is false if there are none.
func Cut(text string, lines Lines) (cut string, got Lines, ok bool) {
	if lines.Whole() {
		return text, lines, true
	}
	start, n := 0, 1
	for ; n < lines.First; n++ {
		end := lineEnd(text, start)
		if end == start || !endsLine(text[:end]) {
			return "", Lines{}, false
		}
		start = end
	}
	end, last := start, lines.First-1
	for last < lines.Last && end < len(text) {
		end = lineEnd(text, end)
		last++
	}
	if last < lines.First {
		return "", Lines{}, false
	}
	return text[start:end], Lines{lines.First, last}, true
}

func lineEnd(text string, start int) int {
	i := strings.IndexAny(text[start:], "\r\n")
	if i < 0 {
		return len(text)
	}
	end := start + i + 1
	if text[end-1] == '\r' && end < len(text) && text[end] == '\n' {
		end++
	}
	return end
}

func endsLine(s string) bool { return strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r") }

// fenced returns the byte ranges of fenced code blocks (CommonMark 4.5; one
// that is not closed reaches to the end).
func fenced(text string) [][2]int {
	var all [][2]int
	fence, begin := "", 0
	for start := 0; start < len(text); {
		end := lineEnd(text, start)
		line := strings.TrimRight(text[start:end], "\r\n \t")
		body := strings.TrimLeft(line, " ")
		indented := len(line)-len(body) > 3
		marks := leadingFence(body)
		switch {
		case indented || marks == "":
		case fence == "":
			if marks[0] == '~' || !strings.Contains(body[len(marks):], "`") {
				fence, begin = marks, start
			}
		case marks[0] == fence[0] && len(marks) >= len(fence) && len(marks) == len(body):
			all = append(all, [2]int{begin, end})
			fence = ""
		}
		start = end
	}
	if fence != "" {
		all = append(all, [2]int{begin, len(text)})
	}
	return all
}

func leadingFence(s string) string {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	if n < 3 {
		return ""
	}
	return s[:n]
}
