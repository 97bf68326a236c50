package session

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// otherWindow is an acp-ls of several in one folder.
type otherWindow struct {
	t    *testing.T
	c    *Core
	e    *fakeEditor
	l    *fakeLauncher
	root string
}

// newWindows makes two acp-ls that tell each other, in one folder.
func newWindows(t *testing.T) (a, b *otherWindow) {
	root, state := t.TempDir(), t.TempDir()
	if p, err := buffers.Resolve(root); err == nil {
		root = string(p)
	}
	one := func() *otherWindow {
		w := &otherWindow{t: t, l: &fakeLauncher{}, root: root}
		st := config.Default()
		st.DefaultAgent = "fake"
		w.c = New(Options{Launcher: w.l, Settings: func() *config.Settings { return st }, Board: journal.OpenBoard(state)})
		w.e = newFakeEditor(t, w.c, root)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if err := w.c.Close(ctx); err != nil {
				t.Error(err)
			}
		})
		return w
	}
	return one(), one()
}

func (w *otherWindow) path(name string) string { return filepath.Join(w.root, name) }

func (w *otherWindow) turn(f func(h Host, sid string)) { w.t.Helper(); turnOf(w.t, w.c, w.l, f) }

func (w *otherWindow) look() {
	s := w.c.allSessions()[0]
	w.c.turnPoint(s, s.now())
}

// blind has the session look at nothing until that is ended.
func (w *otherWindow) blind() (end func()) {
	s := w.c.allSessions()[0]
	s.looking <- struct{}{}
	return func() { <-s.looking }
}

// origins are those of what is undecided in a file.
func (w *otherWindow) origins(name string) (out []review.Origin) {
	for _, r := range w.c.Reviews(buffers.PathURI(w.path(name)), "") {
		for _, h := range r.Hunks {
			out = append(out, h.Origins...)
		}
	}
	return out
}

func (w *otherWindow) warned() bool {
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	return slices.ContainsFunc(w.e.messages, func(m string) bool { return strings.Contains(m, elsewhereWords) })
}

func (w *otherWindow) rejectAll() {
	w.t.Helper()
	if d, err := w.c.Reject(w.t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
		w.t.Errorf("%+v, %v", d, err)
	}
}

// What another acp-ls has written, for its agent or its user, is reviewed there, and not here.
func TestWrittenElsewhereIsNotOurs(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(w *otherWindow, h Host, sid string){
		"its agent, by fs/write": func(w *otherWindow, h Host, sid string) {
			if err := h.WriteTextFile(w.t.Context(), sid, w.path("a"), "1\nOTHER\n"); err != nil {
				w.t.Error(err)
			}
		},
		"its user, by saving": func(w *otherWindow, _ Host, _ string) {
			uri := buffers.PathURI(w.path("a"))
			w.e.open(uri, "1\n")
			w.e.typeAt(uri, 2, 2, "OTHER\n")
			writeFile(w.t, w.path("a"), w.e.text(uri))
			w.e.send(buffers.Save{URI: uri})
			awaitTold(w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newWindows(t)
			for _, name := range []string{"a", "b"} {
				writeFile(t, a.path(name), "1\n")
			}
			a.turn(func(Host, string) {
				writeFile(t, a.path("b"), "1\nOURS\n")
				a.look()
				b.turn(func(h Host, sid string) { write(b, h, sid) })
				a.look()
			})
			if got := a.origins("a"); len(got) > 0 {
				t.Errorf("%+v", got)
			}
			if got := a.origins("b"); len(got) != 1 || got[0].Agent != "fake" || got[0].Author != review.AuthorAgent {
				t.Errorf("%+v", got)
			}
			if name == "its agent, by fs/write" {
				if got := b.origins("a"); len(got) != 1 || !got[0].Sure || got[0].Author != review.AuthorAgent {
					t.Errorf("there: %+v", got)
				}
			}
			a.rejectAll()
			if got := readFile(t, a.path("a")); got != "1\nOTHER\n" {
				t.Errorf("the other's is %q", got)
			}
			if got := readFile(t, a.path("b")); got != "1\n" {
				t.Errorf("ours is %q", got)
			}
			if a.warned() {
				t.Error("warned")
			}
		})
	}
}

