package lspbridge

import (
	"testing"

	"acp-ls/internal/review"
)

// A hunk that changes nothing but line ends looks as if it changed nothing: it is said what it does.
func TestDescribeLineEnds(t *testing.T) {
	for _, c := range []struct{ base, text, want string }{
		{"a\r\nb\r\n", "a\nb\n", "fake turned the line ends of 2 lines (CRLF to LF)"},
		{"a\n", "a\r\n", "fake turned the line ends of 1 line (LF to CRLF)"},
		{"a\rb\r", "a\nb\n", "fake turned the line ends of 2 lines (CR to LF)"},
		{"a\r\nb", "a\nb", "fake turned the line ends of 2 lines (CRLF to LF)"},
		{"a\r\nb\nc\n", "a\nb\nc\n", "fake changed the line ends of 3 lines"},
		{"a\n", "a", "fake removed the final line end"},
		{"a", "a\n", "fake added a final line end"},
		{"a\r\nb\r\n", "a\nB\n", "fake changed 2 lines and turned their line ends (CRLF to LF)"},
		{"a\nb\n", "a\nB\n", "fake changed 2 lines"},
		{"a\nb\n", "a\nB", "fake changed 2 lines"},
		{"", "\n", "fake added 1 line"},
		{"", "a\n", "fake added 1 line"},
		{"a\n", "", "fake removed 1 line"},
		{"a\n\n", "a\n", "fake changed 2 lines"},
		{"a\n", "a\n\n", "fake changed 2 lines"},
	} {
		h := review.Hunk{State: review.StatePending, BaseText: c.base, Text: c.text, Origins: []review.Origin{{Agent: "fake"}}}
		if got := describe(h); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.base, c.text, got, c.want)
		}
	}
}
