package wire

import "bytes"

// overlong reads a line that is too long to keep, piece by piece, and remembers
// what must be known so that nobody waits for ever: the id and the method at
// its top level, wherever they stand in it.
type overlong struct {
	size   int64
	id     []byte // raw JSON
	method []byte // raw JSON
	result bool   // has a member "result"
	error  bool   // has a member "error"

	depth   int
	inStr   bool
	escaped bool
	isName  bool   // at depth 1: the next string is a name
	name    []byte // the name of the member being passed, at depth 1
	value   []byte // its value so far, if it is one to be kept
	keep    keeping
}

type keeping uint8

const (
	keepNothing keeping = iota
	keepName
	keepValue
)

// overlongKeep bounds what is kept of a name or value. An id that is longer
// cannot be answered.
const overlongKeep = 4096

// feed passes the next piece of the line, which has no newline in it.
func (o *overlong) feed(p []byte) {
	o.size += int64(len(p))
	for i := 0; i < len(p); {
		if o.inStr && o.keep == keepNothing && !o.escaped {
			// The bulk of such a line is one string: jump to its next quote or escape.
			j := bytes.IndexAny(p[i:min(len(p), i+512)], `"\`)
			if j < 0 {
				i = min(len(p), i+512)
				continue
			}
			i += j
		}
		o.step(p[i])
		i++
	}
}

func (o *overlong) step(c byte) {
	if o.inStr {
		o.take(c)
		switch {
		case o.escaped:
			o.escaped = false
		case c == '\\':
			o.escaped = true
		case c == '"':
			o.inStr = false
			if o.keep == keepName {
				o.keep, o.isName = keepNothing, false
			}
		}
		return
	}
	switch c {
	case '"':
		o.inStr = true
		if o.depth == 1 && o.isName {
			o.keep, o.name = keepName, o.name[:0]
		}
		o.take(c)
	case '{', '[':
		o.depth++
		o.isName = o.depth == 1 && c == '{'
		o.take(c)
	case '}', ']':
		if o.depth == 1 {
			o.endMember()
		}
		o.depth--
		o.take(c)
	case ':':
		if o.depth == 1 {
			o.beginValue()
			return
		}
		o.take(c)
	case ',':
		if o.depth == 1 {
			o.endMember()
			o.isName = true
			return
		}
		o.take(c)
	default:
		o.take(c)
	}
}

func (o *overlong) beginValue() {
	o.keep = keepNothing
	switch string(o.name) {
	case `"id"`, `"method"`:
		o.keep, o.value = keepValue, o.value[:0]
	case `"result"`:
		o.result = true
	case `"error"`:
		o.error = true
	}
}

func (o *overlong) endMember() {
	if o.keep == keepValue {
		v := bytes.Clone(bytes.TrimSpace(o.value))
		if string(o.name) == `"id"` {
			o.id = v
		} else {
			o.method = v
		}
	}
	o.keep, o.name = keepNothing, o.name[:0]
}

func (o *overlong) take(c byte) {
	switch o.keep {
	case keepName:
		o.name = append(o.name, c)
		if len(o.name) > 16 {
			o.keep, o.isName, o.name = keepNothing, false, o.name[:0]
		}
	case keepValue:
		if o.value = append(o.value, c); len(o.value) > overlongKeep {
			o.keep = keepNothing
		}
	}
}
