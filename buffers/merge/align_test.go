package merge

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers/linediff"
)

// Ours already has what theirs brings, and more beside it. Compared with base alone, each of
// these would get some rows twice.
func TestWhatOursHasIsNotTakenAgain(t *testing.T) {
	for _, test := range []struct{ base, ours, theirs string }{
		{"y|1|", "y|u||t||", "y|1||t||"},
		{
			"}|y|y|x|}|y|y|y|31|32||x",
			"}|y|y|u|23|y|t1|y|y|y|t2|t3|x",
			"}|y|y|x|}|y|y|t1|y|y|y|t2|t3|x",
		},
		{
			"20|y|x|x|25|}|27|x|29|x|31|32|}|}|",
			"20|x|t1|x|x|x|x||}|27|x|29|t2|}|32|}|",
			"20|x|t1|x|x|x|x||}|27|x|29|t2|}|32|}|",
		},
	} {
		rows := func(s string) []string { return strings.Split(s, "|") }
		c := case3{rows(test.base), rows(test.ours), rows(test.theirs)}
		got := checkMerge(t, c)
		checkSides(t, c, got)
		if len(got.Conflicts) > 0 || !slices.Equal(got.Rows, c.ours) {
			t.Errorf("%q gives %+v, want ours", c, got)
		}
	}
}

// However they were found, edits are edits: they turn base into the side they are of.
func TestAlignedEditsMakeTheSides(t *testing.T) {
	check := func(c case3, side []string, edits []linediff.Edit) {
		for i, e := range edits {
			if e.A0 == e.A1 && e.B0 == e.B1 || i > 0 && (e.A0 <= edits[i-1].A1 || e.A0-edits[i-1].A1 != e.B0-edits[i-1].B1) {
				t.Fatalf("%q: edits %+v", c, edits)
			}
		}
		if got := linediff.Apply(c.base, side, edits); !slices.Equal(got, side) {
			t.Fatalf("%q: edits %+v make %q of base, want %q", c, edits, got, side)
		}
	}
	composed := 0
	for i := range *merges / 10 {
		r := rand.New(rand.NewPCG(17, uint64(i)))
		c := randomCase(r, 30, false)
		c.ours = apply(c.theirs, randomHunks(r, c.theirs, "u", false))
		ours, theirs := align(c.base, c.ours, c.theirs)
		check(c, c.ours, ours)
		check(c, c.theirs, theirs)
		if !slices.Equal(ours, linediff.Diff(c.base, c.ours)) || !slices.Equal(theirs, linediff.Diff(c.base, c.theirs)) {
			composed++
		}
	}
	if composed < *merges/100 {
		t.Errorf("%d cases were not aligned by base alone: they are no test", composed)
	}
}
