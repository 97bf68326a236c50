package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"

	"pgregory.net/rapid"
)

// Of what the disk has, all but what is in conflict has come in: merged alone it makes the
// text there is, and is in conflict with nothing.
func TestDisputesLeaveWhatWasThere(t *testing.T) {
	base := []string{"a", "b", "c", "d", "e", "f"}
	edited := func(who string) *rapid.Generator[string] { // rows are distinct, so that there is one way to merge
		return rapid.Custom(func(t *rapid.T) string {
			var rows []string
			for i, r := range base {
				switch rapid.IntRange(0, 5).Draw(t, "row") {
				case 0:
				case 1:
					rows = append(rows, fmt.Sprint(who, i))
				case 2:
					rows = append(rows, fmt.Sprint(who, i), r)
				default:
					rows = append(rows, r)
				}
			}
			return strings.Join(append(rows, "")[rapid.IntRange(0, 1).Draw(t, "first"):], "\n") +
				rapid.SampledFrom([]string{"", "last", "last\n"}).Draw(t, "last")
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		ours, theirs := edited("o").Draw(t, "ours"), edited("t").Draw(t, "theirs")
		base := strings.Join(base, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
		doc := review.New(text.New(ours), time.Now)
		o := review.Origin{Change: "c1", Author: review.AuthorAgent}
		m := merge.Texts(base, ours, theirs)
		before := &taken{Text: text.New(theirs)}
		before.disputes = disputesOf(m, new(untouched).addConflicts(doc, before.disputedBy(doc, o), m, base, theirs), text.New(base), text.New(base))
		doc.AgentEdit(text.New(m.Text), o)

		in := before.in(doc).String()
		if m := merge.Texts(base, ours, in); len(m.Conflicts) > 0 || !slices.Equal(rowsOf(m.Text), rowsOf(doc.Text().String())) {
			t.Fatalf("%q, %q and %q: %q came in, of which %q comes, not %q", base, ours, theirs, in, m.Text, doc.Text().String())
		}
		for _, p := range before.disputes {
			_ = doc.Resolve(p.hunk, review.TakeMine)
		}
		if got := before.in(doc); !got.Equal(before.Text) {
			t.Fatalf("all is decided, and %q came in, not %q", got.String(), theirs)
		}
	})
}
