package linediff

// A long text is mostly one that was edited here and there. To find the edits the library
// makes two copies of all of it and puts each row into a map, and then finds the rows that
// are left in their order. So a long text goes to the library only where there is a choice:
// where edits could as well begin a few rows earlier or later.

const (
	// nearEdits is up to how many rows that both texts have may be deleted and inserted.
	nearEdits = 400

	// placeRows is how many rows around an edit have a say in which place is best.
	placeRows = 25
)

// sparse is dense for long texts, faster where they are near to each other.
func sparse(a, b []string) []Edit {
	x, y, ok := number(a, b)
	if !ok {
		return dense(a, b)
	}
	gone, added := make([]bool, len(a)), make([]bool, len(b))
	xs, xAt := matched(x, gone)
	ys, yAt := matched(y, added)
	start, end := trim(xs, ys)
	xs, xAt = xs[start:len(xs)-end], xAt[start:len(xAt)-end]
	ys, yAt = ys[start:len(ys)-end], yAt[start:len(yAt)-end]
	delA, insB, near := script(nearEdits, xs, ys)
	if !near {
		return dense(a, b)
	}
	for _, i := range delA {
		gone[xAt[i]] = true
	}
	for _, j := range insB {
		added[yAt[j]] = true
	}
	return place(a, b, editsOf(gone, added))
}

// nowhere is the number of a row that the other text has not.
const nowhere = ^uint64(0)

// maxProbes bounds, for each row, the work of numbering it, on average. It takes a text made
// for it to reach that.
const maxProbes = 16

// number numbers the rows, equal ones alike, with nowhere for those that only one text has. It
// reports false if that would take too long.
func number(a, b []string) (x, y []uint64, ok bool) {
	hashA, hashB := hashes(a), hashes(b)
	x, y = make([]uint64, len(a)), make([]uint64, len(b))
	size := 16
	for size < 2*len(a) {
		size *= 2
	}
	mask := uint64(size - 1)
	table := make([]int32, size) // by hash: one more than the index of the first such row of a; 0: none
	probes := maxProbes * (len(a) + len(b))
	find := func(row string, hash uint64) (slot uint64, first int32) {
		for slot = hash & mask; ; slot = (slot + 1) & mask {
			first = table[slot] - 1
			if probes--; first < 0 || hashA[first] == hash && a[first] == row || probes < 0 {
				return slot, first
			}
		}
	}
	for i, row := range a {
		slot, first := find(row, hashA[i])
		if first < 0 {
			first = int32(i)
			table[slot] = first + 1
		}
		x[i] = uint64(first)
	}
	shared := make([]bool, len(a))
	for i, row := range b {
		_, first := find(row, hashB[i])
		if first < 0 {
			y[i] = nowhere
			continue
		}
		y[i] = uint64(first)
		shared[first] = true
	}
	for i, first := range x {
		if !shared[first] {
			x[i] = nowhere
		}
	}
	return x, y, probes >= 0
}

// matched returns the rows that the other text has too, and where they are. Of the others it
// notes that they changed.
func matched(rows []uint64, changed []bool) (out []uint64, at []int) {
	out, at = make([]uint64, 0, len(rows)), make([]int, 0, len(rows))
	for i, row := range rows {
		if row == nowhere {
			changed[i] = true
			continue
		}
		out, at = append(out, row), append(at, i)
	}
	return out, at
}

// editsOf returns the edits that take out the rows of gone and put in those of added.
func editsOf(gone, added []bool) []Edit {
	var edits []Edit
	for i, j := 0, 0; i < len(gone) || j < len(added); {
		e := Edit{A0: i, B0: j}
		for i < len(gone) && gone[i] {
			i++
		}
		for j < len(added) && added[j] {
			j++
		}
		if e.A1, e.B1 = i, j; e.A0 < i || e.B0 < j {
			edits = append(edits, e)
			continue
		}
		i++
		j++
	}
	return edits
}

// place finds the best places for edits that have several. Those, with the edits they could
// meet, are compared again, with the rows around them.
func place(a, b []string, edits []Edit) []Edit {
	// reach[i] is how many rows edit i may need above it and below it, if it is compared again.
	type reach struct {
		again       bool
		above, down int
	}
	reaches := make([]reach, len(edits))
	gap := func(i int) int { // the rows above edit i, up to the one before
		if i == 0 {
			return edits[0].A0
		}
		if i == len(edits) {
			return len(a) - edits[i-1].A1
		}
		return edits[i].A0 - edits[i-1].A1
	}
	for i, e := range edits {
		up := max(slideUp(a, e.A0, e.A1, gap(i)), slideUp(b, e.B0, e.B1, gap(i)))
		down := max(slideDown(a, e.A0, e.A1, gap(i+1)), slideDown(b, e.B0, e.B1, gap(i+1)))
		reaches[i] = reach{up+down > 0, up + placeRows, down + placeRows}
	}
	for i := 1; i < len(edits); i++ {
		if reaches[i-1].again && reaches[i-1].down > gap(i) {
			reaches[i].again = true
		}
	}
	for i := len(edits) - 1; i > 0; i-- {
		if reaches[i].again && reaches[i].above > gap(i) {
			reaches[i-1].again = true
		}
	}
	out := make([]Edit, 0, len(edits))
	add := func(e Edit) {
		if last := len(out) - 1; last >= 0 && out[last].A1 == e.A0 { // both have come to where one part ends
			out[last].A1, out[last].B1 = e.A1, e.B1
			return
		}
		out = append(out, e)
	}
	for i := 0; i < len(edits); {
		if !reaches[i].again {
			add(edits[i])
			i++
			continue
		}
		first := i
		for i++; i < len(edits) && reaches[i].again && reaches[i-1].down+reaches[i].above > gap(i); i++ {
		}
		last := i - 1
		above, down := min(reaches[first].above, gap(first)), min(reaches[last].down, gap(i))
		fromA, fromB := edits[first].A0-above, edits[first].B0-above
		for _, e := range dense(a[fromA:edits[last].A1+down], b[fromB:edits[last].B1+down]) {
			add(Edit{e.A0 + fromA, e.A1 + fromA, e.B0 + fromB, e.B1 + fromB})
		}
	}
	return out
}

// slideUp returns by how many rows, at most limit, rows[from:to] could begin earlier and be
// the same edit.
func slideUp(rows []string, from, to, limit int) int {
	n := 0
	for from < to && n < limit && rows[from-1-n] == rows[to-1-n] {
		n++
	}
	return n
}

// slideDown returns by how many rows, at most limit, rows[from:to] could begin later.
func slideDown(rows []string, from, to, limit int) int {
	n := 0
	for from < to && n < limit && rows[from+n] == rows[to+n] {
		n++
	}
	return n
}
