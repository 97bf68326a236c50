package session

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What an agent has written and git has put away before anybody looked is undecided when git brings it back, in the
// turn or after it, however the file is open; to reject it gives what there was.
func TestPutAwayBeforeItIsSeen(t *testing.T) {
	t.Parallel()
	two, nine := strings.Replace(ten, "2\n", "TWO\n", 1), strings.Replace(ten, "9\n", "NINE\n", 1)
	type scene struct {
		t    *testing.T
		root string
	}
	at := func(s scene, name string) string { return filepath.Join(s.root, name) }
	git := func(args ...string) func(scene) { return func(s scene) { gitIn(s.t, s.root, args...) } }
	writes := func(name, content string) func(scene) {
		return func(s scene) { writeFile(s.t, at(s, name), content) }
	}
	removes := func(name string) func(scene) {
		return func(s scene) {
			if err := os.Remove(at(s, name)); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		before, turn, after []func(scene)
		want                string // "a": rows that are pending; "a!": the file as a whole
		wantNext            string // in another turn, if that is something else
		left                string // what is left when all is rejected, if it is not what there was before
		closed              bool   // it is a matter of files nobody has open
	}{
		"stashed": {
			turn:  []func(scene){writes("a", two), git("stash", "-q")},
			after: []func(scene){git("stash", "pop", "-q")},
			want:  "a 2|>TWO|",
		},
		"a row less": {
			turn:  []func(scene){writes("a", strings.Replace(ten, "2\n", "", 1)), git("stash", "-q")},
			after: []func(scene){git("stash", "pop", "-q")},
			want:  "a 2|>",
		},
		"stashed twice": {
			turn:  []func(scene){writes("a", two), git("stash", "-q"), writes("a", nine), git("stash", "-q")},
			after: []func(scene){git("stash", "pop", "-q", "stash@{1}"), git("stash", "drop", "-q")},
			want:  "a 2|>TWO|",
		},
		"stashed, and written on": {
			turn:     []func(scene){writes("a", two), git("stash", "-q"), writes("a", nine)},
			after:    []func(scene){git("commit", "-qam", "x"), git("stash", "pop", "-q")},
			want:     "a 2|>TWO|",
			wantNext: "a 2|>TWO| a 9|>NINE|", // what is committed in a turn is not accepted
			left:     nine,
		},
		"stashed, and the same row is written anew": {
			turn:  []func(scene){writes("a", two), git("stash", "-q"), writes("a", strings.Replace(ten, "2\n", "ZWEI\n", 1))},
			after: []func(scene){git("checkout", "-q", "."), git("stash", "pop", "-q")},
			want:  "a 2|>TWO|",
		},
		"with what the user had changed": {
			before: []func(scene){writes("a", nine)},
			turn:   []func(scene){writes("a", strings.Replace(nine, "2\n", "TWO\n", 1)), git("stash", "-q")},
			after:  []func(scene){git("stash", "pop", "-q")},
			want:   "a 2|>TWO|",
		},
		"kept by name": {
			turn:  []func(scene){writes("a", two), git("stash", "-q"), git("stash", "apply", "-q"), git("checkout", "-q", ".")},
			after: []func(scene){git("stash", "apply", "-q")},
			want:  "a 2|>TWO|",
		},
		"committed, and left": {
			turn:  []func(scene){git("checkout", "-q", "-b", "other"), writes("a", two), git("commit", "-qam", "x"), git("checkout", "-q", "-")},
			after: []func(scene){git("checkout", "-q", "other")},
			want:  "a 2|>TWO|",
		},
		"made": {
			turn:   []func(scene){writes("b", "new\n"), git("stash", "-qu")},
			after:  []func(scene){git("stash", "pop", "-q")},
			want:   "b! >new|",
			closed: true,
		},
		"taken away": {
			turn:   []func(scene){removes("c"), git("stash", "-q")},
			after:  []func(scene){git("stash", "pop", "-q")},
			want:   "c! " + strings.ReplaceAll(ten, "\n", "|") + ">",
			closed: true,
		},
	} {
		for _, how := range []string{"closed", "open", "unsaved"} {
			if how != "closed" && tt.closed {
				continue
			}
			for i := range 4 {
				next, looked := i%2 > 0, i/2 > 0
				called := fmt.Sprintf("%s, %s, in another turn %v, looked at %v", name, how, next, looked)
				runOneIn(t, 12, called, func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					s := scene{t, root}
					path := at(s, "a")
					uri := buffers.PathURI(path)
					writeFile(t, path, ten)
					writeFile(t, at(s, "c"), ten)
					gitInit(t, root)
					all := func(steps []func(scene)) {
						for _, step := range steps {
							step(s)
						}
					}
					all(tt.before)
					base := readFile(t, path)
					e.caps["reload"] = true
					e.onReload = func(uri string) (bool, error) {
						if d, _ := e.at.Document(uri); d.State() == buffers.Dirty {
							return false, nil
						}
						if _, err := os.Stat(path); err != nil {
							return false, nil // git is just about to write it
						}
						e.readAnew(uri, path)
						return true, nil
					}
					if how != "closed" {
						e.open(uri, base)
						awaitLook(t, c.file(buffers.Path(path)))
					}
					if how == "unsaved" {
						e.replace(uri, "6\n", "6 USER\n")
					}
					turnOf(t, c, l, func(Host, string) {
						for _, step := range tt.turn {
							step(s)
							if looked {
								c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
							}
						}
					})
					if next {
						turnOf(t, c, l, func(Host, string) { all(tt.after) })
					} else {
						all(tt.after)
						turnOf(t, c, l, nil)
					}
					var got []string
					for _, r := range c.Reviews("", "", review.StatePending) {
						name := filepath.Base(r.Path)
						if r.File != nil {
							name += "!"
						}
						for _, h := range r.Hunks {
							got = append(got, name+" "+strings.ReplaceAll(h.BaseText+">"+h.Text, "\n", "|"))
						}
					}
					want, left := tt.want, cmp.Or(tt.left, base)
					if next && tt.wantNext != "" {
						want, left = tt.wantNext, base
					}
					if slices.Sort(got); strings.Join(got, " ") != want {
						t.Errorf("pending are %q, want %q; messages %q", got, want, e.said())
					}
					if _, err := c.Reject(t.Context(), Decide{}); err != nil {
						t.Error(err)
					}
					is := func() string { return e.text(uri) }
					if how == "closed" {
						is = func() string { return readFile(t, path) }
					}
					if how == "unsaved" {
						left = strings.Replace(left, "6\n", "6 USER\n", 1)
					}
					if got := is(); got != left {
						t.Errorf("text %q, want %q", got, left)
					}
					if content := readFile(t, at(s, "c")); content != ten {
						t.Errorf("c is %q", content)
					}
					if _, err := os.Stat(at(s, "b")); err == nil {
						t.Error("b is there")
					}
				})
			}
		}
	}
}

