package crashtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A row is a line of a file; no two have the same text.
type row struct {
	text  string
	agent bool // put in by the agent, undecided
	gone  bool // taken out by the agent, undecided
	back  bool // the user has brought it back, and the agent knows
}

func (r row) plain() bool { return !r.agent && !r.gone }

// rows is what a file is made of.
type rows []row

func (m rows) text() string {
	var b strings.Builder
	for _, r := range m {
		if !r.gone {
			b.WriteString(r.text + "\n")
		}
	}
	return b.String()
}

func (m rows) baseline() string {
	var b strings.Builder
	for _, r := range m {
		if !r.agent {
			b.WriteString(r.text + "\n")
		}
	}
	return b.String()
}

// withoutGone is a baseline without the user's own rows that the agent has taken out.
func (m rows) withoutGone(baseline, text string) string {
	for _, r := range m {
		if r.gone && strings.HasPrefix(r.text, "user") && !strings.Contains(text, r.text+"\n") {
			baseline = strings.Replace(baseline, r.text+"\n", "", 1)
		}
	}
	return baseline
}

// names makes texts of rows.
type names int

func (n *names) next(kind string) string {
	*n++
	return fmt.Sprintf("%s %d", kind, *n)
}

// agentEdits returns m after an edit of the agent's. It takes out only what was there from the
// beginning: a text without a row that has come since may be made from what was there before,
// and then the row stays.
func (m rows) agentEdits(r *rand.Rand, n *names) rows {
	out := slices.Clone(m)
	for range 1 + r.IntN(3) {
		var old []int
		for i, x := range out {
			if x.plain() && !x.back && strings.HasPrefix(x.text, "old") {
				old = append(old, i)
			}
		}
		i := r.IntN(len(out))
		take := len(old) > 6 && r.IntN(3) > 0
		if take {
			i = old[r.IntN(len(old))]
			out[i].gone = true
		}
		if !take || r.IntN(2) == 0 {
			for i++; i < len(out) && out[i].gone; i++ {
			}
			out = slices.Insert(out, i, row{text: n.next("agent"), agent: true})
		}
	}
	return out
}

// userTypes returns m with a row of the user's, away from what is undecided, for there the
// place it has in the baseline is a matter of taste; and where in the text it was put in. It
// may take a row out as well.
func (m rows) userTypes(r *rand.Rand, n *names) (out rows, before string) {
	var free []int
	for i := 1; i < len(m); i++ {
		if m[i-1].plain() && m[i].plain() {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return nil, ""
	}
	i := free[r.IntN(len(free))]
	return slices.Insert(slices.Clone(m), i, row{text: n.next("user")}), m[i].text + "\n"
}

// decided returns m after a decision on a hunk that has these rows.
func (m rows) decided(h hunk, accept bool) rows {
	in := func(text, row string) bool { return slices.Contains(strings.Split(text, "\n"), row) }
	var out rows
	for _, x := range m {
		switch {
		case x.agent && in(h.Text, x.text):
			if !accept {
				continue
			}
			x.agent = false
		case x.gone && in(h.BaseText, x.text):
			if accept {
				continue
			}
			x.gone, x.back = false, true
		}
		out = append(out, x)
	}
	return out
}

// A state is what a file may be found as, and what must be known of it then.
type state struct {
	text, baseline string
	hunks          []string // as listed before; nil if nobody looked
	m              rows
}

func (m rows) state() state { return state{text: m.text(), baseline: m.baseline(), m: m} }

// acceptedSince is m with what was accepted by the time of later.
func (m rows) acceptedSince(later rows) rows {
	var out rows
	for _, r := range m {
		i := slices.IndexFunc(later, func(x row) bool { return x.text == r.text })
		switch {
		case r.gone && i < 0:
			continue
		case r.agent && i >= 0 && later[i].plain():
			r.agent = false
		}
		out = append(out, r)
	}
	return out
}
