package session

import (
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// gitInit makes a folder a repository whose files are committed.
func gitInit(t *testing.T, root string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "."}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

var wholeTables = flag.Bool("whole", false, "play the wide tables as wholes, and not a part of each")

// oneIn is true for one in n names, always the same ones: what is slow, and changes little, is played
// in that part of a table, unless all is to be played.
func oneIn(n uint32, name string) bool {
	return *wholeTables || crc32.ChecksumIEEE([]byte(name))%n == 0
}

// runOneIn runs a row of a table of which one in n is played.
func runOneIn(t *testing.T, n uint32, name string, row func(t *testing.T)) {
	t.Helper()
	if oneIn(n, name) {
		t.Run(name, row)
	}
}

// Files that nobody has open and that a turn changes on disk are reviewed, with
// git and without, however often the turn is looked at; decisions hold.
func TestBehindTheBack(t *testing.T) {
	for _, git := range []bool{true, false} {
		l := &fakeLauncher{}
		c, _, root := setup(t, l)
		at := func(name string) string { return filepath.Join(root, name) }
		writeFile(t, at("edited"), ten)
		writeFile(t, at("gone"), "g\n")
		writeFile(t, at("dirty"), "committed\n")
		if git {
			gitInit(t, root)
		}
		writeFile(t, at("dirty"), "user\n")
		turnOf(t, c, l, func(h Host, sid string) {
			writeFile(t, at("edited"), strings.NewReplacer("2\n", "TWO\n", "9\n", "NINE\n").Replace(ten))
			writeFile(t, at("made"), "m\n")
			writeFile(t, at("dirty"), "user\nagent\n")
			if err := os.Remove(at("gone")); err != nil {
				t.Error(err)
			}
			h.Update(sid, ToolPatch{ID: "t", Title: str("Run"), Kind: str("execute"), Status: str("completed")})
			s := c.allSessions()[0]
			s.mu.Lock()
			running := s.running
			s.mu.Unlock()
			c.turnPoint(s, running)
		})
		files := map[string]Review{}
		for _, r := range c.Reviews("", "") {
			files[filepath.Base(r.Path)] = r
		}
		if len(files) != 4 || len(files["edited"].Hunks) != 2 || len(files["dirty"].Hunks) != 1 ||
			files["made"].File == nil || files["made"].File.Op != "create" || files["gone"].File == nil || files["gone"].File.Op != "delete" {
			t.Fatalf("git %v: %+v", git, files)
		}
		h := files["edited"].Hunks[0]
		if o := h.Origins[0]; o.Author != review.AuthorAgent || o.Turn == "" || h.BaseText != "2\n" || h.Text != "TWO\n" {
			t.Errorf("hunk %+v", h)
		}
		if d, err := c.Reject(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil || len(d.Decided) != 1 {
			t.Fatalf("%+v %v", d, err)
		}
		if d, err := c.Accept(t.Context(), Decide{URI: buffers.PathURI(at("edited"))}); err != nil || len(d.Decided) != 1 {
			t.Fatalf("%+v %v", d, err)
		}
		if d, err := c.Reject(t.Context(), Decide{URI: buffers.PathURI(at("gone"))}); err != nil || len(d.Refused) != 0 {
			t.Fatalf("%+v %v", d, err)
		}
		if d, err := c.Reject(t.Context(), Decide{Hunks: []string{files["made"].File.ID}}); err != nil || len(d.Refused) != 0 {
			t.Fatalf("%+v %v", d, err)
		}
		// The next turn changes nothing: nothing comes back.
		turnOf(t, c, l, func(Host, string) {})
		if left := c.Reviews("", ""); len(left) != 1 || filepath.Base(left[0].Path) != "dirty" {
			t.Errorf("git %v: left %+v", git, left)
		}
		if got := readFile(t, at("edited")); got != strings.Replace(ten, "9\n", "NINE\n", 1) {
			t.Errorf("edited %q", got)
		}
		if got := readFile(t, at("gone")); got != "g\n" {
			t.Errorf("gone %q", got)
		}
		if _, err := os.Stat(at("made")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("made is still there: %v", err)
		}
	}
}

// What changed on disk between turns is not the agent's, also in a file of which
// hunks are pending.
func TestBetweenTurns(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "a")
	writeFile(t, path, ten)
	turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Replace(ten, "2\n", "TWO\n", 1)) })
	writeFile(t, path, strings.NewReplacer("2\n", "TWO\n", "9\n", "USER\n").Replace(ten))
	turnOf(t, c, l, func(Host, string) {})
	hunks := hunksOf(t, c, buffers.PathURI(path))
	if len(hunks) != 1 || hunks[0].Text != "TWO\n" {
		t.Errorf("hunks %+v", hunks)
	}
	if base, _ := c.Baseline(buffers.PathURI(path)); base != strings.Replace(ten, "9\n", "USER\n", 1) {
		t.Errorf("baseline %q", base)
	}
}

