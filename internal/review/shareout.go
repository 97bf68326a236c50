package review

import "slices"

// shareOut has rows that the user put between two of an agent's part what those took the place
// of, too: of the deleted rows, which an agent that rewrites several at once leaves in front of
// all it put in, those go below that the agent's rows below stand for. Else one hunk would give
// back all of it and the other one nothing.
func shareOut(rows []row) []row {
	for i := 0; i < len(rows); i++ {
		if !rows[i].fresh {
			continue
		}
		end := i + 1
		for end < len(rows) && rows[end].fresh {
			end++
		}
		if i > 0 && end < len(rows) && rows[i-1].agents() && rows[end].agents() {
			rows = shareAt(rows, i, end)
		}
		i = end
	}
	return rows
}

// shareAt is shareOut for the rows [from, to) of the user's.
func shareAt(rows []row, from, to int) []row {
	around := append(slices.Clone(rows[:from]), rows[to:]...)
	replaced := replacedRows(around, from)
	if len(replaced.tombs) == 0 {
		return rows
	}
	below := replaced.tombs[replaced.goesBelow(around, from):]
	if len(below) == 0 {
		return rows
	}
	out := make([]row, 0, len(rows))
	for i, r := range rows[:from] {
		if !slices.Contains(below, i) {
			out = append(out, r)
		}
	}
	out = append(out, rows[from:to]...)
	for _, i := range below {
		out = append(out, rows[i])
	}
	return append(out, rows[to:]...)
}

// goesBelow returns how many of the deleted rows stay above a row that is put in front of the
// agent's row i: up to the one that the nearest row below stands for; if that cannot be said,
// those up to the one that the nearest row above stands for, and else one for each row above.
func (r replacement) goesBelow(rows []row, i int) int {
	tombs, news := r.tombs, r.news
	k, _ := slices.BinarySearch(news, i)
	above, below := -1, -1
	for i := k - 1; i >= max(0, k-nearby) && above < 0; i-- {
		above = slices.Index(tombs, r.standsFor(rows, news[i]))
	}
	for i := k; i < min(len(news), k+nearby) && below < 0; i++ {
		below = slices.Index(tombs, r.standsFor(rows, news[i]))
	}
	switch {
	case below >= 0:
		return max(below, above+1)
	case above >= 0:
		return above + 1
	}
	return min(k, len(tombs))
}
