package session

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

const abc, aBc = "a\nb\nc\n", "a\nB\nc\n"

func TestHunksSurviveInAFileNobodyHasOpen(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.agent("f", aBc)
	w.crash()
	w.wantTold("1 change of an earlier run waits in 1 file")
	w.wantHunks("f", "b|>B|")
	h := w.c.Reviews(w.uri("f"), "")[0].Hunks[0]
	if o := h.Origins[0]; o.Agent != "fake" || o.Session == "" {
		t.Errorf("origin %+v", o)
	}
	w.crash() // once more, with nothing done in between
	w.wantHunks("f", "b|>B|")
	if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, w.path("f")); got != abc {
		t.Errorf("after reject %q", got)
	}
	w.crash()
	w.wantHunks("f", "")
}

func TestHunksSurviveInADocument(t *testing.T) {
	for _, x := range []struct {
		name  string
		found func(w *earth, live string) string
		hunks string
		base  string
	}{
		{"as it was", func(w *earth, live string) string { return live }, "b|>B|", "user\na\nb\nc\n"},
		{"after typing", func(w *earth, live string) string { return live + "more\n" }, "b|>B|", "user\na\nb\nc\nmore\n"},
		{"the disk's", func(w *earth, live string) string { return abc }, "", abc},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("f"), abc)
			w.e.open(w.uri("f"), abc)
			w.e.replace(w.uri("f"), "a\n", "user\na\n")
			w.agent("f", aBc)
			live := w.crash()[w.uri("f")]
			if live != "user\n"+aBc {
				t.Fatalf("the editor had %q", live)
			}
			w.e.open(w.uri("f"), x.found(w, live))
			w.wantHunks("f", x.hunks)
			if base, err := w.c.Baseline(w.uri("f")); err != nil || base != x.base {
				t.Errorf("baseline %q, %v, want %q", base, err, x.base)
			}
		})
	}
}

func TestDecisionsSurvive(t *testing.T) {
	for _, open := range []bool{false, true} {
		t.Run(fmt.Sprintf("open %v", open), func(t *testing.T) {
			w := newEarth(t)
			w.start()
			old, new := "a\nb\nc\n1\n2\n3\nd\n", "A\nb\nc\n1\n2\n3\nD\n"
			writeFile(t, w.path("f"), old)
			if open {
				w.e.open(w.uri("f"), old)
			}
			w.agent("f", new)
			h := w.c.Reviews(w.uri("f"), "")[0].Hunks
			for i, decide := range []func(*Core, context.Context, Decide) (Decision, error){(*Core).Accept, (*Core).Reject} {
				if d, err := decide(w.c, t.Context(), Decide{Hunks: []string{h[i].ID}}); err != nil || len(d.Decided) != 1 {
					t.Fatalf("%+v, %v", d, err)
				}
				text := w.crash()[w.uri("f")]
				if open {
					w.e.open(w.uri("f"), text)
				}
				w.wantHunks("f", []string{"d|>D|", ""}[i])
			}
		})
	}
}

func TestFileChangesSurvive(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("gone"), "g\n")
	turnOf(t, w.c, w.l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, w.path("made"), "m\n"); err != nil {
			t.Error(err)
		}
		if err := os.Remove(w.path("gone")); err != nil {
			t.Error(err)
		}
		writeFile(t, w.path("binary"), "\x00\x01")
		h.Update(sid, ToolPatch{ID: "t", Title: str("Run"), Kind: str("execute"), Status: str("completed")})
		s := w.c.allSessions()[0]
		s.mu.Lock()
		running := s.running
		s.mu.Unlock()
		w.c.turnPoint(s, running)
	})
	w.crash()
	w.wantHunks("made", "create >m|")
	w.wantHunks("gone", "delete g|>")
	w.wantHunks("binary", "create")
	for _, name := range []string{"made", "gone"} {
		if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri(name)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(w.path("made")); !isMissing(err) {
		t.Errorf("the file the agent made is still there: %v", err)
	}
	if got := readFile(t, w.path("gone")); got != "g\n" {
		t.Errorf("the file the agent took away is %q", got)
	}
}

// A clean end keeps what is undecided, and what an editor had open counts as it was
// there: it may bring it back.
func TestCleanEndKeepsHunks(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	writeFile(t, w.path("g"), abc)
	w.e.open(w.uri("f"), abc)
	w.agent("f", aBc)
	w.agent("g", aBc)
	w.e.replace(w.uri("f"), "a\n", "typed\na\n")
	w.e.at.Detach()
	w.close()
	w.start()
	w.wantHunks("g", "b|>B|")
	w.e.open(w.uri("f"), "typed\n"+aBc)
	w.wantHunks("f", "b|>B|")
}

