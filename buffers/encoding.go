package buffers

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"acp-ls/buffers/text"
)

// EncodedError is the ErrNotUTF8 of a file that was read.
type EncodedError struct {
	Sum  string      // of its bytes: SHA-256, in hex
	Info fs.FileInfo // nil if unknown

	bytes []byte
}

func (e *EncodedError) Error() string { return ErrNotUTF8.Error() }

func (e *EncodedError) Is(target error) bool { return target == ErrNotUTF8 }

// Encoded returns the EncodedError that err is, or nil.
func Encoded(err error) *EncodedError {
	var e *EncodedError
	if !errors.As(err, &e) {
		return nil
	}
	return e
}

// SumOf returns the sum of the bytes of a file that could not be read as text, of which err says so.
func SumOf(err error) (sum string, encoded bool) {
	e := Encoded(err)
	if e == nil {
		return "", false
	}
	return e.Sum, true
}

// AsEncoded is the error of a file that can be read as text, for whoever knows that its editor reads it in another encoding.
func (d Disk) AsEncoded() *EncodedError {
	sum := sha256.Sum256([]byte(d.Content))
	return &EncodedError{Sum: hex.EncodeToString(sum[:]), Info: d.Info, bytes: []byte(d.Content)}
}

// Bytes are what the file has.
func (e *EncodedError) Bytes() string { return string(e.bytes) }

// Text is what the file has as UTF-8, if it is that all the same: see AsEncoded.
func (e *EncodedError) Text() (disk Disk, ok bool) {
	return Disk{true, string(e.bytes), e.Info}, isText(e.bytes)
}

// Coding is what the bytes of a file tell of the encoding that its editor finds them in.
type Coding string

const (
	CodingUTF8   Coding = "UTF-8"
	CodingMarked Coding = "UTF-8 with a mark"
	CodingBytes  Coding = "not UTF-8" // another one of which ASCII is a part: which one only an editor can know
	CodingNone   Coding = "no text"   // such bytes as no text has
)

// IsText reports whether acp-ls reads the file itself.
func (c Coding) IsText() bool { return c == CodingUTF8 || c == CodingMarked }

// The encodings of Unicode in units of two and four bytes, of which a file has the byte order mark. That of four
// little-endian bytes begins as the one of two does, and so comes first.
var marks = []struct {
	mark, coding string
	unit         int
}{
	{"\xff\xfe\x00\x00", "UTF-32LE", 4}, {"\x00\x00\xfe\xff", "UTF-32BE", 4}, {"\xff\xfe", "UTF-16LE", 2}, {"\xfe\xff", "UTF-16BE", 2},
}

// CodingOf tells the encoding of bytes.
func CodingOf(b []byte) Coding {
	for _, m := range marks {
		if bytes.HasPrefix(b, []byte(m.mark)) && len(b)%m.unit == 0 {
			return Coding(m.coding)
		}
	}
	switch {
	case isText(b) && bytes.HasPrefix(b, []byte(bom)):
		return CodingMarked
	case isText(b):
		return CodingUTF8
	case isWide(b):
		return Coding([]string{"UTF-16BE without a mark", "UTF-16LE without a mark"}[bytes.IndexByte(b, 0)&1])
	case bytes.IndexByte(b, 0) >= 0, bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return CodingNone // not as Unicode has them, in units of two bytes or more
	}
	return CodingBytes
}

// CodingRead tells the encoding of a file that was read, of which err may be the EncodedError; ok: it was.
func CodingRead(disk Disk, err error) (c Coding, ok bool) {
	if e := Encoded(err); e != nil {
		return CodingOf(e.bytes), true
	}
	return CodingOf([]byte(disk.Content)), err == nil && disk.Exists
}

// Holds reports whether the bytes of the file are t in an encoding, leaving aside what NormHash does. Which encoding a file
// has only its editor knows, and there is no table of any here; but bytes that can be read as a text, character by
// character, were written as that text. It may be false of bytes that are the text, in an encoding that is built in another
// way. It is true of bytes that are another one only where that differs in characters that are not ASCII, in each place where
// they are.
func (e *EncodedError) Holds(t text.Text) bool {
	for _, next := range encodings {
		if encodes(e.bytes, next, t) {
			return true
		}
	}
	return false
}

