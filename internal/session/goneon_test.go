package session

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What git has put there is git's also where it, or somebody else, has gone on before that is
// asked for: what was undecided is listed as rejected, and is back when it is.
func TestGitsHandWhenTheDiskHasGoneOn(t *testing.T) {
	t.Parallel()
	two := strings.Replace(ten, "2\n", "TWO\n", 1)
	other := strings.Replace(ten, "9\n", "NINE\n", 1)
	for name, tt := range map[string]struct {
		first, then func(t *testing.T, root, path string)
		want        string // pending hunks, each with the turn
	}{
		"a stash, and back": {
			func(t *testing.T, root, _ string) { gitIn(t, root, "stash", "-q") },
			func(t *testing.T, root, _ string) { gitIn(t, root, "stash", "pop", "-q") },
			"s1.1 2|>TWO|",
		},
		"a reset, and written on": {
			func(t *testing.T, root, _ string) { gitIn(t, root, "reset", "-q", "--hard") },
			func(t *testing.T, _, path string) { writeFile(t, path, other) },
			"s1.2 9|>NINE|",
		},
		"the last commit, and back": {
			func(t *testing.T, root, _ string) {
				gitIn(t, root, "commit", "-qam", "x")
				gitIn(t, root, "checkout", "-q", "HEAD^")
			},
			func(t *testing.T, root, path string) { gitIn(t, root, "checkout", "-q", "-") },
			"s1.1 2|>TWO|",
		},
	} {
		for _, open := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				gitInit(t, root)
				f := c.file(buffers.Path(path))
				if open {
					e.open(uri, ten)
					awaitLook(t, f)
				}
				reads := func() {
					if open {
						e.readAnew(uri, path)
						if err := f.findOut(t.Context()); err != nil {
							t.Error(err)
						}
					}
				}
				steps(t, c, l, func() { writeFile(t, path, two); reads() })
				steps(t, c, l, func() {
					tt.first(t, root, path)
					disk, err := buffers.ReadDisk(f.path)
					if err != nil {
						t.Error(err)
					}
					if !open {
						tt.then(t, root, path)
						if hand := f.gitsHand(t.Context(), disk, f.tracked()); !hand.took {
							t.Errorf("not git's: %+v", hand)
						}
						return
					}
					var once sync.Once
					n := 0
					f.mu.Lock()
					c.read = func(p buffers.Path) (buffers.Disk, error) {
						disk, err := buffers.ReadDisk(p)
						if n++; n == 2 { // it is believed
							once.Do(func() { tt.then(t, root, path) })
						}
						return disk, err
					}
					f.mu.Unlock()
					reads()
					if got := c.Reviews(uri, "", review.StateRejected); len(got) != 1 || len(got[0].Hunks) != 1 || got[0].Hunks[0].Text != "TWO\n" {
						t.Errorf("rejected are %+v", got)
					}
					reads()
				})
				if !open {
					return
				}
				var got []string
				for _, h := range hunksOf(t, c, uri) {
					got = append(got, h.Origins[0].Turn+" "+strings.ReplaceAll(h.BaseText+">"+h.Text, "\n", "|"))
				}
				if s := strings.Join(got, " "); s != tt.want {
					t.Errorf("hunks %q, want %q", s, tt.want)
				}
			})
		}
	}
}

// An editor that reads a file anew by itself may have read what the disk had when nobody else
// looked, and what it has now: both are the agent's.
func TestReadAnewTwice(t *testing.T) {
	t.Parallel()
	first := strings.Replace(ten, "2\n", "TWO\n", 1)
	then := strings.Replace(first, "9\n", "NINE\n", 1)
	for name, looked := range map[string]bool{"nobody looked between": false, "somebody looked between": true} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path, uri := e.openTen(root)
			f := c.file(buffers.Path(path))
			steps(t, c, l, func() {
				s := c.allSessions()[0]
				s.looking <- struct{}{} // what the user has typed would be merged with the disk
				defer func() { <-s.looking }()
				f.ops <- struct{}{} // nobody finds anything out
				writeFile(t, path, first)
				e.readAnew(uri, path)
				writeFile(t, path, then)
				if looked {
					<-f.ops
					if err := f.findOut(t.Context()); err != nil {
						t.Error(err)
					}
					f.ops <- struct{}{}
				}
				e.readAnew(uri, path)
				<-f.ops
			})
			if base, err := c.Baseline(uri); err != nil || base != ten {
				t.Errorf("baseline %q, %v", base, err)
			}
			if got := hunksOf(t, c, uri); len(got) != 2 {
				t.Errorf("hunks %+v", got)
			}
		})
	}
}

// What the user types while the disk is written is theirs, however often the disk is.
func TestTypedWhileTheDiskIsWritten(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path, uri := e.openTen(root)
	f := c.file(buffers.Path(path))
	steps(t, c, l, func() {
		e.typeAt(uri, 0, 0, "mine\n")
		writeFile(t, path, strings.Replace(ten, "5\n", "FIVE\n", 1))
		if err := f.findOut(t.Context()); err != nil {
			t.Error(err)
		}
		e.typeAt(uri, 0, 0, "more\n")
		writeFile(t, path, strings.Replace(ten, "5\n", "FUENF\n", 1))
		e.typeAt(uri, 0, 0, "and more\n")
	})
	if base, err := c.Baseline(uri); err != nil || base != "and more\nmore\nmine\n"+ten {
		t.Errorf("baseline %q, %v", base, err)
	}
	if got := hunksOf(t, c, uri); len(got) != 1 || got[0].Text != "FUENF\n" {
		t.Errorf("hunks %+v", got)
	}
}
