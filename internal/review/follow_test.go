package review

import (
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// What git takes away is listed and comes back with its text: the same text, or one in which
// other rows have changed meanwhile; what the user has rejected does not come back so.
func TestFollow(t *testing.T) {
	const base, agents = "a\nb\nc\nd\ne\nf\ng\n", "a\nB\nc\nd\ne\nf\nG\n"
	now := time.Unix(0, 0)
	start := func() *Doc {
		d := New(text.New(base), func() time.Time { return now })
		d.AgentEdit(text.New(agents), Origin{Change: "c", Author: AuthorAgent, Sure: true})
		return d
	}
	for _, x := range []struct {
		name           string
		away, again    string
		lost, back     int
		left, baseline string // of the pending hunks in the end
	}{
		{"stash and pop", base, agents, 2, 2, "B\nG\n", base},
		{"checkout of one file's part", "a\nB\nc\nd\ne\nf\ng\n", agents, 1, 1, "B\nG\n", base},
		{"pop onto another commit", base, "0\na\nB\nc\nd\ne\nf\nG\n", 2, 2, "B\nG\n", "0\n" + base},
		{"another branch and back", "x\ny\n", agents, 2, 0, "B\nG\n", base},
		{"only one comes back", base, "a\nB\nc\nd\ne\nf\ng\n", 2, 1, "B\n", base},
		{"another branch", base, "x\ny\n", 2, 0, "", "x\ny\n"},
		{"nothing comes back", base, base + "h\n", 2, 0, "", base + "h\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := start()
			lost, back := d.Follow(text.New(x.away), AuthorGit)
			if len(lost) != x.lost || len(back) != 0 || d.Text().String() != x.away || len(d.Hunks(StateRejected)) != x.lost {
				t.Errorf("away: lost %v, back %v, text %q", lost, back, d.Text())
			}
			_, back = d.Follow(text.New(x.again), AuthorGit)
			got := ""
			for _, h := range d.Hunks(StatePending) {
				got += h.Text
			}
			if x.back > 0 && len(back) != x.back || got != x.left || d.Text().String() != x.again || d.Baseline().String() != x.baseline {
				t.Errorf("again: back %v, pending %q, text %q, baseline %q", back, got, d.Text(), d.Baseline())
			}
		})
	}
	// What was taken out and nothing put in is between the rows that were beside it.
	d := New(text.New(base), func() time.Time { return now })
	d.AgentEdit(text.New("a\nb\nf\ng\n"), Origin{Change: "c", Author: AuthorAgent, Sure: true})
	if lost, _ := d.Follow(text.New("0\na\nb\nf\ng\n"), AuthorGit); len(lost) != 0 || d.Baseline().String() != "0\n"+base {
		t.Errorf("a deletion: lost %v, baseline %q", lost, d.Baseline())
	}
	if lost, _ := d.Follow(text.New("x\n"), AuthorGit); len(lost) != 1 || d.Baseline().String() != "x\n" {
		t.Errorf("a deletion that is nowhere: lost %v, baseline %q", lost, d.Baseline())
	}
	d = start()
	d.Reject([]string{d.Hunks(StatePending)[0].ID})
	if _, back := d.Follow(text.New("0\n"+agents), AuthorGit); len(back) != 0 || d.Baseline().String() != "0\na\nB\nc\nd\ne\nf\ng\n" {
		t.Errorf("a rejected hunk came back: %v, baseline %q", back, d.Baseline())
	}
}
