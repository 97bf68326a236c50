package checkpoint

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What a checkpoint leaves out, as there is too much of it, its note says.
func TestLimitsAreSaid(t *testing.T) {
	for name, tc := range map[string]struct {
		limit *int
		makes func(git func(...string), put func(string)) // more than two
		then  func(put func(string))                      // when the checkpoint was taken
		says  string
	}{
		"repositories inside": {&maxInner, func(git func(...string), put func(string)) {
			for i := range 3 {
				git("init", "-q", fmt.Sprint("inner", i))
				put(fmt.Sprintf("inner%d/f", i))
			}
		}, nil, "more than 2 repositories and submodules inside"},
		"files git is told not to look at": {&maxUnseen, func(git func(...string), put func(string)) {
			for i := range 3 {
				put(fmt.Sprint("f", i))
				git("add", fmt.Sprint("f", i))
				git("update-index", "--skip-worktree", fmt.Sprint("f", i))
			}
		}, nil, "not to look at more than 2 files"},
		"newly ignored files": {&maxNewlyIgnored, func(_ func(...string), put func(string)) {
			for i := range 3 {
				put(fmt.Sprint("out/f", i))
			}
		}, func(put func(string)) { put(".gitignore") }, "git ignore more than 2 files"},
	} {
		for _, over := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, over %v", name, over), func(t *testing.T) {
				top := t.TempDir()
				git := func(args ...string) {
					t.Helper()
					if out, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput(); err != nil {
						t.Fatalf("git %v: %v\n%s", args, err, out)
					}
				}
				put := func(name string) {
					t.Helper()
					name = filepath.Join(top, name)
					if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(name, []byte("/out/\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				was := *tc.limit
				defer func() { *tc.limit = was }()
				*tc.limit = 3
				if over {
					*tc.limit = 2
				}
				git("init", "-q")
				tc.makes(git, put)
				c, err := Take(t.Context(), buffers.Path(resolved(top)), nil, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if tc.then != nil {
					tc.then(put)
				}
				for range 2 {
					if _, err := c.Changes(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if n := strings.Count(c.Note(), tc.says); over && n != 1 || !over && c.Note() != "" {
					t.Errorf("%q", c.Note())
				}
			})
		}
	}
}
