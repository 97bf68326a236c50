package review

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// A clone is used by another goroutine than the state it was made of: the two
// share only what neither changes. (The race detector judges.)
func TestCloneIsApart(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "row %d of the text\n", i)
	}
	d := New(text.New(b.String()), time.Now)
	work := func(d *Doc, who string) {
		for i := range 30 {
			at := d.Text().LineStart((i * 37) % d.Text().LineCount())
			d.UserEdit(at, at, who)
			d.UserEdit(at, at+len(who), "")
			now := d.Text()
			change := ChangeID(fmt.Sprint(who, i))
			start := now.LineStart((i * 53) % now.LineCount())
			d.AgentEdit(now.Replace(start, start, who+" was here\n"), Origin{Change: change, Author: AuthorAgent})
			hunks := d.Hunks(StatePending)
			switch h := hunks[i%len(hunks)]; i % 6 {
			case 0:
				d.Accept([]string{h.ID})
			case 1:
				d.Reject([]string{h.ID})
			case 2:
				for _, h := range d.Hunks(StateRejected) {
					d.Restore([]string{h.ID})
				}
			case 3:
				d.AddConflict(Origin{Change: change, Author: AuthorAgent}, 1, 2, "base\n", "theirs\n")
			case 4:
				for _, h := range d.Hunks(StateConflict) {
					_ = d.Resolve(h.ID, TakeMine)
				}
			case 5:
				d.Reload(d.Text().Replace(0, 0, "\n"), Origin{Change: change, Author: AuthorUser})
			}
			d.Settle(time.Now().Add(time.Hour))
		}
	}
	work(d, "before")
	for range 5 {
		before, base := d.Text().String(), d.Baseline().String()
		c, u := d.Clone(), d.Clone()
		var wg sync.WaitGroup
		wg.Go(func() { work(c, "clone") })
		work(d, "here")
		wg.Wait()
		if u.Text().String() != before || u.Baseline().String() != base {
			t.Fatal("a clone changed by itself")
		}
		for _, s := range []*Doc{c, d, u} {
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
