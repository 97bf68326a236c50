package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What was rejected is said to be that however much it is: of each change where and how large it was.
func TestToldThatMuchWasRejected(t *testing.T) {
	for _, hunks := range []int{1, 3, 3 * maxToldShort} {
		t.Run(fmt.Sprint(hunks), func(t *testing.T) {
			l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
			c, _, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			var before, after strings.Builder
			for i := range hunks {
				fmt.Fprintf(&before, "between %d\nthe same\nold %d\n", i, i)
				fmt.Fprintf(&after, "between %d\nthe same\n", i)
				for range 4 {
					fmt.Fprintf(&after, "new %d %s\n", i, strings.Repeat("x", 2*maxTold/hunks/4))
				}
			}
			small := filepath.Join(root, "z.txt")
			writeFile(t, path, before.String())
			writeFile(t, small, ten)
			turnOf(t, c, l, func(h Host, sid string) {
				for p, s := range map[string]string{path: after.String(), small: strings.Replace(ten, "5\n", "FIVE\n", 1)} {
					if err := h.WriteTextFile(t.Context(), sid, p, s); err != nil {
						t.Error(err)
					}
				}
			})
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
				t.Fatalf("%+v %v", d, err)
			}
			turnOf(t, c, l, func(Host, string) {})
			told := toldOf(l.agents[0], 0)
			part, rest, _ := strings.Cut(told, "## "+string(buffers.Path(small)))
			if !strings.Contains(part, "rejected these changes of yours") || !strings.Contains(part, "4 lines in place of 1 line, near line 3\n") || !strings.Contains(part, "read it again") {
				t.Errorf("%.2000q", part)
			}
			if n := strings.Count(part, "4 lines in place of 1 line"); n != min(hunks, maxToldShort) || strings.Contains(part, fmt.Sprintf("and %d more", hunks-n)) != (hunks > n) {
				t.Errorf("%d changes are told of: %.3000q", n, part)
			}
			if strings.Contains(part, "xxx") || len(part) > 4096 {
				t.Errorf("%d bytes", len(part))
			}
			if !strings.Contains(rest, "-5\n+FIVE") { // there is room for it
				t.Errorf("%q", rest)
			}
		})
	}
}
