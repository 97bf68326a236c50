package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// What git takes away while an agent works is listed and comes back with its text; whatever
// else it does is the agent's change, and the baseline stays.
func TestTakeAway(t *testing.T) {
	const base, agents = "a\nb\nc\nd\ne\nf\ng\n", "a\nB\nc\nd\ne\nf\nG\n"
	for _, x := range []struct {
		name        string
		away, again string
		lost, back  int
		left, after string // the texts of the pending hunks when it is away, and again there
	}{
		{"checkout and pop", base, agents, 2, 2, "", "B\n|G\n"},
		{"checkout of a part", "a\nB\nc\nd\ne\nf\ng\n", agents, 1, 1, "B\n", "B\n|G\n"},
		{"another branch and back", "x\ny\n", agents, 2, 2, "x\ny\n", "B\n|G\n"},
		{"another row in its place", "a\nzwei\nc\nd\ne\nf\nG\n", agents, 1, 1, "zwei\n|G\n", "B\n|G\n"},
		{"pop onto another commit", base, "0\n" + agents, 2, 2, "", "0\n|B\n|G\n"},
		{"only one comes back", base, "a\nB\nc\nd\ne\nf\ng\n", 2, 1, "", "B\n"},
		{"nothing comes back", base, base + "h\n", 2, 0, "", "h\n"},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := New(text.New(base), time.Now)
			d.AgentEdit(text.New(agents), Origin{Change: "c", Turn: "t", Author: AuthorAgent, Sure: true})
			had := d.Hunks(StatePending)
			lost, back := d.TakeAway(text.New(x.away), Origin{Change: "g", Turn: "t", Author: AuthorAgent})
			if len(lost) != x.lost || len(back) != 0 || d.Text().String() != x.away || len(d.Hunks(StateRejected)) != x.lost || pendingTexts(d) != x.left {
				t.Errorf("away: lost %v, back %v, text %q, pending %q", lost, back, d.Text(), pendingTexts(d))
			}
			_, back = d.TakeAway(text.New(x.again), Origin{Change: "h", Turn: "t", Author: AuthorAgent})
			if len(back) != x.back || d.Text().String() != x.again || pendingTexts(d) != x.after || d.Baseline().String() != base {
				t.Errorf("again: back %v, pending %q, text %q, baseline %q", back, pendingTexts(d), d.Text(), d.Baseline())
			}
			if got := d.Hunks(StatePending); x.again == agents && (len(got) != 2 || got[0].ID != had[0].ID || got[1].ID != had[1].ID) {
				t.Errorf("again: hunks %v, had been %v", got, had)
			}
		})
	}
}

// A deletion goes when the rows are there again, and only then.
func TestTakeAwayDeletion(t *testing.T) {
	d := New(text.New("a\nb\nc\n"), time.Now)
	d.AgentEdit(text.New("a\nc\n"), Origin{Change: "c", Author: AuthorAgent})
	if lost, _ := d.TakeAway(text.New("a\nc\nd\n"), Origin{Change: "g", Author: AuthorAgent}); len(lost) != 0 || pendingTexts(d) != "|d\n" {
		t.Errorf("lost %v, pending %q", lost, pendingTexts(d))
	}
	if lost, _ := d.TakeAway(text.New("a\nb\nc\n"), Origin{Change: "h", Author: AuthorAgent}); len(lost) != 2 || pendingTexts(d) != "" {
		t.Errorf("lost %v, pending %q", lost, pendingTexts(d))
	}
	if _, back := d.TakeAway(text.New("a\nc\n"), Origin{Change: "i", Author: AuthorAgent}); len(back) != 1 || d.Baseline().String() != "a\nb\nc\n" {
		t.Errorf("back %v, baseline %q", back, d.Baseline())
	}
}

// What the user typed in an agent's row goes with it, and comes back with it.
func TestTakeAwayMixed(t *testing.T) {
	d := New(text.New("a\n"), time.Now)
	d.AgentEdit(text.New("a\nvalue = 1\n"), Origin{Change: "c", Author: AuthorAgent})
	d.UserStep(text.New("a\nmy value = 1\n"), 2, 2, 5)
	d.TakeAway(text.New("a\n"), Origin{Change: "g", Author: AuthorAgent})
	rejected := d.Hunks(StateRejected)
	if len(rejected) != 1 || rejected[0].Text != "my value = 1\n" || !rejected[0].Mixed || !rejected[0].Lost {
		t.Fatalf("rejected %v", rejected)
	}
	if done, refused := d.Restore([]string{rejected[0].ID}); len(done) != 1 || d.Text().String() != "a\nmy value = 1\n" {
		t.Errorf("restored %v, refused %v, text %q", done, refused, d.Text())
	}
}