// What another one has written is not ours where the editor has read it anew by itself, before
// anybody here has looked: as a change of its own, or by opening the file again.
func TestWrittenElsewhereAndReadByTheEditor(t *testing.T) {
	for name, read := range map[string]func(e *fakeEditor, uri, path string){
		"as a change":         (*fakeEditor).readAnew,
		"closed and reopened": (*fakeEditor).reopen,
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newWindows(t)
			path := a.path("a")
			uri := buffers.PathURI(path)
			writeFile(t, path, "1\n2\n3\n")
			a.e.open(uri, "1\n2\n3\n")
			awaitLook(t, a.c.file(buffers.Path(path)))
			a.turn(func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, "OURS\n2\n3\n"); err != nil {
					t.Error(err)
				}
				writeFile(t, path, a.e.text(uri)) // this editor saves nothing
				a.e.send(buffers.Save{URI: uri})
				b.turn(func(h Host, sid string) {
					a.c.elsewhere.look() // which is not done anew for half a second, but if a file is newer
					if err := h.WriteTextFile(t.Context(), sid, path, "OURS\n2\nTHEIRS\n"); err != nil {
						t.Error(err)
					}
				})
				read(a.e, uri, path)
				a.look()
			})
			if got := a.e.text(uri); got != "OURS\n2\nTHEIRS\n" {
				t.Errorf("the text is %q", got)
			}
			awaitBaseline(t, a.c, uri, "1\n2\nTHEIRS\n")
			if got := a.origins("a"); len(got) != 1 || got[0].Author != review.AuthorAgent || !got[0].Sure {
				t.Errorf("%+v", got)
			}
		})
	}
}

// What another acp-ls makes of files as a whole, by what is decided there, is not ours either.
func TestDecidedElsewhereIsNotOurs(t *testing.T) {
	t.Parallel()
	type kind struct {
		old  string // "": no file
		does func(w *otherWindow)
		left string // after it is rejected; "": no file
	}
	kinds := map[string]kind{
		"made":             {"", func(w *otherWindow) { writeFile(w.t, w.path("a"), "1\n") }, ""},
		"empty":            {"", func(w *otherWindow) { writeFile(w.t, w.path("a"), "") }, ""},
		"deleted":          {"1\n", func(w *otherWindow) { remove(w.t, w.path("a")) }, "1\n"},
		"no text":          {"\x00\x01", func(w *otherWindow) { writeFile(w.t, w.path("a"), "\x00\x02") }, "\x00\x01"},
		"no text any more": {"1\n", func(w *otherWindow) { writeFile(w.t, w.path("a"), "\x00\x02") }, "1\n"},
		"made no text":     {"", func(w *otherWindow) { writeFile(w.t, w.path("a"), "\x00\x02") }, ""},
		"renamed": {"1\n2\n3\n4\n", func(w *otherWindow) {
			if err := os.Rename(w.path("a"), w.path("b")); err != nil {
				w.t.Error(err)
			}
		}, "1\n2\n3\n4\n"},
	}
	if runtime.GOOS != "windows" {
		kinds["may be run"] = kind{"1\n", func(w *otherWindow) {
			if err := os.Chmod(w.path("a"), 0o755); err != nil {
				w.t.Error(err)
			}
		}, "1\n"}
	}
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			a, b := newWindows(t)
			if k.old != "" {
				writeFile(t, a.path("a"), k.old)
			}
			b.turn(func(Host, string) {
				k.does(b)
				b.look()
			})
			a.turn(func(Host, string) {
				b.rejectAll()
				a.look()
				if rs := a.c.Reviews("", ""); len(rs) > 0 {
					t.Errorf("rejected there: %+v %+v", rs[0], rs[0].File)
				}
				if d, err := b.c.Restore(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
					t.Errorf("%+v, %v", d, err)
				}
				a.look()
				if rs := a.c.Reviews("", ""); len(rs) > 0 {
					t.Errorf("brought back there: %+v %+v", rs[0], rs[0].File)
				}
				b.rejectAll()
			})
			if rs := a.c.Reviews("", ""); len(rs) > 0 {
				t.Errorf("%+v %+v", rs[0], rs[0].File)
			}
			if got, _ := os.ReadFile(a.path("a")); string(got) != k.left {
				t.Errorf("there is %q", got)
			}
		})
	}
}

