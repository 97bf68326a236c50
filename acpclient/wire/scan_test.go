package wire

import (
	"testing"

	"pgregory.net/rapid"
)

// plainSkipString is skipString, one byte at a time.
func plainSkipString(d []byte, i int) int {
	for j := i + 1; j < len(d); j++ {
		switch d[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return -1
}

func TestSkipString(t *testing.T) {
	piece := rapid.SampledFrom([]string{`"`, `\`, `\"`, `\\`, "a", "name", "a longer piece", "#", "]", "\xa2\xdc", "é", "\x00"})
	rapid.Check(t, func(t *rapid.T) {
		d := []byte(`{"`)
		for _, p := range rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces") {
			d = append(d, p...)
		}
		if got, want := skipString(d, 1), plainSkipString(d, 1); got != want {
			t.Fatalf("%q: the string ends at %d, not %d", d, want, got)
		}
	})
}