// encoding takes apart the first character of bytes: size is 0 if they do not begin with one. Which one it is, is not known
// of an encoding without a table, but for ASCII: code is negative then, and another one for each character.
type encoding func(b []byte) (code int64, size int)

// encodings are those in which files of text are found: Unicode in units of two and four bytes; and those of which ASCII is a
// part, with one byte a character or, in East Asia, more.
var encodings = []encoding{
	units2(binary.LittleEndian), units2(binary.BigEndian), units4(binary.LittleEndian), units4(binary.BigEndian),
	oneByte,
	ascii(func(b []byte) int { // Shift JIS, with kana of one byte
		if b[0] >= 0xa1 && b[0] <= 0xdf {
			return 1
		}
		return 2
	}),
	ascii(func(b []byte) int { // EUC
		if b[0] == 0x8f {
			return 3
		}
		return 2
	}),
	ascii(func(b []byte) int { // GB 18030, GBK and Big5
		if len(b) > 1 && b[1] >= '0' && b[1] <= '9' {
			return 4
		}
		return 2
	}),
}

// oneByte is that of ISO 8859, Windows, KOI8, IBM and Mac.
var oneByte = ascii(func([]byte) int { return 1 })

func units2(order binary.ByteOrder) encoding {
	return func(b []byte) (int64, int) {
		if len(b) < 2 {
			return 0, 0
		}
		r := rune(order.Uint16(b))
		if !utf16.IsSurrogate(r) {
			return int64(r), 2
		}
		if len(b) < 4 {
			return 0, 0
		}
		return int64(utf16.DecodeRune(r, rune(order.Uint16(b[2:])))), 4
	}
}

func units4(order binary.ByteOrder) encoding {
	return func(b []byte) (int64, int) {
		if len(b) < 4 {
			return 0, 0
		}
		return int64(order.Uint32(b)), 4
	}
}

// ascii is an encoding of which ASCII is a part; size is how many bytes any other character has.
func ascii(size func(b []byte) int) encoding {
	return func(b []byte) (code int64, n int) {
		if len(b) == 0 {
			return 0, 0
		}
		if b[0] < utf8.RuneSelf {
			return int64(b[0]), 1
		}
		if n = size(b); len(b) < n {
			return 0, 0
		}
		for i, c := range b[:n] {
			if i > 0 && c < '0' {
				return 0, 0 // none has a blank or a line end there
			}
			code = code<<8 - int64(c)
		}
		return code, n
	}
}

// encodes reports whether b is t in an encoding, leaving aside what NormHash does. Where that does not say which character a
// code is, one stands for the same one everywhere.
func encodes(b []byte, next encoding, t text.Text) bool {
	if code, n := next(b); code == '\ufeff' {
		b = b[n:]
	}
	read := func() (code int64, ok bool) {
		code, n := next(b)
		if b = b[n:]; code == '\r' {
			if after, n := next(b); after == '\n' {
				b = b[n:]
			}
			code = '\n'
		}
		return code, n > 0
	}
	of, in := map[int64]rune{}, map[rune]int64{}
	var last int64
	t = withoutEnds(t)
	for chunk := range t.Chunks(0, t.Len()) {
		for len(chunk) > 0 {
			r, n := utf8.DecodeRuneInString(chunk)
			if chunk = chunk[n:]; r == '\r' {
				chunk, r = strings.TrimPrefix(chunk, "\n"), '\n'
			}
			code, ok := read()
			switch {
			case !ok:
				return false
			case code >= 0 || r < utf8.RuneSelf:
				if code != int64(r) {
					return false
				}
			case in[r] == 0 && of[code] == 0:
				in[r], of[code] = code, r
			case in[r] != code || of[code] != r:
				return false
			}
			last = code
		}
	}
	if len(b) == 0 {
		return last != '\n' // the final line end, of which the text has one more
	}
	code, _ := read()
	return code == '\n' && len(b) == 0
}
