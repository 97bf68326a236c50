package session

import (
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// undo makes text of a document, as undo and redo do, and waits no longer whether more of that
// comes.
func (w *earth) undo(name, text string) {
	w.t.Helper()
	w.e.typeAt(w.uri(name), 0, len(w.e.text(w.uri(name))), text)
	f := w.c.file(buffers.Path(w.path(name)))
	f.mu.Lock()
	f.doc.Settle(time.Now().Add(w.later + time.Second))
	f.mu.Unlock()
}

// awaitWritten waits until the journal has the state that the file is in.
func (w *earth) awaitWritten(name string) {
	w.t.Helper()
	f := w.c.file(buffers.Path(w.path(name)))
	limit := time.After(20 * time.Second)
	for {
		f.kept.pen <- struct{}{}
		f.mu.Lock()
		kept := f.kept.last == f.version()
		f.mu.Unlock()
		<-f.kept.pen
		if kept {
			return
		}
		select {
		case <-w.wrote:
		case <-limit:
			w.t.Fatal("the state was not written down")
		}
	}
}

// again ends acp-ls, killed or not, and starts it again; the editor has the documents open that
// it had.
func (w *earth) again(killed bool) {
	w.t.Helper()
	if killed {
		for uri, text := range w.crash() {
			w.e.open(uri, text)
		}
		return
	}
	texts := map[string]string{}
	w.e.note(func() {
		for uri, d := range w.e.docs {
			texts[uri] = d.text.String()
		}
	})
	w.close()
	w.start()
	for uri, text := range texts {
		w.e.open(uri, text)
	}
}

// Undo and redo bring back what was undecided, whatever has become of acp-ls in between, and
// whether it came to be undone before or after that.
func TestUndoAcrossARestart(t *testing.T) {
	const two, TWO = "a\nb\nc\nd\ne\n", "a\nB\nc\nd\nE\n"
	rejectAll := func(w *earth) {
		if d, err := w.c.Reject(w.t.Context(), Decide{URI: w.uri("f")}); err != nil || len(d.Refused) > 0 {
			w.t.Fatalf("%+v, %v", d, err)
		}
	}
	for _, killed := range []bool{true, false} {
		for name, x := range map[string]func(w *earth, again func(), undo func(text, hunks string)){
			"a rejection": func(w *earth, again func(), undo func(text, hunks string)) {
				w.agent("f", "mine\n"+TWO)
				rejectAll(w)
				w.wantHunks("f", "b|>B| e|>E|", review.StateRejected)
				again()
				undo("mine\n"+TWO, "b|>B| e|>E|")
				w.wantHunks("f", "", review.StateRejected)
				again()
				undo("mine\n"+two, "")
				w.wantHunks("f", "b|>B| e|>E|", review.StateRejected)
				undo("mine\n"+TWO, "b|>B| e|>E|")
				rejectAll(w)
				w.wantHunks("f", "")
			},
			"an agent's edit, undone before": func(w *earth, again func(), undo func(text, hunks string)) {
				w.agent("f", "mine\n"+TWO)
				undo("mine\n"+two, "")
				again()
				again() // though nothing is to be seen of it
				undo("mine\n"+TWO, "b|>B| e|>E|")
				rejectAll(w)
				if got := w.e.text(w.uri("f")); got != "mine\n"+two {
					w.t.Errorf("rejected to %q", got)
				}
			},
			"an agent's edit, undone after": func(w *earth, again func(), undo func(text, hunks string)) {
				w.agent("f", "mine\n"+TWO)
				again()
				undo("mine\n"+two, "")
				undo("mine\n"+TWO, "b|>B| e|>E|")
			},
			"what was accepted": func(w *earth, again func(), undo func(text, hunks string)) {
				w.agent("f", "mine\n"+TWO)
				if _, err := w.c.Accept(w.t.Context(), Decide{URI: w.uri("f")}); err != nil {
					w.t.Fatal(err)
				}
				undo("mine\n"+two, "")
				again()
				undo("mine\n"+TWO, "")
			},
			"with what was typed": func(w *earth, again func(), undo func(text, hunks string)) {
				w.agent("f", "mine\n"+TWO)
				undo("mine too\n"+TWO, "b|>B| e|>E|")
				rejectAll(w)
				again()
				undo("mine too\n"+TWO, "b|>B| e|>E|")
				undo("mine\n"+TWO, "b|>B| e|>E|")
				undo("mine\n"+two, "")
			},
		} {
			t.Run(name+map[bool]string{true: ", killed", false: ", ended"}[killed], func(t *testing.T) {
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("f"), two)
				w.e.open(w.uri("f"), two)
				w.e.replace(w.uri("f"), "a\n", "mine\na\n")
				x(w, func() {
					t.Helper()
					w.awaitWritten("f")
					w.again(killed)
				}, func(text, hunks string) {
					t.Helper()
					w.undo("f", text)
					w.wantHunks("f", hunks)
				})
			})
		}
	}
}

// What is remembered waits for its document: nobody has it open when acp-ls is there again.
func TestRememberedWaitsForItsDocument(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.e.open(w.uri("f"), abc)
	w.agent("f", aBc)
	w.undo("f", abc)
	w.wantHunks("f", "")
	w.awaitWritten("f")
	for range 2 {
		w.crash()
		w.wantHunks("f", "")
		w.wantHunks("f", "", review.StateRejected)
		turnOf(t, w.c, w.l, func(Host, string) {}) // in which everything is looked at
	}
	w.e.open(w.uri("f"), abc)
	w.undo("f", aBc)
	w.wantHunks("f", "b|>B|")
	w.undo("f", abc)
	w.e.close(w.uri("f"))
	w.later += keepRejected + time.Hour
	w.crash()
	w.e.open(w.uri("f"), abc)
	w.undo("f", aBc)
	w.wantHunks("f", "")
}
