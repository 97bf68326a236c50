package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// The scanner finds the members of a JSON object without decoding them. It
// checks that brackets and quotes balance and nothing more: what is inside a
// value is judged by whoever decodes it. All spans it returns alias its input.

// members iterates over the members of one JSON object.
type members struct {
	data []byte
	pos  int  // the next byte to look at
	err  bool // the object is malformed
	done bool // the closing brace was passed
}

// scanObject starts an iteration over the object at data[i:], where i may be
// before leading space. If no object begins there, the first next reports false
// and ok is false.
func scanObject(data []byte, i int) members {
	i = skipSpace(data, i)
	if i >= len(data) || data[i] != '{' {
		return members{err: true}
	}
	return members{data: data, pos: i + 1}
}

// next returns the next member: the name without its quotes (escapes are left
// as they are: no name of the protocol has any) and the value.
func (m *members) next() (name, value []byte, more bool) {
	if name, more = m.name(); !more {
		return nil, nil, false
	}
	if value = m.value(); value == nil {
		return nil, nil, false
	}
	return name, value, true
}

// name is the first half of next: pos is then where the value begins, and value
// or leave must follow.
func (m *members) name() (name []byte, more bool) {
	if m.err || m.done {
		return nil, false
	}
	d := m.data
	i := skipSpace(d, m.pos)
	if i < len(d) && d[i] == ',' && m.pos > 1 && d[m.pos-1] != '{' {
		i = skipSpace(d, i+1)
	} else if i < len(d) && d[i] == '}' {
		m.pos, m.done = i+1, true
		return nil, false
	}
	if i >= len(d) || d[i] != '"' {
		m.err = true
		return nil, false
	}
	end := skipString(d, i)
	if end < 0 {
		m.err = true
		return nil, false
	}
	name = d[i+1 : end-1]
	i = skipSpace(d, end)
	if i >= len(d) || d[i] != ':' {
		m.err = true
		return nil, false
	}
	m.pos = skipSpace(d, i+1)
	return name, true
}

// value is the second half of next. It returns nil if the object is malformed.
func (m *members) value() []byte {
	end := skipValue(m.data, m.pos)
	if end < 0 {
		m.err = true
		return nil
	}
	value := m.data[m.pos:end]
	if m.pos = end; !m.follows() {
		return nil
	}
	return value
}

// enter begins an iteration over the object that is the value, to be followed by
// leave, or by value if the object turns out to be something else.
func (m *members) enter() members { return scanObject(m.data, m.pos) }

// leave goes on behind an object that was passed to its end. It reports false if
// one of the two is malformed.
func (m *members) leave(object *members) bool {
	if !object.ok() {
		m.err = true
		return false
	}
	m.pos = object.pos
	return m.follows()
}

// follows reports whether what must follow a value does: a comma or the closing
// brace.
func (m *members) follows() bool {
	j := skipSpace(m.data, m.pos)
	if j < len(m.data) && (m.data[j] == ',' || m.data[j] == '}') {
		return true
	}
	m.err = true
	return false
}

// ok reports whether the whole object was passed and is well formed.
func (m *members) ok() bool { return m.done && !m.err }

// member returns the value of the named member of the object data, or nil.
func member(data []byte, name string) []byte {
	var found []byte
	for m := scanObject(data, 0); ; {
		n, v, more := m.next()
		if !more {
			return found
		}
		if string(n) == name {
			found = v // the last one counts, as in every JSON decoder
		}
	}
}

