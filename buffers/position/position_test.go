package position

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"acp-ls/buffers/text"
)

var encodings = []Encoding{UTF16, UTF8, UTF32, UTF16 | LFRows, UTF8 | LFRows, UTF32 | LFRows}

// table is the oracle: for each row and column the offset it means, written down one unit at a time.
type table struct {
	offsets [][]int // by row and column; the last column is the end of the row
	end     int
}

func tableOf(s string, e Encoding) table {
	var tab table
	row := []int{}
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch lf := e&LFRows != 0; {
		case !lf && r == '\n' && i > 0 && s[i-1] == '\r':
			continue // the row ended with the CR
		case r == '\n' || !lf && r == '\r':
			tab.offsets = append(tab.offsets, append(row, i))
			row = []int{}
			continue
		}
		units := 1
		if e.columns() == UTF8 {
			units = size
		} else if e.columns() == UTF16 {
			units = len(utf16.Encode([]rune{r}))
		}
		for range units {
			row = append(row, i)
		}
	}
	tab.offsets = append(tab.offsets, append(row, len(s)))
	tab.end = len(s)
	return tab
}

func (tab table) offset(p Position) int {
	if int64(p.Line) >= int64(len(tab.offsets)) {
		return tab.end
	}
	row := tab.offsets[p.Line]
	return row[min(int64(p.Character), int64(len(row)-1))]
}

var pieces = []string{
	"a", "word ", "\n", "\r", "\r\n", "é", "€", "😀", "\xc3", "\xa9", "\xf0\x9f", "\xed\xa0\x80", "\x00", "\ufeff", "\U0010ffff",
	strings.Repeat("0123456789", 60), strings.Repeat("é😀x", 200),
}

func TestAgainstTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		e := rapid.SampledFrom(encodings).Draw(t, "encoding")
		txt, tab := text.New(s), tableOf(s, e)
		for line := range len(tab.offsets) + 2 {
			columns := []int{0, 1, 2, 3, 5, 40, math.MaxInt32, math.MaxUint32}
			if line < len(tab.offsets) {
				n := len(tab.offsets[line])
				columns = append(columns, n-3, n-2, n-1, n, n+1, rapid.IntRange(0, n).Draw(t, "column"))
			}
			for _, column := range columns {
				p := Position{uint32(line), uint32(max(column, 0))}
				got, want := PositionOffset(txt, p, e), tab.offset(p)
				if got != want {
					t.Fatalf("%q: PositionOffset(%v, %v) = %d, want %d", s, p, e, got, want)
				}
				// Going back gives the first column that means this offset.
				back := OffsetPosition(txt, got, e)
				if tab.offset(back) != got || back.Compare(p) > 0 || (back.Character > 0 && tab.offset(Position{back.Line, back.Character - 1}) == got) {
					t.Fatalf("%q: OffsetPosition(%d, %v) = %v, from %v", s, got, e, back, p)
				}
			}
		}
	})
}

func TestEveryOffset(t *testing.T) {
	const s = "a\r\né\r😀\n\xf0\x9f\xa9z"
	for _, c := range []struct {
		offset           int
		utf8, utf16, u32 Position
	}{
		{-1, Position{0, 0}, Position{0, 0}, Position{0, 0}},
		{0, Position{0, 0}, Position{0, 0}, Position{0, 0}},
		{1, Position{0, 1}, Position{0, 1}, Position{0, 1}},
		{2, Position{0, 1}, Position{0, 1}, Position{0, 1}}, // inside CRLF
		{3, Position{1, 0}, Position{1, 0}, Position{1, 0}},
		{4, Position{1, 0}, Position{1, 0}, Position{1, 0}}, // inside é
		{5, Position{1, 2}, Position{1, 1}, Position{1, 1}},
		{6, Position{2, 0}, Position{2, 0}, Position{2, 0}}, // a lone CR ends a row
		{8, Position{2, 0}, Position{2, 0}, Position{2, 0}}, // inside 😀
		{10, Position{2, 4}, Position{2, 2}, Position{2, 1}},
		{11, Position{3, 0}, Position{3, 0}, Position{3, 0}},
		{12, Position{3, 1}, Position{3, 1}, Position{3, 1}}, // a bad byte is one unit
		{14, Position{3, 3}, Position{3, 3}, Position{3, 3}},
		{15, Position{3, 4}, Position{3, 4}, Position{3, 4}},
		{99, Position{3, 4}, Position{3, 4}, Position{3, 4}},
	} {
		for e, want := range map[Encoding]Position{UTF8: c.utf8, UTF16: c.utf16, UTF32: c.u32} {
			if got := OffsetPosition(text.New(s), c.offset, e); got != want {
				t.Errorf("OffsetPosition(%d, %v) = %v, want %v", c.offset, e, got, want)
			}
		}
	}
}

func TestMiddleOfAPairIsItsStart(t *testing.T) {
	txt := text.New("x😀y")
	for e, columns := range map[Encoding][]int{UTF16: {0, 1, 1, 5, 6, 6}, UTF8: {0, 1, 1, 1, 1, 5, 6}, UTF32: {0, 1, 5, 6, 6}} {
		for column, want := range columns {
			if got := PositionOffset(txt, Position{0, uint32(column)}, e); got != want {
				t.Errorf("%v column %d = %d, want %d", e, column, got, want)
			}
		}
	}
}

