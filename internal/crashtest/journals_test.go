package crashtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/lspbridge/fakeeditor"
)

const changed = "1\nTWO\n3\nFOUR\n"

// undecided makes two changes of the agent's in g, which nobody has open, and kills.
func (w *world) undecided() {
	w.t.Helper()
	w.write("g", "1\n2\n3\n4\n")
	w.start()
	t := w.prompt()
	t.reads("g")
	t.wrote(t.writes("g", "1\nTWO\n3\n4\n"))
	t.wrote(t.writes("g", changed))
	t.end()
	w.kill()
}

func (w *world) wantOffered(name string, want bool) {
	w.t.Helper()
	if got := len(w.hunks(name, "pending")) > 0; got != want {
		w.t.Errorf("%s is offered: %v, want %v; messages %q", name, got, want, w.messages())
	}
}

// A journal that is damaged, or none of ours, is set aside and said; the rest is used.
func TestDamagedJournals(t *testing.T) {
	for _, x := range []struct {
		name    string
		damage  func(t *testing.T, file string)
		told    string // part of a message; none if empty
		offered bool   // g's change
		aside   bool
	}{
		{"whole", func(*testing.T, string) {}, "", true, false},
		{"the last record cut off", func(t *testing.T, file string) {
			b := read(t, file)
			put(t, file, b[:len(b)-3])
		}, "cut off", true, false}, // the first change is in the text
		{"a byte at the beginning", func(t *testing.T, file string) {
			b := read(t, file)
			b[100] ^= 1
			put(t, file, b)
		}, "is damaged", false, true}, // what comes behind cannot be trusted
		{"another program's", func(t *testing.T, file string) { put(t, file, []byte("#!/bin/sh\n")) }, "not a journal of this version", false, true},
		{"another one beside it", func(t *testing.T, file string) {
			put(t, filepath.Join(filepath.Dir(file), "x.journal"), []byte("SQLite format 3\x00 and more"))
		}, "not a journal of this version", true, true},
		{"empty", func(t *testing.T, file string) { put(t, file, nil) }, "", false, false},
		{"a folder", func(t *testing.T, file string) {
			check(t, os.Mkdir(filepath.Join(filepath.Dir(file), "d.journal"), 0o700))
		}, "not a journal", true, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t)
			w.undecided()
			files := w.journals(".journal")
			if len(files) != 1 {
				t.Fatalf("journals %q", files)
			}
			x.damage(t, files[0])
			w.start()
			w.wantOffered("g", x.offered)
			if x.told != "" {
				w.told(x.told)
			}
			if aside := w.journals(".journal.aside"); len(aside) > 0 != x.aside {
				t.Errorf("set aside %q", aside)
			}
			if got := w.disk("g"); got != changed {
				t.Errorf("g was changed: %q", got)
			}
			w.kill()
			w.start() // and that was that
			w.wantOffered("g", x.offered)
			for _, m := range w.messages() {
				if x.told != "" && strings.Contains(m, x.told) {
					t.Errorf("told again: %q", m)
				}
			}
		})
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	check(t, err)
	return b
}

func put(t *testing.T, file string, b []byte) {
	t.Helper()
	check(t, os.WriteFile(file, b, 0o600))
}

// Two acp-ls may work in one workspace: each has a journal of its own, each names the files
// in which the other has something undecided, and leaves them alone. Who is there when one has
// died takes over.
func TestTwoOfThem(t *testing.T) {
	w := newWorld(t)
	w.write("f", "1\n2\n3\n")
	w.write("g", "1\n2\n3\n")
	write := func(name string) {
		turn := w.prompt()
		turn.reads(name)
		turn.wrote(turn.writes(name, "1\nTWO\n3\n"))
		turn.end()
	}
	first := w.start()
	write("g")
	second := w.start()
	second.told("Undecided in another acp-ls: g")
	w.wantOffered("g", false)
	write("f")
	if files := w.journals(".journal"); len(files) != 2 {
		t.Fatalf("journals %q", files)
	}
	first.kill()
	w.wantOffered("g", true)
	third := w.start()
	third.told("Undecided in another acp-ls: f, g")
	w.wantOffered("f", false)
	w.wantOffered("g", false)
	second.command("acp.review.reject", map[string]any{"uri": w.uri("g")}, nil)
	if got := w.disk("g"); got != "1\n2\n3\n" {
		t.Errorf("g after the rejection: %q", got)
	}
	w.process = second
	w.wantOffered("f", true)
	third.kill()
	second.kill()
	w.start()
	w.wantOffered("f", true)
	w.wantOffered("g", false)
}

