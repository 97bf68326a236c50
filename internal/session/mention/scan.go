package mention

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a mention names.
type Kind int

const (
	File Kind = iota
	Selection
	Buffer // the document in front of the user
	Open   // all open documents
	Diff   // what git sees as changed
)

var words = map[string]Kind{"selection": Selection, "buffer": Buffer, "open": Open, "diff": Diff}

// String is the mention of a kind that is a word, with its @; of a File it is "".
func (k Kind) String() string {
	for w, kind := range words {
		if kind == k {
			return "@" + w
		}
	}
	return ""
}

// Lines is a range of 1-based lines, the last included. The zero value is the
// whole text.
type Lines struct{ First, Last int }

// Whole says that the range limits nothing.
func (l Lines) Whole() bool { return l == Lines{} }

// Token is a mention as it stands in the text, from its @ at byte Start up to
// End.
type Token struct {
	Start, End int
	Kind       Kind
	Path       string // of a File, as written, without quotes and lines
	Lines      Lines  // of a File
}

// candidates calls yield with the ways to read the mention at the @ at byte
// start, the longest first, until it returns true, and returns where to go on.
func candidates(text string, start int, yield func(Token) bool) (next int) {
	body := text[start+1:]
	if strings.HasPrefix(body, `"`) {
		return quoted(text, start, yield)
	}
	end := min(len(body), maxPath)
	if i := strings.IndexFunc(body[:end], endsPath); i >= 0 { // also a character cut in two
		end = i
	}
	for _, n := range cuts(body[:end]) {
		for _, t := range readings(body[:n]) {
			t.Start, t.End = start, start+1+n
			if yield(t) {
				return t.End
			}
		}
	}
	return start + 1
}

func quoted(text string, start int, yield func(Token) bool) (next int) {
	body := text[start+2:]
	path, rest, ok := strings.Cut(body, `"`)
	if !ok || path == "" || strings.ContainsAny(path, "\n\r") {
		return start + 1
	}
	t := Token{Start: start, End: start + 2 + len(path) + 1, Kind: File, Path: path}
	suffix := rest
	if i := strings.IndexFunc(rest, endsPath); i >= 0 {
		suffix = rest[:i]
	}
	for _, n := range cuts(suffix) {
		if plain, lines := cutLines(suffix[:n]); plain == "" && !lines.Whole() {
			withLines := t
			withLines.Lines, withLines.End = lines, t.End+n
			if yield(withLines) {
				return withLines.End
			}
			break
		}
	}
	if plain, lines := cutLines(path); plain != "" && !lines.Whole() {
		inside := t
		inside.Path, inside.Lines = plain, lines
		if yield(inside) {
			return t.End
		}
	}
	if yield(t) {
		return t.End
	}
	return start + 1
}

// readings are the meanings of what stands behind an unquoted @.
func readings(s string) []Token {
	if kind, ok := words[s]; ok {
		return []Token{{Kind: kind}}
	}
	whole := Token{Kind: File, Path: s}
	if plain, lines := cutLines(s); plain != "" && !lines.Whole() {
		return []Token{{Kind: File, Path: plain, Lines: lines}, whole} // a name may well end in #L1
	}
	return []Token{whole}
}

// cutLines parts #L10 or #L10-L20 (also #L10-20) from what stands before it.
func cutLines(s string) (string, Lines) {
	i := strings.LastIndexByte(s, '#')
	if i < 0 {
		return s, Lines{}
	}
	first, last, isRange := strings.Cut(s[i+1:], "-")
	if !strings.HasPrefix(first, "L") {
		return s, Lines{}
	}
	a, ok := lineNumber(first[1:])
	if !ok {
		return s, Lines{}
	}
	b := a
	if isRange {
		if b, ok = lineNumber(strings.TrimPrefix(last, "L")); !ok {
			return s, Lines{}
		}
	}
	return s[:i], Lines{min(a, b), max(a, b)}
}

func lineNumber(s string) (int, bool) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0
}

// startsMention says whether an @ behind r can begin a mention: not in an
// address, a name or a path.
func startsMention(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsSpace(r) || strings.ContainsRune("([{<\"'`,;:|=*~>!?", r)
	}
	return true // scripts without spaces between words, and their punctuation
}

// endsPath says whether an unquoted path ends before r at the latest.
func endsPath(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError || strings.ContainsRune("\"`<>|", r)
}

const (
	// separators may end a path anywhere, being rare in names.
	separators = ",;:)]}'，。、；：！？）」』】"
	// trailers end a path only where nothing else of it follows.
	trailers = separators + ".!?*_~…"
	maxCuts  = 16 // each is a look for a file
	maxPath  = 4096
)

// cuts returns the lengths at which s may end, the longest first: a name may
// hold any punctuation, but mostly it is the sentence's.
func cuts(s string) []int {
	var all []int
	trailing := true
	for end := len(s); end > 0 && len(all) < maxCuts; {
		r, size := utf8.DecodeLastRuneInString(s[:end])
		if end == len(s) {
			all = append(all, end)
		}
		trailing = trailing && strings.ContainsRune(trailers, r)
		end -= size
		if end > 0 && (trailing || strings.ContainsRune(separators, r)) && !slices.Contains(all, end) {
			all = append(all, end)
		}
	}
	return all
}