// A file that nobody has open and an agent makes through us, while it makes it on disk by
// itself as well, is one it has made: however much of that is there already.
func TestFileIsMadeBesides(t *testing.T) {
	for _, there := range []string{"", "brand new\n", "brand new\nfile\n"} {
		t.Run(there, func(t *testing.T) {
			l := &fakeLauncher{}
			c, _, root := setup(t, l)
			path := filepath.Join(root, "new")
			turnOf(t, c, l, func(h Host, sid string) {
				s := c.allSessions()[0]
				if err := s.takeInFirst(t.Context(), c.file(buffers.Path(path))); err != nil {
					t.Error(err)
				}
				writeFile(t, path, there) // behind the first look
				if err := h.WriteTextFile(t.Context(), sid, path, "brand new\nfile\n"); err != nil {
					t.Error(err)
				}
			})
			rs := c.Reviews("", c.allSessions()[0].id)
			if len(rs) != 1 || rs[0].File == nil || rs[0].File.Op != "create" || len(rs[0].Hunks) != 1 {
				t.Fatalf("%+v", rs)
			}
			if d, err := c.Reject(t.Context(), Decide{Turn: rs[0].Hunks[0].Origins[0].Turn}); err != nil || len(d.Refused) != 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if isThere(buffers.Path(path)) {
				t.Error("it is still there")
			}
		})
	}
}

// When a turn has had its last point, one that has been waiting for that takes nothing
// for the agent's any more, though the turn may not be done with.
func TestNoPointAfterTheLast(t *testing.T) {
	for name, content := range map[string]string{"text": ten, "no text": "\x00\x01"} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, _, root := setup(t, l)
			path := filepath.Join(root, "a")
			writeFile(t, path, content)
			turnOf(t, c, l, func(Host, string) {
				s := c.allSessions()[0]
				c.lastPoint(s, s.now())
				writeFile(t, path, content+"user\n")
				c.turnPoint(s, s.now())
			})
			if rs := c.Reviews("", ""); len(rs) != 0 {
				t.Errorf("the user's is to be reviewed: %+v", rs)
			}
		})
	}
}

// A look that began while a turn ran takes nothing in when the turn is over as the disk
// has been read: the user may have saved by then, and typed on.
func TestNoHintAfterTheTurn(t *testing.T) {
	t.Parallel()
	for _, dirty := range []bool{true, false} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		for !c.file(buffers.Path(path)).knows() {
			runtime.Gosched()
		}
		if dirty {
			e.replace(uri, "1\n", "1 USER\n")
		}
		was := e.text(uri)
		writeFile(t, path, ten+"more\n")
		f := c.file(buffers.Path(path))
		for _, over := range []bool{true, false} {
			if err := f.catchUpUnless(t.Context(), f.whose, func() bool { return over }); err != nil {
				t.Fatal(err)
			}
			want := was + "more\n"
			if over {
				want = was
			}
			if got := e.text(uri); got != want {
				t.Errorf("dirty %v, over %v: text %q, want %q", dirty, over, got, want)
			}
		}
	}
}

func (f *file) knows() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.before != nil
}

