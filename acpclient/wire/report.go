package wire

import (
	"fmt"
	"strconv"
)

// Problem says what kind of thing a [Report] is about.
type Problem uint8

// The kinds of problems. None of them ends a connection.
const (
	// NotJSON: a line, or text before or after a message, is no JSON: a banner,
	// a log line.
	NotJSON Problem = iota + 1
	// NotMessage: a line is JSON but no message: a log object, a scalar.
	NotMessage
	// Batch: a line is a JSON-RPC batch, which ACP does not have.
	Batch
	// TooLong: a line was longer than the limit and has been skipped.
	TooLong
	// BadParams: a notification could not be decoded and is ignored.
	BadParams
	// BadMember: an optional member had a wrong type and was left out.
	BadMember
	// StrayResponse: a response that answers no call: it comes late, twice or
	// with an id that was never given out.
	StrayResponse
	// Panicked: a handler panicked. A request was answered with an error.
	Panicked
	// WriteFailed: a message could not be written. The agent has closed its
	// stdin, or is gone.
	WriteFailed
)

var problemNames = [...]string{
	NotJSON: "not JSON", NotMessage: "not a message", Batch: "a batch", TooLong: "too long",
	BadParams: "bad params", BadMember: "bad member", StrayResponse: "stray response", Panicked: "handler panicked", WriteFailed: "write failed",
}

// String returns the kind in words.
func (p Problem) String() string {
	if int(p) < len(problemNames) && p > 0 {
		return problemNames[p]
	}
	return "problem " + strconv.Itoa(int(p))
}

// Report is one thing that was not as it should be and was got over.
type Report struct {
	Problem Problem
	Method  string // of the message, if known
	ID      string // its id as JSON, if known
	Line    []byte // the start of the line, at most 1 kB; valid only during the call
	Size    int64  // length of the whole line in bytes
	Err     error  // what was wrong, if more is to be said
}

// String returns the report as one line for a log, without line content.
func (r Report) String() string {
	s := r.Problem.String()
	if r.Method != "" {
		s += " " + strconv.Quote(r.Method)
	}
	if r.ID != "" {
		s += " id " + r.ID
	}
	if r.Size > 0 {
		s += fmt.Sprintf(" (%d bytes)", r.Size)
	}
	if r.Err != nil {
		s += ": " + r.Err.Error()
	}
	return s
}

// reportLine is how much of a line a Report shows.
const reportLine = 1 << 10

func lineHead(line []byte) []byte { return line[:min(len(line), reportLine)] }
