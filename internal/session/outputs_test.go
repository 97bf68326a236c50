package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Of whatever a terminal writes, in whatever parts, the end is kept, and no more memory.
func TestOutputsKeepTheEnd(t *testing.T) {
	for name, line := range map[string]string{"lines": "a line of it\n", "one line": "äöü…😀", "long lines": strings.Repeat("é", keptOutput/3) + "\n", "line ends": "\n"} {
		for _, size := range []int{0, 1, keptOutput - 1, keptOutput, keptOutput + 1, 2*keptOutput + 1, 9 * keptOutput} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				all := strings.Repeat(line, size/len(line)+1)[:size]
				for !utf8.ValidString(all) {
					all = all[:len(all)-1]
				}
				r := rand.New(rand.NewPCG(uint64(size), 1))
				var kept outputs
				for at := 0; at < len(all); {
					to := min(len(all), at+1+r.IntN(3000))
					for to < len(all) && !utf8.RuneStart(all[to]) {
						to++
					}
					kept.take(TerminalOutput{Terminal: "t", Output: all[at:to]})
					at = to
				}
				kept.take(TerminalOutput{Terminal: "t", Exit: &TerminalExit{}})
				o := kept.of("t")
				end, more := o.end()
				if !strings.HasSuffix(all, string(end)) || !utf8.Valid(end) {
					t.Errorf("%.50q... is not the end", end)
				}
				if more != (len(end) < len(all)) {
					t.Errorf("%d of %d bytes, more: %v", len(end), len(all), more)
				}
				if len(all) <= keptOutput && more || more && len(end) < keptOutput/2-utf8.UTFMax {
					t.Errorf("only %d of %d bytes", len(end), len(all))
				}
				if len(o.text) > 2*keptOutput {
					t.Errorf("%d bytes are held", len(o.text))
				}
			})
		}
	}
}

func TestOutputsAreCounted(t *testing.T) {
	var kept outputs
	for i := range keptOutputs + 5 {
		kept.take(TerminalOutput{Terminal: fmt.Sprint(i), Output: "x"})
	}
	if len(kept) != keptOutputs || kept.of("4") != nil || kept.of("5") == nil {
		t.Errorf("%d are kept", len(kept))
	}
}
