package session

import (
	"context"
	"fmt"
	"strings"
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
	t.Parallel()
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
	t.Parallel()
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

// A kill right behind an undo or a redo, of which the journal knows nothing yet: what is undecided,
// what is rejected, and what further undo and redo bring back is as if acp-ls had not been killed.
func TestKilledRightBehindAnUndo(t *testing.T) {
	t.Parallel()
	const (
		base = "mine\na\nb\nc\nd\ne\nf\ng\nh\ni\n"
		one  = "mine\na\nB\nc\nd\ne\nf\ng\nh\ni\n"
		two  = "mine\na\nB\nc\nd\ne\nf\nG\nh\ni\n"
		typd = "mine too\na\nB\nc\nd\ne\nf\nG\nh\ni\n"
		gone = "mine\na\nb\nc\nd\ne\nf\nG\nh\ni\n"
	)
	type op struct{ what, text string }
	undo := func(texts ...string) (ops []op) {
		for _, s := range texts {
			ops = append(ops, op{"undo", s})
		}
		return ops
	}
	made := []op{{"agent", one}, {"agent", two}}
	then := func(ops ...op) []op { return append(append([]op(nil), made...), ops...) }
	for name, x := range map[string]struct{ before, behind []op }{
		"the edits of agents":             {then(undo(one)...), undo(base, one, two)},
		"both edits of agents":            {then(undo(one, base)...), undo(one, two, base)},
		"and redone":                      {then(undo(one, base, one)...), undo(two, base)},
		"and all redone":                  {then(undo(one, base, one, two)...), undo(one, base)},
		"a rejection":                     {then(op{"reject b", gone}, op{"undo", two}), undo(gone, two, one)},
		"a rejection, redone":             {then(op{"reject b", gone}, op{"undo", two}, op{"undo", gone}), undo(two, one)},
		"two rejections":                  {then(op{"reject b", gone}, op{"reject g", base}, op{"undo", gone}, op{"undo", two}), undo(gone, base, two, one)},
		"one of two rejections":           {then(op{"reject b", gone}, op{"reject g", base}, op{"undo", gone}), undo(base, gone, two)},
		"what was accepted":               {then(op{"accept b", two}, op{"undo", one}), undo(two, one, base)},
		"all that was accepted":           {then(op{"accept b", two}, op{"accept g", two}, op{"undo", one}), undo(two, one, base, two)},
		"accepted and rejected":           {then(op{"accept b", two}, op{"reject g", one}, op{"undo", two}), undo(one, two)},
		"what was typed":                  {then(op{"type", typd}, op{"undo", two}), undo(typd, two, one)},
		"typed and rejected":              {then(op{"type", typd}, op{"reject g", "mine too\na\nB\nc\nd\ne\nf\ng\nh\ni\n"}, op{"undo", typd}), undo(two, typd)},
		"typed and rejected, all":         {then(op{"type", typd}, op{"reject g", "mine too\na\nB\nc\nd\ne\nf\ng\nh\ni\n"}, op{"undo", typd}, op{"undo", two}), undo(typd, two, one)},
		"brought back":                    {then(op{"reject b", gone}, op{"restore", two}, op{"undo", gone}), undo(two, gone)},
		"brought back, and its rejection": {then(op{"reject b", gone}, op{"restore", two}, op{"undo", gone}, op{"undo", two}), undo(gone, two)},
	} {
		t.Run(name, func(t *testing.T) {
			seen, rejected := map[bool][]string{}, map[bool][]string{}
			for _, killed := range []bool{false, true} {
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("f"), base[len("mine\n"):])
				w.e.open(w.uri("f"), base[len("mine\n"):])
				w.e.replace(w.uri("f"), "a\n", "mine\na\n")
				do := func(o op) {
					t.Helper()
					what, row, _ := strings.Cut(o.what, " ")
					switch what {
					case "agent":
						w.agent("f", o.text)
					case "undo", "type":
						w.undo("f", o.text)
					default:
						state, decide := review.StatePending, map[string]func(context.Context, Decide) (Decision, error){"reject": w.c.Reject, "accept": w.c.Accept, "restore": w.c.Restore}[what]
						if what == "restore" {
							state = review.StateRejected
						}
						for _, r := range w.c.Reviews(w.uri("f"), "", state) {
							for _, h := range r.Hunks {
								if row != "" && strings.TrimSpace(h.BaseText) != row {
									continue
								}
								if d, err := decide(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil || len(d.Refused) > 0 {
									t.Fatalf("%s: %+v, %v", o.what, d, err)
								}
							}
						}
					}
					if got := w.e.text(w.uri("f")); got != o.text {
						t.Fatalf("%s: text %q", o.what, got)
					}
				}
				look := func(when string) {
					var base string
					if b, err := w.c.Baseline(w.uri("f")); err == nil {
						base = b
					}
					seen[killed] = append(seen[killed], fmt.Sprintf("%s: pending %s, baseline %q", when, w.hunks("f", review.StatePending), base))
					list := w.hunks("f", review.StateRejected)
					for _, h := range strings.Fields(list) { // of what was not there any more either
						if _, put, _ := strings.Cut(h, ">"); strings.Contains(w.e.text(w.uri("f")), "\n"+strings.TrimSuffix(put, "|")+"\n") {
							t.Errorf("%s, killed %v: %s is rejected, and there", when, killed, h)
						}
					}
					rejected[killed] = append(rejected[killed], list)
				}
				for _, o := range x.before {
					do(o)
				}
				look("then")
				if killed {
					w.again(true)
				}
				look("found")
				for i, o := range x.behind {
					do(o)
					look(fmt.Sprint("behind ", i))
				}
			}
			for i, want := range seen[false] {
				if got := seen[true][i]; got != want {
					t.Errorf("killed\n%s\nelse\n%s", got, want)
				}
				for _, h := range strings.Fields(rejected[false][i]) { // else it is lost, and listed for that
					if !strings.Contains(rejected[true][i], h) {
						t.Errorf("%s: rejected are %q if killed, else %q", want, rejected[true][i], rejected[false][i])
					}
				}
			}
		})
	}
}

// A document without any text is not the one blank row that its file has, though an editor takes
// the two for the same: what is undecided in the one is not so in the other.
func TestEmptyTextAcrossARestart(t *testing.T) {
	for _, killed := range []bool{true, false} {
		for name, x := range map[string]struct{ disk, text string }{
			"no row in the document":      {"\n", ""},
			"a blank row in the document": {"", "\n"},
		} {
			t.Run(fmt.Sprintf("%s, killed %v", name, killed), func(t *testing.T) {
				w := newEarth(t)
				w.start()
				uri := w.uri("f")
				writeFile(t, w.path("f"), "a\n"+x.disk)
				w.e.open(uri, "a\n"+x.disk)
				w.agent("f", x.disk)
				writeFile(t, w.path("f"), w.e.text(uri))
				w.e.send(buffers.Save{URI: uri})
				w.wantHunks("f", "a|>")
				for _, text := range []string{"a\n" + x.disk, "b\n" + x.disk, x.text} {
					w.undo("f", text)
				}
				was, err := w.c.Baseline(uri)
				if err != nil || was != x.text {
					t.Fatalf("baseline %q, %v", was, err)
				}
				w.wantHunks("f", "")
				w.awaitWritten("f")
				w.again(killed)
				if got, err := w.c.Baseline(uri); err != nil || got != was {
					t.Errorf("baseline %q, was %q, %v", got, was, err)
				}
				w.wantHunks("f", "")
				if got := w.e.text(uri); got != x.text {
					t.Errorf("text %q", got)
				}
			})
		}
	}
}
