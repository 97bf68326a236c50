package session

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// basesOf has the editors that are started next take bases, and returns what tells how often they were told.
func (w *earth) basesOf() (n func() int) {
	var told atomic.Int32
	w.prepare = func(e *fakeEditor) {
		told.Store(0)
		e.caps["base"] = true
		e.onBase = func(string, int32, string) (bool, error) {
			told.Add(1)
			e.cond.Broadcast()
			return true, nil
		}
	}
	return func() int { return int(told.Load()) }
}

// What an agent has put on disk under unsaved text is in the document again if the editor opens an older
// text of that after a restart, as it was decided on, and is not asked about when it is saved.
func TestOlderTextIsOpenedAfterARestart(t *testing.T) {
	t.Parallel()
	const first, second = "mine\n", "mine too\n"
	agents := strings.NewReplacer("3\n", "THREE\n", "8\n", "8\neight\n").Replace
	for _, decided := range []string{"undecided", "accepted", "rejected", "one each", "taken out", "undone"} {
		for _, opened := range []string{"before it", "long before it", "unknown", "last"} {
			for _, ended := range []string{"closed", "killed", "killed at once"} {
				if ended == "killed at once" && decided != "undecided" {
					continue
				}
				for _, early := range []bool{false, true} { // it is opened before acp-ls knows what there is
					t.Run(fmt.Sprintf("%s, %s, %s, early %v", decided, opened, ended, early), func(t *testing.T) {
						t.Parallel()
						w := newEarth(t)
						bases := w.basesOf()
						w.start()
						writeFile(t, w.path("f"), ten)
						w.e.open(w.uri("f"), ten)
						f := w.c.file(buffers.Path(w.path("f")))
						awaitLook(t, f)
						w.e.typeAt(w.uri("f"), 0, 0, first)
						w.e.typeAt(w.uri("f"), len(first), len(first), second)
						var state, root string
						if ended == "killed at once" {
							w.written = func() {
								if state == "" {
									state, root = w.snapshot()
								}
							}
						}
						w.writesDisk("f", agents(ten))
						w.written = nil
						if got := w.e.text(w.uri("f")); got != first+second+agents(ten) {
							t.Fatalf("text %q", got)
						}
						hunks := hunksOf(t, w.c, w.uri("f"), review.StatePending)
						if len(hunks) != 2 {
							t.Fatalf("%d hunks", len(hunks))
						}
						decide := func(accept bool, of ...review.Hunk) {
							do := w.c.Reject
							if accept {
								do = w.c.Accept
							}
							for _, h := range of {
								if d, err := do(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil || len(d.Refused) > 0 {
									t.Fatalf("%+v, %v", d, err)
								}
							}
						}
						const both = "3|>THREE| >eight|"
						want, text, base := both, agents(ten), ten
						switch decided {
						case "accepted":
							decide(true, hunks...)
							want, base = "", agents(ten)
							if opened == "unknown" { // nobody knows that it was not taken out
								want, base = both, ten
							}
						case "rejected":
							decide(false, hunks...)
							want, text = "", ten
						case "one each":
							decide(false, hunks[1])
							decide(true, hunks[0])
							want, text = "", strings.Replace(ten, "3\n", "THREE\n", 1)
							if base = text; opened == "unknown" {
								want, base = "3|>THREE|", ten
							}
						case "taken out":
							w.e.replace(w.uri("f"), "THREE\n", "")
							want, text = "3|> >eight|", strings.Replace(agents(ten), "THREE\n", "", 1)
						case "undone":
							w.e.typeAt(w.uri("f"), 0, len(w.e.text(w.uri("f"))), first+second+ten)
							want, text = "", ten
						}
						typed, is := first+second, ten
						switch opened {
						case "long before it":
							typed = first
						case "unknown":
							typed = "more " + typed
						case "last":
							is = text
						}
						switch ended {
						case "closed":
							w.close()
						case "killed":
							f.keep(true)
							w.kill()
						case "killed at once":
							w.close()
							w.revert(state, root)
							w.e = nil
						}
						if early {
							w.opens = map[string]string{w.uri("f"): typed + is}
						}
						w.start()
						if !early {
							w.e.open(w.uri("f"), typed+is)
						}
						w.e.await("that the document contains what the disk has", func() bool { return bases() > 0 })
						if got := w.e.text(w.uri("f")); got != typed+text {
							t.Errorf("text %q, want %q", got, typed+text)
						}
						w.wantHunks("f", want, review.StatePending)
						if got, err := w.c.Baseline(w.uri("f")); err == nil && got != typed+base || err != nil && want != "" {
							t.Errorf("baseline %q, want %q, %v", got, typed+base, err)
						}
						for _, m := range w.e.said() {
							if strings.Contains(m, "not to be found") {
								t.Errorf("told %q", m)
							}
						}
						if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
							t.Fatal(err)
						}
						if got := w.e.text(w.uri("f")); want != "" && got != typed+base {
							t.Errorf("after reject %q, want %q", got, typed+base)
						}
					})
				}
			}
		}
	}
}
