package linediff

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type failer interface{ Fatalf(string, ...any) }

func checkEdits(t failer, a, b []string, edits []Edit) {
	endA, endB := 0, 0
	for i, e := range edits {
		if e.A0 > e.A1 || e.B0 > e.B1 || e.A0 == e.A1 && e.B0 == e.B1 {
			t.Fatalf("edit %d is empty or backwards: %+v", i, edits)
		}
		if e.A1 > len(a) || e.B1 > len(b) {
			t.Fatalf("edit %d is out of range: %+v", i, edits)
		}
		if i > 0 && (e.A0 <= endA || e.B0 <= endB) {
			t.Fatalf("edit %d touches the one before: %+v", i, edits)
		}
		if e.A0-endA != e.B0-endB {
			t.Fatalf("edit %d: rows between the edits do not pair: %+v", i, edits)
		}
		endA, endB = e.A1, e.B1
	}
	if got := Apply(a, b, edits); !slices.Equal(got, b) {
		t.Fatalf("applied edits %+v of %q give %q, want %q", edits, a, got, b)
	}
}

func checkDiff(t failer, a, b []string) []Edit {
	edits := Diff(a, b)
	checkEdits(t, a, b, edits)
	if again := Diff(slices.Clone(a), slices.Clone(b)); !slices.Equal(again, edits) {
		t.Fatalf("second run gives %+v, first gave %+v", again, edits)
	}
	checkEdits(t, a, b, Coalesce(a, edits))
	return edits
}

func TestDiff(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b string
		want []Edit
	}{
		{"same", "a\nb", "a\nb", nil},
		{"one row", "a\nb\nc", "a\nx\nc", []Edit{{1, 2, 1, 2}}},
		{"at the start", "b", "a\nb", []Edit{{0, 0, 0, 1}}},
		{"at the end", "a", "a\nb", []Edit{{1, 1, 1, 2}}},
		{"all", "a\nb", "c", []Edit{{0, 2, 0, 1}}},
		{"from an empty row", "", "a", []Edit{{0, 1, 0, 1}}},
		{"one of equal rows gone", "a\na\na", "a\na", []Edit{{2, 3, 2, 2}}},
		{"an escape is no line feed", `a\nb`, `a\\nb`, []Edit{{0, 1, 0, 1}}},
		{"only blanks", "a", "a ", []Edit{{0, 1, 0, 1}}},
		// The function put in starts with its head, not with the closing brace of the one
		// before: also where the common start and end reach into it.
		{
			"a whole block", "f {\n\t1\n}\n\ng {\n\t2\n}\n", "f {\n\t1\n}\n\nh {\n\t3\n}\n\ng {\n\t2\n}\n",
			[]Edit{{4, 4, 4, 8}},
		},
		{
			"a whole block like its neighbour", "a\n\nf {\n\t1\n}\n\nb", "a\n\nf {\n\t1\n}\n\nf {\n\t1\n}\n\nb",
			[]Edit{{6, 6, 6, 10}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := strings.Split(test.a, "\n"), strings.Split(test.b, "\n")
			if got := checkDiff(t, a, b); !slices.Equal(got, test.want) {
				t.Errorf("Diff = %v, want %v", got, test.want)
			}
		})
	}
}

func TestDiffOfNoRows(t *testing.T) {
	none, one := []string{}, []string{""}
	if got := checkDiff(t, none, none); got != nil {
		t.Errorf("Diff of nothing = %v", got)
	}
	if got := checkDiff(t, nil, one); !slices.Equal(got, []Edit{{0, 0, 0, 1}}) {
		t.Errorf("Diff to one row = %v", got)
	}
	if got := checkDiff(t, one, nil); !slices.Equal(got, []Edit{{0, 1, 0, 0}}) {
		t.Errorf("Diff from one row = %v", got)
	}
}

func TestDiffTurnsAIntoB(t *testing.T) {
	gen := rapid.SliceOfN(rapid.SampledFrom([]string{
		"", "}", "\tx", "\ty {", "  z", "a\nb", `a\nb`, "\r", "\xff",
	}), 0, 40)
	rapid.Check(t, func(t *rapid.T) { checkDiff(t, gen.Draw(t, "a"), gen.Draw(t, "b")) })
}

// The rows of an edited text lie around the edits, as one after the other they would not
// reach the ways in which edits are joined and slid.
func TestDiffOfEditedText(t *testing.T) {
	row := rapid.SampledFrom([]string{"", "", "}", "\t}", "\treturn", "\tif {", "func {", "x", "y"})
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(row, 0, 300).Draw(t, "a")
		b := slices.Clone(a)
		for range rapid.IntRange(0, 12).Draw(t, "edits") {
			from := rapid.IntRange(0, len(b)).Draw(t, "from")
			to := min(len(b), from+rapid.IntRange(0, 5).Draw(t, "gone"))
			b = slices.Replace(b, from, to, rapid.SliceOfN(row, 0, 5).Draw(t, "new")...)
		}
		checkDiff(t, a, b)
		checkDiff(t, b, a)
	})
}

func TestDiffOfTooManyRows(t *testing.T) {
	a := slices.Repeat([]string{"old", "same"}, maxRows/4+10)
	b := slices.Repeat([]string{"new", "same"}, maxRows/4+10)
	want := []Edit{{0, len(a) - 1, 0, len(b) - 1}}
	if got := checkDiff(t, a, b); !slices.Equal(got, want) {
		t.Errorf("got %d edits, want one over everything", len(got))
	}
	// What the two have in common at the start and the end counts for nothing.
	same := slices.Repeat([]string{"same"}, maxRows)
	a = slices.Concat(same, []string{"old"}, same)
	b = slices.Concat(same, []string{"new"}, same)
	want = []Edit{{maxRows, maxRows + 1, maxRows, maxRows + 1}}
	if got := checkDiff(t, a, b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzDiff(f *testing.F) {
	for _, seed := range [][2]string{
		{"", ""}, {"a", ""}, {"a\n", "a"}, {"a\nb\nc\n", "a\nc\nb\n"},
		{"f {\n\t1\n}\n\ng {\n\t1\n}\n", "f {\n\t1\n}\n\nh {\n\t1\n}\n\ng {\n\t1\n}\n"},
		{"x\n\n\n\nx\n\n\n", "\n\nx\n\nx\n\nx\n"}, {"a\\n\r\nb", "a\n\\r\\nb"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkDiff(t, Split(a), Split(b))
		// Rows that hold line feeds are rows as well.
		checkDiff(t, strings.Split(a, "x"), strings.Split(b, "x"))
	})
}
