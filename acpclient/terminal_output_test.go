package acpclient

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Whatever the pieces and the limit: the tail is valid UTF-8, no longer than the
// limit, a suffix of the whole text, as long as character boundaries allow, and
// truncated says whether it is all of it.
func TestTerminalOutputProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		whole := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "é", "€", "😀", "\n", "\xff", "\xe2\x82", "\xf0\x9f", "long enough to matter",
		})).Draw(t, "text"), ""))
		o := terminalOutput{limit: limit}
		var told []byte
		var offset int64
		for rest := whole; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			o.write(rest[:n])
			rest = rest[n:]
			text, skipped := o.since(offset)
			if !utf8.Valid(text) {
				t.Fatalf("appended %q", text)
			}
			if skipped > 0 {
				told = nil // what was told before is no prefix any more
			}
			told = append(told, text...)
			offset = o.total
		}
		o.finish()
		rest, skipped := o.since(offset)
		if skipped > 0 {
			told = nil
		}
		told = append(told, rest...)
		want := strings.ToValidUTF8(string(whole), "\uFFFD")
		text, truncated := o.tail()
		switch got := string(text); {
		case len(got) > limit:
			t.Fatalf("%d bytes, limit %d", len(got), limit)
		case !sameText(want, got):
			t.Fatalf("%q is not the end of %q", got, want)
		case !sameText(want, string(told)):
			t.Fatalf("told %q of %q", told, want)
		case truncated != (int64(len(got)) < o.total):
			t.Fatalf("truncated %v with %d of %d bytes", truncated, len(got), o.total)
		case truncated && len(got)+utf8.UTFMax <= limit:
			t.Fatalf("only %d bytes, limit %d", len(got), limit)
		}
	})
}

// sameText reports whether got is the end of want, leaving aside that a run of
// bad bytes may become one replacement character or several.
func sameText(want, got string) bool {
	squeeze := func(s string) string {
		for strings.Contains(s, "\uFFFD\uFFFD") {
			s = strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD")
		}
		return s
	}
	want, got = squeeze(want), squeeze(got)
	return strings.HasSuffix(want, got) || strings.HasSuffix(want, strings.TrimPrefix(got, "\uFFFD"))
}

func TestTerminalOutputSplitCharacter(t *testing.T) {
	o := terminalOutput{limit: 100}
	for i, b := range []byte("a€😀") {
		o.write([]byte{b})
		text, _ := o.tail()
		want := []string{"a", "a", "a", "a€", "a€", "a€", "a€", "a€😀"}[i]
		if string(text) != want {
			t.Errorf("after byte %d: %q, want %q", i, text, want)
		}
	}
	o.write([]byte("\xe2\x82"))
	o.finish()
	if text, _ := o.tail(); string(text) != "a€😀\uFFFD" {
		t.Errorf("at the end: %q", text)
	}
}

func TestTerminalOutputBoundary(t *testing.T) {
	for limit, want := range map[int]string{9: "a€😀b", 8: "€😀b", 7: "😀b", 6: "😀b", 5: "😀b", 4: "b", 1: "b", 0: ""} {
		o := terminalOutput{limit: limit}
		o.write([]byte("a€😀b"))
		text, truncated := o.tail()
		if string(text) != want || truncated != (limit < 9) {
			t.Errorf("limit %d: %q %v, want %q", limit, text, truncated, want)
		}
	}
}

func TestTerminalOutputMemory(t *testing.T) {
	o := terminalOutput{limit: 1000}
	line := []byte(strings.Repeat("é", 500) + "\n")
	for range 10_000 {
		o.write(line)
	}
	if cap(o.text) > 4*(terminalSlack+o.limit) {
		t.Errorf("%d bytes held for a limit of %d", cap(o.text), o.limit)
	}
	if text, truncated := o.tail(); len(text) != 999 || !truncated || o.total != 10_010_000 {
		t.Errorf("%d bytes, %v, %d in all", len(text), truncated, o.total)
	}
}
