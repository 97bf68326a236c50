package linediff

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"acp-ls/internal/bench/corpus"
	"pgregory.net/rapid"
)

// without returns rows without those at the indices, which ascend.
func without[T any](rows []T, at []int) (out []T) {
	for i, row := range rows {
		if len(at) > 0 && at[0] == i {
			at = at[1:]
			continue
		}
		out = append(out, row)
	}
	if len(at) > 0 {
		panic("an index is out of range, twice there, or out of order")
	}
	return out
}

func TestScript(t *testing.T) {
	gen := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		d := distance(a, b)
		for _, limit := range []int{d - 1, d, d + 1, 100} {
			if limit < 0 {
				continue
			}
			deleted, inserted, ok := script(limit, hashes(a), hashes(b))
			switch {
			case ok != (d <= limit):
				t.Fatalf("script(%d) = %v, but the distance is %d", limit, ok, d)
			case ok && len(deleted)+len(inserted) != d:
				t.Fatalf("%d edits, but the distance is %d", len(deleted)+len(inserted), d)
			case ok && !slices.Equal(without(a, deleted), without(b, inserted)):
				t.Fatalf("%q without %v is not %q without %v", a, deleted, b, inserted)
			}
		}
	})
}

func TestNumber(t *testing.T) {
	gen := rapid.SliceOfN(rapid.StringMatching("[ab]{0,4}"), 0, 40)
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		x, y, ok := number(a, b)
		if !ok {
			t.Fatalf("%q and %q take too long", a, b)
		}
		check := func(rows, others []string, numbers, otherNumbers []uint64) {
			for i, row := range rows {
				if (numbers[i] == nowhere) == slices.Contains(others, row) {
					t.Fatalf("row %q has the number %d", row, numbers[i])
				}
				for j, other := range others {
					if row == other && numbers[i] != otherNumbers[j] || row != other && numbers[i] == otherNumbers[j] && numbers[i] != nowhere {
						t.Fatalf("rows %q and %q have the numbers %d and %d", row, other, numbers[i], otherNumbers[j])
					}
				}
			}
		}
		check(a, b, x, y)
		check(b, a, y, x)
	})
}

// A text whose rows all fall into one place is not looked through again for each row.
func TestNumberGivesUp(t *testing.T) {
	var rows []string
	for i := 0; len(rows) < 64; i++ {
		row := strconv.Itoa(i)
		if hashes([]string{row})[0]%128 == 0 {
			rows = append(rows, row)
		}
	}
	if _, _, ok := number(rows, rows); ok {
		t.Error("it did not give up")
	}
	edits := sparse(rows, rows[1:])
	checkEdits(t, rows, rows[1:], edits)
	if len(edits) != 1 {
		t.Errorf("edits %v", edits)
	}
}

// edited returns rows with pieces of it replaced.
func edited(r *rand.Rand, rows []string, places int) []string {
	rows = slices.Clone(rows)
	for range places {
		at := r.IntN(len(rows) - 10)
		rows = slices.Replace(rows, at, at+r.IntN(4), corpus.Code(r, 1+r.IntN(6))...)
	}
	return rows
}

// The edits of long texts are right, as few as can be, and where the library puts those of
// short ones.
func TestSparse(t *testing.T) {
	row := rapid.SampledFrom([]string{"", "", "}", "\t}", "\treturn", "\tif {", "func {", "x", "y"})
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(row, 1, 300).Draw(t, "a")
		b := slices.Clone(a)
		for range rapid.IntRange(0, 12).Draw(t, "edits") {
			from := rapid.IntRange(0, len(b)).Draw(t, "from")
			to := min(len(b), from+rapid.IntRange(0, 5).Draw(t, "gone"))
			b = slices.Replace(b, from, to, rapid.SliceOfN(row, 0, 5).Draw(t, "new")...)
		}
		edits := sparse(a, b)
		checkEdits(t, a, b, edits)
		if got, want := rowsIn(edits), rowsIn(dense(a, b)); got > want {
			t.Fatalf("%d rows deleted and inserted, the library has %d", got, want)
		}
	})
	r := rand.New(rand.NewPCG(3, 4))
	for _, places := range []int{1, 10, 100, 1000} {
		a := corpus.Code(r, 6000)
		b := edited(r, a, places)
		got, want := sparse(a, b), dense(a, b)
		checkEdits(t, a, b, got)
		same := 0
		for _, e := range got {
			if _, ok := slices.BinarySearchFunc(want, e, func(x, y Edit) int { return x.A0 - y.A0 }); ok && slices.Contains(want, e) {
				same++
			}
		}
		if len(got) != len(want) || rowsIn(got) > rowsIn(want) || same < len(want)*98/100 {
			t.Errorf("%d places: %d edits of %d rows, of which %d are among the library's %d of %d rows",
				places, len(got), rowsIn(got), same, len(want), rowsIn(want))
		}
	}
}

// Where an edit has several places, the one that reads best is taken; with others in its
// reach they are found together.
func TestSparsePlaces(t *testing.T) {
	block := []string{"func f() {", "\treturn", "}", ""}
	head, tail := corpus.Code(rand.New(rand.NewPCG(5, 6)), 100), corpus.Code(rand.New(rand.NewPCG(7, 8)), 100)
	a := slices.Concat(head, block, block, tail)
	b := slices.Concat(head, block, block, block, tail)
	at := len(head) + len(block)
	if got := sparse(a, b); len(got) != 1 || (got[0].A0-at)%len(block) != 0 || got[0].B1-got[0].B0 != len(block) {
		t.Errorf("a block like its neighbours: %v", got)
	}
	for n := range 60 {
		between := make([]string, n) // blank rows, in which both edits could be anywhere
		a := slices.Concat(head, []string{"old"}, between, []string{"gone", ""}, tail)
		b := slices.Concat(head, []string{"new", "", ""}, between, tail)
		got := sparse(a, b)
		checkEdits(t, a, b, got)
		if want := dense(a, b); len(got) != len(want) || rowsIn(got) != rowsIn(want) {
			t.Errorf("%d blank rows between: %v, the library has %v", n, got, want)
		}
	}
}