// What git has staged for a moment only, as it brings a stash back, accepts nothing, also of a file that had nothing else
// to decide on and that nobody has open.
func TestStagedForAMoment(t *testing.T) {
	t.Parallel()
	two, nine := strings.Replace(ten, "2\n", "TWO\n", 1), strings.Replace(ten, "9\n", "NINE\n", 1)
	for name, goesOn := range map[string]bool{"stashed": false, "stashed, and written on, and that is committed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, _, root := setup(t, l)
			path := filepath.Join(root, "a")
			writeFile(t, path, ten)
			gitInit(t, root)
			turnOf(t, c, l, func(Host, string) {
				s := c.allSessions()[0]
				writeFile(t, path, two)
				c.turnPoint(s, s.now())
				gitIn(t, root, "stash", "-q")
				c.turnPoint(s, s.now())
				if goesOn {
					writeFile(t, path, nine)
				}
			})
			left := ten
			if goesOn {
				left = nine
				gitIn(t, root, "commit", "-qam", "nine")
			}
			staged := strings.Replace(left, "2\n", "TWO\n", 1)
			writeFile(t, path, staged)
			gitIn(t, root, "add", "a")
			c.lookAtGit(t.Context())
			if n := len(hunksOf(t, c, buffers.PathURI(path))); n != 0 {
				t.Fatalf("there are %d hunks", n) // or this tests nothing
			}
			gitIn(t, root, "reset", "-q")
			c.lookAtGit(t.Context())
			if hunks := hunksOf(t, c, buffers.PathURI(path)); len(hunks) != 1 || hunks[0].Text != "TWO\n" {
				t.Errorf("hunks %v", hunks)
			}
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Error(err)
			}
			if got := readFile(t, path); got != left {
				t.Errorf("text %q, want %q", got, left)
			}
		})
	}
}
