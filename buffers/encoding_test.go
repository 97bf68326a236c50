package buffers

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"acp-ls/buffers/text"
)

// Codings of texts of some letters, each with those that it has.
var codingsOfTests = []struct {
	name, letters string
	encode        func(s string) []byte
}{
	{"Latin 1", "a\u00e9\u00e8 \n", func(s string) (b []byte) {
		for _, r := range s {
			b = append(b, byte(r))
		}
		return b
	}},
	{"KOI8", "a\u0430\u0431 \n", table(map[rune]string{'\u0430': "\xc1", '\u0431': "\xc2"})},
	{"Shift JIS", "a\u8868\uff71\u3042\n", table(map[rune]string{'\u8868': "\x95\x5c", '\uff71': "\xb1", '\u3042': "\x82\xa0"})},
	{"EUC-JP", "a\u8868\u4e02\u3042\n", table(map[rune]string{'\u8868': "\xc9\xbd", '\u4e02': "\x8f\xb0\xa1", '\u3042': "\xa4\xa2"})},
	{"GB 18030", "a\u4e2d\u00e3\u6587\n", table(map[rune]string{'\u4e2d': "\xd6\xd0", '\u00e3': "\x81\x30\x8a\x37", '\u6587': "\xce\xc4"})},
	{"Big5", "a\u529f\u4e2d\n", table(map[rune]string{'\u529f': "\xa5\x5c", '\u4e2d': "\xa4\xa4"})},
	{"UTF-16LE", "a\u00e9\U0001f600\n", wide(binary.LittleEndian)},
	{"UTF-16BE", "a\u00e9\U0001f600\n", wide(binary.BigEndian)},
	{"UTF-32LE", "a\u00e9\U0001f600\n", func(s string) (b []byte) {
		for _, r := range s {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
		}
		return b
	}},
}

func table(of map[rune]string) func(string) []byte {
	return func(s string) (b []byte) {
		for _, r := range s {
			if code, ok := of[r]; ok {
				b = append(b, code...)
			} else {
				b = append(b, byte(r))
			}
		}
		return b
	}
}

func wide(order binary.AppendByteOrder) func(string) []byte {
	return func(s string) (b []byte) {
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return b
	}
}

// Bytes hold the text that they are of, in any encoding and dressed in any way, and no other one: where each character is
// found in it once more than where they differ.
func TestBytesHoldTheirText(t *testing.T) {
	for _, c := range codingsOfTests {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				letters := rapid.StringOfN(rapid.RuneFrom([]rune(c.letters)), 0, 12, -1)
				written, other := c.letters+letters.Draw(t, "written"), c.letters+letters.Draw(t, "other")
				eol := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end")
				e := &EncodedError{bytes: c.encode(strings.ReplaceAll(written, "\n", eol))}
				if strings.HasPrefix(c.name, "UTF") && rapid.Bool().Draw(t, "mark") {
					e.bytes = append(c.encode(bom), e.bytes...)
				}
				same := NormHash(written) == NormHash(other)
				for _, of := range []struct {
					text string
					want bool
				}{
					{written, true}, {bom + written, true}, {strings.ReplaceAll(written, "\n", "\r\n"), true},
					{other, same}, {strings.TrimSuffix(other, "\n"), NormHash(written) == NormHash(strings.TrimSuffix(other, "\n"))},
				} {
					if got := e.Holds(text.New(of.text)); got != of.want {
						t.Fatalf("%q, of %q, holds %q: %v, want %v", e.bytes, written, of.text, got, of.want)
					}
				}
			})
		})
	}
}

// What the bytes of a file tell of its encoding.
func TestCodingOf(t *testing.T) {
	for b, want := range map[string]Coding{
		"": CodingUTF8, "a\n": CodingUTF8, "\u00e9": CodingUTF8, "a\x00b": CodingUTF8,
		bom: CodingMarked, bom + "a": CodingMarked,
		"caf\xe9\n": CodingBytes, "\xff": CodingBytes, bom + "\xe9": CodingBytes,
		"\xff\xfea\x00": "UTF-16LE", "\xfe\xff\x00a": "UTF-16BE", "\xff\xfe": "UTF-16LE", "\xfe\xff\x4e\x2d": "UTF-16BE",
		"\xff\xfe\x00\x00a\x00\x00\x00": "UTF-32LE", "\x00\x00\xfe\xff\x00\x00\x00a": "UTF-32BE",
		"a\x00b\x00": "UTF-16LE without a mark", "\x00a\x00b": "UTF-16BE without a mark",
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR": CodingNone, "\xff\xfe\xfdA\n": CodingNone, "\xfe\xffa": CodingNone,
	} {
		if got := CodingOf([]byte(b)); got != want {
			t.Errorf("%q: %s, want %s", b, got, want)
		}
	}
}
