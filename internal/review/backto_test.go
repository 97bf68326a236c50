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

// A user who throws away what is unsaved goes back to a text that the document has had:
// what was undecided in that is undecided again, whatever agents and the user have done to
// the same rows since.
func TestThrowAway(t *testing.T) {
	type state struct{ base, hunks string }
	look := func(d *Doc) state {
		var s state
		s.base = d.Baseline().String()
		for _, h := range d.Hunks(StatePending) {
			s.hunks += fmt.Sprintf("%d-%d %q -> %q\n", h.StartLine, h.EndLine, h.BaseText, h.Text)
		}
		return s
	}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		now := time.Unix(0, 0)
		d := New(text.New("a\nb\nc\nd\ne\nf\n"), func() time.Time { return now })
		had := map[string]state{}
		var texts []string
		for step := range 8 {
			rows := slices.Collect(strings.Lines(d.Text().String()))
			at := 0
			if len(rows) > 0 {
				at = r.IntN(len(rows))
			}
			switch r.IntN(4) {
			case 0: // the user writes on
				off := len(strings.Join(rows[:at], ""))
				d.UserEdit(off, off, fmt.Sprintf("u%d ", step))
			case 1:
				d.AgentEdit(text.New(strings.Join(slices.Insert(rows, at, fmt.Sprintf("agent%d\n", step)), "")), agentOf(step))
			case 2:
				if len(rows) > 1 {
					d.AgentEdit(text.New(strings.Join(slices.Delete(rows, at, at+1), "")), agentOf(step))
				}
			default:
				if len(rows) > 0 {
					rows[at] = fmt.Sprintf("agent%d\n", step)
					d.AgentEdit(text.New(strings.Join(rows, "")), agentOf(step))
				}
			}
			now = now.Add(10 * time.Second)
			had[d.Text().String()] = look(d)
			texts = append(texts, d.Text().String())
		}
		back := texts[r.IntN(len(texts))]
		from := d.Text().String()
		d.ThrowAway(text.New(back))
		now = now.Add(10 * time.Second)
		if got, want := look(d), had[back]; got != want {
			t.Errorf("seed %d: text %q from %q back to %q:\nbaseline %q, hunks\n%s\nwant %q,\n%s", seed, d.Text().String(), from, back, got.base, got.hunks, want.base, want.hunks)
		}
	}
}

func agentOf(step int) Origin {
	return Origin{Change: ChangeID(fmt.Sprintf("c%d", step)), Author: AuthorAgent, Sure: true}
}
