package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// killedAt is what a process leaves that is killed then.
type killedAt struct {
	what, state, root string
	texts             map[string]string
}

// killed notes what is left if acp-ls is killed now.
func (w *earth) killed(what string) killedAt {
	k := killedAt{what: what, texts: map[string]string{}}
	w.e.mu.Lock()
	for uri, d := range w.e.docs {
		k.texts[uri] = d.text.String()
	}
	w.e.mu.Unlock()
	k.state, k.root = w.snapshot()
	return k
}

// cutOff is k with n bytes less in its journal, as when the power fails.
func (k killedAt) cutOff(t *testing.T, n int64) killedAt {
	t.Helper()
	state := t.TempDir()
	copyTree(t, state, k.state)
	k.state, k.what = state, fmt.Sprintf("%s, %d bytes are lost", k.what, n)
	files, err := filepath.Glob(filepath.Join(state, "journal", "*", "*.journal"))
	if err != nil || len(files) != 1 {
		t.Fatalf("journals %v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err == nil {
		err = os.Truncate(files[0], info.Size()-n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Wherever between an acceptance and its undoing acp-ls is killed, and though it is killed again then: the
// text is that of before or after, and undoing comes to what was before the agent, what the user has typed
// apart; once more it changes nothing.
func TestKilledBetweenAcceptAndUndo(t *testing.T) {
	t.Parallel()
	change := strings.NewReplacer("2\n", "TWO\nmore\n", "9\n", "NINE\n")
	for _, open := range []bool{false, true} {
		for name, decide := range map[string]func(w *earth){
			"all":         func(w *earth) { w.accept("a") },
			"half":        func(w *earth) { w.acceptFirst("a") },
			"one by one":  func(w *earth) { w.acceptFirst("a"); w.acceptFirst("a") },
			"half, typed": func(w *earth) { w.acceptFirst("a"); w.typeMine("a") },
			"all, typed":  func(w *earth) { w.accept("a"); w.typeMine("a") },
		} {
			t.Run(fmt.Sprintf("%s, open %v", name, open), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("a"), ten)
				if open {
					w.e.open(w.uri("a"), ten)
				}
				w.agent("a", change.Replace(ten))
				s := w.c.allSessions()[0].id
				var at []killedAt
				before := w.journalSize()
				behind := func(what string) func() {
					return func() {
						k := w.killed(fmt.Sprintf("%s, record %d", what, len(at)))
						size := w.journalSize()
						at = append(at, k)
						if n := size - before; n > 2 && what == "accepting" { // what is decided is not lost then
							at = append(at, k.cutOff(t, n/2), k.cutOff(t, 1), k.cutOff(t, n))
						}
						before = size
					}
				}
				w.written = behind("accepting")
				decide(w)
				w.written = behind("undoing")
				at = append(at, w.killed("accepted"))
				w.undoAll(s, "", "")
				at = append(at, w.killed("undone"))
				w.written = nil
				for _, k := range at {
					w.close()
					w.revert(k.state, k.root)
					w.start()
					for uri, text := range k.texts {
						w.e.open(uri, text)
					}
					is := w.isText("a")
					want := strings.Replace(ten, "5\n", "5\nmine\n", strings.Count(is, "mine"))
					after := change.Replace(want)
					half := strings.Replace(after, "NINE", "9", 1) // what was undecided is rejected before
					if is != want && is != after && (is != half || !strings.Contains(name, "half")) {
						t.Errorf("%s: found %q", k.what, is)
					}
					for n := range 2 {
						if _, err := w.c.Undo(t.Context(), s, ""); err != nil && KindOf(err) != KindUnknownSession {
							t.Errorf("%s: %v", k.what, err)
						}
						if got := w.isText("a"); got != want {
							t.Errorf("%s: undone %d times to %q, want %q", k.what, n+1, got, want)
						}
						w.wantHunks("a", "")
						w.again(true)
					}
				}
				if len(at) < 4 {
					t.Errorf("killed only at %d moments", len(at))
				}
			})
		}
	}
}

// typeMine types a row of the user's.
func (w *earth) typeMine(name string) {
	w.t.Helper()
	if w.hasOpen(name) {
		w.e.replace(w.uri(name), "5\n", "5\nmine\n")
		return
	}
	writeFile(w.t, w.path(name), strings.Replace(readFile(w.t, w.path(name)), "5\n", "5\nmine\n", 1))
	if err := w.c.file(buffers.Path(w.path(name))).catchUp(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}
