package buffers

import "acp-ls/buffers/text"

// replaceAll returns the step from t to the text s, so small that both ends of the texts are kept: nobody wants a whole
// file for a changed word. The range divides no CRLF pair and no UTF-8 sequence of either text.
func replaceAll(t text.Text, s string) Step {
	start := commonPrefix(t, s)
	if start == t.Len() && start == len(s) {
		return Step{t, start, start, start}
	}
	tail := commonSuffix(t, s, min(t.Len(), len(s))-start)
	for start > 0 && !(whole(t, start) && wholeString(s, start)) {
		start--
	}
	for tail > 0 && !(whole(t, t.Len()-tail) && wholeString(s, len(s)-tail)) {
		tail--
	}
	oldEnd, newEnd := t.Len()-tail, len(s)-tail
	return Step{t.Replace(start, oldEnd, s[start:newEnd]), start, oldEnd, newEnd}
}

// commonPrefix returns the number of bytes that t and s begin with alike.
func commonPrefix(t text.Text, s string) int {
	n := 0
	for chunk := range t.Chunks(0, min(t.Len(), len(s))) {
		if chunk != s[n:n+len(chunk)] {
			for i := range len(chunk) {
				if chunk[i] != s[n+i] {
					return n + i
				}
			}
		}
		n += len(chunk)
	}
	return n
}

// commonSuffix returns the number of bytes, at most limit, that t and s end with alike.
func commonSuffix(t text.Text, s string, limit int) int {
	const block = 4 << 10
	n := 0
	for n < limit {
		size := min(block, limit-n)
		end := t.Len() - n
		was, now := t.Slice(end-size, end), s[len(s)-n-size:len(s)-n]
		if was == now {
			n += size
			continue
		}
		for i := size - 1; was[i] == now[i]; i-- {
			n++
		}
		break
	}
	return n
}

// whole reports whether a cut of t at offset divides neither a CRLF pair nor a UTF-8 sequence.
func whole(t text.Text, offset int) bool {
	if t.RuneStart(offset) != offset {
		return false
	}
	return offset == 0 || offset == t.Len() || t.Slice(offset-1, offset+1) != "\r\n"
}

// wholeString is whole for a string.
func wholeString(s string, offset int) bool {
	from := max(offset-4, 0) // nothing that a cut can divide is longer
	return whole(text.New(s[from:min(offset+4, len(s))]), offset-from)
}
