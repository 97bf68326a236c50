package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// severalFolders are workspace folders beside each other under root, the first as a
// project of git.
func severalFolders(t *testing.T, e *fakeEditor, root string, names ...string) (at func(name string) string) {
	t.Helper()
	var roots []string
	for i, name := range names {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "edited"), ten)
		writeFile(t, filepath.Join(dir, "moved"), name+"\nis moved\n")
		if i == 0 {
			gitInit(t, dir)
		}
		roots = append(roots, dir)
	}
	e.at.SetRoots(roots)
	return func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
}

// promptOf runs a turn and returns the words that went with its prompt.
func promptOf(t *testing.T, c *Core, l *fakeLauncher, f func(h Host, sid string)) string {
	t.Helper()
	var said strings.Builder
	l.prompt = func(_ context.Context, a *fakeAgent, sid string, blocks []Block) (StopReason, error) {
		for _, b := range blocks {
			said.WriteString(b.Text + "\n")
		}
		f(a.host, sid)
		return "end_turn", nil
	}
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
		t.Fatal(err)
	}
	return said.String()
}

// In a window with several folders a session works in all of them: nothing is asked, and
// what is written in any of them, through the editor or not, is reviewed.
func TestSeveralFolders(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"one", "two"} {
		t.Run(first, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			at := severalFolders(t, e, root, "one", "two")
			writeFile(t, at("beside"), "b\n")
			e.onPermission = func(q Question) (string, error) {
				t.Errorf("asked: %s", q.Message)
				return "", nil
			}
			e.caps["permission"] = true
			second := map[string]string{"one": "two", "two": "one"}[first]
			if _, err := c.NewSession(t.Context(), NewSession{Cwd: at(first)}); err != nil {
				t.Fatal(err)
			}
			turnOf(t, c, l, func(h Host, sid string) {
				for _, dir := range []string{first, second} {
					text, err := h.ReadTextFile(t.Context(), sid, at(dir+"/edited"), nil, nil)
					if err != nil {
						t.Error(err)
					}
					if err := h.WriteTextFile(t.Context(), sid, at(dir+"/edited"), strings.Replace(text, "3\n", "THREE\n", 1)); err != nil {
						t.Error(err)
					}
					writeFile(t, at(dir+"/edited"), strings.Replace(readFile(t, at(dir+"/edited")), "8\n", "EIGHT\n", 1))
					writeFile(t, at(dir+"/made"), "m\n")
				}
				writeFile(t, at("beside"), "who knows\n")
				if err := os.Rename(at(first+"/moved"), at(second+"/moved here")); err != nil {
					t.Error(err)
				}
			})
			var got []string
			for _, r := range c.Reviews("", "") {
				rel, _ := filepath.Rel(root, r.Path)
				op := ""
				if r.File != nil {
					op = " " + r.File.Op
				}
				got = append(got, fmt.Sprintf("%s%s %d", filepath.ToSlash(rel), op, len(r.Hunks)))
			}
			slices.Sort(got)
			want := []string{first + "/edited 2", first + "/made create 1", second + "/edited 2", second + "/made create 1", second + "/moved here rename 0"}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("reviews %q, want %q", got, want)
			}
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) != 0 {
				t.Fatalf("%+v %v", d, err)
			}
			for _, dir := range []string{first, second} {
				if got := readFile(t, at(dir+"/edited")); got != ten {
					t.Errorf("%s/edited is %q", dir, got)
				}
				if isThere(buffers.Path(at(dir + "/made"))) {
					t.Errorf("%s/made is there", dir)
				}
				if got := readFile(t, at(dir+"/moved")); got != dir+"\nis moved\n" {
					t.Errorf("%s/moved is %q", dir, got)
				}
			}
		})
	}
}

// Folders that come and go are heeded from the next prompt on, and the agent is told, once.
// An agent that can be given them at the beginning is.
func TestFoldersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, can := range []bool{false, true} {
		t.Run(fmt.Sprint("given ", can), func(t *testing.T) {
			l := &fakeLauncher{info: AgentInfo{MoreRoots: can}}
			c, e, root := setup(t, l)
			at := severalFolders(t, e, root, "one", "two", "three")
			e.at.SetRoots([]string{at("one"), at("two")})
			e.caps["permission"] = true
			asked := 0
			e.onPermission = func(q Question) (string, error) {
				asked++
				return q.Options[0].OptionID, nil
			}
			writes := func(name string) func(Host, string) {
				return func(h Host, sid string) {
					writeFile(t, at(name), readFile(t, at(name))+"disk\n")
					if _, err := h.ReadTextFile(t.Context(), sid, at(name), nil, nil); err != nil {
						t.Error(err)
					}
				}
			}
			said := promptOf(t, c, l, writes("two/edited"))
			if strings.Contains(said, "folder") == can {
				t.Errorf("first prompt: %q", said)
			}
			if got := l.agents[0].params.MoreRoots; can != slices.Equal(got, []string{at("two")}) {
				t.Errorf("given %q", got)
			}
			e.at.SetRoots([]string{at("one"), at("two"), at("three")})
			if said := promptOf(t, c, l, writes("three/edited")); !strings.Contains(said, at("two")+", "+at("three")) {
				t.Errorf("with a third folder: %q", said)
			}
			if said := promptOf(t, c, l, writes("three/edited")); strings.Contains(said, at("three")+"\n") {
				t.Errorf("again: %q", said)
			}
			if asked != 0 {
				t.Errorf("asked %d times", asked)
			}
			e.at.SetRoots([]string{at("one")})
			if said := promptOf(t, c, l, writes("two/edited")); !strings.Contains(said, "no other folder") {
				t.Errorf("with one folder: %q", said)
			}
			if asked != 1 {
				t.Errorf("asked %d times of what is outside now", asked)
			}
			if got := shownFiles(c); !slices.Equal(got, []string{"edited", "edited"}) {
				t.Errorf("reviews %q", got)
			}
		})
	}
}