// A file that is no text is shown as changed; accepting lets it be, rejecting brings
// back what it was.
func TestOpaque(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{true, false} {
		for _, reject := range []bool{true, false} {
			l := &fakeLauncher{}
			c, _, root := setup(t, l)
			path := filepath.Join(root, "pic")
			writeFile(t, path, "\x00\x01")
			if git {
				gitInit(t, root)
			}
			for range 2 { // what the second turn changes is taken back with the first one's
				turnOf(t, c, l, func(Host, string) { writeFile(t, path, readFile(t, path)+"\x02") })
			}
			rs := c.Reviews("", "")
			if len(rs) != 1 || rs[0].File == nil || rs[0].File.Opaque != "binary" || rs[0].File.Op != "modify" || len(rs[0].Hunks) != 0 {
				t.Fatalf("%+v", rs)
			}
			decide, want := c.Accept, "\x00\x01\x02\x02"
			if reject {
				decide, want = c.Reject, "\x00\x01"
			}
			if d, _ := decide(t.Context(), Decide{Hunks: []string{rs[0].File.ID}}); len(d.Decided) != 1 || len(d.Refused) != 0 {
				t.Errorf("%+v", d)
			}
			if rs := c.Reviews("", ""); len(rs) != 0 {
				t.Errorf("left %+v", rs)
			}
			if got := readFile(t, path); got != want {
				t.Errorf("git %v, reject %v: %q", git, reject, got)
			}
			turnOf(t, c, l, func(Host, string) {})
			if rs := c.Reviews("", ""); len(rs) != 0 {
				t.Errorf("back %+v", rs)
			}
		}
	}
}

// Of what there is no copy that is said, and it can be accepted.
func TestOpaqueWithoutCopy(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "large")
	writeFile(t, path, strings.Repeat("l", 2<<20))
	turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Repeat("m", 2<<20)) })
	rs := c.Reviews("", "")
	if len(rs) != 1 || rs[0].File == nil || rs[0].File.Opaque != "large" {
		t.Fatalf("%+v", rs)
	}
	id := rs[0].File.ID
	if d, _ := c.Reject(t.Context(), Decide{Hunks: []string{id}}); len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Reason, "no copy") {
		t.Errorf("reject %+v", d)
	}
	if d, _ := c.Accept(t.Context(), Decide{Hunks: []string{id}}); len(d.Decided) != 1 {
		t.Errorf("accept %+v", d)
	}
	if rs := c.Reviews("", ""); len(rs) != 0 {
		t.Errorf("left %+v", rs)
	}
}

// A clean document that the agent has left behind is reloaded by its editor, and
// what arrives is the agent's, whichever way editors report a reload.
func TestReloadIsTheAgents(t *testing.T) {
	for name, load := range map[string]func(e *fakeEditor, uri, s string){
		"close and open": func(e *fakeEditor, uri, s string) {
			e.send(buffers.Close{URI: uri})
			e.open(uri, s)
		},
		"a change": func(e *fakeEditor, uri, s string) { e.typeAt(uri, 0, len(e.text(uri)), s) },
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			e.caps["reload"] = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			e.onReload = func(u string) (bool, error) {
				load(e, u, readFile(t, path))
				return true, nil
			}
			want := strings.Replace(ten, "5\n", "FIVE\n", 1)
			turnOf(t, c, l, func(Host, string) { writeFile(t, path, want) })
			if got := e.text(uri); got != want {
				t.Errorf("text %q", got)
			}
			if base, _ := c.Baseline(uri); base != ten {
				t.Errorf("baseline %q", base)
			}
			hunks := hunksOf(t, c, uri)
			if len(hunks) != 1 || hunks[0].Origins[0].Agent != "fake" {
				t.Errorf("hunks %+v", hunks)
			}
		})
	}
}