// TestNeovimInMixedFiles has positions as Neovim sends them, where each "\r" is a character: `:%s/\r//`, and typing behind
// a lone "\r".
func TestNeovimInMixedFiles(t *testing.T) {
	start, end := RangeOffsets(text.New("a\r\nb\nc\r\n"), Range{Position{0, 1}, Position{2, 2}}, UTF16|LFRows)
	if start != 1 || end != 7 {
		t.Errorf("substitution: %d, %d", start, end)
	}
	if got := PositionOffset(text.New("a\rb\nc\n"), Position{1, 1}, UTF16|LFRows); got != 5 {
		t.Errorf("behind a lone CR: %d", got)
	}
}

func TestRanges(t *testing.T) {
	txt := text.New("one\r\ntwo\nthree")
	start, end := RangeOffsets(txt, Range{Position{0, 9}, Position{2, 2}}, UTF16)
	if start != 3 || end != 11 {
		t.Errorf("RangeOffsets = %d, %d", start, end)
	}
	start, end = RangeOffsets(txt, Range{Position{2, 2}, Position{0, 9}}, UTF16)
	if start != 3 || end != 11 {
		t.Errorf("reversed RangeOffsets = %d, %d", start, end)
	}
	start, end = RangeOffsets(txt, Range{Position{1, 1}, Position{1, 1}}, UTF16)
	if start != 6 || end != 6 {
		t.Errorf("empty RangeOffsets = %d, %d", start, end)
	}
	if got, want := OffsetsRange(txt, 3, 11, UTF16), (Range{Position{0, 3}, Position{2, 2}}); got != want {
		t.Errorf("OffsetsRange = %v, want %v", got, want)
	}
	if got, want := OffsetsRange(txt, 6, 6, UTF16), (Range{Position{1, 1}, Position{1, 1}}); got != want {
		t.Errorf("empty OffsetsRange = %v, want %v", got, want)
	}
}

func TestEncodingNames(t *testing.T) {
	for _, e := range encodings {
		if got, err := ParseEncoding(e.columns().String()); got != e.columns() || err != nil {
			t.Errorf("ParseEncoding(%q) = %v, %v", e.String(), got, err)
		}
	}
	if _, err := ParseEncoding("utf-7"); err == nil {
		t.Error("utf-7 is taken for an encoding")
	}
	if got := (UTF8 | LFRows).String(); got != "utf-8 in rows by LF" {
		t.Errorf("rows by LF are called %q", got)
	}
	if got := Encoding(7).String(); got != "Encoding(7)" {
		t.Errorf("unknown encoding is called %q", got)
	}
}

func TestCompare(t *testing.T) {
	want := []Position{{0, 0}, {0, 7}, {1, 0}, {1, 2}, {math.MaxUint32, 0}, {math.MaxUint32, math.MaxUint32}}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Position.Compare)
	if !slices.Equal(got, want) || want[1].Compare(want[1]) != 0 {
		t.Errorf("sorted: %v", got)
	}
}

func FuzzPositionOffset(f *testing.F) {
	f.Add("a\r\n😀b", uint32(1), uint32(1))
	f.Add("\r\r\n\n", uint32(2), uint32(9))
	f.Add(strings.Repeat("é😀", 200), uint32(0), uint32(301))
	f.Fuzz(func(t *testing.T, s string, line, column uint32) {
		txt := text.New(s)
		for _, e := range encodings {
			p := Position{line % uint32(txt.LineCount()+2), column}
			if got, want := PositionOffset(txt, p, e), tableOf(s, e).offset(p); got != want {
				t.Fatalf("%q: PositionOffset(%v, %v) = %d, want %d", s, p, e, got, want)
			}
		}
	})
}

func BenchmarkPositionOffset(b *testing.B) {
	const row = "\tresult, err := store.Apply(modification) // an ordinary row of eighty bytes ...\n"
	for name, c := range map[string]struct {
		s string
		p Position
	}{
		"ascii-row-50MB":  {strings.Repeat(row, 50<<20/len(row)), Position{300_000, 60}},
		"mixed-row-1MB":   {strings.Repeat(strings.Replace(row, "ordinary", "ördinäry 😀", 1), 1<<20/len(row)), Position{6000, 60}},
		"one-row-of-5MB":  {strings.Repeat("0123456789é😀", 5<<20/16), Position{0, 2_000_000}},
		"one-row-of-1kB":  {strings.Repeat("0123456789", 100), Position{0, 900}},
		"past-end-of-row": {strings.Repeat(row, 50<<20/len(row)), Position{300_000, 200}},
	} {
		txt := text.New(c.s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				PositionOffset(txt, c.p, UTF16)
			}
		})
		offset := PositionOffset(txt, c.p, UTF16)
		b.Run(name+"/back", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				OffsetPosition(txt, offset, UTF16)
			}
		})
	}
}
