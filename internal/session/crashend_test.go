package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// Whatever is going on when acp-ls, or it and the editor, is killed, or the power fails:
// afterwards the text is what is found, what the user wrote is in the baseline, what agents
// wrote and nobody accepted is not, and where the text is the same so are baseline and hunks.
func TestRestartAgreesAfterEveryPrefix(t *testing.T) {
	t.Setenv("PATH", "") // no git: what the folder held is copied
	histories, from := *crashRuns, *crashFrom
	if testing.Short() {
		histories = min(histories, 40)
	}
	if *crashSeed != 0 {
		histories, from = 1, *crashSeed
	}
	exact, steps := 0, 0
	for seed := from; seed < from+uint64(histories); seed++ {
		ok := t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newCrashWorld(t, seed)
				for !w.crashed() {
					w.step()
				}
				w.close()
				w.revert(w.at.state, w.at.root)
				n := w.restarted()
				exact += n
				steps += len(w.trace)
				w.close()
				if t.Failed() {
					t.Logf("-crashseed %d: killed %s\n%s\n%s", seed, w.at.what, strings.Join(w.trace, "\n"), w.explained())
				}
			})
		})
		if !ok {
			return
		}
	}
	t.Logf("%d steps, %d restarts of files compared exactly", steps, exact)
	if *crashSeed == 0 && exact < histories/3 {
		t.Errorf("only %d files of %d histories could be compared exactly", exact, histories)
	}
}

// explained is what was so at the crash, and what the journal says of it.
func (w *crashWorld) explained() string {
	var out strings.Builder
	for _, name := range crashNames {
		f := w.at.files[name]
		fmt.Fprintf(&out, "%s was: in the journal %v\n  text %q\n  base %q\n  editor %q\n", name, f.kept, f.text, f.base, w.at.texts[name])
		if b, err := os.ReadFile(filepath.Join(w.at.root, name)); err == nil {
			fmt.Fprintf(&out, "  disk %q\n", b)
		}
	}
	found, err := journal.Open(w.at.state, w.root, journal.Options{}).TakeOver()
	if err != nil {
		return err.Error()
	}
	defer found.Keep()
	for _, e := range found.Entries {
		for _, r := range e.Records() {
			fmt.Fprintf(&out, "%s: record before %v, on disk %v, deleted %v, pending %d\n", filepath.Base(r.Path), r.Before, r.OnDisk, r.Deleted, r.Pending)
			if d, err := review.UnmarshalState(r.State, time.Now); err == nil {
				fmt.Fprintf(&out, "  text %q\n  base %q\n", d.Text().String(), d.Baseline().String())
			}
		}
	}
	return out.String()
}

