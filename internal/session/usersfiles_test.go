package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What the user does to files in the editor while a turn runs is the user's, whenever the
// editor tells of it: before anybody has looked, after, or when the turn is over.
func TestUsersFileOperations(t *testing.T) {
	move := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	type scene struct {
		t    *testing.T
		e    *fakeEditor
		root string
		look func()
	}
	at := func(s *scene, name string) string { return filepath.Join(s.root, name) }
	tell := func(s *scene, ops ...FileOperation) {
		ops = slices.Clone(ops) // told in other folders too
		for i := range ops {
			for _, p := range []*string{&ops[i].From, &ops[i].To} {
				if *p != "" {
					*p = at(s, *p)
				}
			}
		}
		s.e.at.FilesOperated(ops)
	}
	type way struct {
		do   func(s *scene)
		tell func(s *scene)
	}
	ways := map[string]way{
		"rename": {
			func(s *scene) { move(s.t, at(s, "b.txt"), at(s, "mine.txt")) },
			func(s *scene) { tell(s, FileOperation{"b.txt", "mine.txt"}) },
		},
		"rename an open document": {
			func(s *scene) {
				from, to := buffers.PathURI(at(s, "b.txt")), buffers.PathURI(at(s, "mine.txt"))
				s.e.open(from, ten)
				move(s.t, at(s, "b.txt"), at(s, "mine.txt"))
				s.e.close(from)
				s.e.open(to, ten)
			},
			func(s *scene) { tell(s, FileOperation{"b.txt", "mine.txt"}) },
		},
		"rename what is no text": {
			func(s *scene) { move(s.t, at(s, "pic"), at(s, "pic2")) },
			func(s *scene) { tell(s, FileOperation{"pic", "pic2"}) },
		},
		"delete": {
			func(s *scene) { _ = os.Remove(at(s, "b.txt")) },
			func(s *scene) { tell(s, FileOperation{From: "b.txt"}) },
		},
		"delete what is no text": {
			func(s *scene) { _ = os.Remove(at(s, "pic")) },
			func(s *scene) { tell(s, FileOperation{From: "pic"}) },
		},
		"delete an open document": {
			func(s *scene) {
				s.e.open(buffers.PathURI(at(s, "b.txt")), ten)
				_ = os.Remove(at(s, "b.txt"))
			},
			func(s *scene) { tell(s, FileOperation{From: "b.txt"}) },
		},
		"make": {
			func(s *scene) { writeFile(s.t, at(s, "new.txt"), "") },
			func(s *scene) { tell(s, FileOperation{To: "new.txt"}) },
		},
		"make a copy": {
			func(s *scene) { writeFile(s.t, at(s, "copy.txt"), ten) },
			func(s *scene) { tell(s, FileOperation{To: "copy.txt"}) },
		},
		"rename a folder": {
			func(s *scene) { move(s.t, at(s, "dir"), at(s, "mine")) },
			func(s *scene) { tell(s, FileOperation{"dir", "mine"}) },
		},
		"delete a folder": {
			func(s *scene) { _ = os.RemoveAll(at(s, "dir")) },
			func(s *scene) { tell(s, FileOperation{From: "dir"}) },
		},
		"replace in a file that is not open": {
			func(s *scene) {
				uri := buffers.PathURI(at(s, "b.txt"))
				s.e.open(uri, ten)
				s.e.replace(uri, "7\n", "SEVEN\n")
				writeFile(s.t, at(s, "b.txt"), strings.Replace(ten, "7\n", "SEVEN\n", 1))
				s.e.close(uri)
			},
			func(s *scene) {
				saved := strings.Replace(ten, "7\n", "SEVEN\n", 1)
				s.e.send(buffers.Save{URI: buffers.PathURI(at(s, "b.txt")), Text: &saved})
			},
		},
	}
	const own = "my own\ntext\n"
	ways["append to a file and open it"] = way{
		func(s *scene) { writeFile(s.t, at(s, "b.txt"), ten+own) },
		func(s *scene) {
			uri, saved := buffers.PathURI(at(s, "b.txt")), ten+own
			s.e.send(buffers.Save{URI: uri, Text: &saved})
			s.e.open(uri, saved)
		},
	}
	says := func(s *scene, name string) {
		s.e.send(buffers.Save{URI: buffers.PathURI(at(s, name))})
	}
	for name, file := range map[string]string{"as a new file": "mine.txt", "as a new file in a new folder": "new/mine.txt", "over a file": "b.txt"} {
		write := func(s *scene) {
			if err := os.MkdirAll(filepath.Dir(at(s, file)), 0o755); err != nil {
				s.t.Fatal(err)
			}
			writeFile(s.t, at(s, file), own)
		}
		open := func(s *scene) { s.e.open(buffers.PathURI(at(s, file)), own) }
		told := func(s *scene) { says(s, file) }
		ways["save "+name+", opened before"] = way{func(s *scene) { open(s); write(s) }, told}
		ways["save "+name+", opened after"] = way{func(s *scene) { write(s); open(s) }, told}
		ways["save "+name+", opened when it is told"] = way{write, func(s *scene) { open(s); told(s) }}
		ways["save "+name+" and close it"] = way{write, func(s *scene) { open(s); told(s); s.e.close(buffers.PathURI(at(s, file))) }}
		ways["save unsaved text "+name] = way{func(s *scene) {
			from := buffers.PathURI(at(s, "dir/one.txt"))
			s.e.open(from, ten)
			s.e.replace(from, ten, own)
			write(s)
			says(s, "dir/one.txt")
			s.e.close(from)
			open(s)
		}, func(*scene) {}}
	}
	beside := func(file, was, is string, ops ...FileOperation) way {
		return way{
			func(s *scene) { writeFile(s.t, at(s, file), is) },
			func(s *scene) {
				uri := buffers.PathURI(at(s, file))
				s.e.open(uri, was)
				if was != is {
					s.e.replace(uri, was, is)
				}
				s.e.send(buffers.Save{URI: uri, Text: &is})
				s.e.close(uri)
				tell(s, ops...)
			},
		}
	}
	ways["write a part to a new file"] = beside("mine.txt", "", own, FileOperation{To: "mine.txt"})
	ways["write nothing to a new file"] = beside("mine.txt", "", "", FileOperation{To: "mine.txt"})
	ways["write a part over a file"] = beside("b.txt", ten, own)
	ways["append to a file"] = beside("b.txt", ten, ten+own)
	half := func(s *scene, rest string) { // as it is between making a file and writing it
		writeFile(s.t, at(s, "mine.txt"), "")
		s.look()
		writeFile(s.t, at(s, "mine.txt"), rest)
	}
	mine := func(s *scene) string { return buffers.PathURI(at(s, "mine.txt")) }
	ways["save as a new file that is looked at half written"] = way{
		func(s *scene) { half(s, own); s.e.open(mine(s), own) },
		func(s *scene) { says(s, "mine.txt") },
	}
	ways["save as a new file that is looked at half written, opened when it is told"] = way{
		func(s *scene) { half(s, own) },
		func(s *scene) { s.e.open(mine(s), own); says(s, "mine.txt") },
	}
	ways["write a new file that is looked at half written and open it"] = way{
		func(s *scene) { half(s, own) },
		func(s *scene) {
			saved := own
			s.e.send(buffers.Save{URI: mine(s), Text: &saved})
			s.e.open(mine(s), own)
		},
	}
	ways["write what is no text"] = way{
		func(s *scene) { writeFile(s.t, at(s, "pic"), "\x00\x02\x03\x04") },
		func(s *scene) { tell(s, FileOperation{To: "pic"}) },
	}
	for name, way := range ways {
		for _, git := range []bool{false, true} {
			for _, when := range []string{"at once", "after a look", "after the turn"} {
				called := fmt.Sprintf("%s, git %v, told %s", name, git, when)
				if git && !oneIn(4, called) {
					continue
				}
				runOneIn(t, 3, called, func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					s := &scene{t: t, e: e, root: root}
					if err := os.Mkdir(at(s, "dir"), 0o755); err != nil {
						t.Fatal(err)
					}
					for _, f := range []string{"a.txt", "b.txt", "dir/one.txt", "dir/two.txt"} {
						writeFile(t, at(s, f), ten)
					}
					writeFile(t, at(s, "dir/two.txt"), "two\n"+ten)
					writeFile(t, at(s, "pic"), "\x00\x01\x02")
					if git {
						gitInit(t, root)
					}
					looked := func() {
						one := c.allSessions()[0]
						one.mu.Lock()
						running := one.running
						one.mu.Unlock()
						c.turnPoint(one, running)
					}
					s.look = looked
					turnOf(t, c, l, func(h Host, sid string) {
						way.do(s)
						if when == "at once" {
							way.tell(s)
						}
						writeFile(t, at(s, "a.txt"), strings.Replace(ten, "2\n", "TWO\n", 1))
						looked()
						if when == "after a look" {
							way.tell(s)
						}
					})
					if when == "after the turn" {
						way.tell(s)
					}
					users := tree(t, root)
					var shown []string
					e.await("the agent's alone", func() bool {
						shown = shown[:0]
						for _, r := range e.reviews {
							if len(r.Hunks) > 0 || r.File != nil {
								shown = append(shown, filepath.Base(r.Path))
							}
						}
						return slices.Equal(shown, []string{"a.txt"})
					})
					turnOf(t, c, l, func(Host, string) { looked() })
					if got := shownFiles(c); !slices.Equal(got, []string{"a.txt"}) {
						t.Fatalf("shown: %v", got)
					}
					if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
						t.Fatalf("%+v %v", d, err)
					}
					users["a.txt"] = ten
					for f, want := range tree(t, root) {
						if users[f] != want {
							t.Errorf("%s is %q, and was %q", f, want, users[f])
						}
						delete(users, f)
					}
					if len(users) > 0 {
						t.Errorf("gone: %v", users)
					}
				})
			}
		}
	}
}