// Who is there when another one dies takes over too, at the next list, decision or turn.
// What that has left in a file in which it has something undecided itself is pending beside it.
func TestNeighbourDies(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"f", "g", "both"} {
		w.write(name, "1\n2\n3\n")
	}
	write := func(name, content string) {
		turn := w.prompt()
		turn.reads(name)
		turn.wrote(turn.writes(name, content))
		turn.end()
	}
	first := w.start()
	write("g", "1\nTWO\n3\n")
	write("both", "1\nTWO\n3\n")
	second := w.start()
	write("f", "1\nTWO\n3\n")
	write("both", "1\nTWO\nTHREE\n")
	w.wantOffered("g", false)
	first.kill()
	w.wantOffered("g", true)
	if got := w.baseline("both"); got != "1\n2\n3\n" {
		t.Errorf("the baseline of both: %q", got)
	}
	if files := w.journals(".journal"); len(files) != 1 {
		t.Errorf("journals %q", files)
	}
	second.command("acp.review.reject", map[string]any{"uri": w.uri("g")}, nil)
	second.command("acp.review.reject", map[string]any{"uri": w.uri("both")}, nil)
	if got := w.disk("g"); got != "1\n2\n3\n" {
		t.Errorf("g after the rejection: %q", got)
	}
	if got := w.disk("both"); got != "1\n2\n3\n" {
		t.Errorf("both after the rejection: %q", got)
	}
	second.kill()
	w.start()
	w.wantOffered("f", true)
	w.wantOffered("g", false)
	w.kill()
}

// A window that is loaded anew has its new acp-ls before the old one is gone: what that leaves
// is shown there without anybody asking, in an open document and in a file.
func TestTheLastWindowEndsLater(t *testing.T) {
	for _, end := range []string{"ends", "is killed"} {
		w := newWorld(t)
		for _, name := range []string{"open", "closed"} {
			w.write(name, "1\n2\n3\n")
		}
		old := w.start()
		turn := w.prompt()
		for _, name := range []string{"open", "closed"} {
			turn.reads(name)
			turn.wrote(turn.writes(name, "1\nTWO\n3\n"))
		}
		turn.end()
		next := w.start()
		next.open("open", "1\nTWO\n3\n")
		if end == "ends" {
			old.end()
		} else {
			old.kill()
		}
		for _, name := range []string{"open", "closed"} {
			check(t, next.editor.Await(w.limit(), "the change of "+name, fakeeditor.Matching("acp/review", func(r struct {
				URI   string
				Hunks []struct{ Text string }
			}) bool {
				return r.URI == w.uri(name) && len(r.Hunks) == 1 && r.Hunks[0].Text == "TWO\n"
			})))
		}
		next.end()
	}
}

// What was rejected there is not shown, but that there is something to bring back is told.
func TestTheLastWindowHasRejected(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"open", "closed", "accepted"} {
		w.write(name, "1\n2\n3\n")
	}
	old := w.start()
	turn := w.prompt()
	for _, name := range []string{"open", "closed", "accepted"} {
		turn.reads(name)
		turn.wrote(turn.writes(name, "1\nTWO\n3\n"))
	}
	turn.end()
	for _, name := range []string{"open", "closed"} {
		old.command("acp.review.reject", map[string]any{"uri": w.uri(name)}, nil)
	}
	old.command("acp.review.accept", map[string]any{"uri": w.uri("accepted")}, nil)
	next := w.start()
	next.open("open", "1\n2\n3\n")
	next.open("accepted", "1\nTWO\n3\n")
	old.end()
	for _, name := range []string{"open", "closed"} {
		check(t, next.editor.Await(w.limit(), "word of "+name, fakeeditor.Matching("acp/review", func(r struct {
			URI   string
			Hunks []struct{ Text string }
		}) bool {
			if r.URI == w.uri("accepted") {
				t.Errorf("%s has nothing to bring back", r.URI)
			}
			return r.URI == w.uri(name) && len(r.Hunks) == 0
		})))
		if hunks := next.hunks(name, "rejected"); len(hunks) != 1 || hunks[0].Text != "TWO\n" {
			t.Errorf("rejected of %s: %+v", name, hunks)
		}
	}
	next.end()
}

