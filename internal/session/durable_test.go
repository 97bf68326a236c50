package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// earth is what outlives a core: a workspace and a state directory.
type earth struct {
	t           *testing.T
	root, state string
	runs        int

	c *Core
	e *fakeEditor
	l *fakeLauncher

	wrote   chan struct{} // has a value when something was written
	failing bool          // nothing can be written
	written func()        // called behind every synced record: its edit is not made yet
}

func newEarth(t *testing.T) *earth {
	root := t.TempDir()
	if p, err := buffers.Resolve(root); err == nil {
		root = string(p)
	}
	w := &earth{t: t, root: root, state: t.TempDir(), wrote: make(chan struct{}, 1)}
	t.Cleanup(func() { w.close() })
	return w
}

type tellingJournal struct {
	*journal.Journal
	w *earth
}

func (j tellingJournal) Write(sync bool, records ...journal.Record) error {
	if j.w.failing && len(records) > 0 {
		return errors.New("no space left on device")
	}
	err := j.Journal.Write(sync, records...)
	if sync && len(records) > 0 && j.w.written != nil {
		j.w.written()
	}
	select {
	case j.w.wrote <- struct{}{}:
	default:
	}
	return err
}

// start starts a core with an editor, and waits until it has taken up what there is.
func (w *earth) start() {
	w.t.Helper()
	w.runs++
	run := w.runs
	st := config.Default()
	st.DefaultAgent = "fake"
	st.Files.Save = config.SaveNever
	w.l = &fakeLauncher{}
	var mu sync.Mutex
	n := 0
	w.c = New(Options{Launcher: w.l, Settings: func() *config.Settings { return st },
		NewID: func(p string) string {
			mu.Lock()
			defer mu.Unlock()
			n++
			return fmt.Sprintf("%s%d.%d", p, run, n)
		},
		Journal: func(workspace string) (Journal, error) {
			if workspace != w.root {
				w.t.Errorf("journal of %q, want %q", workspace, w.root)
			}
			return tellingJournal{journal.Open(w.state, workspace, journal.Options{}), w}, nil
		},
	})
	w.e = newFakeEditor(w.t, w.c, w.root)
	if err := w.c.durable.wait(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *earth) close() {
	if w.c == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.c.Close(ctx); err != nil {
		w.t.Error(err)
	}
	w.c = nil
}

// snapshot copies what is on disk: as a process leaves it that is killed now.
func (w *earth) snapshot() (state, root string) {
	state, root = w.t.TempDir(), w.t.TempDir()
	copyTree(w.t, state, w.state)
	copyTree(w.t, root, w.root)
	return state, root
}

func copyTree(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// revert makes the disk what it was at a snapshot.
func (w *earth) revert(state, root string) {
	w.t.Helper()
	w.state = w.t.TempDir()
	copyTree(w.t, w.state, state)
	list, err := os.ReadDir(w.root)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range list {
		if err := os.RemoveAll(filepath.Join(w.root, e.Name())); err != nil {
			w.t.Fatal(err)
		}
	}
	copyTree(w.t, w.root, root)
}

// crash kills acp-ls and starts it again. It returns the texts that the editor had,
// which is another one now.
func (w *earth) crash() map[string]string {
	w.t.Helper()
	state, root := w.snapshot()
	texts := map[string]string{}
	w.e.mu.Lock()
	for uri, d := range w.e.docs {
		texts[uri] = d.text.String()
	}
	w.e.mu.Unlock()
	w.written = nil
	w.close()
	w.revert(state, root)
	w.start()
	return texts
}

func (w *earth) path(name string) string { return filepath.Join(w.root, name) }
func (w *earth) uri(name string) string  { return buffers.PathURI(w.path(name)) }

// agent writes a file as an agent does.
func (w *earth) agent(name, content string) {
	w.t.Helper()
	turnOf(w.t, w.c, w.l, func(h Host, sid string) {
		if err := h.WriteTextFile(w.t.Context(), sid, w.path(name), content); err != nil {
			w.t.Errorf("write: %v", err)
		}
	})
}

// hunks shows the hunks of a file as "base>text".
func (w *earth) hunks(name string, states ...review.State) string {
	var out []string
	for _, r := range w.c.Reviews(w.uri(name), "", states...) {
		if r.File != nil {
			out = append(out, r.File.Op)
		}
		for _, h := range r.Hunks {
			out = append(out, strings.ReplaceAll(h.BaseText+">"+h.Text, "\n", "|"))
		}
	}
	return strings.Join(out, " ")
}

func (w *earth) wantHunks(name, want string, states ...review.State) {
	w.t.Helper()
	if got := w.hunks(name, states...); got != want {
		w.t.Errorf("hunks of %s: %q, want %q", name, got, want)
	}
}

func (w *earth) wantTold(part string) {
	w.t.Helper()
	w.e.await("a message with "+part, func() bool {
		return slices.ContainsFunc(w.e.messages, func(m string) bool { return strings.Contains(m, part) })
	})
}

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

// The text in which hunks lived may be found later: an editor brings it back from
// its own journal.
func TestHunksComeBackWithRecoveredText(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.e.open(w.uri("f"), abc)
	w.e.replace(w.uri("f"), "a\n", "user\na\n")
	w.agent("f", aBc)
	w.c.file(buffers.Path(w.path("f"))).keep(true)
	live := w.crash()[w.uri("f")]
	w.wantTold("are looked for when such a file is opened: " + w.path("f"))
	w.e.open(w.uri("f"), abc)
	w.wantTold("not to be found")
	w.wantHunks("f", "")
	w.e.replace(w.uri("f"), abc, live) // :recover
	w.wantHunks("f", "b|>B|")
}

// What was taken up with the disk's text, until the file is opened, is not that of the
// document's: the user has decided on it there, and not saved.
func TestDiskIsBehindDecisions(t *testing.T) {
	for _, accept := range []bool{false, true} {
		w := newEarth(t)
		w.start()
		writeFile(t, w.path("f"), abc)
		w.e.open(w.uri("f"), abc)
		w.agent("f", aBc)
		writeFile(t, w.path("f"), aBc)
		w.e.send(buffers.Save{URI: w.uri("f")})
		w.awaitKept(w.c.file(buffers.Path(w.path("f"))))
		w.e.replace(w.uri("f"), "c\n", "c\ntyped\n")
		decide, want, disk := (*Core).Reject, "a\nb\nc\ntyped\n", "b|>B|"
		if accept {
			decide, want, disk = (*Core).Accept, "a\nB\nc\ntyped\n", ""
		}
		if _, err := decide(w.c, t.Context(), Decide{URI: w.uri("f")}); err != nil {
			t.Fatal(err)
		}
		text := w.crash()[w.uri("f")]
		w.wantHunks("f", disk)
		w.e.open(w.uri("f"), text)
		w.wantHunks("f", "")
		if base, err := w.c.Baseline(w.uri("f")); err != nil || base != want || text != want {
			t.Errorf("accept %v: text %q, baseline %q, %v, want %q", accept, text, base, err, want)
		}
	}
}

// A record is written before its edit. If the process ends between the two, the
// edit never happened.
func TestCrashBetweenRecordAndEdit(t *testing.T) {
	for _, open := range []bool{false, true} {
		for _, earlier := range []bool{false, true} {
			t.Run(fmt.Sprintf("open %v, with earlier hunks %v", open, earlier), func(t *testing.T) {
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("f"), "0\n1\n2\n3\n4\n5\n"+abc)
				text, hunks := readFile(t, w.path("f")), ""
				if open {
					w.e.open(w.uri("f"), text)
				}
				if earlier {
					text = strings.Replace(text, "1\n", "ONE\n", 1)
					w.agent("f", text)
					hunks = "1|>ONE|"
				}
				var state, root string
				w.written = func() {
					if state == "" {
						state, root = w.snapshot()
					}
				}
				w.agent("f", strings.Replace(text, abc, aBc, 1))
				w.written = nil
				if state == "" {
					t.Fatal("no record was written before the edit")
				}
				w.close()
				w.revert(state, root)
				if !open && readFile(t, w.path("f")) != text {
					t.Fatal("the edit was made before its record")
				}
				w.start()
				if open {
					w.e.open(w.uri("f"), text)
				}
				w.wantHunks("f", hunks)
				if hunks == "" {
					w.wantHunks("f", "", review.StateRejected)
				}
			})
		}
	}
}

// The same where the user had typed before the editor got to the edit, which it refused.
func TestCrashBetweenRecordAndRefusal(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		w := newEarth(t)
		w.start()
		writeFile(t, w.path("f"), "1\n2\n3\n4\n5\n6\n"+abc)
		w.e.open(w.uri("f"), readFile(t, w.path("f")))
		hunks := ""
		if earlier {
			w.agent("f", "1\nTWO\n3\n4\n5\n6\n"+abc)
			hunks = "2|>TWO|"
		}
		base, err := w.c.Baseline(w.uri("f"))
		if err != nil {
			t.Fatal(err)
		}
		// The user's row is where the agent takes one out.
		want := strings.Replace(base, "6\n", "6\nuser\n", 1)
		var state, root, text string
		w.written = func() {
			if state == "" {
				w.e.replace(w.uri("f"), "6\n", "6\nuser\n")
				state, root = w.snapshot()
				text = w.e.text(w.uri("f"))
			}
		}
		after := strings.Replace(w.e.text(w.uri("f")), "6\n"+abc, "a\nB\nc\n", 1)
		turnOf(t, w.c, w.l, func(h Host, sid string) {
			// Whether it can be made in the end is another matter.
			if err := h.WriteTextFile(t.Context(), sid, w.path("f"), after); err != nil && KindOf(err) != KindConflict {
				t.Error(err)
			}
		})
		w.written = nil
		w.close()
		w.revert(state, root)
		w.start()
		w.e.open(w.uri("f"), text)
		w.wantHunks("f", hunks)
		if got, err := w.c.Baseline(w.uri("f")); err != nil || got != want {
			t.Errorf("baseline %q, %v, want %q", got, err, want)
		}
	}
}

