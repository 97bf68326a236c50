package session

import (
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// An agent may make anew what was taken back, by hand or by a decision, once it has read the
// text without: what it writes then is nearest to what it had made, or read, before. With that as
// the base only the rest of such a write would land.

// butTakenBack is the text that rows were made of, if of all that the agent has seen list[base] is
// the nearest to them. What it has read since is that, when it sent a write that has arrived then, if
// it leaves out nothing that was new in it. Else it is the nearest one, without what the agent has
// read to be taken back. Rows of the user's own among those are not in that either: that the write
// has other ones there is a conflict.
func butTakenBack(rows []string, list []sighting, base int, arrived uint64) text.Text {
	b := list[base]
	newest := len(list) - 1
	for newest > base && (list[newest].may || list[newest].put || list[newest].order >= arrived) {
		newest--
	}
	if newest <= base || b.order == 0 || list[newest].change != "" {
		return b.text
	}
	if keepsNew(rows, list, newest) {
		return list[newest].text
	}
	had, has := rowsSeen(list, func(s sighting) bool { return s.first < b.order && !s.text.Equal(b.text) }), rowsSeen(list, func(s sighting) bool { return s.order == b.order })
	put := map[string]bool{} // by the agent itself
	for _, s := range list {
		if s.change == "" {
			continue
		}
		before := rowsSeen(list, func(o sighting) bool { return o.first < s.first })
		for _, row := range linesOf(s.text) {
			put[row] = put[row] || !before[row] && !isBlank(row)
		}
	}
	from, to := rowsWithEnds(b.text), rowsWithEnds(list[newest].text)
	was, is := linesOf(b.text), linesOf(list[newest].text)
	isOld := func(row string) bool { return had[row] || isBlank(row) }
	isBack := func(row string) bool { return had[row] && !has[row] && !isBlank(row) }
	isTaken := func(row string) bool { return put[row] || !isOld(row) }
	var out strings.Builder
	keep := func(rows []string) {
		for _, row := range rows {
			out.WriteString(row)
		}
	}
	at := 0
	for _, e := range linediff.Diff(was, is) {
		keep(from[at:e.A0])
		at = e.A1
		gone, come := was[e.A0:e.A1], is[e.B0:e.B1]
		allOld := !slices.ContainsFunc(come, func(row string) bool { return !isOld(row) })
		if !slices.ContainsFunc(come, isBack) && !(allOld && slices.ContainsFunc(gone, isTaken)) {
			keep(from[e.A0:e.A1])
			continue
		}
		for i, row := range come {
			if isOld(row) {
				keep(to[e.B0+i : e.B0+i+1])
			}
		}
	}
	keep(from[at:])
	return text.New(out.String())
}

// rowsSeen are the rows of those of the texts of list that in picks.
func rowsSeen(list []sighting, in func(sighting) bool) map[string]bool {
	rows := map[string]bool{}
	for _, s := range list {
		if in(s) {
			for _, row := range linesOf(s.text) {
				rows[row] = true
			}
		}
	}
	return rows
}

// keepsNew reports whether rows leave out nothing that was new in list[later] when the agent saw
// that.
func keepsNew(rows []string, list []sighting, later int) bool {
	is := linesOf(list[later].text)
	old := rowsSeen(list[:later], func(sighting) bool { return true })
	for _, e := range linediff.Diff(is, rows) {
		if slices.ContainsFunc(is[e.A0:e.A1], func(row string) bool { return !old[row] }) {
			return false
		}
	}
	return true
}
