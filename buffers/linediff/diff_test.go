package linediff

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func rowsGen(distinct []string) *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom(distinct), 0, 40)
}

func checkEdits(t interface{ Fatalf(string, ...any) }, a, b []string, edits []Edit) {
	gapA, gapB := 0, 0
	for i, e := range edits {
		if e.A0 > e.A1 || e.B0 > e.B1 || e.A0 == e.A1 && e.B0 == e.B1 {
			t.Fatalf("edit %d is empty or backwards: %+v", i, edits)
		}
		if e.A1 > len(a) || e.B1 > len(b) {
			t.Fatalf("edit %d is out of range: %+v", i, edits)
		}
		if i > 0 && (e.A0 <= gapA || e.B0 <= gapB) {
			t.Fatalf("edit %d touches the one before: %+v", i, edits)
		}
		if e.A0-gapA != e.B0-gapB {
			t.Fatalf("edit %d: rows between the edits do not pair: %+v", i, edits)
		}
		gapA, gapB = e.A1, e.B1
	}
	if got := Apply(a, b, edits); !slices.Equal(got, b) {
		t.Fatalf("applied edits %+v of %q give %q, want %q", edits, a, got, b)
	}
}

func TestDiffTurnsAIntoB(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rowsGen([]string{"", "}", "\tx", "\ty {", "z", "a\nb", `a\nb`, "\r"})
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		edits := Diff(a, b)
		checkEdits(t, a, b, edits)
		if again := Diff(slices.Clone(a), slices.Clone(b)); !slices.Equal(again, edits) {
			t.Fatalf("second run gives %+v, first gave %+v", again, edits)
		}
		joined := Coalesce(a, edits)
		checkEdits(t, a, b, joined)
	})
}
