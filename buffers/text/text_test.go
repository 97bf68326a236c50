package text

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// pieces are what text is made of where it hurts: terminators and their halves, sequences and their halves.
var pieces = []string{
	"a", "bc", "word ", "\n", "\r", "\r\n", "\n\r", "é", "€", "😀", "\xc3", "\xa9", "\xf0", "\x9f", "\x98", "\x80",
	"\xf0\x9f", "\x98\x80", "\xe2\x82", "\xac", "\xed\xa0\x80", "\x00", "\ufeff", "12345678", "a long row without an end, ",
}

func genString(maxPieces int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, maxPieces).Draw(t, "pieces"), "")
	})
}

// TestReplaceAgainstString runs random edits with tiny chunks, so that every edit is near a border, and keeps every
// text it passed through to see that none of them ever changes.
func TestReplaceAgainstString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{6, 8, 13, 40, 1 << 10}).Draw(t, "limit")
		want := genString(30).Draw(t, "start")
		text := Text{build(want, limit)}
		var texts []Text
		var wants []string
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			texts, wants = append(texts, text), append(wants, want)
			start := rapid.IntRange(0, len(want)).Draw(t, "start")
			end := start + rapid.IntRange(0, min(30, len(want)-start)).Draw(t, "length")
			s := genString(rapid.SampledFrom([]int{1, 2, 20}).Draw(t, "size")).Draw(t, "new")
			text = text.replace(start, end, s, limit)
			want = want[:start] + s + want[end:]
			checkText(t, text, want)
			if !text.Equal(New(want)) {
				t.Fatalf("not equal to a new text of the same bytes")
			}
		}
		for i := range texts {
			if texts[i].String() != wants[i] {
				t.Fatalf("an earlier text has changed")
			}
			for k := range texts {
				if got := texts[i].Equal(texts[k]); got != (wants[i] == wants[k]) {
					t.Fatalf("Equal(%q, %q) = %v", wants[i], wants[k], got)
				}
			}
			start := rapid.IntRange(0, len(wants[i])).Draw(t, "start")
			end := rapid.IntRange(start, len(wants[i])).Draw(t, "end")
			if got := texts[i].Slice(start, end); got != wants[i][start:end] {
				t.Fatalf("Slice(%d, %d) = %q", start, end, got)
			}
		}
	})
}

// TestReplaceAtRealSizes does the same through the public door, with chunks as they are in use.
func TestReplaceAtRealSizes(t *testing.T) {
	block := strings.Repeat("plain row\nrow with é and 😀\r\n\rlone\n", 40)
	rapid.Check(t, func(t *rapid.T) {
		want := strings.Repeat(block, rapid.IntRange(0, 8).Draw(t, "blocks"))
		text := New(want)
		for range rapid.IntRange(1, 10).Draw(t, "edits") {
			start := rapid.IntRange(0, len(want)).Draw(t, "start")
			end := start + rapid.IntRange(0, min(rapid.SampledFrom([]int{0, 3, 3000, 20000}).Draw(t, "most"), len(want)-start)).Draw(t, "length")
			s := genString(3).Draw(t, "new") + strings.Repeat(block, rapid.SampledFrom([]int{0, 0, 0, 1, 5}).Draw(t, "pasted"))
			text = text.Replace(start, end, s)
			want = want[:start] + s + want[end:]
		}
		checkTree(t, text)
		rows := naiveRows(want)
		if text.String() != want || text.LineCount() != len(rows) || text.UTF16Len() != naiveUTF16(want) || text.Hash() != HashString(want) {
			t.Fatalf("text differs from the string")
		}
		row := rapid.IntRange(0, len(rows)-1).Draw(t, "row")
		if text.LineWithEnd(row) != rows[row] {
			t.Fatalf("row %d = %q, want %q", row, text.LineWithEnd(row), rows[row])
		}
	})
}

