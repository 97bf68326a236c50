package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What an earlier turn has left undecided goes along with a file that a later one renames, and what
// was accepted, or is the user's, is not undecided again.
func TestWhatIsUndecidedGoesAlong(t *testing.T) {
	two := strings.Replace(ten, "2\n", "TWO\n", 1)
	both := strings.Replace(two, "8\n", "EIGHT\n", 1)
	chmod := func(t *testing.T, path string, mode os.FileMode) {
		if err := os.Chmod(path, mode); err != nil {
			t.Error(err)
		}
	}
	for name, tt := range map[string]struct {
		first, then func(t *testing.T, c *Core, path string)
		hunks       int
		mode        string
		rejected    string // what the file has then; empty: what it had
	}{
		"rows of both": {
			first: func(t *testing.T, _ *Core, path string) { writeFile(t, path, two) },
			then:  func(t *testing.T, _ *Core, path string) { writeFile(t, path, both) },
			hunks: 2,
		},
		"rows that were accepted": {
			first: func(*testing.T, *Core, string) {},
			then: func(t *testing.T, c *Core, path string) {
				writeFile(t, path, two)
				s := c.allSessions()[0]
				c.turnPoint(s, s.now())
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
			},
			rejected: two,
		},
		"a mode": {
			first: func(t *testing.T, _ *Core, path string) { chmod(t, path, 0o755) },
			then:  func(*testing.T, *Core, string) {},
			mode:  "+x",
		},
		"a mode of the same turn": {
			first: func(*testing.T, *Core, string) {},
			then:  func(t *testing.T, _ *Core, path string) { chmod(t, path, 0o755) },
			mode:  "+x",
		},
		"a mode that is put back": {
			first: func(t *testing.T, _ *Core, path string) { chmod(t, path, 0o755) },
			then:  func(t *testing.T, _ *Core, path string) { chmod(t, path, 0o644) },
		},
		"a mode and rows": {
			first: func(t *testing.T, _ *Core, path string) { writeFile(t, path, two); chmod(t, path, 0o755) },
			then:  func(t *testing.T, _ *Core, path string) { writeFile(t, path, both) },
			hunks: 2, mode: "+x",
		},
	} {
		for _, looked := range []string{"", ", looked at", ", looked at when it was gone"} {
			t.Run(name+looked, func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				old, path := filepath.Join(root, "a"), filepath.Join(root, "b")
				writeFile(t, old, ten)
				turnOf(t, c, l, func(Host, string) { tt.first(t, c, old) })
				turnOf(t, c, l, func(Host, string) {
					tt.then(t, c, old)
					look := func() { s := c.allSessions()[0]; c.turnPoint(s, s.now()) }
					if looked != "" {
						look()
					}
					out := root + ".out"
					if err := os.Rename(old, out); err != nil {
						t.Error(err)
					}
					if strings.Contains(looked, "gone") {
						look()
					}
					if err := os.Rename(out, path); err != nil {
						t.Error(err)
					}
				})
				rs := c.Reviews("", "")
				if len(rs) != 1 || rs[0].File == nil || rs[0].File.Op != "rename" || rs[0].File.Mode != tt.mode {
					for _, r := range rs {
						t.Errorf("%s: %+v, %d hunks", r.Path, r.File, len(r.Hunks))
					}
					t.FailNow()
				}
				if got := len(hunksOf(t, c, buffers.PathURI(path), review.StatePending)); got != tt.hunks {
					t.Errorf("%d hunks, want %d", got, tt.hunks)
				}
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Errorf("%+v, %v", d, err)
				}
				want := ten
				if tt.rejected != "" {
					want = tt.rejected
				}
				if got := readFile(t, old); got != want || isThere(buffers.Path(path)) {
					t.Errorf("%q, want %q", got, want)
				}
				if info, err := os.Stat(old); err != nil || info.Mode()&0o111 != 0 {
					t.Errorf("%v, %v", info, err)
				}
			})
		}
	}
}

// Of a large text that is not known a rename is one of the file as a whole, also when it was rejected
// and is brought back.
func TestLargeTextThatIsNotKnownIsRenamedAgain(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	old, path := filepath.Join(root, "a"), filepath.Join(root, "b")
	writeFile(t, old, strings.Repeat(ten, 100_000))
	turnOf(t, c, l, func(Host, string) {
		if err := os.Rename(old, path); err != nil {
			t.Error(err)
		}
	})
	for range 2 {
		rs := c.Reviews("", "")
		if len(rs) != 1 || rs[0].File == nil || rs[0].File.Op != "rename" || rs[0].File.Opaque != "large" || len(rs[0].Hunks) > 0 {
			t.Fatalf("%+v", rs)
		}
		if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || !isThere(buffers.Path(old)) {
			t.Fatalf("%+v, %v", d, err)
		}
		if d, err := c.Restore(t.Context(), Decide{Hunks: []string{rs[0].File.ID}}); err != nil || len(d.Refused) > 0 || !isThere(buffers.Path(path)) {
			t.Fatalf("%+v, %v", d, err)
		}
	}
}

// A text that is renamed while it is looked at, in whatever moment of that, is one that is renamed.
func TestRenamedAsItIsRead(t *testing.T) {
	for size, rows := range map[string]int{"large": 20_000, "small": 20} {
		for reads := range 3 {
			t.Run(fmt.Sprintf("%s, %d", size, reads), func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				old, path := filepath.Join(root, "a"), filepath.Join(root, "b")
				was := strings.Repeat(strings.Repeat("f", 79)+"\n", rows) + ten
				writeFile(t, old, was)
				move := sync.OnceFunc(func() {
					if err := os.Rename(old, path); err != nil {
						t.Error(err)
					}
				})
				var armed atomic.Bool
				var read atomic.Int32
				c.read = func(p buffers.Path) (buffers.Disk, error) {
					if string(p) == old && armed.Load() && read.Add(1) > int32(reads) {
						move()
					}
					return buffers.ReadDisk(p)
				}
				turnOf(t, c, l, func(h Host, sid string) {
					if err := h.WriteTextFile(t.Context(), sid, old, strings.Replace(was, "2\n", "TWO\n", 1)); err != nil {
						t.Error(err)
					}
				})
				turnOf(t, c, l, func(Host, string) {
					armed.Store(true)
					s := c.allSessions()[0]
					c.turnPoint(s, s.now())
					if move(); read.Load() == 0 {
						t.Error("it was not read")
					}
				})
				rs := c.Reviews("", "")
				if len(rs) != 1 || len(rs[0].Hunks) != 1 || rs[0].File == nil || rs[0].File.Op != "rename" || rs[0].File.Opaque != "" {
					for _, r := range rs {
						t.Errorf("%s: %d hunks, %+v", r.Path, len(r.Hunks), r.File)
					}
				}
			})
		}
	}
}

// A file that is deleted comes back with the mode that it had before an agent changed that.
func TestDeletedFileComesBackWithItsMode(t *testing.T) {
	for _, same := range []bool{true, false} {
		l := &fakeLauncher{}
		c, _, root := setup(t, l)
		path := filepath.Join(root, "a")
		writeFile(t, path, ten)
		gone := func(Host, string) { remove(t, path) }
		turnOf(t, c, l, func(h Host, sid string) {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Error(err)
			}
			s := c.allSessions()[0]
			if c.turnPoint(s, s.now()); same {
				gone(h, sid)
			}
		})
		if !same {
			turnOf(t, c, l, gone)
		}
		if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
			t.Errorf("%+v, %v", d, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode()&0o111 != 0 {
			t.Errorf("%v, %v", info, err)
		}
	}
}