// Where folders lie in each other, a file is the inner one's, which may be a repository of
// its own.
func TestFoldersInEachOther(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"outer", "outer/inner"} {
		t.Run(first, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			at := severalFolders(t, e, root, "outer", "outer/inner")
			gitInit(t, at("outer/inner"))
			if _, err := c.NewSession(t.Context(), NewSession{Cwd: at(first)}); err != nil {
				t.Fatal(err)
			}
			turnOf(t, c, l, func(Host, string) {
				for _, name := range []string{"outer/edited", "outer/inner/edited"} {
					writeFile(t, at(name), strings.Replace(ten, "3\n", "THREE\n", 1))
				}
			})
			for _, name := range []string{"outer/edited", "outer/inner/edited"} {
				if got := hunksOf(t, c, buffers.PathURI(at(name))); len(got) != 1 || got[0].BaseText != "3\n" {
					t.Errorf("%s: %+v", name, got)
				}
			}
			if got := shownFiles(c); !slices.Equal(got, []string{"edited", "edited"}) {
				t.Errorf("reviews %q", got)
			}
		})
	}
}

// A session that names no folder works in the one that holds the document the user is in.
func TestFolderOfTheActiveDocument(t *testing.T) {
	for active, want := range map[string]string{"two/sub/x": "two", "one/x": "one", "elsewhere/x": "one", "": "one"} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		at := severalFolders(t, e, root, "one", "two")
		e.caps["editor"] = true
		e.onState = func() EditorState { return EditorState{Active: buffers.PathURI(at(active))} }
		info, err := c.NewSession(t.Context(), NewSession{})
		if err != nil || info.Cwd != at(want) {
			t.Errorf("in %q: session in %s, want %s; %v", active, info.Cwd, want, err)
		}
	}
}

// Files of all folders are proposed after @, by names that are understood.
func TestMentionsInSeveralFolders(t *testing.T) {
	l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
	c, e, root := setup(t, l)
	at := severalFolders(t, e, root, "one", "two")
	writeFile(t, at("two/only here"), "the text\n")
	writeFile(t, at("two/other"), "open\n")
	e.open(buffers.PathURI(at("two/other")), "open\n")
	for prefix, want := range map[string]string{"@only": `@"../two/only here"`, "@oth": "@../two/other", "@../two/ot": "@../two/other", "@edit": "@edited"} {
		got := c.Complete("", prefix, len(prefix))
		if len(got) == 0 || got[0].InsertText != want {
			t.Errorf("%s: %+v, want %s", prefix, got, want)
		}
	}
	var blocks []Block
	l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
		blocks = b
		return "end_turn", nil
	}
	if _, err := c.Prompt(t.Context(), Prompt{Text: `see @"../two/only here"`, Wait: true}); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(blocks, func(b Block) bool { return b.Text == "the text\n" && b.URI == buffers.PathURI(at("two/only here")) }) {
		t.Errorf("blocks %+v", blocks)
	}
}

// What an agent has written in a second folder when acp-ls is killed is to be decided on
// afterwards, as in the first.
func TestSeveralFoldersAfterACrash(t *testing.T) {
	w := newEarth(t)
	w.start()
	at := severalFolders(t, w.e, w.root, "inner")
	writeFile(t, w.path("f"), ten)
	w.e.at.SetRoots([]string{w.root, at("inner")})
	var state, root string
	turnOf(t, w.c, w.l, func(Host, string) {
		for _, name := range []string{"f", "inner/edited"} {
			writeFile(t, w.path(name), strings.Replace(ten, "3\n", "THREE\n", 1))
		}
		state, root = w.snapshot() // it is killed now
	})
	w.close()
	w.revert(state, root)
	w.start()
	for _, name := range []string{"f", "inner/edited"} {
		w.wantHunks(name, "3|>THREE|")
	}
}
