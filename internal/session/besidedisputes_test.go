package session

import (
	"testing"

	"acp-ls/internal/review"
)

// What the agent writes on disk right beside unsaved rows of the user's is in conflict, and loses
// none of these whichever way it is settled, at each place of a text; with both there is what
// either has changed, once. So it is after a crash, and the disk can go on then.
func TestConflictsBesideTypedRows(t *testing.T) {
	for _, x := range []struct {
		name, base, from, to, disk string
		hunk, theirs               string
	}{
		{"a row changed below", "a\nb\nc\nd\ne\n", "b", "B!", "a\nb\nC\nd\ne\n", "c|>C|", "a\nB!\nC\nd\ne\n"},
		{"a row changed above", "a\nb\nc\nd\ne\n", "b", "B!", "A\nb\nc\nd\ne\n", "a|>A|", "A\nB!\nc\nd\ne\n"},
		{"rows deleted below", "a\nb\nc\nd\ne\n", "b", "B!", "a\nb\ne\n", "c|d|>", "a\nB!\ne\n"},
		{"rows put in below", "a\nb\nc\nd\ne\n", "b", "B!", "a\nb\nX\nY\nc\nd\ne\n", ">X|Y|", "a\nB!\nX\nY\nc\nd\ne\n"},
		{"rows put in above", "a\nb\nc\nd\ne\n", "b", "B!", "a\nX\nb\nc\nd\ne\n", ">X|", "a\nX\nB!\nc\nd\ne\n"},
		{"at the start", "a\nb\nc\n", "a", "A!", "X\na\nb\nc\n", ">X|", "X\nA!\nb\nc\n"},
		{"the first row deleted", "a\nb\nc\n", "b", "B!", "b\nc\n", "a|>", "B!\nc\n"},
		{"at the end", "a\nb\nc\n", "c", "C!", "a\nb\nc\nX\n", ">X|", "a\nb\nC!\nX\n"},
		{"the last row deleted", "a\nb\nc\n", "b", "B!", "a\nb\n", "c|>", "a\nB!\n"},
		{"at the end, no line end", "a\nb\nc", "c", "C!", "a\nb\nc\nX", ">X", "a\nb\nC!\nX"},
		{"at the end, no line end, and theirs brings one", "a\nb\nc", "c", "C!", "a\nb\nc\nX\n", ">X", "a\nb\nC!\nX"},
		{"at the end, and ours brings a line end", "a\nb\nc", "c", "C!\n", "a\nb\nc\nX", ">X|", "a\nb\nC!\nX\n"},
		{"the last row deleted, no line end", "a\nb\nc", "b", "B!", "a\nb", "c>", "a\nB!"},
		{"the last row changed, no line end", "a\nb\nc", "b", "B!", "a\nb\nX", "c>X", "a\nB!\nX"},
		{"between two", "a\nb\nc\nd\ne\n", "b\nc\nd", "B!\nc\nD!", "a\nb\nX\nd\ne\n", "c|>X|", "a\nB!\nX\nD!\ne\n"},
		{"two around one", "a\nb\nc\nd\ne\n", "c", "C!", "a\nX\nc\nY\ne\n", "b|>X| d|>Y|", "a\nX\nC!\nY\ne\n"},
		{"rows put in around one", "a\nb\nc\n", "b", "B!", "a\nX\nb\nY\nc\n", ">X| >Y|", "a\nX\nB!\nY\nc\n"},
		{"an empty row", "a\nb\n\nc\n", "b", "B!", "a\nb\nX\nc\n", "|>X|", "a\nB!\nX\nc\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			for i, take := range []review.Take{review.TakeMine, review.TakeTheirs, review.TakeBoth, review.TakeTheirs, review.TakeBoth, ""} {
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("f"), x.base)
				w.e.open(w.uri("f"), x.base)
				w.e.replace(w.uri("f"), x.from, x.to)
				mine := w.e.text(w.uri("f"))
				w.writesDisk("f", x.disk)
				w.wantHunks("f", x.hunk, review.StateConflict)
				if i > 2 {
					w.e.open(w.uri("f"), w.crash()[w.uri("f")])
					w.wantHunks("f", x.hunk, review.StateConflict)
				}
				h := hunksOf(t, w.c, w.uri("f"), review.StateConflict)
				if i%2 == 1 { // in whichever order
					h[0], h[len(h)-1] = h[len(h)-1], h[0]
				}
				for _, h := range h {
					if take == "" {
						break // it is given up before that
					}
					if _, err := w.c.Resolve(t.Context(), h.ID, string(take)); err != nil {
						t.Fatal(err)
					}
				}
				want := x.theirs
				if take == review.TakeMine || take == "" {
					want = mine
				}
				if got := w.e.text(w.uri("f")); got != want {
					t.Errorf("take %s: %q, want %q", take, got, want)
				}
				w.wantHunks("f", "", review.StatePending)
				if take != "" {
					w.wantHunks("f", "", review.StateConflict)
				}
				if take == review.TakeMine || take == "" {
					w.writesDisk("f", x.base) // it is given up
					if got := w.e.text(w.uri("f")); got != mine {
						t.Errorf("%q, and given up: %q, want %q", take, got, mine)
					}
					w.wantHunks("f", "", review.StatePending)
				}
				if take == "" {
					w.wantHunks("f", "", review.StateConflict)
				}
			}
		})
	}
}
