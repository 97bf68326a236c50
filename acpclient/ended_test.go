package acpclient

import (
	"strings"
	"testing"

	"acp-ls/acpclient/proc"
)

// However an agent ends, and whatever it last said, what the user can do is a sentence of its own.
func TestEndedIsSaidInSentences(t *testing.T) {
	for _, last := range []string{"", "boom", "boom\n", "It is over.", "really?", "failed:\n", "a row\nand another\n\n", "äöü"} {
		msg := exited("fake", proc.Exit{Code: 3}, last).Error()
		before, _, ok := strings.Cut(msg, "\nYour next prompt")
		if !ok || !strings.ContainsAny(before[len(before)-1:], ".!?:;") {
			t.Errorf("%q: %q", last, msg)
		}
		if strings.HasSuffix(before, "..") || !strings.Contains(msg, strings.TrimSpace(last)) {
			t.Errorf("%q: %q", last, msg)
		}
	}
}
