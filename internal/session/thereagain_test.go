package session

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Git takes a file away before it writes it anew. Who looks in between has not found it deleted: what
// was undecided and is not there then is listed as rejected, row by row, and comes back with its text.
func TestLookWhileAFileIsWrittenAnew(t *testing.T) {
	t.Parallel()
	two := strings.Replace(ten, "2\n", "TWO\n", 1)
	write := func(t *testing.T, path, content string) { // with the mode that it had
		writeFile(t, path, content)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Error(err)
		}
	}
	for name, tt := range map[string]struct {
		again             func(t *testing.T, root, path string) // the file is there again
		pending, rejected string
	}{
		"by git, as it was committed": {func(t *testing.T, root, _ string) { gitIn(t, root, "reset", "-q", "--hard") }, "", "2|>TWO|"},
		"by git, as it was": {func(t *testing.T, root, path string) {
			write(t, path, two)
			gitIn(t, root, "add", "a")
		}, "2|>TWO|", ""},
		"by the agent": {func(t *testing.T, _, path string) {
			write(t, path, strings.Replace(two, "9\n", "NINE\n", 1))
		}, "2|>TWO| 9|>NINE|", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, _, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			write(t, path, ten)
			gitInit(t, root)
			f := c.file(buffers.Path(path))
			var once sync.Once
			steps(t, c, l, func() { writeFile(t, path, two) }, func() {
				f.mu.Lock()
				c.read = func(p buffers.Path) (buffers.Disk, error) {
					disk, err := buffers.ReadDisk(p)
					if p == f.path && err == nil && !disk.Exists {
						once.Do(func() {
							tt.again(t, root, path)
						})
					}
					return disk, err
				}
				f.mu.Unlock()
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
			})
			for state, want := range map[review.State]string{review.StatePending: tt.pending, review.StateRejected: tt.rejected} {
				for _, r := range c.Reviews(uri, "", state) {
					if r.File != nil {
						t.Errorf("%s: the file as a whole: %+v", state, r.File)
					}
				}
				var got []string
				for _, h := range hunksOf(t, c, uri, state) {
					got = append(got, strings.ReplaceAll(h.BaseText+">"+h.Text, "\n", "|"))
				}
				if s := strings.Join(got, " "); s != want {
					t.Errorf("%s hunks %q, want %q", state, s, want)
				}
			}
		})
	}
}
