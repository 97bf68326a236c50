package review

import (
	"fmt"
	"slices"
	"testing"
)

// A copy has the same hunks under other ids, and nothing decided in the one is in the other.
func TestCopyAs(t *testing.T) {
	d := newScript(t, "1\n2\n3\n4\n5\n")
	d.agent("a", "ONE\n2\n3\n4\n5\n")
	d.agent("b", "ONE\n2\nTHREE\n4\n5\n")
	d.agent("b", "ONE\n2\nTHREE\n4\nFIVE\n")
	d.Reject(ids(d.pending())[2:])
	d.AddConflict(agent("c"), 3, 4, "4\n", "FOUR\n")
	n := 0
	c := script{d.CopyAs(func() ChangeID { n++; return ChangeID(fmt.Sprint("n", n)) }), t, d.clock}
	c.check()
	c.want("ONE|2|THREE|4|5|", "1|2|3|4|5|")
	c.wantHunks(StatePending, "[0,1) ONE| <- 1|", "[2,3) THREE| <- 3|")
	if n != 2 || len(c.Hunks()) != 2 {
		t.Errorf("%d names, hunks %+v", n, c.Hunks())
	}
	for _, id := range ids(c.pending()) {
		if slices.Contains(ids(d.pending()), id) {
			t.Errorf("both have %s", id)
		}
	}
	c.rejectAll()
	c.want("1|2|3|4|5|", "1|2|3|4|5|")
	d.want("ONE|2|THREE|4|5|", "1|2|3|4|5|")
	d.acceptAll()
	d.want("ONE|2|THREE|4|5|", "ONE|2|THREE|4|5|")
	c.user("ONE\n2\nTHREE\n4\n5\n") // undone, which brings the hunks back
	c.want("ONE|2|THREE|4|5|", "1|2|3|4|5|")
}
