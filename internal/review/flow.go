package review

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// flowed says what became of old rows in one new row (rule c).
type flowed struct {
	from int // the first old row with text in it, -1 if there is none

	ins   mark   // whose it is, if it still holds an agent's text
	id    uint64 // of the agent's row, for the first new row that holds its text
	user  []span // the rest of its text
	alone bool   // the agent's row flowed into no other row, and nothing else into this one
	back  []back // plain rows that flowed into it, to be kept in the baseline, in their order

	moved bool   // it is an old row, or was one, that stands here now
	told  bool   // where its words go in the baseline is told already (carry)
	tomb  uint64 // of a plain row: the deleted row that its first word of those was in, 0 if there is none
	upTo  int    // the rows of the window in front of it that are not in the text stand above it
	below bool   // nothing stood in front of that word there
	based bool   // of a plain row: the baseline has had all its words
}

// back is a row of the baseline, or what of it, that is in an agent's: row of of the window.
type back struct {
	row
	of int
}

// flow returns where the texts of news came from: rows olds, all in the text, were replaced by
// them. With agents the new text is the agent's wherever it meets an agent's. reached is how many
// new rows hold text of each old row, if any of those is an agent's.
func flow(olds []row, news []string, agents bool) (out []flowed, reached []int) {
	out, reached = make([]flowed, len(news)), make([]int, len(olds))
	for k := range out {
		out[k].from = -1
	}
	marked := false
	for _, r := range olds {
		marked = marked || r.ins != 0
	}
	if !marked {
		if len(olds) == len(news) {
			for k := range out {
				out[k].from = k
			}
		}
		return out, reached
	}
	if len(olds) == 1 && len(news) == 1 && sameInk(olds[0].text, news[0]) {
		r := olds[0]
		out[0] = flowed{from: 0, ins: r.ins, id: r.id, user: moveInk(r, news[0]), alone: true}
		return out, []int{1}
	}
	into := pieces(olds, news)
	used := map[uint64]bool{}
	for k, ps := range into {
		f := &out[k]
		var agent []span
		touched := map[int]bool{}
		for _, p := range ps {
			r := olds[p.row]
			if isBlank(r.text[p.old:p.old+p.n]) && r.ins == 0 {
				continue
			}
			if f.from < 0 {
				f.from = p.row
			}
			if !touched[p.row] {
				touched[p.row] = true
				reached[p.row]++
			}
			if r.ins == 0 {
				continue
			}
			for _, s := range without(span{p.old, p.old + p.n}, r.user) {
				agent = append(agent, span{s.from - p.old + p.new, s.to - p.old + p.new})
				if f.ins == 0 && !isBlank(r.text[s.from:s.to]) {
					f.ins, f.from = r.ins, p.row
				}
			}
		}
		if f.ins == 0 {
			continue
		}
		if r := olds[f.from]; !used[r.id] {
			f.id, used[r.id] = r.id, true
		}
		f.alone = len(touched) == 1
		if !agents {
			f.user = without(span{0, len(news[k])}, agent)
			continue
		}
		for _, p := range ps {
			user := olds[p.row].user
			if olds[p.row].ins == 0 {
				user = []span{{0, len(olds[p.row].text)}}
			}
			for _, s := range clip(user, p.old, p.old+p.n) {
				f.user = append(f.user, span{s.from - p.old + p.new, s.to - p.old + p.new})
			}
		}
	}
	for k := range out {
		out[k].alone = out[k].alone && reached[out[k].from] == 1
	}
	return out, reached
}

// piece is a part of an old row that is found again in a new row.
type piece struct {
	row         int // of the old rows
	old, new, n int // where it begins in either row, and its length
}

// pieces returns what of the old rows is found in each of the new ones, in order.
func pieces(olds []row, news []string) [][]piece {
	out := make([][]piece, len(news))
	a, b := strings.Join(texts(olds), "\n"), strings.Join(news, "\n")
	i, start := 0, 0    // old row, and where it begins in a
	k, newStart := 0, 0 // the same in b
	for _, p := range survivors(a, b) {
		for p.n > 0 {
			for start+len(olds[i].text) < p.old {
				start += len(olds[i].text) + 1
				i++
			}
			for newStart+len(news[k]) < p.new {
				newStart += len(news[k]) + 1
				k++
			}
			n := min(p.n, start+len(olds[i].text)-p.old, newStart+len(news[k])-p.new)
			if n > 0 {
				out[k] = append(out[k], piece{row: i, old: p.old - start, new: p.new - newStart, n: n})
			}
			n++ // the line feed
			p.old, p.new, p.n = p.old+n, p.new+n, p.n-n
		}
	}
	return out
}

// without returns the parts of s that are in none of the ascending spans not.
func without(s span, not []span) []span {
	var out []span
	for _, x := range not {
		if x.to <= s.from || x.from >= s.to {
			continue
		}
		if x.from > s.from {
			out = append(out, span{s.from, x.from})
		}
		s.from = x.to
	}
	if s.from < s.to {
		out = append(out, s)
	}
	return out
}

// clip returns the parts of spans that lie in [from, to).
func clip(spans []span, from, to int) []span {
	var out []span
	for _, s := range spans {
		if f, t := max(s.from, from), min(s.to, to); f < t {
			out = append(out, span{f, t})
		}
	}
	return out
}

// moveInk returns the user's spans of r in s, which differs from r's text in white space only.
func moveInk(r row, s string) []span {
	var out []span
	for _, u := range r.user {
		from := ink(r.text[:u.from])
		n := ink(r.text[u.from:u.to])
		if n > 0 {
			out = append(out, span{inkAt(s, from), inkAt(s, from+n-1) + 1})
		}
	}
	return out
}

// inkAt returns where byte number n of s that is not white space stands.
func inkAt(s string, n int) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			if n < size {
				return i + n
			}
			n -= size
		}
		i += size
	}
	return len(s)
}