func skipSpace(d []byte, i int) int {
	for i < len(d) && (d[i] == ' ' || d[i] == '\t' || d[i] == '\r' || d[i] == '\n') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at d[i], or -1.
func skipString(d []byte, i int) int {
	for j := i + 1; ; {
		k := bytes.IndexByte(d[j:], '"')
		if k < 0 {
			return -1
		}
		j += k
		back := 0 // a quote after an odd number of backslashes is escaped
		for d[j-1-back] == '\\' && j-1-back > i {
			back++
		}
		j++
		if back%2 == 0 {
			return j
		}
	}
}

// skipValue returns the index after the value that begins at d[i], or -1.
func skipValue(d []byte, i int) int {
	if i >= len(d) {
		return -1
	}
	switch c := d[i]; {
	case c == '"':
		return skipString(d, i)
	case c == '{' || c == '[':
		return skipContainer(d, i)
	case c == 't':
		return skipWord(d, i, "true")
	case c == 'f':
		return skipWord(d, i, "false")
	case c == 'n':
		return skipWord(d, i, "null")
	case c == '-' || c >= '0' && c <= '9':
		j := i + 1
		for j < len(d) && (d[j] >= '0' && d[j] <= '9' || d[j] == '.' || d[j] == 'e' || d[j] == 'E' || d[j] == '+' || d[j] == '-') {
			j++
		}
		return j
	}
	return -1
}

func skipWord(d []byte, i int, word string) int {
	if len(d)-i < len(word) || string(d[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func skipContainer(d []byte, i int) int {
	depth := 0
	for i < len(d) {
		switch d[i] {
		case '"':
			if i = skipString(d, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

func isNull(v []byte) bool { return string(v) == "null" }

func isString(v []byte) bool { return len(v) >= 2 && v[0] == '"' }

// unquote decodes a JSON string into a string of its own. Invalid UTF-8 and
// lone surrogates become U+FFFD, control characters are taken as they are: text
// from an agent is never lost for a bad byte. It reports false for anything
// that is not a string or has an invalid escape.
func unquote(v []byte) (string, bool) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return "", false
	}
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') < 0 {
		return validUTF8(string(v)), true
	}
	// A text of megabytes has an escape in each line: what is between two of them
	// is copied while the next one is looked for.
	out := make([]byte, 0, len(v)+wordSize) // decoding never makes it longer
	for {
		out, v = copyToEscape(out, v)
		if len(v) == 0 {
			break
		}
		if len(v) < 2 {
			return "", false
		}
		n := 2
		switch v[1] {
		case '"', '\\', '/':
			out = append(out, v[1])
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, ok := hexRune(v)
			if !ok {
				return "", false
			}
			n = 6
			if utf16.IsSurrogate(r) {
				low, ok := hexRune(v[6:])
				if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
					r, n = pair, 12
				} else {
					r = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return "", false
		}
		v = v[n:]
	}
	return validUTF8(unsafe.String(unsafe.SliceData(out), len(out))), true
}

const (
	wordSize    = 8
	wordLow     = 0x0101010101010101
	wordHigh    = 0x8080808080808080
	wordEscapes = 0x5C5C5C5C5C5C5C5C // eight backslashes
)

// copyToEscape appends what is before the first backslash of v to out, which has
// room for all of v and a word more, and returns v from the backslash on.
func copyToEscape(out, v []byte) ([]byte, []byte) {
	n := len(out)
	for len(v) >= wordSize {
		word := binary.LittleEndian.Uint64(v)
		binary.LittleEndian.PutUint64(out[n:n+wordSize:cap(out)], word)
		x := word ^ wordEscapes // a zero byte is a backslash; the lowest one found is one
		if found := (x - wordLow) &^ x & wordHigh; found != 0 {
			k := bits.TrailingZeros64(found) / 8
			return out[:n+k], v[k:]
		}
		n += wordSize
		v = v[wordSize:]
	}
	out = out[:n]
	for i, c := range v {
		if c == '\\' {
			return append(out, v[:i]...), v[i:]
		}
	}
	return append(out, v...), nil
}

// hexRune reads the \uXXXX at the start of v.
func hexRune(v []byte) (rune, bool) {
	if len(v) < 6 || v[0] != '\\' || v[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range v[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// quote encodes s as a JSON string.
func quote(s string) []byte {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8: AppendQuote has replaced it
		b, _ = jsontext.AppendQuote(nil, validUTF8(s))
	}
	return b
}
