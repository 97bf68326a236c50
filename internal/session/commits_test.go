package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What is staged hunk by hunk is found hunk by hunk, whatever the user has typed
// beside it, saved or not. Rows are all different, so that nothing is by chance.
func TestContained(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 8))
		next := 0
		row := func(by string) string { next++; return fmt.Sprint(by, next, "\n") }
		var rows []string
		for range 4 + r.IntN(30) {
			rows = append(rows, row("base"))
		}
		now := time.Unix(0, 0)
		doc := review.New(text.New(strings.Join(rows, "")), func() time.Time { return now })
		// change edits rows here and there, apart from each other.
		change := func(by string) text.Text {
			old := doc.Text()
			var out strings.Builder
			for i := 0; i < old.LineCount()-1; i++ {
				line := old.Line(i) + "\n"
				switch r.IntN(8) {
				case 0:
					out.WriteString(row(by) + line)
				case 1:
					out.WriteString(row(by))
				case 2:
				default:
					out.WriteString(line)
				}
			}
			return text.New(out.String())
		}
		for i := range 1 + r.IntN(3) {
			doc.AgentEdit(change("agent"), review.Origin{Change: review.ChangeID(fmt.Sprint("c", i)), Turn: fmt.Sprint(i), Author: review.AuthorAgent})
		}
		staged := doc.Clone()
		var left []string
		for _, h := range doc.Hunks(review.StatePending) {
			if r.IntN(2) == 0 {
				left = append(left, h.ID)
			}
		}
		if _, refused := staged.Reject(left); len(refused) > 0 {
			t.Fatalf("seed %d: %v", seed, refused)
		}
		has := staged.Text().String()
		if r.IntN(2) == 0 { // what is not saved is at the end, apart from all hunks
			end := doc.Text().Len()
			doc.UserEdit(end, end, "user\nuser too\n")
			now = now.Add(time.Second)
			doc.Settle(now)
		}
		got := contained(doc, has, true)
		var want []string
		for _, h := range doc.Hunks(review.StatePending) {
			if !slices.Contains(left, h.ID) && (h.BaseText != "" || h.Text != "") {
				want = append(want, h.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: staged are %v, want %v\ntext\n%s\nstaged\n%s", seed, got, want, doc.Text(), has)
		}
	}
}