// Two acp-ls may have undecided changes in one file, each of which takes the other's for the
// user's. What the one has left that is gone comes back, whatever the other has done since:
// it died too, has decided, or is there yet.
func TestTwoOfThemInOneFile(t *testing.T) {
	const (
		before = "1\n2\n3\n4\n5\n6\n"
		after  = "ONE\n2\n3\nFOUR\n5\n6\n"
		both   = "ONE\n2\n3\nFOUR\n5\nSIX\n"
	)
	for _, x := range []struct {
		name  string
		since func(w *world, first, second *process)
		want  string // the text
		hunks []string
	}{
		{"both die", func(w *world, first, second *process) {
			first.kill()
			second.kill()
		}, both, []string{"1>ONE", "4>FOUR", "6>SIX"}},
		{"the second decides, and dies", func(w *world, first, second *process) {
			second.command("acp.review.reject", map[string]any{"uri": w.uri("f")}, nil)
			first.kill()
			second.kill()
		}, after, []string{"1>ONE", "4>FOUR"}},
		{"the second accepts when the first is dead", func(w *world, first, second *process) {
			first.kill()
			for _, h := range second.hunks("f", "pending") {
				if h.Text == "SIX\n" {
					second.command("acp.review.accept", map[string]any{"hunks": []string{h.ID}}, nil)
				}
			}
			second.kill()
		}, both, []string{"1>ONE", "4>FOUR"}},
		{"the second goes on", func(w *world, first, second *process) { first.kill() }, both, []string{"1>ONE", "4>FOUR", "6>SIX"}},
		{"the first goes on", func(w *world, first, second *process) {
			second.kill()
			w.process = first
		}, both, []string{"1>ONE", "4>FOUR", "6>SIX"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("f", before)
			write := func(content string) {
				turn := w.prompt()
				turn.reads("f")
				turn.wrote(turn.writes("f", content))
				turn.end()
			}
			first := w.start()
			write(after)
			second := w.start()
			write(both)
			x.since(w, first, second)
			if w.process.dead {
				w.start()
			}
			var got []string
			for _, h := range w.hunks("f", "pending") {
				got = append(got, strings.ReplaceAll(h.BaseText+">"+h.Text, "\n", ""))
			}
			if !slices.Equal(got, x.hunks) {
				t.Errorf("hunks %q, want %q; messages %q", got, x.hunks, w.messages())
			}
			if got := w.disk("f"); got != x.want {
				t.Errorf("text %q, want %q", got, x.want)
			}
			for _, m := range w.messages() {
				if strings.Contains(m, "not to be found") {
					t.Errorf("told %q", m)
				}
			}
			w.command("acp.review.reject", map[string]any{"uri": w.uri("f")}, nil)
			want := before
			if strings.Contains(x.name, "accepts") {
				want = "1\n2\n3\n4\n5\nSIX\n"
			}
			if got := w.disk("f"); got != want {
				t.Errorf("rejected: %q, want %q", got, want)
			}
		})
	}
}

// What is stored can be listed and is not cleaned away while it is undecided; nobody else can
// read it, and nothing is in the project.
func TestStore(t *testing.T) {
	w := newWorld(t)
	w.undecided()
	if out := w.run("store"); !strings.Contains(out, w.root+" (") || !strings.Contains(out, w.path("g")+": 2 undecided") {
		t.Errorf("store list:\n%s", out)
	}
	if out := w.run("store", "purge"); out != "nothing to remove\n" {
		t.Errorf("store purge:\n%s", out)
	}
	check(t, filepath.Walk(filepath.Join(w.home, "acp-ls"), func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 && filepath.Base(path) != "config.json" {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	}))
	var names []string
	list, err := os.ReadDir(w.root)
	check(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"g"}) {
		t.Errorf("the project has %q", names)
	}
	w.start()
	if out := w.run("store", "purge", "--all"); !strings.Contains(out, "nothing to remove") && !strings.Contains(out, "removed") {
		t.Errorf("store purge --all:\n%s", out)
	}
	w.wantOffered("g", true)
	w.kill()
	w.start()
	w.wantOffered("g", true)
	w.kill()
	if out := w.run("store", "purge", "--all"); !strings.Contains(out, "removed "+w.root) {
		t.Errorf("store purge --all:\n%s", out)
	}
	w.start()
	w.wantOffered("g", false)
}

// run runs a command of the program.
func (w *world) run(args ...string) string {
	w.t.Helper()
	cmd := w.programCommand(args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Errorf("acp-ls %q: %v", args, err)
	}
	return string(out)
}

// With the journal off nothing is kept; that is what was asked for.
func TestWithoutJournal(t *testing.T) {
	w := newWorld(t)
	w.args = []string{"serve", "--no-journal"}
	w.undecided()
	if files := w.journals("*"); len(files) != 0 {
		t.Errorf("stored %q", files)
	}
	w.start()
	w.wantOffered("g", false)
}
