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
			conflicts: []Conflict{{Base: [2]int{2, 3}, Ours: [2]int{2, 3}, Theirs: [2]int{2, 3}, At: 2, Beside: true}},
		},
		{
			name: "an insertion at the edge of a replacement", base: "a b c", ours: "a x b c", theirs: "a y c", want: "a x b c",
			conflicts: []Conflict{{Base: [2]int{1, 2}, Ours: [2]int{2, 3}, Theirs: [2]int{1, 2}, At: 2, Beside: true}},
		},
		{
			name: "two of ours, then one of theirs", base: "1 2 3", ours: "u a 3", theirs: "1 2 b", want: "u a 3",
			conflicts: []Conflict{{Base: [2]int{2, 3}, Ours: [2]int{2, 3}, Theirs: [2]int{2, 3}, At: 2, Beside: true}},
		},
		{
			name: "theirs puts rows behind one of ours", base: "a b c", ours: "a x c", theirs: "a b y c", want: "a x c",
			conflicts: []Conflict{{Base: [2]int{2, 2}, Ours: [2]int{2, 2}, Theirs: [2]int{2, 3}, At: 2, Beside: true}},
		},
		{
			name: "theirs puts rows in front of the first, which is ours", base: "a b", ours: "x b", theirs: "y a b", want: "x b",
			conflicts: []Conflict{{Base: [2]int{0, 0}, Ours: [2]int{0, 0}, Theirs: [2]int{0, 1}, Beside: true}},
		},
		{
			name: "theirs puts rows behind the last, which is ours", base: "a b", ours: "a x", theirs: "a b y", want: "a x",
			conflicts: []Conflict{{Base: [2]int{2, 2}, Ours: [2]int{2, 2}, Theirs: [2]int{2, 3}, At: 2, Beside: true}},
		},
		{
			name: "theirs puts rows where ours has deleted all", base: "a b", ours: "", theirs: "a b y", want: "",
			conflicts: []Conflict{{Base: [2]int{2, 2}, Ours: [2]int{0, 0}, Theirs: [2]int{2, 3}, Beside: true}},
		},
		{
			name: "what touches what overlaps stays beside it", base: "a b c d e", ours: "a X c Y e", theirs: "a b C D e", want: "a X c Y e",
			conflicts: []Conflict{{Base: [2]int{2, 4}, Ours: [2]int{2, 4}, Theirs: [2]int{2, 4}, At: 2}},
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
			name: "ours on both sides", base: "a b c d e f", ours: "a X c d Y f", theirs: "a b C D e f", want: "a X c d Y f",
			conflicts: []Conflict{{Base: [2]int{2, 4}, Ours: [2]int{2, 4}, Theirs: [2]int{2, 4}, At: 2, Beside: true}},
		},
		{
			name: "a chain has a conflict for each of theirs", base: "a b c d e f", ours: "a X c Y e f", theirs: "a b C d E f", want: "a X c Y e f",
			conflicts: []Conflict{
				{Base: [2]int{2, 3}, Ours: [2]int{2, 3}, Theirs: [2]int{2, 3}, At: 2, Beside: true},
				{Base: [2]int{4, 5}, Ours: [2]int{4, 5}, Theirs: [2]int{4, 5}, At: 4, Beside: true},
			},
		},
		{
			name: "but where ours has nothing between two, and nothing in them", base: "a b c", ours: "a c", theirs: "a x b y c", want: "a c",
			conflicts: []Conflict{{Base: [2]int{1, 2}, Ours: [2]int{1, 1}, Theirs: [2]int{1, 4}, At: 1}},
		},
		{
			name: "two of theirs that one of ours joins", base: "a b c d", ours: "a X d", theirs: "A b C d", want: "a X d",
			conflicts: []Conflict{{Base: [2]int{0, 3}, Ours: [2]int{0, 2}, Theirs: [2]int{0, 3}}},
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
