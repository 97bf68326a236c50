package session

import (
	"testing"

	"acp-ls/buffers/text"
)

func TestBaseOnDisk(t *testing.T) {
	lately := []text.Text{text.New("mone\ntwo\nthree\n"), text.New("my one\ntwo\nthree\n")}
	before := text.New("one\ntwo\nthree\n")
	for content, want := range map[string]text.Text{
		"one\ntwo\n3\n":       before,
		"mone\ntwo\n3\n":      lately[0],
		"my one\nTWO\n3\n":    lately[1],
		"my one\ntwo\n3\n":    lately[1],
		"their one\ntwo\n3\n": before, // a tie
	} {
		if got := baseOnDisk(before, lately, nil, content); got.String() != want.String() {
			t.Errorf("the base of %q is %q, want %q", content, got.String(), want.String())
		}
	}
	// Who deletes all and begins anew has texts that are near to all that is short.
	lately = []text.Text{text.New(""), text.New("\n"), text.New("mine\n"), text.New("one\n")}
	for _, content := range []string{"", "\n", "theirs\n", "theirs\n\n", "one\n"} {
		if got := baseOnDisk(before, lately, nil, content); got.String() != before.String() {
			t.Errorf("the base of %q is %q", content, got.String())
		}
	}
}

// What the user has typed and the file has not is no base of what the file has, wherever it stands; nor
// is what the user has taken out and the file still has.
func TestBaseOnDiskHasNothingUnsaved(t *testing.T) {
	const before = "1\n2\n3\n4\n5\n6\n7\n"
	for _, tt := range []struct{ typed, content, want string }{
		{"1 U\n2 U\n3\n4\n5\n6 U\n7\n", "1 U\n2 U\n3\n4 A\n5\n6\n7\n", "1 U\n2 U\n3\n4\n5\n6\n7\n"},
		{"1\n2 U\n3\n4\n5\n6\nnew U\n7\n", "1\n2 U\n3\n4 A\n5\n6\n7\n", "1\n2 U\n3\n4\n5\n6\n7\n"},
		{"1\n2 U\n3\n4\n5\n7\n", "1\n2 U\n3\n4 A\n5\n6\n7\n", "1\n2 U\n3\n4\n5\n6\n7\n"},
		{"1\n2 U\n3\n4\n5\n7\n", "1\n2 U\n3\n4 A\n5\n7\n", "1\n2 U\n3\n4\n5\n7\n"},
		{"1\n2 U\n3 U\n4\n5\n6\n7\n", "1\n2 U\n4 A\n5\n6\n7\n", "1\n2 U\n4\n5\n6\n7\n"},
		{"1\n2 U\n3\n4\n\n5\n6\n7\n", "1\n2 U\n3\n4\n5 A\n6\n7\n", "1\n2 U\n3\n4\n5\n6\n7\n"},
		{"1\n2 U\n3\n4\n5\n6\n7", "1\n2 U\n3\n4 A\n5\n6\n7\n", "1\n2 U\n3\n4\n5\n6\n7\n"},
		{"1\r\n2 U\r\n3\r\n4\r\n5\r\n6\r\n7", "1\n2 U\n3\n4 A\n5\n6\n7", "1\r\n2 U\r\n3\r\n4\r\n5\r\n6\r\n7"},
	} {
		if got := baseOnDisk(text.New(before), []text.Text{text.New(tt.typed)}, nil, tt.content); got.String() != tt.want {
			t.Errorf("the base of %q, with %q typed, is %q, want %q", tt.content, tt.typed, got.String(), tt.want)
		}
	}
	// What was there before that is no sign of it, as in what an agent takes back.
	typed, changed := text.New("1\n2 U\n3\n4\n5\n6\n7\n"), text.New("1\n2\n3\n4 A\n5 A\n6\n7\n")
	if got := baseOnDisk(changed, []text.Text{typed}, []text.Text{text.New(before)}, before); !got.Equal(changed) {
		t.Errorf("the base of what was taken back is %q", got.String())
	}
}