// The user deletes a file just after it was opened, and says so before it is known what the
// document was opened beside.
func TestUserDeletesWhatWasJustOpened(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := buffers.Path(filepath.Join(root, "b.txt"))
	uri := buffers.PathURI(string(path))
	writeFile(t, string(path), ten)
	turnOf(t, c, l, func(Host, string) {
		events, err := e.at.store.Apply(buffers.Open{URI: uri, Text: ten}, "test")
		if err != nil {
			t.Fatal(err)
		}
		f := c.file(path)
		ar := f.opened(e.at, events[0].After)
		disk, err := e.at.store.Look(path)
		_ = os.Remove(string(path))
		if err := c.usersFile(c.ctx, oneFile{from: path}); err != nil {
			t.Error(err)
		}
		f.looked(c.ctx, disk, err, ar)
		lookNow(c)
	})
	if got := c.Reviews("", ""); len(got) > 0 {
		t.Errorf("shown: %+v", got)
	}
}

// The user renames a file and opens it: that it has come with its name may be found out before
// it is known what the document was opened beside.
func TestUserRenamesWhatIsJustOpened(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{false, true} {
		for _, told := range []bool{false, true} {
			t.Run(fmt.Sprintf("git %v, told %v", git, told), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				from, to := buffers.Path(filepath.Join(root, "b.txt")), buffers.Path(filepath.Join(root, "mine.txt"))
				writeFile(t, string(from), ten)
				if git {
					gitInit(t, root)
				}
				turnOf(t, c, l, func(Host, string) {
					if err := os.Rename(string(from), string(to)); err != nil {
						t.Fatal(err)
					}
					events, err := e.at.store.Apply(buffers.Open{URI: buffers.PathURI(string(to)), Text: ten}, "test")
					if err != nil {
						t.Fatal(err)
					}
					f := c.file(to)
					ar := f.opened(e.at, events[0].After)
					disk, err := e.at.store.Look(to)
					c.allSessions()[0].compareDisk(c.ctx)
					f.looked(c.ctx, disk, err, ar)
				})
				if told {
					if err := c.usersFile(c.ctx, oneFile{from, to}); err != nil {
						t.Fatal(err)
					}
					if got := c.Reviews("", ""); len(got) > 0 {
						t.Errorf("shown: %+v", got)
					}
					return
				}
				got := c.Reviews("", "")
				if len(got) != 1 || got[0].File == nil || got[0].File.From != string(from) || len(got[0].Hunks) > 0 {
					t.Errorf("shown: %+v", got)
				}
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Fatalf("%+v %v", d, err)
				}
				if got := readFile(t, string(from)); got != ten || isThere(to) {
					t.Errorf("%s has %q, %s is there: %v", from, got, to, isThere(to))
				}
			})
		}
	}
}

// tree is what a folder holds, but for git's.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(root, p)
			all[filepath.ToSlash(rel)] = readFile(t, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
