package wire

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

// methodTooLong is the method of the call that stands in for a request that was
// too long to be read. No method on the wire begins with NUL.
const methodTooLong = "\x00too long"

var (
	byteOrderMark = []byte("\uFEFF")
	messageStart  = []byte(`{"jsonrpc"`)
)

// parseLine returns the message of a line, or nil if there is none. What stands
// on the line after the message is put back, to be read as a line of its own.
func (s *Stream) parseLine(line []byte) jsonrpc2.Message {
	trimmed := bytes.TrimPrefix(bytes.TrimSpace(line), byteOrderMark)
	trimmed = bytes.TrimSpace(trimmed)
	if len(trimmed) == 0 {
		return nil
	}
	if s.opt.Trace != nil {
		s.opt.Trace(false, trimmed)
	}
	if s.known != nil && s.known(trimmed) {
		return nil
	}
	if trimmed[0] != '{' {
		// Text without a newline before a message: progress dots, escape sequences.
		at := bytes.Index(trimmed, messageStart)
		if at < 0 || trimmed[0] == '[' && skipContainer(trimmed, 0) == len(trimmed) {
			s.noise(trimmed)
			return nil
		}
		s.report(Report{Problem: NotJSON, Line: lineHead(trimmed[:at]), Size: int64(at)})
		trimmed = trimmed[at:]
	}
	var e envelope
	end := e.scan(trimmed)
	if end < 0 {
		s.report(Report{Problem: NotJSON, Line: lineHead(trimmed), Size: int64(len(trimmed))})
		return nil
	}
	if rest := bytes.TrimSpace(trimmed[end:]); len(rest) > 0 {
		if at := bytes.Index(rest, messageStart); at >= 0 {
			s.unread(rest[at:])
			rest = rest[:at]
		}
		if len(rest) > 0 {
			s.report(Report{Problem: NotJSON, Line: lineHead(rest), Size: int64(len(rest))})
		}
	}
	s.message = trimmed[:end]
	msg, err := e.message()
	if err != nil {
		s.report(Report{Problem: NotMessage, ID: string(e.id), Line: lineHead(trimmed), Size: int64(end), Err: err})
	}
	return msg
}

// unread puts the tail of the line that was just read back before the unread
// bytes. tail is a slice of buf, so nothing is copied.
func (s *Stream) unread(tail []byte) {
	s.r = cap(s.buf) - cap(tail)
}

func (s *Stream) noise(line []byte) {
	r := Report{Problem: NotJSON, Line: lineHead(line), Size: int64(len(line))}
	if end := skipValue(line, 0); end == len(line) {
		r.Problem = NotMessage
		if line[0] == '[' && bytes.Contains(line, messageStart[1:]) {
			r.Problem = Batch
		}
	}
	s.report(r)
}

// envelope holds the members of a JSON-RPC message, as spans of its line.
type envelope struct {
	version, id, method, params, result, error []byte
}

// scan reads the object at the start of line and returns the index after it, or
// -1 if it is malformed.
func (e *envelope) scan(line []byte) int {
	m := scanObject(line, 0)
	for {
		name, value, more := m.next()
		if !more {
			break
		}
		switch string(name) {
		case "jsonrpc":
			e.version = value
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "params":
			e.params = value
		case "result":
			e.result = value
		case "error":
			e.error = value
		}
	}
	if !m.ok() {
		return -1
	}
	return m.pos
}

var (
	errNoKind      = errors.New("neither a method nor a result nor an error")
	errBadMethod   = errors.New("the method is not a string")
	errNoID        = errors.New("a response without an id")
	errNullIDError = errors.New("an error for no request")
)

// message builds the message the envelope was meant to be.
func (e *envelope) message() (jsonrpc2.Message, error) {
	hasResult := e.result != nil && !isNull(e.result)
	hasError := e.error != nil && !isNull(e.error)
	if isString(e.method) && !hasResult && !hasError {
		return e.request()
	}
	if e.method != nil && !isString(e.method) && !isNull(e.method) && !hasResult && !hasError {
		return nil, errBadMethod
	}
	// JSON.stringify drops a result that is undefined: an object with a version and
	// an id and nothing else is the response "undefined". Without the version it
	// is a log line.
	if e.result == nil && e.error == nil && (e.version == nil || e.id == nil) {
		return nil, errNoKind
	}
	id, ok := parseID(e.id)
	if !ok || !id.IsValid() {
		if hasError {
			return nil, errors.Join(errNullIDError, decodeError(e.error))
		}
		return nil, errNoID
	}
	id = responseID(id)
	if hasError {
		return jsonrpc2.NewResponse(id, nil, decodeError(e.error)), nil
	}
	return jsonrpc2.NewResponse(id, bytes.Clone(e.result), nil), nil
}

func (e *envelope) request() (jsonrpc2.Message, error) {
	method, ok := methodNames[string(e.method[1:len(e.method)-1])]
	if !ok {
		if method, ok = unquote(e.method); !ok {
			return nil, errBadMethod
		}
	}
	params := e.params
	if isNull(params) {
		params = nil
	}
	if e.id == nil || isNull(e.id) {
		return jsonrpc2.NewNotification(method, params), nil
	}
	id, _ := parseID(e.id)
	return jsonrpc2.NewCall(id, method, params), nil
}

// rawID marks a string id that stands for the JSON text after it: an id that is
// neither a string nor a 64-bit integer and must be answered as it came.
const rawID = "\x00"

// parseID reads an id of any JSON type. It reports false for none.
func parseID(v []byte) (jsonrpc2.ID, bool) {
	if len(v) == 0 {
		return jsonrpc2.ID{}, false
	}
	if isNull(v) {
		return jsonrpc2.ID{}, true
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil && v[0] != '+' {
		return jsonrpc2.NewNumberID(n), true
	}
	if s, ok := unquote(v); ok && len(s)+2 == len(v) && s[:min(1, len(s))] != rawID {
		return jsonrpc2.NewStringID(s), true
	}
	return jsonrpc2.NewStringID(rawID + string(v)), true
}

// responseID turns the id of a response into the number we gave out, where an
// agent has made 1.0, 1e0 or "1" of it.
func responseID(id jsonrpc2.ID) jsonrpc2.ID {
	s, ok := id.StringValue()
	if !ok {
		return id
	}
	if len(s) > 1 && s[:1] == rawID {
		s = s[1:]
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return id
	}
	return jsonrpc2.NewNumberID(int64(f))
}

// decodeError reads an error object, or whatever an agent sent in its place.
func decodeError(v []byte) *jsonrpc2.Error {
	e := &jsonrpc2.Error{Code: jsonrpc2.InternalError}
	if s, ok := unquote(v); ok {
		e.Message = s
		return e
	}
	m := scanObject(v, 0)
	for {
		name, value, more := m.next()
		if !more {
			break
		}
		switch string(name) {
		case "code":
			text := string(value)
			if s, ok := unquote(value); ok {
				text = s
			}
			if f, err := strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
				e.Code = jsonrpc2.Code(f)
			}
		case "message":
			if s, ok := unquote(value); ok {
				e.Message = s
			} else {
				e.Message = string(value)
			}
		case "data":
			if !isNull(value) {
				e.Data = bytes.Clone(value)
			}
		}
	}
	if e.Message == "" {
		e.Message = "the agent gave no message: " + string(lineHead(v))
	}
	return e
}