// An edit of which something is to be seen was made, whatever the user has done to it since.
func TestNeverMade(t *testing.T) {
	const before, after = "a\nb\nc\nd\n", "a\nB\nc\n"
	for _, x := range []struct {
		found string
		want  bool
	}{
		{before, true}, {after, false},
		{"a\nb\nuser\nc\nd\n", true}, // only the user's
		{"user\nb\nc\nd\n", true},    // who may take out rows too
		{"a\nb\nB\nc\nd\n", false},   // a row of the edit
		{"a\nb\nc\nD\n", false},      // a row it takes out is gone
		{"", false},
	} {
		if got := neverMade(textOf(before), textOf(after), textOf(x.found)); got != x.want {
			t.Errorf("%q: %v", x.found, got)
		}
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
	w.wantTold("they can no longer be reviewed: " + w.path(".env"))
	for _, name := range hidden {
		w.wantTold(w.path(name))
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
	for _, m := range w.e.messages {
		if strings.Contains(m, ".env") {
			t.Errorf("told %q", m)
		}
	}
}

// What the user typed and did not save is gone when the editor is killed too. What was saved
// is known as it was, so that nothing of it is taken for the user's that is not: see the
// agent's row that was there twice.
func TestEditorThatWasKilledGoesBackToWhatWasSaved(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.e.open(w.uri("f"), abc)
	w.agent("f", "a\nB\nC\nc\n")
	w.e.replace(w.uri("f"), "C\n", "C\nuser\n")
	saved := w.e.text(w.uri("f"))
	writeFile(t, w.path("f"), saved)
	w.e.send(buffers.Save{URI: w.uri("f")})
	f := w.c.file(buffers.Path(w.path("f")))
	w.awaitKept(f)
	base, err := w.c.Baseline(w.uri("f"))
	if err != nil {
		t.Fatal(err)
	}
	hunks := w.hunks("f")
	for i, typed := range []string{"B\n", "user\n", "C\n"} { // the user deletes what was saved
		w.e.replace(w.uri("f"), typed, fmt.Sprintf("other%d\n", i))
		f.keep(i == 1)
	}
	w.crash()
	w.wantTold("1 change of an earlier run waits in 1 file")
	for _, open := range []bool{false, true} {
		if open {
			w.e.open(w.uri("f"), saved)
		}
		w.wantHunks("f", hunks)
		if got, err := w.c.Baseline(w.uri("f")); err != nil || got != base {
			t.Errorf("open %v: baseline %q, %v, want %q", open, got, err, base)
		}
	}
	w.crash() // an heir passes it on
	w.e.open(w.uri("f"), saved)
	w.wantHunks("f", hunks)
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

// awaitKept waits until the journal has the file's state as it is on disk.
func (w *earth) awaitKept(f *file) {
	w.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		f.kept.pen <- struct{}{}
		f.mu.Lock()
		kept := f.kept.last == f.version() && f.kept.last.onDisk
		f.mu.Unlock()
		<-f.kept.pen
		if kept {
			return
		}
		select {
		case <-w.wrote:
		case <-limit:
			w.t.Fatal("the save was not written down")
		}
	}
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

// A disk that is full when changes are taken over costs nothing: they stay where they are.
func TestTakeOverWithAFullDisk(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.agent("f", aBc)
	w.failing = true
	w.crash()
	w.wantHunks("f", "b|>B|")
	w.wantTold("would not survive a crash")
	w.failing = false
	w.crash()
	w.wantHunks("f", "b|>B|")
}

func TestOtherProcessIsNamed(t *testing.T) {
	w := newEarth(t)
	j := journal.Open(w.state, w.root, journal.Options{})
	doc := review.New(textOf(abc), time.Now)
	doc.AgentEdit(textOf(aBc), review.Origin{Change: "c", Author: review.AuthorAgent})
	b, err := doc.MarshalState()
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Write(true, journal.Record{Path: w.path("other"), State: b, Text: buffers.NormHash(aBc)}); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.wantTold("Another acp-ls has undecided changes in " + w.path("other"))
	w.wantHunks("other", "")
	w.close()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, w.path("other"), aBc)
	w.start()
	w.wantHunks("other", "b|>B|")
}

func textOf(s string) text.Text { return text.New(s) }
