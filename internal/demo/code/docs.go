package code

import (
	"errors"
	"strings"
)

// ErrNoDocs says that a language has no doc comments this package can write.
var ErrNoDocs = errors.New("doc comments are written in Go, Python, JavaScript and TypeScript only")

// Doc is a doc comment that is missing.
type Doc struct {
	Edit
	Name string // what it is about
}

// AddDocs writes a doc comment for each declaration that others see and that
// has none. A comment says what the declaration itself says, in words; what the
// code is for is not to be known from it.
func AddDocs(text string, l *Language) ([]Doc, error) {
	switch l.id {
	case "go":
		return goDocs(text)
	case "python":
		return pythonDocs(text), nil
	case "js", "ts":
		return jsDocs(text, l), nil
	}
	return nil, ErrNoDocs
}

// join makes "a, b and c".
func join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
