package buffers

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"acp-ls/buffers/text"
)

func TestNormHash(t *testing.T) {
	for _, same := range [][]string{
		{"", "\n", "\r\n", "\r", "\ufeff", "\ufeff\n"},
		{"a\nb", "a\nb\n", "a\r\nb\r\n", "a\rb\r", "a\r\nb", "\ufeffa\nb\n", "a\nb\r\n"},
		{"a\n\n", "a\r\n\r\n", "a\n"[:1] + "\r\r"},
		{"\ufeff\ufeffa", "\ufeff\ufeffa\n"},
		{"a\ufeff"},
		{"a "}, {"a"}, {" a"}, {"\n\n"}, {"A"},
		{"a\n\nb"}, {"a\n\r\nb\nc"},
	} {
		for _, s := range same {
			if NormHash(s) != NormHash(same[0]) {
				t.Errorf("NormHash tells %q from %q", s, same[0])
			}
			for _, other := range [][]string{{"x"}, {"a\nb\nc"}} {
				if NormHash(s) == NormHash(other[0]) {
					t.Errorf("NormHash takes %q for %q", s, other[0])
				}
			}
		}
	}
	seen := map[text.Hash]string{}
	for _, s := range []string{"", "\n\n", "a", "a ", " a", "A", "a\nb", "a\n\n", "a\n\nb", "\ufeff\ufeffa", "a\ufeff", "\na"} {
		if other, ok := seen[NormHash(s)]; ok {
			t.Errorf("NormHash takes %q for %q", s, other)
		}
		seen[NormHash(s)] = s
	}
}

func TestStyleOf(t *testing.T) {
	for content, want := range map[string]Style{
		"":                   {},
		"a":                  {Known: true},
		"a\n":                {Known: true, EOL: LF, FinalNewline: true},
		"a\nb":               {Known: true, EOL: LF},
		"a\r\nb\r\n":         {Known: true, EOL: CRLF, FinalNewline: true},
		"a\rb\r":             {Known: true, EOL: CR, FinalNewline: true},
		"a\r\nb\r\nc\n":      {Known: true, EOL: CRLF, Mixed: true, FinalNewline: true},
		"a\r\nb\n":           {Known: true, EOL: LF, Mixed: true, FinalNewline: true},
		"\ufeffa\n":          {Known: true, BOM: true, EOL: LF, FinalNewline: true},
		"\ufeff":             {Known: true, BOM: true},
		"a\r\nb\rc\rd\ne\rf": {Known: true, EOL: CR, Mixed: true},
	} {
		if got := StyleOf(content); got != want {
			t.Errorf("StyleOf(%q) = %+v, want %+v", content, got, want)
		}
	}
}

func TestKeepStyle(t *testing.T) {
	for _, c := range []struct{ old, sent, want string }{
		{"", "a\r\nb", "a\r\nb"}, // a new file as sent
		{"", "\ufeffa\n", "\ufeffa\n"},
		{"a\r\nb\r\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"},
		{"a\r\nb\r\n", "a\nx\r\nb", "a\r\nx\r\nb\r\n"},
		{"a\nb\n", "a\r\nx\rb\r\n", "a\nx\nb\n"},
		{"a\rb\r", "a\nx\n", "a\rx\r"},
		{"a\nb", "a\nb\nc\n", "a\nb\nc"},
		{"a\nb\n", "a\nb\nc", "a\nb\nc\n"},
		{"a\nb\n", "a\n\n", "a\n\n"}, // the last row is empty, and terminated
		{"a\nb", "a\n\n", "a\n"},     // the last row is empty, and not terminated
		{"a\nb\n", "", ""},
		{"a\nb\n", "\n", "\n"},
		{"x", "x\ny\r\n", "x\ny"}, // no line end to go by
		{"\ufeffa\n", "b\n", "\ufeffb\n"},
		{"\ufeffa\n", "\ufeffb\n", "\ufeffb\n"},
		{"a\n", "\ufeffb\n", "b\n"},
		{"\ufeffa\n", "", "\ufeff"},
		// mixed kinds: what both have stays as it is
		{"a\r\nb\nc\r\nd\r\n", "a\nb\nX\nc\nd\n", "a\r\nb\nX\r\nc\r\nd\r\n"},
		{"a\r\nb\nc\r\nd\n", "a\r\nX\nc\r\nd\n", "a\r\nX\nc\r\nd\n"},
		{"a\nb\r\nc\r\nd\n", "a\nb\nc\nd\ne\n", "a\nb\r\nc\r\nd\ne\n"},
		{"a\nb\r\nc\n", "a\nb\nc\n", "a\nb\r\nc\n"},
		{"a\nb\r\nc\r\n", "X\nc", "X\nc\r\n"},
		{"a\r\nb\nc\r\nd\r\n", "a\nB\nc\nD\n", "a\r\nB\nc\r\nD\r\n"}, // others get those of what they replace
		{"a\r\nb\nc\n", "a\nb\nX\nY\nZ\n", "a\r\nb\nX\nY\nZ\n"},
		{"a\r\nb\nc\r\n", "a\r\nX\r\nc\n", "a\r\nX\r\nc\r\n"}, // or as they are sent
		{"a\nb\r\nc", "c\n", "c"},
		{"\ufeffa\nb\r\n", "a\nb\nc\n", "\ufeffa\nb\r\nc\n"},
		{"\ra\n", "\n\n", "\r\r"}, // CR and LF in a row would be one line end
	} {
		if got := KeepStyle(c.old, c.sent); got != c.want {
			t.Errorf("KeepStyle(%q, %q) = %q, want %q", c.old, c.sent, got, c.want)
		}
	}
}

func TestKeepStyleProperties(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "\n", "\r\n", "\r", "\n", "\r\n", "\ufeff", ""}), 0, 14).Draw(t, "pieces"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		old, sent := gen.Draw(t, "old"), gen.Draw(t, "sent")
		got := KeepStyle(old, sent)
		if old == "" {
			if got != sent {
				t.Fatalf("KeepStyle(%q, %q) = %q", old, sent, got)
			}
			return
		}
		st, now := StyleOf(old), StyleOf(got)
		if !st.Mixed && st.EOL != "" && now.EOL != "" && (now.EOL != st.EOL || now.Mixed) {
			t.Fatalf("KeepStyle(%q, %q) = %q: other line ends", old, sent, got)
		}
		// The rows are those that were sent, whatever the dress.
		lf := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		want := trimFinalEOL(lf.Replace(strings.TrimPrefix(sent, bom)))
		if st.FinalNewline && strings.TrimPrefix(sent, bom) != "" {
			want += "\n"
		}
		if st.BOM {
			want = bom + want
		}
		if lf.Replace(got) != want {
			t.Fatalf("KeepStyle(%q, %q) = %q: other rows", old, sent, got)
		}
		// What was only read and sent back, with other line ends at that, leaves the file as it is.
		if strings.HasPrefix(old, bom+bom) {
			return
		}
		same := lf.Replace(old)
		for _, same := range []string{old, same, strings.TrimPrefix(same, bom)} {
			if got := KeepStyle(old, same); got != old {
				t.Fatalf("KeepStyle(%q, %q) = %q", old, same, got)
			}
		}
		if bare := trimFinalEOL(same); st.FinalNewline && trimFinalEOL(bare) == bare && strings.TrimPrefix(bare, bom) != "" {
			if got := KeepStyle(old, bare); got != old {
				t.Fatalf("KeepStyle(%q, %q) = %q", old, bare, got)
			}
		}
	})
}
