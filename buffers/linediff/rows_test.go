package linediff

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"a", []string{"a"}},
		{"a\n", []string{"a", ""}},
		{"\n", []string{"", ""}},
		{"a\nb", []string{"a", "b"}},
		{"a\r\nb\r\n", []string{"a", "b", ""}},
		{"a\rb\r", []string{"a", "b", ""}},
		{"a\r\n\rb\n\r", []string{"a", "", "b", "", ""}},
		{"a\r\r\nb", []string{"a", "", "b"}},
		{"a\u2028b\vc\fd", []string{"a\u2028b\vc\fd"}},
	} {
		if got := Split(test.text); !slices.Equal(got, test.want) {
			t.Errorf("Split(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestCoalesce(t *testing.T) {
	blanks := func(n int) []string { return slices.Repeat([]string{"\t} );"}, n) }
	for _, test := range []struct {
		name    string
		between []string // rows between an edit of one row and another one
		joined  bool
	}{
		{"blank rows", []string{"", " \t"}, true},
		{"brackets, semicolons and commas", []string{"}", "\t});", "[", "],"}, true},
		{"eight of them", blanks(8), true},
		{"nine of them", blanks(9), false},
		{"a row that says something", []string{"", "} else {", ""}, false},
		{"a row of another sign", []string{"*"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := slices.Concat([]string{"x", "old"}, test.between, []string{"old"})
			b := slices.Concat([]string{"x", "new", "er"}, test.between, nil)
			n := len(test.between)
			edits := []Edit{{1, 2, 1, 3}, {n + 2, n + 3, n + 3, n + 3}}
			given := slices.Clone(edits)
			got := Coalesce(a, edits)
			want := edits
			if test.joined {
				want = []Edit{{1, n + 3, 1, n + 3}}
			}
			if !slices.Equal(got, want) {
				t.Errorf("Coalesce = %v, want %v", got, want)
			}
			if !slices.Equal(edits, given) {
				t.Errorf("the edits given were changed to %v", edits)
			}
			checkEdits(t, a, b, got)
		})
	}
	if got := Coalesce(nil, nil); len(got) != 0 {
		t.Errorf("Coalesce of no edits = %v", got)
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "a", "a\n", "\r\n\r", "a\r\r\nb", "\n\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rows := Split(s)
		if strings.ContainsAny(strings.Join(rows, ""), "\r\n") {
			t.Fatalf("Split(%q) = %q holds a terminator", s, rows)
		}
		// The rows, each with the terminator that follows it in s, are s again.
		rest := s
		for i, row := range rows {
			after, ok := strings.CutPrefix(rest, row)
			if !ok {
				t.Fatalf("Split(%q) = %q: row %d is not there", s, rows, i)
			}
			if rest = after; i == len(rows)-1 {
				break
			}
			rest, ok = strings.CutPrefix(rest, "\r\n")
			if !ok {
				rest = rest[1:]
			}
		}
		if rest != "" {
			t.Fatalf("Split(%q) = %q leaves %q", s, rows, rest)
		}
	})
}