// restarted looks at what a restart has made of the files, and returns how many were to be
// exactly as before.
func (w *crashWorld) restarted() (exact int) {
	text, wasOpen := w.at.texts["f"]
	older := false
	switch k := w.r.IntN(4); {
	case k > 1 || !wasOpen:
	case k == 1 && len(w.unsaved) > 0: // the editor is killed too, and opens what it had a while ago
		text, older = w.unsaved[w.r.IntN(len(w.unsaved))], true
		w.editor = "another"
	default: // or nothing of that
		w.editor = "another"
		text = readFile(w.t, w.path("f"))
	}
	if !wasOpen {
		text = readFile(w.t, w.path("f"))
	}
	disk := readFile(w.t, w.path("f"))
	w.start()
	if wasOpen || w.r.IntN(2) == 0 {
		w.e.open(w.uri("f"), text)
	}
	w.rests()
	for _, name := range crashNames {
		was, now := w.at.files[name], w.crashFile(name)
		found := text
		if name == "g" {
			found = readFile(w.t, w.path("g"))
		}
		if older && name == "f" {
			w.hasOlder(was, now, found, disk)
		} else if now.text != found && !was.unseen { // else the document may have been brought up to it
			w.t.Errorf("%s: the restart has made %q of %q", name, now.text, found)
		}
		for _, u := range othersToken.FindAllString(found, -1) {
			if !w.taken[u] && !strings.Contains(now.base, u) {
				w.t.Errorf("%s: %s, which is no agent's, is not in the baseline %q of %q", name, u, now.base, found)
			}
		}
		for _, a := range agentToken.FindAllString(found, -1) {
			known := w.at.exact && was.kept && strings.Contains(was.text, a) && !strings.Contains(was.base, a)
			if known && strings.Contains(now.base, a) {
				w.t.Errorf("%s: the agent's %s is in the baseline %q of %q", name, a, now.base, found)
			}
		}
		if w.at.exact && was.kept && found == was.text && !was.unknown && !was.unseen {
			exact++
			if now.base != was.base {
				w.t.Errorf("%s: baseline %q, was %q, of %q", name, now.base, was.base, found)
			}
			if !slices.Equal(now.hunks, was.hunks) {
				w.t.Errorf("%s: hunks %q, were %q", name, now.hunks, was.hunks)
			}
		}
		if _, err := w.c.Reject(w.t.Context(), Decide{URI: w.uri(name)}); err != nil {
			w.t.Fatal(err)
		}
		w.rests()
		if left := w.crashFile(name); left.text != now.base || len(left.hunks) > 0 {
			w.t.Errorf("%s: reject leaves %q and hunks %q, the baseline was %q", name, left.text, left.hunks, now.base)
		}
	}
	return exact
}

// hasOlder looks at what has become of an older text of f: what agents have on disk is in it, and
// undecided if it was, and what was not in the text any more is not there again.
func (w *crashWorld) hasOlder(was, now crashFile, found, disk string) {
	if !w.at.exact || !was.kept || was.unknown || was.unseen || strings.HasPrefix(w.at.what, "behind a record") {
		return // or the user may just have decided on it
	}
	for _, a := range agentToken.FindAllString(found, -1) {
		if !strings.Contains(was.text, a) {
			return // an agent's row that one has written anew: it stands for that, undecided, as with the user's words in it
		}
	}
	disputed := w.hunks("f", review.StateConflict)
	for _, a := range agentToken.FindAllString(disk, -1) {
		if strings.Contains(disputed, a) {
			continue // it is with what the user had typed in the older text
		}
		undecided := strings.Contains(was.text, a) && !strings.Contains(was.base, a)
		switch {
		case undecided && (!strings.Contains(now.text, a) || strings.Contains(now.base, a)):
			w.t.Errorf("f: the agent's %s is on disk and was undecided, and is not so in %q of %q", a, now.text, found)
		case strings.Contains(was.base, a) && !strings.Contains(now.text, a):
			w.t.Errorf("f: %s, which the user had accepted, is on disk, and not in %q of %q", a, now.text, found)
		case !strings.Contains(was.text+found, a) && strings.Contains(now.text, a):
			w.t.Errorf("f: %s, which the user had taken out, is in %q of %q", a, now.text, found)
		}
	}
}

// A restart ends well, and says the same, if it is killed at once, again and again.
func TestRestartOfRestarts(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	writeFile(t, w.path("g"), abc)
	w.e.open(w.uri("f"), abc)
	w.e.replace(w.uri("f"), "c\n", "c\nuser\n")
	w.agent("f", aBc)
	w.agent("g", aBc)
	f, g := w.hunks("f"), w.hunks("g")
	if f == "" || g == "" {
		t.Fatal("there is nothing to keep")
	}
	text := w.e.text(w.uri("f"))
	for i := range 6 {
		w.crash()
		w.wantHunks("g", g)
		if i%2 == 1 {
			w.e.open(w.uri("f"), text)
			w.wantHunks("f", f)
		}
	}
	if _, err := w.c.Reject(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	if list := w.c.Reviews("", "", review.StatePending); len(list) != 0 {
		t.Errorf("after reject %+v", list)
	}
	if b, err := os.ReadFile(w.path("g")); err != nil || string(b) != abc {
		t.Errorf("g: %q, %v", b, err)
	}
}
