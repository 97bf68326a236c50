package merge

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"acp-ls/buffers/linediff"
)

var merges = flag.Int("merges", 100_000, "random merges to try")

// A case3 is a base and two changes of it.
type case3 struct{ base, ours, theirs []string }

// randomCase makes a case of about n rows. New rows of ours are unique and begin with "u",
// those of theirs with "t"; rows that both have put in begin with "b". Other rows, if they
// are to be distinct, are so, and are not moved or copied.
func randomCase(r *rand.Rand, n int, distinct bool) case3 {
	var c case3
	c.base = make([]string, r.IntN(n+1))
	for i := range c.base {
		if distinct {
			c.base[i] = fmt.Sprint(i)
		} else {
			c.base[i] = [...]string{"", "}", "x", "y", fmt.Sprint(i)}[r.IntN(5)]
		}
	}
	ours := randomHunks(r, c.base, "u", distinct)
	theirs := randomHunks(r, c.base, "t", distinct)
	if r.IntN(4) == 0 { // some changes that both have made
		both := randomHunks(r, c.base, "b", distinct)
		ours, theirs = overlay(ours, both), overlay(theirs, both)
	}
	c.ours, c.theirs = apply(c.base, ours), apply(c.base, theirs)
	return c
}

// A hunk replaces rows [from, to) of the base.
type hunk struct {
	from, to int
	rows     []string
}

func randomHunks(r *rand.Rand, base []string, name string, distinct bool) []hunk {
	var out []hunk
	for at := r.IntN(len(base) + 1); at <= len(base); at += 1 + r.IntN(8) {
		h := hunk{from: at, to: min(len(base), at+r.IntN(4))}
		for i := range r.IntN(4) {
			row := fmt.Sprintf("%s%d.%d", name, at, i)
			if !distinct && r.IntN(3) == 0 && len(base) > 0 {
				row = base[r.IntN(len(base))]
			}
			h.rows = append(h.rows, row)
		}
		at = h.to
		out = append(out, h)
	}
	return out
}

// overlay returns the hunks of both, without those of the first that meet one of the second.
func overlay(hunks, both []hunk) []hunk {
	out := slices.Clone(both)
	for _, h := range hunks {
		if !slices.ContainsFunc(both, func(b hunk) bool { return h.from <= b.to && b.from <= h.to }) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b hunk) int { return a.from - b.from })
	return out
}

func apply(base []string, hunks []hunk) []string {
	out := []string{}
	at := 0
	for _, h := range hunks {
		out = append(append(out, base[at:h.from]...), h.rows...)
		at = h.to
	}
	return append(out, base[at:]...)
}

type failer interface{ Fatalf(string, ...any) }

// checkMerge checks all that the package promises, whatever the texts.
func checkMerge(t failer, c case3) Result {
	got := Merge(c.base, c.ours, c.theirs)
	fail := func(format string, args ...any) {
		t.Fatalf("base   %q\nours   %q\ntheirs %q\nmerged %+v\n%s", c.base, c.ours, c.theirs, got, fmt.Sprintf(format, args...))
	}

	// Rows from theirs are rows of theirs; without them the rest are rows of ours, and none
	// is missing that theirs did not delete from the base.
	var rest []string
	theirs := c.theirs
	at := 0
	for _, r := range got.FromTheirs {
		if r[0] < at || r[0] >= r[1] || at > 0 && r[0] == at {
			fail("ranges from theirs are not in order")
		}
		rest = append(rest, got.Rows[at:r[0]]...)
		for _, row := range got.Rows[r[0]:r[1]] {
			i := slices.Index(theirs, row)
			if i < 0 {
				fail("row %q is not from theirs", row)
			}
			theirs = theirs[i+1:]
		}
		at = r[1]
	}
	rest = append(rest, got.Rows[at:]...)

	deleted := map[string]int{}
	ourEdits, theirEdits := align(c.base, c.ours, c.theirs)
	for _, e := range theirEdits {
		for _, row := range c.base[e.A0:e.A1] {
			deleted[row]++
		}
	}
	i := 0
	for _, row := range c.ours {
		if i < len(rest) && rest[i] == row {
			i++
		} else if deleted[row]--; deleted[row] < 0 {
			fail("row %q of ours is lost", row)
		}
	}
	if i < len(rest) {
		fail("row %q is neither from ours nor from theirs", rest[i])
	}

	before := Conflict{}
	for i, x := range got.Conflicts {
		none := x.Ours[0] == x.Ours[1] && before.Ours == x.Ours
		if i > 0 && (x.Base[0] < before.Base[1] || x.Ours[0] < before.Ours[1] || x.Theirs[0] < before.Theirs[1] || none) {
			fail("conflicts are not in order")
		}
		base, ours, theirs := slice(c.base, x.Base), slice(c.ours, x.Ours), slice(c.theirs, x.Theirs)
		if !slices.Equal(slice(got.Rows, [2]int{x.At, x.At + len(ours)}), ours) {
			fail("conflict %+v does not stand where it says", x)
		}
		if slices.Equal(ours, theirs) || slices.Equal(theirs, base) || slices.Equal(ours, base) != x.Beside {
			fail("conflict %+v is none", x)
		}
		before = x
	}
	checkTheirs(c, got, ourEdits, theirEdits, fail)
	return got
}

func slice(rows []string, r [2]int) []string { return rows[r[0]:r[1]] }

