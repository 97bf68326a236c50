package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The oracle: what a Text has to say about a string, said by the shortest code that can be right.

func naiveRows(s string) (rows []string) { // with terminators; at least one
	for {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			return append(rows, s)
		}
		i++
		if strings.HasPrefix(s[i-1:], "\r\n") {
			i++
		}
		rows, s = append(rows, s[:i]), s[i:]
	}
}

func naiveStart(s string, offset int) int {
	start := 0
	for i := range s {
		if i <= offset {
			start = i
		}
	}
	if offset == len(s) {
		return offset
	}
	return start
}

func naiveUTF16(s string) (units int) {
	for _, r := range s {
		units++
		if r > 0xffff {
			units++
		}
	}
	return units
}

// checkText compares every answer of text with the oracle's.
func checkText(t interface {
	Helper()
	Fatalf(string, ...any)
}, text Text, want string) {
	t.Helper()
	checkTree(t, text)
	if got := text.String(); got != want {
		t.Fatalf("String() = %q, want %q", got, want)
	}
	var b strings.Builder
	if n, err := text.WriteTo(&b); n != int64(len(want)) || err != nil || b.String() != want {
		t.Fatalf("WriteTo = %d, %v, %q; want %q", n, err, b.String(), want)
	}
	rows := naiveRows(want)
	if text.Len() != len(want) || text.LineCount() != len(rows) || text.UTF16Len() != naiveUTF16(want) ||
		text.RuneCount() != utf8.RuneCountInString(want) {
		t.Fatalf("%q: Len %d, LineCount %d, UTF16Len %d, RuneCount %d", want,
			text.Len(), text.LineCount(), text.UTF16Len(), text.RuneCount())
	}
	if text.FeedCount() != strings.Count(want, "\n") {
		t.Fatalf("%q: FeedCount %d", want, text.FeedCount())
	}
	if text.Hash() != HashString(want) {
		t.Fatalf("%q: Hash %v, want %v", want, text.Hash(), HashString(want))
	}
	lf := strings.ReplaceAll(strings.ReplaceAll(want, "\r\n", "\n"), "\r", "\n")
	if text.HashRows() != HashString(lf) {
		t.Fatalf("%q: HashRows %v, want %v", want, text.HashRows(), HashString(lf))
	}
	at := 0
	var bare []string
	for i, row := range rows {
		content := strings.TrimRight(row, "\r\n")
		bare = append(bare, content)
		if text.LineStart(i) != at || text.LineEnd(i) != at+len(content) || text.LineWithEnd(i) != row || text.Line(i) != content {
			t.Fatalf("%q: row %d: start %d, end %d, %q, %q; want %d, %d, %q", want, i,
				text.LineStart(i), text.LineEnd(i), text.LineWithEnd(i), text.Line(i), at, at+len(content), row)
		}
		for k := range row {
			if got := text.LineOf(at + k); got != i {
				t.Fatalf("%q: LineOf(%d) = %d, want %d", want, at+k, got, i)
			}
		}
		at += len(row)
	}
	if text.LineOf(at) != len(rows)-1 || text.LineStart(len(rows)) != at {
		t.Fatalf("%q: end: row %d, start %d", want, text.LineOf(at), text.LineStart(len(rows)))
	}
	for _, r := range [][2]int{{0, len(rows)}, {len(rows) / 3, len(rows)}, {0, len(rows) / 2}, {len(rows) / 3, len(rows) / 2}} {
		got := text.Lines(r[0], r[1])
		if strings.Join(got, "\x00") != strings.Join(bare[r[0]:r[1]], "\x00") || len(got) != r[1]-r[0] {
			t.Fatalf("%q: Lines(%d, %d) = %q", want, r[0], r[1], got)
		}
	}
	feeds := 0
	for offset := 0; offset <= len(want); offset++ {
		if text.FeedsBefore(offset) != feeds {
			t.Fatalf("%q: FeedsBefore(%d) = %d, want %d", want, offset, text.FeedsBefore(offset), feeds)
		}
		if offset == 0 || want[offset-1] == '\n' {
			if text.FeedStart(feeds) != offset {
				t.Fatalf("%q: FeedStart(%d) = %d, want %d", want, feeds, text.FeedStart(feeds), offset)
			}
		}
		if offset < len(want) && want[offset] == '\n' {
			feeds++
		}
		start := naiveStart(want, offset)
		if got := text.RuneStart(offset); got != start {
			t.Fatalf("%q: RuneStart(%d) = %d, want %d", want, offset, got, start)
		}
		units, runes := naiveUTF16(want[:start]), utf8.RuneCountInString(want[:start])
		if text.UTF16Offset(offset) != units || text.RuneOffset(offset) != runes {
			t.Fatalf("%q: offset %d: UTF-16 %d, rune %d; want %d, %d", want, offset,
				text.UTF16Offset(offset), text.RuneOffset(offset), units, runes)
		}
		if text.UTF16Byte(units) != start || text.RuneByte(runes) != start {
			t.Fatalf("%q: unit %d at %d, rune %d at %d; want %d", want, units, text.UTF16Byte(units), runes, text.RuneByte(runes), start)
		}
		if _, size := utf8.DecodeRuneInString(want[start:]); size == 4 && text.UTF16Byte(units+1) != start {
			t.Fatalf("%q: middle of the pair at %d gives %d", want, start, text.UTF16Byte(units+1))
		}
	}
}

// checkTree verifies what the tree promises itself.
func checkTree(t interface {
	Helper()
	Fatalf(string, ...any)
}, text Text) {
	t.Helper()
	var prev string
	var walk func(n *node) (sums, int)
	walk = func(n *node) (sums, int) {
		if n.left == nil {
			if n.chunk == "" || n.height != 0 || n.right != nil {
				t.Fatalf("bad leaf %+v", n)
			}
			if i := len(prev); safeCut(prev+n.chunk, i) != i {
				t.Fatalf("border divides %q | %q", prev, n.chunk)
			}
			prev = n.chunk
			if got := sumsOf(n.chunk); got != n.sums {
				t.Fatalf("leaf %q has %+v, want %+v", n.chunk, n.sums, got)
			}
			return n.sums, 0
		}
		ls, lh := walk(n.left)
		rs, rh := walk(n.right)
		if lh-rh > 1 || rh-lh > 1 || n.height != max(lh, rh)+1 || n.sums != ls.plus(rs) {
			t.Fatalf("bad node: height %d of %d and %d, sums %+v of %+v and %+v", n.height, lh, rh, n.sums, ls, rs)
		}
		return n.sums, n.height
	}
	if text.root != nil {
		walk(text.root)
	}
}

func TestSumsOf(t *testing.T) {
	for s, want := range map[string]sums{
		"":                 {},
		"a":                {1, 0, 0, 1, 1},
		"a\n":              {2, 1, 1, 2, 2},
		"\r\n\r\r\n\n":     {6, 4, 3, 6, 6},
		"é😀":               {6, 0, 0, 3, 2},
		"\xc3":             {1, 0, 0, 1, 1},
		"\xf0\x9f\x98":     {3, 0, 0, 3, 3},
		"\xed\xa0\x80":     {3, 0, 0, 3, 3}, // a surrogate is not UTF-8
		"12345678é12345😀x": {20, 0, 0, 17, 16},
	} {
		if got := sumsOf(s); got != want {
			t.Errorf("sumsOf(%q) = %+v, want %+v", s, got, want)
		}
	}
}
