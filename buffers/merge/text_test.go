package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTexts(t *testing.T) {
	const bom = "\ufeff"
	for _, test := range []struct {
		name, base, ours, theirs, want string
		conflicts                      int
	}{
		{"nothing", "", "", "", "", 0},
		{"ours only", "a\nb\n", "a\nx\n", "a\nb\n", "a\nx\n", 0},
		{"theirs only", "a\nb\n", "a\nb\n", "a\nx\n", "a\nx\n", 0},
		{"both", "a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", "x\nb\ny\n", 0},
		{"conflict", "a\n", "x\n", "y\n", "x\n", 1},

		{"the line ends of ours stay", "a\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\n", "a\nx\nc\n", "a\r\nx\r\nc\r\n", 0},
		{"ours has turned the line ends", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nx\nc\n", "a\r\nx\r\nc\r\n", 0},
		{"theirs has turned them only", "a\nb\n", "a\nb\n", "a\r\nb\r\n", "a\nb\n", 0},
		{"mixed ones stay as they are", "a\r\nb\nc\rd\n", "a\r\nb\nc\rd\n", "a\nb\nc\nd\ne\n", "a\r\nb\nc\rd\ne\n", 0},
		{"new rows get what most have", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n", "a\nb\nc\nd\n", "a\r\nb\r\nc\nd\r\n", 0},
		{"ours has none", "a\r\nb", "a", "a\nb\nc", "a", 1},
		{"ours has none, base has", "a\r\nb\r\n", "b", "a\nb\nc", "b\r\nc", 0},
		{"only theirs has", "a", "a", "a\r\nb\r\n", "a\r\nb\r\n", 0},
		{"a new file is as it was sent", "", "", bom + "a\r\nb\nc\rd", bom + "a\r\nb\nc\rd", 0},
		{"a carriage return and a new empty row", "a\rb\nc\nd\n", "a\rb\nc\nd\n", "a\n\nb\nc\nd\n", "a\r\rb\nc\nd\n", 0},

		{"mixed, and theirs knows", "a\r\nb\nc\r\n", "a\r\nb\nc\r\n", "a\r\nX\nY\r\nc\r\n", "a\r\nX\nY\r\nc\r\n", 0},
		{"mixed, and theirs has one kind", "a\r\nb\nc\r\nd\r\n", "a\r\nb\nc\r\nd\r\n", "a\nX\nc\nY\n", "a\r\nX\nc\r\nY\r\n", 0},
		{"mixed, and more rows than were there", "a\r\nb\nc\r\nd\r\n", "a\r\nb\nc\r\nd\r\n", "a\nX\nY\nc\nd\n", "a\r\nX\nY\r\nc\r\nd\r\n", 0},
		{"mixed, and only line ends are others", "a\r\nb\nc\r\n", "a\r\nb\nc\r\n", "a\nb\r\nc\n", "a\r\nb\nc\r\n", 0},

		{"last line end added", "a\nb", "a\nb", "a\nb\n", "a\nb\n", 0},
		{"last line end taken away", "a\nb\n", "a\nb\n", "a\nb", "a\nb", 0},
		{"one side each", "a\nb\nc", "x\nb\nc", "a\nb\nc\n", "x\nb\nc\n", 0},
		{"ours added it, theirs changed the row", "a\nb", "a\nb\n", "a\nx", "a\nx\n", 0},
		{"theirs appends to a row without", "a\nb", "a\nb", "a\nb\nc", "a\nb\nc", 0},
		{"theirs deletes the row without", "a\nb\nc", "a\nb\nc", "a\nb\n", "a\nb\n", 0},
		{"in conflict it is of ours", "a\n", "b\n", "c", "b\n", 1},
		{"in conflict elsewhere it is of theirs", "a\nb\nc\n", "x\nb\nc\n", "y\nb\nc", "x\nb\nc", 1},
		{"an empty last row needs one", "\nx\n", "\n", "\nx", "\n", 0},
		{"ours deleted all", "a\n", "", "a", "", 0},
		{"theirs deleted all", "a\n", "a", "", "", 0},
		{"both created it alike but for the line end", "", "a\n", "a", "a\n", 0},

		{"a byte order mark stays", bom + "a\n", bom + "a\n", "x\n", bom + "x\n", 0},
		{"and does not come", "a\n", "a\n", bom + "x\n", "x\n", 0},
		{"nor is it compared", bom + "a\nb\nc\n", "a\nb\nx\n", bom + "y\nb\nc\n", "y\nb\nx\n", 0},
		{"nor are two", "a\n", "a\n", bom + bom + "x\n", "x\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := checkTexts(t, test.base, test.ours, test.theirs)
			if got.Text != test.want || len(got.Conflicts) != test.conflicts {
				t.Errorf("got %q with conflicts %v, want %q with %d", got.Text, got.Conflicts, test.want, test.conflicts)
			}
		})
	}
}

func checkTexts(t failer, base, ours, theirs string) TextResult {
	got := Texts(base, ours, theirs)
	// A mark that stood at the start of an inner row can have come to the start of the text.
	moved := len(got.Rows) > 0 && strings.HasPrefix(got.Rows[0], "\ufeff")
	if rows := parse(got.Text).rows; !moved && !slices.Equal(rows, got.Rows) {
		t.Fatalf("Texts(%q, %q, %q) = %q of rows %q", base, ours, theirs, got.Text, got.Rows)
	}
	want := checkMerge(t, case3{parse(base).rows, parse(ours).rows, parse(theirs).rows})
	if !slices.Equal(got.Rows, want.Rows) || fmt.Sprint(got.Conflicts, got.FromTheirs) != fmt.Sprint(want.Conflicts, want.FromTheirs) {
		t.Fatalf("Texts(%q, %q, %q) = %+v, its rows give %+v", base, ours, theirs, got, want)
	}
	if same := Texts(base, ours, base); same.Text != ours {
		t.Fatalf("Texts(%q, %q) and no change of theirs = %q", base, ours, same.Text)
	}
	if same := Texts(base, base, theirs); !slices.Equal(same.Rows, parse(theirs).rows) {
		t.Fatalf("Texts(%q, base, %q) = %q", base, theirs, same.Text)
	}
	if same := Texts("", "", theirs); same.Text != theirs {
		t.Fatalf("Texts of nothing and %q = %q", theirs, same.Text)
	}
	// Where there is one kind of line end, and no mark, theirs comes as it is.
	plain := func(s string) string { return strings.ReplaceAll(strings.TrimLeft(s, "\ufeff"), "\r", "") }
	if same := Texts(plain(base), plain(base), plain(theirs)); same.Text != plain(theirs) {
		t.Fatalf("Texts(%q, base, %q) = %q", plain(base), plain(theirs), same.Text)
	}
	return got
}

func TestRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	random := func(rows []string) string {
		var s strings.Builder
		if r.IntN(8) == 0 {
			s.WriteString("\ufeff")
		}
		mixed := r.IntN(3) == 0
		end := [...]string{"\n", "\r\n", "\r"}[r.IntN(3)]
		for i, row := range rows {
			if i > 0 {
				s.WriteString(end)
			}
			s.WriteString(row)
			if mixed {
				end = [...]string{"\n", "\r\n", "\r"}[r.IntN(3)]
			}
		}
		if r.IntN(2) == 0 && len(rows) > 0 {
			s.WriteString(end)
		}
		return s.String()
	}
	for range *merges / 20 {
		c := randomCase(r, 12, false)
		checkTexts(t, random(c.base), random(c.ours), random(c.theirs))
	}
}

func FuzzTexts(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", ""}, {"", "", "\ufeff\ufeffa"}, {"a\nb", "a\nb\n", "a\r\nx\r\n"}, {"a\r\rb", "a\r", "\n\r\n"},
		{"\nx\n", "\n", "\nx"}, {"a\r", "a\r\n", "a\r\n\n"}, {"a\n", "", "a"}, {"0", "0", "\ufeff\ufeffa"}, {"0", "", "\ufeff\ufeff"}, {"x\n\ufeffa", "\ufeffa", "x\n\ufeffa"}, {"x\ry\n", "x\ry\n", "x\n\ny\n"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs string) { checkTexts(t, base, ours, theirs) })
}
