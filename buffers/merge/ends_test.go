package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// With ends merged, each row has the line end that a side has given it, and ours where both have.
func TestTextsWithEnds(t *testing.T) {
	const bom = "\ufeff"
	for _, test := range []struct {
		name, base, ours, theirs, want string
		clashes                        int
	}{
		{"theirs turned one", "a\nb\nc\n", "a\nb\nc\n", "a\nb\r\nc\n", "a\nb\r\nc\n", 0},
		{"theirs turned all", "a\nb\n", "a\nb\n", "a\r\nb\r\n", "a\r\nb\r\n", 0},
		{"to lone returns", "a\nb\n", "a\nb\n", "a\rb\r", "a\rb\r", 0},
		{"of mixed ones", "a\r\nb\nc\r", "a\r\nb\nc\r", "a\nb\rc\r\n", "a\nb\rc\r\n", 0},
		{"ours turned one", "a\nb\nc\n", "a\nb\r\nc\n", "a\nb\nc\n", "a\nb\r\nc\n", 0},
		{"each another", "a\nb\nc\n", "a\nb\nc\r\n", "a\rb\nc\n", "a\rb\nc\r\n", 0},
		{"both alike", "a\nb\n", "a\r\nb\n", "a\r\nb\n", "a\r\nb\n", 0},
		{"both, another kind", "a\nb\n", "a\rb\n", "a\r\nb\r\n", "a\rb\r\n", 1},
		{"rows of ours have their own", "a\nb\nc\n", "a\nb\nc\nx\n", "a\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\nx\n", 0},
		{"rows of theirs bring theirs", "a\nb\nc\n", "a\nb\nc\n", "x\r\na\nb\nc\n", "x\r\na\nb\nc\n", 0},
		{"but for ours having turned all", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "x\na\nb\nc\n", "x\r\na\r\nb\r\nc\r\n", 0},
		{"or mixed ones to one", "a\nb\r\nc\n", "a\nb\nc\n", "x\r\na\nb\r\nc\n", "x\na\nb\nc\n", 0},
		{"but not for having taken out what made them mixed", "a\nb\nc\r\n", "a\nb\n", "x\r\na\nb\nc\r\n", "x\r\na\nb\n", 0},
		{"in the place of one that ours has turned", "a\nb\nc\n", "a\nb\r\nc\n", "a\nX\nc\n", "a\nX\r\nc\n", 0},
		{"in the place of one that theirs has turned", "a\nb\nc\n", "a\nX\nc\n", "a\r\nb\r\nc\r\n", "a\r\nX\r\nc\r\n", 0},
		{"in the place of one, turned", "a\nb\nc\n", "a\nb\nc\n", "a\nX\r\nc\n", "a\nX\r\nc\n", 0},

		{"last added by theirs", "a\nb", "a\nb", "a\nb\n", "a\nb\n", 0},
		{"last taken by theirs", "a\nb\n", "a\nb\n", "a\nb", "a\nb", 0},
		{"last added by ours", "a\nb", "a\nb\n", "a\nb", "a\nb\n", 0},
		{"last taken by ours", "a\nb\n", "a\nb", "a\nb\n", "a\nb", 0},
		{"last turned by theirs, taken by ours", "a\nb\n", "a\nb", "a\r\nb\r\n", "a\r\nb", 0},
		{"last taken by theirs, ours has put a row behind", "a\nb\n", "a\nb\nmine\n", "a\nb", "a\nb\nmine\n", 0},
		{"last added by theirs, ours has put a row behind", "a\nb", "a\nb\nmine", "a\nb\n", "a\nb\nmine", 0},
		{"theirs appends, ours has added it", "a\nb", "a\nb\n", "a\nb\nc", "a\nb\nc\n", 0},
		{"theirs appends, ours has taken it", "a\nb\n", "a\nb", "a\nb\nc\n", "a\nb\nc", 0},
		{"theirs takes the last row", "a\r\nb\n", "a\r\nb\n", "a", "a", 0},
		{"ours takes the last row", "a\r\nb", "a\r\n", "a\nb", "a\n", 0},
		{"an empty last row needs one", "\nx\n", "\n", "\nx", "\n", 0},
		{"a carriage return and an empty row", "a\rb\r", "a\r\rb\r", "a\rb\n", "a\r\rb\n", 0},
		{"a return comes before an empty row", "a\n\nb\n", "a\n\nb\n", "a\r\rb\n", "a\r\rb\n", 0},
		{"a return comes before an empty row of ours", "a\nb\n", "a\n\nb\n", "a\rb\n", "a\r\rb\n", 0},

		{"a mark of ours stays", bom + "a\n", bom + "a\n", "a\r\n", bom + "a\r\n", 0},
		{"and none comes", "a\n", "a\n", bom + "a\r\n", "a\r\n", 0},
		{"all of it goes", "a\r\n", "a\r\n", "", "", 0},
		{"it is new", "", "", "a\r\nb\rc", "a\r\nb\rc", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := TextsWith(test.base, test.ours, test.theirs, Options{Ends: true})
			if got.Text != test.want || len(got.Conflicts) > 0 || got.EndsInConflict != test.clashes {
				t.Errorf("got %q with conflicts %v and %d, want %q with %d", got.Text, got.Conflicts, got.EndsInConflict, test.want, test.clashes)
			}
		})
	}
}

// Whatever the line ends are, a merge with a side that has changed nothing is the other side to the byte,
// but for a byte order mark, and the rows are those of a merge that leaves line ends aside.
func TestRandomTextsWithEnds(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := randomCase(r, 12, r.IntN(2) == 0)
		whole := func(rows []string) string {
			var b strings.Builder
			kinds := []string{"\n", "\r\n", "\r"}[:1+r.IntN(3)]
			for i, row := range rows {
				if row == "" && strings.HasSuffix(b.String(), "\r") {
					row = "x"
				}
				b.WriteString(row)
				if i < len(rows)-1 || row == "" || r.IntN(3) > 0 {
					b.WriteString(kinds[r.IntN(len(kinds))])
				}
			}
			return b.String()
		}
		base, ours, theirs := whole(c.base), whole(c.ours), whole(c.theirs)
		with := func(b, o, t string) TextResult { return TextsWith(b, o, t, Options{Ends: true, Whole: true}) }
		for _, x := range []struct{ got, want string }{
			{with(base, base, theirs).Text, theirs}, {with(base, ours, base).Text, ours}, {with(base, ours, ours).Text, ours},
		} {
			if x.got != x.want {
				t.Fatalf("seed %d: got %q, want %q\nbase %q ours %q theirs %q", seed, x.got, x.want, base, ours, theirs)
			}
		}
		got, plain := with(base, ours, theirs), TextsWith(base, ours, theirs, Options{Whole: true})
		if !slices.Equal(got.Rows, plain.Rows) || fmt.Sprint(got.Conflicts) != fmt.Sprint(plain.Conflicts) {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, plain)
		}
		if rows := parse(got.Text).rows; !slices.Equal(rows, got.Rows) && len(rows)+len(got.Rows) > 0 {
			t.Fatalf("seed %d: the text has the rows %q, want %q", seed, rows, got.Rows)
		}
	}
}
