package merge

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestWhitespaceYields(t *testing.T) {
	for _, test := range []struct {
		name, base, ours, theirs, want string
		conflicts                      int
		fromTheirs                     [][2]int
	}{
		{"ours indents what theirs changes", "a(b)", "\ta(b)", "a(c)", "a(c)", 0, [][2]int{{0, 1}}},
		{"theirs indents what ours changes", "a(b)", "a(c)", "\ta(b)", "a(c)", 0, nil},
		{"both indent alike", "a", "\ta", "\ta", "\ta", 0, nil},
		{"both indent, each in its way", "a", "\ta", "  a", "\ta", 0, nil},
		{"neither is only white space", "a", "\tb", "c", "\tb", 1, nil},
		{
			"only the row that is changed yields",
			"a|b|c|d|e", "\ta|\tb|\tc|\td|\te", "a|b|X|d|e", "\ta|\tb|X|\td|\te", 0, [][2]int{{2, 3}},
		},
		{
			"the other side's rows stay indented",
			"a|b|c|d|e", "a|b|X|d|e", "\ta|\tb|\tc|\td|\te", "\ta|\tb|X|\td|\te", 0, [][2]int{{0, 2}, {3, 5}},
		},
		{
			"rows put in among indented ones",
			"a|b|c", "\ta|\tb|\tc", "a|X|b|c", "\ta|X|\tb|\tc", 0, [][2]int{{1, 2}},
		},
		{
			"rows deleted among indented ones",
			"a|b|c", "\ta|\tb|\tc", "a|c", "\ta|\tc", 0, nil,
		},
		{"a row is broken where theirs changes it", "f(a, b)", "f(a,|b)", "f(a, c)", "f(a, c)", 0, [][2]int{{0, 1}}},
		{"a row is broken where theirs touches", "f(a, b)|c", "f(a,|b)|c", "f(a, b)|X", "f(a, b)|X", 0, [][2]int{{1, 2}}},
		{"blank rows go where theirs puts rows", "a|||b", "a|b", "a|||X|b", "a|||X|b", 0, [][2]int{{3, 4}}},
		{
			"a change of ours beside the same indentation and a conflict",
			"a|b|c|d", "\ta|\tb|\tX|d", "a|b|Y|d", "\ta|\tb|\tX|d", 1, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := func(s string) []string { return strings.Split(s, "|") }
			base, ours, theirs := rows(test.base), rows(test.ours), rows(test.theirs)
			got := MergeWith(base, ours, theirs, Options{WhitespaceYields: true})
			if !slices.Equal(got.Rows, rows(test.want)) || len(got.Conflicts) != test.conflicts || !reflect.DeepEqual(got.FromTheirs, test.fromTheirs) {
				t.Errorf("got  %+v\nwant %q with %d conflicts, %v from theirs", got, rows(test.want), test.conflicts, test.fromTheirs)
			}
			text := func(s string) string { return strings.ReplaceAll(s, "|", "\n") + "\n" }
			whole := TextsWith(text(test.base), text(test.ours), text(test.theirs), Options{WhitespaceYields: true})
			if whole.Text != text(test.want) {
				t.Errorf("texts give %q", whole.Text)
			}
		})
	}
}

// White space yields, nothing else: all that is no white space is as without the option
// where that is clean, and each row of ours is there up to its white space unless theirs
// changed it.
func TestWhitespaceYieldsNothingElse(t *testing.T) {
	settled := 0
	for i := range *merges / 5 {
		r := rand.New(rand.NewPCG(14, uint64(i)))
		c := randomCase(r, 16, i%2 == 0)
		c.ours, c.theirs = reindent(r, c.ours), reindent(r, c.theirs)
		plain := Merge(c.base, c.ours, c.theirs)
		got := MergeWith(c.base, c.ours, c.theirs, Options{WhitespaceYields: true})
		if len(plain.Conflicts) == 0 && !reflect.DeepEqual(plain, got) {
			t.Fatalf("%q: clean without the option, %+v; with it %+v", c, plain, got)
		}
		if len(got.Conflicts) > len(plain.Conflicts) {
			t.Fatalf("%q: conflicts %+v, with the option %+v", c, plain.Conflicts, got.Conflicts)
		}
		if len(got.Conflicts) < len(plain.Conflicts) {
			settled++
		}
		back := MergeWith(c.base, c.theirs, c.ours, Options{WhitespaceYields: true})
		if (len(back.Conflicts) > 0) != (len(got.Conflicts) > 0) {
			t.Fatalf("%q: conflicts %+v, the other way round %+v", c, got.Conflicts, back.Conflicts)
		}
		if len(got.Conflicts) == 0 && inkOf(got.Rows) != inkOf(back.Rows) {
			t.Fatalf("%q: merged %q, the other way round %q", c, got.Rows, back.Rows)
		}
		merged := inkOf(got.Rows)
		for _, row := range c.ours {
			if row := strings.TrimSpace(row); strings.HasPrefix(row, "u") && !strings.Contains(merged, row) {
				t.Fatalf("row %q of the user is lost: %q gives %+v", row, c, got)
			}
		}
		for _, f := range got.FromTheirs {
			for _, row := range got.Rows[f[0]:f[1]] {
				if !slices.Contains(c.theirs, row) {
					t.Fatalf("row %q is not from theirs: %q gives %+v", row, c, got)
				}
			}
		}
	}
	if settled < *merges/200 {
		t.Errorf("%d conflicts settled: the cases are no test", settled)
	}
}

func reindent(r *rand.Rand, rows []string) []string {
	out := slices.Clone(rows)
	if r.IntN(2) == 0 || len(out) == 0 {
		return out
	}
	from := r.IntN(len(out))
	for i := from; i < min(len(out), from+1+r.IntN(8)); i++ {
		out[i] = "\t" + out[i]
	}
	return out
}

func inkOf(rows []string) string { return strings.Map(ink, strings.Join(rows, "")) }
