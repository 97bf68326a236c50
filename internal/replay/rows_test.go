package replay

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHunks(t *testing.T) {
	for _, tt := range []struct {
		before, after string
		want          []Hunk
	}{
		{"", "", []Hunk{}},
		{"a\n", "a\n", []Hunk{}},
		{"", "a\nb", []Hunk{{"", "a\nb"}}},
		{"a\nb\nc\n", "a\nB\nc\nd\n", []Hunk{{"b\n", "B\n"}, {"", "d\n"}}},
		{"a\n}\n\nb\n", "A\n}\n\nB\n", []Hunk{{"a\n}\n\nb\n", "A\n}\n\nB\n"}}},
		{"a\n" + strings.Repeat("\n", together+1) + "b\n", "A\n" + strings.Repeat("\n", together+1) + "B\n", []Hunk{{"a\n", "A\n"}, {"b\n", "B\n"}}},
	} {
		if got := Hunks(tt.before, tt.after); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q to %q: %q", tt.before, tt.after, got)
		}
	}
}

func TestAdapt(t *testing.T) {
	for _, tt := range []struct{ read, wrote, now, want string }{
		{"a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n", "a\nB\nc\nd\n"},
		{"a\nb\nc\n", "a\nb\nx\nc\n", "0\na\nb\nC\n", "0\na\nb\nx\nC\n"}, // behind b
		{"a\nb\n", "x\na\nb\n", "0\na\nb\n", "0\nx\na\nb\n"},             // before a
		{"a\nb\n", "a\n", "a\nb\nc\n", "a\nc\n"},
	} {
		if got, err := Adapt(tt.read, tt.wrote, tt.now); err != nil || got != tt.want {
			t.Errorf("%q made %q, of %q: %q, %v", tt.read, tt.wrote, tt.now, got, err)
		}
	}
	for _, tt := range [][3]string{{"a\n", "b\n", "c\n"}, {"a\nb\n", "x\n", "a\n1\nb\n"}} {
		if got, err := Adapt(tt[0], tt[1], tt[2]); err == nil {
			t.Errorf("%q made %q, of %q: %q", tt[0], tt[1], tt[2], got)
		}
	}
}

// What an agent made of a text it makes of the same text, and of one that has more
// at its ends; and the differences of two texts lead from one to the other.
func TestAdaptAndDifferences(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "}\n", "\n"}), 0, 12).Draw(t, "rows"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		read, wrote := text.Draw(t, "read"), text.Draw(t, "wrote")
		if got, err := Adapt(read, wrote, read); err != nil || got != wrote {
			t.Fatalf("%q, %v", got, err)
		}
		if got, err := Adapt(read, wrote, "above\n"+read+"below\n"); read != "" && (err != nil || got != "above\n"+wrote+"below\n") {
			t.Fatalf("%q, %v", got, err)
		}
		a, b := rows(read), rows(wrote)
		var made []string
		at := 0
		for _, d := range differences(a, b) {
			made = slices.Concat(made, a[at:d.A0], b[d.B0:d.B1])
			if at = d.A1; d.A0 == d.A1 && d.B0 == d.B1 {
				t.Fatalf("%+v is no difference", d)
			}
		}
		if made = append(made, a[at:]...); strings.Join(made, "") != wrote {
			t.Fatalf("the differences lead to %q", made)
		}
	})
}