// What a file is that another acp-ls writes, or takes away, is not ours either when it is looked at in the
// midst of that: what stands beside it then is no file that was made, nor the other end of a rename.
func TestHalfDoneElsewhereIsNotOurs(t *testing.T) {
	t.Parallel()
	move := func(w *otherWindow, from, to string) {
		if err := os.Rename(from, to); err != nil {
			w.t.Error(err)
		}
	}
	for name, half := range map[string]struct {
		old    string // "": no file
		begins func(w *otherWindow, beside func(ext string) string)
		ends   func(w *otherWindow, beside func(ext string) string)
	}{
		"written": {"", func(w *otherWindow, beside func(string) string) {
			w.c.elsewhere.wrote(buffers.Path(w.path("a")), text.New("1\n"))
			writeFile(w.t, beside(".tmp"), "1\n")
		}, func(w *otherWindow, beside func(string) string) { move(w, beside(".tmp"), w.path("a")) }},
		"taken away": {"1\n", func(w *otherWindow, beside func(string) string) {
			w.c.elsewhere.makes(buffers.Path(w.path("a")), checkpoint.State{})
			move(w, w.path("a"), beside(".old"))
		}, func(w *otherWindow, beside func(string) string) { remove(w.t, beside(".old")) }},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newWindows(t)
			if half.old != "" {
				writeFile(t, a.path("a"), half.old)
			}
			names := map[string]string{}
			beside := func(ext string) string {
				if names[ext] == "" {
					names[ext] = a.path(buffers.TempName(ext))
				}
				return names[ext]
			}
			a.turn(func(Host, string) {
				for _, step := range []func(*otherWindow, func(string) string){half.begins, half.ends} {
					step(b, beside)
					a.look()
					if rs := a.c.Reviews("", ""); len(rs) > 0 {
						t.Errorf("%s %+v", rs[0].Path, rs[0].File)
					}
				}
			})
		})
	}
}

// What a tool call of another acp-ls's agent has said is not ours, once it was looked at there.
func TestSaidElsewhereIsNotOurs(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]bool{"closed": false, "open there": true} {
		t.Run(name, func(t *testing.T) {
			a, b := newWindows(t)
			writeFile(t, a.path("a"), "1\n")
			if open {
				b.e.open(buffers.PathURI(b.path("a")), "1\n")
				awaitLook(t, b.c.file(buffers.Path(b.path("a"))))
			}
			a.turn(func(Host, string) {
				defer a.blind()()
				b.turn(func(h Host, sid string) {
					h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("completed"), Content: &[]ToolContent{
						{Type: "diff", Path: b.path("a"), OldText: str("1\n"), NewText: "1\nTHEIRS\n"},
					}})
					writeFile(t, b.path("a"), "1\nTHEIRS\n")
					b.look()
					awaitTold(b)
				})
			})
			if got := a.origins("a"); len(got) > 0 {
				t.Errorf("%+v", got)
			}
			if got := b.origins("a"); len(got) != 1 || !got[0].Sure {
				t.Errorf("there: %+v", got)
			}
		})
	}
}

// A commit that another acp-ls's agent may have made accepts nothing here, also where that was not
// at work when the others were looked at a moment ago.
func TestCommittedElsewhereAcceptsNothing(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]string{"while it works": "in", "and it has ended": "after", "before": "before"} {
		t.Run(name, func(t *testing.T) {
			a, b := newWindows(t)
			writeFile(t, a.path("a"), "1\n")
			gitInit(t, a.root)
			a.turn(func(Host, string) { writeFile(t, a.path("a"), "1\nOURS\n") })
			a.c.lookAtGit(t.Context())
			commit := func() { gitIn(t, a.root, "commit", "-qam", "x") }
			if when == "before" {
				commit()
				a.c.lookAtGit(t.Context())
				if got := a.origins("a"); len(got) > 0 {
					t.Errorf("%+v", got)
				}
				return
			}
			a.c.elsewhere.look()
			b.turn(func(Host, string) {
				commit()
				if when == "in" {
					a.c.lookAtGit(t.Context())
				}
			})
			a.c.lookAtGit(t.Context())
			rs := a.c.Reviews(buffers.PathURI(a.path("a")), "")
			if len(rs) != 1 || len(rs[0].Hunks) != 1 || !rs[0].Hunks[0].Committed {
				t.Errorf("%+v", rs)
			}
		})
	}
}