// TestTypingKeepsTheTreeSmall types and deletes a lot, and expects chunks that are neither crumbs nor giants.
func TestTypingKeepsTheTreeSmall(t *testing.T) {
	text := New("")
	count := func() (leaves int) {
		for range text.Chunks(0, text.Len()) {
			leaves++
		}
		return leaves
	}
	for i := range 60_000 {
		text = text.Replace(i, i, "x")
	}
	if n := count(); n > 4*60_000/chunkLimit(60_000) {
		t.Errorf("%d chunks for 60,000 bytes typed", n)
	}
	var borders []int
	for chunk := range text.Chunks(0, text.Len()) {
		borders = append(borders, len(chunk))
	}
	end := text.Len()
	for _, size := range slices.Backward(borders) { // hollow out each chunk, from the last on
		text = text.Replace(end-size+4, end-4, "")
		end -= size
	}
	checkTree(t, text)
	if n := count(); n > 2+5*text.Len()/chunkLimit(text.Len()) {
		t.Errorf("%d chunks for %d bytes left", n, text.Len())
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb", uint16(2), uint16(2), "x", uint8(0))
	f.Add("a\rb\nc", uint16(2), uint16(3), "", uint8(0))
	f.Add("\xf0\x9f\x98\x80", uint16(1), uint16(2), "", uint8(1))
	f.Add("\xf0\x9f\x98", uint16(3), uint16(3), "\x80", uint8(1))
	f.Add(strings.Repeat("ab\r\n", 20), uint16(7), uint16(9), "\n\r", uint8(3))
	f.Add("", uint16(0), uint16(0), strings.Repeat("é😀", 20), uint8(3))
	f.Fuzz(func(t *testing.T, s string, from, to uint16, repl string, size uint8) {
		if len(s) > 300 || len(repl) > 300 {
			t.Skip("the oracle is quadratic")
		}
		limit := 6 + int(size)%40
		start := int(from) % (len(s) + 1)
		end := start + int(to)%(len(s)-start+1)
		text := Text{build(s, limit)}
		checkText(t, text, s)
		edited := text.replace(start, end, repl, limit)
		checkText(t, edited, s[:start]+repl+s[end:])
		back := edited.replace(start, start+len(repl), s[start:end], limit)
		checkText(t, back, s)
		if !back.Equal(text) || back.Hash() != text.Hash() {
			t.Fatalf("the edit and its inverse do not give the same text")
		}
	})
}

func TestZeroText(t *testing.T) {
	var text Text
	checkText(t, text, "")
	checkText(t, New(""), "")
	checkText(t, text.Replace(0, 0, ""), "")
	checkText(t, text.Replace(0, 0, "a\n"), "a\n")
	checkText(t, New("a\n").Replace(0, 2, ""), "")
	if !text.Equal(New("x").Replace(0, 1, "")) {
		t.Error("an emptied text is not equal to the zero value")
	}
}

func TestOutOfRangePanics(t *testing.T) {
	text := New("a\nb")
	for name, f := range map[string]func(){
		"Slice reversed":   func() { text.Slice(2, 1) },
		"Slice negative":   func() { text.Slice(-1, 1) },
		"Slice beyond":     func() { text.Slice(0, 4) },
		"Replace beyond":   func() { text.Replace(4, 4, "") },
		"Line beyond":      func() { text.Line(2) },
		"Line negative":    func() { text.Line(-1) },
		"LineStart beyond": func() { text.LineStart(3) },
		"LineEnd beyond":   func() { text.LineEnd(2) },
		"LineOf beyond":    func() { text.LineOf(4) },
		"Lines beyond":     func() { text.Lines(0, 3) },
		"Lines reversed":   func() { text.Lines(2, 1) },
		"UTF16Byte beyond": func() { text.UTF16Byte(4) },
		"RuneByte beyond":  func() { text.RuneByte(4) },
		"Chunks beyond":    func() { text.Chunks(0, 4) },
		"FeedStart beyond": func() { text.FeedStart(2) },
		"FeedsBefore":      func() { text.FeedsBefore(4) },
		"zero Text Slice":  func() { Text{}.Slice(0, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}

type failingWriter struct{ left int }

var errFull = errors.New("full")

func (w *failingWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWriteToReportsTheWriter(t *testing.T) {
	text := Text{build(strings.Repeat("x", 100), 8)}
	if n, err := text.WriteTo(&failingWriter{left: 50}); n != 50 || !errors.Is(err, errFull) {
		t.Errorf("WriteTo = %d, %v", n, err)
	}
}

// TestHashIsThePolynomial computes the published formula with big integers. Stored hashes depend on it: if this test
// fails, the code is wrong, not the test.
func TestHashIsThePolynomial(t *testing.T) {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 61), big.NewInt(1))
	polynomial := func(s string, base int64) uint64 {
		h := new(big.Int)
		for i := range len(s) {
			h.Mul(h, big.NewInt(base)).Add(h, big.NewInt(int64(s[i])+1)).Mod(h, p)
		}
		return h.Uint64()
	}
	for _, s := range []string{"", "\x00", "\x00\x00", "a", "acp", strings.Repeat("\xff", 1000), strings.Repeat("row é😀\r\n", 999)} {
		want := digest{h1: polynomial(s, 0x0f3a91c57d264be9), h2: polynomial(s, 0x1b74e02d58a3c617)}.hash()
		if HashString(s) != want || New(s).Hash() != want {
			t.Errorf("%.20q: HashString %v, New.Hash %v, want %v", s, HashString(s), New(s).Hash(), want)
		}
	}
	if got, want := HashString("acp").String(), "1af45ca8a3c364fa0bbafb001c231c06"; got != want {
		t.Errorf("hash of %q = %s, want %s for all time", "acp", got, want)
	}
}

func TestMulAddIsReduced(t *testing.T) {
	for _, c := range []struct{ a, b, hi, lo uint64 }{
		{0, 0, 0, mersenne},
		{1, mersenne - 1, 0, 1},
		{mersenne - 1, mersenne - 1, 0, 0},
		{mersenne - 1, mersenne - 1, 1<<58 - 1, 1<<64 - 1},
	} {
		want := new(big.Int).Mul(new(big.Int).SetUint64(c.a), new(big.Int).SetUint64(c.b))
		want.Add(want, new(big.Int).Lsh(new(big.Int).SetUint64(c.hi), 64)).Add(want, new(big.Int).SetUint64(c.lo))
		want.Mod(want, big.NewInt(mersenne))
		if got := mulAdd(c.a, c.b, c.hi, c.lo); got != want.Uint64() {
			t.Errorf("mulAdd(%d, %d, %d, %d) = %d, want %d", c.a, c.b, c.hi, c.lo, got, want)
		}
	}
}

func TestHashMarshals(t *testing.T) {
	h := HashString("some text")
	b, err := json.Marshal(h)
	if err != nil || string(b) != `"`+h.String()+`"` {
		t.Fatalf("Marshal = %s, %v", b, err)
	}
	var back Hash
	if err := json.Unmarshal(b, &back); err != nil || back != h {
		t.Errorf("Unmarshal = %v, %v", back, err)
	}
	for _, bad := range []string{"", "00", strings.Repeat("g", 32), strings.Repeat("0", 34)} {
		if err := new(Hash).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a hash", bad)
		}
	}
}

// TestConcurrentReaders is for the race detector: hashes are remembered inside shared nodes.
func TestConcurrentReaders(t *testing.T) {
	base := New(strings.Repeat("one row of many\n", 2000))
	want := HashString(base.String())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			text := base
			for i := range 50 {
				if text.Hash() == want != (i == 0) {
					t.Error("wrong hash")
				}
				text = text.Replace(i*100, i*100, "x")
			}
		})
	}
	wg.Wait()
}