// takeTheirs is the merged text with theirs taken in each conflict.
func takeTheirs(c case3, got Result) []string {
	var rows []string
	at := 0
	for _, k := range got.Conflicts {
		rows = slices.Concat(rows, got.Rows[at:k.At], slice(c.theirs, k.Theirs))
		at = k.At + k.Ours[1] - k.Ours[0]
	}
	return append(rows, got.Rows[at:]...)
}

// checkTheirs checks that with theirs taken in each conflict there are all changes of theirs,
// and those of ours that change nothing that theirs changes, be it that they touch.
func checkTheirs(c case3, got Result, ourEdits, theirEdits []linediff.Edit, fail func(string, ...any)) {
	for _, r := range regions(ourEdits, theirEdits) { // what both have made the same is there once
		if slices.Equal(slice(c.ours, r.ours), slice(c.theirs, r.theirs)) {
			ourEdits = slices.DeleteFunc(ourEdits, func(e linediff.Edit) bool { return r.base[0] <= e.A0 && e.A1 <= r.base[1] })
		}
	}
	var hunks []hunk
	for _, e := range theirEdits {
		hunks = append(hunks, hunk{e.A0, e.A1, c.theirs[e.B0:e.B1]})
	}
	for _, e := range ourEdits {
		if !slices.ContainsFunc(theirEdits, func(f linediff.Edit) bool { return overlap(e, f) }) {
			hunks = append(hunks, hunk{e.A0, e.A1, c.ours[e.B0:e.B1]})
		}
	}
	slices.SortStableFunc(hunks, func(p, q hunk) int { return cmp.Or(p.from-q.from, p.to-q.to) })
	want, is := apply(c.base, hunks), takeTheirs(c, got)
	if slices.Equal(is, want) {
		return
	}
	// Rows that ours deleted between two places where theirs put rows in come with those.
	var deleted []string
	for _, e := range ourEdits {
		put := func(at int) bool {
			return slices.ContainsFunc(theirEdits, func(f linediff.Edit) bool { return f.A0 <= at && at <= f.A1 })
		}
		if e.B0 == e.B1 && put(e.A0) && put(e.A1) {
			deleted = append(deleted, c.base[e.A0:e.A1]...)
		}
	}
	for _, row := range is {
		if len(want) > 0 && row == want[0] {
			want = want[1:]
		} else if !slices.Contains(deleted, row) {
			want = append(want, row)
			break
		}
	}
	if len(want) > 0 {
		fail("with theirs taken it is %q, which lacks %q", is, want)
	}
}

// checkSides checks what must be so if the sides are exchanged, or one has not changed.
func checkSides(t failer, c case3, got Result) {
	other := Merge(c.base, c.theirs, c.ours)
	same := (len(other.Conflicts) > 0) == (len(got.Conflicts) > 0)
	if !same || len(got.Conflicts) == 0 && !slices.Equal(other.Rows, got.Rows) {
		t.Fatalf("%q: merged the other way round: %+v, this way %+v", c, other, got)
	}
	for name, x := range map[string]struct {
		Result
		want []string
	}{
		"ours only":   {Merge(c.base, c.ours, c.base), c.ours},
		"theirs only": {Merge(c.base, c.base, c.theirs), c.theirs},
		"both alike":  {Merge(c.base, c.ours, c.ours), c.ours},
		"taken again": {Merge(c.theirs, got.Rows, c.theirs), got.Rows},
	} {
		if len(x.Conflicts) > 0 || !slices.Equal(x.Rows, x.want) {
			t.Fatalf("%s: %q gives %+v, want %q", name, c, x.Result, x.want)
		}
	}
}

func TestRandomMerges(t *testing.T) {
	conflicts, clean := 0, 0
	for i := range *merges {
		r := rand.New(rand.NewPCG(9, uint64(i)))
		c := randomCase(r, 24, i%4 == 0)
		got := checkMerge(t, c)
		if i%8 == 0 || i%8 == 1 {
			checkSides(t, c, got)
		}
		for _, row := range c.ours {
			if row != "" && row[0] == 'u' && !slices.Contains(got.Rows, row) {
				t.Fatalf("row %q of the user is lost: %q gives %+v", row, c, got)
			}
		}
		if len(got.Conflicts) > 0 {
			conflicts++
		} else if !reflect.DeepEqual(got.Rows, c.ours) && !reflect.DeepEqual(got.Rows, c.theirs) {
			clean++
		}
	}
	t.Logf("%d merges: %d with conflicts, %d clean of two changes", *merges, conflicts, clean)
	if conflicts < *merges/10 || clean < *merges/10 {
		t.Errorf("%d conflicts and %d clean merges of %d: the cases are no test", conflicts, clean, *merges)
	}
}

func FuzzMerge(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", ""}, {"a", "a", ""}, {"a\nb\nc", "x\nb\nc", "a\nb\ny"}, {"a\nb", "a\nx\nb", "a\ny\nb"},
		{"a\n\na\n\na", "a\n\nx\n\na\n\na", "a\n\na\n\nx\n\na"}, {"a\nb\nc\nd", "a\nd", "a\nb\nx\nd"},
		{"\n\n", "\n\n\n", "\n"}, {"x\nx\nx\nx", "x\nx", "x\nx\nx\nx\nx"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		c := case3{linediff.Split(base), linediff.Split(ours), linediff.Split(theirs)}
		checkSides(t, c, checkMerge(t, c))
	})
}
