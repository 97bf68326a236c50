package acpclient

import (
	"bytes"
	"unicode/utf8"
)

// terminalOutput is the tail of what a command has written, as valid UTF-8.
// Bytes that are none become U+FFFD. It is not safe for concurrent use.
type terminalOutput struct {
	limit int    // bytes kept
	text  []byte // at most limit plus some slack; its last limit bytes count
	total int64  // bytes of text there have been, dropped ones included
	carry []byte // the start of a character whose rest has not come yet
}

// terminalSlack is how much more than the limit is held before the front is
// dropped, so that not every write moves the whole.
const terminalSlack = 256 << 10

// write takes the next piece of output.
func (o *terminalOutput) write(p []byte) {
	if len(o.carry) > 0 {
		p = append(o.carry, p...)
		o.carry = nil
	}
	if n := incompleteTail(p); n > 0 {
		o.carry = bytes.Clone(p[len(p)-n:])
		p = p[:len(p)-n]
	}
	o.append(p)
}

// finish takes an incomplete character at the end for what it is.
func (o *terminalOutput) finish() {
	p := o.carry
	o.carry = nil
	o.append(p)
}

func (o *terminalOutput) append(p []byte) {
	if !utf8.Valid(p) {
		p = bytes.ToValidUTF8(p, []byte("\uFFFD"))
	}
	o.total += int64(len(p))
	if len(p) > o.limit {
		p = p[len(p)-o.limit:]
	}
	o.text = append(o.text, p...)
	if over := len(o.text) - o.limit; over > terminalSlack || over > 0 && o.limit == 0 {
		o.text = append(o.text[:0], o.text[over:]...)
	}
}

// tail returns at most the last limit bytes, from the start of a character on,
// and whether there was more before them.
func (o *terminalOutput) tail() (text []byte, truncated bool) {
	text = o.text
	if over := len(text) - o.limit; over > 0 {
		text = text[over:]
	}
	text = fromCharacter(text)
	return text, o.total > int64(len(text))
}

// since returns what was written after offset, an earlier total, and how many
// bytes of it are not kept any more.
func (o *terminalOutput) since(offset int64) (text []byte, skipped int64) {
	want := o.total - offset
	text, _ = o.tail()
	if want < int64(len(text)) {
		return text[int64(len(text))-want:], 0
	}
	return text, want - int64(len(text))
}

// fromCharacter drops the rest of a character whose start was cut off.
func fromCharacter(text []byte) []byte {
	for i := range min(len(text), utf8.UTFMax) {
		if utf8.RuneStart(text[i]) {
			return text[i:]
		}
	}
	return text[min(len(text), utf8.UTFMax):]
}

// incompleteTail returns the length of the incomplete character at the end of p.
func incompleteTail(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
