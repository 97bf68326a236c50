package merge

import (
	"reflect"
	"strings"
	"testing"
)

func rowsOf(s string) []string { return strings.Fields(s) }

func TestMerge(t *testing.T) {
	for _, test := range []struct {
		name, base, ours, theirs string
		want                     string
		conflicts                []Conflict
		fromTheirs               [][2]int
	}{
		{name: "nothing", want: ""},
		{name: "no change", base: "a b c", ours: "a b c", theirs: "a b c", want: "a b c"},
		{name: "ours only", base: "a b c", ours: "a x c", theirs: "a b c", want: "a x c"},
		{name: "theirs only", base: "a b c", ours: "a b c", theirs: "a x c", want: "a x c", fromTheirs: [][2]int{{1, 2}}},
		{name: "one row between", base: "a b c", ours: "x b c", theirs: "a b y", want: "x b y", fromTheirs: [][2]int{{2, 3}}},
		{
			name: "touching replacements", base: "a b c d", ours: "a x c d", theirs: "a b y d", want: "a x c d",
			conflicts: []Conflict{{Base: [2]int{1, 3}, Ours: [2]int{1, 3}, Theirs: [2]int{1, 3}, At: 1}},
		},
		{
			name: "an insertion at the edge of a replacement", base: "a b c", ours: "a x b c", theirs: "a y c", want: "a x b c",
			conflicts: []Conflict{{Base: [2]int{1, 2}, Ours: [2]int{1, 3}, Theirs: [2]int{1, 2}, At: 1}},
		},
		{
			name: "two insertions at one place", base: "a b", ours: "a x b", theirs: "a y b", want: "a x b",
			conflicts: []Conflict{{Base: [2]int{1, 1}, Ours: [2]int{1, 2}, Theirs: [2]int{1, 2}, At: 1}},
		},
		{name: "the same insertion", base: "a b", ours: "a x b", theirs: "a x b", want: "a x b"},
		{name: "the same deletion", base: "a b c", ours: "a c", theirs: "a c", want: "a c"},
		{name: "the same and another", base: "a b c d e", ours: "a x c d e", theirs: "a x c y e", want: "a x c y e", fromTheirs: [][2]int{{3, 4}}},
		{
			name: "deleted and changed", base: "a b c", ours: "a c", theirs: "a x c", want: "a c",
			conflicts: []Conflict{{Base: [2]int{1, 2}, Ours: [2]int{1, 1}, Theirs: [2]int{1, 2}, At: 1}},
		},
		{
			name: "a chain is one conflict", base: "a b c d e f", ours: "a X c d Y f", theirs: "a b C D e f", want: "a X c d Y f",
			conflicts: []Conflict{{Base: [2]int{1, 5}, Ours: [2]int{1, 5}, Theirs: [2]int{1, 5}, At: 1}},
		},
		{
			name: "a conflict after what grew", base: "a b c d e", ours: "a b c X e", theirs: "n m a b c Y e", want: "n m a b c X e",
			conflicts:  []Conflict{{Base: [2]int{3, 4}, Ours: [2]int{3, 4}, Theirs: [2]int{5, 6}, At: 5}},
			fromTheirs: [][2]int{{0, 2}},
		},
		{
			name: "both from nothing", base: "", ours: "a", theirs: "b", want: "a",
			conflicts: []Conflict{{Ours: [2]int{0, 1}, Theirs: [2]int{0, 1}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Merge(rowsOf(test.base), rowsOf(test.ours), rowsOf(test.theirs))
			want := Result{Rows: rowsOf(test.want), Conflicts: test.conflicts, FromTheirs: test.fromTheirs}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}
