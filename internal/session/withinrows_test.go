package session

import (
	"math/rand/v2"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
)

// The edits of a document make the wanted text, and none of them puts something in
// behind the last line end, where some editors have no row.
func TestEditsAreWithinTheRows(t *testing.T) {
	t.Parallel()
	for _, enc := range []position.Encoding{position.UTF8, position.UTF16, position.UTF32} {
		for seed := range 20_000 {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			ends := []string{"\n", "\n", "\n", "\r\n", "\r"}
			end := ends[r.IntN(len(ends))]
			random := func() string {
				var b strings.Builder
				for range r.IntN(5) {
					b.WriteString([]string{"", "a", "b", "c", "é𝄞"}[r.IntN(5)])
					if r.IntN(12) == 0 {
						b.WriteString(ends[r.IntN(len(ends))])
					}
					b.WriteString(end)
				}
				if r.IntN(4) == 0 {
					b.WriteString("end")
				}
				return b.String()
			}
			have, want := text.New(random()), text.New(random())
			if r.IntN(2) == 0 { // something is put in at the end
				want = text.New(have.String() + random())
			}
			e := documentEdit(&buffers.Document{URI: "file:///a", Text: have}, enc, "", want)
			if got := made(have, e.Edits, enc); !got.Equal(want) {
				t.Fatalf("%q to %q: %+v makes %q", have, want, e.Edits, got)
			}
			last := -1
			for _, ed := range e.Edits {
				if ed.Start < last || ed.End < ed.Start {
					t.Fatalf("%q to %q: edits overlap: %+v", have, want, e.Edits)
				}
				last = ed.End
				// Beyond the first row of a text, an empty range at the start of the last row
				// is where Neovim has nothing.
				if ed.Start == have.Len() && have.Len() > 0 && have.LineStart(have.LineCount()-1) == ed.Start && ed.NewText != "" {
					t.Fatalf("%q to %q: %+v is behind the last line end", have, want, ed)
				}
			}
		}
	}
}
