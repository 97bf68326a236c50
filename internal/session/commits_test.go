package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
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
		got := contained(doc, stored{State: checkpoint.State{Exists: true, Content: has}})
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

// What the user has committed is accepted whatever git has made of the file meanwhile, for it may
// be there again before anybody looks.
func TestAcceptWhatGitTakesAwayMeanwhile(t *testing.T) {
	t.Parallel()
	for _, away := range []string{abc, "", "gone"} {
		for _, seen := range []bool{false, true} {
			t.Run(fmt.Sprintf("%q, seen %v", away, seen), func(t *testing.T) {
				w := newEarth(t)
				writeFile(t, w.path("f"), abc)
				w.start()
				w.agent("f", aBc)
				f := w.c.file(buffers.Path(w.path("f")))
				if away == "gone" {
					remove(t, w.path("f"))
				} else {
					writeFile(t, w.path("f"), away)
				}
				if seen {
					f.followGit()
				}
				head := stored{State: checkpoint.State{Exists: true, Content: aBc}}
				if seen {
					f.acceptLost(head)
				}
				if err := f.acceptInGit(t.Context(), checkpoint.Entry{}, checkpoint.Blob{}, checkpoint.Blob{}, head, true); err != nil {
					t.Fatal(err)
				}
				if !seen {
					f.followGit()
				}
				w.put("f", aBc)
				f.followGit()
				w.wantHunks("f", "", review.StatePending, review.StateRejected)
			})
		}
	}
}
