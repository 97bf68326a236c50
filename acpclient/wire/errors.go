package wire

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
)

// Error is an error response, received from the agent or to be sent to it. A
// handler returns one to choose the code; any other error is sent as an
// internal error.
type Error = jsonrpc2.Error

// Code is the code of an [Error].
type Code = jsonrpc2.Code

// The codes of the protocol.
const (
	CodeParse          Code = -32700
	CodeInvalidRequest Code = -32600
	CodeMethodNotFound Code = -32601
	CodeInvalidParams  Code = -32602
	CodeInternal       Code = -32603
	CodeAuthRequired   Code = -32000
	CodeNotFound       Code = -32002 // a session or a file
	CodeCancelled      Code = -32800
)

// NewError returns an error response.
func NewError(code Code, message string) *Error { return jsonrpc2.NewError(code, message) }

// ErrorCode returns the code of the [Error] in err's tree, or 0.
func ErrorCode(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

var (
	// ErrClosed is what calls fail with, and handlers' contexts end with, when the
	// connection is gone.
	ErrClosed = errors.New("connection to agent closed")

	// ErrWrite is what calls and notifications fail with that could not be written:
	// the agent has closed its input, or has just ended. Nothing can be written any
	// more then; what it has still to say is read all the same.
	ErrWrite = errors.New("write to agent")

	// ErrCancelledByAgent is the cause with which a handler's context ends when
	// the agent cancels its request.
	ErrCancelledByAgent = errors.New("request cancelled by agent")

	// ErrInNotification is what a call made inside a notification handler fails
	// with: its response could not be read before the handler returns.
	ErrInNotification = errors.New("call inside a notification handler can not be answered: start it in a goroutine of its own")
)

// toResponseError turns a handler's error into what is sent.
func toResponseError(err error) error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return err // jsonrpc2 keeps the code and the outer message
	case errors.Is(err, ErrCancelledByAgent), errors.Is(err, context.Canceled):
		return jsonrpc2.NewError(CodeCancelled, err.Error())
	}
	return jsonrpc2.NewError(CodeInternal, err.Error())
}