// awaitTold waits until a window has told that it wrote something.
func awaitTold(w *otherWindow) {
	w.t.Helper()
	for start := time.Now(); time.Since(start) < 20*time.Second; {
		w.c.elsewhere.mu.Lock()
		n := len(w.c.elsewhere.told.Writes)
		w.c.elsewhere.mu.Unlock()
		if n > 0 {
			return
		}
	}
	w.t.Error("waited in vain for a write to be told")
}

// What is written on disk while agents of two windows are at work may be any one's: in neither
// window it is sure, and who rejects all is told.
func TestWrittenByNobodyKnowsWhom(t *testing.T) {
	for name, named := range map[string]bool{"not named": false, "named by a tool call": true} {
		t.Run(name, func(t *testing.T) {
			a, b := newWindows(t)
			writeFile(t, a.path("a"), "1\n")
			a.turn(func(h Host, sid string) {
				if named {
					h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("in_progress"), Locations: &[]Location{{Path: a.path("a")}}})
				}
				b.turn(func(Host, string) {
					writeFile(t, a.path("a"), "1\nWHOSE\n")
					a.look()
				})
			})
			for _, w := range []*otherWindow{a, b} {
				got := w.origins("a")
				if len(got) != 1 || got[0].Sure || !isElsewhere(got[0]) || !strings.Contains(got[0].Title, "fake") {
					t.Errorf("%+v", got)
				}
				if want := named && w == a; (len(got) == 1 && got[0].Author == review.AuthorAgent) != want {
					t.Errorf("%+v", got)
				}
			}
			a.rejectAll()
			if !a.warned() || b.warned() {
				t.Errorf("warned %v, %v", a.warned(), b.warned())
			}
			if got := readFile(t, a.path("a")); got != "1\n" {
				t.Errorf("rejected %q", got)
			}
			if d, err := a.c.Restore(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if got := readFile(t, a.path("a")); got != "1\nWHOSE\n" {
				t.Errorf("brought back %q", got)
			}
		})
	}
}

// What a tool call has said is its session's, and what was written while no other agent was at
// work, or where it is not, is ours.
func TestWrittenHereForSure(t *testing.T) {
	a, b := newWindows(t)
	for _, name := range []string{"said", "before", "after"} {
		writeFile(t, a.path(name), "1\n")
	}
	a.turn(func(h Host, sid string) {
		writeFile(t, a.path("before"), "1\nOURS\n")
		awaitTick(t)
		b.turn(func(Host, string) {
			h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("completed"), Content: &[]ToolContent{
				{Type: "diff", Path: a.path("said"), OldText: str("1\n"), NewText: "1\nOURS\n"},
			}})
			writeFile(t, a.path("said"), "1\nOURS\n")
			a.look()
		})
		awaitTick(t)
		writeFile(t, a.path("after"), "1\nOURS\n")
	})
	for _, name := range []string{"said", "before", "after"} {
		if got := a.origins(name); len(got) != 1 || got[0].Author != review.AuthorAgent || got[0].Sure != (name == "said") || isElsewhere(got[0]) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	a.rejectAll()
	if a.warned() {
		t.Error("warned")
	}
}

// awaitBaseline waits until it is found out that want is what a document has of the user.
func awaitBaseline(t *testing.T, c *Core, uri, want string) {
	t.Helper()
	base, err := c.Baseline(uri)
	for start := time.Now(); (err != nil || base != want) && time.Since(start) < 20*time.Second; base, err = c.Baseline(uri) {
		runtime.Gosched()
	}
	if err != nil || base != want {
		t.Errorf("the baseline is %q, %v", base, err)
	}
}