// Of what may hold secrets, and of what git ignores, no copy is kept: neither of the file nor
// of what an agent wrote.
func TestSecretsAreNotStored(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	w := newEarth(t)
	if out, err := exec.Command("git", "init", "-q", w.root).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeFile(t, w.path(".gitignore"), "*.local\n/out/\n")
	w.start()
	w.e.onPermission = func(Question) (string, error) { return "allow", nil }
	hidden := []string{".env", "id_rsa", "conf.local", "out/deep/new"}
	for _, name := range hidden {
		if name != "out/deep/new" { // which an agent makes
			writeFile(t, w.path(name), "KEY=hunter2\n")
		}
		w.agent(name, "KEY=hunter3\n")
		if want := "KEY=hunter2|>KEY=hunter3|"; name != "out/deep/new" {
			w.wantHunks(name, want) // and not a file that was made, which a rejection would remove
		}
	}
	writeFile(t, w.path("plain"), "KEY=known2\n")
	w.agent("plain", "KEY=known3\n")
	for _, name := range append(hidden, "plain") {
		w.c.file(buffers.Path(w.path(name))).keep(true)
	}
	var all strings.Builder
	_ = filepath.WalkDir(w.state, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, _ := os.ReadFile(p)
			all.Write(b)
		}
		return err
	})
	for _, name := range append(hidden, "known2", "known3") {
		if !strings.Contains(all.String(), name) {
			t.Errorf("%s is not in the journal", name)
		}
	}
	if strings.Contains(all.String(), "hunter") {
		t.Error("the journal holds the secret")
	}
	w.crash()
	w.wantTold("No longer to be reviewed: changes in .env")
	for _, name := range hidden {
		w.e.await("a message with "+name, func() bool {
			return slices.ContainsFunc(w.e.messages, func(m string) bool { return strings.Contains(m, name) })
		})
		w.wantHunks(name, "")
	}
	w.wantHunks("plain", "KEY=known2|>KEY=known3|")
	w.crash() // nobody is told twice
	w.wantTold("1 change of an earlier run")
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	for _, m := range w.e.messages {
		if strings.Contains(m, ".env") {
			t.Errorf("told again: %q", m)
		}
	}
}

// An edit that never happened is not said to be undecided, in a file without a copy.
func TestSecretBeforeItsEdit(t *testing.T) {
	w := newEarth(t)
	w.start()
	w.e.onPermission = func(Question) (string, error) { return "allow", nil }
	writeFile(t, w.path(".env"), "KEY=hunter2\n")
	writeFile(t, w.path("f"), abc)
	w.agent("f", aBc)
	var state, root string
	w.written = func() { state, root = w.snapshot() }
	w.agent(".env", "KEY=hunter3\n")
	w.written = nil
	w.close()
	w.revert(state, root)
	if got := readFile(t, w.path(".env")); got != "KEY=hunter2\n" {
		t.Fatalf("the edit came before its record: %q", got)
	}
	w.start()
	w.wantTold("1 change of an earlier run")
	for _, m := range w.e.said() {
		if strings.Contains(m, ".env") {
			t.Errorf("told %q", m)
		}
	}
}

// A save is written down when it is said, and not a second later.
func TestSaveIsKeptAtOnce(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.e.open(w.uri("f"), abc)
	w.agent("f", aBc)
	w.e.replace(w.uri("f"), "a\n", "a\nuser\n")
	writeFile(t, w.path("f"), w.e.text(w.uri("f")))
	f := w.c.file(buffers.Path(w.path("f")))
	f.mu.Lock()
	if f.kept.waiting != nil {
		f.kept.waiting.Stop() // whatever the second brings comes too late
	}
	f.mu.Unlock()
	w.e.send(buffers.Save{URI: w.uri("f")})
	w.awaitKept(f)
}

func TestJournalThatCannotBeOpenedIsSaid(t *testing.T) {
	w := newEarth(t)
	w.state = filepath.Join(w.root, "f") // a file
	writeFile(t, w.state, "x")
	w.start()
	writeFile(t, w.path("g"), abc)
	w.agent("g", aBc)
	if got := readFile(t, w.path("g")); got != aBc {
		t.Errorf("the agent's edit was not made: %q", got)
	}
	w.wantTold("would not survive a crash")
}

func textOf(s string) text.Text { return text.New(s) }

// What the editor shows of a file is what there is, also where a document comes with another
// text than the disk, and with a conflict that this one has not.
func TestShownIsWhatWakes(t *testing.T) {
	t.Parallel()
	for typed := range 7 { // revisions are counted, and may be the same
		w := newEarth(t)
		w.start()
		writeFile(t, w.path("f"), abc)
		w.e.open(w.uri("f"), abc)
		w.e.replace(w.uri("f"), "b\n", "b user\n")
		turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, w.path("f"), aBc) })
		for range typed {
			w.e.replace(w.uri("f"), "c\n", "c\nmore\n")
		}
		shown := func() []review.Hunk { return w.e.reviews[w.uri("f")].Hunks }
		for range 2 {
			w.c.file(buffers.Path(w.path("f"))).keep(true)
			text := w.crash()[w.uri("f")]
			w.e.await("the hunk that the disk has", func() bool { return len(shown()) == 1 && shown()[0].State == review.StatePending })
			w.e.open(w.uri("f"), text)
			w.e.await("the conflict", func() bool { return len(shown()) == 1 && shown()[0].State == review.StateConflict })
		}
	}
}

// What an editor that was started anew opens a moment later counts by its own text, and all of
// it is told in one.
func TestChangesOfAnEarlierRunAreCountedOnce(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.opening = 3 * time.Second
	w.start()
	const before = "1\n2\n3\n4\n5\n6\n7\n"
	for _, name := range []string{"kept", "draft", "shut"} {
		writeFile(t, w.path(name), before)
	}
	w.e.open(w.uri("draft"), before)
	w.e.replace(w.uri("draft"), "1\n", "my 1\n")
	w.agent("draft", "1\n2\nTHREE\n4\nFIVE\n6\nSEVEN\n")
	w.agent("kept", "1\nTWO\n3\n4\n5\nSIX\n7\n")
	w.agent("shut", "ONE\n2\n3\n4\n5\n6\n7\n")
	live := w.e.text(w.uri("draft"))
	w.crash()
	w.e.open(w.uri("draft"), live)
	w.wantTold("6 changes of an earlier run wait in 3 files")
	for _, m := range w.e.said() {
		if strings.Contains(m, "of an earlier run") && !strings.HasPrefix(m, "6") {
			t.Errorf("told too: %q", m)
		}
	}
}