// A document follows the disk while the tool call that writes it still runs,
// where folders can be watched, or the editor watches them.
func TestFollowsWhileTheToolRuns(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(fmt.Sprint(watched), func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = !watched
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			want := strings.Replace(ten, "5\n", "FIVE\n", 1)
			turnOf(t, c, l, func(Host, string) {
				writeFile(t, path, want)
				if !watched {
					link := filepath.Join(t.TempDir(), "link") // as the editor spells it
					if err := os.Symlink(root, link); err != nil {
						t.Error(err)
					}
					e.at.FoldersChanged([]string{"/nowhere", link})
				}
				e.await("the document to follow", func() bool { return e.docs[uri].text.String() == want })
			})
			if base, _ := c.Baseline(uri); base != ten {
				t.Errorf("baseline %q", base)
			}
		})
	}
}

// An editor that can adopt gets the merged text together with the disk's state.
func TestAdopt(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	e.caps["adopt"] = true
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	e.replace(uri, "2\n", "USER\n")
	adopted := ""
	e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
		adopted = s
		e.send(buffers.Close{URI: uri})
		e.open(uri, readFile(t, path))
		e.typeAt(uri, 0, len(e.text(uri)), s)
		return true, nil
	}
	turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Replace(ten, "8\n", "AGENT\n", 1)) })
	want := strings.NewReplacer("2\n", "USER\n", "8\n", "AGENT\n").Replace(ten)
	if adopted != want || e.text(uri) != want {
		t.Errorf("adopted %q, text %q", adopted, e.text(uri))
	}
	if base, _ := c.Baseline(uri); base != strings.Replace(ten, "2\n", "USER\n", 1) {
		t.Errorf("baseline %q", base)
	}
	if h := hunksOf(t, c, uri); len(h) != 1 || h[0].Text != "AGENT\n" || h[0].Origins[0].Agent != "fake" {
		t.Errorf("hunks %+v", h)
	}
}

// Some agents write the disk and through us, in either order, the same text or
// more of it: all of it is theirs, once.
func TestWrittenTwice(t *testing.T) {
	t.Parallel()
	for _, diskFirst := range []bool{true, false} {
		for _, through := range []string{"m\nn\n", "m\nn\nmore\n"} {
			for _, there := range []bool{false, true} {
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				path := filepath.Join(root, "f")
				if there {
					writeFile(t, path, "m\n")
				}
				turnOf(t, c, l, func(h Host, sid string) {
					if diskFirst {
						writeFile(t, path, "m\nn\n")
					}
					if err := h.WriteTextFile(t.Context(), sid, path, through); err != nil {
						t.Error(err)
					}
					if !diskFirst {
						writeFile(t, path, through)
					}
				})
				want, base := through, ""
				if there {
					want, base = strings.TrimPrefix(through, "m\n"), "m\n"
				}
				hunks := hunksOf(t, c, buffers.PathURI(path))
				got := ""
				for _, h := range hunks {
					got += h.Text
				}
				if got != want || readFile(t, path) != through {
					t.Errorf("disk first %v, through us %q, there %v: hunks %+v, disk %q", diskFirst, through, there, hunks, readFile(t, path))
				}
				if b, _ := c.Baseline(buffers.PathURI(path)); b != base {
					t.Errorf("baseline %q, want %q", b, base)
				}
			}
		}
	}
}

// What a checkpoint needs is done while nothing goes on: when the session is there,
// and when a turn has ended.
func TestCheckpointIsPrepared(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	writeFile(t, filepath.Join(root, "a"), ten)
	if _, err := c.NewSession(t.Context(), NewSession{}); err != nil {
		t.Fatal(err)
	}
	s := c.allSessions()[0]
	await := func(when string) {
		t.Helper()
		for begun := time.Now(); ; runtime.Gosched() {
			s.mu.Lock()
			prepared := s.prepared
			s.mu.Unlock()
			if prepared != nil {
				return
			}
			if time.Since(begun) > 20*time.Second {
				t.Fatalf("no checkpoint was prepared %s", when)
			}
		}
	}
	await("before a turn")
	turnOf(t, c, l, func(Host, string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.prepared != nil || s.point == nil {
			t.Errorf("in a turn: %v, %v", s.prepared, s.point)
		}
	})
	await("after a turn")
}