// A text that the user rejected does not come back so, nor one that was accepted.
func TestBringBackOnlyLost(t *testing.T) {
	const base, agents = "a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"
	d := New(text.New(base), time.Now)
	d.AgentEdit(text.New(agents), Origin{Change: "c", Author: AuthorAgent})
	hunks := d.Hunks(StatePending)
	d.Reject([]string{hunks[0].ID})
	d.Accept([]string{hunks[1].ID})
	if back := d.BringBack(text.New(agents)); len(back) != 0 || d.Text().String() != "a\nb\nc\nD\ne\n" {
		t.Errorf("back %v, text %q", back, d.Text())
	}
}

func pendingTexts(d *Doc) string {
	var out []string
	for _, h := range d.Hunks(StatePending) {
		out = append(out, h.Text)
	}
	return strings.Join(out, "|")
}

// Whatever texts git puts there, between whatever edits: the baseline stays, the text is
// git's, and each row an agent had put in is in the text or among the rejected.
func TestTakeAwayRandom(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func(rows []string) []string {
			out := slices.Clone(rows)
			for range 1 + r.IntN(3) {
				at := r.IntN(len(out) + 1)
				row := []string{"a", "b", "c", "", "{", fmt.Sprint("n", r.IntN(6))}[r.IntN(6)]
				switch {
				case r.IntN(3) == 0 && at < len(out):
					out = slices.Delete(out, at, at+1)
				case r.IntN(2) == 0 && at < len(out):
					out[at] = row
				default:
					out = slices.Insert(out, at, row)
				}
			}
			return out
		}
		join := func(rows []string) text.Text { return text.New(strings.Join(rows, "\n")) }
		rows := []string{"a", "b", "c", "d", "e", "f"}
		now := time.Unix(0, 0)
		d := New(join(rows), func() time.Time { return now })
		had := []text.Text{d.Text()}
		for step := range 8 {
			change := ChangeID(fmt.Sprint("c", step))
			o := Origin{Change: change, Session: "s", Turn: fmt.Sprint("t", step/3), Author: AuthorAgent}
			before, base := d.Text(), d.Baseline()
			switch r.IntN(4) {
			case 0:
				rows = some(strings.Split(before.String(), "\n"))
				d.AgentEdit(join(rows), o)
			case 1:
				rows = some(strings.Split(before.String(), "\n"))
				d.Reload(join(rows), Origin{Change: change, Author: AuthorUser})
				now = now.Add(time.Second)
				d.Settle(now)
				base = d.Baseline()
			default:
				next := had[r.IntN(len(had))]
				if r.IntN(3) == 0 {
					next = join(some(strings.Split(next.String(), "\n")))
				}
				lost, _ := d.TakeAway(next, o)
				if !d.Text().Equal(next) {
					t.Fatalf("seed %d: text %q, want %q", seed, d.Text(), next)
				}
				for _, h := range lost {
					if !slices.ContainsFunc(d.Hunks(StateRejected), func(x Hunk) bool { return x.ID == h.ID && x.Lost }) {
						t.Fatalf("seed %d: hunk %v is not among the rejected", seed, h)
					}
				}
			}
			if !d.Baseline().Equal(base) {
				t.Fatalf("seed %d: baseline %q, was %q", seed, d.Baseline(), base)
			}
			had = append(had, d.Text())
		}
	}
}

// What was accepted while git had taken it away does not come back as something to decide on,
// by whatever edit its text does.
func TestAcceptLost(t *testing.T) {
	const base, agents = "a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"
	for name, comes := range map[string]func(*Doc){
		"follow": func(d *Doc) { d.Follow(text.New(agents), AuthorGit) },
		"typed":  func(d *Doc) { d.Reload(text.New(agents), Origin{Change: "u", Author: AuthorUser}) },
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(0, 0)
			d := New(text.New(base), func() time.Time { return now })
			d.AgentEdit(text.New(agents), Origin{Change: "c", Author: AuthorAgent})
			d.Follow(text.New(base), AuthorGit)
			lost := d.Hunks(StateRejected)
			d.AcceptLost([]string{lost[0].ID, "none"})
			if left := d.Hunks(StateRejected); len(left) != 1 || left[0].ID != lost[1].ID || d.Text().String() != base || d.Baseline().String() != base {
				t.Errorf("left %v, text %q, baseline %q", left, d.Text(), d.Baseline())
			}
			comes(d)
			now = now.Add(time.Second)
			d.Settle(now)
			if d.Text().String() != agents || d.Baseline().String() != "a\nB\nc\nd\ne\n" || pendingTexts(d) != "D\n" {
				t.Errorf("text %q, baseline %q, pending %q", d.Text(), d.Baseline(), pendingTexts(d))
			}
		})
	}
	// What the user has rejected is not lost.
	d := New(text.New(base), time.Now)
	d.AgentEdit(text.New(agents), Origin{Change: "c", Author: AuthorAgent})
	ids := []string{d.Hunks(StatePending)[0].ID}
	d.Reject(ids)
	if d.AcceptLost(ids); len(d.Hunks(StateRejected)) != 1 {
		t.Error("a rejected hunk was accepted")
	}
}
